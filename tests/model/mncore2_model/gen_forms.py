"""Every form of an address, a source, a destination, a mask and a literal, and every pair of units in one step.

Small programs for the default tree of Machine, each about one thing, so that a difference names the form. What a form
leaves is written to a place of its own and dumped (ISA notes 3.2 to 3.4, 9.3).
"""

import random

from . import values

WIDTHS = {"": 1, "l": 2, "ll": 4}
SHOWN = tuple(f"n0c0b{b}m{m}p{p}" for b, m, p in ((0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 2, 1), (1, 15, 2)))
FIRST = 64  # words of a PE memory below are inputs
FORWARDS = ("mauf", "aluf", "lbf", "mreadf")
CONSTANTS = ("l2bid", "l1bid", "mabid", "peid", "subpeid", "msb1")


class Forms:
    """Data in all memories of all PEs; `step` leaves the gaps that the hazards ask for."""

    def __init__(self, seed, letter="f", special=True):
        rng = random.Random(seed)
        self.out, self.at = [], dict.fromkeys("mnrs", FIRST)
        for b in range(2):
            self.out.append(f"d set $lb0n0c0b{b} 128 {hexes(values.data(rng, letter, 128))}")
            for m in range(16):
                for p in range(4):
                    where = f"n0c0b{b}m{m}p{p}"
                    for mem in "mnrs":
                        self.out.append(f"d set $l{mem}0{where} 16 {hexes(values.data(rng, letter, 16, special))}")
                    self.out.append(f"d set $lt{where} 4 {hexes(rng.choice((0, 4, 8, 12)) for _ in range(4))}")

    def place(self, mem, words):
        """A new address for four cycles of `words` words."""
        at = self.at[mem]
        self.at[mem] += max(4 * words, 8)
        return at

    def step(self, text):
        self.out += [text, "nop/6"]

    def text(self, *more):
        dumps = [
            f"d get $l{mem}{FIRST}{where} {(end - FIRST) // 2}"
            for mem, end in self.at.items()
            if end > FIRST
            for where in SHOWN
        ]
        return "\n".join([*self.out, *dumps, *more]) + "\n"


def hexes(words):
    return "".join(f"{w:016X}" for w in words)


def address_forms(mem, base, u):
    """Texts of one address in each form, over 16 words from `base` (ISA notes 3.2)."""
    forms = [
        f"{base}",
        f"{base}v",
        f"{base}v{3 * u if u < 4 else u}",
        f"[{base + 2 * u},{base},{base + 3 * u},{base + u}]",
    ]
    if mem in "mn":
        forms += [f"{base}j1", f"{base}vj2", f"[{base + u},{base},{base + 2 * u},{base}]j0"]
    if mem == "m":
        forms += [f"t{base}", f"t{base}v", f"t[{base + 3 * u},{base},{base + u},{base + 2 * u}]"]
    return forms


def addresses(mem, bar=0):
    """One memory read and written in every width and form; LM also from a base address."""
    g = Forms(400 + ord(mem) + bar)
    to, source = ("m" if mem == "n" else "n"), ("s" if mem != "s" else "r")
    if bar:
        g.out += [f'imm i"{bar}" $ls32', "nop/2", f"lpassa $ls32 $l{mem}b", "nop/3"]
    for prefix, u in WIDTHS.items():
        op = "ipassa" if u == 1 else "lpassa"
        for form in address_forms(mem, 0, u):
            g.step(f"{op} ${prefix}{mem}{form} ${prefix}{to}{g.place(to, u)}v")
        for k in range(len(address_forms(mem, 0, u))):
            form = address_forms(mem, g.at[mem], u)[k]
            g.step(f"lpassa $ll{source}0v ${prefix}{mem}{form}")
            g.at[mem] += 32
    if mem == "m" and not bar:  # T alone is the address, so this overwrites inputs
        for prefix, u in WIDTHS.items():
            for form in ("t", "tv"):
                g.step(f"{'ipassa' if u == 1 else 'lpassa'} ${prefix}m{form} ${prefix}n{g.place('n', u)}v")
            g.step(f"lpassa $lls16v ${prefix}mt")
            g.step(f"lpassa $lls8v ${prefix}mtv")
    g.at[mem] += bar
    return g.text(*(f"d get $l{mem}0{where} 16" for where in SHOWN))


