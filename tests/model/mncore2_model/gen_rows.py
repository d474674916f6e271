"""Every spelling of every instruction of the ISA notes, once and directed, where random programs would need luck.

Random programs reach most of this, but not by construction: a rare spelling (`mvr4sband`, `dilrelud`, `hmwrite` with
`r`) may be in none of the committed ones. Each program here holds one family. small() is for the default tree of
Machine, whole() for 4 groups of 2 L2Bs of 8 L1Bs. Results go to LM0 or L1BM, L2BM, DRAM, PDM and are dumped.
"""

import random

from . import values
from .gen_tree import GROUPS, L1BS, L2BS, addresses, hexes

FLOATS, INTEGERS = "dfh", "lis"
#: ISA notes 7: operations with flags and the number of their sources
UNARY = {
    "passa": INTEGERS + FLOATS,
    "inc": INTEGERS,
    "dec": INTEGERS,
    "not": INTEGERS,
    "lnot": INTEGERS,
    "ftoi": FLOATS,
}
BINARY = {"add": INTEGERS, "sub": INTEGERS, "and": INTEGERS, "or": INTEGERS, "xor": INTEGERS}
BINARY |= dict.fromkeys(("max", "min", "packbit"), INTEGERS + FLOATS)
BINARY |= dict.fromkeys(("relu", "relu0", "relu1", "relu2", "relu3", "lrelud", "lreluo", "ilrelud"), FLOATS)
SHIFTS = ("lsl", "lsr", "bsl", "bsr")
UNSIGNED = ("inc", "dec", "add", "sub", "lsr", "max", "min")  # with integers; ftoi has it with floats
FLAGLESS = ("ftoi", "floor")
FIRST = 64  # words of LM0 below are inputs


def opcodes(name, letters):
    for p in letters:
        yield p + name
        if (name in UNSIGNED and p in INTEGERS) or name == "ftoi":
            yield f"u{p}{name}"


def reductions():
    for p in FLOATS:
        yield from (p + name for name in ("fadd", "max", "min"))
    for p in INTEGERS:
        yield from (p + name for name in ("iadd", "band", "and", "bor", "or"))


class Program:
    """Data for PEs of both L1Bs, steps that write to LM0 one place after the other, dumps."""

    def __init__(self, seed, letter, special=True):
        rng = random.Random(seed)
        self.out, self.next = [], FIRST
        for b in range(2):
            for m in range(16):
                for p in range(4):
                    at = f"n0c0b{b}m{m}p{p}"
                    for mem in "rs":
                        words = values.data(rng, letter, 32, special)
                        self.out.append(f"d set $l{mem}0{at} 32 {hexes(words)}")

    def place(self, words):
        """Address of a result of four cycles of `words` each."""
        at = self.next
        self.next += 4 * words
        return at

    def step(self, text):
        self.out += [text, "nop/4"]

    def text(self, *dumps):
        last = (self.next - FIRST) // 2
        lm = [f"d get $lm{FIRST}n0c0b{b}m{m}p{p} {last}" for b in (0, 1) for m in (0, 3, 15) for p in range(4)]
        return "\n".join([*self.out, *(lm if last else []), *dumps]) + "\n"


def alu(letter):
    """All operations of one precision, with their flags as a mask of a later write."""
    g = Program(100 + ord(letter), letter)
    jobs = []
    for name, letters in UNARY.items():
        jobs += [(name, f"{op} $lr0v") for op in opcodes(name, letters) if letter in op.removesuffix(name)]
    for name, letters in BINARY.items():
        jobs += [(name, f"{op} $lr0v $ls0v") for op in opcodes(name, letters) if letter in op.removesuffix(name)]
    if letter in INTEGERS:  # the shift amount stays below the width (Q20)
        g.step(f"{letter}passa $subpeid $ls64v")
        for name in SHIFTS:
            jobs += [(name, f"{op} $lr8v $ls64v") for op in opcodes(name, letter)]
    else:
        jobs.append(("floor", f"{letter}floor $lr0v"))
    for name, text in jobs:
        if name in FLAGLESS:
            g.step(f"{text} $lm{g.place(2)}v")
            continue
        g.step(f"{text} $lm{g.place(2)}v $omr1")
        g.step(f"lpassa $ls8v $lm{g.place(2)}v/$imr1")
    return g.text()


