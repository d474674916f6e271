"""Misuse gives an error that a reader or an agent can act on, and the fix that it offers works.

Each case is a small program file with one wrong line. The error must name a rule, the Python line, what was seen and
what is needed, and offer verified fixes as new source lines. The test puts each of these lines into the file and runs it
again: it must pass every check and lower, with the same outputs, shapes, dtypes and reference values.
"""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from kumihimo import Error, run
from kumihimo.build_program import build

GOOD = '''"""Products of 64 queries and 64 keys, a bias, masked."""

from kumihimo import leir
from kumihimo.layout import PadLayout


@leir.kernel
def products():
    q = leir.tensor(leir.half, PadLayout.parse("(64,64)/((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1))"), leir.DRAM, name="q")
    k = leir.tensor(leir.half, PadLayout.parse("(64,64)/((16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))"), leir.DRAM, name="k")
    bias = leir.tensor(leir.single, "(64,64)/((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))", leir.DRAM, name="bias")
    mask = leir.tensor(leir.bool_, "(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1))", leir.DRAM, name="mask")
    q = leir.bf(leir.distribute_download(q))  # stays in the matrix registers
    k = leir.bf(leir.distribute_download(k))
    s = leir.linear(q, k, stationary="x")
    s = s + leir.distribute_download(bias)
    s = leir.where(leir.distribute_download(mask), s, leir.immediate_float(value=0.0, dtype=leir.single))
    m = leir.reduce_max(s, axis=1, keepdims=True)
    m = leir.distribute_download(leir.reduce_upload(m))
    leir.output(leir.exp(s - m), name="e")
    leir.output(m, name="m")
'''

# kind -> {name: (right text, wrong text, code or rule name, a word of the observed value)}
KINDS = {
    "axis": {
        "misspelt axis": (
            'PadLayout.parse("(64,64)/((16_MAB:1',
            'PadLayout.parse("(64,64)/((16_MABB:1',
            "layout_unknown_axis",
            "MABB",
        ),
        "misspelt axis in a plain text": (
            "2_W:1), (16_MAB:1, 4:2))",
            "2_W:1), (16_mab:1, 4:2))",
            "layout_unknown_axis",
            "mab",
        ),
        "two misspelt axes": (
            "4:1), (4:4, 4_PE:1, 4_W:1)",
            "4:1), (4:4, 4_PEE:1, 4_WW:1)",
            "layout_unknown_axis",
            "PEE",
        ),
        "block on the wrong axis": (
            "16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1)",
            "16_MAB:1, 4:1), (4:4, 4_L1B:1, 4_W:1)",
            None,
            "L1B",
        ),
    },
    "location": {
        "operand still in DRAM": ("leir.bf(leir.distribute_download(k))", "leir.bf(k)", None, "DRAM"),
        "mask still in DRAM": ("leir.where(leir.distribute_download(mask)", "leir.where(mask", None, "DRAM"),
        "sum with a value in DRAM": ("s + leir.distribute_download(bias)", "s + bias", None, "DRAM"),
        "input that begins in L1BM": (
            '4_W:1))"), leir.DRAM, name="k")',
            '4_W:1))"), leir.L1BM, name="k")',
            None,
            "L1BM",
        ),
        "unknown memory": ('leir.DRAM, name="mask"', '"DRAMM", name="mask"', None, "DRAMM"),
        "maximum not brought down": (
            "leir.distribute_download(leir.reduce_upload(m))",
            "leir.reduce_upload(m)",
            None,
            "L1BM",
        ),
    },
    "dtype": {
        "queries are not block floats": (
            "q = leir.bf(leir.distribute_download(q))",
            "q = leir.distribute_download(q)",
            None,
            "half",
        ),
        "keys are not block floats": (
            "k = leir.bf(leir.distribute_download(k))",
            "k = leir.distribute_download(k)",
            None,
            "half",
        ),
        "neither download nor block floats": ("k = leir.bf(leir.distribute_download(k))", "k = k", None, "DRAM"),
        "sum of single and half": (
            'leir.single, "(64,64)/((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))", leir.DRAM, name="bias"',
            'leir.half, "(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1))", leir.DRAM, name="bias"',
            "op_dtype",
            "half",
        ),
    },
    "lanes": {
        "bias with other lanes": (
            '"(64,64)/((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))"',
            '"(64,64)/((4_L1B:1, 4_PE:1, 4:1), (16_MAB:1, 2:4, 2_W:1))"',
            None,
            "",
        ),
        "mask with other lanes": (
            '"(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1))"',
            '"(64,64)/((4_L1B:1, 4_PE:1, 4:1), (16_MAB:1, 4_W:1))"',
            None,
            "",
        ),
    },
}

