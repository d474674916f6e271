"""The contract of `kumi`: exit codes (0 yes, 1 the input is at fault, 2 usage, 3 internal fault), --json, files that are
written whole or not at all, bad input of every kind, and that it starts quickly."""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np
import pytest
from attention_support import EXAMPLE, SIZES

KUMI = os.environ.get("KUMI") or shutil.which("kumi")
VSM = 'imm f"1.5" $lr0v\nnop/2\nd getf $lr0n0c0b0m0p0 1\n'
DUMP = "DEBUG-GREG0(n0c0b0m0p0,0):(1.5, 1.5) (0x3fc00000, 0x3fc00000) #d getf $lr0n0c0b0m0p0 1\n"
BAD_VSM = 'imm f"1.5" $lr0v\nfrobnicate $lr0v\n'
LEIR = """leir 1 target=mncore2/1
func @main {
  %0 = tensor() {dtype="half", layout="(64)/((16_MAB:1, 4_W:1))", location="DRAM", name="x", role="input", shape=[64]}
  %1 = distribute_download(%0)
  %2 = output(%1) {name="y"}
}
"""
COMMANDS = ["asm", "lint", "emu", "check", "lower", "cost", "run", "verify", "explain", "layout", "describe"]
FILE_COMMANDS = ["asm", "lint", "emu", "check", "lower", "cost", "run", "verify"]


@pytest.fixture(autouse=True)
def needs_kumi():
    if KUMI is None:
        pytest.fail("no kumi binary: set KUMI or put it on PATH")


def kumi(*args, stdin=None, timeout=120):
    return subprocess.run(
        [KUMI, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=timeout, errors="replace"
    )


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# ---- yes -------------------------------------------------------------------------------------------------------------


def test_asm_prints_canonical_text(tmp_path):
    path = write(tmp_path, "a.vsm", '  imm   f"1.5"  $lr0v   # a comment\n\nnop/2\n')
    done = kumi("asm", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, 'imm f"1.5" $lr0v\nnop/2\n', "")
    assert kumi("asm", "-", stdin=done.stdout).stdout == done.stdout
    assert json.loads(kumi("asm", path, "--json").stdout) == {"ok": True, "text": done.stdout}


def test_emu_prints_dumps_and_stats(tmp_path):
    path = write(tmp_path, "a.vsm", VSM)
    done = kumi("emu", path)
    assert (done.returncode, done.stdout, done.stderr) == (0, DUMP, "")
    assert kumi("emu", "-", stdin=VSM).stdout == DUMP
    with_stats = kumi("emu", path, "--stats", "--strict")
    assert with_stats.stdout == DUMP and re.search(r"steps 3\b.*cycles 12\b", with_stats.stderr)
    to_file = kumi("emu", path, "-d", tmp_path / "out.dump", "--machine", "mncore2-tiny")
    assert (to_file.returncode, to_file.stdout) == (0, "")
    assert (tmp_path / "out.dump").read_text() == DUMP
    data = json.loads(kumi("emu", path, "--json").stdout)
    assert data["ok"] and data["dumps"] == [DUMP.rstrip("\n")] and data["steps"] == 3 and data["findings"] == []


def test_lint_says_which_rule(tmp_path):
    assert kumi("lint", write(tmp_path, "good.vsm", VSM)).returncode == 0
    bad = write(tmp_path, "bad.vsm", 'imm f"1" $lr0v\nlpassa $lr0v $ls0v\n')
    done = kumi("lint", bad)
    assert done.returncode == 1 and re.search(r"K3\d{3}", done.stderr) and "bad.vsm:2" in done.stderr
    data = json.loads(kumi("lint", bad, "--json").stdout)
    assert not data["ok"] and data["lint"]["errors"] >= 1


def test_program_commands(tmp_path):
    path = write(tmp_path, "p.leir", LEIR)
    check = kumi("check", path)
    assert check.returncode == 0 and "3 nodes" in check.stdout
    assert kumi("check", path, "--print").stdout == LEIR
    data = json.loads(kumi("check", path, "--json").stdout)
    assert data["ok"] and data["nodes"] == 3 and data["leir"] == LEIR
    lower = kumi("lower", path)
    assert lower.returncode == 0 and kumi("asm", "-", stdin=lower.stdout).returncode == 0
    assert re.search(r"\d+ steps, \d+ cycles", lower.stderr)
    cost = json.loads(kumi("cost", path, "--json").stdout)
    assert cost["ok"] and cost["report"] == json.loads(kumi("lower", path, "--json").stdout)["report"]
    values = np.arange(64, dtype=np.float32)
    np.save(tmp_path / "x.npy", values)
    run = kumi("run", path, "--input", f"x={tmp_path / 'x.npy'}", "-o", tmp_path / "out")
    assert run.returncode == 0, run.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "y.npy"), values)
    verify = kumi("verify", path, "--json")
    assert verify.returncode == 0 and json.loads(verify.stdout)["comparison"]["bit_identical"]


