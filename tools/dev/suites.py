"""./dev bench and ./dev fuzz.

A benchmark suite is a script bench/SUITE.py that prints for people and, with --json FILE, writes a list of
{"suite", "name", "value", "unit", "ratio", "of"}.
"""

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

from run import PYTHON, ROOT, Failed, run, say

ROW_KEYS = {"suite", "name", "value", "unit", "ratio", "of"}


def bench(args: list[str], cwd: str) -> int:
    names = sorted(path.stem for path in (ROOT / "bench").glob("*.py") if not path.stem.startswith("_"))
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("suite", nargs="?", help=", ".join(names) or "there is none yet")
    parser.add_argument("--json", metavar="FILE", help="write the rows of all suites to FILE")
    options = parser.parse_args(args)
    if options.suite is not None and options.suite not in names:
        raise Failed(f"no suite {options.suite!r}; there are: {', '.join(names) or 'none'}")
    rows = []
    for name in [options.suite] if options.suite else names:
        say(f"bench: {name}")
        with tempfile.TemporaryDirectory() as temporary:
            out = Path(temporary) / "rows.json"
            code = run(
                [PYTHON, ROOT / "bench" / f"{name}.py", "--json", out],
                env={"KUMIHIMO_BUILD": str(ROOT / "build" / "release")},
            )
            if code != 0:
                raise Failed(f"bench/{name}.py failed (exit {code})")
            new = json.loads(out.read_text())
        for row in new:
            if set(row) != ROW_KEYS:
                raise Failed(f"bench/{name}.py wrote a row with other keys: {row}")
        rows += new
    if options.json:
        path = Path(cwd, options.json)
        partial = path.with_name(path.name + ".partial")
        partial.write_text(json.dumps(rows, indent=1) + "\n")
        os.replace(partial, path)
    return 0


def fuzz(args: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev fuzz")
    parser.add_argument("--minutes", type=float, default=1.0)
    minutes = parser.parse_args(args).minutes
    end = time.time() + 60 * minutes
    rounds = 0
    while rounds == 0 or time.time() < end:
        rounds += 1
        say(f"fuzz: round {rounds}")
        code = run([PYTHON, "-m", "pytest", "-m", "fuzz", "-x"], env={"HYPOTHESIS_PROFILE": "fuzz"})
        if code != 0:
            raise Failed("no test is marked `fuzz`" if code == 5 else "fuzzing found a failure (above)")
    say(f"fuzz: {rounds} rounds, nothing found")
    return 0
