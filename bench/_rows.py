"""What the benchmark scripts share: rows, their table for people, and the --json option.

A row is {"suite", "name", "value", "unit", "ratio", "of"}: `ratio` compares with `of`, measured in the same run; both
are null where a figure has nothing to be compared with.
"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def row(suite: str, name: str, value: float, unit: str, ratio: float | None = None, of: str | None = None) -> dict:
    return {"suite": suite, "name": name, "value": value, "unit": unit, "ratio": ratio, "of": of}


def best_seconds(command: list, times: int) -> float:
    """The quickest of some runs of a command that must succeed: the others had company."""
    best = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        subprocess.run([str(part) for part in command], cwd=ROOT, check=True, capture_output=True)
        best = min(best, time.perf_counter() - begun)
    return best


def google_benchmark(name: str, min_seconds: float = 0.1) -> list[dict]:
    """The entries that bench/NAME.cpp reports. Built by `./dev build`; KUMIHIMO_BUILD names another build folder."""
    folder = Path(os.environ.get("KUMIHIMO_BUILD", ROOT / "build" / "release"))
    command = [str(folder / "bench" / name), "--benchmark_format=json", f"--benchmark_min_time={min_seconds}"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    entries = json.loads(done.stdout)["benchmarks"]
    for entry in entries:
        if entry.get("error_occurred"):
            raise SystemExit(f"{entry['name']}: {entry['error_message']}")
    return entries


def main(description: str, measure) -> None:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", metavar="FILE", type=Path)
    options = parser.parse_args()
    rows = measure()
    width = max(len(r["name"]) for r in rows)
    for r in rows:
        compared = f"  {r['ratio']:.3g} of {r['of']}" if r["ratio"] is not None else ""
        print(f"{r['suite']}  {r['name']:<{width}}  {r['value']:>12.6g} {r['unit']}{compared}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
