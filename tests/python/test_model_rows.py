"""Every spelling of every instruction and every form of what stands around it, model against emulator; rsqrt, whose bits nobody published, by its law."""

import math
import os
import re

import pytest

from mncore2_model import Machine, compare, gen_forms, gen_host, gen_rows, gen_vector

SMALL, WHOLE = (
    dict([*gen_rows.small(), *gen_vector.small(), *gen_forms.small(), *gen_host.small()]),
    dict([*gen_rows.whole(), *gen_forms.whole()]),
)
VALUES = (1.0, 2.0, 3.0, 0.7, 100.0, -5.0, 6.25e-3, 12345.0)


def rsqrt(letter):
    """One value a step, a scalar step each; ISA notes 7: about five bits, the sign of x is ignored."""
    steps = []
    for k, x in enumerate(VALUES):
        steps += [f'imm f"{x}" $r{2 * k}', "nop/2"]
        source = {"f": f"$lr{2 * k}", "d": f"$r{2 * k}e", "h": f"$llr{2 * k}r"}[letter]
        if letter == "d":
            steps += [f"dvpassa {source} $ls0", "nop/2"]
            source = "$ls0"
        if letter == "h":
            steps[-2] = f'imm f"{x}" $llr{4 * k}'
            source = f"$llr{4 * k}r"
        steps += [f"{letter}rsqrt {source} $lm{2 * k} $omr1", "nop/3"]
    return "\n".join([*steps, f"d get{letter} $lm0n0c0b0m0p0 {len(VALUES)}"]) + "\n"


RSQRT = [(p, rsqrt(p)) for p in "dfh"]


def emulator():
    path = compare.binary()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no kumi binary: set KUMI or put it on PATH")
        pytest.skip("no kumi binary")
    return path


def check(program, machine, name):
    path = emulator()
    want, got = machine.run(program), compare.emulate(path, program, machine=name)
    assert len(want) > 100
    if (found := compare.difference(want, got)) is not None:
        pytest.fail(f"line {found[0]}\n  model    {found[1]}\n  emulator {found[2]}", pytrace=False)


@pytest.mark.parametrize("name", SMALL)
def test_small_tree(name):
    check(SMALL[name], Machine(), "mncore2-tiny")


@pytest.mark.parametrize("name", WHOLE)
def test_whole_tree(name):
    check(WHOLE[name], Machine(gen_rows.GROUPS, gen_rows.L2BS, gen_rows.L1BS), "mncore2")


@pytest.mark.parametrize(("letter", "program"), RSQRT, ids=[p for p, _ in RSQRT])
def test_rsqrt_is_good_to_five_bits(letter, program):
    lines = compare.emulate(emulator(), program)
    assert len(lines) == len(VALUES)
    for x, line in zip(VALUES, lines, strict=True):
        got = float(re.search(r":\(([^,)]+)", line)[1])
        assert abs(got * math.sqrt(abs(x)) - 1) < 2**-4, (x, line)
