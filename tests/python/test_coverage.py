"""Each instruction row, in each of its spellings and modifiers, and each form of an operand, a mask, a statement and a step is
executed by a test with outside expectations."""

import coverage_page
import coverage_rows
import pytest


@pytest.fixture(scope="module")
def matrix():
    return coverage_rows.measure(coverage_page.described())


def test_no_row_is_without_outside_truth(matrix):
    assert matrix.missing() == []


def test_no_form_of_an_operand_mask_statement_or_step_is_without_outside_truth(matrix):
    assert matrix.missing_forms() == []


def test_every_executed_instruction_belongs_to_one_row(matrix):
    assert matrix.unknown == set()


def test_page_is_fresh(matrix):
    assert coverage_page.PAGE.read_text(encoding="utf-8") == coverage_page.page(matrix), "./dev gen rewrites it"


def test_a_row_without_a_test_is_found(matrix):
    row = {"name": "frob", "unit": "ALU", "syntax": "{l,i}frob X DST...", "operands": []}
    more = coverage_rows.Matrix({"instructions": [*matrix.rows, row]})
    assert "frob: `ifrob`" in more.missing()


def test_a_form_without_a_test_is_found(matrix):
    more = coverage_rows.Matrix({"instructions": matrix.rows})
    more.add("M", "maskllr 3\nlpassa $aluf $llm0vj1/$llimr2")
    missing = set(matrix.missing_forms()) ^ set(more.missing_forms())
    assert "Masks / statements / `maskllr fixed`" in missing
    assert not {"Masks / statements / `maskllr variable`", "Addresses / `$llm` written / `AvjN`"} & missing
