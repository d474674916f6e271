"""L1BM and L2BM instructions (ISA notes 5). All act in every L1B / L2B at once."""

import re

from . import rrn
from .access import Result, reader
from .formats import HALF, SINGLE, convert
from .state import L1BM_WORDS, L2BM_WORDS
from .units import zero_flush
from .vsm import VsmError

LOW64 = (1 << 64) - 1


def reduction(name):
    """(Op, narrow) of a reduction name; a trailing r narrows (ISA notes 5.5)."""
    try:
        return rrn.Op(name), False
    except ValueError:
        if name.endswith("r"):
            op = rrn.Op(name[:-1])
            if op.letter != "f":
                raise ValueError(f"{name}: r rounds single results to half") from None
            return op, True
        raise


# ---------------------------------------------------------------- L1BM

_L1BM = re.compile(r"l1bm(?:(p)|(m4)(?:@(\d+))?|(m)(?:@(\d+))?|(d)([+-]\d+)?|(r4)(\w+)|(r)(\w+))$")


def is_l1bm(op):
    return op.startswith("l1bm")


class L1bm:
    """Decoded L1BM expression: kind p, m, m4, d, r, r4; direction; rates."""

    def __init__(self, expr):
        m = _L1BM.match(expr.op)
        if not m or len(expr.operands) < 2:
            raise VsmError(f"unknown L1BM instruction {expr.op!r}")
        self.kind = m[1] or m[2] or m[4] or m[6] or m[8] or m[10]
        self.mab = int(m[3] or m[5]) if (m[3] or m[5]) else None
        self.shift = int(m[7]) if m[7] else 0
        self.op, self.narrow = (None, False)
        if self.kind in ("r", "r4"):
            self.op, self.narrow = reduction(m[9] or m[11])
        self.down = expr.operands[0].kind == "lb"
        if self.down:
            self.lb, self.dsts, self.src = expr.operands[0], expr.operands[1:], None
            if self.kind in ("r", "r4") or self.mab is not None:
                raise VsmError(f"{expr.text}: goes from PE to L1BM")
            self.zero_flush = zero_flush(expr.parts)
        else:
            self.src, self.lb = expr.operands
            if self.lb.kind != "lb" or self.kind == "p" or (self.kind in ("m", "m4") and self.mab is None):
                raise VsmError(f"{expr.text}: bad operands")
            if self.kind == "m" and self.mab > 15 or self.kind == "m4" and self.mab > 3:
                raise VsmError(f"{expr.text}: no such MAB")
        self.words = self.lb.unit // 2
        if self.kind == "d" and self.words == 2:
            raise VsmError("l1bmd has no double-long-word form")
        self.turnaround = self.lb.addr is None
        rate = {"p": 1, "m": 4, "r": 4, "m4": 16, "r4": 16, "d": 64}[self.kind]
        self.type = (rate * self.words, self.words)

    def offset(self, m, p, c, w):
        """Address relative to B of what PE (m, p) receives, unshifted (ISA notes 5.3)."""
        n = self.words
        if self.kind == "p":
            return c + 4 * w
        if self.kind == "d":
            return 64 * c + 4 * m + p
        if self.kind in ("m", "r"):
            return 4 * n * c + 4 * w + p
        return 16 * n * c + 4 * n * (m >> 2) + 4 * w + p


def run_l1bm_down(ins, l1bs):
    """L1BM or turnaround register to PEs; MSB side first, rest 0 (ISA notes 5.3, 5.4)."""
    res = Result("lbf", ins.dsts)
    res.zero_flush = ins.zero_flush
    if any(d.kind == "omr" for d in ins.dsts):
        raise VsmError("mask registers are written by ALU and MAU flags only")
    for l1b in l1bs:
        if ins.turnaround:
            if ins.kind == "p" or l1b.turn is None or l1b.turn[0] != ins.type:
                raise VsmError("turnaround register holds another type")
            data = l1b.turn[1].__getitem__
        else:
            base, mem = ins.lb.addr, l1b.mem

            def data(k, base=base, mem=mem):
                return mem.get((base + k) % L1BM_WORDS, 0)

        for m, mab in enumerate(l1b.mabs):
            source = (m - ins.shift) % 16 if ins.kind == "d" else m
            for p, pe in enumerate(mab.pes):
                values = []
                for c in range(4):
                    v = data(ins.offset(source, p, c, 0)) << 64
                    if ins.words == 2:
                        v |= data(ins.offset(source, p, c, 1))
                    values.append(v)
                res.values[pe] = values
    return res


