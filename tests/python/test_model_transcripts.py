"""The published transcripts of the vendor's emulator, byte for byte, through the independent model.

This ties the model to outside truth; tests/transcripts says where each one was published."""

import pathlib

import pytest

from mncore2_model import Machine

FILES = sorted((pathlib.Path(__file__).resolve().parents[1] / "transcripts").glob("*.t"))


def parts(path):
    program, _, expected = path.read_text(encoding="utf-8").partition("\n\n")[2].partition("\n----\n")
    return program, expected.splitlines()


def test_there_are_transcripts():
    assert len(FILES) >= 24


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_transcript(path):
    program, expected = parts(path)
    assert expected
    # one group, L2B and L1B are enough for all but dumps that name no place
    small = all("n0c0b0" in line or line.startswith("DEBUG-DRAM(n0") for line in expected)
    machine = Machine(1, 1, 1) if small else Machine(4, 2, 8)
    assert machine.run(program) == expected
