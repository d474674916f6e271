"""The child of ``kumi``: builds the program of a Python file and prints it as JSON.

    python -m kumihimo.build_program FILE.py [--function NAME] [--arg NAME=VALUE ...]

Prints ``{"leir": TEXT}`` with types and source ranges, or ``{"error": {...}, "text": "..."}`` and exits with 1.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib.util
import io
import json
import linecache
import sys
import traceback
from pathlib import Path

from kumihimo import Error
from kumihimo.leir import programs


class Fault(Exception):
    """A fault of the call: what was seen, what is needed."""

    def __init__(self, headline: str, observed: str, required: str):
        super().__init__(headline)
        self.data = {"headline": headline, "observed": observed, "required": required}

    @property
    def text(self) -> str:
        d = self.data
        return f"error: {d['headline']}\n  observed: {d['observed']}\n  required: {d['required']}\n"


def parse_arguments(words: list[str]) -> dict:
    """``heads=9`` as ``{"heads": 9}``; values are Python literals, anything else is a string."""
    out = {}
    for word in words:
        name, eq, value = word.partition("=")
        if not eq or not name.isidentifier():
            raise Fault("bad argument", word, "NAME=VALUE")
        try:
            out[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            out[name] = value
    return out


def build(file: str, name: str = "", arguments: dict | None = None) -> programs.Program:
    """Builds the program of a file.

    Args:
        file: a Python file. It either builds a program at module level after ``leir.set_target``, or has functions.
        name: the function; default: the only ``@leir.kernel``, or the function with the file's name.
        arguments: arguments of the function.
    """
    path = Path(file)
    if not path.is_file():
        raise Fault("no such file", file, "a readable Python file")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent.resolve()))
    programs._current.set(None)
    # Not through the loader: its byte code cache tells versions apart by size and second, and an author who mends one
    # letter and tries again is quicker than that.
    linecache.checkcache(str(path))
    exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), vars(module))
    at_module_level = programs._current.get()
    found = {k: v for k, v in vars(module).items() if isinstance(v, programs.Kernel)}
    if name:
        if not hasattr(module, name):
            near = ", ".join(found) or "no @leir.kernel functions"
            raise Fault(f"{path.name} has no function {name}", name, near)
        chosen = getattr(module, name)
    elif at_module_level is not None and "%" in at_module_level.text():
        return at_module_level
    elif path.stem in found:
        chosen = found[path.stem]
    elif len(found) == 1:
        chosen = next(iter(found.values()))
    else:
        raise Fault(
            f"{path.name} does not say which program is meant",
            f"@leir.kernel functions: {', '.join(found) or 'none'}",
            "FILE.py:FUNCTION, one @leir.kernel function, or ops after leir.set_target",
        )
    kernel = chosen if isinstance(chosen, programs.Kernel) else programs.kernel(chosen)
    given = arguments or {}
    unknown = [k for k in given if k not in kernel.parameters]
    if unknown:
        raise Fault(
            f"{kernel.__name__} has no parameter {unknown[0]}", unknown[0], f"one of {', '.join(kernel.parameters)}"
        )
    return kernel.build(**given)


def failure(error: BaseException) -> tuple[dict, str]:
    """Data and text of an exception that building raised."""
    if isinstance(error, Error):
        return error.data, error.text
    if isinstance(error, Fault):
        return error.data, error.text
    own = str(Path(__file__).resolve().parent)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((own, "<frozen"))]
    where = {"file": frames[-1].filename, "line": frames[-1].lineno, "text": frames[-1].line} if frames else {}
    headline = "".join(traceback.format_exception_only(type(error), error)).strip()
    text = f"error: {headline}\n"
    if where:
        text += f"  --> {where['file']}:{where['line']}\n    | {where['text']}\n"
    return {"headline": headline, "where": where}, text


def main() -> int:
    parser = argparse.ArgumentParser(prog="kumihimo.build_program")
    parser.add_argument("file")
    parser.add_argument("--function", default="")
    parser.add_argument("--arg", action="append", default=[])
    options = parser.parse_args()
    try:
        # What the user's file prints must not mix with the answer.
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            text = build(options.file, options.function, parse_arguments(options.arg)).text(full=True)
        sys.stderr.write(printed.getvalue())
    except (Exception, SystemExit) as error:
        data, text = failure(error)
        print(json.dumps({"error": data, "text": text}))
        return 1
    print(json.dumps({"leir": text}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
