"""Writes the worked example of README.md: the heart of the example program, and what the demo prints.

    python tools/gen/readme_demo.py [--check]

Measured times differ from run to run; --check leaves them out of the comparison, and every other character counts.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
EXAMPLE = ROOT / "examples" / "attention_scores.py"
BEGIN, END = "<!-- example: written by ./dev gen -->\n", "<!-- end of the example -->\n"
TIME = re.compile(r" *\d+(?:\.\d+)? m?s\b")


def heart_of_the_program() -> str:
    """From the first move to the output, without the function's indentation."""
    text = EXAMPLE.read_text(encoding="utf-8")
    body = text[text.index("    if kv_heads <= 4:") :]
    return re.sub(r"^    ", "", body, flags=re.MULTILINE).rstrip()


def printed_by_the_demo() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "kumihimo.demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise SystemExit(f"the demo failed (exit {done.returncode})")
    return done.stdout.replace(f"{ROOT}/", "").rstrip()


def example() -> str:
    return f"""## One example

The scores of an attention layer, their mask, row maxima, exponentials and row sums, for all heads. Three `tensor`
declarations with their layouts come before this; [`examples/attention_scores.py`](examples/attention_scores.py) is the
whole program, for any number of heads, head dim and length.

```python
{heart_of_the_program()}
```

`./dev demo` takes queries and keys of layer 0 of a real language model, runs this on the emulator, and prints:

```
{printed_by_the_demo()}
```

`./dev kumi lower examples/attention_scores.py -o attention.vsm` writes the assembly, `./dev kumi cost` tells where the
time goes, `./dev kumi verify` compares with `exact`.
"""


def main() -> int:
    old = README.read_text(encoding="utf-8")
    begin, end = old.index(BEGIN) + len(BEGIN), old.index(END)
    new = example()
    if TIME.sub("", old[begin:end]) == TIME.sub("", new):
        return 0
    if "--check" in sys.argv[1:]:
        print("README.md: the worked example is stale (./dev gen rewrites it)", file=sys.stderr)
        return 1
    README.write_text(old[:begin] + new + old[end:], encoding="utf-8")
    print("rewritten: the worked example of README.md", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