def test_python_programs_and_their_arguments():
    size = ["--arg", "heads=12", "--arg", "kv_heads=12", "--arg", "head_dim=32"]
    for program in (EXAMPLE, f"{EXAMPLE}:attention_scores"):
        done = kumi("check", program, *size, "--json")
        assert done.returncode == 0, done.stderr
        assert "(12,1,64,32)" in json.loads(done.stdout)["leir"]


def test_what_lower_with_data_writes_is_what_emu_reads(tmp_path):
    path = write(tmp_path, "p.leir", LEIR)
    np.save(tmp_path / "x.npy", np.full(64, 2.0, np.float32))
    text = kumi("lower", path, "--with-data", "--input", f"x={tmp_path / 'x.npy'}")
    assert text.returncode == 0, text.stderr
    done = kumi("emu", "-", "--strict", stdin=text.stdout)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("DEBUG-")]
    assert lines and all("(2, 2, 2, 2) (0x4000, 0x4000, 0x4000, 0x4000)" in line for line in lines)


def test_knowledge_commands():
    done = kumi("explain", "K1002")
    assert done.returncode == 0 and "layout_unknown_axis" in done.stdout
    assert json.loads(kumi("explain", "layout_unknown_axis", "--json").stdout)["code"] == "K1002"
    layout = kumi("layout", "(64)/((16_MAB, 4_W))", "--index", "5")
    assert layout.returncode == 0 and "(64)/((16_MAB:1, 4_W:1); B@[L2B, L1B, PE])" in layout.stdout
    for table in ("ops", "insns", "axes", "locations", "variants", "machine", "diagnostics", "functions"):
        done = kumi("describe", table, "--json")
        assert done.returncode == 0 and json.loads(done.stdout), table


def test_version_and_help():
    assert re.fullmatch(r"kumi \d+\.\d+\.\d+\n", kumi("--version").stdout)
    help_text = kumi("--help")
    assert help_text.returncode == 0
    for command in COMMANDS:
        assert re.search(rf"^  {command}\b", help_text.stdout, re.MULTILINE), command
        assert kumi(command, "--help").returncode == 0


# ---- usage -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["frobnicate"],
        ["asm"],
        ["asm", "a", "b"],
        ["emu", "--poison"],
        ["emu", "x.vsm", "--frob"],
        ["emu", "x.vsm", "--threads", "many"],
        ["asm", "x.vsm", "--emit", "poems"],
        ["lower", "p.leir", "--set", "seed"],
        ["check", "p.leir", "--arg", "heads=9"],
        ["layout", "(4)/((4_W:1))", "--index", "one"],
    ],
    ids=" ".join,
)
def test_usage_is_2(args, tmp_path, monkeypatch):
    write(tmp_path, "p.leir", LEIR)
    monkeypatch.chdir(tmp_path)
    done = kumi(*args)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == "" and done.stderr


# ---- the input is at fault -------------------------------------------------------------------------------------------


