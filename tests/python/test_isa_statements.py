"""tests/isa_statements.md names tests that exist, and the tests of section 3 that it does not name are none."""

import re

from conftest import ROOT

ROWS = re.findall(
    r"^\| ([\d.]+) \| (.+) \| `([^`]+)` \|$", (ROOT / "tests" / "isa_statements.md").read_text(encoding="utf-8"), re.M
)


def test_every_statement_has_a_test_that_exists():
    assert len(ROWS) > 50
    assert {section for section, _, _ in ROWS} == {"3.1", "3.2", "3.3", "3.4", "3.5", "4.6"}
    for _, statement, reference in ROWS:
        path, _, name = reference.partition(": ")
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".t"):
            assert not name and "----" in text, statement
        elif path.endswith(".py"):
            assert f"def {name}(" in text, statement
        else:
            suite, case = name.split(".")
            assert re.search(rf"^TEST(_F|_P)?\({suite}, {case}\)", text, re.M), statement


def test_every_test_of_the_section_is_in_the_table():
    text = (ROOT / "tests" / "python" / "test_isa_section3.py").read_text(encoding="utf-8")
    named = {reference.partition(": ")[2] for _, _, reference in ROWS}
    assert set(re.findall(r"^def (test_\w+)", text, re.M)) - named == set()
