"""Wall time of `kumi judge` on a testcase of 4 MB, the largest that the public ones reach, beside its start alone."""

import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
from _rows import ROOT, best_seconds, main, row

sys.path.insert(0, str(ROOT / "tests" / "conformance"))
from layouts import Tensor, testcase  # noqa: E402

KUMI = Path(sysconfig.get_path("scripts")) / "kumi"
ANSWER = ROOT / "tests" / "conformance" / "answers" / "relu.vsm"


def measure() -> list[dict]:
    # Half of the lines set, half are compared: 2560 rows of 16 singles over the L1Bs of every L2B.
    x = np.random.default_rng(1).uniform(-500, 500, (2560, 16)).astype(np.float32)
    layout = "((8_L2B:1, 4:2, 8_L1B:1, 10_MAB:1), (2:1, 4_PE:1, 2_W:1))"
    text = testcase([Tensor(x, f"{layout}@LM0")], Tensor(np.maximum(x, np.float32(0)), f"{layout}@LM1"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "testcase.vsm"
        path.write_text(text, encoding="utf-8")
        megabytes = path.stat().st_size / 1e6
        start = best_seconds([KUMI, "--version"], 10)
        seconds = best_seconds([KUMI, "judge", path, ANSWER], 5)
        strict = best_seconds([KUMI, "judge", "--strict", path, ANSWER], 5)
    name = f"kumi judge, testcase of {megabytes:.1f} MB"
    return [
        row("judge", name, seconds, "s", seconds / start, "kumi --version"),
        row("judge", f"{name}, --strict", strict, "s", strict / seconds, name),
        row("judge", f"{name}, rate", megabytes / seconds, "MB/s"),
    ]


if __name__ == "__main__":
    main(__doc__, measure)
