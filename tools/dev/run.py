"""Running commands with progress: one line per step with the elapsed seconds, quiet unless something fails."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# The clock starts in the shell part of ./dev, so that installing packages counts too.
STARTED = float(os.environ.get("KUMIHIMO_DEV_STARTED", time.time()))
PROGRESS_SECONDS = 10.0
# What ninja and cmake say when nothing is wrong.
CHATTER = ("ninja: no work", "ninja: Entering", "-- ", "The following files were", "  +/", "  -/")


class Failed(Exception):
    """A step did not succeed; the message says which, the details are already on stderr."""


def say(text: str) -> None:
    print(f"[{time.time() - STARTED:6.1f} s] {text}", file=sys.stderr, flush=True)


def jobs() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(args, *, env=None, cwd=ROOT) -> int:
    """Runs with our own stdin, stdout and stderr, and returns the exit code."""
    sys.stdout.flush()
    return subprocess.run([str(a) for a in args], cwd=cwd, env={**os.environ, **(env or {})}).returncode


def run_measured(args, *, cwd=ROOT) -> tuple[int, float, float]:
    """Like run; also returns the seconds and the largest resident size in MiB of it and the processes it waited for."""
    begun = time.time()
    process = subprocess.Popen([str(a) for a in args], cwd=cwd)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, time.time() - begun, usage.ru_maxrss / 1024


def must(args, what: str, *, env=None, cwd=ROOT) -> None:
    """Runs quietly; on failure prints all the output and raises Failed."""
    done = subprocess.run(
        [str(a) for a in args],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout)
        raise Failed(f"{what} failed (exit {done.returncode}): {' '.join(str(a) for a in args)}")


def must_with_counter(args, what: str, *, cwd=ROOT) -> None:
    """Runs a command that prints "[done/all] ..." lines (ninja): shows the counter now and then, and other lines as
    they come (warnings, errors)."""
    process = subprocess.Popen(
        [str(a) for a in args],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    shown = time.time()
    for line in process.stdout:
        counter = re.match(r"\[(\d+)/(\d+)\]", line)
        if counter is None:
            if not line.startswith(CHATTER):
                sys.stderr.write(line)
        elif time.time() - shown > PROGRESS_SECONDS:
            shown = time.time()
            say(f"  {what}: {counter[1]} of {counter[2]}")
    if process.wait() != 0:
        raise Failed(f"{what} failed (exit {process.returncode})")