def operands():
    """T, forwarding registers and constants as sources; base registers, T, nothing and several places as destinations."""
    g = Forms(410)
    for t in ("$t", "$lt", "$llt"):
        g.step(f"lpassa {t} $lm{g.place('m', 2)}v")
        g.step(f"lpassa $lls0v {t}")
        g.step(f"ladd $lr0v {t} $lm{g.place('m', 2)}v")
    makers = {"mauf": "hvpassa $lr0v $nowrite", "aluf": "lpassa $lls0v $nowrite", "lbf": "l1bmm $llb0 $nowrite"}
    for name, make in makers.items():
        for use in (
            "lpassa ${} $llm{}v",
            "ladd $lr0v ${} $lm{}v",
            "fvadd ${} $lr0v $lm{}v",
            "fvmul $lr0v ${} $lm{}v",
        ):
            g.out.append(make)
            g.step(use.format(name, g.place("m", 4)))
        g.out.append(make)
        g.step(f"fmwrite ${name} $lx0")
        g.step(f"fmread $lx0 $lm{g.place('m', 2)}v")
        g.out.append(make)
        g.step(f"l1bmm@2 ${name} $lb{256 + 64 * len(g.out) % 1024}")
    g.step("fmwrite $lr0v $ly0")
    g.out.append("fmread $ly0 $nowrite")
    g.step(f"lpassa $mreadf $lm{g.place('m', 2)}v")
    for name in CONSTANTS:
        g.step(f"lpassa ${name} $lm{g.place('m', 2)}v")
        g.step(f"sxor ${name} $lr0v $lm{g.place('m', 2)}v")
    g.step('imm i"8" $ls32')
    for bar in ("$mb", "$lmb", "$nb", "$lnb"):
        mem = bar[-2]
        g.step(f"lpassa $ls32 {bar}")
        g.step(f"lpassa $llr0v $ll{mem}{g.place(mem, 4)}v")
        g.place(mem, 8)
        g.step(f"zero {bar}")
    g.step(f"lpassa $lls0v $lr64v $ls64v $lm{g.place('m', 2)}v $n{g.place('n', 1)}v $t $omr3")
    g.place("r", 2), g.place("s", 2)
    g.step(f"lpassa $t $lm{g.place('m', 2)}v/$imr3")
    return g.text(*(f"d get $lb256n0c0b{b} 1024" for b in (0, 1)))


def literals():
    g = Forms(411)
    texts = ('f"-1.5"', 'i"-9"', 'i"0x40180000"', 'ui"3"', 's"-7"', 'us"65535"')
    for op in ("imm", "immu"):
        for text in texts:
            g.step(f"{op} {text} $lln{g.place('n', 4)}v")  # LM0 has no access beside imm (ISA notes 9.3)
            g.step(f"{op} {text} $n{g.place('n', 1)}v")
    return g.text()


# ---------------------------------------------------------------- masks


MASKS = ("/1010", "/ll0110", "/$imr2", "/$llimr3")


def flags(g):
    """Mask registers with bits of their own in each cycle and element: signs of random values (ISA notes 6.1, 7)."""
    g.step("hvpassa $lr0v $omr2")
    g.step("hvpassa $lr16v $omr3")
    g.step("lpassa $subpeid $omr4")


def single_masks():
    """Write masks of both widths, fixed and variable, on each destination; as opcode suffix, where a 0 clears."""
    g = Forms(420, "h")
    flags(g)
    for mask in (*MASKS, "/0110t", "/$imr2t", "/ll1011p", "/$llimr3p"):
        for mem in "mnrs":
            source = "r" if mem != "r" else "s"
            at = g.place(mem, 4)
            g.step(f"lpassa $ll{source}16v $ll{mem}{at}v")
            g.step(f"lpassa $ll{source}0v $ll{mem}{at}v{mask}")
        if mask[-1] in "tp":
            continue
        g.step("lpassa $lls0v $t")
        g.step(f"lpassa $lls16v $t{mask}")
        g.step(f"lpassa $t $lm{g.place('m', 2)}v")
        g.step("hvpassa $ls0v $omr5")
        g.step(f"hvpassa $lr0v $omr5{mask}")
        g.step(f"lpassa $lls0v $lm{g.place('m', 2)}v/$imr5")
        g.step('imm i"8" $ls32')
        g.step(f"lpassa $ls32 $mb{mask}")
        g.step(f"lpassa $lls0v $llm{g.place('m', 4)}v")
        g.place("m", 8)
        g.step("zero $mb")
    return g.text()


def zero_flush():
    g = Forms(421, special=False)
    flags(g)
    for place, row in (("ls0v", 0), ("ls8v", 4)):  # factors of the matrix product are blocks (ISA notes 2.4)
        g.step(f"fbfn ${place} $t")
        g.step(f"fmwrite $t $lx{row}")
    g.step("fbfn $lr0v $lr16v")
    for mask in MASKS:
        for head, rest in (
            ("lpassa", "$llr0v"),
            ("hvadd", "$lr0v $lls0v"),
            ("fmmul", "$lx $r16v2"),
            ("fmread", "$lx0"),
            ("l1bmm", "$llb0"),
        ):
            g.step(f"{head}{mask} {rest} $llm{g.place('m', 4)}v")
    g.step(f"fvadd/0101 $lr0v $ls0v $lm{g.place('m', 2)}v $omr6")  # flags from before the flush
    g.step(f"lpassa $lls0v $lm{g.place('m', 2)}v/$imr6")
    return g.text()


