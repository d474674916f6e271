"""Every option of `kumi emu`, with expected values from elsewhere: the independent model, NumPy, numbers worked out by
hand, laws. What looks into the run (trace, two poisons, divergence, checkpoints) is tried on every path of the host."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mncore2_model import Machine
from mncore2_model.genprog import generate

KUMI = os.environ.get("KUMI") or shutil.which("kumi")


def emu(*args, text=None, folder=None, code=0):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    command = [os.path.abspath(KUMI), "emu", *map(str, args), *(["-"] if text is not None else [])]
    done = subprocess.run(command, input=text, text=True, capture_output=True, cwd=folder, timeout=300)
    assert done.returncode == code, done.stderr
    return done


def tiny(*args, **how):
    return emu("--machine", "mncore2-tiny", "--threads", 1, *args, **how)


def available():
    """Paths that this processor has; the others are refused, which is tried below."""
    if not KUMI:
        return ["scalar"]
    run = [os.path.abspath(KUMI), "emu", "--machine", "mncore2-tiny", "-", "--path"]
    return [
        p
        for p in ("scalar", "avx2", "avx512")
        if subprocess.run([*run, p], input="nop\n", text=True, capture_output=True).returncode == 0
    ]


PATHS = available()
on_every_path = pytest.mark.parametrize("path", PATHS)


def bits(values):
    return np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)


# ---- the machine -----------------------------------------------------------------------------------------------------


def test_scalar_is_always_there_and_a_wrong_path_is_refused():
    assert "scalar" in PATHS
    tiny("--path", "sse", text="nop\n", code=2)
    for path in {"avx2", "avx512"} - set(PATHS):
        assert "K40" in tiny("--path", path, text="nop\n", code=1).stderr


@pytest.mark.parametrize(("machine", "shape"), [("mncore2", (4, 2, 8)), ("mncore2-tiny", (1, 1, 2))])
def test_machine(machine, shape):
    """ISA 1.1: the units in nested order; their numbers (ISA 3.2): $peid counts 0 to 63 in each L1B."""
    lines = emu("--machine", machine, text="lpassa $peid $lr0\nd getd $lr0 1\n").stdout.splitlines()
    expected = [
        f"n{g}c{s}b{b}m{m}p{p},0):%0x{4 * m + p:016x}"
        for g in range(shape[0])
        for s in range(shape[1])
        for b in range(shape[2])
        for m in range(16)
        for p in range(4)
    ]
    seen = [re.sub(r"DEBUG-GREG0\((.*?):\(.*\((0x.*?)\).*", r"\1:%\2", line) for line in lines]
    assert seen == expected
    assert "mncore3" in emu("--machine", "mncore3", text="nop\n", code=1).stderr


@pytest.mark.parametrize("seed", [301, 302, 303])
@pytest.mark.parametrize("threads", [0, 1, 2, 5])
def test_threads(seed, threads):
    program = generate(seed, "all")
    assert emu("--machine", "mncore2-tiny", "--threads", threads, text=program).stdout.splitlines() == Machine().run(
        program
    )


@on_every_path
@pytest.mark.parametrize("seed", range(310, 316))
def test_path(path, seed):
    program = generate(seed, "all")
    assert tiny("--path", path, text=program).stdout.splitlines() == Machine().run(program)


def test_poison():
    places = ("$lm6", "$ln6", "$lr6", "$ls6", "$lb7", "$lc7", "$d7", "$p7", "$lt", "$lx0")
    text = "".join(f"d getd {place}n0 1\n" for place in places)
    for poison, word in (("123456789abcdef", "0x0123456789abcdef"), ("0xff", "0x00000000000000ff")):
        found = set(re.findall(r"0x[0-9a-f]{16}", tiny("--poison", poison, text=text).stdout))
        assert found == {word}
    assert set(re.findall(r"0x[0-9a-f]{16}", tiny(text=text).stdout)) == {"0x" + "0" * 16}
    assert "16 hex digits" in tiny("--poison", "xyz", text="nop\n", code=1).stderr


# ---- input and output ------------------------------------------------------------------------------------------------


def test_files_objects_and_json(tmp_path):
    program = generate(320)
    expected = Machine().run(program)
    (tmp_path / "p.vsm").write_text(program)
    subprocess.run([os.path.abspath(KUMI), "asm", "p.vsm", "--emit", "obj", "-o", "p.obj"], cwd=tmp_path, check=True)
    for name in ("p.vsm", "p.obj"):
        assert tiny(name, folder=tmp_path).stdout.splitlines() == expected
    done = tiny("p.vsm", "-d", "out.txt", folder=tmp_path)
    assert done.stdout == "" and (tmp_path / "out.txt").read_text().splitlines() == expected
    result = json.loads(tiny("--json", "p.vsm", folder=tmp_path).stdout)
    assert result["dumps"] == expected and result["ok"] and result["ended"] and result["findings"] == []
    result = json.loads(tiny("--json", "p.vsm", "--dump", "out2.txt", folder=tmp_path).stdout)
    assert "dumps" not in result and (tmp_path / "out2.txt").read_text().splitlines() == expected


# ---- time ------------------------------------------------------------------------------------------------------------


def test_stats():
    """Steps by hand: 1 + 3 + 1 + 1 PE words, two MVs; four cycles a step (ISA 1.3, 1.5)."""
    text = (
        'imm i"1" $lr0\nnop/3\nmvp/n64 $d0@0 $p0@0\nmvp/n64 $d64@0 $p64@0\nlinc $lr0 $lm0; fvadd $lr0 $lr0 $ln0\nnop\n'
    )
    first, *rest = tiny("--stats", text=text).stderr.splitlines()
    numbers = dict(re.findall(r"(steps|MV|words|cycles|stalls) +(\d+)", first))
    assert (numbers["steps"], numbers["MV"], numbers["words"]) == ("6", "2", "8")
    result = json.loads(tiny("--json", text=text).stdout)["cost"]
    assert result["stall_cycles"] == int(numbers["stalls"])
    # Packing adds nops: three PE words and one MV to a group (ISA 1.5).
    assert int(numbers["cycles"]) == 4 * (6 + result["packing_steps"]) + int(numbers["stalls"])
    table = "\n".join(rest)
    assert result["packing_steps"] == 3
    assert re.search(r"ALU +2 steps +22\.2 %", table) and re.search(r"MAU +1 steps +11\.1 %", table)  # of nine steps


# ---- data that nobody wrote ------------------------------------------------------------------------------------------

# A line that computes on the unwritten $ls0, and whether what it stores depends on that.
DEPENDS = [
    ("ladd $lr0 $ls0 $lm0", True),
    ("land $lr0 $ls0 $lm0", True),  # one bit of it is seen
    ("lxor $ls0 $ls0 $lm0", False),  # x ^ x
    ("lsub $ls0 $ls0 $lm0", False),
    ("land $lr2 $ls0 $lm0", False),  # and with zero
    ("fvmul $lr2 $ls0 $lm0", False),  # 0 * x = 0: no pattern of the two is an infinity
    ("fvfma $lr4 $ls0 $lr4 $lm0", True),
    ("lpassa $ls0 $lm0/0000", False),  # nothing is written
    ("hvadd $ls0 $llr4 $llm0", True),
]
SETUP = 'd set $llm0 1 00000000000000000000000000000000\nimm i"1" $lr0\nimm i"0" $lr2\nimm f"1.5" $llr4\nnop/2\n'


@on_every_path
def test_two_poisons(path):
    for line, depends in DEPENDS:
        text = SETUP + line + "\nnop/2\nd get $lm0n0c0b0m0p0 1\n"
        done = tiny("--two-poisons", "--path", path, text=text, code=int(depends))
        assert ("K4019" in done.stderr) == depends, line
        if depends:
            assert f"<stdin>:{text.count(chr(10))}:" in done.stderr  # the `d get`


def test_strict():
    clean = 'imm i"1" $lr0\nnop/2\nlinc $lr0 $lm0\nnop/2\nd get $lm0n0c0b0m0p0 1\n'
    assert tiny("--strict", text=clean).stderr == ""
    for text, code in (
        (clean.replace("$lr0 $lm0", "$lr2 $lm0"), "K4014"),  # what is printed was never written
        (clean.replace("nop/2\nlinc", "linc"), "K3202"),  # read before the write is over
        ("lpassa $ls0 $lmb\nnop/2\nlpassa $lm0 $lr0\n", "K4010"),  # an address
        # a reduction of which some members are undefined
        ("d set $lr0n0c0b0m3 4 " + 64 * "1" + "\nl1bmrliadd $lr0v $lb0\n", "K4013"),
    ):
        done = tiny("--strict", text=text, code=1)
        assert code in done.stderr, done.stderr
    # Without strict nothing of it is said.
    assert tiny(text=clean.replace("$lr0 $lm0", "$lr2 $lm0")).stderr == ""


# ---- trace -----------------------------------------------------------------------------------------------------------


def fma_program():
    """x * y + z on four long words of singles in each PE, values that no rounding touches."""
    rng = np.random.default_rng(9)
    x, y, z = (rng.integers(-60, 60, (3, 8)) / 4).astype(np.float32)
    z[0] = np.float32(-x[0] * y[0])  # one result is zero, so its word does not change
    lines = []
    for mem, values in (("m", x), ("n", y), ("r", z)):
        words = bits(values).reshape(4, 2)
        lines.append(f"d set $l{mem}0 4 " + "".join(f"{int(a) << 32 | int(b):016x}" for a, b in words))
    lines += ["fvfma $lm0v $ln0v $lr0v $ls0v", "nop/2", "lpassa $ls0v $ls16v"]
    out = bits(x.astype(np.float64) * y + z).reshape(4, 2)
    return "\n".join(lines) + "\n", [int(a) << 32 | int(b) for a, b in out]


@on_every_path
def test_trace(path, tmp_path):
    text, expected = fma_program()
    (tmp_path / "p.vsm").write_text(text)
    selection = ("--trace", "GRF1@n0c0b1m7p2", "--path", path)
    tiny("p.vsm", *selection, "--trace-format", "jsonl", "--trace-output", "t.jsonl", folder=tmp_path)
    events = [json.loads(line) for line in (tmp_path / "t.jsonl").read_text().splitlines()]
    assert [(e["step"], e["source"]["line"]) for e in events] == [(0, 4), (3, 6)]
    for first, event in zip((0, 16), events, strict=True):
        assert [(c["address"], int(c["after"], 16)) for c in event["changes"]] == [
            (first + 2 * k, word) for k, word in enumerate(expected) if word != 0
        ]
        assert {c["unit"] for c in event["changes"]} == {"n0c0b1m7p2"}
        assert {c["before"] for c in event["changes"]} == {"0x" + "0" * 16}
    # The text form says the same, on stderr.
    shown = re.findall(
        r"GREG1\(n0c0b1m7p2,(\d+)\): 0x0{16} -> 0x([0-9a-f]{16})", tiny("p.vsm", *selection, folder=tmp_path).stderr
    )
    assert [(int(a), int(w, 16)) for a, w in shown] == [
        (c["address"], int(c["after"], 16)) for e in events for c in e["changes"]
    ]
    limited = tiny("p.vsm", *selection, "--trace-limit", 3, folder=tmp_path).stderr
    changed = sum(word != 0 for word in expected)
    assert len(re.findall("->", limited)) == 3 and f"{2 * changed - 3} more changed words" in limited


@on_every_path
def test_a_trace_replays_to_what_the_model_dumps(path, tmp_path):
    """Starting from zero, the traced changes of LM and GRF lead to the words of the model's last dumps."""
    for seed in (330, 331):
        program = "\n".join(x for x in generate(seed).splitlines() if not x.startswith("d get"))
        (tmp_path / "p.vsm").write_text(program + "\n")
        tiny(
            "p.vsm", "--path", path, "--trace", "LM0[0:128], LM1[0:128], GRF0, GRF1", "--trace-limit", 10**9,
            "--trace-format", "jsonl", "--trace-output", "t.jsonl", folder=tmp_path,
        )  # fmt: skip
        words = {}
        for line in (tmp_path / "t.jsonl").read_text().splitlines():
            for c in json.loads(line)["changes"]:
                assert words.get(c["place"], "0x" + "0" * 16) == c["before"]
                words[c["place"]] = c["after"]
        assert len(words) > 500
        dumps = "mask 0\n" + "".join(f"d getd ${m}0 64\n" for m in ("lm", "ln", "lr", "ls"))
        compared = 0
        for line in Machine().run(program + "\n" + dumps):
            place, word = re.match(r"DEBUG-(\S+\)):.*\((0x[0-9a-f]{16})\)", line).groups()
            assert words.get(place, "0x" + "0" * 16) == word, place
            compared += 1
        assert compared == 4 * 64 * 128


