"""Files that are printed from the rows, and the example of the README, are as fresh as the rows."""

import subprocess
import sys

from conftest import ROOT


def test_generated_files_are_fresh():
    code = "import sys; sys.path.insert(0, 'tools/dev'); import generated; sys.exit(generated.write(only_compare=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + "\n(./dev gen rewrites them)"
