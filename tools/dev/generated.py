"""The committed files that the built binary prints. `./dev gen` writes them, `./dev gen --check` compares.

A row is a file and the command whose output it holds; nothing else is generated, so nothing else can be stale.
"""

import subprocess
import sys

from run import PYTHON, ROOT, Failed, say

KUMI = PYTHON.parent / "kumi"

TOPICS = ("ops", "insns", "axes", "machine", "variants", "diagnostics")

ROWS = tuple((f"docs/reference/{topic}.md", (KUMI, "describe", topic, "--markdown")) for topic in TOPICS)


def printed(command) -> str:
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise Failed(f"{' '.join(str(part) for part in command)} failed (exit {done.returncode})")
    return done.stdout


def write(only_compare: bool) -> int:
    stale = []
    for name, command in ROWS:
        text = printed(command)
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if not only_compare:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale and only_compare:
        print("these generated files are stale (./dev gen rewrites them):", *stale, sep="\n  ", file=sys.stderr)
        return 1
    if stale:
        say("rewritten: " + ", ".join(stale))
    return 0
