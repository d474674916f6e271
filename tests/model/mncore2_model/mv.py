"""MV instructions: the mapping formulas of ISA notes 4.2, executed at once and in order (4.6)."""

import re

from . import rrn
from .state import DAR_ENTRIES, DRAM_WORDS, L2BM_WORDS, PDM_WORDS
from .vsm import VsmError

_SIZE = {"p": PDM_WORDS, "d": DRAM_WORDS, "di": DRAM_WORDS, "lc": L2BM_WORDS}


class Mem:
    """One memory from a base address; DRAM-indirect goes through the DAR table (ISA notes 4.5)."""

    def __init__(self, group, l2b, operand, nd=1):
        kind = operand.mem
        self.size = _SIZE[kind]
        self.base = operand.addr
        self.table = None
        self.cells = {"p": lambda: group.pdm, "d": lambda: group.dram, "di": lambda: group.dram, "lc": lambda: l2b.mem}[
            kind
        ]()
        if kind == "di":
            self.table, self.nd = group.dar, nd

    def _at(self, k):
        if self.table is None:
            return (self.base + k) % self.size
        block = k // 16
        entry = self.table.get((self.base + block // self.nd) % DAR_ENTRIES, 0)
        return (entry * 16 + 16 * (block % self.nd) + k % 16) % self.size

    def get(self, k):
        return self.cells.get(self._at(k), 0)

    def put(self, k, v):
        self.cells[self._at(k)] = v


def run_mv(expr, groups, switches):
    """Execute one MV line. Parts of the formulas that name groups or L2Bs a small tree does not have
    are left out; strides keep the full machine's constants."""
    op = expr.op
    size, nd = None, 1
    for part in expr.parts:
        for name, value in re.findall(r"(nd|n|i|p)([0-9a-f]+?)(?=nd|n|i|p|$)", part):
            if name == "n":
                size = int(value)
            elif name == "nd":
                nd = int(value)
            elif name == "i" and not 1 <= int(value, 16) <= 0x3F:
                raise VsmError(f"tag i{value} out of range")
            elif name == "p" and int(value) > 3:
                raise VsmError(f"priority {value} out of range")
    if op == "mvnop":
        return
    if len(expr.operands) != 2 or size is None:
        raise VsmError(f"{expr.text}: size and two operands needed")
    src, dst = expr.operands
    pair = (src.mem, dst.mem)
    if nd != 1 and ("di" not in pair or not re.match(r"mv[pdr](?![24])", op)):
        raise VsmError(f"{expr.text}: nd belongs to mvp, mvr and mvd through DAR")
    src_g, src_s, _ = src.at
    dst_g, dst_s, _ = dst.at

    def whole(unit):
        if size % unit:
            raise VsmError(f"nw must be aligned to the multiple of {unit}")
        return size // unit

    def mem(operand, g, s=None):
        if g >= len(groups) or s is not None and s >= len(groups[g].l2bs):
            raise VsmError(f"{operand.text}: the tree has no such place")
        return Mem(groups[g], groups[g].l2bs[s] if s is not None else None, operand, nd)

    def copy(a, b, n):
        values = [a.get(k) for k in range(n)]
        for k, v in enumerate(values):
            b.put(k, v)

    everywhere = [(g, s) for g, grp in enumerate(groups) for s in range(len(grp.l2bs))]
    n_groups = range(len(groups))

    if op == "mvp":
        whole(64)
        if pair in {("p", "d"), ("d", "p"), ("p", "p"), ("di", "p"), ("p", "di")}:
            if src_g is None or dst_g is None:
                raise VsmError(f"{expr.text}: both groups needed")
            copy(mem(src, src_g), mem(dst, dst_g), size)
            return
        lc, other = (dst, src) if dst.mem == "lc" else (src, dst)
        if lc.mem != "lc" or other.mem == "lc":
            raise VsmError(f"{expr.text}: no such mvp")
        s = lc.at[1] if lc.at[1] is not None else 0  # Q6: bare $lc means L2B 0
        if (lc.at[0] is None) != (other.at[0] is None):
            raise VsmError(f"{expr.text}: give both groups or none")
        for g in n_groups if lc.at[0] is None else [None]:
            place = mem(lc, g if g is not None else lc.at[0], s)
            away = mem(other, g if g is not None else other.at[0])
            copy(*((place, away) if lc is src else (away, place)), size)
        return

    if op == "mvb2" and pair in (("d", "lc"), ("di", "lc")):
        whole(64)
        for g, s in everywhere:
            copy(mem(src, g), mem(dst, g, s), size)
        return

    if op == "mvb" and pair == ("p", "lc"):
        whole(64)
        for g, s in everywhere:
            copy(mem(src, src_g or 0), mem(dst, g, s), size)
        return

    if op == "mvb" and pair in (("d", "lc"), ("di", "lc")):
        n = whole(64)
        sources = [mem(src, g) for g in n_groups]
        for g2, s in everywhere:
            to = mem(dst, g2, s)
            for i in range(n):
                for g in n_groups:
                    for k in range(16):
                        to.put(64 * i + 16 * g + k, sources[g].get(16 * i + k))
        return

    if op == "mvb4" and pair in (("d", "lc"), ("di", "lc")):
        n = whole(64)
        sources = [mem(src, g) for g in n_groups]
        for g2, s in everywhere:
            to = mem(dst, g2, s)
            for i in range(n):
                for g in n_groups:
                    for k in range(16):
                        to.put(64 * i + 16 * g + k, sources[g].get(32 * i + 16 * s + k))
        return

    m = re.match(r"mvr([24]?)([a-z]+)$", op)
    if m and src.mem == "lc" and dst.mem in ("d", "di", "p"):
        whole(64)
        _reduce(m[1], rrn.Op(m[2]), src, dst, size, groups, mem, everywhere, switches)
        return

    if op == "mvd":
        if pair in (("p", "lc"), ("lc", "p")):
            n = whole(128)
            p_op, lc = (src, dst) if src.mem == "p" else (dst, src)
            pdm = mem(p_op, p_op.at[0] or 0)
            per_group = 2
            for g, s in everywhere:
                place, lin = mem(lc, g, s), per_group * g + s
                for i in range(n):
                    for k in range(16):
                        if p_op is src:
                            place.put(16 * i + k, pdm.get(128 * i + 16 * lin + k))
                        else:
                            pdm.put(128 * i + 16 * lin + k, place.get(16 * i + k))
            return
        if pair in (("p", "d"), ("d", "p"), ("p", "di"), ("di", "p")):
            n = whole(64)
            p_op, d_op = (src, dst) if src.mem == "p" else (dst, src)
            pdm = mem(p_op, p_op.at[0] or 0)
            for g in n_groups:
                dram = mem(d_op, g)
                for i in range(n):
                    for k in range(16):
                        if p_op is src:
                            dram.put(16 * i + k, pdm.get(64 * i + 16 * g + k))
                        else:
                            pdm.put(64 * i + 16 * g + k, dram.get(16 * i + k))
            return
    raise VsmError(f"{expr.text}: no such MV")


def _reduce(kind, op, src, dst, size, groups, mem, everywhere, switches):
    """mvr, mvr2, mvr4 (ISA notes 4.2 rows .14, .15, .17, .19, .21): 8 inputs are two 4-input stages (4.3)."""

    def value(places, k):
        xs = [p.get(k) for p in places]
        if len(places) > 4 or kind == "":
            xs += [op.identity_word()] * (8 - len(xs))
        return op.words(xs, 64, False, False, switches)

    if kind == "2":
        for g, grp in enumerate(groups):
            places = [mem(src, g, s) for s in range(len(grp.l2bs))]
            out = mem(dst, g)
            for k, v in enumerate([value(places, k) for k in range(size)]):
                out.put(k, v)
        return
    if kind == "4":
        for s in sorted({s for _, s in everywhere}):
            places = [mem(src, g, s) for g in range(len(groups)) if s < len(groups[g].l2bs)]
            for i in range(size // 64):
                for g in range(len(groups)):
                    out = mem(dst, g)
                    for k in range(16):
                        out.put(32 * i + 16 * s + k, value(places, 64 * i + 16 * g + k))
        return
    places = [mem(src, g, s) for g, s in everywhere]
    if dst.mem == "p":
        out = mem(dst, dst.at[0] or 0)
        for k in range(size):
            out.put(k, value(places, k))
        return
    for g in range(len(groups)):
        out = mem(dst, g)
        for i in range(size // 64):
            for k in range(16):
                out.put(16 * i + k, value(places, 64 * i + 16 * g + k))
