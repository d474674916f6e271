"""Laws of the independent model: exact fractions, IEEE arithmetic where it must agree, inverse transfers."""

import math
import random
import struct
from fractions import Fraction

import numpy as np
import pytest

from mncore2_model import DOUBLE, HALF, SINGLE, Machine, alu, bf, mau, rrn, values
from mncore2_model.formats import block_value, convert, encode, encode_fraction, exact, normalise
from mncore2_model.genprog import generate
from mncore2_model.vsm import VsmError, parse_operand, single_from_text

FORMATS = [HALF, SINGLE, DOUBLE]
np.seterr(all="ignore")


def finite(rng, fmt):
    """A normal number with an exponent far from both borders."""
    return fmt.pack(rng.getrandbits(1), fmt.bias + rng.randint(-9, 9), values.mantissa(rng, fmt))


def as_single(bits):
    return np.uint32(bits).view(np.float32)


def single_bits(x):
    return int(np.float32(x).view(np.uint32))


# ---------------------------------------------------------------- formats


def test_half_constants():
    assert exact(HALF, 0x3E00) == 1
    assert 4.28e9 < exact(HALF, HALF.max_finite) < 4.3e9
    assert math.isclose(exact(HALF, HALF.min_normal), 9.31e-10, rel_tol=1e-3)


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_encode_inverts_exact(fmt):
    rng = random.Random(1)
    for _ in range(3000):
        bits = finite(rng, fmt)
        assert encode_fraction(fmt, exact(fmt, bits)) == bits


def test_single_and_double_rounding_is_ieee():
    rng = random.Random(2)
    for _ in range(3000):
        x = rng.uniform(-4, 4) * 2.0 ** rng.randint(-60, 60)
        assert encode_fraction(SINGLE, Fraction(x)) == single_bits(x)
        n, d = rng.getrandbits(80) + 1, rng.getrandbits(40) + 1
        assert encode_fraction(DOUBLE, Fraction(n, d)) == struct.unpack(">Q", struct.pack(">d", n / d))[0]


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_rounding_is_nearest_even(fmt):
    rng = random.Random(3)
    for _ in range(1000):
        bits = finite(rng, fmt) & ~fmt.sign_bit
        a, b = exact(fmt, bits), exact(fmt, bits + 1)
        mid, tiny = (a + b) / 2, (b - a) / 1000
        assert encode_fraction(fmt, mid) == bits + (bits & 1)
        assert encode_fraction(fmt, mid - tiny) == bits
        assert encode_fraction(fmt, -mid - tiny) == (bits + 1) | fmt.sign_bit


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_range(fmt):
    assert encode(fmt, 0, 1, fmt.exp_max - fmt.bias) == fmt.inf
    assert encode(fmt, 1, 1, -fmt.bias) == 0
    assert encode(fmt, 1, 1, 1 - fmt.bias) == fmt.min_normal | fmt.sign_bit
    assert normalise(fmt, fmt.sign_bit | 1) == 0
    assert normalise(fmt, fmt.inf | 1) == fmt.inf


def test_widening_is_exact():
    for bits in range(1 << 16):
        wide = convert(HALF, SINGLE, bits)
        if exact(HALF, bits) != 0:
            assert exact(SINGLE, wide) == exact(HALF, bits)
        if HALF.fields(bits)[1] not in (0, HALF.exp_max):
            assert convert(SINGLE, HALF, wide) == bits


def test_literals_are_host_singles():
    rng = random.Random(4)
    for text in ["0.5", "3.14", "-0", "1e-45", "1e-40", "3.4028235e38", "1e39", "16777217", "-inf"]:
        assert single_from_text(text) == single_bits(float(text))
    for _ in range(500):
        text = repr(rng.uniform(-1, 1) * 10.0 ** rng.randint(-44, 38))
        assert single_from_text(text) == int(np.array(text, dtype="U").astype(np.float32).view(np.uint32))


# ---------------------------------------------------------------- vector unit


