"""The committed files that are made from what the built binary prints. `./dev gen` writes them, `./dev gen --check`
compares. A row of ROWS is a page and the topic of `kumi describe` that it shows; the scripts of tools/gen write files of
other kinds and take --check themselves. Nothing else is generated.
"""

import json
import subprocess
import sys

import reference
from run import PYTHON, ROOT, Failed, run, say

KUMI = PYTHON.parent / "kumi"
ROWS = tuple((f"docs/reference/{topic}.md", topic) for topic in reference.HEADINGS)


def described(topic: str):
    command = [str(KUMI), "describe", topic, "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise Failed(f"{' '.join(command)} failed (exit {done.returncode})")
    return json.loads(done.stdout)


def write(only_compare: bool) -> int:
    stale = []
    for name, topic in ROWS:
        text = reference.page(topic, described(topic))
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not only_compare:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for script in sorted((ROOT / "tools" / "gen").glob("*.py")):
        code = run([PYTHON, script, *(["--check"] if only_compare else [])])
        if code != 0:
            return code
    if stale and only_compare:
        print("these generated files are stale (./dev gen rewrites them):", *stale, sep="\n  ", file=sys.stderr)
        return 1
    if stale:
        say("rewritten: " + ", ".join(stale))
    return 0
