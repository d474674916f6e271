"""kumi emu and inputs that make much: MVs longer than the machine are refused, long dumps take no memory."""

import json
import os
import shutil
import subprocess
import sys

import pytest

KUMI = os.environ.get("KUMI") or shutil.which("kumi")


def emu(text):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    return subprocess.run(
        [os.path.abspath(KUMI), "emu", "--json", "-"], input=text, text=True, capture_output=True, timeout=20
    )


@pytest.mark.parametrize(
    "line",
    [
        "mvd/n536870912i01 $p0@0 $d0",  # PDM holds 512 Ki long words (ISA 1.2)
        "mvb4/n536870912i01 $d0 $lc0",
        "mvb/n536870912i01 $d0 $lc0",
        "mvp/n536870912i01 $d0@0 $p0@1",
        "mvp/n524352 $p0@0 $d0@0",  # one unit of 64 more than PDM
    ],
)
def test_an_mv_longer_than_its_memory_is_refused_with_its_line(line):
    done = emu("nop\n" + line + "\n")
    assert done.returncode == 1
    text = done.stdout + done.stderr
    assert "K3107" in text and "larger than its memory" in text
    assert ":2:" in text or '"line":2' in text


def test_an_mv_as_long_as_its_memory_runs():
    done = emu("mvp/n524288 $p0@0 $d0@0\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["mv"] == 1


# ---- long dumps ------------------------------------------------------------------------------------------------------


def run_measured(*arguments, text):
    """Output lines (their number and the last), and the peak of resident memory in MiB."""
    code = (
        "import resource, subprocess, sys\n"
        "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
        "p.stdin.write(sys.stdin.read()); p.stdin.close()\n"
        "n, last = 0, ''\n"
        "for last in p.stdout: n += 1\n"
        "print(p.wait(), n, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, last, sep='\\n', end='')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, os.path.abspath(KUMI), "emu", *arguments],
        input=text,
        text=True,
        capture_output=True,
    )
    status, lines, mib, *last = done.stdout.split("\n")
    assert int(status) == 0, done.stderr
    return int(lines), int(mib), last[0]


def test_a_dump_longer_than_memory_takes_none():
    # 2^29 long words are in one DRAM; a million lines show that they are not kept (each would take over 100 bytes).
    lines, mib, last = run_measured("-", text="d getd $d536000000n3 800000\n")
    assert lines == 800000 and last.startswith("DEBUG-DRAM(n3,536799999):(0) (0x0000000000000000) #d getd ")
    assert mib < 60


def test_one_json_object_does_not_hold_everything(tmp_path):
    text = "d getd $d0n0 1000001\n"
    done = emu(text)
    assert done.returncode == 1
    error = json.loads(done.stdout)["error"]
    assert "1000000 dump lines" in error["headline"] and "--dump" in error["required"]
    out = tmp_path / "dump.txt"
    subprocess.run([os.path.abspath(KUMI), "emu", "--json", "-d", str(out), "-"], input=text, text=True, check=True)
    with out.open() as f:
        assert sum(1 for _ in f) == 1000001
    assert [p.name for p in tmp_path.iterdir()] == ["dump.txt"]


def test_a_dump_file_is_whole_or_not_there(tmp_path):
    out = tmp_path / "dump.txt"
    done = subprocess.run(
        [os.path.abspath(KUMI), "emu", "--machine", "mncore2-tiny", "-d", str(out), "-"],
        input="d getd $lm0 20\nmvp/n64 $d0@3 $p0@3\n",
        text=True,
        capture_output=True,
    )
    assert done.returncode == 1 and "K4002" in done.stderr
    assert list(tmp_path.iterdir()) == []


# ---- resident memory -------------------------------------------------------------------------------------------------


def everything():
    """A program that writes every word of LM, GRF, T, mask and matrix registers, L1BM and L2BM of every unit."""
    sizes = {"m": 4096, "n": 4096, "r": 512, "s": 512}
    lines = [f"lpassa $peid $l{mem}{at}v" for mem, words in sizes.items() for at in range(0, words, 8)]
    lines += ["lpassa $peid $t", *(f"spassa $t $omr{k}" for k in range(1, 16))]
    lines += ["nop/2", "fvmul $lm0v $ln0v $lr0v", "hbfn/9 $lm0v $ls0v", "nop"]
    lines += [f"hmwrite $ls0v $l{side}{row}" for side in "xy" for row in range(0, 16, 4)]
    lines += ["hmmul $lx $ls0v $llr0v", "nop", "hmread $lly0 $llr0v"]
    lines += [f"l1bmd $lm0v $lb{at}" for at in range(0, 8192, 256)]
    lines += [f"l2bmd $lb{at % 8192} $lc{8 * at}" for at in range(0, 4096, 32)]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("options", [(), ("--path", "scalar"), ("--poison", "ff"), ("--threads", "2")])
def test_a_program_that_touches_every_pe_stays_below_200_mib(options):
    looks = "d getd $lc32767n3c1 1\nd getd $lm4094n3c1b7m15p3 1\n"
    lines, mib, last = run_measured(*options, "-", text=everything() + looks)
    assert lines == 2 and "LM0(n3c1b7m15p3,4094):" in last and "(0x000000000000003f)" in last  # $peid: 4 * 15 + 3
    assert mib <= 200
