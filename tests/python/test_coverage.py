"""Each instruction row, in each of its spellings and modifiers, is executed by a test with outside expectations."""

import json
import os
import shutil
import subprocess

import coverage_rows
import pytest


@pytest.fixture(scope="module")
def matrix():
    kumi = os.environ.get("KUMI") or shutil.which("kumi")
    assert kumi, "no kumi binary: set KUMI or put it on PATH"
    text = subprocess.run([kumi, "describe", "insns", "--json"], capture_output=True, text=True, check=True).stdout
    return coverage_rows.measure(json.loads(text))


def test_no_row_is_without_outside_truth(matrix):
    assert matrix.missing() == []


def test_every_executed_instruction_belongs_to_one_row(matrix):
    assert matrix.unknown == set()


def test_a_row_without_a_test_is_found(matrix):
    row = {"name": "frob", "unit": "ALU", "syntax": "{l,i}frob X DST...", "operands": []}
    more = coverage_rows.Matrix({"instructions": [*matrix.rows, row]})
    assert "frob: `ifrob`" in more.missing()