@pytest.mark.parametrize("letter", "hfd")
def test_fma_is_exact_when_nothing_is_omitted(letter):
    """With the low bits of one factor 0, a*b + c is the correctly rounded fraction."""
    rng = random.Random(5)
    fmt = {"h": HALF, "f": SINGLE, "d": DOUBLE}[letter]
    acc = SINGLE if letter == "h" else fmt
    low = {"h": 0, "f": 5, "d": 16}[letter]
    for _ in range(3000):
        a, b = finite(rng, fmt), finite(rng, fmt) >> low << low
        c = values.addend_for(rng, fmt, a, b, acc)
        if isinstance(exact(acc, c), str):
            continue
        for out in (acc, {"h": HALF, "f": HALF, "d": SINGLE}[letter]):
            want = encode_fraction(out, exact(fmt, a) * exact(fmt, b) + exact(acc, c))
            assert mau.fma(fmt, a, b, c, acc, out) == want


@pytest.mark.parametrize("fmt,bits,constant", [(SINGLE, 5, 1 << 8), (DOUBLE, 16, 1 << 30)], ids=["single", "double"])
def test_truncated_product(fmt, bits, constant):
    """The omitted part is at most (2^bits - 1)^2, and every product is off by that minus the constant."""
    rng = random.Random(6)
    worst = (1 << bits) - 1
    for _ in range(3000):
        a = fmt.hidden | rng.getrandbits(fmt.man_bits)
        b = fmt.hidden | rng.getrandbits(fmt.man_bits)
        error = mau.product(fmt, a, b) - a * b
        low = (a & worst) * (b & worst)
        assert error == (constant - low if low else 0)
        assert abs(error) <= max(constant, worst * worst - constant)


def test_single_add_and_pass_are_ieee():
    rng = random.Random(7)
    for _ in range(5000):
        a, b = finite(rng, SINGLE), finite(rng, SINGLE)
        want = as_single(a) + as_single(b)
        assert mau.add(SINGLE, a, b, SINGLE, SINGLE) == (single_bits(want) if want else 0)
        assert mau.passa(SINGLE, a, SINGLE) == a


def test_fma_symmetry():
    rng = random.Random(8)
    for _ in range(3000):
        a, b, c = (values.number(rng, SINGLE) for _ in range(3))
        r = mau.fma(SINGLE, a, b, c, SINGLE, SINGLE)
        assert r == mau.fma(SINGLE, b, a, c, SINGLE, SINGLE)
        s = SINGLE.sign_bit
        assert mau.fma(SINGLE, a ^ s, b, c ^ s, SINGLE, SINGLE) == (r ^ s if SINGLE.fields(r)[1] else 0)
        assert SINGLE.fields(r)[1] not in (0, SINGLE.exp_max) or SINGLE.fields(r)[2] == 0


def test_specials():
    inf, one, zero = SINGLE.inf, SINGLE.one, 0
    assert mau.fma(SINGLE, inf, zero, one, SINGLE, SINGLE) == one
    assert mau.fma(SINGLE, inf, one | SINGLE.sign_bit, inf, SINGLE, SINGLE) == inf | SINGLE.sign_bit
    assert mau.fma(SINGLE, one, one, inf | 5, SINGLE, SINGLE) == inf
    assert mau.passa(SINGLE, SINGLE.sign_bit, SINGLE) == 0
    assert mau.pass_addend(DOUBLE, DOUBLE.sign_bit, DOUBLE) == 0


# ---------------------------------------------------------------- block floats and matrix unit


def block_words(rng, kind, n):
    fmt = {"d": DOUBLE, "f": SINGLE, "g": SINGLE, "h": HALF}[kind]
    return fmt, [values.number(rng, fmt, specials=False) for _ in range(n)]


@pytest.mark.parametrize("kind,n", [("d", 4), ("f", 4), ("g", 8), ("h", 16)])
def test_block_conversion_is_nearest(kind, n):
    """Every element is within half a unit of the block, and unit = 2^(E - bias - (bits - 1))."""
    rng = random.Random(9)
    used = {"d": 52, "f": 23, "g": 18, "h": 9}[kind]
    for _ in range(400):
        fmt, words = block_words(rng, kind, n)
        out = bf.convert_block(kind, words)
        shared = max(fmt.fields(w)[1] for w in out)
        unit = Fraction(2) ** (shared - fmt.bias - (used - 1))
        for w, o in zip(words, out):
            assert abs(exact(fmt, w) - block_value(kind, o, shared if fmt.fields(o)[2] else None)) <= unit / 2
            assert fmt.fields(o)[0] == fmt.fields(w)[0]
            assert fmt.fields(o)[2] % (1 << (fmt.man_bits - used)) == 0
        largest = max(abs(exact(fmt, w)) for w in words)
        if largest:
            # the block uses its top bit: no exponent is wasted
            assert max(fmt.fields(o)[2] for o in out) >> (fmt.man_bits - 1) == 1


