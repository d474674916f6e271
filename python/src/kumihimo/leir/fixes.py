"""Fixes as Python source: the edits of a refusal, written into the line that has the fault.

The library says what to change (wrap operand 1 of this op in ``bf``, replace this layout text); here the user's line
is parsed and the change is made in it, so that an author or an agent can put the new line in place of the old one.
"""

from __future__ import annotations

import ast
import linecache

from kumihimo._native import Error


def with_source(error: Error, frame, op: str | None = None) -> Error:
    """The error with its Python line, and with ``replacement`` in each fix that can be written as source."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    if error.data.get("where", {}).get("file") != file:
        # The fault was found inside a text of that line (a layout): keep both positions.
        inner = error.data.get("where")
        error.data["where"] = {"file": file, "line": line, "text": linecache.getline(file, line).rstrip("\n")}
        if inner:
            error.data["inside"] = inner
        error.text += f"  in {file}:{line}: {error.data['where']['text'].strip()}\n"
    for fix in error.fixes:
        replacement = replace_in_source(file, line, op, fix.get("edit"))
        if replacement is not None:
            fix["replacement"] = replacement
            error.text += "  with fix: " + replacement["text"].strip().replace("\n", "\n            ") + "\n"
    error.args = (error.text,)
    return error


def replace_in_source(file: str, line: int, op: str | None, edit: dict | None) -> dict | None:
    """``{"line", "end_line", "text"}``: the statement at ``line`` (or the declaration that the edit names) rewritten.

    None when the source is not at hand or the statement cannot be rewritten with certainty.
    """
    if not edit:
        return None
    text = "".join(linecache.getlines(file))
    if not text:
        return None
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    edits = edit.get("edits", [edit])
    target = next((e["line"] for e in edits if e.get("kind") == "replace_layout" and e.get("line")), line)
    statement = _statement_at(tree, target)
    if statement is None:
        return None
    for e in edits:
        if not _rewrite(statement, op, e):
            return None
    lines = text.splitlines()
    indent = lines[statement.lineno - 1][: statement.col_offset]
    new = "\n".join(indent + row for row in ast.unparse(statement).splitlines())
    return {"line": statement.lineno, "end_line": statement.end_lineno, "text": new}


def _statement_at(tree: ast.AST, line: int) -> ast.stmt | None:
    """The innermost simple statement that covers a line."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno):
            if not hasattr(node, "body") and (best is None or node.lineno >= best.lineno):
                best = node
    return best


def _rewrite(statement: ast.stmt, op: str | None, edit: dict) -> bool:
    kind = edit.get("kind")
    if kind == "wrap_operand" and op:
        call = _only_call(statement, op)
        if call is None or edit["operand"] >= len(call.args):
            return False
        keywords = [ast.keyword(arg=k, value=ast.Constant(v)) for k, v in edit.get("attrs", {}).items()]
        inner = ast.Call(func=_like(call.func, edit["op"]), args=[call.args[edit["operand"]]], keywords=keywords)
        call.args[edit["operand"]] = inner
        return True
    if kind == "set_attr" and op:
        call = _only_call(statement, op)
        if call is None:
            return False
        call.keywords = [k for k in call.keywords if k.arg != edit["attr"]]
        call.keywords.append(ast.keyword(arg=edit["attr"], value=ast.Constant(edit["value"])))
        return True
    if kind == "replace_text":
        return _replace_constant(
            statement, lambda s: s.replace(edit["from"], edit["to"]) if edit["from"] in s else None
        )
    if kind == "replace_layout":
        layout = edit["layout"]
        calls = [
            c for c in ast.walk(statement) if isinstance(c, ast.Call) and _name(c.func) == "parse" and len(c.args) == 1
        ]
        if len(calls) == 1:
            calls[0].args[0] = ast.Constant(layout)
            return True
        return _replace_constant(statement, lambda s: layout if "/(" in s or s.startswith("((") else None)
    return False


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _only_call(statement: ast.stmt, op: str) -> ast.Call | None:
    calls = [c for c in ast.walk(statement) if isinstance(c, ast.Call) and _name(c.func) == op]
    return calls[0] if len(calls) == 1 else None


def _like(func: ast.expr, name: str) -> ast.expr:
    """``leir.bf`` beside ``leir.linear``, ``bf`` beside ``linear``."""
    if isinstance(func, ast.Attribute):
        return ast.Attribute(value=func.value, attr=name, ctx=ast.Load())
    return ast.Name(id=name, ctx=ast.Load())


def _replace_constant(statement: ast.stmt, change) -> bool:
    found = [
        (c, new)
        for c in ast.walk(statement)
        if isinstance(c, ast.Constant) and isinstance(c.value, str) and (new := change(c.value)) is not None
    ]
    if len(found) != 1:
        return False
    found[0][0].value = found[0][1]
    return True
