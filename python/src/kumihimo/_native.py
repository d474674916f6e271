"""The boundary: functions of the library by name, and the exception that its refusals become."""

import atexit
import json
from functools import cache

from kumihimo import _core

# Functions whose result is raw bytes rather than text.
_BYTES = {
    "mncore2.assemble_object",
    "tensors.bytes",
    "dtype.encode",
    "dtype.decode",
    "mncore2.emulator_read",
    "mncore2.emulator_defined",
    "mncore2.emulator_save",
    "l1000.encode_blocks",
}


class Error(Exception):
    """A refusal of the library: what was seen, what is needed, where, and fixes that were tried.

    Attributes:
        code: diagnostic code, such as ``"K2008"``; ``kumi explain CODE`` tells the rule.
        data: the diagnostic as a dict (the same fields as ``kumi --json`` prints).
        fixes: list of dicts with ``summary``, ``verified``, ``edits`` and, when the fault stands in a Python line,
            ``replacement``: the line (or lines) as they would have to be.
        status: 1 = the input is at fault, 3 = a fault of the library.
    """

    def __init__(self, text: str, json_text: str, code: str, status: int):
        super().__init__(text)
        self.text = text
        self.code = code
        self.status = status
        self.data = json.loads(json_text) if json_text else {}

    @property
    def fixes(self) -> list[dict]:
        return self.data.get("fixes", [])

    def __str__(self) -> str:
        return self.text


_core.set_error_type(Error)
atexit.register(_core._forget_error_type)


@cache
def function(name: str):
    """The library's function of that name; raises Error with near names when there is none."""
    return _core.function(name, name in _BYTES)


def call(name: str, *args):
    """Calls a function of the library; ``call("describe", "functions")`` lists them as JSON."""
    return function(name)(*args)


def call_json(name: str, *args):
    """Calls a function whose result is JSON text and reads it."""
    return json.loads(call(name, *args))


def version() -> str:
    return _core.version()
