"""Every debug statement and every host statement: all memories, widths, types and numbers of selectors (ISA notes 3.5, 10.1)."""

import random

from . import values
from .gen_forms import WIDTHS, hexes

TYPES = {"": 64, "d": 64, "f": 32, "h": 16, "bd": 64, "bf": 32, "bg": 32, "bh": 16}  # bits of one element
LEVELS = {"p": "n", "d": "n", "c": "nc", "b": "ncb", "x": "ncbm", "y": "ncbm"}
GIVEN = {"n": 0, "c": 0, "b": 1, "m": 3, "p": 2}


def selectors(mem, count):
    return "".join(f"{k}{GIVEN[k]}" for k in LEVELS.get(mem, "ncbmp")[:count])


def all_selectors(mem):
    return selectors(mem, len(LEVELS.get(mem, "ncbmp")))


def data(rng, letter):
    """Everything that `d set` reaches, in each width; what it does not reach comes over MVs and the matrix."""
    for mem in "mnrs":
        for prefix, u in WIDTHS.items():
            at, words = {"": 32, "l": 0, "ll": 48}[prefix], 8 * max(u // 2, 1)
            for m in range(16):
                for p in range(4):
                    where = f"n0c0b1m{m}p{p}"
                    yield f"d set ${prefix}{mem}{at}{where} 8 {hexes(values.data(rng, letter, words))}"
            yield f"d set ${prefix}{mem}{at + 128}n0c0b0m2 8 {hexes(values.data(rng, letter, words))}"
    for k, where in enumerate(("", "n0", "n0c0", "n0c0b1", "n0c0b1m3", "n0c0b1m3p2")):
        yield f"d set $lm{64 + 8 * k}{where} 2 {hexes(values.data(rng, letter, 2))}"
    for m in range(16):
        for p in range(4):
            yield f"d set $ltn0c0b1m{m}p{p} 4 {hexes(values.data(rng, letter, 4))}"
    yield f"d set $lb0n0c0b1 16 {hexes(values.data(rng, letter, 16))}"
    yield f"d set $llb16n0c0 8 {hexes(values.data(rng, letter, 16))}"
    yield f"d set $lc0n0c0 64 {''.join('l' + f'{w:016x}' for w in values.data(rng, letter, 64))}"


def typed(letter):
    """Dumps of every memory in every type and width, of data of one precision."""
    rng = random.Random(500 + ord(letter))
    out = [*data(rng, letter)]
    out += [f"r 0 {k:09x} 001 {w:016x}" for k, w in enumerate(values.data(rng, letter, 64))]
    out += ["mvp/n64 $d0@0 $p64@0", "nop/6"]
    for row in range(0, 16, 4):
        for side, mem in (("x", "m"), ("y", "n")):
            out += [f"hmwrite $l{mem}{row}v $l{side}{row}", "nop/2"]
    out += ["hvpassa $lm0v $omr2", "nop/2", f"d get $omr2{all_selectors('omr')} 1", "d get $omr2n0c0b1m3 1"]
    for kind, bits in TYPES.items():
        for mem in "mnrs":
            for prefix, u in WIDTHS.items():
                if 32 * u >= bits and (kind or u == 2):
                    at = {"": 32, "l": 0, "ll": 48}[prefix]
                    out.append(f"d get{kind} ${prefix}{mem}{at}{all_selectors(mem)} 4")
                    out.append(f"d get{kind} ${prefix}{mem}{at + 128}n0c0b0m2 2")
        out += [f"d get{kind} $lt{all_selectors('t')} 4", f"d get{kind} $t{all_selectors('t')} 2"]
        out += [f"d get{kind} $lb0{all_selectors('b')} 16", f"d get{kind} $lc0{all_selectors('c')} 8"]
        out += [f"d get{kind} $d0n0 8", f"d get{kind} $p64n0 8"]
        if kind:
            out.append(f"d get{kind} $llb16{all_selectors('b')} 4")
            for side in "xy":
                out.append(f"d get{kind} $l{side}0{all_selectors(side)} 16")
                out.append(f"d get{kind} $ll{side}2{all_selectors(side)} 3")
    return "\n".join(out) + "\n"


def selected():
    """Each memory with each number of selectors: what is left out is printed for all, in nested order."""
    rng = random.Random(510)
    out = [*data(rng, "f"), "hmwrite $lm0v $lx0", "hmwrite $ln0v $ly0", "hvpassa $lm0v $omr2", "nop/2"]
    for mem in ("m", "n", "r", "s", "t", "omr", "b", "c", "p", "d", "x", "y"):
        name = {"t": "$lt", "omr": "$omr2", "p": "$p0", "d": "$d0"}.get(mem, f"$l{mem}0")
        kind = "h" if mem in "xy" else ""
        out += [f"d get{kind} {name}{selectors(mem, k)} 1" for k in range(len(LEVELS.get(mem, "ncbmp")) + 1)]
    return "\n".join(out) + "\n"


def host():
    """Preloads of DRAM and host DMA to PDM, comments, blank lines, and an end before the end."""
    rng = random.Random(520)
    words = [rng.getrandbits(64) for _ in range(4)]
    return "\n".join(
        [
            "# a comment, then a blank line",
            "",
            f"  r 0 000000010 001 {words[0]:016x}",
            f"r 0 000000020 003 {words[1]:016x} {words[2]:016X} {words[3]:016x}",
            f"c 0 0 i10 i00 0 000000008 002 {words[2]:016X} {words[3]:016x}",
            "nop; wait i10 ! the other comment",
            "mvp/n64i01 $d0@0 $p64@0  # tag behind the size",
            "nop; wait i01",
            "mvp/i02n64p1 $p0@0 $d64@0  # and before it",
            "nop; wait i02;",
            "d get $d0n0 128",
            "d get $p0n0 128",
            "quit",
            "this is not read $",
        ]
    )


def small():
    """Name and program, for the default tree."""
    for letter in "dfhi":
        yield f"dumps-{letter}", typed(letter)
    yield "selectors", selected()
    yield "host", host() + "\n"
