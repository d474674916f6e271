"""Each instruction row, in each of its spellings and modifiers, is executed by a test with outside expectations."""

import coverage_page
import coverage_rows
import pytest


@pytest.fixture(scope="module")
def matrix():
    return coverage_rows.measure(coverage_page.described())


def test_no_row_is_without_outside_truth(matrix):
    assert matrix.missing() == []


def test_every_executed_instruction_belongs_to_one_row(matrix):
    assert matrix.unknown == set()


def test_page_is_fresh(matrix):
    assert coverage_page.PAGE.read_text(encoding="utf-8") == coverage_page.page(matrix), "./dev gen rewrites it"


def test_a_row_without_a_test_is_found(matrix):
    row = {"name": "frob", "unit": "ALU", "syntax": "{l,i}frob X DST...", "operands": []}
    more = coverage_rows.Matrix({"instructions": [*matrix.rows, row]})
    assert "frob: `ifrob`" in more.missing()
