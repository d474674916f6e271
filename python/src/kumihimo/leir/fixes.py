"""Fixes as Python source: the edits of a refusal, written into the line that has the fault.

The library says what to change (wrap operand 1 of this op in ``bf``, replace this layout text); here the user's line
is parsed and the change is made in it, so that an author or an agent can put the new line in place of the old one.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re

from kumihimo._native import Error
from kumihimo.leir import source


def with_source(error: Error, frame, op: str | None = None) -> Error:
    """The error with its Python line, and with ``replacement`` in each fix that can be written as source."""
    here = source.where(frame)
    inner = error.data.get("where")
    if not inner or inner.get("file") != here["file"]:
        # The fault was found inside a text of that line (a layout): keep both positions.
        error.data["where"] = here
        if inner:
            error.data["inside"] = inner
        error.text += f"  in {here['file']}:{here['line']}" + (f":{here['column']}" if here["column"] else "") + "\n"
        error.text += f"    | {here['text']}\n"
        if here["column"]:
            blanks = "".join(c if c == "\t" else " " for c in here["text"][: here["column"] - 1])
            error.text += f"    | {blanks}{'^' * (here['end_column'] - here['column'])}\n"
    rows = error.text.splitlines()
    fix_rows = [i for i, row in enumerate(rows) if row.startswith("  fix: ")]
    for fix, i in reversed(list(zip(error.fixes, fix_rows, strict=True))):
        replacement = replace_in_source(frame.f_code.co_filename, frame.f_lineno, op, fix.get("edit"))
        if replacement is not None:
            fix["replacement"] = replacement
            rows[i + 1 : i + 1] = [f"       {r.strip()}" for r in replacement["text"].splitlines()]
    error.text = "\n".join(rows) + "\n"
    error.args = (error.text,)
    return error


def replace_in_source(file: str, line: int, op: str | None, edit: dict | None) -> dict | None:
    """``{"line", "end_line", "text"}``: the statement at ``line`` (or the declaration that the edit names) rewritten.

    Only what has to change is touched: comments and spelling of the rest stay. None when the source is not at hand or
    the place to change is not certain.
    """
    if not edit:
        return None
    text = "".join(linecache.getlines(file))
    edits = edit.get("edits", [edit])
    target = next((e["line"] for e in edits if e.get("kind") == "replace_layout" and e.get("line")), line)
    lines = text.splitlines()
    try:
        statement = _statement_at(ast.parse(text), target)
        if statement is None:
            return None
        first, last = statement.lineno, statement.end_lineno
        for e in edits:
            # Each edit sees the source that the one before it left; the statement keeps its first line.
            text = _rewrite(text, _statement_at(ast.parse(text), first), op, e)
    except (SyntaxError, _NotCertain):
        return None
    last += len(text.splitlines()) - len(lines)
    return {"line": first, "end_line": statement.end_lineno, "text": "\n".join(text.splitlines()[first - 1 : last])}


class _NotCertain(Exception):
    """The source does not say where the edit belongs."""


def _statement_at(tree: ast.AST, line: int) -> ast.stmt | None:
    """The innermost simple statement that covers a line."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if not hasattr(node, "body") and (best is None or node.lineno >= best.lineno):
                best = node
    return best


def _rewrite(text: str, statement: ast.stmt | None, op: str | None, edit: dict) -> str:
    """The whole source with one edit made inside a statement."""
    if statement is None:
        raise _NotCertain
    kind = edit.get("kind")
    if kind == "wrap_operand":
        call = _only_call(statement, op)
        operand = _argument(call, op, edit["operand"])
        words = [_source(text, operand), *(f"{k}={v!r}" for k, v in edit.get("attrs", {}).items())]
        return _replaced(text, operand, f"{_like(call, edit['op'])}({', '.join(words)})")
    if kind == "set_attr":
        call = _only_call(statement, op)
        value = repr(edit["value"])
        found = [k.value for k in call.keywords if k.arg == edit["attr"]]
        names = _parameters(op)
        if not found and edit["attr"] in names and names.index(edit["attr"]) < len(call.args):
            found = [call.args[names.index(edit["attr"])]]
        if found:
            return _replaced(text, found[0], value)
        end = _offset(text, call.end_lineno, call.end_col_offset) - 1
        return text[:end] + (", " if call.args or call.keywords else "") + f"{edit['attr']}={value}" + text[end:]
    if kind == "replace_text":
        begin, end = _span(text, statement)
        word = re.compile(rf"(?<![A-Za-z0-9]){re.escape(edit['from'])}(?![A-Za-z0-9_])")
        if not word.search(text[begin:end]):
            raise _NotCertain
        return text[:begin] + word.sub(edit["to"], text[begin:end]) + text[end:]
    if kind == "replace_layout":
        calls = [c for c in ast.walk(statement) if isinstance(c, ast.Call) and _name(c.func) == "parse" and c.args]
        literals = [c.args[0] for c in calls] or [
            c
            for c in ast.walk(statement)
            if isinstance(c, ast.JoinedStr)
            or (isinstance(c, ast.Constant) and isinstance(c.value, str) and ("/(" in c.value or "((" in c.value))
        ]
        if len(literals) != 1:
            raise _NotCertain
        return _replaced(text, literals[0], f'"{edit["layout"]}"')
    raise _NotCertain


_OPERATORS = {"add": ast.Add, "sub": ast.Sub, "mul": ast.Mult}


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _only_call(statement: ast.stmt, op: str | None) -> ast.Call | ast.BinOp:
    """The one place in which the statement applies the op: a call by name, or an operator."""
    sign = _OPERATORS.get(op or "")
    found = [
        c
        for c in ast.walk(statement)
        if (isinstance(c, ast.Call) and _name(c.func) == op)
        or (sign is not None and isinstance(c, ast.BinOp) and isinstance(c.op, sign))
    ]
    if op is None or len(found) != 1:
        raise _NotCertain
    return found[0]


def _parameters(op: str) -> list[str]:
    from kumihimo import leir

    return list(inspect.signature(getattr(leir, op)).parameters)


def _argument(call: ast.Call | ast.BinOp, op: str, number: int) -> ast.expr:
    if isinstance(call, ast.BinOp):
        return (call.left, call.right)[number]
    if number < len(call.args):
        return call.args[number]
    found = [k.value for k in call.keywords if k.arg == _parameters(op)[number]]
    if not found:
        raise _NotCertain
    return found[0]


def _like(call: ast.Call | ast.BinOp, name: str) -> str:
    """``leir.bf`` beside ``leir.linear``, ``bf`` beside ``linear``."""
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
        return name
    return f"{ast.unparse(call.func.value)}.{name}" if isinstance(call, ast.Call) else f"leir.{name}"


def _offset(text: str, line: int, column: int) -> int:
    """Place in the text of a line and a column of the syntax tree, which counts bytes."""
    lines = text.splitlines(keepends=True)
    return sum(len(x) for x in lines[: line - 1]) + len(lines[line - 1].encode()[:column].decode())


def _span(text: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    return _offset(text, node.lineno, node.col_offset), _offset(text, node.end_lineno, node.end_col_offset)


def _source(text: str, node: ast.expr) -> str:
    begin, end = _span(text, node)
    return text[begin:end]


def _replaced(text: str, node: ast.expr, new: str) -> str:
    begin, end = _span(text, node)
    return text[:begin] + new + text[end:]
