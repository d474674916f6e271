"""ALU operations, element by element, with their flags (ISA notes 7, 8.7).

Every function takes element patterns and returns (result, flag). A flag of None
means the operation makes no flags."""

import math

from .formats import BY_LETTER, encode_signed
from .switches import DEFAULT

#: element widths of the precision letters (ISA notes 2.3, 7).
WIDTH = {"l": 64, "i": 32, "s": 16, "d": 64, "f": 32, "h": 16, "g": 32}


def signed(x, w):
    return x - (1 << w) if x >> (w - 1) else x


def passa(x, w):
    """Bit copy; flag when the element is all zero (ISA notes 7)."""
    return x, int(x == 0)


def inc(x, w, unsigned=False):
    return add(x, 1, w, unsigned)


def dec(x, w, unsigned=False):
    return sub(x, 1, w, unsigned)


def add(x, y, w, unsigned=False):
    """Wraps. Signed flag: wrapped result >= 0; unsigned flag: no overflow (ISA notes 7)."""
    r = (x + y) & ((1 << w) - 1)
    return r, int(x + y == r) if unsigned else int(r >> (w - 1) == 0)


def sub(x, y, w, unsigned=False):
    """As add; unsigned overflow means a borrow (ISA notes 7)."""
    r = (x - y) & ((1 << w) - 1)
    return r, int(x >= y) if unsigned else int(r >> (w - 1) == 0)


def not_(x, w):
    r = x ^ ((1 << w) - 1)
    return r, int(r == 0)


def lnot(x, w):
    r = int(x == 0)
    return r, int(r == 0)


def and_(x, y, w):
    return x & y, int(x & y == 0)


def or_(x, y, w):
    return x | y, int(x | y == 0)


def xor(x, y, w):
    return x ^ y, int(x ^ y == 0)


def _amount(y, w, switches):
    if y < w:
        return y
    return None if switches.shift_overflow == "zero" else y % w


def lsl(x, y, w, switches=DEFAULT):
    """Left shift by the whole y element (ISA notes 7; amounts >= width: Q20)."""
    n = _amount(y, w, switches)
    r = 0 if n is None else (x << n) & ((1 << w) - 1)
    return r, int(r == 0)


def lsr(x, y, w, unsigned=False, switches=DEFAULT):
    """Right shift, arithmetic unless `u` (ISA notes 7; amounts >= width: Q20)."""
    n = _amount(y, w, switches)
    if n is None:
        r = 0
    else:
        r = (x if unsigned else signed(x, w)) >> n & ((1 << w) - 1)
    return r, int(r == 0)


def bsl(x, y, w):
    """Rotate left (ISA notes 7; amounts modulo the width: Q20)."""
    n = y % w
    r = ((x << n) | (x >> (w - n))) & ((1 << w) - 1)
    return r, int(r == 0)


def bsr(x, y, w):
    """Rotate right (ISA notes 7; amounts modulo the width: Q20)."""
    return bsl(x, -y % w, w)


def imax(x, y, w, unsigned=False):
    """Larger one; flag when x is chosen or x == y (ISA notes 7)."""
    take_x = x >= y if unsigned else signed(x, w) >= signed(y, w)
    return (x if take_x else y), int(take_x)


def imin(x, y, w, unsigned=False):
    take_x = x <= y if unsigned else signed(x, w) <= signed(y, w)
    return (x if take_x else y), int(take_x)


def _order(x, w):
    top = 1 << (w - 1)
    return -(x ^ top) if x & top else x


def fmax(x, y, fmt):
    """Not IEEE: both zero gives x, same-sign infinities compare mantissas (ISA notes 7)."""
    return _fpick(x, y, fmt, 1)


def fmin(x, y, fmt):
    return _fpick(x, y, fmt, -1)


def _fpick(x, y, fmt, direction):
    if fmt.fields(x)[1] == 0 and fmt.fields(y)[1] == 0:
        return x, 1
    take_x = direction * (_order(x, fmt.width) - _order(y, fmt.width)) >= 0
    return (x if take_x else y), int(take_x)


def packbit(x, y, w):
    """(x << 1) | MSB(y); flag when MSB(y) is 0 (ISA notes 7)."""
    top = y >> (w - 1)
    return ((x << 1) | top) & ((1 << w) - 1), int(top == 0)


def relu(x, y, w, which=0):
    """Bit `which` from the top of x clear: y, else -0 (ISA notes 7, Q19)."""
    clear = (x >> (w - 1 - which)) & 1 == 0
    return (y if clear else 1 << (w - 1)), int(clear)


def lrelu(x, y, fmt, step):
    """MSB(x) clear: y, else y with `step` added to its exponent (ISA notes 7).

    Zero and inf stay as they are; leaving the range gives a signed zero or inf."""
    if x >> (fmt.width - 1) == 0:
        return y, 1
    sign, exp, man = fmt.fields(y)
    if exp in (0, fmt.exp_max):
        return y, 0
    exp += step
    if exp <= 0:
        return fmt.pack(sign, 0, 0), 0
    if exp >= fmt.exp_max:
        return fmt.pack(sign, fmt.exp_max, 0), 0
    return fmt.pack(sign, exp, man), 0