# ---- parts of a run --------------------------------------------------------------------------------------------------


@on_every_path
@pytest.mark.parametrize("seed", [340, 341])
def test_checkpoint_and_resume(path, seed, tmp_path):
    """Head and tail print what the model prints in one run, and the tail may run on another path."""
    program = generate(seed, "all")
    expected = Machine().run(program)
    (tmp_path / "p.vsm").write_text(program)
    steps = json.loads(tiny("--json", "p.vsm", folder=tmp_path).stdout)["steps"]
    for at in (0, steps // 3, steps - 1):
        head = tiny("p.vsm", "--path", path, "--checkpoint", "s", "--at", at, "--until", at, folder=tmp_path).stdout
        tail = tiny("p.vsm", "--path", PATHS[-1], "--resume", "s", folder=tmp_path).stdout
        assert (head + tail).splitlines() == expected
    # --until counts from the beginning of the program; so does a resumed run.
    part = json.loads(tiny("--json", "p.vsm", "--resume", "s", "--until", steps, folder=tmp_path).stdout)
    assert (part["step"], part["steps"]) == (steps, 1)
    # Without --at the state is that of the end: nothing is left to do.
    tiny("p.vsm", "--checkpoint", "end", folder=tmp_path)
    assert json.loads(tiny("--json", "p.vsm", "--resume", "end", folder=tmp_path).stdout)["steps"] == 0
    state = (tmp_path / "s").read_bytes()
    (tmp_path / "s").write_bytes(state[:-1] + bytes([state[-1] ^ 1]))
    assert "K4020" in tiny("p.vsm", "--resume", "s", folder=tmp_path, code=1).stderr
    tiny("p.vsm", "--at", 1, folder=tmp_path, code=2)
    tiny("p.vsm", "--resume", "end", "--until", 0, folder=tmp_path, code=2)


# ---- two runs --------------------------------------------------------------------------------------------------------


@on_every_path
def test_diverge(path, tmp_path):
    text, expected = fma_program()
    # The negated product differs in every PE wherever the product is not zero.
    other = text.replace("fvfma $lm0v", "fvfma -$lm0v")
    (tmp_path / "a.vsm").write_text(text)
    (tmp_path / "b.vsm").write_text("nop\n# one step later\n" + other)
    (tmp_path / "c.vsm").write_text(other)
    done = tiny("a.vsm", "--diverge", "c.vsm", "--path", path, "--select", "GRF1@pe70", folder=tmp_path, code=1)
    assert done.stdout.splitlines()[0] == "first difference in step 0"
    found = re.findall(r"GREG1\(n0c0b1m1p2,(\d+)\): 0x([0-9a-f]{16}) and", done.stdout)
    assert {(int(a), int(w, 16)) for a, w in found} <= {(2 * k, w) for k, w in enumerate(expected)} and found
    assert "a.vsm:4: fvfma $lm0v" in done.stdout and "c.vsm:4: fvfma -$lm0v" in done.stdout
    # The words that step 0 makes do not reach LM.
    same = tiny("a.vsm", "--diverge", "c.vsm", "--path", path, "--select", "LM0, LM1, GRF0", folder=tmp_path).stdout
    assert same.startswith("no difference: 4 and 4 steps")


@on_every_path
def test_a_path_does_not_diverge_from_the_scalar_one(path):
    for seed in (350, 351, 352):
        done = tiny("--path", path, "--diverge-with", "path=scalar", text=generate(seed, "all"))
        assert done.stdout.startswith("no difference")


@on_every_path
def test_diverge_with_another_poison(path):
    text = 'imm i"1" $lr0\nnop/2\nlinc $lr0 $lm0\nladd $lr0 $ls0 $lm2\n'
    done = tiny("--path", path, "--diverge-with", "poison=1", "--select", "LM0[0:4]@pe5", text=text, code=1)
    # Unwritten words of the selection are not looked at before a step writes near them; step 4 adds 0 and 1.
    assert "first difference in step 4" in done.stdout
    assert "LM0(n0c0b0m1p1,2): 0x0000000100000001 and 0x0000000100000002" in done.stdout


def test_diverge_by_marks(tmp_path):
    a = 'imm i"1" $lr0\n# mark loaded\nnop/2\nlinc $lr0 $lm0\n# mark summed\nnop\n'
    b = 'nop/5\nimm i"1" $lr0\n# mark loaded\nnop/2\nladd $msb1 $lr0 $lm0\n# mark summed\nnop\n'
    (tmp_path / "a.vsm").write_text(a)
    (tmp_path / "b.vsm").write_text(b)
    by_marks = ("a.vsm", "--diverge", "b.vsm", "--align", "marks")
    done = tiny(*by_marks, folder=tmp_path, code=1)
    assert "first difference at mark summed (steps 4 and 9)" in done.stdout
    assert "0x0000000100000002 and 0x8000000100000001" in done.stdout
    result = json.loads(tiny("--json", *by_marks, folder=tmp_path, code=1).stdout)
    assert result["mark"] == "summed" and result["step"] == [4, 9] and not result["ok"]
    (tmp_path / "b.vsm").write_text(b.replace("mark loaded", "mark lauded"))
    assert "same marks" in tiny(*by_marks, folder=tmp_path, code=1).stderr


def test_options_that_exclude_each_other():
    for args in (
        ("--diverge-with", "poison=1", "--trace", "LM0"),
        ("--diverge-with", "poison=1", "--two-poisons"),
        ("--diverge-with", "poison=1", "--checkpoint", "x"),
        ("--diverge-with", "poison=1", "--until", 3),
        ("--diverge-with", "poison"),
        ("--select", "LM0"),
        ("--at", 3),
        ("--trace-format", "xml"),
        ("--align", "lines"),
    ):
        tiny(*args, text="nop\n", code=2)


def test_every_option_is_tried_here():
    shown = subprocess.run([os.path.abspath(KUMI), "emu", "--help"], text=True, capture_output=True).stdout
    options = set(re.findall(r"--[a-z-]+", shown)) - {"--help"}
    here = Path(__file__).read_text(encoding="utf-8")
    assert len(options) > 15 and {o for o in options if f'"{o}"' not in here} == set()
