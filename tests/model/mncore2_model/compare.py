"""Run one program on the model and on the emulator binary and show the first difference.

python -m mncore2_model.compare SEED [features]     (binary from $KUMI or PATH)
python -m mncore2_model.compare FILE.vsm"""

import os
import shutil
import subprocess
import sys
import tempfile

from .genprog import generate
from .machine import Machine


def binary():
    """Path of the emulator binary, or None."""
    return os.environ.get("KUMI") or shutil.which("kumi")


def emulate(path, program, timeout=120, machine="mncore2-tiny"):
    """Dump lines of the emulator; raises RuntimeError with its stderr when it fails."""
    with tempfile.TemporaryDirectory() as tmp:
        source, dump = os.path.join(tmp, "p.vsm"), os.path.join(tmp, "p.dump")
        with open(source, "w") as f:
            f.write(program)
        command = [path, "emu", source, "-d", dump, "--machine", machine]
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} exited with {done.returncode}:\n{done.stderr[:4000]}")
        with open(dump) as f:
            return f.read().splitlines()


def difference(want, got):
    """(index, wanted line, got line) of the first difference, or None."""
    for i in range(max(len(want), len(got))):
        a = want[i] if i < len(want) else "(nothing)"
        b = got[i] if i < len(got) else "(nothing)"
        if a != b:
            return i, a, b
    return None


def is_setup(line):
    return line.startswith(("d set", "r "))


def first_bad_step(path, program):
    """Shortest prefix of steps after which the final dumps differ, by bisection over the step lines."""
    lines = program.splitlines()
    tail = next(i for i in range(len(lines), 0, -1) if not lines[i - 1].startswith("d get"))
    body, dumps = lines[:tail], lines[tail:]

    def differs(n):
        text = "\n".join([*body[:n], "mask 0", *dumps]) + "\n"
        return difference(Machine().run(text), emulate(path, text))

    lo, hi = 0, len(body)
    while lo + 1 < hi:
        mid = (lo + hi) // 2
        if differs(mid):
            hi = mid
        else:
            lo = mid
    return hi, body[hi - 1], differs(hi)


def report(path, program, want, got):
    """Readable account of a mismatch."""
    i, a, b = difference(want, got)
    out = [f"line {i} of {len(want)}", f"  model    {a}", f"  emulator {b}"]
    try:
        n, line, diff = first_bad_step(path, program)
        out.append(f"first step after which the dumps differ: line {n}: {line}")
        if diff:
            out += [f"  model    {diff[1]}", f"  emulator {diff[2]}"]
    except (RuntimeError, StopIteration) as e:
        out.append(f"no bisection: {e}")
    out += ["steps:"] + [f"{n:5} {line[:200]}" for n, line in enumerate(program.splitlines(), 1) if not is_setup(line)]
    return "\n".join(out)


def main(argv):
    path = binary()
    if not argv or path is None:
        print(__doc__ if path else "set KUMI to the emulator binary", file=sys.stderr)
        return 2
    if argv[0].isdigit():
        program = generate(int(argv[0]), *argv[1:2])
    else:
        with open(argv[0]) as f:
            program = f.read()
    want, got = Machine().run(program), emulate(path, program)
    if difference(want, got) is None:
        print(f"{len(want)} lines equal")
        return 0
    print(report(path, program, want, got))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
