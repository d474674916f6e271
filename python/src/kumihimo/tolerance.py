"""Error classes: how far a result may be from its float64 reference, as error over bound (at most 1 is inside).

    E0      equal bits, the two zeros taken for one
    E1(k)   within k spacings of the output format around the reference
    E2(c)   c n u_acc sum|a b| + u_out |r|, n the length of the longest chain of additions
    E3      E2 plus, for block floats, sum over blocks of 2^-m (max|A| sum|B| + max|B| sum|A|)

u is half the spacing at 1. All functions take arrays and return the largest ratio over finite references; an
infinity must be met exactly.
"""

from __future__ import annotations

import numpy as np

SINGLE_FRACTION_BITS = 23
U_SINGLE = 2.0 ** -(SINGLE_FRACTION_BITS + 1)
SMALLEST_SINGLE = 2.0**-126
# A half block keeps 9 significand bits below the shared exponent.
HALF_BLOCK_BITS = 9
HALF_BLOCK = 16


def worst(got: np.ndarray, want: np.ndarray, bound: np.ndarray) -> float:
    """The largest |got - want| / bound; infinite where a bound of 0 or an infinite reference is missed."""
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    bound = np.broadcast_to(np.asarray(bound, np.float64), want.shape)
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite]):
        return float("inf")
    error = np.abs(got[finite] - want[finite])
    if np.isnan(error).any():
        return float("inf")
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(error == 0, 0.0, error / bound[finite])
    return float(ratio.max(initial=0.0))


def e0(got: np.ndarray, want: np.ndarray) -> float:
    """0 when all values are equal, else infinite."""
    return worst(got, want, 0.0)


def spacing_single(values: np.ndarray) -> np.ndarray:
    """Distance of neighbouring singles around a value; the machine has no subnormals."""
    magnitude = np.maximum(np.abs(np.asarray(values, np.float64)), SMALLEST_SINGLE)
    return np.exp2(np.floor(np.log2(magnitude)) - SINGLE_FRACTION_BITS)


def e1(got: np.ndarray, want: np.ndarray, k: float) -> float:
    """E1(k) of singles. References below the smallest normal single may be flushed to zero."""
    want = np.asarray(want, np.float64)
    bound = k * spacing_single(want)
    bound = np.where(np.abs(want) < SMALLEST_SINGLE, np.maximum(bound, SMALLEST_SINGLE), bound)
    return worst(got, want, bound)


def e2_sum(got: np.ndarray, terms: np.ndarray, axis: int, c: float = 1.0) -> float:
    """E2(c) of a sum of singles along an axis (kept with extent 1 in ``got``)."""
    terms = np.asarray(terms, np.float64)
    want = terms.sum(axis=axis, keepdims=True)
    bound = c * terms.shape[axis] * U_SINGLE * np.abs(terms).sum(axis=axis, keepdims=True) + U_SINGLE * np.abs(want)
    return worst(got, want, bound)


def e3_bound(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """E3 bound of x · wᵀ (last dims contracted) in half blocks of 16 contracted neighbours with single results.

    Args:
        x: (..., M, K) quantised inputs as float64.
        w: (..., N, K).
    """
    x, w = np.asarray(x, np.float64), np.asarray(w, np.float64)
    k = x.shape[-1]
    products = np.abs(x) @ np.abs(w).swapaxes(-1, -2)
    bound = k * U_SINGLE * products + U_SINGLE * np.abs(x @ w.swapaxes(-1, -2))

    def blocks(a):
        return a.reshape(*a.shape[:-1], k // HALF_BLOCK, HALF_BLOCK)

    ax, aw = np.abs(blocks(x)), np.abs(blocks(w))
    for b in range(k // HALF_BLOCK):
        xb, wb = ax[..., b, :], aw[..., b, :]
        term = xb.max(-1)[..., :, None] * wb.sum(-1)[..., None, :] + xb.sum(-1)[..., :, None] * wb.max(-1)[..., None, :]
        bound = bound + 2.0**-HALF_BLOCK_BITS * term
    return bound
