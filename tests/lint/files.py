"""Rules about committed text: no one machine's paths, no file that nobody reads to its end.

`python tests/lint/files.py [ROOT]` prints what breaks them.
"""

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

TEXT = {
    ".h",
    ".hpp",
    ".cpp",
    ".c",
    ".py",
    ".sh",
    ".md",
    ".txt",
    ".toml",
    ".json",
    ".cmake",
    ".vsm",
    ".leir",
    "",
}
CODE = {".h", ".hpp", ".cpp", ".c", ".py", ".sh"}
LINES_MAX = 600
# Catalogues: long because each line stands alone.
CATALOGUES = ("targets/*/isa/*.cpp",)

# A path below someone's home, or below a folder that only one machine has, works on that machine only.
PRIVATE_PATH = re.compile(r"(?<![\w.\-])/(?:work|root|home/[a-z][\w\-]*|Users/\w+)/[\w.]")


def tracked(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        return sorted(listed.stdout.splitlines())
    return sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())


def check_file(path: str, text: str) -> list[str]:
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        found = PRIVATE_PATH.search(line)
        if found:
            findings.append(f"{path}:{number}: a path of one machine: {line.strip()[:100]}")
    count = text.count("\n")
    if Path(path).suffix in CODE and count > LINES_MAX and not any(fnmatch(path, c) for c in CATALOGUES):
        findings.append(f"{path}: {count} lines, more than {LINES_MAX}: split it by idea")
    return findings


def check(root: Path) -> list[str]:
    findings = []
    for path in tracked(root):
        if Path(path).suffix not in TEXT or not (root / path).is_file():
            continue
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # binary data without a suffix
        findings += check_file(path, text)
    return findings


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
