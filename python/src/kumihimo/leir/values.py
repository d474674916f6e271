"""Values of LEIR programs, and the one way in which ops are applied."""

from __future__ import annotations

import json

from kumihimo._native import Error, function
from kumihimo.layout import PadLayout
from kumihimo.leir import fixes, source
from kumihimo.leir.names import Dtype, Location
from kumihimo.leir.programs import Program, current_program

_apply = function("module.apply")
_info = function("node.info")


class Value:
    """A value of a program: the result of one node."""

    __slots__ = ("program", "node", "_type", "_name")

    def __init__(self, program: Program, node: int, name: str = ""):
        self.program = program
        self.node = node
        self._type = None
        self._name = name

    def _result(self) -> dict:
        if self._type is None:
            self._type = json.loads(_info(self.program.module, self.node))["results"][0]
        return self._type

    def shape(self) -> tuple[int, ...]:
        return tuple(self._result()["shape"])

    def dtype(self) -> Dtype:
        return Dtype(self._result()["dtype"])

    def layout(self) -> PadLayout | None:
        """The layout; None for immediates."""
        text = self._result().get("layout")
        return None if text is None else PadLayout.parse(text, target=self.program.target)

    def location(self) -> Location | None:
        """The memory; None for immediates."""
        where = self._result().get("location")
        return None if where is None else Location(where)

    def name(self) -> str:
        """The name given to a tensor, else ``%`` and the node's id."""
        return self._name or f"%{self.node}"

    def __add__(self, other):
        return apply("add", (self, other), {}, 1)

    def __sub__(self, other):
        return apply("sub", (self, other), {}, 1)

    def __mul__(self, other):
        return apply("mul", (self, other), {}, 1)

    def __repr__(self) -> str:
        return f"<{self.name()}: {self._result()['text']}>"


def apply(op: str, operands: tuple, attrs: dict, depth: int = 0):
    """Checks an application and adds its node.

    Args:
        op: name of the op.
        operands: Values of one program.
        attrs: attributes; absent ones are None.
        depth: frames between the user's line and the caller of this function.

    Raises:
        kumihimo.Error: the application is not legal.
    """
    program = operands[0].program if operands and isinstance(operands[0], Value) else current_program()
    ids = []
    for i, v in enumerate(operands):
        if not isinstance(v, Value):
            raise TypeError(
                f"{op}: operand {i} is a {type(v).__name__}; ops take values of the program "
                f"(a number becomes one with leir.immediate_float(value=..., dtype=...))"
            )
        if v.program is not program:
            raise ValueError(f"{op}: operand {i} belongs to another program")
        ids.append(v.node)
    variant = attrs.pop("variant", None) or ""
    given = {k: _plain(v) for k, v in attrs.items() if v is not None}
    text = json.dumps(given) if given else "{}"
    frame = source.user_frame(depth + 1)
    where = source.where_text(frame)
    try:
        node = _apply(program.module, op, text, where, variant, *ids)
    except Error:
        error = _explained(program, op, text, frame, variant, ids)
        raise error from None
    return Value(program, node, given.get("name", "") if op == "tensor" else "")


def tensor(dtype, layout, location, *, name: str, role: str | None = None) -> Value:
    """A tensor that comes from outside.

    Args:
        dtype: ``leir.half`` and so on.
        layout: a :class:`PadLayout` or its text, with shape.
        location: the memory in which it lies, ``leir.DRAM`` and so on.
        name: the name under which values are given.
        role: ``input`` (default), ``const`` or ``state``.
    """
    if not isinstance(layout, PadLayout):
        layout = PadLayout.parse(str(layout), target=current_program().target)
    attrs = {
        "dtype": dtype,
        "shape": list(layout.shape),
        "layout": layout.text,
        "location": location,
        "name": name,
        "role": role,
    }
    return apply("tensor", (), attrs, 0)


def _plain(v):
    if isinstance(v, PadLayout):
        return v.text
    if isinstance(v, float) and v in (float("inf"), float("-inf")):
        return {"float": "inf" if v > 0 else "-inf"}
    if isinstance(v, str):
        return str(v)
    return v


def _explained(program: Program, op: str, attrs: str, frame, variant: str, ids: list[int]) -> Error:
    """The same refusal with the source line in it, and fixes as new source lines."""
    try:
        _apply(program.module, op, attrs, json.dumps(source.where(frame)), variant, *ids)
    except Error as e:
        return fixes.with_source(e, frame, op)
    raise AssertionError("an application was refused once and accepted the second time")
