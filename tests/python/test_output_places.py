"""A type says where a value lies; what lowering reports must agree with it."""

import sys
from pathlib import Path

import pytest

from kumihimo import leir, run
from kumihimo.layout import PadLayout

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

from attention_scores import attention_scores  # noqa: E402

MEMBERS = {"LM": {"LM0", "LM1"}, "GRF": {"GRF0", "GRF1"}}


def test_outputs_lie_in_their_class():
    program = attention_scores.build()
    for output in program.lower().report["outputs"]:
        location = output["type"].rpartition("@")[2]
        assert output["memory"] in MEMBERS[location], output


@pytest.mark.parametrize("bank", ["LM0", "LM1", "GRF0", "GRF1"])
def test_a_named_bank_is_kept(bank):
    with leir.program(target="mncore2-tiny") as program:
        layout = PadLayout.parse("(32,16)/((2_L1B:1, 16:1), (4_PE:1, 4_W:1))")
        x = leir.tensor(leir.half, layout, leir.DRAM, name="x")
        leir.output(leir.distribute_download(x, to=bank), name="y")
    inputs = run.pack_inputs(program, run.random_inputs(program))
    lowered = program.lower()
    assert [o["memory"] for o in lowered.report["outputs"]] == [bank]
    assert lowered.run(inputs, strict=True).compare(program.exact(inputs)).bit_identical
