"""Wall time of the command line on the example kernel: starting, checking, lowering, and lowering plus emulating."""

import sysconfig
import tempfile
from pathlib import Path

from _rows import best_seconds, main, row

KUMI = Path(sysconfig.get_path("scripts")) / "kumi"
EXAMPLE = "examples/attention_scores.py"


def measure() -> list[dict]:
    start = best_seconds([KUMI, "--version"], 20)
    check = best_seconds([KUMI, "check", EXAMPLE], 5)
    rows = [
        row("command", "kumi --version", 1e3 * start, "ms"),
        row("command", f"kumi check {EXAMPLE}", 1e3 * check, "ms"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.vsm"
        lower = best_seconds([KUMI, "lower", EXAMPLE, "-o", out], 3)
        emulate = best_seconds([KUMI, "emu", out], 3)
    rows.append(row("command", f"kumi lower {EXAMPLE}", 1e3 * lower, "ms"))
    rows.append(row("command", "kumi emu of its code", 1e3 * emulate, "ms", emulate / lower, "kumi lower"))
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
