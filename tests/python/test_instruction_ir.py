"""The scheduled kernel as instruction-level IR: the third level of the one IR."""

import json
import re
import sys
from pathlib import Path

import pytest

from kumihimo import call
from kumihimo.leir import Program

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "examples"))

from attention_scores import attention_scores  # noqa: E402


@pytest.fixture(scope="module")
def lowered():
    return attention_scores.build().lower()


@pytest.fixture(scope="module")
def module(lowered):
    return call("lowered.module", lowered.handle)


def test_text_round_trip(module):
    again = Program.parse(call("module.print", module, True))
    assert call("module.first_mismatch", module, again.module) is None


def test_every_instruction_of_the_code_is_a_node(lowered, module):
    """Expressions of the assembly text, nops and what prints as part of them left out, against nodes in order."""
    nodes = json.loads(call("module.json", module))["functions"][0]["body"]
    in_text = []
    for line in lowered.text.splitlines():
        for part in line.partition("#")[0].split(";"):
            part = part.strip()
            if part and not re.fullmatch(r"nop(/\d+)?", part):
                in_text.append(part)
    assert [n["attrs"]["insn"] for n in nodes] == in_text


def test_dependences_point_to_writers(module):
    """What a node reads was written by an earlier node into the memory that its text names."""
    nodes = {n["id"]: n for n in json.loads(call("module.json", module))["functions"][0]["body"]}
    letters = {"LM0": "m", "LM1": "n", "GRF0": "r", "GRF1": "s"}
    checked = 0
    for n in nodes.values():
        for producer, result in n["operands"]:
            assert producer < n["id"]
            assert nodes[producer]["attrs"]["step"] <= n["attrs"]["step"]
            memory = nodes[producer]["results"][result].split()[1]
            if memory in letters:
                assert re.search(rf"\$l{{0,2}}{letters[memory]}\d", n["attrs"]["insn"]), (n, nodes[producer])
                checked += 1
    assert checked > 50