def test_half_block_of_fewer_bits():
    rng = random.Random(10)
    for n in (6, 7, 8, 9):
        for _ in range(200):
            _, words = block_words(rng, "h", 16)
            out = bf.convert_block("h", words, n)
            assert all(HALF.fields(o)[2] < 1 << n for o in out)


def test_extended_block_is_finer_and_never_worse():
    rng = random.Random(11)
    seen = 0
    for _ in range(400):
        _, words = block_words(rng, "h", 16)
        plain, ext = bf.convert_block("h", words), bf.convert_block("h", words, extended=True)
        shared = max(HALF.fields(w)[1] for w in plain)
        for w, p, e in zip(words, plain, ext):
            x = exact(HALF, w)
            got = block_value("h", e, shared)
            if HALF.fields(e)[1] == 0 and HALF.fields(e)[2]:
                seen += 1
            assert abs(x - got) <= abs(x - (block_value("h", p) if HALF.fields(p)[1] else 0))
    assert seen > 100


@pytest.mark.parametrize("kind,n", [("d", 4), ("f", 4), ("g", 8), ("h", 16)])
def test_matrix_sum(kind, n):
    """h and g are the exact sum rounded once; f and d are that up to the multiplier's omission."""
    rng = random.Random(12)
    used = {"d": 52, "f": 23, "g": 18, "h": 9}[kind]
    acc = mau.ACCUMULATE[kind]
    for _ in range(300):
        fmt, wa = block_words(rng, kind, n)
        _, wb = block_words(rng, kind, n)
        a, b = bf.convert_block(kind, wa), bf.convert_block(kind, wb)
        c = finite(rng, acc)
        if rng.random() < 0.1:
            c = 0
        ea, eb = max(fmt.fields(w)[1] for w in a), max(fmt.fields(w)[1] for w in b)

        def value(w, e, fmt=fmt):
            return block_value(kind, w, e) if fmt.fields(w)[2] else 0

        total = sum(value(x, ea) * value(y, eb) for x, y in zip(a, b)) + exact(acc, c)
        got = mau.dot(mau.Block(kind, a), mau.Block(kind, b), c, acc)
        if kind in "hg":
            assert got == encode_fraction(acc, total)
        else:
            low, const = {"f": (5, 8), "d": (16, 30)}[kind]
            unit = Fraction(2) ** (ea + eb - 2 * (fmt.bias + used - 1))
            bound = n * unit * max(1 << const, ((1 << low) - 1) ** 2)
            ulp = Fraction(2) ** (max(acc.fields(got)[1], 1) - acc.bias - acc.man_bits)
            assert abs(exact(acc, got) - total) <= bound + ulp / 2


# ---------------------------------------------------------------- reductions


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_node_is_exact_for_close_exponents(fmt):
    """Exponents within 3 fit the guard bits: the sum is rounded once, in any order of the four inputs."""
    rng = random.Random(13)
    for _ in range(1000):
        xs = [fmt.pack(rng.getrandbits(1), fmt.bias + rng.randrange(4), values.mantissa(rng, fmt)) for _ in range(4)]
        want = encode_fraction(fmt, sum(exact(fmt, x) for x in xs))
        assert rrn.fadd_node(fmt, xs, fmt) == want
        rng.shuffle(xs)
        assert rrn.fadd_node(fmt, xs, fmt) == want


def test_node_error_bound():
    rng = random.Random(14)
    for _ in range(2000):
        xs = values.cancelling(rng, SINGLE, 4)
        if any(isinstance(exact(SINGLE, x), str) for x in xs):
            continue
        top = max(SINGLE.fields(x)[1] for x in xs)
        got = rrn.fadd_node(SINGLE, xs, SINGLE)
        if isinstance(exact(SINGLE, got), str):
            continue
        guard = Fraction(2) ** (top - SINGLE.bias - SINGLE.man_bits - 3)
        ulp = Fraction(2) ** (max(SINGLE.fields(got)[1], 1) - SINGLE.bias - SINGLE.man_bits)
        low = Fraction(2) ** (1 - SINGLE.bias)
        assert abs(exact(SINGLE, got) - sum(exact(SINGLE, x) for x in xs)) <= 4 * guard / 2 + max(ulp / 2, low)


