"""The demo: attention scores of real sentences, from LEIR to VSM to the emulator, compared bit for bit.

    python -m kumihimo.demo [--json FILE] [--T 64] [--out DIR]

Weights are SmolLM2-135M-Instruct's (kumihimo.models); the program is examples/attention_scores.py.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path

import numpy as np

from kumihimo import build_program, run, tolerance


def find_examples() -> Path:
    """The examples folder of the checkout: from the working directory upwards."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "examples/attention_scores.py").is_file():
            return folder / "examples"
    raise SystemExit("error: examples/attention_scores.py is not found; run the demo inside the checkout")


def load_kernel(path: Path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, path.stem)


def timed(function, *args, **kwargs):
    start = time.perf_counter()
    value = function(*args, **kwargs)
    return value, (time.perf_counter() - start) * 1e3


def quantised(program, inputs: dict) -> dict[str, np.ndarray]:
    """Inputs as the machine sees them, in float64."""
    kinds = run.inputs_of(program)
    return {
        n: run.decode(program.target, kinds[n]["dtype"], run.encode(program.target, kinds[n]["dtype"], v))
        for n, v in inputs.items()
    }


def errors_over_bound(program, inputs: dict, tensors: run.Tensors, scale: float) -> dict[str, float]:
    """Each result against its class: scores E3, maxima E0, exponentials E1(4), sums E2(1)."""
    exact = run.exact(program, tensors, keep_values=True)
    reference = run.reference(program, tensors)
    seen = quantised(program, inputs)
    bound = scale * tolerance.e3_bound(seen["q"], seen["k"])
    s, e = exact.values("s"), exact.values("e")
    # The difference that exp was given, as the machine computed it.
    module = json.loads(run.call("module.json", program.module))
    exp_node = next(n for f in module["functions"] for n in f["body"] if n["op"] == "exp")
    difference = exact.values(f"%{exp_node['operands'][0][0]}").astype(np.float64)
    return {
        "scores E3": tolerance.worst(s, reference.values("s"), bound),
        "maximum E0": tolerance.e0(exact.values("m"), s.max(axis=-1, keepdims=True)),
        "exponentials E1(4)": tolerance.e1(e, np.exp(difference), 4),
        "sum E2(1)": tolerance.e2_sum(exact.values("z"), e, axis=-1),
    }


def run_sentences(program, lowered: run.Lowered, items, config) -> tuple[list[dict], dict[str, float]]:
    """Runs every sentence; rows of the table and the worst error over bound of each class."""
    group = config.heads // config.kv_heads
    rows, worst = [], {}
    for item in items:
        t = item.q.shape[1]
        inputs = {
            "q": item.q.reshape(config.kv_heads, group, t, config.head_dim),
            "k": item.k.reshape(config.kv_heads, 1, t, config.head_dim),
            "mask": item.mask,
        }
        tensors = run.pack_inputs(program, inputs)
        expected, exact_ms = timed(run.exact, program, tensors)
        done, emulate_ms = timed(lowered.run, tensors)
        comparison = done.compare(expected)
        for name, ratio in errors_over_bound(program, inputs, tensors, config.head_dim**-0.5).items():
            worst[name] = max(worst.get(name, 0.0), ratio)
        rows.append({
            "text": item.text,
            "tokens": item.length,
            "bit_identical": comparison.bit_identical,
            "words_compared": comparison.words_compared,
            "words_required": comparison.words_required,
            "mismatches": comparison.mismatches,
            "exact_ms": exact_ms,
            "emulate_ms": emulate_ms,
        })  # fmt: skip
    return rows, worst