TOO_LARGE = """from kumihimo import leir


@leir.kernel
def copy():
    x = leir.tensor(leir.half, "(8192,64)/((8192:1), (4:8192, 4_PE:1, 4_W:1))", leir.DRAM, name="x")
    x = leir.distribute_download(x)
    leir.output(x, name="y")
"""

CASES = [pytest.param(kind, name, id=f"{kind}-{name.replace(' ', '_')}") for kind in KINDS for name in KINDS[kind]]


def broken(kind, name):
    right, wrong, rule, seen = KINDS[kind][name]
    assert GOOD.count(right) == 1, right
    return GOOD.replace(right, wrong), rule, seen


def refusal(path):
    with pytest.raises(Error) as caught:
        build(str(path)).lower()
    return caught.value


def with_lines(text, replacement):
    """The file's text with the fix's lines in place of the old ones."""
    lines = text.splitlines()
    lines[replacement["line"] - 1 : replacement["end_line"]] = replacement["text"].splitlines()
    return "\n".join(lines) + "\n"


def outputs_of(program):
    """Name -> (shape, dtype) of every output."""
    functions = json.loads(run.call("module.json", program.module))["functions"]
    nodes = {n["id"]: n for n in functions[0]["body"]}
    out = {}
    for node in nodes.values():
        if node["op"] == "output":
            dtype, shape = re.match(r"(\w+) \(([\d,]*)\)", nodes[node["operands"][0][0]]["results"][0]).groups()
            out[node["attrs"]["name"]] = (shape, dtype)
    return out


def check_error(error, path, text, seen):
    """Every field that a reader needs, in the object and in the text."""
    data = error.data
    assert re.fullmatch(r"K\d{4}", error.code) and data["code"] == error.code
    assert data["name"] != "unregistered_code" and data["rule"]
    assert data["observed"] and data["required"]
    assert seen in data["observed"] or seen in data["headline"]
    where = data["where"]
    assert where["file"] == str(path)
    source = text.splitlines()[where["line"] - 1]
    assert where["text"] == source
    shown = str(error)
    assert f"{path}:{where['line']}" in shown and error.code in shown
    assert data["observed"] in shown and data["required"] in shown
    if sys.version_info >= (3, 11):
        marked = source[where["column"] - 1 : where["end_column"] - 1]
        assert "leir." in marked or "PadLayout.parse" in marked or "+" in marked or "-" in marked, marked
        caret = next(row for row in shown.splitlines() if re.fullmatch(r" *\| +\^+", row))
        assert caret.count("^") >= 1
    return where


def exact_inputs(program):
    """Multiples of 1/4 that a half and a block of halves hold, so that dtypes do not change them."""
    rng = np.random.default_rng(5)
    out = {}
    for name, t in run.inputs_of(program).items():
        v = rng.integers(-12, 13, t["shape"])
        out[name] = v > 0 if t["dtype"] == "bool_" else v / 4
    return out


