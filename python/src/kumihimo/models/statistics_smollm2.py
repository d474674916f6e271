"""Ranges of SmolLM2's layer-0 queries, keys and scores, and what half block floats do to them.

    python -m kumihimo.models.statistics_smollm2 [--sentences examples/sentences.txt]

prints, as JSON, the figures of docs/models.md. NumPy float64 with the two roundings
written out; it shares no code with the compiler's arithmetic.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from . import smollm2
from .llama_math import interleaved_to_half_split

BLOCK = 16  # elements that share an exponent: 4 PEs x 4 half words at one address
HALF_FRACTION_BITS, HALF_LEAST_EXPONENT = 9, -30  # machine half is 1-6-9, bias 31
BLOCK_FRACTION_BITS = 8  # 9 mantissa bits without a hidden one: the largest element keeps 8 below its leading bit


def exponent(x: np.ndarray) -> np.ndarray:
    """floor(log2 |x|), exact; zeros give a value below every other."""
    mantissa, power = np.frexp(x)
    return np.where(mantissa == 0, -10_000, power - 1)


def to_half(x: np.ndarray) -> np.ndarray:
    """Round to nearest even to 10 significant bits. The values here need no overflow or flush."""
    if exponent(x[x != 0]).min() < HALF_LEAST_EXPONENT or exponent(x).max() > 31:
        raise ValueError("a value is outside the normal range of half")
    unit = np.exp2(np.maximum(exponent(x), HALF_LEAST_EXPONENT) - float(HALF_FRACTION_BITS))
    return np.rint(x / unit) * unit


def to_block_half(half: np.ndarray) -> np.ndarray:
    """Blocks of 16 along the last dim, rounded to the largest element's exponent, one up if that element carries."""
    blocks = half.reshape(*half.shape[:-1], -1, BLOCK)
    top = exponent(blocks).max(-1, keepdims=True).astype(np.float64)
    largest = np.abs(blocks).max(-1, keepdims=True)
    top += np.rint(largest / np.exp2(top - BLOCK_FRACTION_BITS)) == 2 ** (BLOCK_FRACTION_BITS + 1)
    unit = np.exp2(top - BLOCK_FRACTION_BITS)
    return (np.rint(blocks / unit) * unit).reshape(half.shape)


def of_tensor(x: np.ndarray) -> dict[str, Any]:
    """Figures of q or k, [rows, head_dim]."""
    half, powers = to_half(x), exponent(x)
    result: dict[str, Any] = {
        "rows": len(x),
        "min_abs": np.abs(x).min(),
        "max_abs": np.abs(x).max(),
        "rms": np.sqrt(np.mean(x * x)),
        "median_abs": np.median(np.abs(x)),
        "binades": [powers.min(), powers.max()],
        "binades_central_98_percent": np.percentile(powers, [1, 99]).tolist(),
        "max_abs_per_dim": [np.abs(x).max(0).min(), np.abs(x).max(0).max()],
        "half_max_relative_error": np.abs(half / x - 1).max(),
    }
    for name, order in orders(x.shape[-1]).items():
        ordered = half[:, order]
        block = to_block_half(ordered)
        powers = exponent(ordered).reshape(len(x), -1, BLOCK)
        below = powers.max(-1, keepdims=True) - powers
        result[f"blocks_{name}"] = {
            "block_exponents": [powers.max(-1).min(), powers.max(-1).max()],
            "binades_below_largest_50_90_99_100": np.percentile(below, [50, 90, 99, 100]).tolist(),
            "rounded_to_zero": np.mean(block == 0),
            "max_error": np.abs(block - ordered).max(),
            "rms_error_over_rms": np.sqrt(np.mean((block - ordered) ** 2) / np.mean(ordered**2)),
        }
    return result


def orders(head_dim: int) -> dict[str, np.ndarray]:
    return {"interleaved": np.arange(head_dim), "half_split": interleaved_to_half_split(head_dim)}


def scaled_scores(q: np.ndarray, k: np.ndarray) -> np.ndarray:
    """q.k / sqrt(head_dim), [heads, T, T]."""
    return q @ np.repeat(k, len(q) // len(k), 0).swapaxes(1, 2) / np.sqrt(q.shape[-1])


def run(sentences: list[str]) -> dict[str, Any]:
    """All figures, over tokens that are not padding and points that are visible."""
    items = smollm2.attention_inputs(sentences, T=128)
    live = [tuple(x[:, : item.length].astype(np.float64) for x in (item.q, item.k)) for item in items]
    head_dim = live[0][0].shape[-1]
    visible, below_max, sums = [], [], []
    errors: dict[str, list[np.ndarray]] = {name: [] for name in orders(head_dim)}
    for item, (q, k) in zip(items, live):
        mask = item.mask[: item.length, : item.length]
        scores = scaled_scores(q, k)
        shifted = np.where(mask, scores, -np.inf)
        shifted -= shifted.max(-1, keepdims=True)
        visible.append(scores[:, mask].ravel())
        below_max.append(shifted[:, mask].ravel())
        sums.append(np.exp(shifted).sum(-1).ravel())
        for name, order in orders(head_dim).items():
            rounded = scaled_scores(*(to_block_half(to_half(x[..., order])) for x in (q, k)))
            errors[name].append((rounded - scores)[:, mask].ravel())
    score, shifted, row_sum = (np.concatenate(x) for x in (visible, below_max, sums))
    return {
        "tokens": [item.length for item in items],
        "q": of_tensor(np.concatenate([q.reshape(-1, head_dim) for q, _ in live])),
        "k": of_tensor(np.concatenate([k.reshape(-1, head_dim) for _, k in live])),
        "scores": {
            "points": len(score),
            "range": [score.min(), score.max()],
            "mean": score.mean(),
            "standard_deviation": score.std(),
            "binades": [exponent(score).min(), exponent(score).max()],
        },
        "score_minus_row_max": {"least": shifted.min(), "median": np.median(shifted)},
        "exp": {"least": np.exp(shifted.min())},
        "row_sum": {"range": [row_sum.min(), row_sum.max()]},
        "score_error_of_block_half_inputs": {
            name: {"max": np.abs(np.concatenate(e)).max(), "rms": np.sqrt(np.mean(np.concatenate(e) ** 2))}
            for name, e in errors.items()
        },
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="ranges of SmolLM2's layer-0 queries, keys and scores")
    parser.add_argument("--sentences", type=Path, default=Path("examples/sentences.txt"), help="one sentence a line")
    sentences = parser.parse_args().sentences.read_text(encoding="utf-8").splitlines()
    print(json.dumps(run(sentences), indent=1, default=lambda x: x.item()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
