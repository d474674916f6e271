"""The attention example from its Python lines to the emulator, on four sizes.

What is expected comes from outside: the count of words from a reading of the layout texts in attention_support.py, the
errors from NumPy, the steps from a schedule made by hand.
"""

import json
import re

import numpy as np
import pytest
from attention_support import SIZES, Placement, build, error_over_bound, inputs

from kumihimo import Error, call, run
from kumihimo.leir import Program

POISONS = (0, 0xA5A5_5A5A_C3C3_3C3C)
HAND_STEPS, HAND_FRACTION = 260, 0.4  # what T = 64 must reach; by hand about 180 steps and 0.6


class Case:
    def __init__(self, size):
        self.size = size
        self.program = build(size)
        self.inputs = run.pack_inputs(self.program, inputs(size))
        self.exact = run.exact(self.program, self.inputs, keep_values=True)
        self.lowered = self.program.lower()
        self.runs = [self.lowered.run(self.inputs, strict=True, poison=p) for p in POISONS]

    def node(self, op):
        body = json.loads(call("module.json", self.program.module))["functions"][0]["body"]
        (node,) = [n["id"] for n in body if n["op"] == op]
        return f"%{node}"


CASES = {}


@pytest.fixture(params=SIZES, ids=lambda s: "heads{}-kv{}-d{}-T{}".format(*s))
def case(request):
    if request.param not in CASES:
        CASES[request.param] = Case(request.param)
    return CASES[request.param]


