"""The independent model and the emulator give the same dump for random programs.

The model was written from the ISA notes alone, so this is the test of the arithmetic itself. KUMI names the binary;
model_programs.py says how many programs there are and what changes it."""

import os

import model_programs
import pytest

from mncore2_model import Machine, compare, gen_tree

SEEDS = model_programs.asked("SEEDS", model_programs.SEEDS)
WIDE_SEEDS = model_programs.asked("WIDE_SEEDS", model_programs.WIDE_SEEDS)
TREE_SEEDS = model_programs.asked("TREE_SEEDS", model_programs.TREE_SEEDS)
FIRST = model_programs.asked("FIRST", 0)
PER_TEST = 10


def emulator():
    path = compare.binary()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no kumi binary: set KUMI or put it on PATH")
        pytest.skip("no kumi binary")
    return path


@pytest.mark.parametrize("start", range(FIRST, FIRST + SEEDS, PER_TEST))
def test_random_programs(start):
    path = emulator()
    compared = 0
    for seed in range(start, min(start + PER_TEST, FIRST + SEEDS)):
        program = model_programs.plain(seed)
        want = Machine().run(program)
        got = compare.emulate(path, program)
        if compare.difference(want, got) is not None:
            pytest.fail(f"seed {seed}\n{compare.report(path, program, want, got)}", pytrace=False)
        compared += len(want)
    assert compared > 0


@pytest.mark.parametrize("start", range(FIRST, FIRST + WIDE_SEEDS, PER_TEST))
def test_random_programs_of_all_instructions(start):
    """The wide generator: also matrix reads, groups of MABs, pairs of L1Bs, turnaround, the rarer ALU operations."""
    path = emulator()
    compared = 0
    for seed in range(start, min(start + PER_TEST, FIRST + WIDE_SEEDS)):
        program = model_programs.wide(seed)
        want = Machine().run(program)
        got = compare.emulate(path, program)
        if compare.difference(want, got) is not None:
            pytest.fail(f"seed {seed}\n{compare.report(path, program, want, got)}", pytrace=False)
        compared += len(want)
    assert compared > 0


@pytest.mark.parametrize("seed", range(FIRST, FIRST + TREE_SEEDS))
def test_transfers_of_the_whole_tree(seed):
    """Reductions and broadcasts that need all groups and L1Bs."""
    program = model_programs.tree(seed)
    want = Machine(gen_tree.GROUPS, gen_tree.L2BS, gen_tree.L1BS).run(program)
    got = compare.emulate(emulator(), program, machine="mncore2")
    assert compare.difference(want, got) is None
    assert len(want) > 10000


def test_a_changed_dump_is_seen():
    """The comparison itself can fail: a flipped digit and a missing line are both differences."""
    want = Machine().run(model_programs.plain(FIRST))
    changed = list(want)
    changed[7] = changed[7].replace("0x", "0y")
    assert compare.difference(want, changed)[0] == 7
    assert compare.difference(want, want[:-1])[0] == len(want) - 1
    assert compare.difference(want, list(want)) is None