def check_fixes(error, path, text, reference):
    """Each fix is verified; the file with the first passes, lowers and means what the right file means."""
    assert error.fixes, str(error)
    for fix in error.fixes:
        assert fix["verified"] and fix["summary"] and fix["summary"] in str(error)
    replaced = [f["replacement"] for f in error.fixes if "replacement" in f]
    assert replaced, f"no fix is a source line: {error}"
    want, inputs, values = reference
    for number, replacement in enumerate(replaced):
        path.write_text(with_lines(text, replacement))
        try:
            program = build(str(path))
        except Error as further:
            # The check goes line by line: another fix than the first may be refused by a line that is still to come.
            assert number > 0 and further.data["where"]["line"] > error.data["where"]["line"], str(further)
            continue
        assert outputs_of(program) == want
        got = run.reference(program, inputs)
        for name, value in values.items():
            np.testing.assert_array_equal(got.values(name), value)
        tensors = run.pack_inputs(program, inputs)
        assert program.lower().run(tensors, strict=True).compare(run.exact(program, tensors)).bit_identical


def reference_of(text, path):
    """(outputs, inputs, float64 values of the outputs) of a right file."""
    path.write_text(text)
    program = build(str(path))
    inputs = exact_inputs(program)
    got = run.reference(program, inputs)
    return outputs_of(program), inputs, {n: got.values(n) for n in outputs_of(program)}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return reference_of(GOOD, tmp_path_factory.mktemp("good") / "products.py")


@pytest.mark.parametrize("kind, name", CASES)
def test_misuse_is_explained_and_the_fix_works(kind, name, tmp_path, reference):
    text, rule, seen = broken(kind, name)
    path = tmp_path / "products.py"
    path.write_text(text)
    error = refusal(path)
    if rule:
        assert error.data["name"] == rule
    where = check_error(error, path, text, seen)
    # The error points at the line that is wrong, or at the one that uses what it made.
    right, wrong, *_ = KINDS[kind][name]
    wrong_line = next(i for i, line in enumerate(text.splitlines(), 1) if wrong.splitlines()[0] in line)
    assert where["line"] >= wrong_line
    check_fixes(error, path, text, reference)


def test_too_large_is_explained_and_the_fix_works(tmp_path):
    path = tmp_path / "copy.py"
    path.write_text(TOO_LARGE)
    error = refusal(path)
    check_error(error, path, TOO_LARGE, "")
    assert re.search(r"\d", error.data["observed"]) and re.search(r"\d", error.data["required"])
    small = TOO_LARGE.replace("(8192:1), (4:8192,", "(8_L1B:1, 16_MAB:1, 8_L2B:1, 8:1), (4:8,")
    assert small != TOO_LARGE
    check_fixes(error, path, TOO_LARGE, reference_of(small, tmp_path / "small.py"))


@pytest.mark.parametrize("kind, name", CASES)
def test_the_command_says_the_same(kind, name, tmp_path):
    kumi = os.environ.get("KUMI", "kumi")
    text, _, _ = broken(kind, name)
    path = tmp_path / "products.py"
    path.write_text(text)
    error = refusal(path)
    shown = subprocess.run([kumi, "check", str(path)], capture_output=True, text=True)
    assert shown.returncode == 1 and shown.stdout == ""
    assert shown.stderr == str(error)
    as_json = subprocess.run([kumi, "check", "--json", str(path)], capture_output=True, text=True)
    assert as_json.returncode == 1 and as_json.stderr == ""
    assert json.loads(as_json.stdout) == {"ok": False, "error": error.data}


def test_no_fix_is_said_with_the_reason(tmp_path):
    """Where no edit keeps outputs and values, the error says so instead of offering a guess."""
    text = GOOD.replace(
        '"(64,64)/((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))"',
        '"(64,32)/((4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 2:2))"',
    )
    path = tmp_path / "products.py"
    path.write_text(text)
    error = refusal(path)
    assert error.data["name"] == "shape_broadcast"
    assert error.fixes == [] and error.data["no_fix_reason"] and error.data["no_fix_reason"] in str(error)


def test_the_good_program_runs(reference, tmp_path):
    """The programs above differ from this one in one place only."""
    path = tmp_path / "products.py"
    path.write_text(GOOD)
    program = build(str(path))
    inputs = run.pack_inputs(program, reference[1])
    assert program.lower().run(inputs, strict=True).compare(run.exact(program, inputs)).bit_identical