def _source(ins, switches):
    """Source value of a reduction with `e`: widened, twice the width (ISA notes 5.5, Q34)."""
    read = reader(ins.src, switches)
    conv = ins.src.conv
    if ins.src.neg:
        raise VsmError("- belongs to the MAU")
    if conv is None:
        return read
    if conv != "e" or ins.op is None or ins.op.letter != "f":
        raise VsmError(f"{ins.src.text}: modifier not allowed here")
    low, high = HALF, SINGLE

    def widened(pe, c):
        v, acc = read(pe, c) >> 64, 0
        for k in range(64 // low.width):
            x = (v >> (64 - low.width * (k + 1))) & low.mask
            acc = (acc << high.width) | convert(low, high, x, switches.convert_zero_sign)
        return acc

    return widened


def run_l1bm_up(ins, l1bs, switches):
    """PEs to L1BM (ISA notes 5.3). Returns per L1B the turnaround data and the stores."""
    read = _source(ins, switches)
    out = []
    for l1b in l1bs:
        rel, mem = {}, {}
        for c in range(4):
            for p in range(4):
                vs = None
                if ins.kind == "m":
                    vs = {0: read(l1b.mabs[ins.mab].pes[p], c)}
                elif ins.kind == "m4":
                    vs = {4 * q: read(l1b.mabs[4 * q + ins.mab].pes[p], c) for q in range(4)}
                elif ins.kind == "d":
                    vs = {m: read(mab.pes[p], c) for m, mab in enumerate(l1b.mabs)}
                else:
                    xs = [read(mab.pes[p], c) for mab in l1b.mabs]
                    if ins.kind == "r":
                        vs = {0: _reduce(ins, xs, switches)}
                    else:
                        vs = {4 * q: _reduce(ins, xs[4 * q : 4 * q + 4], switches) for q in range(4)}
                for m, v in vs.items():
                    for w in range(ins.words):
                        word = v >> 64 if w == 0 else v & LOW64
                        k = ins.offset(m, p, c, w)
                        rel[k] = word
                        if not ins.turnaround:
                            a = ins.offset((m + ins.shift) % 16, p, c, w) if ins.kind == "d" else k
                            mem[(ins.lb.addr + a) % L1BM_WORDS] = word
        out.append((l1b, (ins.type, rel), mem))
    return out


def _reduce(ins, xs, switches):
    """Element by element over the whole DLW; half floats run on the single circuit (ISA notes 5.5, 8.2)."""
    op = ins.op
    # the LSB LW matters when it reaches memory or when narrowing packs it into the MSB LW
    bits = 128 if ins.words == 2 or ins.narrow else 64
    if ins.words == 2 and not (op.letter == "f" and op.is_float or op.op == "bor"):
        raise VsmError("double-long-word reductions: single floats or bor only")
    values = op.words([x >> (128 - bits) for x in xs], bits, ins.narrow, True, switches)
    return values << (128 - bits)


# ---------------------------------------------------------------- L2BM

_L2BM = re.compile(r"l2bm(?:(b2)|(b)|(dars)|(darw)|(d)|(i)|r(2)?(\w+?))?(?:@([\d,/]+))?$")


def is_l2bm(op):
    return op.startswith("l2bm")


def l1b_set(text):
    """L1B subset: b0/i, b0, or a list that some b0/i expresses (ISA notes 5.1)."""
    if text is None:
        return set(range(8))
    if "/" in text:
        b0, i = (int(x) for x in text.split("/"))
        return {b for b in range(8) if b & (7 ^ i) == b0 & (7 ^ i)}
    wanted = {int(x) for x in text.split(",")}
    for i in range(8):
        for b0 in range(8):
            if {b for b in range(8) if b & (7 ^ i) == b0 & (7 ^ i)} == wanted:
                return wanted
    raise VsmError(f"L1B set {text} cannot be expressed")


def run_l2bm(expr, l2bs, switches):
    """Returns stores [(memory, address, value, size)] to apply after all reads (ISA notes 5.2).

    L1Bs that a small tree does not have neither send (identity) nor receive."""
    m = _L2BM.match(expr.op)
    if not m:
        raise VsmError(f"unknown L2BM instruction {expr.op!r}")
    b2, b, dars, darw, d, inter, r2, red, at = m.groups()
    if dars or darw:
        raise VsmError(f"{expr.text}: DAR instructions act on groups")
    stores = []
    ops = expr.operands
    if len(ops) != 2:
        raise VsmError(f"{expr.text}: two operands needed")
    for op in ops:
        if not (op.kind == "lb" and op.unit == 2 and op.addr is not None or op.kind == "mv" and op.mem == "lc"):
            raise VsmError(f"{op.text}: L1BM or L2BM address expected")
    if inter:
        b0, i = (int(x) for x in at.split("/"))
        if i == 7 or ops[0].kind != "lb" or ops[1].kind != "lb":
            raise VsmError(f"{expr.text}: bad l2bmi")
        for l2b in l2bs:
            for src in l1b_set(at):
                for l1b in l2b.l1bs:
                    if l1b.ids[2] & i == src & i and src < len(l2b.l1bs):
                        for k in range(64):
                            v = l2b.l1bs[src].mem.get((ops[0].addr + k) % L1BM_WORDS, 0)
                            stores.append((l1b.mem, (ops[1].addr + k) % L1BM_WORDS, v))
        return stores
    down = ops[0].kind == "mv"
    if (ops[1].kind == "mv") == down:
        raise VsmError(f"{expr.text}: one L1BM and one L2BM address needed")
    lc, lb = (ops[0].addr, ops[1].addr) if down else (ops[1].addr, ops[0].addr)
    if red:
        rop, narrow = reduction(red)
        if narrow:
            raise VsmError(f"{expr.text}: r belongs to L1BM reductions (ISA notes 5.5)")
    elif not (b or b2 or d):
        if down or at is None or not at.isdigit():
            raise VsmError(f"{expr.text}: l2bm@n goes from L1BM to L2BM")
    if (b or b2) and not down or red and down:
        raise VsmError(f"{expr.text}: wrong direction")
    members = {int(at)} if not (b or b2 or d or red) else l1b_set(at)
    for l2b in l2bs:

        def up(l1b, k):
            return l1b.mem.get((lb + k) % L1BM_WORDS, 0)

        for c in range(4):
            if red:
                _l2bmr(stores, l2b, lc, c, bool(r2), rop, members, up, switches)
                continue
            for l1b in l2b.l1bs:
                n = l1b.ids[2]
                if n not in members:
                    continue
                count = 8 if d else 16
                for k in range(count):
                    near = count * c + k
                    far = k + (64 * c + 8 * n if d else 64 * c + 16 * (n >> 1) if b2 else 16 * c)
                    if down:
                        v = l2b.mem.get((lc + far) % L2BM_WORDS, 0)
                        stores.append((l1b.mem, (lb + near) % L1BM_WORDS, v))
                    else:
                        stores.append((l2b.mem, (lc + far) % L2BM_WORDS, up(l1b, near)))
    return stores


def _l2bmr(stores, l2b, lc, c, pairs, op, members, up, switches):
    """Reduction over L1Bs; non-members send the identity (ISA notes 5.2, 8.2, Q14)."""
    one = op.identity_word()
    for k in range(16):
        xs = [up(l2b.l1bs[n], 16 * c + k) if n in members and n < len(l2b.l1bs) else one for n in range(8)]
        if not pairs:
            stores.append((l2b.mem, (lc + 16 * c + k) % L2BM_WORDS, op.words(xs, 64, False, False, switches)))
            continue
        for q in range(4):
            v = op.words(xs[2 * q : 2 * q + 2], 64, False, False, switches)
            stores.append((l2b.mem, (lc + 64 * c + 16 * q + k) % L2BM_WORDS, v))
