"""Layouts: which point of the machine holds which element of a tensor.

    >>> PadLayout.parse("(64,64)/((4_L1B, 16), (4:16, 4_PE, 4_W); B@[MAB])").rows
    64

The notation is described in docs/concepts/layouts.md.
"""

from __future__ import annotations

import contextvars

from kumihimo._native import Error, call, call_json

# The target whose axes names are read against; leir.set_target and leir.program set it.
current_target: contextvars.ContextVar[str] = contextvars.ContextVar("kumihimo_target", default="mncore2")


class PadLayout:
    """A layout in normal form. Build it with :meth:`parse`; compare with ``==`` (same text of the normal form).

    Attributes:
        text: normal text with shape, every stride written.
        shape: extents of the tensor's dims.
        rows: long words in one unit of the memory (before the images of named levels).
    """

    __slots__ = ("text", "shape", "rows", "target")

    def __init__(self, text: str, shape: tuple[int, ...], rows: int, target: str):
        self.text = text
        self.shape = shape
        self.rows = rows
        self.target = target

    @classmethod
    def parse(cls, text: str, bits: int = 0, target: str | None = None) -> PadLayout:
        """Reads a layout text.

        Args:
            text: for example ``"(256,16)/((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1); B@[MAB])"``.
            bits: width of an element, needed only where an axis ``W`` is named without extent.
            target: name of the target; default: the one of ``leir.set_target``.

        Raises:
            kumihimo.Error: with a caret into the text and the nearest names.
        """
        target = target or current_target.get()
        try:
            info = call_json("layout.parse", text, target, bits)
        except Error as e:
            from kumihimo.leir import fixes, source  # here, because leir imports this module

            raise fixes.with_source(e, source.user_frame(1)) from None
        return cls(info["text"], tuple(info["shape"]), info["rows"], target)

    def who_holds(self, *index: int, bits: int = 16) -> str:
        """Where one element lies, in words."""
        return call("layout.who_holds", self.text, self.target, bits, *index)

    def __eq__(self, other) -> bool:
        return isinstance(other, PadLayout) and self.text == other.text and self.target == other.target

    def __hash__(self) -> int:
        return hash((self.text, self.target))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"PadLayout.parse({self.text!r})"
