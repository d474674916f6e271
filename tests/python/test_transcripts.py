"""Published transcripts of the vendor's emulator, byte for byte, through the `kumi` command.

Each tests/transcripts/*.t holds a claim, its public source, a program and the lines that the vendor's emulator printed.
KUMI names the binary; without it `kumi` is looked up in PATH.
"""

import os
import pathlib
import shutil
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "transcripts"
FILES = sorted(FOLDER.glob("*.t"))


def find_kumi():
    return os.environ.get("KUMI") or shutil.which("kumi")


def read_transcript(path):
    """Header fields, program text and expected output of a .t file."""
    header, _, rest = path.read_text(encoding="utf-8").partition("\n\n")
    program, separator, expected = rest.partition("\n----\n")
    assert separator, f"{path.name}: no line of four dashes"
    fields = dict(line.split(": ", 1) for line in header.splitlines())
    assert fields.keys() == {"claim", "source"}, f"{path.name}: header {sorted(fields)}"
    assert expected.endswith("\n") and expected.strip(), f"{path.name}: no expected output"
    return fields, program + "\n", expected


def test_the_catalogue_is_complete():
    names = [path.stem.split("_", 1) for path in FILES]
    assert [int(number) for number, _ in names] == list(range(1, len(FILES) + 1))
    # 19 tutorial programs, two hv variants, the 16x16 product, two samples.
    assert len(FILES) >= 24
    product = next(path for path in FILES if path.stem.endswith("hmmul_16x16"))
    assert len(read_transcript(product)[2].splitlines()) == 64


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_transcript(path, tmp_path):
    kumi = find_kumi()
    if kumi is None:
        pytest.skip("no kumi binary: set KUMI or put it in PATH")
    _, program, expected = read_transcript(path)
    source = tmp_path / "program.vsm"
    source.write_text(program)
    run = subprocess.run([kumi, "emu", str(source)], capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout == expected.encode()


def test_a_changed_program_is_noticed(tmp_path):
    kumi = find_kumi()
    if kumi is None:
        pytest.skip("no kumi binary: set KUMI or put it in PATH")
    _, program, expected = read_transcript(FOLDER / "15_fvmul_fvfma.t")
    source = tmp_path / "program.vsm"
    source.write_text(program.replace("fvfma $lm0 $ln0 $lr0", "fvfma $lm0 $ln0 -$lr0"))
    run = subprocess.run([kumi, "emu", str(source)], capture_output=True, timeout=120)
    assert run.returncode == 0, run.stderr.decode()
    assert run.stdout != expected.encode()
