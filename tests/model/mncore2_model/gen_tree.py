"""Random programs for the whole tree (4 groups, 8 L2Bs, 64 L1Bs): what a small tree cannot show.

Reductions of eight L2BMs, pairs of L1Bs and copies between L1Bs (ISA notes 4.2, 4.3, 5.2), on sums that tell the
grouping of the inputs apart. Deterministic by seed."""

import random

from . import values

GROUPS, L2BS, L1BS = 4, 2, 8
MV = [
    "mvr{r}/n128 $lc0 $p{a}@2",
    "mvr{r}/n128 $lc0 $d{a}",
    "mvr2{r}/n128 $lc0 $d{a}",
    "mvr2{r}/n128 $lc0 $p{a}",
    "mvr4{r}/n128 $lc0 $d{a}",
    "mvb4/n128 $d{a} $lc{c}",
    "mvb/n128 $d{a} $lc{c}",
]
L2BM = [
    "l2bmi@{b}/{i} $lb0 $lb64",
    "l2bmr2{r} $lb0 $lc{c}",
    "l2bmr{r}@{b}/{i} $lb0 $lc{c}",
    "l2bmb2@{b}/{i} $lc0 $lb64",
]


def reduction(rng, main):
    letter = main if rng.random() < 0.6 else rng.choice("dfhlis")
    names = ["fadd", "fadd", "max", "min"] if letter in "dfh" else ["iadd", "band", "bor", "and", "or"]
    return letter + rng.choice(names)


def hexes(words):
    return "".join(f"{w:016X}" for w in words)


def generate(seed, moves=6):
    """A program as text: data, moves, dumps of every memory that a move can reach."""
    rng = random.Random(seed)
    main = rng.choice("hfd")
    fmt = values.BY_LETTER[main]
    per = 64 // fmt.width
    sums = [[values.cancelling(rng, fmt, GROUPS * L2BS) for _ in range(per)] for _ in range(128)]
    out, dumps = [], []
    for g in range(GROUPS):
        dumps += [f"d getd $p0n{g} 512", f"d getd $d0n{g} 512"]
        for s in range(L2BS):
            words = [values.words_of(main, [x[L2BS * g + s] for x in row])[0] for row in sums]
            out.append(f"d set $lc0n{g}c{s} 128 {hexes(words)}")
            dumps += [f"d getd $lc0n{g}c{s} 1024", f"d getd $lb0n{g}c{s} 128"]
            out += [f"d set $lb0n{g}c{s}b{b} 64 {hexes(values.data(rng, main, 64))}" for b in range(L1BS)]
    for k in range(moves):
        form = rng.choice(MV) if k % 2 == 0 else rng.choice(L2BM)
        c = 256 * rng.randrange(1, 4)
        out.append(form.format(r=reduction(rng, main), a=64 * k, c=c, b=rng.randrange(8), i=rng.randrange(7)))
        out.append("nop/4")
    return "\n".join([*out, "mvnop", *dumps]) + "\n"
