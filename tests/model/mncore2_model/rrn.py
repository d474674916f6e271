"""Reduction network: fadd nodes, max/min, integer and bit operations (ISA notes 4.3, 8.2, 8.3)."""

from .formats import BY_LETTER, HALF, SINGLE, convert, encode, encode_signed, rne_shift
from .switches import DEFAULT

#: three guard bits below each operand of an fadd node (ISA notes 8.2).
GUARD = 3


def fadd_node(fmt, xs, out, switches=DEFAULT):
    """One 4-input fadd node (ISA notes 8.2): each operand is aligned to the largest exponent with three
    guard bits and RNE (rounding 1), the signed sum is rounded to the output precision (rounding 2)."""
    fields = [fmt.fields(x) for x in xs]
    e_star = max(e for _, e, _ in fields)
    if e_star == 0:
        return 0
    if e_star == fmt.exp_max:
        sign = next(s for s, e, _ in fields if e == e_star)  # Q15: first infinity wins
        return out.pack(sign, out.exp_max, 0)
    total = 0
    for sign, exp, man in fields:
        if exp == 0:
            continue
        s = rne_shift((fmt.hidden | man) << GUARD, e_star - exp)
        total += -s if sign else s
    e2 = e_star - fmt.bias - fmt.man_bits - GUARD
    return encode(out, 1 if total < 0 else 0, abs(total), e2)


def _two_levels(node, groups, last):
    return last([node(g) for g in groups])


def groups_of_16(xs, switches=DEFAULT):
    """First level of the 16-input reduction (ISA notes 8.2, Q14)."""
    if switches.rrn_group16 == "consecutive":
        return [xs[4 * q : 4 * q + 4] for q in range(4)]
    return [xs[q::4] for q in range(4)]


def fadd(letter, xs, narrow=False, circuit_single=False, switches=DEFAULT):
    """Float sum of up to 16 inputs (ISA notes 8.2).

    `circuit_single`: L1BM half operations widen to single and round only at the last level.
    2..4 inputs are one node; 8 inputs are the nodes {0-3}, {4-7} and one above; 16 are four and one."""
    fmt = BY_LETTER[letter]
    out = fmt
    if narrow:
        out = {"double": SINGLE, "single": HALF}[fmt.name]
    work = fmt
    if fmt is HALF and circuit_single:
        xs = [convert(HALF, SINGLE, x) for x in xs]
        work = SINGLE
    if len(xs) <= 4:
        return fadd_node(work, xs, out, switches)
    if len(xs) == 16:
        groups = groups_of_16(xs, switches)
    elif len(xs) <= 8:
        groups = [xs[:4], xs[4:]]
    else:
        raise ValueError(f"no reduction of {len(xs)} inputs")
    return fadd_node(work, [fadd_node(work, g, work, switches) for g in groups], out, switches)


def sign_magnitude(bits, width):
    """Order key of a word read as sign and magnitude, +0 above -0 (ISA notes 8.3)."""
    top = 1 << (width - 1)
    return -(bits ^ top) - 1 if bits & top else bits


def maxmin(op, letter, xs, narrow=False):
    """max / min over sign-magnitude words: no special cases, no normalisation; `r` rounds the chosen
    value to half once (ISA notes 8.3)."""
    fmt = BY_LETTER[letter]
    pick = max if op == "max" else min
    best = pick(xs, key=lambda x: sign_magnitude(x, fmt.width))
    if not narrow:
        return best
    sign, exp, man = fmt.fields(best)
    low = {"double": SINGLE, "single": HALF}[fmt.name]
    if exp == 0:
        return sign << (low.width - 1)
    if exp == fmt.exp_max:
        return low.pack(sign, low.exp_max, 0)
    return encode_signed(low, sign, fmt.hidden | man, exp - fmt.bias - fmt.man_bits)


INT_WIDTH = {"l": 64, "i": 32, "s": 16}


def integer(op, width, xs, switches=DEFAULT):
    """iadd wraps; band / bor are bitwise; and / or are logical on element != 0 (ISA notes 8.3, Q7)."""
    mask = (1 << width) - 1
    if op == "iadd":
        return sum(xs) & mask
    if op == "band":
        acc = mask
        for x in xs:
            acc &= x
        return acc
    if op == "bor":
        acc = 0
        for x in xs:
            acc |= x
        return acc
    truth = (all if op == "and" else any)(x != 0 for x in xs)
    return (1 if switches.logical_true == "one" else mask) if truth else 0


def identity(op, width):
    """What a non-member sends (ISA notes 4.3)."""
    if op in ("fadd", "iadd", "bor", "or"):
        return 0
    if op in ("max", "band", "and"):
        return (1 << width) - 1
    if op == "min":
        return (1 << (width - 1)) - 1
    raise ValueError(op)


class Op:
    """A reduction name such as dfadd, fmax, lbor (ISA notes 3.1 grammar `rrn`)."""

    FLOAT = ("fadd", "max", "min")
    INTEGER = ("iadd", "band", "and", "bor", "or")

    def __init__(self, name):
        letter, op = name[:1], name[1:]
        if not ((letter in "dfh" and op in self.FLOAT) or (letter in "lis" and op in self.INTEGER)):
            raise ValueError(f"unknown reduction {name!r}")
        self.letter, self.op = letter, op
        self.width = BY_LETTER[letter].width if letter in "dfh" else INT_WIDTH[letter]
        self.is_float = letter in "dfh"

    def identity_word(self):
        """64-bit word of identities."""
        one = identity(self.op, self.width)
        word = 0
        for _ in range(64 // self.width):
            word = (word << self.width) | one
        return word

    def element(self, xs, narrow=False, circuit_single=False, switches=DEFAULT):
        if self.op == "fadd":
            return fadd(self.letter, xs, narrow, circuit_single, switches)
        if self.is_float:
            return maxmin(self.op, self.letter, xs, narrow)
        return integer(self.op, self.width, xs, switches)

    def words(self, words, bits=64, narrow=False, circuit_single=False, switches=DEFAULT):
        """Reduce whole words element by element; with `narrow` each element halves its width and the
        elements are packed at the MSB side (Q34)."""
        out_width = self.width // 2 if narrow else self.width
        n = bits // self.width
        mask = (1 << self.width) - 1
        acc = 0
        for k in range(n):
            sh = bits - self.width * (k + 1)
            acc = (acc << out_width) | self.element([(w >> sh) & mask for w in words], narrow, circuit_single, switches)
        return acc << (bits - n * out_width)
