"""Writes python/src/kumihimo/leir/_ops.py: one function per op, from the op table of the built library.

    python tools/gen/python_ops.py [--check]

Reads ``describe("ops")`` through the installed package, or the JSON in the file that KUMIHIMO_OPS_JSON names.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "python/src/kumihimo/leir/_ops.py"

HEAD = '''"""One function per op. Generated from the op table by tools/gen/python_ops.py; do not edit."""

from kumihimo.leir.values import Value, apply

__all__ = [
{names}
]
'''

FUNCTION = '''

def {name}({signature}){returns}:
    """{doc}.
{args}"""
{body}
'''

KINDS = {"int": "int", "float": "float", "bool": "bool", "str": "str", "list[int]": "list[int]"}


def default_of(attr: dict) -> str:
    if not attr["default"]:
        return "None"
    if attr["kind"] == "bool":
        return str(attr["default"] == "true")
    return repr(attr["default"]) if attr["kind"] == "str" else attr["default"]


def function(op: dict) -> str:
    params = [f"{o['name']}: Value" for o in op["operands"]]
    required = [a for a in op["attrs"] if a["required"]]
    optional = [a for a in op["attrs"] if not a["required"]]
    # One required attribute may stand as a positional argument: relayout(x, layout), reduce_max(x, 2).
    params += [f"{a['name']}: {KINDS[a['kind']]}" for a in required]
    if optional:
        params += [f"{a['name']}: {KINDS[a['kind']]} | None = {default_of(a)}" for a in optional]
    params += ["*", "variant: str | None = None"]
    docs = [f"        {o['name']}: {o['doc']}." for o in op["operands"]]
    docs += [f"        {a['name']}: {a['doc']}." for a in op["attrs"]]
    docs += ["        variant: implementation to take instead of the first that accepts."]
    args = (
        "\n    Args:\n"
        + "\n".join(docs)
        + "\n\n    Raises:\n        kumihimo.Error: the application is not legal.\n    "
    )
    operands = ", ".join(o["name"] for o in op["operands"]) + ("," if len(op["operands"]) == 1 else "")
    attrs = ", ".join(f'"{a["name"]}": {a["name"]}' for a in op["attrs"])
    sep = ", " if attrs else ""
    call = f'apply("{op["name"]}", ({operands}), {{{attrs}{sep}"variant": variant}})'
    return FUNCTION.format(
        name=op["name"],
        signature=", ".join(params),
        returns=" -> Value" if op["has_result"] else " -> None",
        doc=op["doc"][0].upper() + op["doc"][1:],
        args=args,
        body=f"    return {call}" if op["has_result"] else f"    {call}",
    )


def ops() -> list[dict]:
    if path := os.environ.get("KUMIHIMO_OPS_JSON"):
        return json.loads(Path(path).read_text())
    from kumihimo import call

    return json.loads(call("describe", "ops"))


def main() -> int:
    # `tensor` has a function of its own: its shape comes from the layout.
    table = [op for op in ops() if op["name"] != "tensor"]
    text = HEAD.format(names="\n".join(f'    "{op["name"]}",' for op in table)) + "".join(function(op) for op in table)
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", str(OUT)],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if "--check" in sys.argv[1:]:
        if OUT.read_text() != formatted:
            print(f"{OUT.relative_to(ROOT)} is not what the op table gives; run ./dev gen")
            return 1
        return 0
    OUT.write_text(formatted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
