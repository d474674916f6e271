"""The host target against NumPy: every op that has a variant there, on odd values and in odd layouts.

Singles come out as NumPy's own singles, which round each operation once; sums and products are compared with float64
loops in index order, which is what the host states.
"""

import numpy as np
import pytest

from kumihimo import Error, leir, run
from kumihimo._native import call_json

NUMPY = {leir.single: np.float32, leir.double: np.float64}
# Row-major by lanes and addresses, and two that are not: elements on cores, address strides reversed.
LAYOUTS = {
    leir.single: [
        "(6,8)/((6:4), (4:1, 2_lane:1))",
        "(6,8)/((2_core:4, 3:1), (4:3, 2_lane:1))",
        "(6,8)/((3:1, 2_lane:1), (8:3))",
    ],
    leir.double: ["(6,8)/((6:8), (8:1))", "(6,8)/((3_core:1, 2:8), (8:1))"],
}
ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.5, 2.0**-149, 2.0**-126, 3e38, -3e38, 1 / 3]


def values(seed, dtype, shape=(6, 8)):
    """Numbers over many binades; the first entries are odd ones, placed differently for each seed."""
    rng = np.random.default_rng(seed)
    out = (rng.standard_normal(shape) * np.exp2(rng.integers(-40, 40, shape))).astype(NUMPY[dtype])
    odd = rng.permutation(ODD)[: out.size]
    out.reshape(-1)[: len(odd)] = odd
    return out


def computed(build, inputs):
    """exact's outputs of a program that build(**tensors) writes; inputs: name -> (dtype, layout, values)."""
    with leir.program(target="host") as p:
        given = {n: leir.tensor(dtype, layout, leir.DRAM, name=n) for n, (dtype, layout, _) in inputs.items()}
        leir.output(build(**given), name="out")
    out = run.exact(p, {n: v for n, (_, _, v) in inputs.items()})
    again = leir.Program.parse(p.text(full=True))
    assert again.text(full=True) == p.text(full=True)
    return out.values("out")


def same(got, want):
    """Equal bits, but for the payloads of NaNs."""
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)
    known = ~np.isnan(want)
    np.testing.assert_array_equal(np.signbit(got)[known], np.signbit(want)[known])


@pytest.fixture(params=[(d, a, b) for d, texts in LAYOUTS.items() for a in texts for b in texts[:2]], ids=str)
def pair(request):
    return request.param


@pytest.mark.parametrize(
    "op, numpy", [(leir.add, np.add), (leir.sub, np.subtract), (leir.mul, np.multiply)], ids=lambda f: f.__name__
)
def test_arithmetic(pair, op, numpy):
    dtype, a, b = pair
    x, y = values(1, dtype), values(2, dtype)
    with np.errstate(all="ignore"):
        want = numpy(x, y)
    same(computed(lambda x, y: op(x, y), {"x": (dtype, a, x), "y": (dtype, b, y)}), want)


def test_broadcast_and_immediates():
    x, row = values(3, leir.single), values(4, leir.single, (1, 8))
    got = computed(
        lambda x, row: (x + row) * leir.immediate_float(value=0.1, dtype=leir.single),
        {"x": (leir.single, LAYOUTS[leir.single][1], x), "row": (leir.single, "(1,8)/((), (4:1, 2_lane:1))", row)},
    )
    with np.errstate(all="ignore"):
        same(got, (x + row) * np.float32(0.1))


def test_selection():
    x, y = (np.nan_to_num(values(s, leir.single), nan=7) for s in (5, 6))
    c = np.random.default_rng(7).random((6, 8)) < 0.5
    placed = {"x": (leir.single, LAYOUTS[leir.single][0], x), "y": (leir.single, LAYOUTS[leir.single][2], y)}
    np.testing.assert_array_equal(computed(lambda x, y: leir.max(x, y), placed), np.maximum(x, y))
    placed["c"] = (leir.bool_, "(6,8)/((6:2), (2:1, 4_lane:1))", c)
    same(computed(lambda x, y, c: leir.where(c, x, y), placed), np.where(c, x, y))


