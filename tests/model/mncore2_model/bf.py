"""Block-float conversion: bfn for d, f, g, h and the extended hbfe (ISA notes 8.5)."""

from .formats import BLOCK, rne_shift
from .switches import DEFAULT


def rounds_up(fmt, man, used, switches=DEFAULT):
    """Does 1.man, kept to `used` bits, round up to 2.0? (ISA notes 8.5, carry test; Q2)"""
    if switches.bfn_carry == "all_ones":
        return man == fmt.man_mask
    return rne_shift(fmt.hidden | man, fmt.man_bits + 1 - used) >> used != 0


def convert_block(kind, words, n=9, extended=False, switches=DEFAULT):
    """Convert the elements of one block (ISA notes 8.5).

    kind d, f, g, h; n = mantissa bits kept for half (6..9); extended = hbfe."""
    fmt, used = BLOCK[kind]
    b = 9 - n if kind == "h" else 0
    pad = fmt.man_bits - used
    fields = [fmt.fields(w) for w in words]
    emax = max(e for _, e, _ in fields)
    if emax == 0:
        return [fmt.pack(s, 0, 0) for s, _, _ in fields]
    shared = emax + b
    if any(e == emax and rounds_up(fmt, m, used - b, switches) for _, e, m in fields):
        shared += 1
    if shared >= fmt.exp_max or emax == fmt.exp_max:
        return [fmt.pack(s, fmt.exp_max, 0) for s, _, _ in fields]
    out = []
    for s, e, m in fields:
        zero_exp = 0 if kind == "h" else shared
        if e == 0:
            out.append(fmt.pack(s, zero_exp, 0))
            continue
        d = shared - e
        flagged = False
        if extended:
            flagged = d >= 6 + b and not (d == 6 + b and rounds_up(fmt, m, used - b, switches))
        # field LSB weighs 2^-(used-1); 1.m has man_bits fraction bits
        q = rne_shift(fmt.hidden | m, (d - 6 if flagged else d) + fmt.man_bits - (used - 1))
        q = min(q, (1 << used) - 1)  # only the "all_ones" switch can get here with an overflow
        if q == 0:
            out.append(fmt.pack(s, zero_exp, 0))
        else:
            out.append(fmt.pack(s, 0 if flagged else shared, q << pad))
    return out
