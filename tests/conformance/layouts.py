"""Where the elements of a testcase lie: its layout texts, walked element by element.

``((4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))@LM0``: for each dim of the tensor its digits from outer to inner, each an
extent, an axis (none = address, in long words) and a stride. This is the contest's notation, read here on its own: the
product's reader of layouts is one of the things under test.
"""

import itertools
import re
from dataclasses import dataclass, field

import numpy as np

AXES = ("L2B", "L1B", "MAB", "PE")
# Letters of the memories, and which axes select an instance of them.
MEMORIES = {"DRAM": ("d", 0), "LM0": ("lm", 4), "LM1": ("ln", 4)}
BITS = {np.dtype(np.float32): 32, np.dtype(np.int32): 32, np.dtype(np.float64): 64, np.dtype(np.int64): 64}


@dataclass
class Tensor:
    """Values in a memory; ``base`` is a long-word address, ``copies`` the units that are looked at (outputs)."""

    values: np.ndarray
    layout: str
    base: int = 0
    copies: list[dict] = field(default_factory=lambda: [{}])

    @property
    def dtype_name(self) -> str:
        return {"f4": "Float", "i4": "Int", "f8": "Double", "i8": "Long"}[self.values.dtype.str[1:]]


def digits(layout: str) -> tuple[list[list[tuple[int, str, int]]], str]:
    text, memory = layout.rsplit("@", 1)
    dims = re.findall(r"\(([^()]*)\)", text)
    read = [re.findall(r"(\d+)(?:_(\w+))?:(\d+)", dim) for dim in dims]
    return [[(int(n), axis or "addr", int(stride)) for n, axis, stride in dim] for dim in read], memory


def place(dims, index) -> dict[str, int]:
    """Coordinates of one element: a number for each axis that the layout names, the address and the lane W."""
    out: dict[str, int] = {}
    for dim, i in zip(dims, index, strict=True):
        for n, axis, stride in reversed(dim):
            out[axis] = out.get(axis, 0) + i % n * stride
            i //= n
        assert i == 0, "an index outside its dim"
    return out


def long_words(tensor: Tensor):
    """Yields (place, [index, ...]) for each long word, in the order of the elements."""
    dims, _ = digits(tensor.layout)
    words: dict[tuple, dict[int, tuple]] = {}
    for index in itertools.product(*(range(n) for n in tensor.values.shape)):
        at = place(dims, index)
        key = tuple((axis, at[axis]) for axis in (*AXES, "addr") if axis in at)
        words.setdefault(key, {})[at.get("W", 0)] = index
    lanes = 64 // BITS[tensor.values.dtype]
    for key, found in words.items():
        assert sorted(found) == list(range(lanes)), "a long word that is not full"
        yield dict(key), [found[lane] for lane in range(lanes)]


def selectors(at: dict[str, int], memory: str) -> str:
    """``n0c0b0m0p0``, without what ``at`` does not name (all of them are meant then)."""
    out = ""
    if "L2B" in at:
        out += f"n{at['L2B'] // 2}" + ("" if memory == "DRAM" else f"c{at['L2B'] % 2}")
    for axis, letter in (("L1B", "b"), ("MAB", "m"), ("PE", "p")):
        if axis in at:
            out += f"{letter}{at[axis]}"
    return out


def comment(tensor: Tensor, indices, label: str) -> str:
    values = ", ".join(repr(tensor.values[i].item()) for i in indices)
    where = ",".join("[" + ",".join(map(str, i)) + "]" for i in indices)
    return f"# {label}=[{values}] / {tensor.dtype_name} @{where}"


def input_lines(tensor: Tensor):
    _, memory = digits(tensor.layout)
    letters, _ = MEMORIES[memory]
    for at, indices in long_words(tensor):
        big_endian = np.array([tensor.values[i] for i in indices]).astype(tensor.values.dtype.newbyteorder(">"))
        payload = big_endian.tobytes().hex().upper()
        address = tensor.base + at.get("addr", 0)
        if memory == "DRAM":
            line = f"r {at.get('L2B', 0) // 2} {address:09X} 001 {payload}"
        else:
            line = f"d set ${letters}{2 * address}{selectors(at, memory)} 1 {payload}"
        yield f"{line} {comment(tensor, indices, 'values')}"


def output_lines(tensor: Tensor, tolerance: str):
    _, memory = digits(tensor.layout)
    letters, levels = MEMORIES[memory]
    for copy in tensor.copies:
        for at, indices in long_words(tensor):
            address = tensor.base + at.get("addr", 0)
            unit = {axis: at.get(axis, copy.get(axis, 0)) for axis in AXES[: max(levels, 1)]}
            line = f"d getd ${letters}{address * (1 if memory == 'DRAM' else 2)}{selectors(unit, memory)} 1"
            yield f"{line} {comment(tensor, indices, 'expect')}{tolerance}"


def testcase(inputs: list[Tensor], output: Tensor, tolerance: str = "") -> str:
    """Text of a testcase of the contest. ``tolerance`` is `` atol=1e-05`` or the like."""
    lines = []
    for number, tensor in enumerate(inputs):
        lines.append(f"# ======= In({number}): {tensor.layout} / {tensor.dtype_name} =======")
        lines += input_lines(tensor)
        lines.append("")
    lines += ["# ======= YOUR VSM WILL BE INSERTED HERE =======", "# ======= Output ======="]
    lines.append(f"# ======= Out(0): {output.layout} / {output.dtype_name} =======")
    lines += output_lines(output, tolerance)
    return "\n".join(lines) + "\n"
