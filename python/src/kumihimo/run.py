"""Running programs with NumPy arrays: exact interpreter, float64 reference, lowering and emulation.

NumPy sees machine halves as float32 (the machine's half has 6 exponent bits and 9 fraction bits and is never
``np.float16``); raw bits are passed as unsigned integers of the element's width.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from kumihimo._native import call, call_json

_STORAGE = {16: np.uint16, 32: np.uint32, 64: np.uint64}
_INTEGERS = {"int16": np.int16, "int32": np.int32, "int64": np.int64}


def encode(target: str, dtype: str, values: np.ndarray) -> np.ndarray:
    """Element bits of an array, rounded to nearest even.

    Args:
        target: name of the target whose formats count.
        dtype: LEIR dtype name.
        values: numbers or truth values; unsigned integers of the element's width are taken as bits.
    """
    bits = {d["name"]: d["bits"] for d in call_json("describe", "dtypes")}[dtype]
    storage = _STORAGE[bits]
    values = np.asarray(values)
    if values.dtype == storage:
        return values
    if dtype == "bool_":
        return values.astype(bool).astype(storage)
    if dtype in _INTEGERS:
        return values.astype(_INTEGERS[dtype]).view(storage)
    if dtype == "single":
        return values.astype(np.float32).view(storage)
    if dtype == "double":
        return values.astype(np.float64).view(storage)
    raw = call("dtype.encode", target, dtype, np.ascontiguousarray(values, np.float64).tobytes())
    return np.frombuffer(raw, storage).reshape(values.shape)


def decode(target: str, dtype: str, bits: np.ndarray) -> np.ndarray:
    """Numbers of element bits: float32 for half and single, float64 for double, bool, or integers."""
    bits = np.asarray(bits)
    if dtype == "bool_":
        return bits != 0
    if dtype in _INTEGERS:
        return bits.view(_INTEGERS[dtype])
    if dtype == "single":
        return bits.view(np.float32)
    if dtype == "double":
        return bits.view(np.float64)
    raw = call("dtype.decode", target, dtype, np.ascontiguousarray(bits).tobytes())
    return np.frombuffer(raw, np.float64).reshape(bits.shape).astype(np.float32)


class Tensors:
    """A set of named tensors on the library's side."""

    def __init__(self, target: str, handle=None):
        self.target = target
        self.handle = handle if handle is not None else call("tensors.new")

    def set(self, name: str, dtype: str, values: np.ndarray) -> None:
        bits = np.ascontiguousarray(encode(self.target, dtype, values))
        call("tensors.set", self.handle, name, dtype, json.dumps(list(bits.shape)), bits.tobytes())

    def info(self) -> dict[str, dict]:
        return {t["name"]: t for t in call_json("tensors.names", self.handle)}

    def bits(self, name: str) -> np.ndarray:
        """Element bits; partial axes come first."""
        t = self.info()[name]
        width = {d["name"]: d["bits"] for d in call_json("describe", "dtypes")}[t["dtype"]]
        raw = call("tensors.bytes", self.handle, name)
        return np.frombuffer(raw, _STORAGE[width]).reshape(*t["partial"], *t["shape"])

    def values(self, name: str) -> np.ndarray:
        return decode(self.target, self.info()[name]["dtype"], self.bits(name))

    def as_dict(self) -> dict[str, np.ndarray]:
        return {name: self.values(name) for name in self.info()}


def inputs_of(program) -> dict[str, dict]:
    """Inputs of a program: name -> ``{"dtype", "shape", "type"}``; ``type`` is the text with layout and location."""
    module = call_json("module.json", program.module)
    out = {}
    for function in module["functions"]:
        for node in function["body"]:
            if node["op"] == "tensor":
                attrs = node["attrs"]
                out[attrs["name"]] = {
                    "dtype": attrs["dtype"],
                    "shape": tuple(attrs["shape"]),
                    "type": node["results"][0],
                }
    return out


