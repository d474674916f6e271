"""./dev check: what must hold before a commit, as a table of named steps."""

import subprocess
import sys
import tempfile
from pathlib import Path

import build
import generated as generated_files
from run import PYTHON, ROOT, Failed, must, run, say

VENV_BIN = PYTHON.parent


def sources(*suffixes: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return sorted(f for f in listed if f.endswith(suffixes) and (ROOT / f).exists())


def clang_format(in_place: bool) -> int:
    files = sources(".h", ".hpp", ".cpp")
    mode = ["-i"] if in_place else ["--dry-run", "-Werror"]
    return run([VENV_BIN / "clang-format", *mode, *files]) if files else 0


def ruff() -> int:
    return run([VENV_BIN / "ruff", "check", "--quiet", "."])


def ruff_format() -> int:
    return run([VENV_BIN / "ruff", "format", "--quiet", "--diff", "."])


def reformat() -> int:
    code = clang_format(in_place=True)
    code |= run([VENV_BIN / "ruff", "format", "--quiet", "."])
    return code | run([VENV_BIN / "ruff", "check", "--quiet", "--fix", "."])


def lint(name: str) -> int:
    return run([PYTHON, ROOT / "tests" / "lint" / f"{name}.py"])


def links() -> int:
    return lint("links")


def generated(only_compare: bool) -> int:
    code = generated_files.write(only_compare)
    coverage = [PYTHON, ROOT / "tests" / "python" / "coverage_page.py", *(["--check"] if only_compare else [])]
    return code or run(coverage, env={"KUMI": str(generated_files.KUMI)})


def generated_are_fresh() -> int:
    build.build(tests=False, quiet=True)
    return generated(only_compare=True)


def fast_tests() -> int:
    folder = build.build(tests=True)
    return build.ctest(folder) or run([PYTHON, "-m", "pytest", "-m", "not slow"])


def second_compiler() -> int:
    """Clang, warnings as errors."""
    return build.ctest(build.compile_preset("clang", build.clang()))


def sanitizers() -> int:
    folder = build.compile_preset("asan", {})
    return build.ctest(folder)


def wheel() -> int:
    """`pip install .` in a fresh venv, then the package and the command that came out of it."""
    with tempfile.TemporaryDirectory() as temporary:
        venv = Path(temporary) / "venv"
        must([sys.executable, "-m", "venv", "--system-site-packages", venv], "making a venv")
        pip = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "install"]
        must([*pip, "--no-deps", "-r", ROOT / "requirements-dev.txt"], "pip install of the pinned packages")
        must([*pip, "--no-deps", "--no-build-isolation", ROOT], "pip install .")
        return run([venv / "bin" / "python", "-c", "import kumihimo"], cwd=temporary) or run(
            [venv / "bin" / "kumi", "--version"], cwd=temporary
        )


def benchmarks() -> int:
    import suites

    return suites.bench([], str(ROOT))


CHECKS = (
    ("C++ format", lambda: clang_format(in_place=False)),
    ("Python lint", ruff),
    ("Python format", ruff_format),
    ("layers", lambda: lint("layers")),
    ("wording and size", lambda: lint("files")),
    ("links", links),
    ("generated files", generated_are_fresh),
    ("fast tests", fast_tests),
)
FULL_CHECKS = (
    ("second compiler", second_compiler),
    ("sanitizers", sanitizers),
    ("wheel", wheel),
    ("benchmarks", benchmarks),
)


def check(full: bool) -> int:
    """Runs every step, also after one has failed: a list of all that is wrong is worth more than the first."""
    failed = []
    for name, step in CHECKS + (FULL_CHECKS if full else ()):
        say(f"check: {name}")
        try:
            bad = step() != 0
        except Failed as failure:
            say(str(failure))
            bad = True
        if bad:
            failed.append(name)
    if failed:
        raise Failed("check found fault with: " + ", ".join(failed) + " (./dev format mends formats, ./dev gen files)")
    say("check: all is well")
    return 0
