"""Pages of docs/howto show what the product prints: their blocks are run from top to bottom in one folder, programs
written to their files, commands by a shell, Python as a doctest."""

import doctest
import os
import re
import shutil
import subprocess

import pytest
from conftest import ROOT

KUMI = os.environ.get("KUMI") or shutil.which("kumi")
BLOCK = re.compile(r"^```(?P<kind>vsm|console|python)(?: (?P<file>\S+))?\n(?P<body>.*?)^```$", re.M | re.S)
PAGES = {"emulator.md": 16, "lint.md": 4}  # commands and examples at least


def commands(body):
    """(command, shown output) of a console block."""
    return [(c, shown) for c, _, shown in (part.partition("\n") for part in re.split(r"^\$ ", body, flags=re.M)[1:])]


@pytest.mark.parametrize("page", PAGES)
def test_prints_what_the_page_shows(page, tmp_path):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    text = (ROOT / "docs" / "howto" / page).read_text(encoding="utf-8")
    environment = {**os.environ, "PATH": os.path.dirname(os.path.abspath(KUMI)) + os.pathsep + os.environ["PATH"]}
    names, ran = {}, 0
    for block in BLOCK.finditer(text):
        if block["kind"] == "vsm":
            (tmp_path / block["file"]).write_text(block["body"])
        elif block["kind"] == "console":
            for command, shown in commands(block["body"]):
                done = subprocess.run(
                    ["sh", "-c", command],
                    cwd=tmp_path,
                    env=environment,
                    text=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    timeout=60,
                )
                assert done.stdout == shown, command
                assert done.returncode == 0, command
                ran += 1
        else:
            test = doctest.DocTestParser().get_doctest(block["body"], names, page, page, 0)
            out = []
            runner = doctest.DocTestRunner()
            runner.run(test, out=out.append, clear_globs=False)
            names = test.globs
            assert runner.summarize(verbose=False).failed == 0, "".join(out)
            ran += len(test.examples)
    assert ran >= PAGES[page]


def test_the_page_names_every_option_of_the_command():
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    shown = subprocess.run([os.path.abspath(KUMI), "emu", "--help"], text=True, capture_output=True).stdout
    options = set(re.findall(r"--[a-z-]+", shown)) - {"--help", "--dump"}
    text = (ROOT / "docs" / "howto" / "emulator.md").read_text(encoding="utf-8")
    assert len(options) > 15
    assert {o for o in options if f"`{o}" not in text and f" {o} " not in text} == set()