def half_inputs():
    """`r` on every ALU source that expects a half: four singles become four halves (ISA notes 7)."""
    g = Program(120, "f")
    for name, letters in UNARY.items():
        if "h" in letters:
            for op in opcodes(name, "h"):
                g.step(f"{op} $llr0vr $lm{g.place(2)}v")
    g.step(f"hfloor $llr0vr $lm{g.place(2)}v")
    for name, letters in BINARY.items():
        if "h" in letters:
            for x, y in (("$llr0vr", "$ls0v"), ("$lr0v", "$lls0vr"), ("$llr16vr", "$lls16vr")):
                g.step(f"h{name} {x} {y} $lm{g.place(2)}v")
    for n in range(6, 10):
        for op in ("hbfn", "hbfe"):
            g.step(f"{op}/{n} $llr0vr $llm{g.place(4)}v")
    return g.text()


def block_digits():
    g = Program(121, "h")
    for n in range(6, 10):
        for op in ("hbfn", "hbfe"):
            g.step(f"{op}/{n} $llr0v $llm{g.place(4)}v")
    return g.text()


def matrix(letter):
    """Products of blocks, rounded once or twice as narrow, addends one precision lower; reads of the register."""
    source = {"g": "f"}.get(letter, letter)
    g = Program(130 + ord(letter), source, special=False)
    suffix = "/9" if letter == "h" else ""
    for k in range(2):
        g.step(f"{letter}bfn{suffix} $lr{8 * k}v $ls{32 + 8 * k}v")
    rows = {"d": 4, "f": 8, "g": 8, "h": 16}[letter]
    for side in "xy":
        for first in range(0, rows, 4):
            g.step(f"{letter}mwrite $ls{32 + 8 * (first // 4 % 2)}v $l{side}{first}")
    x = "$s32v2" if letter == "f" else "$ls32v"
    full, narrow = {"d": ("l", ""), "f": ("l", ""), "g": ("l", ""), "h": ("ll", "l")}[letter]
    for half in ("u", "d") if letter == "d" else ("",):
        for r, unit in (("", full), ("r", narrow)):
            words = {"": 1, "l": 2, "ll": 4}[unit]
            for side in "xy":
                g.step(
                    f"{letter}mmul{half}{r} $l{side} {x} ${unit}m{g.place(max(words, 2))}v{'2' if words == 1 else ''}"
                )
            place = f"${unit}m{g.place(max(words, 2))}v{'2' if words == 1 else ''}"
            g.step(f"{letter}mmul{half}{r} $ly -{x} {place}")
            low = "" if full == "l" else "l"
            for y in (f"${full}r0v", f"-${full}r0v", f"${low}r0v{'2' if not low else ''}e"):
                dst = f"${unit}m{g.place(max(words, 2))}v{'2' if words == 1 else ''}"
                g.step(f"{letter}mfma{half}{r} $lx {x} {y} {dst}")
    for side in "xy":
        for column in range(0, rows, 4):
            g.step(f"{letter}mread $l{side}{column} $lm{g.place(2)}v")
    if letter == "h":
        g.step("hmwrite $llr0v $llx2")
        g.step("hmwrite $llr16v $lly8")
        for side in "xy":
            for column in (0, 6, 8):
                g.step(f"hmread $ll{side}{column} $llm{g.place(4)}v")
    return g.text()


def rounded_rows():
    """`r` on matrix writes: singles become halves; a bit copy otherwise, so any data (ISA notes 6.2, 6.3)."""
    g = Program(140, "f")
    g.step("hmwrite $llr0vr $lx0")
    g.step("hmwrite $lls0vr $lx4")
    g.step("hmwrite $llr16vr $ly8")
    for column in range(0, 16, 4):
        g.step(f"hmread $lx{column} $lm{g.place(2)}v")
    g.step(f"hmread $ly8 $lm{g.place(2)}v")
    return g.text()


