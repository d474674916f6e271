"""kumi emu refuses what an input makes longer than the machine, at once and with its position."""

import json
import os
import shutil
import subprocess

import pytest

KUMI = os.environ.get("KUMI") or shutil.which("kumi")


def emu(text):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    return subprocess.run(
        [os.path.abspath(KUMI), "emu", "--json", "-"], input=text, text=True, capture_output=True, timeout=20
    )


@pytest.mark.parametrize(
    "line",
    [
        "mvd/n536870912i01 $p0@0 $d0",  # PDM holds 512 Ki long words (ISA 1.2)
        "mvb4/n536870912i01 $d0 $lc0",
        "mvb/n536870912i01 $d0 $lc0",
        "mvp/n536870912i01 $d0@0 $p0@1",
        "mvp/n524352 $p0@0 $d0@0",  # one unit of 64 more than PDM
    ],
)
def test_an_mv_longer_than_its_memory_is_refused_with_its_line(line):
    done = emu("nop\n" + line + "\n")
    assert done.returncode == 1
    text = done.stdout + done.stderr
    assert "K3107" in text and "larger than its memory" in text
    assert ":2:" in text or '"line":2' in text


def test_an_mv_as_long_as_its_memory_runs():
    done = emu("mvp/n524288 $p0@0 $d0@0\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["mv"] == 1
