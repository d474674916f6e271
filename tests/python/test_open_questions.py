"""docs/open_questions.md has an entry for each question that rows and the model's switches name, and no stale switch."""

import re
from dataclasses import fields

from conftest import ROOT

from mncore2_model.switches import Switches

PAGE = (ROOT / "docs" / "open_questions.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^\| (Q\d+) \|", PAGE, re.M)


def named():
    sources = [path for kind in ("*.cpp", "*.h") for path in (ROOT / "targets" / "mncore2").rglob(kind)]
    files = [*sources, *(ROOT / "tests" / "model").rglob("*.py")]
    return {q for path in files for q in re.findall(r"\bQ\d+\b", path.read_text(encoding="utf-8"))}


def test_entries_stand_once():
    assert len(ENTRIES) == len(set(ENTRIES))


def test_every_question_named_in_rows_and_model_has_an_entry():
    assert named() - set(ENTRIES) == set()


def test_every_numbered_switch_is_on_the_page():
    on_page = set(re.findall(r"`(\w+)`", PAGE))
    assert {f.name for f in fields(Switches)} - on_page == {"convert_zero_sign"}  # no question of the notes
