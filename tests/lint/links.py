"""Every relative link of the Markdown files leads to a file. `python tests/lint/links.py [ROOT]` prints those that do not.

Paths in backquotes count as links when they name a file of this repository's folders: they rot just as fast.
"""

import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
QUOTED_PATH = re.compile(r"`((?:core|targets|capi|python|tools|tests|docs|examples|bench|cmake)/[\w./\-]+\.\w+)`")

# tests/cpp/NAME_test.cpp stands for many files.
PLACEHOLDER = re.compile(r"(?<![A-Za-z])(?:NAME|UNIT|SUITE|OP)(?![A-Za-z])")


def check_page(root: Path, page: str, text: str) -> list[str]:
    findings = []
    for number, line in enumerate(text.splitlines(), 1):
        for target in LINK.findall(line):
            if "://" not in target and not target.startswith("mailto:"):
                if not (root / page).parent.joinpath(target).exists():
                    findings.append(f"{page}:{number}: link to {target}, which does not exist")
        for target in QUOTED_PATH.findall(line):
            if not PLACEHOLDER.search(target) and not (root / target).exists():
                findings.append(f"{page}:{number}: names {target}, which does not exist")
    return findings


def check(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode == 0:
        pages = sorted(listed.stdout.splitlines())
    else:
        pages = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.md"))
    findings = []
    for page in pages:
        if (root / page).is_file():
            findings += check_page(root, page, (root / page).read_text(encoding="utf-8"))
    return findings


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
    findings = check(root)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
