"""Which instruction rows, and which spellings and modifiers of each, the tests with outside expectations execute.

Nothing here is declared: the programs are those that the tests run, read by the parser of the independent model. A
program has no branches, so each of its lines is executed. The rows are those that `kumi describe insns --json` prints;
what a row needs comes from its syntax and its operands. tests/python/test_coverage.py fails for a row that nothing
reaches.
"""

import itertools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("model", "python"):
    sys.path.insert(0, str(ROOT / "tests" / folder))

import coverage_forms as forms  # noqa: E402
import model_programs  # noqa: E402

from mncore2_model import vsm  # noqa: E402

#: letter of a source of expected values, in the order of the page
SOURCES = {
    "T": "published transcript of the vendor's emulator (`tests/transcripts`)",
    "N": "NumPy: answers of `tests/conformance/answers` on the committed vectors",
    "H": "word worked out by hand from the notes, on model and emulator (`tests/python/test_model_directed.py`)",
    "M": "independent model, random programs (`tests/python/test_model_vs_emulator.py`)",
    "R": "independent model, every spelling of every row (`tests/python/test_model_rows.py`)",
    "L": "a law (`tests/python/test_model_rows.py`: rsqrt)",
}
#: of the random programs of the first subset, every which one is read: they are long, and more of them add nothing
SHARE = 8


def programs():
    """(letter of SOURCES, program text) of every program whose result is compared with something from outside."""
    for path in sorted((ROOT / "tests" / "transcripts").glob("*.t")):
        yield "T", path.read_text(encoding="utf-8").partition("\n\n")[2].partition("\n----\n")[0]
    vectors = ROOT / "tests" / "conformance" / "vectors"
    for path in sorted((ROOT / "tests" / "conformance" / "answers").glob("*.vsm")):
        if (vectors / path.name).exists():
            yield "N", path.read_text(encoding="utf-8")
    import test_model_directed as directed

    for lines, get, _ in (*directed.CASES.values(), *directed.PROGRAMS.values()):
        yield "H", directed.word_program(lines, get)
    for seed in range(0, model_programs.SEEDS, SHARE):
        yield "M", model_programs.plain(seed)
    for seed in range(model_programs.WIDE_SEEDS):
        yield "M", model_programs.wide(seed)
    for seed in range(model_programs.TREE_SEEDS):
        yield "M", model_programs.tree(seed)
    import test_model_rows as rows

    for program in (*rows.SMALL.values(), *rows.WHOLE.values()):
        yield "R", program
    for _, program in rows.RSQRT:
        yield "L", program


# ---------------------------------------------------------------- what a row needs


def expand(pattern):
    """All strings of a syntax such as `[u]{l,i,s}inc`: braces choose, brackets may be left out."""
    parts = [
        p[1:-1].split(",") if p[0] == "{" else ["", p[1:-1]] if p[0] == "[" else [p]
        for p in re.findall(r"\{[^}]*\}|\[[^]]*\]|[^{[]+", pattern)
    ]
    return ["".join(choice) for choice in itertools.product(*parts)]


def stem_of(syntax):
    """Head of one syntax alternative without the parts that are no spelling: @S, +-n, /n, tags."""
    head = syntax.split()[0]
    return re.split(r"/|\[/|\[@|@|\[\+-n\]", head)[0]


def spellings(row):
    """Every opcode of one row."""
    alternatives = row["syntax"].split(" | ")
    if row.get("alias"):
        alternatives += [a.replace(row["name"], row["alias"]) for a in alternatives]
    return {name for text in alternatives for name in expand(stem_of(text))}


def letter_of(row, op):
    base = re.escape(row["name"])
    m = re.match(rf"{base}([lisdfh])", op) if row["unit"] in ("L1BM", "L2BM", "MV") else re.match("u?([lisdfgh])", op)
    return m[1] if m else ""


def needs(row):
    """Names of everything that some test must execute of a row."""
    need = {f"`{name}`" for name in spellings(row)}
    syntax = row["syntax"]
    for operand in row["operands"]:
        name = operand["name"]
        need |= {f"{name} `e` in {p}" for p in operand.get("widen_e", "")}
        need |= {f"{name} `r` in {p}" for p in operand.get("round_r", "") if p in row.get("precisions", "")}
        if operand.get("negate"):
            need.add(f"-{name}")
    for mark, names in {
        "$l[l]b": ["`$lb`", "`$llb`"],
        "$l[l]{x,y}": ["`$lx`", "`$ly`", "`$llx`", "`$lly`"],
        "[@S]": ["`@n`", "`@b0/i`", "`@list`", "no `@`"],
        "@M": ["`@n`"],
        "@n": ["`@n`"],
        "@b0/i": ["`@b0/i`"],
        "[+-n]": ["`+n`", "`-n`", "no shift"],
        "[iT]": ["`iT`"],
        "[ndM]": ["`ndM`"],
        "[pK]": ["`pK`"],
        "$d[i]": ["`$d`", "`$di`"],
        "bfn/n": ["`/6`", "`/7`", "`/8`", "`/9`"],
        "bfe/n": ["`/6`", "`/7`", "`/8`", "`/9`"],
        "nop[/N]": ["`/N`"],
    }.items():
        if mark in syntax:
            need |= set(names)
    if row.get("flag_is_1_when"):
        need.add("flags")
    return need


