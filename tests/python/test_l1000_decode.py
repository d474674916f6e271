"""The decode example of the l1000 model against the machine's arithmetic, step by step as a MAB carries it out.

The yardstick is written from the notes on the instruction set: it converts blocks with the independent Python model's
bfn, loads the block-diagonal matrix, streams the cache's long words past it with the model's matrix dot, and collects
the words. It reads layouts with digits spelled out here, and imports nothing of kumihimo.
"""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from kumihimo import Error, leir, run
from kumihimo.leir import Program
from mncore2_model import bf, mau
from mncore2_model.formats import HALF, SINGLE, encode_fraction

ROOT = Path(__file__).resolve().parents[2]
HEADS, TOKENS, D = 2, 2048, 16
# Another layout of the cache: 16 elements as 8:32 (4_W:1, 2:1, 2:2) would give the same blocks; here the lanes hold
# neighbours, so that other elements share an exponent and other products are added first.
NEIGHBOURS = "(2,2048,16)/((2_PE:2), (16:32, 8:2, 2_PE:1, 8_MAB:1), (2:1, 2:16, 4_W:1))"
NEIGHBOURS_Q = "(2,1,16)/((2_PE:2), (1:1), (2:1, 2:2, 4_W:1))"


def example():
    spec = importlib.util.spec_from_file_location("decode_scores_l1000", ROOT / "examples" / "decode_scores_l1000.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def inputs(seed):
    """Numbers over 12 binades with random signs, and a mask that hides a third and leaves each head something."""
    rng = np.random.default_rng(seed)

    def wide(*shape):
        return rng.choice([-1, 1], shape) * (1 + rng.random(shape)) * np.exp2(rng.integers(-6, 6, shape))

    mask = rng.random((HEADS, 1, TOKENS)) < 0.67
    mask[..., 5] = True
    return {"q": wide(HEADS, 1, D), "k_cache": wide(HEADS, TOKENS, D), "attn_mask": mask}


def half(x):
    from fractions import Fraction

    return encode_fraction(HALF, Fraction(float(x)))


def token(address_row, pe, mab):
    """((16:32, 8:2, 2_PE:1, 8_MAB:1)) of the cache's token dim: rows are 8 * (address / 32) + address % 32 / 2."""
    return (address_row * 2 + pe % 2) * 8 + mab


def element(lane, low, high, neighbours):
    """The element of the contracted dim at address low + 16 * high (2 * high in q), in a lane."""
    return 8 * low + 4 * high + lane if neighbours else 4 * lane + 2 * low + high


def machine(given, neighbours):
    """Scores as bits: what the MABs 0 to 7 of one L1B do with their words."""
    q, k = given["q"], given["k_cache"]
    # Steps of an address: high digit outside, so that addresses ascend: 0, 1, 16, 17.
    steps = [(low, high) for high in range(2) for low in range(2)]
    # bf(q): the four PEs hold head pe // 2, twice each.
    matrix = []
    for low, high in steps:
        words = [half(q[pe // 2, 0, element(lane, low, high, neighbours)]) for pe in range(4) for lane in range(4)]
        block = bf.convert_block("h", words)
        # Row 4 p: the query in the lanes of PE p; the other rows and lanes are 0.
        matrix.append([mau.Block("h", [block[i] if i // 4 == p else 0 for i in range(16)]) for p in range(4)])
    scores = np.zeros((HEADS, 1, TOKENS), np.uint32)
    for mab in range(8):
        for row in range(128):
            total = [None] * 4
            for (low, high), rows in zip(steps, matrix, strict=True):
                words = [
                    half(k[pe // 2, token(row, pe, mab), element(lane, low, high, neighbours)])
                    for pe in range(4)
                    for lane in range(4)
                ]
                vector = mau.Block("h", bf.convert_block("h", words))
                total = [mau.dot(rows[p], vector, total[p], SINGLE) for p in range(4)]
            for pe in range(4):
                scores[pe // 2, 0, token(row, pe, mab)] = total[pe]
    scores[~given["attn_mask"]] = 0xFF800000
    return scores


@pytest.fixture(scope="module")
def program():
    return example().decode_scores.build()


@pytest.mark.parametrize("seed", [1, 2])
def test_exact_is_the_machines_arithmetic(program, seed):
    given = inputs(seed)
    out = run.exact(program, given)
    expected = machine(given, neighbours=False)
    np.testing.assert_array_equal(out.bits("scores"), expected)

    # Maxima stay apart: one for each of eight MABs and of two PEs of a head, the order of the tail P>@.
    values = expected.view(np.float32).reshape(HEADS, 128, 2, 8)
    partial = out.values("max_scores").reshape(8, 2, HEADS)
    by_pe = values.max(axis=1)  # (head, pe, mab)
    np.testing.assert_array_equal(partial, by_pe.transpose(2, 1, 0))


def test_float64_is_inside_e3(program):
    """E3: d roundings of singles on the sum of magnitudes, and half a unit of 9 bits of a block's largest member."""
    given = inputs(3)
    q, k = (np.vectorize(quantised)(given[n]) for n in ("q", "k_cache"))
    got = run.exact(program, given).values("scores").astype(np.float64)
    want = np.einsum("hmd,htd->hmt", q, k)
    magnitude = np.einsum("hmd,htd->hmt", np.abs(q), np.abs(k))
    # A block of the cache: d in {r, r+4, ...}, tokens t and t + 8, both heads. One of q: d, both heads.
    largest_q = np.abs(q).reshape(HEADS, 4, 4).max(axis=(0, 1))  # by residue r = d % 4
    kk = np.abs(k).reshape(HEADS, TOKENS // 16, 2, 8, 4, 4)
    largest_k = np.broadcast_to(kk.max(axis=(0, 2, 4), keepdims=True), kk.shape).reshape(k.shape)
    block = np.einsum("d,htd->ht", np.tile(largest_q, 4), np.abs(k)) + np.einsum("hmd,htd->ht", np.abs(q), largest_k)
    bound = D * 2.0**-24 * magnitude + 2.0**-8 * block[:, None, :]
    visible = given["attn_mask"]
    assert np.all(got[~visible] == -np.inf)
    assert np.all(np.abs(got[visible] - want[visible]) <= bound[visible])
    reference = run.reference(program, given).values("scores")
    # The reference sees k_cache as it is packed, q before its conversion.
    assert np.all(np.abs(got[visible] - reference[visible]) <= bound[visible])


def quantised(x):
    from mncore2_model.formats import exact

    return float(exact(HALF, half(x)))


def test_another_layout_of_the_cache_gives_other_bits():
    given = inputs(4)
    build = example()
    ours = run.exact(build.decode_scores.build(), given).bits("scores")
    source = (ROOT / "examples" / "decode_scores_l1000.py").read_text()
    text = source.replace('"(2,1,16)/((2_PE:2), (1:1), (4_W:1, 2:1, 2:2))"', repr(NEIGHBOURS_Q))
    assert text != source
    with leir.program(target="l1000") as other:
        namespace = {"__name__": "other"}
        exec(compile(text, "other_layout.py", "exec"), namespace)
        namespace["decode_scores"](NEIGHBOURS)
    theirs = run.exact(other, given).bits("scores")
    np.testing.assert_array_equal(theirs, machine(given, neighbours=True))
    visible = np.broadcast_to(given["attn_mask"], ours.shape)
    assert np.count_nonzero((ours != theirs)[visible]) > 0


def test_the_dag_prints_layouts_and_locations(program):
    text = program.text(full=True)
    places = {m[1]: m[2] for m in re.finditer(r"= (\w+)\(.*? : (.*?@\w+)", text)}
    assert "(2,2048,16)/((2_PE:2), (16:32, 8:2, 2_PE:1, 8_MAB:1), (4_W:1, 2:1, 2:16)" in text
    assert "@LDRAM block=2_PE*2_PE*4_W" in text and "@LM block=2_PE*4_W" in text
    assert places["broadcast_download"].endswith("@L1BM")
    assert places["distribute_download"].endswith("@LM")
    assert places["linear"].startswith("single (2,1,2048)/((2_PE:2), (), (16:8, 8:1, 2_PE:1, 8_MAB:1)")
    assert places["linear"].endswith("@L1BM") and "S@[W]" in places["linear"]
    assert places["unicast_download"].endswith("@LM")
    assert places["reduce_max"].startswith("single (2,1,1)/((2_PE:2), (), ()")
    assert "P>@[8_MAB:1, 2_PE:1]" in places["reduce_max"] or "P>@[2_PE:1, 8_MAB:1]" in places["reduce_max"]
    assert leir.Program.parse(text).text(full=True) == text
    assert Program.parse(program.text()).text() == program.text()


def refused(build):
    with leir.program(target="l1000"), pytest.raises(Error) as caught:
        build()
    return caught.value


CACHE = example().CACHE


def cache(layout=CACHE, location=leir.LDRAM, dtype=leir.block_half):
    return leir.tensor(dtype, layout, location, name="k_cache")


def query(layout="(2,1,16)/((2_PE:2), (), (4_W:1, 2:1, 2:2))", dtype=leir.half):
    q = leir.distribute_download(leir.tensor(dtype, layout, leir.L2BM, name="q"))
    return leir.bf(q)


@pytest.mark.parametrize(
    "code, build",
    [
        ("K8901", lambda: cache(dtype=leir.block_single)),
        ("K8902", lambda: cache("(4,4)/((4_PE:1), (4_W:1))", leir.T, leir.half)),
        ("K8903", lambda: cache("(2,2048,16)/((2_PE:2), (2048:4), (4_W:1, 2:1, 2:2); S@[2_PE:1])")),
        ("K8903", lambda: cache("(1,3,16)/((), (4_PE:1), (4_W:1, 4:1))")),
        ("K8905", lambda: query("(2,1,16)/((2_PE:2), (), (4_W:1, 2:1, 2:2); S@[2_PE:1])")),
        ("K8906", lambda: leir.linear(query(), leir.distribute_download(cache("(2,8,16)/((2_PE:2), (8:4), (4_W:1, 2:1, 2:2))", leir.L2BM)))),
        ("K8907", lambda: leir.linear(query(), cache(dtype=leir.half))),
        ("K8908", lambda: leir.linear(query(), cache("(2,2048,16)/((2_PE:2), (2048:8), (8:1, 2_W:1))"))),
        ("K8909", lambda: leir.linear(query("(2,8,16)/((2_PE:2), (8:4), (4_W:1, 2:1, 2:2))"), cache())),
        ("K8910", lambda: leir.linear(query("(2,1,16)/((2_PE:1), (), (4_W:1, 2:1, 2:2))"), cache())),
    ],
)  # fmt: skip
def test_misuse_is_refused_with_its_rule(code, build):
    error = refused(build)
    codes = [error.code, *(r["code"] for r in error.data.get("related", []))]
    assert code in codes, error.text


def test_there_is_nothing_to_lower_to(program):
    with pytest.raises(Error) as caught:
        program.lower()
    assert caught.value.code == "K2019"
