"""Steps of the whole chip, or MVs, that the emulator executes per second, by kind, threads and strictness."""

import sysconfig
import tempfile
from pathlib import Path

from _rows import best_seconds, google_benchmark, main, row

KUMI = Path(sysconfig.get_path("scripts")) / "kumi"

PLAIN = "threads:1/strict:0"
MVS = {"mv", "mv_reduce"}
PEAK = "host_int16_peak"
# A step of hmfma on the whole chip: 1024 MABs, four cycles, sixteen rows of sixteen products.
HMFMA_PRODUCTS = 1024 * 4 * 16 * 16


def empty_program() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "empty.vsm"
        program.write_text("", encoding="utf-8")
        return row("emu", "kumi emu of an empty program", 1e3 * best_seconds([KUMI, "emu", program], 10), "ms")


def speeds(bench: str) -> dict:
    """(kind, setting) -> items per second."""
    speed = {}
    for entry in google_benchmark(bench):
        kind, setting = entry["name"].removesuffix("/real_time").split("/", 1)
        speed[kind, setting] = entry["items_per_second"]
    return speed


def by_kind() -> list[dict]:
    """Each kind compared with itself on one thread; forms of operands (form_NAME) with the plain one."""
    speed = speeds("emu_bench")
    rows = []
    for (kind, setting), value in speed.items():
        base = ("form_plain", setting) if kind.startswith("form_") else (kind, PLAIN)
        unit = "MVs/s" if kind in MVS else "steps/s"
        rows.append(row("emu", f"{kind} {setting}", value, unit, value / speed[base], " ".join(base)))
    return rows


def mau_families() -> list[dict]:
    """Rare data (NAME_CLASS) compared with ordinary data, hmfma with what the host's multipliers could do at all."""
    speed = speeds("emu_mau_bench")
    rows = []
    for (kind, setting), value in speed.items():
        if kind == PEAK:
            products = speed["hmfma", setting] * HMFMA_PRODUCTS if ("hmfma", setting) in speed else None
            rows.append(row("emu", f"{kind} {setting}", value, "products/s"))
            if products is not None:
                of = f"{kind} {setting}"
                rows.append(row("emu", f"mau hmfma {setting}: products", products, "products/s", products / value, of))
            continue
        ordinary = kind.partition("_")[0], setting
        base = ordinary if ordinary[0] != kind else (kind, "threads:1")
        rows.append(row("emu", f"mau {kind} {setting}", value, "steps/s", value / speed[base], "mau " + " ".join(base)))
    return rows


def measure() -> list[dict]:
    return [empty_program(), *by_kind(), *mau_families()]


if __name__ == "__main__":
    main(__doc__, measure)
