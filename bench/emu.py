"""Steps of the whole chip, or MVs, that the emulator executes per second, by kind, threads and strictness."""

import sysconfig
import tempfile
from pathlib import Path

from _rows import best_seconds, google_benchmark, main, row

KUMI = Path(sysconfig.get_path("scripts")) / "kumi"

PLAIN = "threads:1/strict:0"
MVS = {"mv", "mv_reduce"}


def empty_program() -> dict:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "empty.vsm"
        program.write_text("", encoding="utf-8")
        return row("emu", "kumi emu of an empty program", 1e3 * best_seconds([KUMI, "emu", program], 10), "ms")


def measure() -> list[dict]:
    speed = {}
    for entry in google_benchmark("emu_bench"):
        kind, setting = entry["name"].removesuffix("/real_time").split("/", 1)
        speed[kind, setting] = entry["items_per_second"]
    return [
        empty_program(),
        *(
            row(
                "emu",
                f"{kind} {setting}",
                value,
                "MVs/s" if kind in MVS else "steps/s",
                value / speed[kind, PLAIN],
                f"{kind} {PLAIN}",
            )
            for (kind, setting), value in speed.items()
        ),
    ]


if __name__ == "__main__":
    main(__doc__, measure)
