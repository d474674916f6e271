"""Building the program of a Python file, again and again in one process."""

import os

from kumihimo.build_program import build

PROGRAM = """\
from kumihimo import leir


@leir.kernel
def copies():
    x = leir.tensor(leir.half, "(64)/((16_MAB:1, 4_W:1))", leir.DRAM, name="x")
    leir.output(x, name="a")
"""


def test_an_edit_counts_though_time_and_size_of_the_file_stay(tmp_path):
    path = tmp_path / "copies.py"
    path.write_text(PROGRAM)
    before = path.stat()
    assert 'name="a"' in build(str(path)).text()
    path.write_text(PROGRAM.replace('"a"', '"b"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert 'name="b"' in build(str(path)).text()
