"""DRAM address registers: l2bmdars, l2bmdarw (ISA notes 4.5)."""

import re

from .state import DAR_ENTRIES, L2BM_WORDS
from .vsm import VsmError

_LOAD = re.compile(r"\$lc(\d+)@\.([01])$")


def is_dar(op):
    return op in ("l2bmdars", "l2bmdarw")


def run_dar(exprs, groups, switches):
    """Both instructions of a step. l2bmdarw moves what the buffer held before the step.

    l2bmdars: 64 LW a cycle are 128 addresses of 32 bits a cycle, over four cycles 512. l2bmdarw: one entry a cycle,
    four in a step (ISA notes 4.5; how the two addresses of a LW are ordered is a guess: Q18)."""
    by_name = {e.op: e for e in exprs}
    if "l2bmdarw" in by_name:
        if by_name["l2bmdarw"].operands:
            raise VsmError("l2bmdarw has no operands")
        for group in groups:
            count = 4 if switches.dar_write == "four" else len(group.darbuf)
            for entry, value in group.darbuf[:count]:
                group.dar[entry % DAR_ENTRIES] = value
            group.darbuf = group.darbuf[count:]
    load = by_name.get("l2bmdars")
    if load is None:
        return
    src, dst = load.operands
    m = _LOAD.match(src.text)
    if not m or dst.mem != "dar" or dst.at[2] or int(m[1]) % 64:
        raise VsmError(f"{load.text}: $lcC@.s (a multiple of 64) and $darA needed")
    cycles = 4 if switches.dar_load == "four" else 1
    for group in groups:
        mem = group.l2bs[int(m[2])].mem
        group.darbuf = []
        for c in range(cycles):
            for k in range(64):
                word = mem.get((int(m[1]) + 64 * c + k) % L2BM_WORDS, 0)
                halves = [word >> 32, word & 0xFFFFFFFF]
                if switches.dar_order == "lsb_first":
                    halves.reverse()
                for h in range(2):
                    group.darbuf.append((dst.addr + 128 * c + 2 * k + h, halves[h]))
