"""Matrix arithmetic unit: vector and matrix fused multiply-add (ISA notes 8.4, 8.6)."""

from .formats import BLOCK, DOUBLE, HALF, SINGLE, encode, normalise, rne_shift
from .switches import DEFAULT

#: low significand bits whose partial products the multiplier omits, and the log2 of its correction
#: in units of the product's last place (ISA notes 8.4).
TRUNCATED = {"single": (5, 8), "double": (16, 30)}


def product(fmt, a, b):
    """Significand product of the vector multiplier (ISA notes 8.4).

    Half is exact. Single and double leave out low x low and add a constant when that part is not 0."""
    exact_product = a * b
    if fmt is HALF:
        return exact_product
    bits, corr = TRUNCATED[fmt.name]
    low = (a & ((1 << bits) - 1)) * (b & ((1 << bits) - 1))
    if low == 0:
        return exact_product
    return exact_product - low + (1 << corr)


def _combine_inf(first, second, switches):
    """inf + inf; opposite signs are open question 15, judgement: the first operand wins."""
    if switches.inf_minus_inf != "first":
        raise ValueError("unknown inf_minus_inf")
    return first if first is not None else second


def fma(fmt, a, b, c, cfmt, out, switches=DEFAULT):
    """a*b + c with one rounding (ISA notes 8.4).

    a, b in fmt; c in cfmt; result in `out`, which is one width lower when the opcode has `r`."""
    sa, ea, ma = fmt.fields(a)
    sb, eb, mb = fmt.fields(b)
    sc, ec, mc = cfmt.fields(c)
    sp = sa ^ sb
    zero = ea == 0 or eb == 0
    p_inf = not zero and (ea == fmt.exp_max or eb == fmt.exp_max)
    if p_inf or ec == cfmt.exp_max:
        sign = _combine_inf(sp if p_inf else None, sc if ec == cfmt.exp_max else None, switches)
        return out.pack(sign, out.exp_max, 0)
    if zero:
        p, pe = 0, 0
    else:
        p = product(fmt, fmt.hidden | ma, fmt.hidden | mb)
        pe = ea + eb - 2 * (fmt.bias + fmt.man_bits)
    if ec == 0:
        return encode(out, sp, p, pe)
    m = cfmt.hidden | mc
    me = ec - cfmt.bias - cfmt.man_bits
    if p == 0:
        return encode(out, sc, m, me)
    low = pe if pe < me else me
    p <<= pe - low
    m <<= me - low
    total = (-p if sp else p) + (-m if sc else m)
    if total < 0:
        return encode(out, 1, -total, low)
    return encode(out, 0, total, low)


def mul(fmt, a, b, out, switches=DEFAULT):
    """vmul: the addend is 0 (ISA notes 8.4)."""
    return fma(fmt, a, b, 0, out, out, switches)


def add(fmt, a, c, cfmt, out, switches=DEFAULT):
    """vadd: b = 1, which the truncated multiplier leaves exact (ISA notes 8.4)."""
    return fma(fmt, a, fmt.one, c, cfmt, out, switches)


def passa(fmt, a, out, switches=DEFAULT):
    """vpassa: b = 1, c = 0, so the value is renormalised (ISA notes 6.1, 8.4)."""
    return fma(fmt, a, fmt.one, 0, out, out, switches)


def pass_addend(cfmt, c, out):
    """A lane whose product is disabled: normalise(y), in the output precision (ISA notes 6.1, 8.6)."""
    if out is cfmt:
        return normalise(cfmt, c)
    sign, exp, man = cfmt.fields(c)
    if exp == 0:
        return 0
    if exp == cfmt.exp_max:
        return out.pack(sign, out.exp_max, 0)
    return encode(out, sign, cfmt.hidden | man, exp - cfmt.bias - cfmt.man_bits)


#: accumulation format of each matrix precision (ISA notes 8.6).
ACCUMULATE = {"h": SINGLE, "g": SINGLE, "f": SINGLE, "d": DOUBLE}
#: Q33: correction of block-float products, log2 in product last places.
MATRIX_CORRECTION = {"lsb": {"f": 8, "d": 30}, "absolute": {"f": 6, "d": 28}}


def _block_product(kind, a, b, switches):
    """Significand product of two block-float mantissas; f and d use the truncated multiplier (ISA notes 8.6)."""
    if kind not in ("f", "d"):
        return a * b
    bits = 5 if kind == "f" else 16
    low = (a & ((1 << bits) - 1)) * (b & ((1 << bits) - 1))
    if low == 0:
        return a * b
    return a * b - low + (1 << MATRIX_CORRECTION[switches.matrix_constant][kind])


def _extended_shift(p, shift, switches):
    """An extended factor moves the product down; its rounding is open question 3 (ISA notes 8.6)."""
    if switches.hbfe_product == "truncate":
        return p >> shift
    return rne_shift(p, shift)


class Block:
    """Decoded block-float vector: shared exponent and per element (sign, mantissa, extended, inf)."""

    def __init__(self, kind, words):
        fmt, used = BLOCK[kind]
        fields = [fmt.fields(w) for w in words]
        self.kind = kind
        self.exp = max(e for _, e, _ in fields)
        drop = fmt.man_bits - used
        self.inf = self.exp == fmt.exp_max
        self.elements = []
        for sign, exp, man in fields:
            man >>= drop
            extended = kind == "h" and exp == 0
            self.elements.append((sign, man, extended, exp == fmt.exp_max))
        self.simple = not self.inf and not any(x for _, m, x, _ in self.elements if m)
        self.signed = [-m if s else m for s, m, _, _ in self.elements]


def dot(a, b, c, out, switches=DEFAULT):
    """sum a_i*b_i + c over one block pair with a single rounding (ISA notes 8.6).

    a, b are Block; c is a pattern of the accumulation format (None = 0)."""
    kind = a.kind
    fmt, used = BLOCK[kind]
    acc = ACCUMULATE[kind]
    sc, ec, mc = acc.fields(c) if c is not None else (0, 0, 0)
    if a.inf or b.inf:
        for (sa, ma, _, ia), (sb, mb, _, ib) in zip(a.elements, b.elements):
            # the zero rule of 8.4 with the block meaning of zero: mantissa 0 (2.4)
            if (ia and (ib or mb)) or (ib and ma):
                return out.pack(sa ^ sb, out.exp_max, 0)
    if ec == acc.exp_max:
        return out.pack(sc, out.exp_max, 0)
    scale = 0
    if a.simple and b.simple and kind in ("h", "g"):
        total = sum([x * y for x, y in zip(a.signed, b.signed)])
    else:
        total = 0
        if switches.hbfe_product == "exact":
            scale = 12
        for (sa, ma, xa, _), (sb, mb, xb, _) in zip(a.elements, b.elements):
            p = _block_product(kind, ma, mb, switches)
            if scale:
                p <<= 12 - 6 * (xa + xb)
            elif p and (xa or xb):
                p = _extended_shift(p, 6 * (xa + xb), switches)
            total += -p if sa ^ sb else p
    e2 = a.exp + b.exp - 2 * (fmt.bias + used - 1) - scale
    if ec:
        m = acc.hidden | mc
        me = ec - acc.bias - acc.man_bits
        low = min(e2, me)
        total = (total << (e2 - low)) + ((-m if sc else m) << (me - low))
        e2 = low
    if total < 0:
        return encode(out, 1, -total, e2)
    return encode(out, 0, total, e2)
