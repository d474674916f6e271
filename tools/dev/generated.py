"""The committed files that are made from what the built binary prints. `./dev gen` writes them, `./dev gen --check`
compares. PRINTED are pages that `kumi describe TOPIC --markdown` prints as they are; the tables of reference.HEADINGS come
as JSON and get their layout there; JSON_FILES are what `--json` prints, indented; the scripts of tools/gen write files of
other kinds and take --check themselves. Nothing else is generated.
"""

import json
import subprocess
import sys

import reference
from run import PYTHON, ROOT, Failed, run, say

KUMI = PYTHON.parent / "kumi"
PRINTED = {"docs/reference/instructions.md": "insns", "docs/reference/hazards.md": "hazards"}
JSON_FILES = {"editors/vscode/syntaxes/vsm.tmLanguage.json": "grammar"}
TABLES = {f"docs/reference/{topic}.md": topic for topic in reference.HEADINGS}


def describe(topic: str, form: str) -> str:
    command = [str(KUMI), "describe", topic, form]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        raise Failed(f"{' '.join(command)} failed (exit {done.returncode})")
    return done.stdout


def pages() -> dict[str, str]:
    """File name to text, of everything that the binary prints."""
    texts = {name: describe(topic, "--markdown") for name, topic in PRINTED.items()}
    for name, topic in JSON_FILES.items():
        texts[name] = json.dumps(json.loads(describe(topic, "--json")), indent=1) + "\n"
    for name, topic in TABLES.items():
        texts[name] = reference.page(topic, json.loads(describe(topic, "--json")))
    return texts


def write(only_compare: bool) -> int:
    stale = []
    for name, text in pages().items():
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
