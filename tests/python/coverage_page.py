"""docs/reference/coverage.md: each instruction row, in each spelling and modifier, and the outside truth behind it.

coverage_page.py [--check]     (binary from $KUMI or PATH); tests/python/test_coverage.py compares too
"""

import json
import os
import shutil
import subprocess
import sys

import coverage_forms as forms
import coverage_rows

PAGE = coverage_rows.ROOT / "docs" / "reference" / "coverage.md"

HEAD = """# What stands behind each instruction

Printed by `./dev gen` from what the tests execute; `tests/python/coverage_rows.py` says how it is measured, and
`tests/python/test_coverage.py` fails for an entry without a letter. Each letter is a kind of expected value that does not come
from this project's tables:
"""


def grouped(needs, seen):
    """Lines (letters, entries) of one row; entries that share their letters stand together."""
    groups = {}
    for thing in sorted(needs):
        letters = "".join(s for s in coverage_rows.SOURCES if s in seen.get(thing, ()))
        groups.setdefault(letters, []).append(thing)
    order = list(coverage_rows.SOURCES)
    return sorted(groups.items(), key=lambda g: [order.index(c) for c in g[0]])


def table(first, last, entries):
    """Lines of a Markdown table; entries are (name, needs, seen)."""
    lines = [f"| {first} | truth | {last} |", "|---|---|---|"]
    for name, needs, seen in entries:
        for k, (letters, things) in enumerate(grouped(needs, seen)):
            lines.append(f"| {name if k == 0 else ''} | {letters or 'none'} | {', '.join(things)} |")
    return lines


def page(matrix):
    lines = [HEAD, "| letter | truth |", "|---|---|"]
    lines += [f"| {letter} | {text} |" for letter, text in coverage_rows.SOURCES.items()]
    units = list(dict.fromkeys(row["unit"] for row in matrix.rows))
    for unit in units:
        rows = [row for row in matrix.rows if row["unit"] == unit]
        entries = [(f"`{k}`", coverage_rows.needs(r), matrix.seen[k]) for r, k in zip(rows, map(matrix.key, rows))]
        lines += ["", f"## {unit}", "", *table("row", "spellings and modifiers", entries)]
    for title, needed in forms.needs().items():
        entries = []
        for line, names in needed.items():
            entries.append((line, names, {n: matrix.forms.get((title, line, n), ()) for n in names}))
        lines += ["", f"## {title}", "", *table("what", "forms", entries)]
    return "\n".join(lines) + "\n"


def described():
    kumi = os.environ.get("KUMI") or shutil.which("kumi")
    if kumi is None:
        raise SystemExit("no kumi binary: set KUMI or put it on PATH")
    text = subprocess.run([kumi, "describe", "insns", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(text)


def main(args):
    text = page(coverage_rows.measure(described()))
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    if args == ["--check"]:
        print("docs/reference/coverage.md is stale (./dev gen rewrites it)", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print("rewritten: docs/reference/coverage.md", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
