"""``kumi run``, ``kumi verify`` and ``kumi lower --with-data``: programs with NumPy values.

python -m kumihimo.run_program {run,verify,lower} PROGRAM [--arg N=V] [--input N=F.npy] [--output P] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from kumihimo import Error, run
from kumihimo.build_program import Fault, build, failure, parse_arguments
from kumihimo.leir import Program


def load(program: str, arguments: list[str]) -> Program:
    """FILE.leir, FILE.py or FILE.py:FUNCTION."""
    file, _, function = program.partition(".py:")
    if function:
        return build(file + ".py", function, parse_arguments(arguments))
    if program.endswith(".py"):
        return build(program, "", parse_arguments(arguments))
    if not Path(program).is_file():
        raise Fault("no such file", program, "FILE.leir, FILE.py or FILE.py:FUNCTION")
    return Program.parse(Path(program).read_text(), program)


def read_inputs(words: list[str]) -> dict[str, np.ndarray]:
    out = {}
    for word in words:
        name, eq, path = word.partition("=")
        if not eq:
            raise Fault("bad input", word, "NAME=FILE.npy")
        try:
            out[name] = np.load(path, allow_pickle=False)
        except (OSError, ValueError) as e:
            raise Fault(f"{path} cannot be read as .npy", str(e), "a NumPy array file") from None
    return out


def write_text(path: str, text: str) -> None:
    """Whole or not at all."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent or ".", prefix=target.name)
    try:
        with os.fdopen(handle, "w") as f:
            f.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def command_run(options, program: Program) -> tuple[bool, dict, str]:
    inputs = read_inputs(options.input)
    missing = [n for n in run.inputs_of(program) if n not in inputs]
    if missing:
        raise Fault(
            f"input {missing[0]} has no value",
            f"values for {', '.join(inputs) or 'none'}",
            f"--input {missing[0]}=FILE.npy",
        )
    lowered = program.lower()
    done = lowered.run(inputs)
    values = done.outputs.as_dict()
    lines = []
    if options.output:
        Path(options.output).mkdir(parents=True, exist_ok=True)
    for name, v in values.items():
        shown = ""
        if options.output:
            path = Path(options.output) / f"{name}.npy"
            np.save(path, v)
            shown = f" -> {path}"
        lines.append(f"{name}: {v.dtype} {v.shape}{shown}")
    data = {"report": lowered.report, "run": done.report, "outputs": {n: list(v.shape) for n, v in values.items()}}
    return True, data, "\n".join(lines) + f"\n{lowered.report['steps']} steps, {lowered.report['cycles']} cycles\n"


def command_verify(options, program: Program) -> tuple[bool, dict, str]:
    inputs = {**run.random_inputs(program), **read_inputs(options.input)}
    tensors = run.pack_inputs(program, inputs)
    expected = run.exact(program, tensors)
    lowered = program.lower()
    results = []
    for poison in (0, 0xA5A5_5A5A_C3C3_3C3C):
        done = lowered.run(tensors, strict=True, poison=poison)
        results.append((done.compare(expected), done.report))
    comparison, report = results[0]
    clean = all(c.bit_identical for c, _ in results) and not report["findings"] and report["undefined_words"] == 0
    text = (
        f"{comparison.words_compared} of {comparison.words_required} words compared, {comparison.mismatches} differ\n"
    )
    for o in comparison.outputs:
        text += f"  {o['name']}: {o['words']} words, {o['mismatches']} differ"
        if "first" in o:
            f = o["first"]
            text += f"; first at {tuple(f['index'])}: {f['found']}, exact has {f['expected']} (unit {f['unit']}, row {f['address_lw']})"
        text += "\n"
    text += f"strict findings: {len(report['findings'])}; outputs under another poison: {'equal' if results[1][0].bit_identical else 'different'}\n"
    for finding in report["findings"][:20]:
        text += f"  {finding.get('headline')}\n"
    return clean, {"comparison": vars(comparison), "run": report}, text


def command_lower(options, program: Program) -> tuple[bool, dict, str]:
    inputs = {**run.random_inputs(program), **read_inputs(options.input)}
    lowered = program.lower()
    text = lowered.with_data(inputs)
    if options.output:
        write_text(options.output, text)
        return True, {"report": lowered.report}, ""
    return True, {"report": lowered.report, "vsm": text}, text


def main() -> int:
    parser = argparse.ArgumentParser(prog="kumihimo.run_program")
    parser.add_argument("command", choices=["run", "verify", "lower"])
    parser.add_argument("program")
    parser.add_argument("--arg", action="append", default=[])
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--output")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        program = load(options.program, options.arg)
        ok, data, text = globals()[f"command_{options.command}"](options, program)
    except (Error, Fault, Exception) as error:
        data, text = failure(error)
        if options.json:
            print(json.dumps({"ok": False, "error": data}))
        else:
            sys.stderr.write(text)
        return 3 if isinstance(error, Error) and error.status == 3 else 1
    print(json.dumps({"ok": ok, **data}) if options.json else text, end="\n" if options.json else "")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
