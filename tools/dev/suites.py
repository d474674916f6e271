"""./dev bench and ./dev fuzz.

A benchmark suite is a script bench/SUITE.py that prints for people and, with --json FILE, writes a list of
{"suite", "name", "value", "unit", "ratio", "of"}.
"""

import argparse
import json
import os
import re
import tempfile
from pathlib import Path

import build
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


def dictionary(seeds: Path, path: Path) -> None:
    """The words of the committed seeds, for libFuzzer to put together anew."""
    words = set()
    for seed in seeds.iterdir():
        words.update(re.findall(rb"[!-~]{2,32}", seed.read_bytes()))
        words.update(re.findall(rb"[A-Za-z0-9_$@.+-]{2,32}", seed.read_bytes()))
    words = {w for w in words if not re.fullmatch(rb"[0-9A-Fa-f]{5,}", w)}  # payloads
    escaped = (w.replace(b"\\", b"\\\\").replace(b'"', b'\\"') for w in sorted(words))
    path.write_bytes(b"".join(b'"%s"\n' % w for w in escaped))


def fuzz(args: list[str]) -> int:
    """Each libFuzzer program of tests/fuzz in turn, from its committed seeds; what it finds stays in build/fuzz."""
    parser = argparse.ArgumentParser(prog="./dev fuzz")
    parser.add_argument("--minutes", type=float, default=1.0, help="in all, shared by the programs; default 1")
    minutes = parser.parse_args(args).minutes
    names = sorted(path.stem for path in (ROOT / "tests" / "fuzz").glob("*_fuzz.cpp"))
    folder = build.compile_preset("fuzz", build.clang(), tuple(names))
    seconds = max(1, round(60 * minutes / len(names)))
    for name in names:
        say(f"fuzz: {name} for {seconds} s")
        found = folder / "found" / name
        found.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "tests" / "fuzz" / "corpus" / name.removesuffix("_fuzz")
        command = [folder / "tests" / "fuzz" / name, f"-max_total_time={seconds}", "-print_final_stats=1"]
        dictionary(seeds, folder / f"{name}.dict")
        command += [f"-dict={folder / name}.dict", f"-artifact_prefix={found}/failure-", "-timeout=120", found, seeds]
        if run(command) != 0:
            raise Failed(f"{name} found a failure; its input is build/fuzz/found/{name}/failure-*")
    say("fuzz: nothing found")
    return 0
