"""Where in the user's Python an op was called: file, line, and from Python 3.11 on the columns of the call."""

from __future__ import annotations

import json
import linecache
import sys
from functools import lru_cache
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent)


def user_frame(depth: int):
    """The innermost frame outside this package, looked for from ``depth`` frames above the caller."""
    frame = sys._getframe(depth + 1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame


def where_text(frame) -> str:
    """The place as JSON, as ``module.apply`` takes it."""
    return _where_text(frame.f_code.co_filename, frame.f_lineno, *_columns(frame))


def where(frame) -> dict:
    """The place as a dict, with the text of the line; columns count characters from 1, 0 = not known."""
    out = json.loads(where_text(frame))
    out["text"] = linecache.getline(frame.f_code.co_filename, frame.f_lineno).rstrip("\n")
    for key in ("column", "end_column"):
        if out[key]:
            # Python counts bytes of UTF-8.
            out[key] = len(out["text"].encode()[: out[key] - 1].decode(errors="replace")) + 1
    return out


@lru_cache(maxsize=4096)
def _where_text(file: str, line: int, column: int, end_column: int) -> str:
    file = file.encode("utf-8", "replace").decode()  # a path may hold bytes that are no text
    return json.dumps({"file": file, "line": line, "column": column, "end_column": end_column})


def _columns(frame) -> tuple[int, int]:
    if not hasattr(frame.f_code, "co_positions"):
        return 0, 0
    return _code_columns(frame.f_code, frame.f_lasti)


@lru_cache(maxsize=4096)
def _code_columns(code, last: int) -> tuple[int, int]:
    for i, (line, end_line, column, end_column) in enumerate(code.co_positions()):
        if i * 2 == last:
            if column is None or line != end_line:
                return 0, 0
            return column + 1, (end_column or column) + 1
    return 0, 0