def refused(*args, stdin=None, json_too=True):
    """Exit 1, nothing on stdout, a diagnostic on stderr; with --json the same in an object."""
    done = kumi(*args, stdin=stdin)
    assert done.returncode == 1, (done.returncode, done.stdout[:500], done.stderr[:2000])
    assert done.stdout == "" and done.stderr.startswith("error"), done.stderr[:500]
    assert "Traceback" not in done.stderr and "terminate called" not in done.stderr
    if json_too:
        as_json = kumi(*args, "--json", stdin=stdin)
        assert as_json.returncode == 1 and as_json.stderr == ""
        data = json.loads(as_json.stdout)
        assert data["ok"] is False and data["error"]["headline"] in done.stderr
    return done.stderr


@pytest.mark.parametrize("command", FILE_COMMANDS)
@pytest.mark.parametrize("suffix", [".vsm", ".leir", ".py"])
def test_bad_files(command, suffix, tmp_path):
    takes_programs = command in ("check", "lower", "cost", "run", "verify")
    if takes_programs != (suffix != ".vsm"):
        pytest.skip("another kind of file")
    missing = tmp_path / f"missing{suffix}"
    assert str(missing) in refused(command, missing)
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert "folder" in refused(command, folder)
    refused(command, write(tmp_path, f"garbage{suffix}", bytes(range(256)) * 64))
    refused(command, write(tmp_path, f"nul{suffix}", b"\0" * 1000))
    refused(command, write(tmp_path, f"long{suffix}", b"x" * 5_000_000))
    refused(command, write(tmp_path, f"deep{suffix}", b"(" * 100_000))
    refused(command, write(tmp_path, f"latin1{suffix}", b"\xe4\xf6\xfc = \xff"))
    if suffix != ".vsm":
        refused(command, write(tmp_path, f"empty{suffix}", b""))
    if os.geteuid() != 0:
        secret = write(tmp_path, f"secret{suffix}", b"nop\n")
        secret.chmod(0)
        refused(command, secret)


@pytest.mark.parametrize("command", ["asm", "lint", "emu"])
def test_bad_assembly_has_positions(command, tmp_path):
    path = write(tmp_path, "bad.vsm", BAD_VSM)
    text = refused(command, path)
    assert f"{path}:2:1" in text and "frobnicate" in text
    assert "<stdin>:2:1" in refused(command, "-", stdin=BAD_VSM)


def test_an_empty_assembly_file_is_an_empty_program():
    for command in ("asm", "lint", "emu"):
        assert kumi(command, "-", stdin="").returncode == 0


