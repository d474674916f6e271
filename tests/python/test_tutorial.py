"""docs/tutorial.md shows what the product prints: each program is written to its file, each command below it runs, and
stdout with stderr is what stands there. A program is clean for the linter unless its command shows the refusal."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

KUMI = os.environ.get("KUMI") or shutil.which("kumi")
TEXT = (Path(__file__).resolve().parents[2] / "docs" / "tutorial.md").read_text()
BLOCK = re.compile(r"^```(vsm (?P<file>\S+)|console)\n(?P<body>.*?)^```$", re.M | re.S)
REFUSED = {"early.vsm", "conflict.vsm"}  # the tutorial shows what is wrong with them


def examples():
    """(file, program, command, shown output) of each console block; the program is the block above it."""
    name = program = None
    for block in BLOCK.finditer(TEXT):
        if block["file"]:
            name, program = block["file"], block["body"]
            continue
        prompt, _, shown = block["body"].partition("\n")
        yield pytest.param(name, program, prompt.removeprefix("$ ").split(), shown, id=name)


def run(folder, *args):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    return subprocess.run(
        [os.path.abspath(KUMI), *args],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )


def test_a_stranger_finds_at_least_ten_programs():
    assert len(list(examples())) >= 10


@pytest.mark.parametrize("name, program, command, shown", examples())
def test_prints_what_the_tutorial_shows(tmp_path, name, program, command, shown):
    (tmp_path / name).write_text(program)
    assert command[0] == "kumi" and command[-1] == name
    assert run(tmp_path, *command[1:]).stdout == shown
    assert (run(tmp_path, "lint", name).returncode != 0) == (name in REFUSED)
