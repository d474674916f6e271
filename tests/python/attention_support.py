"""What the tests of the attention example share: the example, its inputs, and readings that use nothing of ours.

`Placement` reads a layout text by itself (the notation is docs/concepts/layouts.md), so that counts of words and places
of elements do not come from the code under test.
"""

import functools
import importlib.util
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "attention_scores.py"

# The published tree: 4 groups of 2 L2Bs, 8 L1Bs in each, 16 MABs in each, 4 PEs in each.
AXES = {"L2B": 8, "L1B": 8, "MAB": 16, "PE": 4}
WIDTH = {"half": 16, "bool_": 16, "single": 32, "double": 64}
# (heads, kv_heads, head_dim, T)
SIZES = [(9, 3, 64, 64), (12, 12, 32, 64), (8, 2, 128, 64), (9, 3, 64, 128)]


@functools.cache
def example():
    spec = importlib.util.spec_from_file_location("attention_scores", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(size):
    return example().attention_scores.build(*size)


def inputs(size, seed=1):
    """Queries and keys like those of a small model (unit variance, a few large channels) and a causal mask."""
    heads, kv, d, t = size
    rng = np.random.default_rng(seed)
    scale = np.where(np.arange(d) % 13 == 5, 6.0, 1.0)
    return {
        "q": rng.standard_normal((kv, heads // kv, t, d)) * scale,
        "k": rng.standard_normal((kv, 1, t, d)),
        "mask": np.tril(np.ones((t, t), bool)),
    }


@dataclass
class Placement:
    """A placed type such as ``single (4,2)/((4_PE:1), (2_W:1); B@[MAB])@LM``, read from its text."""

    dtype: str
    shape: tuple
    dims: list  # per dim a list of (extent, axis or "", stride), outer first
    tails: dict  # "B", "S", "P+" ... -> list of (extent or 0, axis, stride)
    location: str

    @classmethod
    def read(cls, text):
        dtype, shape, body, location = re.fullmatch(r"(\w+) \(([\d,]*)\)/\((.*)\)@(\w+)(?: block=.*)?", text).groups()
        parts = body.split(";")
        dims = []
        for dim in re.findall(r"\(([^()]*)\)", parts[0]):
            iters = re.findall(r"(\d+)(?:_(\w+))?:(\d+)", dim)
            assert len(iters) == len([x for x in dim.split(",") if x.strip()]), text
            dims.append([(int(e), axis, int(s)) for e, axis, s in iters])
        tails = {}
        for tail in parts[1:]:
            if m := re.fullmatch(r"\s*([A-Z][+<>]?)@\[(.*)\]\s*", tail):
                for ext in m[2].split(","):
                    e = re.fullmatch(r"\s*(?:(\d+)_)?([A-Z]\w*)(?::(\d+))?\s*", ext)
                    tails.setdefault(m[1], []).append((int(e[1] or 0), e[2], int(e[3] or 1)))
        return cls(dtype, tuple(int(x) for x in shape.split(",")), dims, tails, location)

    @property
    def elements(self):
        return math.prod(self.shape)

    @property
    def copies(self):
        """Coordinates of the machine over those that iters name: nothing that is not named holds fewer copies."""
        named = math.prod(e for dim in self.dims for e, axis, _ in dim if axis in AXES)
        assert not set(self.tails) - {"B"}, "only plain values are counted here"
        assert math.prod(AXES.values()) % named == 0
        copies = math.prod(AXES.values()) // named
        # The printer leaves no copies unsaid: its B@ tail must give the same number.
        said = 1
        for extent, axis, _ in self.tails.get("B", []):
            own = math.prod(e for dim in self.dims for e, a, _ in dim if a == axis)
            said *= extent or AXES[axis] // own
        assert said == copies, (said, copies)
        return copies

    def place(self, index):
        """(coordinates by axis, row, lane) of the first copy of an element."""
        at = dict.fromkeys([*AXES, "W", ""], 0)
        for i, dim in zip(index, self.dims):
            for extent, axis, stride in reversed(dim):
                at[axis] += (i % extent) * stride
                i //= extent
            assert i == 0
        return at

    def read_dump(self, words):
        """The tensor of the first copy, and the count of elements whose copies differ. `words` maps (L2B, L1B, MAB, PE,
        row) to 64-bit words; a long word holds its first element in its highest bits."""
        width = WIDTH[self.dtype]
        out = np.zeros(self.shape, {16: np.uint16, 32: np.uint32, 64: np.uint64}[width])
        free = [a for a in AXES if not any(axis == a for dim in self.dims for _, axis, _ in dim)]
        differing = 0
        for index in np.ndindex(*self.shape):
            at = self.place(index)
            values = set()
            for other in np.ndindex(*(AXES[a] for a in free)):
                unit = at | dict(zip(free, other))
                word = words[unit["L2B"], unit["L1B"], unit["MAB"], unit["PE"], at[""]]
                values.add(word >> (64 - width * (at["W"] + 1)) & ((1 << width) - 1))
                out[index] = min(values)
            differing += len(values) > 1
        return out, differing


def single(x):
    return np.asarray(x, np.float32)


UNIT = 2.0**-24  # half the spacing of singles at 1


def error_over_bound(size, program, given, keep):
    """Errors of exact's outputs over their bounds, as NumPy sees them: keys s, m, e, z; at most 1 is inside.

    Args:
        given: the quantised inputs by name, float64.
        keep: values of exact by name, and under ``difference`` the operand of exp.
    """
    heads, kv, d, t = size
    q, k, mask = given["q"], given["k"], given["mask"].astype(bool)
    scale = float(np.float32(1 / math.sqrt(d)))
    s, e = keep["s"].astype(np.float64), keep["e"].astype(np.float64)
    visible = np.broadcast_to(mask, s.shape)
    assert np.all(s[~visible] == -np.inf), "a hidden score is not -inf"

    # E3: the bound of chains of additions, and what rounding to blocks of 16 halves of 9 bits may change.
    exact_scores = np.einsum("grid,gxjd->grij", q, k)
    sum_abs = np.einsum("grid,gxjd->grij", np.abs(q), np.abs(k))
    qb, kb = (np.abs(x).reshape(*x.shape[:-1], d // 16, 16) for x in (q, k))
    block = np.einsum("grib,gxjb->grij", qb.max(-1), kb.sum(-1)) + np.einsum("grib,gxjb->grij", qb.sum(-1), kb.max(-1))
    want = exact_scores * scale
    bound = scale * (d * UNIT * sum_abs + 2.0**-9 * block) + UNIT * np.abs(want)
    ratios = {"s": float((np.abs(s - want) / bound)[visible].max())}

    # E0 against exact's own scores.
    ratios["m"] = float(np.count_nonzero(s.max(-1, keepdims=True) != keep["m"]))

    # E1(4): spacings of singles around the float64 value; below the least normal number only 0 exists.
    with np.errstate(under="ignore"):
        true = np.exp(keep["difference"].astype(np.float64))
    spacing = np.maximum(np.spacing(np.maximum(single(true), np.float32(2.0**-126))).astype(np.float64), 2.0**-149)
    spacing = np.where(true < 2.0**-126, 2.0**-126, spacing)
    ratios["e"] = float((np.abs(e - true) / (4 * spacing)).max())

    # E2(1) of the sum of exact's exponentials: chains of at most t additions.
    total = e.sum(-1, keepdims=True)
    ratios["z"] = float((np.abs(keep["z"] - total) / (t * UNIT * total + UNIT * total)).max())
    return ratios
