"""The parts of a Llama layer up to its attention scores, in NumPy.

    h = rms_norm(x, weight, eps)             x / sqrt(mean(x^2) + eps) * weight
    q = rope_interleaved(h @ wq.T, ...)      pair (2j, 2j+1) turns by position * theta^(-2j/d)

**Two orders of the rotated pairs.** A rotation acts on pairs of head dims. Llama's
original code pairs (2j, 2j+1): *interleaved*. Hugging Face pairs (j, j + d/2):
*half-split*, and stores the rows of wq and wk moved accordingly. The GGUF converter
moves them back for the ``llama`` architecture. Both give the same scores, since the
same permutation acts on q and k; mixing the order of one with the rotation of the
other gives another, wrong function. `interleaved_to_half_split` is the bridge.

Why there are no learned constants here: positions enter only as differences,
rope(q, m) . rope(k, n) = f(q, k, m - n). The tests hold this law.

All functions compute in the dtype of their input; pass float64 for reference values.
"""

from __future__ import annotations

import numpy as np


def rms_norm(x: np.ndarray, weight: np.ndarray, eps: float) -> np.ndarray:
    """x / sqrt(mean(x^2 over the last dim) + eps) * weight; same shape as x."""
    mean_square = np.mean(np.square(x), axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + eps) * weight


def rope_angles(positions: np.ndarray, head_dim: int, theta: float) -> np.ndarray:
    """Angles in radians, float64 [positions, head_dim / 2]: position * theta^(-2j / head_dim)."""
    frequencies = theta ** (-2.0 * np.arange(head_dim // 2, dtype=np.float64) / head_dim)
    return np.asarray(positions, dtype=np.float64)[:, None] * frequencies


def rope_interleaved(x: np.ndarray, positions: np.ndarray, theta: float) -> np.ndarray:
    """Rotate the pairs (2j, 2j+1) of the last dim. x is [..., positions, head_dim]; result likewise."""
    angles = rope_angles(positions, x.shape[-1], theta)
    cos, sin = np.cos(angles).astype(x.dtype), np.sin(angles).astype(x.dtype)
    even, odd = x[..., 0::2], x[..., 1::2]
    out = np.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


def interleaved_to_half_split(head_dim: int) -> np.ndarray:
    """Index p with half_split = interleaved[..., p]: first the even members of all pairs, then the odd ones."""
    return np.concatenate([np.arange(0, head_dim, 2), np.arange(1, head_dim, 2)])


def split_heads(x: np.ndarray, heads: int) -> np.ndarray:
    """[T, heads * head_dim] -> [heads, T, head_dim]."""
    return np.ascontiguousarray(x.reshape(x.shape[0], heads, -1).swapaxes(0, 1))


def causal_mask(length: int, padded_length: int) -> np.ndarray:
    """Visible points of a sentence of `length` tokens padded to `padded_length`; bool [T, T], True = visible.

    Row t sees keys 0 to t. A row of padding sees key 0 and nothing else: every row then
    has a finite maximum, and -inf - -inf never arises.
    """
    if not 1 <= length <= padded_length:
        raise ValueError(f"length {length} is not in 1 to {padded_length}")
    mask = np.tri(padded_length, dtype=bool)
    mask[length:] = False
    mask[length:, 0] = True
    return mask