def l1bm(letter):
    """Reductions of one precision over all MABs and over groups of four, narrow and wide, and what they leave."""
    g = Program(150 + ord(letter), letter)
    for op in (x for x in reductions() if x[0] == letter):
        for kind, step in (("l1bmr", 32), ("l1bmr4", 128)):
            g.step(f"{kind}{op} $lr0v $lb0")
            g.step(f"l1bmm $lb0 $lm{g.place(2)}v")
            g.step(f"l1bmm4 $lb32 $lm{g.place(2)}v")
            if op[0] == "f" or op.endswith("bor"):
                g.step(f"{kind}{op} $llr0v $llb{step}")
                g.step(f"l1bmm4 $llb{step} $llm{g.place(4)}v")
    if letter == "h":  # ISA notes 5.5: widened before an f reduction
        for kind in ("l1bmr", "l1bmr4"):
            g.step(f"{kind}ffadd $lr0ve $llb0")
            g.step(f"l1bmm4 $llb0 $llm{g.place(4)}v")
    if letter == "f":
        for kind in ("l1bmr", "l1bmr4"):
            for op in ("ffaddr", "fmaxr", "fminr"):
                g.step(f"{kind}{op} $lr0v $lb0")
                g.step(f"l1bmm4 $lb0 $lm{g.place(2)}v")
    return g.text(*(f"d get $lb0n0c0b{b} 512" for b in (0, 1)))


def turnaround():
    """All types, and both shifts of l1bmd, also where only the reading side has one (ISA notes 5.4, Q35)."""
    g = Program(160, "f")
    for up, down in (("l1bmm@3", "l1bmm"), ("l1bmm4@2", "l1bmm4"), ("l1bmrffadd", "l1bmm"), ("l1bmr4ffadd", "l1bmm4")):
        for unit, words in (("l", 2), ("ll", 4)):
            g.out.append(f"{up} ${unit}r0v ${unit}b0")
            g.step(f"{down} ${unit}bi ${unit}m{g.place(words)}v")
    for n in ("", "+1", "-1", "+7", "-15"):
        g.out.append(f"l1bmd{n} $ls0v $lb0")
        g.step(f"l1bmd{n} $lbi $lm{g.place(2)}v")
    return g.text(*(f"d get $lb0n0c0b{b} 256" for b in (0, 1)))


def small():
    """Name and program, for the default tree."""
    for p in INTEGERS + FLOATS:
        yield f"alu-{p}", alu(p)
        yield f"l1bm-{p}", l1bm(p)
    for p in "dfgh":
        yield f"matrix-{p}", matrix(p)
    yield "half-inputs", half_inputs()
    yield "block-digits", block_digits()
    yield "rounded-rows", rounded_rows()
    yield "turnaround", turnaround()


# ---------------------------------------------------------------- the whole tree


class Tree:
    """Data of one precision in all L2BMs, L1BMs, PDMs and DRAMs; results one place after the other."""

    def __init__(self, seed, letter):
        rng = random.Random(seed)
        self.out, self.next = [], 256
        for g in range(GROUPS):
            for s in range(L2BS):
                self.out.append(f"d set $lc0n{g}c{s} 128 {hexes(values.data(rng, letter, 128))}")
                for b in range(L1BS):
                    self.out.append(f"d set $lb0n{g}c{s}b{b} 64 {hexes(values.data(rng, letter, 64))}")
            self.out += [f"r {g} {k:09x} 001 {w:016x}" for k, w in enumerate(values.data(rng, letter, 64))]
            self.out += [f"mvp/n64 $d0@{g} $p{64 * k}@{(g + k) % GROUPS}" for k in range(4)]
        self.out += addresses(rng)

    def place(self, count=64):
        at = self.next
        self.next += count
        return at

    def step(self, text):
        self.out += [text, "nop/4"]

    def text(self, memories="pdc"):
        out = [*self.out]
        for g in range(GROUPS):
            out += [f"d get ${m}0n{g} {self.next}" for m in "pd" if m in memories]
            if "c" in memories:
                out += [f"d get $lc0n{g}c{s} {self.next}" for s in range(L2BS)]
        return "\n".join(out) + "\n"


def reduced_moves(letter):
    """Every reducing MV with every operation of one precision."""
    t = Tree(200 + ord(letter), letter)
    for op in (x for x in reductions() if x[0] == letter):
        for head, dst in (("mvr2", "$d{}"), ("mvr2", "$p{}"), ("mvr4", "$d{}"), ("mvr", "$p{}@2"), ("mvr", "$d{}")):
            t.step(f"{head}{op}/n64i05p2 $lc0 {dst.format(t.place())}")
    return t.text("pd")