def test_sixteen_inputs_group_by_four():
    rng = random.Random(15)
    for _ in range(200):
        xs = values.cancelling(rng, DOUBLE)
        if any(isinstance(exact(DOUBLE, x), str) for x in xs):
            continue
        want = rrn.fadd("d", xs)
        groups = [xs[4 * q : 4 * q + 4] for q in range(4)]
        for g in groups:
            rng.shuffle(g)
        rng.shuffle(groups)
        assert rrn.fadd("d", [x for g in groups for x in g]) == want


def test_maxmin_and_integers():
    rng = random.Random(16)
    for _ in range(500):
        xs = [finite(rng, SINGLE) for _ in range(16)]
        assert exact(SINGLE, rrn.maxmin("max", "f", xs)) == max(exact(SINGLE, x) for x in xs)
        assert exact(SINGLE, rrn.maxmin("min", "f", xs)) == min(exact(SINGLE, x) for x in xs)
        assert rrn.integer("iadd", 32, xs) == sum(xs) % 2**32
        assert rrn.integer("bor", 32, xs) == int(np.bitwise_or.reduce(np.array(xs, dtype=np.uint32)))
        assert rrn.integer("band", 32, xs) == int(np.bitwise_and.reduce(np.array(xs, dtype=np.uint32)))
    for name in ("dfadd", "ffadd", "hfadd", "fmax", "fmin", "liadd", "iband", "sbor"):
        op = rrn.Op(name)
        one = rrn.identity(op.op, op.width)
        x = {"d": 0x3FF0000000000000, "f": 0xBF800000, "h": 0xBE00}.get(name[0], 5)
        assert op.element([x, one, one, one]) == x


# ---------------------------------------------------------------- ALU


@pytest.mark.parametrize("w", [16, 32, 64])
def test_integer_alu(w):
    rng = random.Random(17)
    m = 1 << w
    for _ in range(2000):
        x, y = values.integer(rng, w), values.integer(rng, w)
        sx, sy = alu.signed(x, w), alu.signed(y, w)
        assert alu.add(x, y, w) == ((sx + sy) % m, int(alu.signed((x + y) % m, w) >= 0))
        assert alu.add(x, y, w, True) == ((x + y) % m, int(x + y < m))
        assert alu.sub(x, y, w, True) == ((x - y) % m, int(x - y >= 0))
        assert alu.imax(x, y, w) == (max(sx, sy) % m, int(sx >= sy))
        assert alu.imin(x, y, w, True) == (min(x, y), int(x <= y))
        n = rng.randrange(w)
        assert alu.lsl(x, n, w)[0] == (x << n) % m
        assert alu.lsr(x, n, w)[0] == (sx >> n) % m
        assert alu.lsr(x, n, w, True)[0] == x >> n
        assert alu.bsr(alu.bsl(x, n, w)[0], n, w)[0] == x
        assert alu.not_(alu.not_(x, w)[0], w)[0] == x
        assert alu.inc(x, w)[0] == alu.add(x, 1, w)[0]
        assert alu.dec(x, w, True) == ((x - 1) % m, int(x != 0))


@pytest.mark.parametrize("fmt", FORMATS, ids=str)
def test_floor_and_ftoi(fmt):
    rng = random.Random(18)
    w = fmt.width
    for _ in range(2000):
        x = values.number(rng, fmt)
        v = exact(fmt, x)
        if isinstance(v, str):
            assert alu.floor(x, fmt) == x
            assert alu.ftoi(x, fmt) == (1 << (w - 1) if v == "-inf" else (1 << (w - 1)) - 1)
            continue
        if v:
            assert exact(fmt, alu.floor(x, fmt)) == math.floor(v)
        lo, hi = -(1 << (w - 1)), (1 << (w - 1)) - 1
        assert alu.signed(alu.ftoi(x, fmt), w) == min(max(math.trunc(v), lo), hi)
        assert alu.ftoi(x, fmt, True) == min(math.trunc(abs(v)), (1 << w) - 1)


def test_float_max_is_the_order():
    rng = random.Random(19)
    for _ in range(2000):
        x, y = finite(rng, HALF), finite(rng, HALF)
        bits, flag = alu.fmax(x, y, HALF)
        assert exact(HALF, bits) == max(exact(HALF, x), exact(HALF, y))
        assert flag == int(exact(HALF, x) >= exact(HALF, y))
    assert alu.fmax(HALF.sign_bit | 3, 0, HALF) == (HALF.sign_bit | 3, 1)
    assert alu.relu(HALF.sign_bit, 7, 16) == (HALF.sign_bit, 0)


