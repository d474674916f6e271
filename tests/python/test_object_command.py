"""`kumi asm --emit obj`, `kumi dis`, and objects where VSM text is read."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import kumihimo

KUMI = os.path.abspath(os.environ.get("KUMI") or shutil.which("kumi") or "kumi")
TEXT = 'imm i"4" $lr0v  # four\n\nnop/2\nd get $lr0n0c0b0m0p0 1\n'


def kumi(folder, *args):
    return subprocess.run([KUMI, *args], cwd=folder, capture_output=True, timeout=60)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.vsm").write_text(TEXT)
    assert kumi(tmp_path, "asm", "a.vsm", "--emit", "obj", "-o", "a.obj").returncode == 0
    return tmp_path


def test_text_of_an_object_is_the_canonical_text(folder):
    assert kumi(folder, "dis", "a.obj").stdout == kumi(folder, "asm", "a.vsm").stdout
    assert json.loads(kumi(folder, "--json", "dis", "a.obj").stdout)["text"].startswith("imm")


def test_object_of_the_text_of_an_object_is_the_same_program(folder):
    assert kumi(folder, "dis", "a.obj", "-o", "b.vsm").returncode == 0
    assert kumi(folder, "asm", "b.vsm", "--emit", "obj", "-o", "b.obj").returncode == 0
    assert kumi(folder, "dis", "b.obj").stdout == kumi(folder, "dis", "a.obj").stdout


def test_commands_read_objects_as_they_read_text(folder):
    assert kumi(folder, "emu", "a.obj").stdout == kumi(folder, "emu", "a.vsm").stdout != b""
    assert kumi(folder, "lint", "a.obj").returncode == kumi(folder, "lint", "a.vsm").returncode == 0
    (folder / "bad.vsm").write_text('\n\nimm i"4" $lr0v\nlpassa $lr0v $lm0v\n')
    assert kumi(folder, "asm", "bad.vsm", "--emit", "obj", "-o", "bad.obj").returncode == 0
    of_text, of_object = kumi(folder, "lint", "bad.vsm"), kumi(folder, "lint", "bad.obj")
    assert b"bad.vsm:4" in of_text.stderr and of_object.stderr == of_text.stderr.replace(b"bad.vsm", b"bad.obj")


def test_python_calls(folder):
    data = kumihimo.call("mncore2.assemble_object", TEXT)
    assert isinstance(data, bytes) and data == (folder / "a.obj").read_bytes()
    assert kumihimo.call("mncore2.disassemble", data).splitlines()[-1] == "d get $lr0n0c0b0m0p0 1"


def test_refusals(folder):
    whole = (folder / "a.obj").read_bytes()
    (folder / "cut.obj").write_bytes(whole[:-3])
    cut = kumi(folder, "dis", "cut.obj")
    assert cut.returncode == 1 and b"K3303" in cut.stderr and b"byte " in cut.stderr
    assert b"K3301" in kumi(folder, "dis", "a.vsm").stderr
    assert kumi(folder, "--json", "asm", "a.vsm", "--emit", "obj").returncode == 2
    (folder / "text.vsm").write_text("fvmul\n")
    assert kumi(folder, "asm", "text.vsm", "--emit", "obj", "-o", "text.obj").returncode == 1
    assert not Path(folder / "text.obj").exists()


def test_words_say_what_is_not_derivable(folder):
    words = kumi(folder, "asm", "a.vsm", "--emit", "words").stdout.decode().splitlines()
    assert [len(line) for line in words if line.startswith("i ")] == [294] * 3
    (folder / "add.vsm").write_text("ladd $lm0v $lr0v $ls0v\n")
    assert b"# line 1: not derivable: ALU operation" in kumi(folder, "asm", "add.vsm", "--emit", "words").stdout