def reduced_l2bm(letter):
    """l2bmr and l2bmr2 with every operation of one precision."""
    t = Tree(220 + ord(letter), letter)
    for op in (x for x in reductions() if x[0] == letter):
        t.step(f"l2bmr{op} $lb0 $lc{t.place(64)}")
        t.step(f"l2bmr2{op} $lb0 $lc{t.place(256)}")
    return t.text("c")


def moves():
    """Every other MV with a tag, a priority and, where the notes have it, DAR and its repetition."""
    t = Tree(240, "f")
    plain = [
        "mvp/n64i{tag}p{p} $p0@1 $d{to}@2",
        "mvp/n64i{tag}p{p} $d0@1 $p{to}@0",
        "mvp/n64i{tag}p{p} $p0@3 $lc{to}@1.1",
        "mvp/n64i{tag}p{p} $lc0@1.1 $p{to}@2",
        "mvp/n64i{tag}p{p} $d0@1 $lc{to}@3.0",
        "mvp/n64i{tag}p{p} $lc0@3.1 $d{to}@1",
        "mvp/n64i{tag}p{p} $p0@3 $p{to}@1",
        "mvp/n64i{tag}p{p} $p0 $lc{to}@.1",
        "mvp/n64i{tag}p{p} $lc0@.1 $p{to}",
        "mvp/n64i{tag}p{p} $d0 $lc{to}@.0",
        "mvp/n64i{tag}p{p} $lc0@.1 $d{to}",
        "mvp/n64i{tag}p{p} $lc0 $d{to}",
        "mvb2/n64i{tag}p{p} $d0 $lc{to}",
        "mvb/n64i{tag}p{p} $p0@2 $lc{to}",
        "mvb/n64i{tag}p{p} $d0 $lc{to}",
        "mvb4/n64i{tag}p{p} $d0 $lc{to}",
        "mvd/n512i{tag}p{p} $p0@1 $lc{to}",
        "mvd/n128i{tag}p{p} $lc0 $p{to}@1",
        "mvd/n64i{tag}p{p} $p0@0 $d{to}",
        "mvd/n64i{tag}p{p} $d0 $p{to}@1",
        "mvp/n64nd2 $p0@1 $di1@2",
        "mvp/n64nd3 $di1@2 $p{to}@1",
        "mvp/n64nd2 $di3@1 $lc{to}@3.0",
        "mvp/n64nd2 $lc0@3.1 $di4@1",
        "mvp/n64nd2 $di5 $lc{to}@.0",
        "mvp/n64nd4 $lc0@.1 $di2",
        "mvp/n64nd2 $lc0 $di6",
        "mvb2/n64 $di7 $lc{to}",
        "mvb/n64 $di7 $lc{to}",
        "mvb4/n64 $di2 $lc{to}",
        "mvr2ffadd/n64 $lc0 $di1",
        "mvr4fmin/n64 $lc0 $di2",
        "mvrffadd/n64nd2 $lc0 $di1",
        "mvd/n64nd2 $p0@0 $di9",
        "mvd/n64nd2 $di8 $p{to}@1",
    ]
    for k, form in enumerate(plain):
        t.step(form.format(tag=f"{k + 1:02x}", p=k % 4, to=t.place(128)))
    for s in ("", "@3", "@1/2", "@0,4"):
        t.step(f"l2bmb2{s} $lc0 $lb64")
        t.step(f"l2bmrffadd{s} $lb64 $lc{t.place(64)}")
        t.step(f"l2bmb{s} $lc0 $lb128")
        t.step(f"l2bmd{s} $lc0 $lb192")
        t.step(f"l2bmd $lb192 $lc{256 * ((t.place(512) + 255) // 256)}")
    t.step("mvnop")
    return t.text()


def whole():
    """Name and program, for the whole tree."""
    for p in INTEGERS + FLOATS:
        yield f"mv-{p}", reduced_moves(p)
        yield f"l2bm-{p}", reduced_l2bm(p)
    yield "moves", moves()
