"""The attention example inside one process: checking, lowering, exact interpreter, emulation, and the kernel's own time.

Times are the best of some rounds. Ratios: cycles of the kernel to the bound of its transfers and arithmetic; emulation
and exact interpretation to lowering and to each other, all measured in this run.
"""

import importlib.util
import os
import time

import numpy as np
from _rows import ROOT, main, row

from kumihimo import run

SIZES = [(9, 3, 64, 64), (12, 12, 32, 64), (8, 2, 128, 64), (9, 3, 64, 128)]
ROUNDS = 5


def example():
    path = ROOT / "examples" / "attention_scores.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.attention_scores


def best(work) -> tuple[float, object]:
    """Milliseconds of the quickest round, and the last result."""
    quickest, result = float("inf"), None
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        result = work()
        quickest = min(quickest, 1e3 * (time.perf_counter() - begun))
    return quickest, result


def measure() -> list[dict]:
    kernel, threads, rows = example(), len(os.sched_getaffinity(0)), []
    for heads, kv, d, t in SIZES:
        case = f"({heads},{kv},{d},{t})"

        def add(name, value, unit, ratio=None, of=None, case=case):
            rows.append(row("lower_attention", f"{case} {name}", value, unit, ratio, of))

        check_ms, program = best(lambda: kernel.build(heads, kv, d, t))  # noqa: B023  called at once
        inputs = run.pack_inputs(program, {**run.random_inputs(program), "mask": np.tril(np.ones((t, t), bool))})
        lower_ms, lowered = best(lambda: program.lower())  # noqa: B023
        exact_ms, expected = best(lambda: run.exact(program, inputs))  # noqa: B023
        emulate_ms = float("inf")
        for _ in range(ROUNDS):
            done = lowered.run(inputs, threads=threads)
            emulate_ms = min(emulate_ms, done.report["emulate_ms"])
        strict_ms, strict = best(lambda: lowered.run(inputs, strict=True, threads=threads))  # noqa: B023
        if not done.compare(expected).bit_identical or strict.report["findings"]:
            raise SystemExit(f"{case}: the kernel is wrong, its times mean nothing")
        report = lowered.report
        add("check_ms", check_ms, "ms", check_ms / lower_ms, "lower_ms")
        add("lower_ms", lower_ms, "ms")
        add("exact_ms", exact_ms, "ms", exact_ms / emulate_ms, "emulate_ms")
        add("emulate_ms", emulate_ms, "ms", emulate_ms / lower_ms, "lower_ms")
        add("strict_ms", strict_ms, "ms", strict_ms / emulate_ms, "emulate_ms")
        add("emulated steps per second", 1e3 * report["steps"] / emulate_ms, "1/s")
        add("steps", report["steps"], "steps")
        add("cycles", report["cycles"], "cycles", report["fraction_of_bound"], "bound")
    return rows


if __name__ == "__main__":
    main(__doc__, measure)
