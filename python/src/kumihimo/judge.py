"""Answers against testcases of the public contest.

    verdict = kumihimo.judge.judge_files("relu.vsm", "mine.vsm")
    verdict["accepted"], verdict["score"], verdict["mismatches"]

The format and the rules are described in docs/judge.md. A testcase that cannot be read, or an answer that does not
assemble, raises ``kumihimo.Error`` with positions.
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path

from kumihimo._native import call_json


def judge(
    testcase: str,
    answer: str,
    *,
    testcase_file: str = "<testcase>",
    answer_file: str = "<answer>",
    **options,
) -> dict:
    """Runs an answer on a testcase.

    Args:
        testcase: text of the testcase.
        answer: VSM text.
        testcase_file: name of the testcase in messages.
        answer_file: name of the answer in messages.
        options: ``strict``, ``profile``, ``get``, ``set``, ``limit`` (how many wrong values are described),
            ``threads``, ``poison``, ``switches``.

    Returns:
        ``accepted``; ``score`` (instruction lines: ``j`` of PEs and ``m`` of MVs), ``bytes``; ``compared`` and
        ``wrong`` (counts of values); ``mismatches`` (``index``, ``place``, ``line``, ``seen``, ``expected``, ...);
        ``refusals`` (diagnostics); ``user_dump``; ``cost`` (steps and cycles in the stated time model).
    """
    return call_json("mncore2.judge", testcase, answer, testcase_file, answer_file, json.dumps(options))


def judge_files(testcase: str | PathLike, answer: str | PathLike, **options) -> dict:
    """``judge`` of two files."""
    return judge(
        Path(testcase).read_text(encoding="utf-8"),
        Path(answer).read_text(encoding="utf-8"),
        testcase_file=str(testcase),
        answer_file=str(answer),
        **options,
    )
