"""The generic call takes anything: every function with any arguments gives a value or an error, never a crash.

A crash would end the process that finds it, so the property runs in a child; the child prints each call before it makes
it, and the last line is the reproduction.
"""

import json
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumihimo import Error, call

ROUNDS = int(os.environ.get("KUMIHIMO_CAPI_CALLS", "6000"))
# Kept out: `mncore2.emulate` of whole random programs is the work of the emulator's own fuzzers, and long.
FUNCTIONS = [f["name"] for f in json.loads(call("describe", "functions"))]

WORDS = [
    "", "mncore2", "mncore2-tiny", "main", "half", "single", "x", "tensor", "linear", "exp", "output", "ops", "insns",
    "K1002", "(64)/((16_MAB:1, 4_W:1))", "(4,4)/((4_PE:1), (4_W:1); B@[MAB])", "((", "{}", "[]", "[4]", "[64]",
    '{"value": 1.5, "dtype": "single"}', '{"axis": 0, "keepdims": true}', '{"strict": true}', '{"threads": 3}',
    '{"threads": -7}', '{"poison": 18446744073709551615}', '{"switches": {"block_carry": "x"}}', '{"seed": "9"}',
    '{"float": "inf"}', '{"a": {"float": "-inf"}}', '{"line": -1, "file": 3}', "null", '"', "\ud800".encode("utf-8", "surrogatepass"),
    "nop\n", 'imm f"1" $lr0v\nd get $lr0n0c0b0m0p0 1\n', "d get $lr0 1\n", "leir 1 target=mncore2/1\nfunc @main {\n}\n",
    "leir 1 target=mncore2/1\nfunc @f {\n  %0 = immediate_float() {dtype=\"single\", value=inf}\n}\n", b"\0", b"\xff\xfe", b"\0" * 128, "a" * 5000,
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 16, 32, 64, 7, 2**31, -(2**31), 2**40, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 1e308]

CHILD = """
import sys, json
sys.path.insert(0, {folder!r})
import test_capi_fuzz
test_capi_fuzz.storm({seed}, {rounds})
"""


def objects():
    """One object of every type that functions take."""
    module = call("module.parse", "leir 1 target=mncore2/1\nfunc @main {\n"
        '  %0 = tensor() {dtype="half", layout="(64)/((16_MAB:1, 4_W:1))", location="DRAM", name="x", shape=[64]}\n'
        "  %1 = distribute_download(%0)\n  %2 = output(%1) {name=\"y\"}\n}\n")  # fmt: skip
    tensors = call("tensors.new")
    call("tensors.set", tensors, "x", "half", "[64]", bytes(128))
    lowered = call("module.lower", module, "{}")
    run = call("mncore2.run", lowered, tensors, "{}")
    return [module, tensors, lowered, run, call("module.new", "mncore2-tiny"), call("module.exact", module, tensors)]


def storm(seed, rounds):
    """Random calls; prints each before it is made."""
    rng = random.Random(seed)
    pool = objects()
    names = [n for n in FUNCTIONS if n != "mncore2.emulate"]
    answered = refused = 0
    for _ in range(rounds):
        name = rng.choice(names)
        args = []
        for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 9, 20])):
            kind = rng.random()
            if kind < 0.35:
                args.append(rng.choice(WORDS))
            elif kind < 0.65:
                args.append(rng.choice(pool))
            elif kind < 0.8:
                args.append(rng.choice(NUMBERS))
            else:
                args.append(rng.choice([None, True, False, *FLOATS]))
        if rng.random() < 0.5 and args:
            args[0] = rng.choice(pool)  # most functions take an object first
        print(
            name, [a if isinstance(a, (str, bytes, int, float, type(None))) else a.type_name for a in args], flush=True
        )
        try:
            call(name, *args)
            answered += 1
        except Error as e:
            assert e.status == 1, f"status {e.status}: {e}"
            assert e.code.startswith("K") and e.data["headline"] and e.text.startswith("error"), e.text
            refused += 1
        except UnicodeEncodeError:
            pass  # Python's own refusal of lone surrogates
    assert answered > rounds // 50 and refused > rounds // 5, (answered, refused)
    print("the end", answered, refused)


@pytest.mark.parametrize("seed", range(2))
def test_random_calls_never_crash(seed):
    code = CHILD.format(folder=os.path.dirname(__file__), seed=seed, rounds=ROUNDS // 2)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, errors="replace")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and lines[-1].startswith("the end"), "\n".join([*lines[-3:], done.stderr[-3000:]])


ANY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=200),
    st.binary(max_size=200),
)


@given(st.sampled_from([n for n in FUNCTIONS if n != "mncore2.emulate"]), st.lists(ANY, max_size=7))
def test_any_arguments(name, args):
    try:
        call(name, *args)
    except Error as e:
        assert e.status == 1 and e.data["headline"], str(e)


@given(st.text(max_size=400))
def test_any_text_as_a_program(text):
    for prefix in ("", "leir 1 target=mncore2/1\n", "leir 1 target=mncore2/1\nfunc @main {\n  %0 = "):
        try:
            call("module.print", call("module.parse", prefix + text, "<text>"), True)
        except Error as e:
            assert e.status == 1 and e.data["where"]["line"] >= 1, str(e)


@given(st.text(max_size=200), st.integers(-5, 80))
def test_any_text_as_a_layout(text, bits):
    try:
        info = json.loads(call("layout.parse", text, "mncore2", bits))
        assert json.loads(call("layout.parse", info["text"], "mncore2", bits))["text"] == info["text"]
    except Error as e:
        assert e.status == 1, str(e)


@given(st.sampled_from(json.loads(call("describe", "ops"))), st.data())
def test_any_application(op, data):
    """Ops with any operands and attributes of a real program."""
    module = objects()[0]
    attrs = {}
    for a in op["attrs"]:
        if data.draw(st.booleans()):
            attrs[a["name"]] = data.draw(
                st.sampled_from(
                    [0, 1, -1, 2.5, "", "half", "single", "LM", "L1BM", "DRAM", True, [1], [4, 4], "x", a["default"]]
                )
            )
    operands = data.draw(st.lists(st.integers(-1, 4), max_size=4))
    try:
        node = call("module.apply", module, op["name"], json.dumps(attrs), "{}", "", *operands)
        json.loads(call("node.info", module, node))
        text = call("module.print", module, True)
        assert call("module.first_mismatch", module, call("module.parse", text, "<again>")) is None
    except Error as e:
        assert e.status == 1 and e.data["headline"] and e.data["observed"], str(e)


def test_objects_know_their_type():
    names = [o.type_name for o in objects()]
    assert names == ["module", "tensors", "lowered", "mncore2.run", "module", "tensors"]


def test_errors_of_a_call_name_the_function_and_its_signature():
    with pytest.raises(Error) as caught:
        call("module.print", 5)
    assert caught.value.code == "K7002"
    assert "module.print(module" in str(caught.value)
    with pytest.raises(Error, match="layout.parse"):
        call("layout.parze")