def test_exp():
    x = np.linspace(-110, 95, 48).reshape(6, 8)
    for dtype in NUMPY:
        given = x.astype(NUMPY[dtype])
        got = computed(lambda x: leir.exp(x), {"x": (dtype, LAYOUTS[dtype][1], given)})
        want = np.exp(given.astype(np.float64))
        if dtype == leir.single:
            with np.errstate(all="ignore"):
                same(got, want.astype(np.float32))
        else:  # of the C library here, of NumPy there
            assert np.all(np.abs(got - want) <= np.spacing(want))


def test_casts():
    x = values(8, leir.double)
    narrow = computed(lambda x: leir.cast(x, dtype=leir.single), {"x": (leir.double, LAYOUTS[leir.double][1], x)})
    with np.errstate(all="ignore"):
        same(narrow, x.astype(np.float32))
    y = values(9, leir.single)
    same(
        computed(lambda x: leir.cast(x, dtype=leir.double), {"x": (leir.single, LAYOUTS[leir.single][2], y)}),
        y.astype(np.float64),
    )


@pytest.mark.parametrize("axis, keepdims", [(0, False), (1, True), (-1, False)])
@pytest.mark.parametrize("dtype", NUMPY, ids=str)
def test_reductions(dtype, axis, keepdims):
    x = np.where(np.isfinite(values(10, dtype)), values(10, dtype), 3).astype(NUMPY[dtype])
    placed = {"x": (dtype, LAYOUTS[dtype][1], x)}
    got = computed(lambda x: leir.reduce_max(x, axis=axis, keepdims=keepdims), placed)
    np.testing.assert_array_equal(got, x.max(axis=axis, keepdims=keepdims))
    got = computed(lambda x: leir.reduce_sum(x, axis=axis, keepdims=keepdims), placed)
    # accumulate adds in index order, one after the other.
    want = np.take(np.add.accumulate(x.astype(np.float64), axis=axis), [-1], axis=axis)
    want = want.astype(NUMPY[dtype])
    same(got, want if keepdims else want.squeeze(axis))


@pytest.mark.parametrize("dtype", NUMPY, ids=str)
def test_linear(dtype):
    rng = np.random.default_rng(11)
    x, w = (rng.standard_normal(s).astype(NUMPY[dtype]) for s in ((2, 3, 10), (5, 10)))
    lane = ", 2_lane:1" if dtype == leir.single else ""
    inner = 5 if dtype == leir.single else 10
    placed = {
        "x": (dtype, f"(2,3,10)/((2_core:1), (3:{inner}), ({inner}:1{lane}))", x),
        "w": (dtype, f"(5,10)/((5:{inner}), ({inner}:1{lane}))", w),
    }
    want = np.zeros((2, 3, 5))
    for k in range(10):
        want += x[..., k, None].astype(np.float64) * w[:, k].astype(np.float64)
    same(computed(lambda x, w: leir.linear(x, w), placed), want.astype(NUMPY[dtype]))


@pytest.mark.parametrize("name, bits", [("int16", 16), ("int32", 32), ("int64", 64)])
def test_integers_keep_every_bit(name, bits):
    numpy, lanes = np.dtype(name), 64 // bits
    info = np.iinfo(numpy)
    x = np.random.default_rng(12).integers(info.min, info.max, (6, 8), dtype=numpy, endpoint=True)
    x.flat[:2] = info.min, info.max
    lane = f", {lanes}_lane:1" if lanes > 1 else ""
    flat = f"(6,8)/((6:{8 // lanes}), ({8 // lanes}:1{lane}))"
    turned = f"(6,8)/((2_core:1, 3:1), ({8 // lanes}:3{lane}))"
    got = computed(lambda x: leir.relayout(x, layout=turned), {"x": (leir.Dtype(name), flat, x)})
    np.testing.assert_array_equal(got, x)