def multi_masks():
    """`mask` statements of each width over each memory; a single-line mask wins; `mask 0` ends."""
    g = Forms(422, "h")
    flags(g)
    g.step('imm i"8" $ls32')
    for width in ("", "l", "ll"):
        for n in (2, 26):
            for mem in "rsmn":
                at, source = g.place(mem, 4), "r" if mem != "r" else "s"
                g.step(f"lpassa $ll{source}16v $ll{mem}{at}v")
                g.out.append(f"mask{width}{mem} {n}")
                g.step(f"lpassa $ll{source}0v $ll{mem}{at}v")
                g.out.append("mask 0")
        at = g.place("m", 4)
        g.out.append(f"mask{width}mt 3")
        g.step(f"lpassa $lls0v $llm{at}v $t")
        g.step(f"lpassa $lls16v $llm{g.place('m', 4)}v/1111")
        for n in (25, 3):
            g.out.append(f"mask{width}k {n}")
            g.step(f"hvpassa $ls{n - n % 8}v $omr5")
            g.out.append("mask 0")
        g.step(f"lpassa $t $lm{g.place('m', 2)}v")
        g.step(f"lpassa $lls0v $lm{g.place('m', 2)}v/$imr5")
    return g.text()


# ---------------------------------------------------------------- several units in one step


def beside(g):
    """One expression of each issue group of ISA notes 9.3, with destinations of its own."""
    return {
        "noforward": "noforward",
        "l2bm": f"l2bmb $lc{64 * (len(g.out) % 3)} $lb256",
        "l2bmdarw": "l2bmdarw",
        "l1bm": f"l1bmm $lb0 $lm{g.place('m', 2)}v",
        "turnaround": f"l1bmm $lbi $ln{g.place('n', 2)}v",
        "calc": f"fvadd $lr0v $ls0v $ls{g.place('s', 2)}v",
        "mwrite": "fmwrite $ls0v $lx0",
        "mread": "fmread $ly0 $t",
        "alu": f"lpassa $lr0v $lr{g.place('r', 2)}v",
        "wait": "wait i05",
    }


def pairs():
    """Every two groups together; what they leave in T, the matrix, DAR and L1BM is carried out behind them."""
    g = Forms(430)
    rng = random.Random(431)
    g.out.append(f"d set $lc0n0c0 256 {hexes(values.data(rng, 'f', 256))}")
    g.out.append(f"d set $lc512n0c0 256 {hexes(rng.randrange(12) << 32 | rng.randrange(12) for _ in range(256))}")
    g.out += [f"r 0 {k:09x} 001 {w:016x}" for k, w in enumerate(values.data(rng, "f", 192))]
    g.step("fmwrite $lr0v $ly0")
    g.step("fmwrite $ls0v $ly4")
    names = list(beside(Forms(430)))
    for k, one in enumerate(names):
        for other in names[k + 1 :]:
            both = {one, other}
            g.out += ["l2bmdars $lc512@.0 $dar0"] if "l2bmdarw" in both else []
            g.out += ["mvp/n64i05 $d0@0 $p512@0"] if "wait" in both else []
            g.step("l1bmm@3 $ls0v $lb512")  # what the turnaround register holds
            if both == {"l1bm", "turnaround"}:
                g.step(f"l1bmm@1 $lr0v $lb576; {beside(g)['turnaround']}")
            else:
                parts = beside(g)
                g.step("; ".join(parts[name] for name in names if name in both))
            if "l2bm" in both:
                g.step(f"l1bmm $lb256 $lm{g.place('m', 2)}v")
            if "mwrite" in both:
                g.step(f"fmread $lx0 $lm{g.place('m', 2)}v")
            if "mread" in both:
                g.step(f"lpassa $t $lm{g.place('m', 2)}v")
            if "noforward" in both and other in ("alu", "calc"):
                g.step(f"lpassa ${'aluf' if other == 'alu' else 'mauf'} $lm{g.place('m', 2)}v")
    g.step("nop; wait i05")
    return g.text(
        "mvp/n64 $di0@0 $p576@0", "nop/6", "d get $p512n0 128", *(f"d get $lb256n0c0b{b} 512" for b in (0, 1))
    )


def small():
    """Name and program, for the default tree."""
    for mem in "mnrs":
        yield f"addresses-{mem}", addresses(mem)
    for mem in "mn":
        yield f"addresses-{mem}-base", addresses(mem, 16)
    yield "operands", operands()
    yield "literals", literals()
    yield "single-masks", single_masks()
    yield "zero-flush", zero_flush()
    yield "multi-masks", multi_masks()
    yield "pairs", pairs()


def whole():
    """The constants where each differs between places: one PE of every L1B of the whole tree."""
    out = []
    for k, name in enumerate(CONSTANTS):
        out += [f"lpassa ${name} $lr{8 * k}v", f"spassa ${name} $ls{8 * k}v"]
    out.append("nop/2")
    for n in range(4):
        for c in range(2):
            for b in range(8):
                where = f"n{n}c{c}b{b}m{(5 * n + 3 * c + b) % 16}p{(n + b) % 4}"
                out += [f"d get $l{mem}0{where} {4 * len(CONSTANTS)}" for mem in "rs"]
    yield "constants", "\n".join(out) + "\n"
