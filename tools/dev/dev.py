"""The subcommands of ./dev, run by the venv's Python. `./dev help` prints the table below."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import build
import check
import suites
from run import PYTHON, ROOT, Failed, run, run_measured, say

CWD = os.environ.get("KUMIHIMO_DEV_CWD", os.getcwd())


def demo(args: list[str]) -> int:
    """[--json FILE]  build, then the attention kernel on real weights, compared bit for bit"""
    build.build(tests=False)
    say("running the demo")
    code, seconds, peak_mib = run_measured([PYTHON, "-m", "kumihimo.demo", *args], cwd=CWD)
    say(f"demo: exit {code}, {seconds:.1f} s, peak memory {peak_mib:.0f} MiB")
    return code


def test(args: list[str]) -> int:
    """[PYTEST ARGS]  build, then the C++ and the Python tests"""
    folder = build.build(tests=True)
    say("C++ tests")
    if build.ctest(folder) != 0:
        raise Failed("the C++ tests failed")
    say("Python tests")
    sys.stderr.flush()
    return run([PYTHON, "-m", "pytest", *args])


def build_command(args: list[str]) -> int:
    """build everything and install it into .venv"""
    no_arguments("build", args)
    build.build(tests=True)
    say("built: build/release, installed into .venv")
    return 0


def check_command(args: list[str]) -> int:
    """[--full]  format, lints, generated files, fast tests; --full adds sanitizers, a wheel and the benchmarks"""
    if args not in ([], ["--full"]):
        raise Failed("usage: ./dev check [--full]")
    return check.check(full=bool(args))


def gen(args: list[str]) -> int:
    """[--check]  rewrite the generated files, or only compare them"""
    if args not in ([], ["--check"]):
        raise Failed("usage: ./dev gen [--check]")
    build.build(tests=False)
    return check.generated(only_compare=bool(args))


def format_command(args: list[str]) -> int:
    """format the C++ and Python sources in place"""
    no_arguments("format", args)
    return check.reformat()


def bench(args: list[str]) -> int:
    """[SUITE] [--json FILE]  run the benchmark suites of bench/"""
    build.build(tests=True)
    return suites.bench(args, CWD)


def fuzz(args: list[str]) -> int:
    """[--minutes N]  the fuzz programs of tests/fuzz for N minutes in all (default 1); needs clang"""
    return suites.fuzz(args)


def conformance(args: list[str]) -> int:
    """FOLDER [--only TEXT] [--json FILE]  public testcases, transcripts and kernels against the pinned results"""
    build.build(tests=False)
    return run([PYTHON, ROOT / "tests" / "conformance" / "run.py", *args], cwd=CWD)


def docs(args: list[str]) -> int:
    """rewrite the reference pages and check every link of the documentation"""
    no_arguments("docs", args)
    build.build(tests=False)
    return check.generated(only_compare=False) or check.links()


def kumi(args: list[str]) -> int:
    """ARGS...  the built command line"""
    build.build(tests=False, quiet=True)
    os.chdir(CWD)
    kumi_path = PYTHON.parent / "kumi"
    os.execv(kumi_path, [str(kumi_path), *args])


def python(args: list[str]) -> int:
    """ARGS...  the venv's Python, with the built package in it"""
    build.build(tests=False, quiet=True)
    os.chdir(CWD)
    os.execv(PYTHON, [str(PYTHON), *args])


def help_command(args: list[str]) -> int:
    """this table"""
    for name, function in COMMANDS.items():
        print(f"  ./dev {name:<11} {function.__doc__}")
    return 0


COMMANDS = {
    "demo": demo,
    "test": test,
    "build": build_command,
    "check": check_command,
    "gen": gen,
    "format": format_command,
    "bench": bench,
    "fuzz": fuzz,
    "conformance": conformance,
    "docs": docs,
    "kumi": kumi,
    "python": python,
    "help": help_command,
}


def no_arguments(name: str, args: list[str]) -> None:
    if args:
        raise Failed(f"usage: ./dev {name}")


def main(argv: list[str]) -> int:
    name = argv[0] if argv else "help"
    if name in ("-h", "--help"):
        name = "help"
    if name not in COMMANDS:
        print(f"./dev: no command named {name!r}; these there are:", file=sys.stderr)
        help_command([])
        return 2
    try:
        code = COMMANDS[name](argv[1:])
    except Failed as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
