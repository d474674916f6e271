"""`kumi judge` and kumihimo.judge: what they print and which exit code they give."""

import json
import subprocess

import pytest

from kumihimo import Error
from kumihimo.judge import judge, judge_files

TESTCASE = """\
# ======= In(0): ((2_W:1))@LM0 / Float =======
d set $lm0n0c0b0m0p0 1 3F80000040000000 # values=[1.0, 2.0] / Float @[0],[1]
# ======= YOUR VSM WILL BE INSERTED HERE =======

# ======= Output =======
# ======= Out(0): ((2_W:1))@LM1 / Float =======
d getd $ln0n0c0b0m0p0 1 # expect=[2.0, 4.0] / Float @[0],[1] atol=1e-05
"""
RIGHT = "fvadd $lm0 $lm0 $ln0  # twice\n"
WRONG = "fvadd $m0 $m0 $n0\n"


@pytest.fixture
def files(tmp_path):
    def write(answer, testcase=TESTCASE):
        (tmp_path / "testcase.vsm").write_text(testcase)
        (tmp_path / "answer.vsm").write_text(answer)
        return tmp_path / "testcase.vsm", tmp_path / "answer.vsm"

    return write


def kumi(*args):
    return subprocess.run(["kumi", "judge", *map(str, args)], capture_output=True, text=True, timeout=60)


def test_an_accepted_answer_prints_its_score(files):
    run = kumi(*files(RIGHT))
    assert (run.returncode, run.stdout, run.stderr) == (0, "ACCEPTED!! score=1 j=1 m=0 bytes=20\n", "")


def test_a_wrong_answer_prints_where(files):
    run = kumi(*files(WRONG))
    assert run.returncode == 1
    assert run.stdout == "1 value(s) correct, but 1 value(s) mismatch\n"
    assert "error[K6106]: value [1] is wrong" in run.stderr
    assert "d getd $ln0n0c0b0m0p0 1" in run.stderr
    assert "required: 4 atol=1e-05 rtol=0" in run.stderr


def test_json(files):
    run = kumi(*files(WRONG), "--json")
    assert run.returncode == 1
    verdict = json.loads(run.stdout)
    assert verdict["ok"] is False and verdict["wrong"] == 1 and verdict["compared"] == 2
    (mismatch,) = verdict["mismatches"]
    assert (mismatch["index"], mismatch["seen"], mismatch["expected"], mismatch["line"]) == ([1], 0, 4, 7)


def test_faults_of_the_files(files):
    bad_answer = kumi(*files("fvadd $lm0 $ln0\n"))
    assert bad_answer.returncode == 1 and "answer.vsm:1" in bad_answer.stderr and bad_answer.stdout == ""
    bad_testcase = kumi(*files(RIGHT, TESTCASE.replace("4.0]", "4.0")))
    assert bad_testcase.returncode == 1 and "testcase.vsm:7" in bad_testcase.stderr
    assert kumi("nowhere.vsm", "nowhere.vsm").returncode == 1
    assert kumi("only_one.vsm").returncode == 2


def test_the_python_function(files):
    verdict = judge(TESTCASE, RIGHT)
    assert verdict["accepted"] and verdict["score"] == 1 and verdict["cost"]["cycles"] == 4
    assert not judge_files(*files(WRONG))["accepted"]
    assert judge(TESTCASE, 'imm i"0" $lr0\niinc $lr0 $ls0\n' + RIGHT)["refusals"][0]["code"] == "K3202"
    with pytest.raises(Error) as error:
        judge("", RIGHT, testcase_file="empty.vsm")
    assert error.value.code == "K6101"
    with pytest.raises(Error):
        judge(TESTCASE, RIGHT, no_such_option=1)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "t.vsm").write_bytes(TESTCASE.encode().replace(b"Out(0)", b"\xff\xfe\x80"))
    (tmp_path / "a.vsm").write_bytes(RIGHT.encode())
    run = kumi(tmp_path / "t.vsm", tmp_path / "a.vsm", "--json")
    assert run.returncode in (0, 1) and json.loads(run.stdout)
