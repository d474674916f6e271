"""Laws of the Llama pieces; no download."""

import math

import pytest

np = pytest.importorskip("numpy")

from kumihimo.models.llama_math import (  # noqa: E402
    causal_mask,
    interleaved_to_half_split,
    rms_norm,
    rope_angles,
    rope_interleaved,
    split_heads,
)

THETA = 100000.0


def rng():
    return np.random.default_rng(20)


def rope_as_complex(x, positions, theta):
    """RoPE by its definition: z_j -> z_j * exp(i * position * theta^(-2j/d)); written with cmath-like complex arrays."""
    z = x[..., 0::2] + 1j * x[..., 1::2]
    d = x.shape[-1]
    out = np.empty_like(x)
    for t, position in enumerate(positions):
        for j in range(d // 2):
            turned = z[..., t, j] * np.exp(1j * position * theta ** (-2 * j / d))
            out[..., t, 2 * j], out[..., t, 2 * j + 1] = turned.real, turned.imag
    return out


def test_rms_norm_by_hand():
    # mean square of (3, 4) is 12.5; eps 3.5 makes it 16, so the divisor is 4.
    got = rms_norm(np.array([[3.0, 4.0]]), np.array([2.0, 10.0]), 3.5)
    assert got.tolist() == [[1.5, 10.0]]


def test_rms_norm_has_unit_mean_square_and_ignores_scale():
    x = rng().normal(size=(5, 576))
    y = rms_norm(x, np.ones(576), 0.0)
    assert np.allclose(np.mean(y * y, axis=-1), 1.0, rtol=1e-14)
    assert np.allclose(rms_norm(1000 * x, np.ones(576), 0.0), y, rtol=1e-13)


def test_rope_angle_extremes():
    angles = rope_angles(np.array([0, 7]), 64, THETA)
    assert (angles[0] == 0).all()
    assert angles[1, 0] == 7.0  # the fastest pair turns one radian a position
    assert math.isclose(angles[1, 31], 7 * THETA ** (-62 / 64), rel_tol=1e-15)


def test_rope_is_the_complex_product():
    x = rng().normal(size=(3, 10, 16))
    positions = np.arange(10)
    assert np.allclose(rope_interleaved(x, positions, THETA), rope_as_complex(x, positions, THETA), atol=1e-13)


def test_rope_keeps_norms_and_position_zero():
    x = rng().normal(size=(9, 64, 64))
    y = rope_interleaved(x, np.arange(64), THETA)
    assert np.allclose(np.linalg.norm(y, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-13)
    assert (y[:, 0] == x[:, 0]).all()
    assert not np.allclose(y[:, 1], x[:, 1])


def test_scores_depend_on_the_distance_only():
    q, k = rng().normal(size=(2, 64))

    def score(m, n):
        pair = rope_interleaved(np.stack([q, k]), np.array([m, n]), THETA)
        return pair[0] @ pair[1]

    for m, n, shift in [(5, 3, 40), (17, 17, 100), (60, 1, 67)]:
        assert math.isclose(score(m, n), score(m + shift, n + shift), rel_tol=0, abs_tol=1e-11)
    assert abs(score(5, 3) - score(6, 3)) > 1e-3  # and on the distance it does depend


def test_half_split_is_the_same_function_in_another_order():
    head_dim = 64
    order = interleaved_to_half_split(head_dim)
    assert sorted(order.tolist()) == list(range(head_dim))
    assert order[:3].tolist() == [0, 2, 4] and order[32:35].tolist() == [1, 3, 5]
    x = rng().normal(size=(6, head_dim))
    positions = np.arange(6)
    # Hugging Face's rotation, on rows in its order: x * cos + rotate_half(x) * sin.
    h = x[:, order]
    cos, sin = (np.concatenate([f(rope_angles(positions, head_dim, THETA))] * 2, -1) for f in (np.cos, np.sin))
    rotated_half = np.concatenate([-h[:, 32:], h[:, :32]], -1)
    theirs = h * cos + rotated_half * sin
    ours = rope_interleaved(x, positions, THETA)
    assert np.allclose(theirs, ours[:, order], atol=1e-13)
    # Mixing the orders is a different function: this is the mistake the permutation exists to prevent.
    mixed = x * cos + np.concatenate([-x[:, 32:], x[:, :32]], -1) * sin
    assert np.abs(mixed @ mixed.T - ours @ ours.T).max() > 1.0


def test_converter_permutation_is_undone_by_ours():
    # llama.cpp's converter turns [heads, 2, d/2] rows into [heads, d/2, 2]; ours must lead back.
    heads, head_dim = 3, 8
    half_split_rows = np.arange(heads * head_dim)
    file_rows = half_split_rows.reshape(heads, 2, head_dim // 2).swapaxes(1, 2).reshape(heads, head_dim)
    assert (file_rows[:, interleaved_to_half_split(head_dim)].ravel() == half_split_rows).all()


def test_split_heads():
    x = np.arange(2 * 6).reshape(2, 6)
    assert split_heads(x, 3).tolist() == [[[0, 1], [6, 7]], [[2, 3], [8, 9]], [[4, 5], [10, 11]]]


def test_mask_by_hand():
    want = ["1000", "1100", "1000", "1000"]  # two tokens, two rows of padding
    assert ["".join("01"[int(v)] for v in row) for row in causal_mask(2, 4)] == want


@pytest.mark.parametrize("length,padded", [(1, 1), (1, 64), (33, 64), (64, 64), (128, 128)])
def test_mask_counts(length, padded):
    mask = causal_mask(length, padded)
    assert mask.dtype == bool and mask.shape == (padded, padded)
    assert mask.any(axis=1).all()  # no row without a visible point
    assert mask.sum() == length * (length + 1) // 2 + (padded - length)
    assert not mask[:, length:].any()  # padding is never a key


@pytest.mark.parametrize("length,padded", [(0, 4), (5, 4)])
def test_mask_refuses_impossible_lengths(length, padded):
    with pytest.raises(ValueError):
        causal_mask(length, padded)