def test_results_are_row_major_or_as_an_operand():
    with leir.program(target="host"):
        x = leir.tensor(leir.single, LAYOUTS[leir.single][1], leir.DRAM, name="x")
        assert leir.exp(x).layout() == x.layout()
        total = leir.reduce_sum(x, axis=1)
        assert str(total.layout()) == "(6)/((3:1, 2_lane:1); B@[core])"
        assert str(leir.cast(x, dtype=leir.double).layout()) == "(6,8)/((6:8), (8:1); B@[core, lane])"  # one lane


# What NumPy calls the ops of one and two floats that are not looked at above; an op that has no row yet is left out.
ELEMENTWISE = {
    "neg": np.negative, "abs": np.abs, "min": np.minimum, "exp2": np.exp2, "log": np.log, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "reciprocal": np.reciprocal, "div": np.divide, "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "silu": lambda x: x / (1 + np.exp(-x)), "sin": np.sin, "cos": np.cos,
    "floor": np.floor, "round": np.rint, "max": np.maximum, "add": np.add, "exp": np.exp,
}  # fmt: skip


def known_elementwise():
    on_host = {v["op"] for v in call_json("describe", "variants", "host")}
    return sorted(on_host & ELEMENTWISE.keys())


@pytest.mark.parametrize("op", known_elementwise())
def test_elementwise_ops_by_their_name(op):
    rng = np.random.default_rng(13)
    x, y = (np.float32(0.1) + rng.random((6, 8)).astype(np.float32) * 5 for _ in range(2))
    count = len(next(o for o in call_json("describe", "ops") if o["name"] == op)["operands"])
    given = {n: (leir.single, LAYOUTS[leir.single][1], v) for n, v in list({"x": x, "y": y}.items())[:count]}
    got = computed(lambda **t: getattr(leir, op)(*t.values()), given)
    want = ELEMENTWISE[op](*(v.astype(np.float64) for _, _, v in given.values())).astype(np.float32)
    assert got.dtype == want.dtype
    assert np.all(np.abs(got.astype(np.float64) - want) <= np.spacing(np.abs(want)))


@pytest.mark.parametrize(
    "code, build",
    [
        ("K8951", lambda: leir.tensor(leir.half, "(4)/((4_lane:1))", leir.DRAM, name="x")),
        ("K8951", lambda: leir.cast(tensor(), dtype=leir.half)),
        ("K8953", lambda: leir.tensor(leir.single, "(4)/((2:1, 2_lane:1))", leir.LM, name="x")),
        ("K8954", lambda: leir.tensor(leir.single, "(4)/((2:1, 2_lane:1); P+@[core])", leir.DRAM, name="x")),
        ("K8954", lambda: leir.relayout(tensor(), layout="((2:1, 2_line:1))")),
        ("K8955", lambda: leir.tensor(leir.double, f"({2**38})/(({2**38}:1))", leir.DRAM, name="x")),
        ("K2015", lambda: leir.broadcast_download(tensor())),
        ("K2015", lambda: leir.bf(tensor())),
    ],
)
def test_misuse_is_refused_with_its_rule(code, build):
    with leir.program(target="host"), pytest.raises(Error) as caught:
        build()
    assert caught.value.code == code, caught.value.text


def tensor():
    return leir.tensor(leir.single, "(4)/((2:1, 2_lane:1))", leir.DRAM, name="t")


@pytest.mark.parametrize("wrong", ["LM", "DRAMM"])
def test_a_wrong_memory_has_a_fix(wrong):
    with leir.program(target="host"), pytest.raises(Error) as caught:
        leir.tensor(leir.single, "(4)/((2:1, 2_lane:1))", leir.Location(wrong), name="x")
    (fix,) = caught.value.fixes
    assert fix["verified"] and "DRAM" in fix["summary"]
