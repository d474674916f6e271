"""PE operands: address generation, reads, masked writes (ISA notes 3.2, 3.3)."""

from .formats import HALF, SINGLE, convert
from .state import WORDS
from .vsm import VsmError

M128 = (1 << 128) - 1
_LOW64 = (1 << 64) - 1


def _expand(width):
    table = []
    for bits in range(16):
        acc = 0
        for k in range(4):
            if bits >> (3 - k) & 1:
                acc |= ((1 << width) - 1) << (128 - width * (k + 1))
        table.append(acc)
    return table


#: mask bits -> 128-bit write mask. `ll`: words of the DLW. `l`: halves of the MSB LW, and the LSB LW
#: is not touched by the mask (ISA notes 3.3, Q22).
MASK_LL = _expand(32)
MASK_L = [m | _LOW64 for m in _expand(16)]


def address(op, pe, c, switches):
    """Word address of a memory operand in cycle c (ISA notes 3.2)."""
    a = op.flat[c] if op.flat else op.addr + op.stride * c
    if op.mem in "mn":
        a += pe.bar[op.mem]
        if op.indirect:
            a += (pe.t[c] >> 64) & 0xFFF
        if op.j is not None and (pe.p <= op.j if switches.j_order == "le" else pe.p >= op.j):
            a += op.unit
    a %= WORDS[op.mem]
    return a - a % op.unit


def constant(name, pe, letter):
    """Fixed inputs in the ALU precision over a DLW (ISA notes 3.2)."""
    from .alu import WIDTH

    w = WIDTH.get(letter, 64)
    g, s, b, m, p = pe.ids
    value = {
        "l2bid": 2 * g + s,
        "l1bid": b,
        "mabid": m,
        "peid": 4 * m + p,
        "subpeid": p,
        "msb1": 1 << (w - 1),
    }[name]
    acc = 0
    for _ in range(128 // w):
        acc = (acc << w) | value
    return acc


def reader(op, switches, letter="l"):
    """Function (pe, c) -> 128-bit value, narrower operands at the MSB side, rest 0 (ISA notes 1.2, Q13)."""
    if op.kind == "fwd":
        name = op.mem
        return lambda pe, c: pe.fwd[name][c]
    if op.kind == "t":
        return lambda pe, c: pe.t[c]
    if op.kind == "const":
        name = op.mem
        return lambda pe, c: constant(name, pe, letter)
    if op.kind != "mem":
        raise VsmError(f"{op.text} cannot be read here")
    name, unit, size = op.mem, op.unit, WORDS[op.mem]

    def read(pe, c):
        a = address(op, pe, c, switches)
        get = pe.mem[name].get
        if unit == 1:
            return get(a, 0) << 96
        if unit == 2:
            return (get(a, 0) << 96) | (get(a + 1, 0) << 64)
        return (get(a, 0) << 96) | (get(a + 1, 0) << 64) | (get(a + 2, 0) << 32) | get(a + 3, 0)

    assert size % 4 == 0
    return read


def narrow_to_half(v, switches):
    """Source `r`: a DLW of 4 singles to 4 halves in the MSB LW, LSB LW 0 (ISA notes 6.3, 7)."""
    acc = 0
    for k in range(4):
        acc = (acc << 16) | convert(SINGLE, HALF, (v >> (96 - 32 * k)) & 0xFFFFFFFF, switches.convert_zero_sign)
    return acc << 64


def negate(v, width):
    """Sign bit of every element flipped (ISA notes 6.3, 8.4)."""
    acc = 0
    for _ in range(128 // width):
        acc = (acc << width) | (1 << (width - 1))
    return v ^ acc


class Result:
    """What one expression produces in a step: per PE and cycle a DLW and, maybe, 4 flag bits."""

    __slots__ = ("dsts", "flags", "unit", "values", "width", "zero_flush")

    def __init__(self, unit, dsts):
        self.unit = unit
        self.dsts = dsts
        self.values = {}
        self.flags = {}
        self.zero_flush = None


def flush(result, pe, c, v):
    """Zero-flush: bits 0 of the mask clear the value before writing and forwarding (ISA notes 3.3)."""
    mask = result.zero_flush
    if mask is None:
        return v
    bits = pe.omr[mask.index][c]
    return v & (MASK_LL if mask.ll else MASK_L)[bits]


def mask_of(dst, multi):
    """Mask that applies to one destination: the single-line one wins over the multi-line one (ISA notes 3.3)."""
    if dst.mask is not None:
        return dst.mask
    letter = {"t": "t", "omr": "k"}.get(dst.kind, dst.mem)
    mask, letters = multi
    return mask if letter in letters else None


def commit(results, pes, multi, switches, forward):
    """Write all results of a step. Every address and mask uses the state before the step; within a step
    cycles write in order, so the value of cycle 3 survives (ISA notes 3.2, 3.3)."""
    late = []
    for res in results:
        for pe in pes:
            values = [flush(res, pe, c, v) for c, v in enumerate(res.values[pe])]
            for dst in res.dsts:
                mask = mask_of(dst, multi)
                if dst.kind == "omr":
                    late.append(
                        (pe, dst, mask, res.flags.get(pe, (0, 0, 0, 0)), list(pe.omr[mask.index]) if mask else None)
                    )
                elif dst.kind == "mem":
                    _write_mem(pe, dst, mask, values, switches)
                elif dst.kind in ("t", "bar"):
                    late.append((pe, dst, mask, values, list(pe.omr[mask.index]) if mask else None))
            if forward:
                pe.fwd[res.unit] = values
    for pe, dst, mask, values, bits in late:
        for c in range(4):
            b = bits[c] if bits else 15
            if dst.kind == "omr":
                old = pe.omr[dst.addr][c] if switches.masked_omr == "keep" else 0
                pe.omr[dst.addr][c] = (values[c] & b) | (old & ~b & 15)
                continue
            m = M128 if not mask else (MASK_LL if mask.ll else MASK_L)[b]
            if dst.kind == "t":
                pe.t[c] = (pe.t[c] & ~m & M128) | (values[c] & m)
            elif m >> 96 & 0xFFF == 0xFFF:
                pe.bar[dst.mem] = values[c] >> 96 & 0xFFF


def _write_mem(pe, dst, mask, values, switches):
    mem, unit = pe.mem[dst.mem], dst.unit
    for c in range(4):
        a = address(dst, pe, c, switches)
        v = values[c]
        if mask is None:
            m = M128
        else:
            m = (MASK_LL if mask.ll else MASK_L)[pe.omr[mask.index][c]]
        for k in range(unit):
            sh = 96 - 32 * k
            mk = m >> sh & 0xFFFFFFFF
            if mk == 0xFFFFFFFF:
                mem[a + k] = v >> sh & 0xFFFFFFFF
            elif mk:
                mem[a + k] = (mem.get(a + k, 0) & ~mk) | (v >> sh & mk)
