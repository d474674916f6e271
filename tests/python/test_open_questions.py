"""docs/open_questions.md has an entry for each question that rows and the model's switches name, and no stale row or switch."""

import re
from dataclasses import fields

import coverage_page
import coverage_rows
import pytest
from conftest import ROOT

from mncore2_model.switches import Switches

PAGE = (ROOT / "docs" / "open_questions.md").read_text(encoding="utf-8")
TABLE = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in re.findall(r"^\| Q\d+ .*$", PAGE, re.M)]
ENTRIES = [cells[0] for cells in TABLE]
#: evidence that leaves a formula open: inferred, one secondary source, unknown
WEAK = "IS?"


@pytest.fixture(scope="module")
def rows():
    """Name as on the page to row: instructions, then operations of reductions."""
    described = coverage_page.described()
    named = {coverage_rows.Matrix.key(row): row for row in described["instructions"]}
    return named | {f"reduction {row['name']}": row for row in described["reductions"]}


def named():
    files = [*(ROOT / "targets" / "mncore2").rglob("*.cpp"), *(ROOT / "tests" / "model").rglob("*.py")]
    return {q for path in files for q in re.findall(r"\bQ\d+\b", path.read_text(encoding="utf-8"))}


def test_entries_stand_once_and_whole():
    assert len(ENTRIES) == len(set(ENTRIES))
    assert {len(cells) for cells in TABLE} == {6}
    assert all(cells[k] for cells in TABLE for k in (1, 3, 4, 5))


def test_every_question_named_in_rows_and_model_has_an_entry():
    assert named() - set(ENTRIES) == set()


def test_every_switch_is_on_the_page():
    on_page = set(re.findall(r"`(\w+)`", PAGE))
    assert {f.name for f in fields(Switches)} - on_page == set()


def test_rows_and_page_name_each_other(rows):
    by_page = {(cells[0], name) for cells in TABLE for name in re.findall(r"`([^`]+)`", cells[2])}
    by_rows = {(question, name) for name, row in rows.items() for question in row.get("open_questions", ())}
    assert by_page == by_rows


def test_every_row_of_weak_evidence_has_a_question(rows):
    assert [name for name, row in rows.items() if row["evidence"] in WEAK and not row.get("open_questions")] == []
