"""Conformance with published data: a folder of public files against a pinned list of results.

    python tests/conformance/run.py FOLDER [--only TEXT] [--json FILE]        (or ./dev conformance FOLDER)

FOLDER holds checked-out public repositories in any layout: files are found by their SHA-256, which the pinned list
names. The files themselves are not part of this repository. tests/conformance/README.md lists where they come from.

pinned.json is a list of entries. Each has a name, a kind, the files it needs (a label and the SHA-256 of each), what
is expected, and the evidence: VE = printed by the vendor's emulator, JV = expected values published with a testcase of
the vendor's judge, DV = expected values of a public host program. Kinds:

    judge       files: testcase, and answer if that is public. "answer" names a file of answers/ otherwise.
                "edits" are replacements that make the answer wrong; "strict" judges strictly.
    transcript  files: document. "transcripts" are the files of tests/transcripts that hold its programs; each must print
                its lines, and the lines must be those of the document, none left out. A web page is no file: an entry
                that names a "page" instead only has what stands in tests/transcripts.
    kernel      files: the kernels and the host programs of an example of kernels.py.

A result that differs from the pinned one, a file that is missing and an entry that cannot be run are all failures.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path

import kernels

from kumihimo import Error
from kumihimo._native import call_json
from kumihimo.judge import judge

HERE = Path(__file__).resolve().parent
PINNED = HERE / "pinned.json"
ANSWERS = HERE / "answers"
TRANSCRIPTS = HERE.parent / "transcripts"
MAX_FILE_BYTES = 64 << 20


class Missing(Exception):
    """A public file that the folder does not hold."""


def index_of(folder: Path) -> dict[str, Path]:
    """Files by SHA-256."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= MAX_FILE_BYTES:
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
    return found


def text_of(files: dict[str, Path], entry: dict, label: str) -> str:
    sha = entry["files"][label]
    if sha not in files:
        raise Missing(f"no file with SHA-256 {sha[:12]}... ({label})")
    return files[sha].read_text(encoding="utf-8")


def edited(text: str, edits: list[list[str]]) -> str:
    for old, new in edits:
        if old not in text:
            raise ValueError(f"the answer does not contain {old!r}")
        text = text.replace(old, new)
    return text


def judged(testcase: str, answer: str, strict: bool) -> dict:
    """The verdict in the words of the pinned list."""
    try:
        v = judge(testcase, answer, strict=strict, limit=1)
    except Error as error:
        return {"verdict": "error", "code": error.code}
    out = {"verdict": "accepted", "compared": v["compared"], "score": v["score"]}
    if v["refusals"]:
        out |= {"verdict": "refused", "code": v["refusals"][0]["code"]}
    elif v["wrong"]:
        first = v["mismatches"][0]
        out |= {"verdict": "wrong", "wrong": v["wrong"], "first": first["index"]}
    return out


def run_judge(entry: dict, files: dict[str, Path]) -> dict:
    if "answer" in entry["files"]:
        answer = text_of(files, entry, "answer")
    else:
        answer = (ANSWERS / f"{entry['answer']}.vsm").read_text(encoding="utf-8")
    answer = edited(answer, entry.get("edits", []))
    return judged(text_of(files, entry, "testcase"), answer, entry.get("strict", False))


def dump_lines(document: str) -> list[str]:
    """The dump lines of a document, without the remarks that stand behind some (two blanks or more)."""
    return [
        re.sub(r"(#d get.*?)\s{2,}.*", r"\1", line).rstrip() for line in document.splitlines() if "DEBUG-" in line[:6]
    ]


def run_transcript(entry: dict, files: dict[str, Path]) -> dict:
    published = dump_lines(text_of(files, entry, "document")) if "page" not in entry else None
    left, printed_lines = list(published or ()), 0
    for name in entry["transcripts"]:
        text = (TRANSCRIPTS / f"{name}.t").read_text(encoding="utf-8")
        program, _, expected = text.partition("\n\n")[2].partition("\n----\n")
        expected = expected.splitlines()
        printed = call_json("mncore2.emulate", program + "\n", name, "{}")["dumps"]
        if printed != expected:
            return {"verdict": "differs", "where": name}
        printed_lines += len(printed)
        for line in expected if published is not None else ():
            if line not in left:
                return {"verdict": "not published", "where": f"{name}: {line}"}
            left.remove(line)
    return {"verdict": "equal", "lines": printed_lines, "left": len(left)}


def run_kernel(entry: dict, files: dict[str, Path]) -> dict:
    example = kernels.EXAMPLES[entry["example"]]
    texts = {label.removesuffix(".vsm"): text_of(files, entry, label) for label in entry["files"]}
    result = call_json("mncore2.emulate", kernels.program(example, texts), entry["name"], "{}")
    wrong = kernels.compare(example, result["dumps"])
    if wrong:
        return {"verdict": "differs", "where": "; ".join(wrong)}
    return {"verdict": "equal", "long_words": len(result["dumps"])}


KINDS = {"judge": run_judge, "transcript": run_transcript, "kernel": run_kernel}


def run_entry(entry: dict, files: dict[str, Path]) -> tuple[str, dict]:
    """pass, FAIL or MISSING, and what was seen."""
    try:
        seen = KINDS[entry["kind"]](entry, files)
    except Missing as missing:
        return "MISSING", {"verdict": str(missing)}
    except (Error, ValueError, KeyError, OSError) as fault:
        return "FAIL", {"verdict": f"cannot be run: {fault}"}
    expected = entry["expect"]
    same = "verdict" in expected and all(seen.get(key) == value for key, value in expected.items())
    return ("pass" if same else "FAIL"), seen


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="public files, in any layout")
    parser.add_argument("--only", default="", help="entries whose name contains this text")
    parser.add_argument("--json", type=Path, help="file for the results")
    arguments = parser.parse_args(argv)
    if not arguments.folder.is_dir():
        parser.error(f"no folder {arguments.folder}")
    entries = [e for e in json.loads(PINNED.read_text(encoding="utf-8")) if arguments.only in e["name"]]
    if not entries:
        parser.error(f"no entry's name contains {arguments.only!r}")
    files = index_of(arguments.folder)
    results, counts = [], {"pass": 0, "FAIL": 0, "MISSING": 0}
    for entry in entries:
        status, seen = run_entry(entry, files)
        counts[status] += 1
        results.append({"name": entry["name"], "status": status, "seen": seen, "expect": entry["expect"]})
        if status != "pass":
            print(f"{status} {entry['name']}: {json.dumps(seen)}, expected {json.dumps(entry['expect'])}")
    print(f"{len(entries)} entries: {counts['pass']} as pinned, {counts['FAIL']} differ, {counts['MISSING']} missing")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0 if counts["pass"] == len(entries) else 1


if __name__ == "__main__":
    sys.exit(main())