def rsqrt(x, fmt):
    """About 1/sqrt(|x|); the real table is unknown (ISA notes 7, Q1). NOT conforming: 6 bits, truncated."""
    sign, exp, man = fmt.fields(x)
    flag = int(sign == 0)
    if exp == 0:
        return fmt.inf, flag
    if exp == fmt.exp_max:
        return 0, flag
    e = exp - fmt.bias
    m = 1 + (man >> (fmt.man_bits - 6)) / 64
    if e & 1:
        m, e = m * 2, e - 1
    approx = int(64 / math.sqrt(m))  # in (32, 64]
    return encode_signed(fmt, 0, approx, -6 - e // 2), flag


def floor(x, fmt):
    """Toward -inf; inf and zero pass as they are; any other zero result has its mantissa cleared (ISA notes 7)."""
    sign, exp, man = fmt.fields(x)
    if exp in (0, fmt.exp_max):
        return x
    frac = fmt.man_bits - (exp - fmt.bias)
    if frac <= 0:
        return x
    mag = fmt.hidden | man
    q = mag >> frac
    if sign and q << frac != mag:
        q += 1
    return encode_signed(fmt, sign, q, 0) if q else 0


def ftoi(x, fmt, unsigned=False):
    """Truncate to an integer of the same width; `u` of |x|; saturates, inf too (ISA notes 7)."""
    sign, exp, man = fmt.fields(x)
    w = fmt.width
    top = (1 << w) - 1 if unsigned else (1 << (w - 1)) - 1
    if exp == 0:
        return 0
    if exp == fmt.exp_max:
        mag = 1 << 2000
    else:
        mag = fmt.hidden | man
        e2 = exp - fmt.bias - fmt.man_bits
        mag = mag << e2 if e2 >= 0 else mag >> -e2
    if unsigned:
        return min(mag, top)
    if sign:
        return -min(mag, top + 1) & ((1 << w) - 1)
    return min(mag, top)


# name -> (arity, kinds of precision letters, function(x[, y], letter, unsigned, switches) -> (result, flag or None))
def _ints(fn, has_u=False):
    if has_u:
        return lambda a, p, u, sw: fn(*a, WIDTH[p], u)
    return lambda a, p, u, sw: fn(*a, WIDTH[p])


INT, FLOAT, ALL = "lis", "dfh", "lisdfhg"
ELEMENTWISE = {
    "inc": (1, INT, True, _ints(inc, True)),
    "dec": (1, INT, True, _ints(dec, True)),
    "add": (2, INT, True, _ints(add, True)),
    "sub": (2, INT, True, _ints(sub, True)),
    "not": (1, INT, False, _ints(not_)),
    "lnot": (1, INT, False, _ints(lnot)),
    "and": (2, INT, False, _ints(and_)),
    "or": (2, INT, False, _ints(or_)),
    "xor": (2, INT, False, _ints(xor)),
    "lsl": (2, INT, True, lambda a, p, u, sw: lsl(*a, WIDTH[p], sw)),
    "lsr": (2, INT, True, lambda a, p, u, sw: lsr(*a, WIDTH[p], u, sw)),
    "bsl": (2, INT, False, _ints(bsl)),
    "bsr": (2, INT, False, _ints(bsr)),
    "packbit": (2, ALL, False, _ints(packbit)),
    "relu": (2, FLOAT, False, lambda a, p, u, sw: relu(*a, WIDTH[p], 0)),
    "relu0": (2, FLOAT, False, lambda a, p, u, sw: relu(*a, WIDTH[p], 0)),
    "relu1": (2, FLOAT, False, lambda a, p, u, sw: relu(*a, WIDTH[p], 1)),
    "relu2": (2, FLOAT, False, lambda a, p, u, sw: relu(*a, WIDTH[p], 2)),
    "relu3": (2, FLOAT, False, lambda a, p, u, sw: relu(*a, WIDTH[p], 3)),
    "lrelud": (2, FLOAT, False, lambda a, p, u, sw: lrelu(*a, BY_LETTER[p], -1)),
    "lreluo": (2, FLOAT, False, lambda a, p, u, sw: lrelu(*a, BY_LETTER[p], -3)),
    "ilrelud": (2, FLOAT, False, lambda a, p, u, sw: lrelu(*a, BY_LETTER[p], 1)),
    "rsqrt": (1, FLOAT, False, lambda a, p, u, sw: rsqrt(a[0], BY_LETTER[p])),
    "floor": (1, FLOAT, False, lambda a, p, u, sw: (floor(a[0], BY_LETTER[p]), None)),
    "ftoi": (1, FLOAT, True, lambda a, p, u, sw: (ftoi(a[0], BY_LETTER[p], u), None)),
    "max": (2, INT + FLOAT, True, lambda a, p, u, sw: imax(*a, WIDTH[p], u) if p in INT else fmax(*a, BY_LETTER[p])),
    "min": (2, INT + FLOAT, True, lambda a, p, u, sw: imin(*a, WIDTH[p], u) if p in INT else fmin(*a, BY_LETTER[p])),
}


def split(v, w, bits=64):
    """Elements of a word, MSB side first (ISA notes 2.2)."""
    mask = (1 << w) - 1
    return [(v >> s) & mask for s in range(bits - w, -1, -w)]


def join(xs, w):
    acc = 0
    for x in xs:
        acc = (acc << w) | x
    return acc


def replicate_flags(flags):
    """4 flag bits of one cycle, bit 3 = first element; each element's flag fills its share (ISA notes 7)."""
    k = 4 // len(flags)
    acc = 0
    for f in flags:
        for _ in range(k):
            acc = (acc << 1) | f
    return acc


def elementwise(name, letter, unsigned, lws, switches=DEFAULT):
    """SIMD over the MSB LW: (result LW, 4 flag bits or None) (ISA notes 7)."""
    fn = ELEMENTWISE[name][3]
    w = WIDTH[letter]
    pairs = [fn(a, letter, unsigned, switches) for a in zip(*(split(v, w) for v in lws))]
    flags = [f for _, f in pairs]
    return join([r for r, _ in pairs], w), (None if flags[0] is None else replicate_flags(flags))