# ---------------------------------------------------------------- what a line has


def form_of(expr):
    """The part of a row's form that tells rows of one name apart."""
    op, ops = expr.op, expr.operands
    if op.startswith("mv") and op != "mvnop":
        return ">".join(mv_side(o) for o in ops)
    if op.startswith(("l1bm", "l2bm")) and len(ops) > 1:
        if ops[0].kind == "lb" and ops[0].text.endswith("bi"):
            return "turnaround"
        if op.startswith("l2bm"):
            return "down" if ops[0].kind == "mv" else "up"
        return "down" if ops[0].kind == "lb" else "up"
    return ""


def mv_side(o):
    group, l2b, _ = o.at
    name = "d" if o.mem == "di" else o.mem
    if l2b is not None:
        return f"{name}@{'h' if group is not None else ''}.s"
    return f"{name}@g" if group is not None else name


def same_form(row, expr):
    """Forms name groups g and h by side; here both are g."""
    form = row.get("form", "")
    if not form or row["unit"] not in ("MV",):
        return form in ("", form_of(expr))
    want = [s if s.endswith(".s") else re.sub("@[gh]", "@g", s) for s in form.split(">")]
    want = [re.sub(r"@[gh]\.s", "@h.s", s) for s in want]
    return ">".join(want) == form_of(expr)


def has(row, expr):
    """What one executed expression shows of its row; names as in needs."""
    op, ops = re.split(r"[@/+-]", expr.op)[0], expr.operands
    text = expr.text
    yield f"`{op}`"
    letter = letter_of(row, op)
    named = [o for o in row["operands"] if o["takes"] != "literal"]
    for definition, operand in zip(named, ops, strict=False):
        if operand.conv:
            yield f"{definition['name']} `{operand.conv}` in {letter}"
        if operand.neg:
            yield f"-{definition['name']}"
    for m in re.findall(r"\$(l+)([bxy])(?:i|\d)", text):
        yield f"`${m[0]}{m[1]}`"
    head = text.split()[0]
    at = re.search(r"@(\d+)([/,]?)", head)
    yield "no `@`" if not at else {"": "`@n`", "/": "`@b0/i`", ",": "`@list`"}[at[2]]
    shift = re.search(r"([+-])\d+$", head)
    yield f"`{shift[1]}n`" if shift else "no shift"
    for part in expr.parts:
        if op.startswith("mv"):
            yield from (
                f"`{k}`" for k, p in {"iT": r"i[0-3]", "ndM": r"nd\d", "pK": r"p\d"}.items() if re.search(p, part)
            )
        elif op == "nop":
            yield "`/N`"
        else:
            yield f"`/{part}`"
    for o in ops:
        if o.kind == "mv":
            yield f"`${o.mem}`"
        if o.kind == "omr":
            yield "flags"


class Matrix:
    """Row key to (needed thing to letters of sources)."""

    def __init__(self, described):
        self.rows = described["instructions"]
        self.seen = {self.key(row): {} for row in self.rows}
        self.forms = {}  # (table, line, name) of coverage_forms to letters
        self.unknown = set()
        self.by_op = {}
        for row in self.rows:
            for name in spellings(row):
                self.by_op.setdefault(name, []).append(row)

    @staticmethod
    def key(row):
        return row["name"] + (f" ({row['form']})" if row.get("form") else "")

    def add(self, source, program):
        self.note(source, forms.of_text(program))
        for line in vsm.parse(program):
            if line.kind == "pe":
                rows = [self.add_expr(source, expr) for expr in line.exprs]
                if None not in rows:
                    counts = [sum(o["takes"] != "literal" for o in row["operands"]) for row in rows]
                    self.note(source, forms.of_step(line.exprs, [group_of(row) for row in rows], counts))
            else:
                for expr in line.exprs or ():
                    self.add_expr(source, expr)
                self.note(source, forms.of_statement(line))

    def note(self, source, names):
        for name in names:
            self.forms.setdefault(name, set()).add(source)

    def add_expr(self, source, expr):
        """The row of an expression, after noting what it shows of it."""
        op = re.split(r"[@/+-]", expr.op)[0]
        rows = [r for r in self.by_op.get(op, ()) if same_form(r, expr)]
        if len(rows) != 1:
            self.unknown.add(f"{expr.text}: {len(rows)} rows")
            return None
        seen = self.seen[self.key(rows[0])]
        for thing in has(rows[0], expr):
            seen.setdefault(thing, set()).add(source)
        return rows[0]

    def missing(self):
        """'row: thing' of everything that no test reaches."""
        rows = [(self.key(row), needs(row), self.seen[self.key(row)]) for row in self.rows]
        return [f"{name}: {thing}" for name, want, seen in rows for thing in sorted(want - set(seen))]

    def missing_forms(self):
        want = ((table, line, name) for table, lines in forms.needs().items() for line in lines for name in lines[line])
        return [" / ".join(key) for key in sorted(want) if key not in self.forms]


def group_of(row):
    """Issue group of a row (ISA 9.3)."""
    return row["name"] if row["unit"] == "control" or row["name"] == "l2bmdarw" else forms.GROUP_OF_UNIT[row["unit"]]


def measure(described):
    matrix = Matrix(described)
    for source, program in programs():
        matrix.add(source, program)
    return matrix
