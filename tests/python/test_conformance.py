"""Testcases of our own for every kind of the contest's problems, and the runner of the public ones.

tests/conformance/vectors holds the testcases (NumPy's expected values), tests/conformance/answers our answers. The
answers that the pinned list makes wrong must be refused here as well. KUMIHIMO_PUBLIC names a folder of the public
files; with it the whole pinned list runs.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "conformance"
sys.path.insert(0, str(FOLDER))

import vectors  # noqa: E402

import run  # noqa: E402

PINNED = json.loads(run.PINNED.read_text(encoding="utf-8"))
SOLVED_BY = {solution: name for name, (_, solution) in vectors.VECTORS.items()}
EDITED = [e for e in PINNED if e.get("edits") and e.get("answer") in SOLVED_BY]

# The catalogue's readable testcases that must have an answer of ours.
REQUIRED = (
    "dram_dl_16 dram_dl_16_16 dram_dl_256 dram_dl_256_16 dram_dl_256_16_l2b dram_dl_256_16p dram_dl_16_1024 "
    "dram_dl_1024_16 dram_ul_16 dram_ul_16_16 dram_ul_256 dram_ul_256_16 dram_ul_256_16p dram_ul_16_1024 "
    "matmul_notr_pkg_lm_256_16_16 matmul_trb_pkg_lm_256_16_16 matmul_tra_pkg_lmdram_16_256_16 "
    "relu add_colvec sub_rowvec mat_sub sum_col exp relu_grad sum_row max_row onehot div_row"
).split()


def answer(name: str) -> str:
    return (run.ANSWERS / f"{name}.vsm").read_text(encoding="utf-8")


def vector(name: str) -> str:
    return (vectors.FOLDER / f"{name}.vsm").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", vectors.VECTORS)
def test_vectors_are_what_numpy_makes(name):
    assert vector(name) == vectors.text_of(name)


@pytest.mark.parametrize("name", vectors.VECTORS)
def test_our_answers_are_accepted(name):
    verdict = run.judged(vector(name), answer(vectors.VECTORS[name][1]), strict=True)
    assert verdict["verdict"] == "accepted", verdict
    assert verdict["compared"] == vector(name).count("d getd") * 2


@pytest.mark.parametrize("entry", EDITED, ids=lambda e: e["name"])
def test_wrong_answers_are_refused(entry):
    wrong = run.edited(answer(entry["answer"]), entry["edits"])
    seen = run.judged(vector(SOLVED_BY[entry["answer"]]), wrong, entry.get("strict", False))
    assert seen["verdict"] == entry["expect"]["verdict"] != "accepted", seen
    assert seen.get("code") == entry["expect"].get("code")


def test_one_word_of_an_input_matters():
    """Not only answers: a testcase with one expected digit changed is refused, too."""
    text = vector("mat_sub")
    head, separator, tail = text.rpartition("expect=[")
    value, comma, rest = tail.partition(",")
    changed = head + separator + repr(float(value) + 1) + comma + rest
    seen = run.judged(changed, answer("mat_sub"), strict=False)
    assert seen["verdict"] == "wrong" and seen["wrong"] == 1


def test_the_pinned_list_is_whole():
    names = [e["name"] for e in PINNED]
    assert len(names) == len(set(names))
    for e in PINNED:
        assert e["kind"] in run.KINDS and e["catalogue"] and e["evidence"] in ("VE", "JV", "DV")
        assert e["expect"]["verdict"] and all(len(sha) == 64 for sha in e["files"].values())
        assert (e["expect"]["verdict"] in ("accepted", "equal")) == (not e.get("edits"))
    accepted = {e["answer"] for e in PINNED if e.get("answer") and not e.get("edits")}
    assert accepted == set(REQUIRED) == {p.stem for p in run.ANSWERS.glob("*.vsm")}
    assert len([e for e in PINNED if e["kind"] == "kernel"]) == len(run.kernels.EXAMPLES) >= 65
    in_list = {name for e in PINNED if e["kind"] == "transcript" for name in e["transcripts"]}
    assert in_list == {p.stem for p in run.TRANSCRIPTS.glob("*.t")}


@pytest.fixture
def small_list(tmp_path, monkeypatch):
    """A pinned list of one entry over a copy of one of our testcases."""
    public = tmp_path / "public" / "any" / "layout"
    public.mkdir(parents=True)
    (public / "copy.vsm").write_text(vector("relu"))
    sha = hashlib.sha256(vector("relu").encode()).hexdigest()
    entry = {"name": "relu", "kind": "judge", "files": {"testcase": sha}, "answer": "relu"}
    entry["expect"] = {"verdict": "accepted", "compared": 1024, "score": 2}

    def write(**changes):
        (tmp_path / "pinned.json").write_text(json.dumps([entry | changes]))
        monkeypatch.setattr(run, "PINNED", tmp_path / "pinned.json")
        return run.main([str(tmp_path / "public"), "--json", str(tmp_path / "out.json")])

    return write, public / "copy.vsm", tmp_path / "out.json"


def test_the_runner_notices(small_list, capsys):
    write, copy, out = small_list
    assert write() == 0
    assert write(expect={"verdict": "accepted", "compared": 1024, "score": 3}) == 1
    assert write(expect={}) == 1
    assert write(answer="mat_sub") == 1
    assert write(answer="no_such_answer") == 1
    assert write(edits=[["$ln8v", "$ln8v/1110"]]) == 1
    assert write(edits=[["text that is not there", ""]]) == 1
    assert json.loads(out.read_text())[0]["status"] == "FAIL"
    copy.write_text(copy.read_text() + "\n")
    assert write() == 1
    assert "1 missing" in capsys.readouterr().out
    assert json.loads(out.read_text())[0]["status"] == "MISSING"


@pytest.mark.skipif("KUMIHIMO_PUBLIC" not in os.environ, reason="KUMIHIMO_PUBLIC names no folder of public files")
def test_the_public_files():
    assert run.main([os.environ["KUMIHIMO_PUBLIC"]]) == 0
