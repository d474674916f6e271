"""Wrong code is seen by the comparison that is meant to see it.

Two comparisons: the demo's (the emulated kernel against exact, strict mode, the linter) gets kernels with one wrong
word; the one with the independent Python model gets emulators with one wrong line of arithmetic, built in
tests/mutants. A mutant that nobody sees is a failing test.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
import test_model_directed
from attention_support import ROOT, SIZES, build, inputs

from kumihimo import Error, run
from mncore2_model import Machine, compare
from mncore2_model.genprog import generate

# ---- kernels with one wrong word, seen by the demo's comparison ------------------------------------------------------


@pytest.fixture(scope="module")
def demo():
    """The kernel and what it must give: (lowered, inputs, exact, lines of its text without comments)."""
    program = build(SIZES[0])
    tensors = run.pack_inputs(program, inputs(SIZES[0]))
    lowered = program.lower()
    lines = [line.split("#")[0].rstrip() for line in lowered.text.splitlines()]
    return lowered, tensors, run.exact(program, tensors), lines


def says_no(demo, lines):
    """What the demo's comparison finds wrong with these lines in place of the kernel's own; empty = nothing."""
    lowered, tensors, expected, _ = demo
    text = "\n".join(lines) + "\n"
    try:
        comparison = lowered.run_text(text, tensors).compare(expected)
        if not comparison.bit_identical:
            return [f"{comparison.mismatches} words differ"]
        done = lowered.run_text(text, tensors, strict=True, poison=0xA5A5_5A5A_C3C3_3C3C)
    except Error as e:
        return [f"refused: {e.code}"]
    out = [f"strict: {f.get('name')}" for f in done.report["findings"]]
    if done.report["undefined_words"]:
        out.append("undefined words in outputs")
    if not done.compare(expected).bit_identical:
        out.append("words differ under another poison")
    return out


def changed(lines, pattern, replacement, which=0):
    """The lines with one occurrence of a pattern replaced. The pattern must be there."""
    places = [i for i, line in enumerate(lines) if re.search(pattern, line)]
    assert len(places) > which, f"the kernel has no line like {pattern}"
    out = list(lines)
    out[places[which]] = re.sub(pattern, replacement, out[places[which]], count=1)
    assert out != list(lines)
    return out


def plus(n):
    """Replacement that raises the number in the second group."""
    return lambda m: m[1] + str(int(m[2]) + n)


def swapped(pattern):
    """Lines in which two different first groups of the pattern have changed places."""

    def change(lines):
        found = [(i, m) for i, line in enumerate(lines) if (m := re.search(pattern, line))]
        i, a = found[0]
        j, b = next((j, m) for j, m in found[1:] if m[1] != a[1])
        out = list(lines)
        out[i] = lines[i][: a.start(1)] + b[1] + lines[i][a.end(1) :]
        out[j] = lines[j][: b.start(1)] + a[1] + lines[j][b.end(1) :]
        return out

    return change


def test_the_kernel_itself_passes(demo):
    assert says_no(demo, demo[3]) == []


# Operands are named by what they are, not by the addresses that today's schedule gives them.
TRANSFERS = {
    "MV from another address": (r"^(mv\S* \$d)(\d+)", plus(16)),
    "MV to another address": (r"^(mv\S* \$d\d+ \$lc)(\d+)", plus(64)),
    "MV into the other half": (r"^(mvp/\S+ \$d\d+ \$lc\d+@)\.1", r"\1.0"),
    "l2bmd from each other's slots": swapped(r"l2bmd \$lc(\d+)"),
    "l2bmb from each other's rows": swapped(r"l2bmb \$lc(\d+)"),
    "l2bmb as l2bmd": (r"l2bmb \$lc0 ", "l2bmd $lc0 "),
    "l1bmd from each other's slots": swapped(r"l1bmd \$lb(\d+)"),
    "l1bmm from each other's rows": swapped(r"l1bmm \$llb(\d+)"),
    "maximum reduced as minimum": (r"l1bmrfmax", "l1bmrfmin"),
    "sum reduced as maximum": (r"l1bmrffadd", "l1bmrfmax"),
}
MASKS = {
    "mask inverted": (r"slnot \$lbf \$omr1", "spassa $lbf $omr1"),
    "mask not written": (r"slnot \$lbf \$omr1", "slnot $lbf $omr2"),
    "select without a mask": (r"/\$llimr1", ""),
    "select with another mask": (r"/\$llimr1", "/$llimr2"),
    "select in one of its rows": (r"/\$llimr1", "/1000"),
}
WORDS = {
    "another constant": (r'imm f"1\.44\d*"', 'imm f"1.45"'),
    "exponent shift": (r'imm i"23"', 'imm i"22"'),
    "addition for subtraction": (r"(fvadd \S+ )-", r"\1"),
    "a scale of one": (r"fvmul (\S+) \S+ ", r"fvadd \1 \1 "),
    "product for fma": (r"hmfma (\S+) (\S+) \S+ ", r"hmmul \1 \2 "),
    "the other matrix": (r"hmfma \$lx ", "hmfma $ly "),
    "maximum for minimum": (r"fmin ", "fmax "),
    "block conversion with one bit less": (r"hbfn/9 ", "hbfn/8 "),
    "floor left out": (r"ffloor (\S+) (\S+)", r"lpassa \1 \2"),
}


def _mutants():
    for group in (TRANSFERS, MASKS, WORDS):
        for name, change in group.items():
            yield pytest.param(change, id=name)


@pytest.mark.parametrize("change", _mutants())
def test_one_wrong_word_is_seen(demo, change):
    lines = change(demo[3]) if callable(change) else changed(demo[3], *change)
    assert says_no(demo, lines)


def gaps(lines):
    """Numbers of lines that wait for a value; nops beside MVs pack the instruction stream."""
    apart = re.compile(r"^mv|wait")
    return [
        i
        for i, line in enumerate(lines)
        if re.fullmatch(r"nop(/\d+)?", line) and not apart.search(lines[i - 1]) and not apart.search(lines[i + 1])
    ]


def test_every_dropped_gap_is_seen(demo):
    """The emulator has no clock: the strict comparison sees a gap through the linter."""
    lines = demo[3]
    assert len(gaps(lines)) >= 3
    for i in gaps(lines):
        found = says_no(demo, lines[:i] + lines[i + 1 :])
        assert any(f.startswith("strict: hazard") for f in found), f"line {i + 1} after {lines[i - 1]}"


def test_every_needed_wait_is_seen(demo):
    """Ports work in order, so a later wait may cover an earlier one: dropping that one changes nothing. Waits are
    dropped one after the other for good as long as nothing is seen; those that remain are needed, and each was seen.
    """
    lines, needed = list(demo[3]), 0
    for i in [i for i, line in enumerate(lines) if "; wait i" in line]:
        without = [*lines[:i], re.sub(r"; wait \w+", "", lines[i]), *lines[i + 1 :]]
        if says_no(demo, without):
            needed += 1
        else:
            lines = without
    assert needed >= 3, "keys, queries and mask each arrive by MVs of their own"


@pytest.mark.slow
def test_every_dropped_step_is_seen(demo):
    """No word of the kernel is idle: with any one of them left out, something is wrong."""
    lines = demo[3]
    work = [i for i, line in enumerate(lines) if not line.startswith("nop")]
    assert len(work) > 60
    assert [lines[i] for i in work if not says_no(demo, [*lines[:i], "nop", *lines[i + 1 :]])] == []


# ---- emulators with one wrong line, seen by the comparison with the Python model -------------------------------------

BUILD = Path(os.environ.get("KUMIHIMO_BUILD", ROOT / "build" / "release"))
ARITHMETIC = {
    # mutant: names of directed cases of which at least one must see it
    "fma_rounding": ["single tie", "half tie to even"],
    "rrn_order": ["rrn order within", "rrn order across"],
    "bfn_carry": [name for name in test_model_directed.CASES if "carry" in name],
}

# Masks and transfers: random programs of the model's generator must see them.
STATE = ["mask_order", "mask_width", "zero_flush", "shift_sign", "l2bm_cycle", "mv_unit"]
VECTOR = [
    "avx2_correction",
    "avx2_double_correction",
    "avx2_odd",
    "avx2_guard",
    "avx2_aligned_tie",
    "avx2_extended",
    "store_early",
    "forward_lost",
    "bar_stale",
]


def mutant(name):
    path = BUILD / "tests" / "mutants" / f"mutant_{name}"
    if not path.exists():
        pytest.fail(f"{path} is not built; ./dev test builds it, KUMIHIMO_BUILD names another build folder")
    return path


def dump_of(path, program):
    done = subprocess.run([path], input=program, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def directed(name):
    """Program of a directed case with its dump line."""
    lines, get, _ = test_model_directed.CASES[name]
    return test_model_directed.word_program(lines, get)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_wrong_arithmetic_is_seen_by_the_directed_cases(name):
    path, cases = mutant(name), ARITHMETIC[name]
    assert cases
    seen = []
    for case in test_model_directed.CASES:
        program = directed(case)
        if compare.difference(Machine().run(program), dump_of(path, program)) is not None:
            seen.append(case)
    assert set(seen) & set(cases), f"{name} is seen by {seen or 'nobody'}"
    # One wrong line is not a broken emulator: most cases do not touch it.
    assert len(seen) < len(test_model_directed.CASES) / 2


@pytest.mark.parametrize("name", [*ARITHMETIC, *STATE])
def test_a_wrong_line_is_seen_by_random_programs(name):
    path = mutant(name)
    for seed in range(60):
        program = generate(seed)
        if compare.difference(Machine().run(program), dump_of(path, program)) is not None:
            return
    pytest.fail(f"60 random programs do not see {name}")


@pytest.mark.parametrize("name", VECTOR)
def test_wrong_vector_code_is_seen_by_the_scalar_functions(name):
    done = subprocess.run([mutant(name)], cwd=ROOT, capture_output=True, text=True, timeout=300)
    if "SKIPPED" in done.stdout:
        pytest.skip("this processor lacks the instruction set")
    assert done.returncode == 1 and "FAILED" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]


def test_the_unchanged_emulator_agrees():
    """The same programs on the unchanged emulator: the differences above are the mutants' alone."""
    kumi = compare.binary()
    if kumi is None:
        pytest.fail("no kumi binary: set KUMI or put it on PATH")
    for case in {c for cases in ARITHMETIC.values() for c in cases}:
        program = directed(case)
        assert compare.difference(Machine().run(program), compare.emulate(kumi, program)) is None, case
