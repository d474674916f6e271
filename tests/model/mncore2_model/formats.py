"""Number formats: fields, exact values, rounding (ISA notes 2.1, 2.4, 8, 8.1)."""

from fractions import Fraction


class Format:
    """One ordinary float format of the table in ISA notes 2.1."""

    def __init__(self, name, width, exp_bits, man_bits, bias):
        self.name = name
        self.width = width
        self.exp_bits = exp_bits
        self.man_bits = man_bits
        self.bias = bias
        self.mask = (1 << width) - 1
        self.sign_bit = 1 << (width - 1)
        self.exp_max = (1 << exp_bits) - 1
        self.man_mask = (1 << man_bits) - 1
        self.hidden = 1 << man_bits
        self.inf = self.exp_max << man_bits
        self.one = bias << man_bits
        self.max_finite = self.inf - 1
        self.min_normal = 1 << man_bits

    def __repr__(self):
        return f"Format({self.name})"

    def fields(self, bits):
        """(sign, exponent field, mantissa field), ISA notes 2.1."""
        return (bits >> (self.width - 1)) & 1, (bits >> self.man_bits) & self.exp_max, bits & self.man_mask

    def pack(self, sign, exp, man):
        return (sign << (self.width - 1)) | (exp << self.man_bits) | man


HALF = Format("half", 16, 6, 9, 31)
SINGLE = Format("single", 32, 8, 23, 127)
DOUBLE = Format("double", 64, 11, 52, 1023)
BY_LETTER = {"h": HALF, "f": SINGLE, "d": DOUBLE, "g": SINGLE}
LOWER = {"double": SINGLE, "single": HALF}
HIGHER = {"half": SINGLE, "single": DOUBLE}


def is_zero(fmt, bits):
    """Exponent field all 0 is a zero whatever the mantissa (ISA notes 2.1)."""
    return (bits >> fmt.man_bits) & fmt.exp_max == 0


def is_inf(fmt, bits):
    """Exponent field all 1 is an infinity whatever the mantissa (ISA notes 2.1)."""
    return (bits >> fmt.man_bits) & fmt.exp_max == fmt.exp_max


def exact(fmt, bits):
    """Exact value as a Fraction, or the string '+inf' / '-inf' (ISA notes 2.1)."""
    sign, exp, man = fmt.fields(bits)
    if exp == 0:
        return Fraction(0)
    if exp == fmt.exp_max:
        return "-inf" if sign else "+inf"
    mag = fmt.hidden | man
    e2 = exp - fmt.bias - fmt.man_bits
    value = Fraction(mag << e2) if e2 >= 0 else Fraction(mag, 1 << -e2)
    return -value if sign else value


def rne_shift(mag, drop):
    """mag / 2**drop rounded to nearest, ties to even; negative drop shifts left (ISA notes 8)."""
    if drop <= 0:
        return mag << -drop
    q = mag >> drop
    rem = mag & ((1 << drop) - 1)
    half = 1 << (drop - 1)
    if rem > half or (rem == half and q & 1):
        q += 1
    return q


def encode_signed(fmt, sign, mag, e2):
    """Round (-1)^sign * mag * 2^e2 to fmt, RNE with unlimited exponent range, then the range check:
    field >= all ones gives inf, field <= 0 gives a zero that keeps its sign (ISA notes 8, 8.4)."""
    if mag == 0:
        return sign << (fmt.width - 1)
    drop = mag.bit_length() - fmt.man_bits - 1
    q = rne_shift(mag, drop)
    if q >> (fmt.man_bits + 1):
        q >>= 1
        drop += 1
    exp = e2 + drop + fmt.man_bits + fmt.bias
    if exp >= fmt.exp_max:
        return fmt.pack(sign, fmt.exp_max, 0)
    if exp <= 0:
        return sign << (fmt.width - 1)
    return fmt.pack(sign, exp, q & fmt.man_mask)


def normalise(fmt, bits):
    """Output normalisation (ISA notes 8.1): inf loses its mantissa, zero its mantissa and its sign."""
    exp = (bits >> fmt.man_bits) & fmt.exp_max
    if exp == 0:
        return 0
    if exp == fmt.exp_max:
        return bits & ~fmt.man_mask
    return bits


def encode(fmt, sign, mag, e2):
    """encode_signed followed by output normalisation (ISA notes 8.1)."""
    return normalise(fmt, encode_signed(fmt, sign, mag, e2))


def encode_fraction(fmt, value):
    """Round an exact Fraction to fmt (RNE); used by tests and by nothing of the machine itself."""
    sign = 1 if value < 0 else 0
    num, den = abs(value.numerator), value.denominator
    if num == 0:
        return 0
    if den & (den - 1) == 0:
        return encode(fmt, sign, num, -(den.bit_length() - 1))
    shift = den.bit_length() + 3 * fmt.man_bits + 8
    q, rem = divmod(num << shift, den)
    return encode(fmt, sign, (q << 1) | (1 if rem else 0), -shift - 1)


def convert(src, dst, bits, zero_sign="keep"):
    """Input conversion: `e` widens exactly, `r` rounds once with RNE (ISA notes 6.3, 8.4)."""
    sign, exp, man = src.fields(bits)
    if exp == 0:
        out = sign << (dst.width - 1)
    elif exp == src.exp_max:
        return dst.pack(sign, dst.exp_max, 0)
    else:
        out = encode_signed(dst, sign, src.hidden | man, exp - src.bias - src.man_bits)
    if zero_sign == "drop" and out == dst.sign_bit:
        return 0
    return out


#: Block-float mantissa bits used: kind -> (format, used bits) (ISA notes 2.4).
BLOCK = {"d": (DOUBLE, 52), "f": (SINGLE, 23), "g": (SINGLE, 18), "h": (HALF, 9)}


def block_value(kind, bits, shared_exp=None):
    """Exact value of one block-float element: no hidden bit, field MSB weighs 2^0 (ISA notes 2.4).

    For half, exponent field 0 marks an extended element read with shared exponent - 6; the caller
    gives the shared exponent of the block."""
    fmt, used = BLOCK[kind]
    sign, exp, man = fmt.fields(bits)
    man >>= fmt.man_bits - used
    if shared_exp is not None:
        exp = shared_exp - 6 if kind == "h" and exp == 0 else shared_exp
    value = Fraction(man) * Fraction(2) ** (exp - fmt.bias - (used - 1))
    return -value if sign else value


def to_double(fmt, bits):
    """Python float of a pattern, for printing: zeros keep their sign, no subnormals (ISA notes 2.1, 3.5)."""
    sign, exp, man = fmt.fields(bits)
    if exp == 0:
        return -0.0 if sign else 0.0
    if exp == fmt.exp_max:
        return float("-inf") if sign else float("inf")
    value = (fmt.hidden | man) * 2.0 ** (exp - fmt.bias - fmt.man_bits) if fmt is not DOUBLE else _double(exp, man)
    return -value if sign else value


def _double(exp, man):
    import struct

    return struct.unpack(">d", struct.pack(">Q", (exp << 52) | man))[0]
