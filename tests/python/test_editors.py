"""What editors read beside the server: the TextMate grammar, the extension's manifest, the page about them."""

import json
import re

import pytest
from conftest import ROOT
from textmate import Grammar

from kumihimo._native import call, call_json

VSCODE = ROOT / "editors" / "vscode"
GRAMMAR = Grammar(json.loads((VSCODE / "syntaxes" / "vsm.tmLanguage.json").read_text()))
PAGE = (ROOT / "docs" / "howto" / "editors.md").read_text()
PROGRAMS = sorted(ROOT.glob("tests/conformance/**/*.vsm"))
TRANSCRIPTS = sorted(ROOT.glob("tests/transcripts/*.t"))

# ISA 9.3: the issue groups of a step, as scopes spell them.
UNITS = {"alu", "mau-calculation", "matrix-write", "matrix-read", "l1bm", "l1bm-turnaround", "l2bm", "mv"}


def mnemonics() -> list[dict]:
    """What may stand in an empty file: every spelling of every instruction."""
    return [
        c for c in call_json("mncore2.editor_complete", call("mncore2.editor", ""), 0) if c["kind"] == "instruction"
    ]


def test_every_spelling_of_every_instruction_has_the_scope_of_its_unit():
    spelled: dict[str, str] = {}
    for c in mnemonics():  # l1bmd and its kin have a form in a unit of its own; the first form decides
        spelled.setdefault(c["label"], c["detail"].partition(":")[0])
    assert len(spelled) > 300
    for name, unit in spelled.items():
        part = unit.lower().replace(" ", "-")
        want = "keyword.control.vsm" if part == "control" else f"support.function.{part}.vsm"
        assert part in UNITS | {"control"}
        for line in (name, f"  {name} $lr0", f"{name}/1000 $lr0", f"nop; {name} $lr0"):
            scopes = GRAMMAR.scopes(line)
            begin = line.rindex(name)
            assert set(scopes[begin : begin + len(name)]) == {want}, line
        wrong = GRAMMAR.scopes(f"{name}q $lr0")
        assert set(wrong[: len(name) + 1]) == {"invalid.illegal.mnemonic.vsm"}, f"{name}q"


def uncovered(line: str) -> str:
    """Characters that an editor would leave without a colour, or mark as wrong."""
    bad = [c if s == "" else f"<{c}>" for c, s in zip(line, GRAMMAR.scopes(line)) if s == "" or s.startswith("invalid")]
    return "".join(bad).strip()


@pytest.mark.parametrize("path", PROGRAMS + TRANSCRIPTS, ids=lambda p: p.name)
def test_every_character_of_the_programs_is_coloured(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".t":
        text = text.partition("\n\n")[2].partition("\n----\n")[0]
    for line in text.splitlines()[:400]:
        assert uncovered(line) == "", line


def test_every_character_of_every_example_is_coloured():
    rows = call_json("describe", "insns")["instructions"]
    assert len(rows) > 80
    for row in rows:
        assert uncovered(row["example"]) == "", row["example"]


@pytest.mark.parametrize(
    ("line", "word", "scope"),
    [
        ("linc $lr0v4/ll1000 # $lr0", "$lr", "variable.other.memory.pe.r.vsm"),
        ("linc $lr0v4/ll1000 # $lr0", "0", "constant.numeric.address.vsm"),
        ("linc $lr0v4/ll1000 # $lr0", "v4", "storage.modifier.operand.vsm"),
        ("linc $lr0v4/ll1000 # $lr0", "/ll1000", "storage.modifier.mask.vsm"),
        ("linc $lr0v4/ll1000 # $lr0", "# $lr0", "comment.line.number-sign.vsm"),
        ("linc $lr0 ! why", "! why", "comment.line.number-sign.vsm"),
        ("lpassa $lr[0, 2, 4,6] $lbf", "[0, 2, 4,6]", "constant.numeric.address.vsm"),
        ("lpassa $lr[0, 2, 4,6] $lbf", "$lbf", "variable.language.forwarding.lbf.vsm"),
        ("lpassa $peid $p", "$peid", "constant.language.peid.vsm"),
        ("fvmul -$lmt $t", "-", "keyword.operator.sign.vsm"),
        ("fvmul -$lmt $t", "$t", "variable.other.register.t.vsm"),
        ("fvmul $lq0", "$lq0", "invalid.illegal.operand.vsm"),
        ('imm ui"0x10" $lr0', "ui", "storage.type.literal.vsm"),
        ('imm ui"0x10" $lr0', '"0x10"', "constant.numeric.literal.vsm"),
        ("mvp/n64i01 $p0@1 $lc0@2.1", "/n64i01", "storage.modifier.option.vsm"),
        ("mvp/n64i01 $p0@1 $lc0@2.1", "@2.1", "storage.modifier.unit.vsm"),
        ("nop; wait i01", "i01", "constant.other.tag.vsm"),
        ("maskrs 1", "mask", "keyword.other.statement.vsm"),
        ("maskrs 1", "rs", "storage.modifier.statement.vsm"),
        ("d getf $lm0n0c0b0m0p0 1", "get", "keyword.other.statement.vsm"),
        ("d getf $lm0n0c0b0m0p0 1", "n0c0b0m0p0", "storage.modifier.operand.vsm"),
        ("d set $lm0 1 00000000DEADBEEF", "00000000DEADBEEF", "constant.numeric.payload.vsm"),
        ("quit", "quit", "keyword.other.statement.vsm"),
        ("relu1 $lr0", "relu1", "invalid.illegal.mnemonic.vsm"),
    ],
)
def test_words(line, word, scope):
    begin = line.index(word)
    assert set(GRAMMAR.scopes(line)[begin : begin + len(word)]) == {scope}


def test_the_manifest_names_what_exists():
    manifest = json.loads((VSCODE / "package.json").read_text())
    contributes = manifest["contributes"]
    files = [manifest["main"], contributes["languages"][0]["configuration"], contributes["grammars"][0]["path"]]
    assert all((VSCODE / f).is_file() for f in files)
    assert contributes["grammars"][0]["scopeName"] == "source.vsm"
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]
    assert manifest["version"] == version
    profiles = [p["name"] for p in call_json("describe", "hazards")["profiles"]]
    assert contributes["configuration"]["properties"]["vsm.lint.profile"]["enum"] == profiles
    words = re.compile(json.loads((VSCODE / "language-configuration.json").read_text())["wordPattern"])
    assert words.findall("linc -$lr0v $ls0; nop") == ["linc", "-$lr0v", "$ls0", "nop"]


def test_the_python_of_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    told = capsys.readouterr().out
    assert "GRF0 is read too early" in told and "nop" in told and "**GRF0** `$lr0`" in told and "'$lm0'" in told
