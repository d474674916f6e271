"""Every spelling of the vector MAU instructions with each of its source modifiers, on products that nearly cancel.

One program for each precision (ISA notes 6.1, 6.3). The flags of each result mask a later write, so that a dump shows them.
"""

import random

from . import values

#: ISA notes 6.1: sources of each operation; X and Y are factors, Z is an addend
ROLES = {"fma": "XYZ", "mul": "XY", "add": "XZ", "passa": "X"}
PLACE = {"X": "r", "Y": "s", "Z": "n"}
#: width of a factor, of an addend or result, of a narrowed result
WIDTHS = {"d": ("l", "l", ""), "f": ("l", "l", ""), "h": ("l", "ll", "l")}
WORDS = {"": 1, "l": 2, "ll": 4}
DUMPED = tuple(f"n0c0b{b}m{m}p{p}" for b, m, p in ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 3, 1), (1, 15, 2)))


def changed(letter, role):
    """(modifier, width of the operand that has it): one precision lower, or singles for a half (ISA notes 6.3)."""
    if letter == "h" and role != "Z":
        return [("r", "ll")]
    return [("e", {"d": "", "f": "", "h": "l"}[letter])]


def sources(letter, roles):
    """Lists of operand texts: plain, each one negated, each one with each modifier."""
    factor, addend, _ = WIDTHS[letter]
    plain = {role: f"${addend if role == 'Z' else factor}{PLACE[role]}0v" for role in roles}
    yield list(plain.values())
    for role in roles:
        yield [("-" if r == role else "") + text for r, text in plain.items()]
        for mark, width in changed(letter, role):
            yield [f"${width}{PLACE[r]}0v{mark}" if r == role else text for r, text in plain.items()]


def lines(letter):
    """Steps that fill LM0 from address 64, and the first address behind."""
    at = 64
    for name, roles in ROLES.items():
        halves = ("u", "d") if letter == "d" and name in ("fma", "mul") else ("",)
        for half in halves:
            for narrow in ("", "r"):
                width = WIDTHS[letter][2 if narrow else 1]
                for texts in sources(letter, roles):
                    yield f"{letter}v{name}{half}{narrow} {' '.join(texts)} ${width}m{at}v $omr1"
                    yield f"lpassa $ls16v $lm{at + 16}v/$imr1"
                    at += 24
    if letter == "f":  # ISA notes 6.1: one element a cycle
        for name, roles in ROLES.items():
            yield f"fv{name} {' '.join(f'${PLACE[role]}0v' for role in roles)} $m{at}v"
            at += 24
    yield at


def program(letter):
    rng = random.Random(300 + ord(letter))
    out = []
    for b in range(2):
        for m in range(16):
            for p in range(4):
                where = f"n0c0b{b}m{m}p{p}"
                x, y, z = values.triple(rng, letter, 8)
                for mem, words in (("r", x), ("s", [*y, *values.data(rng, letter, 8)]), ("n", z)):
                    out.append(f"d set $l{mem}0{where} {len(words)} {''.join(f'{w:016X}' for w in words)}")
    *steps, end = lines(letter)
    for step in steps:
        out += [step, "nop/4"]
    out += [f"d get $lm64{where} {(end - 64) // 2}" for where in DUMPED]
    return "\n".join(out) + "\n"


def small():
    """Name and program, for the default tree of Machine."""
    for p in "dfh":
        yield f"vector-{p}", program(p)