# ---------------------------------------------------------------- machine


def fill(m, mem, place, words):
    for k, w in enumerate(words):
        m.run(f"d set $l{mem}{2 * k}{place} 1 {w:016X}")


def test_transpose_by_matrix_register():
    m = Machine()
    rng = random.Random(20)
    rows = [[rng.getrandbits(16) for _ in range(16)] for _ in range(16)]
    for p in range(4):
        fill(m, "m", f"n0c0b0m3p{p}", [alu.join(r[4 * p : 4 * p + 4], 16) for r in rows])
    m.run(
        "\n".join(
            [f"hmwrite $lm{8 * q}v $lx{4 * q}" for q in range(4)] + [f"hmread $lx{4 * q} $lr{8 * q}v" for q in range(4)]
        )
    )
    for p in range(4):
        got = m.read_lws("r", (0, 0, 0, 3, p), 0, 16)
        assert got == [alu.join([rows[4 * p + i][j] for i in range(4)], 16) for j in range(16)]


@pytest.mark.parametrize("shift", ["", "+1", "-3"])
def test_l1bmd_round_trip(shift):
    m = Machine()
    m.run("lpassa $peid $lr0v")
    m.run(f"l1bmd{shift} $lr0v $lb0\nl1bmd{shift} $lb0 $ls0v")
    n = int(shift or 0)
    for mab in range(16):
        # up moves to MAB +n, down moves by +n again
        assert m.read("ls0", (0, 0, 0, mab, 1)) == 4 * ((mab - 2 * n) % 16) + 1


def test_shift_direction_and_turnaround():
    m = Machine()
    m.run("lpassa $mabid $lr0v\nl1bmd $lr0v $lb0\nl1bmd+1 $lb0 $ls0v\nl1bmd+1 $lbi $ln0v")
    assert m.read("ls0", (0, 0, 0, 5, 0)) == 4
    assert m.read("ln0", (0, 0, 0, 0, 0)) == 15
    m.run("l1bmm@7 $lr0v $lbi\nl1bmm $lbi $lm0v")
    assert {m.read("lm0", (0, 0, 1, mab, 2)) for mab in range(16)} == {7}
    with pytest.raises(VsmError):
        m.run("l1bmd $lbi $lm0v")


def test_l2bmd_round_trip_and_reduce():
    m = Machine()
    rng = random.Random(21)
    words = [rng.getrandbits(64) for _ in range(256)]
    m.run(f"d set $lc0n0c0 256 {''.join(f'{w:016x}' for w in words)}")
    m.run("l2bmd $lc0 $lb0\nl2bmd $lb0 $lc256")
    for c in range(4):
        for b in range(2):
            for k in range(8):
                a = 64 * c + 8 * b + k
                assert m.read("lb", (0, 0, b), 8 * c + k) == words[a]
                assert m.read("lc", (0, 0), 256 + a) == words[a]
    m.run("l2bmrliadd $lb0 $lc512\nl2bmrliadd@1 $lb0 $lc576\nl2bm@1 $lb0 $lc640")
    for k in range(32):
        b0, b1 = m.read("lb", (0, 0, 0), k), m.read("lb", (0, 0, 1), k)
        assert m.read("lc", (0, 0), 512 + k) == (b0 + b1) % 2**64
        assert m.read("lc", (0, 0), 576 + k) == b1 == m.read("lc", (0, 0), 640 + k)


def preload(m, group, base, count, seed):
    rng = random.Random(seed)
    words = [rng.getrandbits(64) for _ in range(count)]
    m.run("\n".join(f"r {group} {base + i:09x} 001 {w:016x}" for i, w in enumerate(words)))
    return words