def test_every_word_of_every_copy_equals_exact(case):
    heads, kv, d, t = case.size
    places = {o["name"]: Placement.read(o["type"]) for o in case.lowered.report["outputs"]}
    assert {n: p.shape for n, p in places.items()} == {
        n: (kv, heads // kv, t, t if n in "se" else 1) for n in ("s", "m", "e", "z")
    }
    words = {n: p.elements * p.copies for n, p in places.items()}
    # Scores lie once in the machine, the maximum and the sum in each of the 16 MABs of their L1B.
    assert places["s"].copies * places["s"].elements == heads * t * t
    assert places["m"].copies == places["z"].copies == 16
    for done in case.runs:
        comparison = done.compare(case.exact)
        assert comparison.bit_identical and comparison.mismatches == 0
        assert comparison.words_compared == comparison.words_required == sum(words.values())
        assert {o["name"]: o["words"] for o in comparison.outputs} == words


def test_outputs_of_the_run_are_exacts_bits(case):
    for done in case.runs:
        for name in ("s", "m", "e", "z"):
            np.testing.assert_array_equal(done.outputs.bits(name), case.exact.bits(name))


def test_strict_is_clean_and_poison_changes_nothing(case):
    for done in case.runs:
        assert done.report["findings"] == []
        assert done.report["undefined_words"] == 0
    for name in ("s", "m", "e", "z"):
        np.testing.assert_array_equal(case.runs[0].outputs.bits(name), case.runs[1].outputs.bits(name))


def test_errors_stay_inside_their_classes(case):
    keep = {n: case.exact.values(n) for n in ("s", "m", "e", "z")}
    keep["difference"] = case.exact.values(case.node("sub"))
    given = {n: case.inputs.values(n).astype(np.float64) for n in ("q", "k", "mask")}
    ratios = error_over_bound(case.size, case.program, given, keep)
    assert ratios["m"] == 0
    assert ratios["s"] <= 1 and ratios["e"] <= 1 and ratios["z"] <= 1, ratios
    # Bounds that are never approached would say nothing; block floats and exp do cost bits.
    assert ratios["s"] > 0.01 and ratios["e"] > 0.05, ratios


def test_a_wrong_value_leaves_its_class(case):
    """The comparison with the classes can say no: one exponential off by 16 spacings, one score by its block term."""
    keep = {n: case.exact.values(n).copy() for n in ("s", "m", "e", "z")}
    keep["difference"] = case.exact.values(case.node("sub"))
    given = {n: case.inputs.values(n).astype(np.float64) for n in ("q", "k", "mask")}
    at = (0, 0, 40, 7)
    keep["e"][at] *= np.float32(1 + 16 * 2.0**-23)
    assert error_over_bound(case.size, case.program, given, keep)["e"] > 1
    keep["s"][at] += np.float32(4)
    ratios = error_over_bound(case.size, case.program, given, keep)
    assert ratios["s"] > 1 or ratios["m"] > 0


def test_reference_agrees_with_numpy(case):
    got = run.reference(case.program, case.inputs)
    q, k, mask = (case.inputs.values(n).astype(np.float64) for n in ("q", "k", "mask"))
    s = np.einsum("grid,gxjd->grij", q, k) * float(np.float32(1 / np.sqrt(case.size[2])))
    s = np.where(mask.astype(bool), s, -np.inf)
    m = s.max(-1, keepdims=True)
    e = np.exp(s - m)
    for name, want in {"s": s, "m": m, "e": e, "z": e.sum(-1, keepdims=True)}.items():
        np.testing.assert_allclose(got.values(name), want, rtol=1e-12, atol=1e-300)


def test_steps_and_bound(case):
    report = case.lowered.report
    assert report["cycles"] == 4 * report["steps"] + report["stall_cycles"]
    assert report["fraction_of_bound"] == pytest.approx(report["bound"]["with_mv"] / report["cycles"])
    assert report["bound"]["with_mv"] >= report["bound"]["without_mv"] > 0
    assert report["microseconds"] == pytest.approx(report["cycles"] / 750.0)
    if case.size[3] == 64:
        assert report["steps"] <= HAND_STEPS
        assert report["fraction_of_bound"] >= HAND_FRACTION


def test_move_bound_is_what_the_layouts_transfer(case):
    """DRAM moves 16 long words a cycle and group; every group's port carries q, its copies of k and the mask."""
    assert case.runs[0].report["steps"] == case.lowered.report["steps"]
    assert case.runs[0].report["mv"] == case.lowered.report["mv"]
    lines = case.lowered.text.splitlines()
    moves = [re.match(r"mv\w*/n(\d+)", line) for line in lines]
    words = sum(int(m[1]) for m in moves if m)
    assert len([m for m in moves if m]) == case.lowered.report["mv"]
    assert words == sum(i["size_lw"] for i in case.lowered.report["inputs"])


def test_lowering_twice_gives_the_same_text(case):
    again = build(case.size).lower()
    assert again.text == case.lowered.text
    assert again.report == case.lowered.report


def test_text_is_clean_and_canonical(case):
    text = case.lowered.text
    found = json.loads(call("mncore2.lint", text, "attention.vsm"))
    # Steps that would still fit into one are the scheduler's business; nothing else is to be said.
    assert {f["name"] for f in found["findings"]} <= {"lint_pair"} and found["errors"] == 0
    canonical = call("mncore2.assemble", text, "attention.vsm")
    assert call("mncore2.assemble", canonical, "attention.vsm") == canonical
    without_comments = "".join(line.split("#")[0].rstrip() + "\n" for line in text.splitlines())
    assert without_comments == canonical


def dumped(lines, places):
    """Outputs of `d get` lines: name -> (bits, elements whose copies differ). One get for each output, in order."""
    words = {name: {} for name in places}
    rows = {}
    commands = []
    for line in lines:
        m = re.fullmatch(r"DEBUG-\w+\(n(\d)c(\d)b(\d)m(\d+)p(\d),\d+\):.* \(0x(\w{8}), 0x(\w{8})\) #(d get.*)", line)
        g, c, b, mab, pe, high, low, command = m.groups()
        if command not in commands:
            commands.append(command)
        name = list(places)[commands.index(command)]
        unit = (2 * int(g) + int(c), int(b), int(mab), int(pe))
        row = rows[name, unit] = rows.get((name, unit), -1) + 1
        words[name][(*unit, row)] = int(high + low, 16)
    return {name: place.read_dump(words[name]) for name, place in places.items()}


@pytest.mark.slow
def test_text_with_data_run_by_the_emulator_gives_the_same_outputs(case):
    if case.size != SIZES[0]:
        pytest.skip("one size is enough: a dump of every PE is long")
    text = case.lowered.with_data(case.inputs)
    code = [line for line in text.splitlines() if not line.startswith(("r ", "d get"))]
    assert code == case.lowered.text.splitlines()
    done = json.loads(call("mncore2.emulate", text, "with_data.vsm", json.dumps({"strict": True, "poison": "A5"})))
    assert done["findings"] == []
    assert done["steps"] == case.lowered.report["steps"]
    # Two ways to the time: from the scheduled kernel, and from the words of the assembled text.
    for key in ("steps", "cycles", "mv", "stall_cycles"):
        assert done["cost"][key] == case.lowered.report[key]
    places = {o["name"]: Placement.read(o["type"]) for o in case.lowered.report["outputs"]}
    for name, (bits, differing) in dumped(done["dumps"], places).items():
        assert differing == 0
        np.testing.assert_array_equal(bits, case.exact.bits(name))


@pytest.mark.parametrize("full", [False, True], ids=["short", "full"])
def test_leir_text_round_trip(case, full):
    text = case.program.text(full=full)
    again = Program.parse(text, "attention.leir")
    assert call("module.first_mismatch", case.program.module, again.module) is None
    assert again.text() == case.program.text()
    if full:
        assert again.text(full=True) == text
    assert again.lower().text == case.lowered.text


def test_mismatch_names_the_place(case):
    text = case.program.text().replace('{stationary="x"}', '{stationary="w"}', 1)
    try:
        other = Program.parse(text, "attention.leir")
    except Error:  # a placement that only one of the two variants takes
        text = case.program.text().replace('name="z"', 'name="zz"')
        other = Program.parse(text, "attention.leir")
    mismatch = call("module.first_mismatch", case.program.module, other.module)
    assert re.match(r"@?main\[\d+\] \w+: attribute \w+ is ", mismatch), mismatch


def test_wrong_inputs_are_refused(case):
    values = inputs(case.size)
    with pytest.raises(Error, match="k has no value") as caught:
        case.lowered.run({n: v for n, v in values.items() if n != "k"})
    assert caught.value.code == "K6001"
    with pytest.raises(Error) as caught:
        case.lowered.run({**values, "qq": values["q"]})
    assert caught.value.code == "K6002"
    with pytest.raises(Error) as caught:
        case.lowered.run({**values, "q": values["q"][..., :-1]})
    assert caught.value.code == "K6003"