def print_table(data: dict, out: Path) -> None:
    r = data["report"]
    print(f"\n{'sentence':<52} {'tokens':>6} {'words':>8} {'differ':>6} {'exact':>8} {'emulate':>8}")
    for s in data["sentences"]:
        text = s["text"] if len(s["text"]) <= 50 else s["text"][:47] + "..."
        print(
            f"{text:<52} {s['tokens']:>6} {s['words_compared']:>8} {s['mismatches']:>6} {s['exact_ms']:>5.0f} ms {s['emulate_ms']:>5.0f} ms"
        )
    verdict = "bit-identical to exact" if data["bit_identical"] else "NOT IDENTICAL to exact"
    print(f"\n{verdict}: {data['words_compared']} words compared, {data['words_required']} required by the layouts")
    print("errors over bound: " + ", ".join(f"{k} {v:.3f}" for k, v in data["errors"].items()))
    print(
        f"steps {r['steps']}, MV {r['mv']}, cycles {r['cycles']} (stalls {r['stall_cycles']}), {r['microseconds']:.3f} microseconds at 750 MHz"
    )
    units = ", ".join(f"{u} {100 * v['share']:.0f} %" for u, v in r["units"].items())
    print(f"share of steps: {units}")
    bound = r["bound"]
    print(
        f"bound {bound['with_mv']:.0f} cycles with MV, {bound['without_mv']:.0f} without; the kernel takes {r['fraction_of_bound']:.2f} of the first"
    )
    print(
        f"check {data['check_ms']:.1f} ms, lower {data['lower_ms']:.0f} ms, emulate {data['emulate_ms']:.0f} ms a sentence; code in {out}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="kumihimo.demo", description="attention scores of real sentences, bit for bit"
    )
    parser.add_argument("--json", metavar="FILE", help="also write the figures")
    parser.add_argument("--T", type=int, default=64, choices=(64, 128), help="padded length of a sentence")
    parser.add_argument("--out", default="out", help="folder for attention_scores.vsm")
    options = parser.parse_args()
    examples = find_examples()
    from kumihimo.models import smollm2
    from kumihimo.models.errors import ModelError

    print("Real weights: SmolLM2-135M-Instruct, layer 0", flush=True)
    sentences = [line for line in (examples / "sentences.txt").read_text().splitlines() if line.strip()]
    try:
        model = smollm2.load()
        items = smollm2.attention_inputs(sentences, options.T, model=model)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 1
    config = model.config
    print(
        f"  {config.heads} heads, {config.kv_heads} kv heads, head dim {config.head_dim}; {len(items)} sentences padded to {options.T} tokens"
    )

    print("LEIR program: examples/attention_scores.py", flush=True)
    kernel = load_kernel(examples / "attention_scores.py")
    arguments = {"heads": config.heads, "kv_heads": config.kv_heads, "head_dim": config.head_dim, "T": options.T}
    program, check_ms = timed(kernel.build, **arguments)
    lowered, lower_ms = timed(program.lower)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    vsm = out / "attention_scores.vsm"
    vsm.write_text(lowered.text)
    print(f"  checked and lowered to {lowered.report['steps']} steps of VSM")

    rows, errors = run_sentences(program, lowered, items, config)
    data = {
        "bit_identical": all(r["bit_identical"] for r in rows),
        "words_compared": sum(r["words_compared"] for r in rows),
        "words_required": sum(r["words_required"] for r in rows),
        "error_over_bound": max(errors.values()),
        "errors": errors,
        "steps": lowered.report["steps"],
        "cycles": lowered.report["cycles"],
        "fraction_of_bound": lowered.report["fraction_of_bound"],
        "check_ms": check_ms,
        "lower_ms": lower_ms,
        "emulate_ms": sum(r["emulate_ms"] for r in rows) / len(rows),
        "sentences": rows,
        "report": lowered.report,
    }
    print_table(data, vsm)

    print("\nA program with a mistake (examples/forgotten_conversion.py) is refused:\n", flush=True)
    try:
        build_program.build(str(examples / "forgotten_conversion.py"))
    except Exception as error:
        print(build_program.failure(error)[1])
    else:
        print("  error: it was accepted")
        return 1
    if options.json:
        Path(options.json).write_text(json.dumps(data, indent=1))
    return 0 if data["bit_identical"] and data["error_over_bound"] <= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