def test_mv_round_trips_on_the_full_tree():
    m = Machine(4, 2, 1)
    words = preload(m, 0, 0, 1024, 22)
    m.run("mvp/n1024 $d0@0 $p0@0\nmvd/n1024 $p0@0 $lc0\nmvd/n1024 $lc0 $p4096@0\nmvp/n1024 $p4096@0 $d2048@2")
    for lin in range(8):
        for i in range(8):
            for k in range(16):
                assert m.read("lc", divmod(lin, 2), 16 * i + k) == words[128 * i + 16 * lin + k]
    assert [m.read("d", (2,), 2048 + i) for i in range(1024)] == words
    m.run("mvd/n256 $p0@0 $d8192\nmvd/n256 $d8192 $p8192@0")
    for h in range(4):
        assert [m.read("d", (h,), 8192 + k) for k in range(16, 32)] == words[64 + 16 * h : 80 + 16 * h]
    assert [m.read("p", (0,), 8192 + i) for i in range(256)] == words[:256]


def test_mv_broadcast_and_reduce_on_the_full_tree():
    m = Machine(4, 2, 1)
    words = preload(m, 0, 0, 64, 23)
    m.run("mvp/n64 $d0@0 $p0@0\nmvb/n64 $p0@0 $lc0\nmvrliadd/n64 $lc0 $p64@0")
    assert [m.read("p", (0,), 64 + i) for i in range(64)] == [8 * w % 2**64 for w in words]
    each = {g: preload(m, g, 128, 128, 24 + g) for g in range(4)}
    # mvb4 and its inverse: every L2B of column s holds all groups' parts, the sum over groups is 4 times each
    m.run("mvb4/n128 $d128 $lc64\nmvr4liadd/n128 $lc64 $d256")
    for g in range(4):
        got = [m.read("d", (g,), 256 + i) for i in range(64)]
        assert got == [4 * w % 2**64 for w in each[g][:64]]
    m.run("mvb2/n64 $d128 $lc256\nmvr2liadd/n64 $lc256 $d512")
    for g in range(4):
        assert [m.read("d", (g,), 512 + i) for i in range(64)] == [2 * w % 2**64 for w in each[g][:64]]
    m.run("mvb/n64 $d128 $lc512\nmvrliadd/n64 $lc512 $d768")
    for g in range(4):
        assert [m.read("d", (g,), 768 + i) for i in range(16)] == [8 * w % 2**64 for w in each[g][:16]]


def test_size_must_be_a_multiple():
    for line in ("mvp/n32 $d0@0 $p0@0", "mvd/n64 $p0@0 $lc0", "mvd/n32 $p0@0 $d0"):
        with pytest.raises(VsmError):
            Machine().run(line)


def test_addressing():
    m = Machine()
    m.run('lpassa $peid $lm0\nlpassa $mabid $lm2\nlpassa $subpeid $lm8\nimm i"4" $t\nlpassa $lmt4v0 $ln0')
    assert m.read("ln0", (0, 0, 0, 2, 3)) == 3
    m.run("lpassa $t $lmb\nlpassa $lm4094 $ln2")  # 4094 + 4 wraps to 2
    assert m.read("ln2", (0, 0, 1, 9, 0)) == 9
    m.run("lpassa $lm4094j1 $ln4")  # PE 0 and 1 read one long word further: address 4
    assert [m.read("ln4", (0, 0, 1, 9, p)) for p in range(4)] == [0, 0, 9, 9]


def test_write_in_cycle_order():
    m = Machine()
    m.run("d set $lm0n0c0b0m0p0 4 " + "".join(f"{k:016x}" for k in range(1, 5)))
    m.run("lpassa $lm0v $lr0\nlpassa $lm0v $ls[4,0,4,2]")
    assert m.read("lr0") == 4
    assert [m.read("ls", addr=a) for a in (0, 2, 4)] == [2, 4, 3]


def test_read_before_write_in_a_step():
    m = Machine()
    m.run("d set $lr0n0c0b0m0p0 4 " + "".join(f"{k:016x}" for k in range(1, 5)))
    m.run("linc $lr0v $lr2v")
    assert m.read_lws("r", (0, 0, 0, 0, 0), 0, 5) == [1, 2, 3, 4, 5]


def test_misaligned_operands_are_refused():
    for text in ("$lm1", "$llr2", "$ln0v1", "$lm0tv", "$lrt0", "$omr0", "$omr16"):
        with pytest.raises(VsmError):
            parse_operand(text)


# ---------------------------------------------------------------- generator


def test_generator_is_deterministic_and_runs():
    for seed in range(8):
        program = generate(seed)
        assert program == generate(seed)
        assert len(Machine().run(program)) > 8000
    assert generate(1) != generate(2)
    for seed in range(4):
        assert len(Machine().run(generate(seed, "all"))) > 8000
