"""Random programs for the whole tree (4 groups, 8 L2Bs, 64 L1Bs): what a small tree cannot show.

Every MV mode between all groups, through DAR too, reductions of eight L2BMs, pairs of L1Bs and copies between L1Bs (ISA
notes 4.2, 4.3, 4.5, 5.2), on sums that tell the grouping of the inputs apart. Deterministic by seed."""

import random

from . import values

GROUPS, L2BS, L1BS = 4, 2, 8
MV = [
    "mvp/n64 $p{a}@{g} $d{b}@{h}",
    "mvp/n128 $d{a}@{g} $p{b}@{h}",
    "mvp/n64 $p{a}@{g} $lc{c}@{h}.{s}",
    "mvp/n128 $lc{a}@{g}.{s} $p{b}@{h}",
    "mvp/n64 $d{a}@{g} $lc{c}@{h}.{s}",
    "mvp/n64 $lc{a}@{g}.{s} $d{b}@{h}",
    "mvp/n64 $p{a}@{g} $p{b}@{h}",
    "mvp/n64 $p{a} $lc{c}@.{s}",
    "mvp/n64 $lc{a}@.{s} $p{b}",
    "mvp/n128 $d{a} $lc{c}@.{s}",
    "mvp/n64 $lc{a}@.{s} $d{b}",
    "mvp/n64 $lc{a} $d{b}",
    "mvb2/n128 $d{a} $lc{c}",
    "mvr2{r}/n128 $lc0 $d{b}",
    "mvr2{r}/n128 $lc0 $p{b}",
    "mvb4/n128 $d{a} $lc{c}",
    "mvr4{r}/n128 $lc0 $d{b}",
    "mvb/n128 $p{a}@{g} $lc{c}",
    "mvr{r}/n128 $lc0 $p{b}@{g}",
    "mvb/n128 $d{a} $lc{c}",
    "mvr{r}/n128 $lc0 $d{b}",
    "mvd/n256 $p{a}@{g} $lc{c}",
    "mvd/n128 $lc{a} $p{b}@{g}",
    "mvd/n128 $p{a}@{g} $d{b}",
    "mvd/n256 $d{a} $p{b}@{g}",
    "mvp/n128nd{n} $di{e}@{g} $p{b}@{h}",
    "mvp/n64nd{n} $p{a}@{g} $di{e}@{h}",
    "mvp/n64 $di{e} $lc{c}@.{s}",
    "mvb4/n64 $di{e} $lc{c}",
    "mvr{r}/n128nd{n} $lc0 $di{e}",
    "mvr4{r}/n128 $lc0 $di{e}",
    "mvd/n256nd{n} $di{e} $p{b}@{g}",
]
L2BM = [
    "l2bmi@{b}/{i} $lb0 $lb64",
    "l2bmr2{r} $lb0 $lc{c}",
    "l2bmr{r}@{b}/{i} $lb0 $lc{c}",
    "l2bmb2@{b}/{i} $lc0 $lb64",
    "l2bmb@{b}/{i} $lc64 $lb0",
    "l2bmd@{b}/{i} $lc0 $lb64",
    "l2bmd $lb0 $lc{c}",
    "l2bm@{b} $lb64 $lc{c}",
]


def reduction(rng, main):
    letter = main if rng.random() < 0.6 else rng.choice("dfhlis")
    names = ["fadd", "fadd", "max", "min"] if letter in "dfh" else ["iadd", "band", "bor", "and", "or"]
    return letter + rng.choice(names)


def hexes(words):
    return "".join(f"{w:016X}" for w in words)


def addresses(rng):
    """Blocks of 16 LW to DAR 0..15 of every group, by way of L2BM 1."""
    out = []
    for g in range(GROUPS):
        words = "".join(f"{rng.randrange(24):08X}{rng.randrange(24):08X}" for _ in range(256))
        out.append(f"d set $lc2048n{g}c1 256 {words}")
    return [*out, "l2bmdars $lc2048@.1 $dar0", *["l2bmdarw"] * 4, "nop/2"]


def generate(seed, moves=8):
    """A program as text: data, moves, dumps of every memory that a move can reach."""
    rng = random.Random(seed)
    main = rng.choice("hfd")
    fmt = values.BY_LETTER[main]
    per = 64 // fmt.width
    sums = [[values.cancelling(rng, fmt, GROUPS * L2BS) for _ in range(per)] for _ in range(128)]
    out, dumps = [], []
    for g in range(GROUPS):
        dumps += [f"d getd $p0n{g} 1024", f"d getd $d0n{g} 1024"]
        for s in range(L2BS):
            words = [values.words_of(main, [x[L2BS * g + s] for x in row])[0] for row in sums]
            out.append(f"d set $lc0n{g}c{s} 128 {hexes(words)}")
            dumps += [f"d getd $lc0n{g}c{s} 1024", f"d getd $lb0n{g}c{s} 128"]
            out += [f"d set $lb0n{g}c{s}b{b} 64 {hexes(values.data(rng, main, 64))}" for b in range(L1BS)]
    # PDM and DRAM of every group: one line of 64 words each, then copies
    for g in range(GROUPS):
        out += [f"r {g} {k:09x} 001 {w:016x}" for k, w in enumerate(values.data(rng, main, 64))]
        out += [f"mvp/n64 $d0@{g} $p{64 * k}@{(g + k) % GROUPS}" for k in range(4)]
    out += addresses(rng)
    # the forms of one program are neighbours in the lists, so that a few programs hold them all
    start = rng.randrange(len(MV)) if seed >= len(MV) else seed * (moves // 2)
    for k in range(moves):
        form = MV[(start + k // 2) % len(MV)] if k % 2 == 0 else L2BM[(start + k // 2) % len(L2BM)]
        c = 256 * rng.randrange(1, 4)
        places = {"g": rng.randrange(GROUPS), "h": rng.randrange(GROUPS), "s": rng.randrange(L2BS)}
        # b: a destination in PDM or DRAM for MVs, an L1B for L2BM instructions
        places |= {"a": 64 * rng.randrange(2), "b": 256 + 64 * k if k % 2 == 0 else rng.randrange(L1BS), "c": c}
        out.append(
            form.format(
                r=reduction(rng, main), i=rng.randrange(7), e=rng.randrange(12), n=rng.randrange(1, 4), **places
            )
        )
        out.append("nop/4")
    return "\n".join([*out, "mvnop", *dumps]) + "\n"