def pack_inputs(program, inputs: dict) -> Tensors:
    """Arrays by name as tensors of the program's dtypes. Missing or misshapen ones are refused when they are used.

    Numbers for an input of block floats are converted in the blocks of its layout, where the target takes such inputs.
    """
    known = inputs_of(program)
    tensors = Tensors(program.target)
    for name, values in inputs.items():
        t = known.get(name, {"dtype": "single"})
        values = np.asarray(values)
        if t["dtype"].startswith("block_") and values.dtype != np.uint16 and values.shape == t["shape"]:
            numbers = np.ascontiguousarray(values, np.float64)
            raw = call(f"{program.target}.encode_blocks", t["type"], numbers.tobytes())
            values = np.frombuffer(raw, np.uint16).reshape(values.shape)
        tensors.set(name, t["dtype"], values)
    return tensors


def exact(program, inputs: dict | Tensors, keep_values: bool = False) -> Tensors:
    """The bits that the target computes, op by op. With keep_values, every node's value under ``%ID`` too."""
    tensors = inputs if isinstance(inputs, Tensors) else pack_inputs(program, inputs)
    return Tensors(program.target, call("module.exact", program.module, tensors.handle, keep_values))


def reference(program, inputs: dict | Tensors, keep_values: bool = False) -> Tensors:
    """float64 values of the program on the quantised inputs."""
    tensors = inputs if isinstance(inputs, Tensors) else pack_inputs(program, inputs)
    return Tensors(program.target, call("module.reference", program.module, tensors.handle, keep_values))


@dataclass
class Comparison:
    """Every word of every copy of every output against expected bits."""

    bit_identical: bool
    words_compared: int
    words_required: int
    mismatches: int
    outputs: list[dict]


class Run:
    """A kernel that was emulated: its outputs, times and findings."""

    def __init__(self, target: str, handle):
        self.handle = handle
        self.outputs = Tensors(target, call("mncore2.run_outputs", handle))
        self.report = call_json("mncore2.run_report", handle)

    def compare(self, expected: Tensors) -> Comparison:
        return Comparison(**call_json("mncore2.run_compare", self.handle, expected.handle))


class Lowered:
    """A lowered program.

    Attributes:
        text: VSM assembly, one step per line.
        report: steps, cycles, bound, fraction of it, use of units, places of inputs and outputs.
    """

    def __init__(self, program, options: dict | None = None):
        self.target = program.target
        self.program = program
        self.options = dict(options or {})
        self.handle = call("module.lower", program.module, json.dumps({k: str(v) for k, v in self.options.items()}))
        self.report = call_json("lowered.report", self.handle)

    @property
    def text(self) -> str:
        return call("lowered.text", self.handle)

    def with_data(self, inputs: dict | Tensors) -> str:
        """The text with ``r`` lines for the inputs in front and ``d get`` lines for the outputs behind."""
        tensors = inputs if isinstance(inputs, Tensors) else pack_inputs(self.program, inputs)
        lines = call("mncore2.input_lines", self.handle, tensors.handle)
        return lines + Lowered(self.program, {**self.options, "with_data": 1}).text

    def run(self, inputs: dict | Tensors, strict: bool = False, poison: int = 0, threads: int = 2) -> Run:
        """Packs the inputs, emulates, reads the outputs."""
        tensors = inputs if isinstance(inputs, Tensors) else pack_inputs(self.program, inputs)
        options = json.dumps({"strict": strict, "poison": poison, "threads": threads})
        return Run(self.target, call("mncore2.run", self.handle, tensors.handle, options))

    def run_text(
        self, text: str, inputs: dict | Tensors, strict: bool = False, poison: int = 0, threads: int = 2
    ) -> Run:
        """As :meth:`run`, with VSM text of the caller's in place of the kernel's own. With strict, errors of the linter
        are among the findings."""
        tensors = inputs if isinstance(inputs, Tensors) else pack_inputs(self.program, inputs)
        options = json.dumps({"strict": strict, "poison": poison, "threads": threads})
        return Run(self.target, call("mncore2.run_text", self.handle, text, tensors.handle, options))


def random_inputs(program, seed: int = 0) -> dict[str, np.ndarray]:
    """Values for every input: numbers over several binades, truth values with at least one true in a row."""
    rng = np.random.default_rng(seed)
    out = {}
    for name, t in inputs_of(program).items():
        if t["dtype"] == "bool_":
            v = rng.random(t["shape"]) < 0.7
            v[..., 0] = True
        elif t["dtype"] in _INTEGERS:
            v = rng.integers(-1000, 1000, t["shape"])
        else:
            v = rng.standard_normal(t["shape"]) * np.exp2(rng.integers(-3, 3, t["shape"]))
        out[name] = v
    return out
