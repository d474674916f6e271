"""The random programs of the tests that compare the independent model with the emulator: how many, and their texts.

KUMIHIMO_MODEL_SEEDS, KUMIHIMO_MODEL_WIDE_SEEDS and KUMIHIMO_MODEL_TREE_SEEDS ask a run for another number of programs,
KUMIHIMO_MODEL_FIRST for another first seed. Making a text costs as much as running it, so each is made once a session.
"""

import functools
import os

from mncore2_model import gen_tree
from mncore2_model.genprog import generate

#: what every commit runs: first subset, all instructions, the whole tree (eight programs hold every MV mode)
SEEDS, WIDE_SEEDS, TREE_SEEDS = 200, 30, 8


def asked(name, default):
    return int(os.environ.get(f"KUMIHIMO_MODEL_{name}", str(default)))


@functools.lru_cache(maxsize=SEEDS)
def plain(seed):
    """Small tree, the first subset of instructions."""
    return generate(seed)


@functools.lru_cache(maxsize=WIDE_SEEDS)
def wide(seed):
    """Small tree; also matrix reads, groups of MABs, pairs of L1Bs, turnaround, DAR, the rarer ALU operations."""
    return generate(seed, "all")


@functools.lru_cache(maxsize=TREE_SEEDS)
def tree(seed):
    """Transfers, reductions and broadcasts that need all groups and L1Bs."""
    return gen_tree.generate(seed)