def test_bad_programs(tmp_path):
    assert "version 2" in refused("check", write(tmp_path, "v2.leir", LEIR.replace("leir 1", "leir 2")))
    text = refused("check", write(tmp_path, "op.leir", LEIR.replace("= distribute_", "= distribuite_")))
    assert "op.leir:4" in text and "distribute_download" in text
    twice = LEIR.replace(
        "  %1 =",
        '  %3 = tensor() {dtype="half", layout="(64)/((16_MAB:1, 4_W:1))", location="DRAM", name="x", shape=[64]}\n  %1 =',
    )
    assert "two tensors with the name x" in refused("check", write(tmp_path, "twice.leir", twice))
    region = LEIR.replace("%1 = distribute_download(%0)", "%1 = distribute_download(%0) region {\n do\n }")
    assert "no regions" in refused("check", write(tmp_path, "region.leir", region))
    raises = write(tmp_path, "raises.py", "def f():\n    return 1 / 0\n\n\nf()\n")
    text = refused("check", raises)
    assert "ZeroDivisionError" in text and "raises.py:2" in text
    refused("check", write(tmp_path, "exits.py", "import sys\nsys.exit(5)\n"))
    refused("check", f"{EXAMPLE}:no_such_function")
    refused("check", EXAMPLE, "--arg", "no_such_parameter=3")
    refused("check", EXAMPLE, "--arg", "heads=nine")
    noisy = write(tmp_path, "noisy.py", "print('{}')\n" + EXAMPLE.read_text())
    done = kumi("check", noisy, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["ok"] and done.stderr == "{}\n"


def test_bad_values(tmp_path):
    path = write(tmp_path, "p.leir", LEIR)
    assert "no value" in refused("run", path)
    refused("run", path, "--input", "x")
    refused("run", path, "--input", f"x={tmp_path / 'missing.npy'}")
    refused("run", path, "--input", f"x={write(tmp_path, 'garbage.npy', bytes(range(256)))}")
    np.save(tmp_path / "short.npy", np.zeros(63))
    refused("run", path, "--input", f"x={tmp_path / 'short.npy'}")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    refused("run", path, "--input", f"x={tmp_path / 'objects.npy'}")
    np.save(tmp_path / "x.npy", np.zeros(64))
    refused("run", path, "--input", f"x={tmp_path / 'x.npy'}", "--input", f"z={tmp_path / 'x.npy'}")


def test_bad_options(tmp_path):
    path = write(tmp_path, "a.vsm", VSM)
    refused("emu", path, "--machine", "mncore3")
    refused("emu", path, "--poison", "xyz")
    refused("emu", path, "--poison", "1" * 17)
    refused("emu", path, "--threads", "-1")
    refused("lint", path, "--profile", "strictest")
    refused("explain", "K0000")
    refused("layout", "(64)/((16_MAP:1, 4_W:1))")
    refused("layout", "(64)/((16_MAB:1, 4_W:1))", "--index", "64")
    refused("layout", "(64)/((16_MAB:1, 4_W:1))", "--target", "mncore9")
    refused("describe", "poems")
    program = write(tmp_path, "p.leir", LEIR)
    assert "seeds" in refused("lower", program, "--set", "seeds=3")
    refused("lower", program, "--set", "seed=three")
    refused("lower", program, "--set", "evaluations=99999999999")


# ---- output files ----------------------------------------------------------------------------------------------------


def test_output_files_are_whole_or_not_at_all(tmp_path):
    path, out = write(tmp_path, "a.vsm", VSM), tmp_path / "out.vsm"
    out.write_text("old\n")
    refused("asm", write(tmp_path, "bad.vsm", BAD_VSM), "-o", out)
    assert out.read_text() == "old\n"
    assert kumi("asm", path, "-o", out).returncode == 0
    assert out.read_text() == kumi("asm", path).stdout
    refused("asm", path, "-o", tmp_path / "no" / "such" / "folder.vsm")
    (tmp_path / "folder").mkdir()
    refused("asm", path, "-o", tmp_path / "folder")
    # Nothing half-written is left beside the files.
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.vsm", "bad.vsm", "folder", "out.vsm"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_said(tmp_path):
    path = write(tmp_path, "a.vsm", VSM)
    refused("asm", path, "-o", "/dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([KUMI, "asm", str(path)], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode != 0


def test_a_closed_pipe_ends_quietly(tmp_path):
    path = write(tmp_path, "a.vsm", "nop\n" * 200_000)
    process = subprocess.Popen([KUMI, "asm", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    assert b"terminate" not in process.stderr.read()
    process.wait(timeout=60)


# ---- time ------------------------------------------------------------------------------------------------------------


def milliseconds(*args, times=9):
    took = []
    for _ in range(times):
        begun = time.perf_counter()
        assert kumi(*args).returncode == 0
        took.append(1e3 * (time.perf_counter() - begun))
    return statistics.median(took)


def test_it_starts_quickly():
    """Real figures are in bench/; these limits leave room for a machine under load."""
    assert milliseconds("--version") < 200
    assert milliseconds("check", EXAMPLE, times=5) < 1000


def test_the_child_is_the_python_of_the_installation():
    """KUMI_PYTHON decides; a Python without the package is an error that says so, not a crash."""
    env = {**os.environ, "KUMI_PYTHON": "/nonexistent/python"}
    done = subprocess.run([KUMI, "check", str(EXAMPLE)], capture_output=True, text=True, env=env)
    assert done.returncode in (1, 3) and "/nonexistent/python" in done.stderr
    env["KUMI_PYTHON"] = sys.executable
    env.pop("PYTHONPATH", None)
    done = subprocess.run(
        [KUMI, "check", str(EXAMPLE)],
        capture_output=True,
        text=True,
        env={**env, "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )
    assert done.returncode == 0, done.stderr
    assert SIZES[0] == (9, 3, 64, 64)
