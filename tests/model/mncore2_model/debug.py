"""`d get` and `d set` (ISA notes 3.5)."""

import math
from copy import copy

from .alu import split
from .formats import BLOCK, BY_LETTER, HALF, block_value, to_double
from .state import DRAM_WORDS, L1BM_WORDS, L2BM_WORDS, PDM_WORDS, WORDS, read_words, write_words
from .vsm import VsmError

NAME = {
    "m": "LM0",
    "n": "LM1",
    "r": "GREG0",
    "s": "GREG1",
    "t": "TREG",
    "omr": "OMR",
    "lb": "L1BM",
    "lc": "L2BM",
    "d": "DRAM",
    "p": "PDM",
    # no transcript of a matrix dump is known; these two names are ours
    "x": "MREGX",
    "y": "MREGY",
}
#: selectors each memory has, outer to inner.
LEVELS = {"d": "n", "p": "n", "lc": "nc", "lb": "ncb", "x": "ncbm", "y": "ncbm"}
_LONG = {"d": DRAM_WORDS, "p": PDM_WORDS, "lc": L2BM_WORDS, "lb": L1BM_WORDS}


def places(machine, target):
    """(selector tuple, object) of every place that a target names, in nested order (ISA notes 3.5)."""
    levels = LEVELS.get(target.mem, "ncbmp")
    for k in target.sel:
        if k not in levels:
            raise VsmError(f"{target.text}: selector {k} does not apply")

    def walk(obj, rest, ids):
        if not rest:
            yield ids, obj
            return
        children = {
            "n": lambda: machine.groups,
            "c": lambda: obj.l2bs,
            "b": lambda: obj.l1bs,
            "m": lambda: obj.mabs,
            "p": lambda: obj.pes,
        }[rest[0]]()
        want = target.sel.get(rest[0])
        if want is not None and want >= len(children):
            raise VsmError(f"{target.text}: {rest[0]}{want} does not exist")
        for i, child in enumerate(children):
            if want is None or want == i:
                yield from walk(child, rest[1:], (*ids, i))

    for ids, obj in walk(None, levels, ()):
        yield "".join(f"{n}{i}" for n, i in zip(levels, ids)), obj


def _cells(target, obj):
    """Dictionary of long words behind a target that is addressed in long words."""
    return {"d": lambda: obj.dram, "p": lambda: obj.pdm, "lc": lambda: obj.mem, "lb": lambda: obj.mem}[target.mem]()


def access(target, obj, index):
    """(printed address, value, bits) of the index-th access word (ISA notes 3.5)."""
    mem = target.mem
    if mem in WORDS:
        a = target.addr + index * target.unit
        a %= WORDS[mem]
        a -= a % target.unit
        return a, read_words(obj.mem[mem], a, target.unit, WORDS[mem]), 32 * target.unit
    if mem == "t":
        i = (target.addr + index) % 8
        return i, (obj.t[i % 4] >> 64) if i < 4 else obj.t[i % 4] & ((1 << 64) - 1), 64
    if mem in "xy":
        # one row, or two, of four long words (ISA notes 6.2)
        rows = 2 if target.unit == 4 else 1
        r = target.addr + index * rows
        if r + rows > 16:
            raise VsmError(f"{target.text}: a side has 16 rows")
        acc = 0
        for row in obj.side[mem][r : r + rows]:
            for lw in row:
                acc = (acc << 64) | lw
        return r, acc, 256 * rows
    if mem in _LONG:
        n = 2 if target.unit == 4 else 1
        a = (target.addr + index * n) % _LONG[mem]
        acc = 0
        for k in range(n):
            acc = (acc << 64) | _cells(target, obj).get((a + k) % _LONG[mem], 0)
        return a, acc, 64 * n
    raise VsmError(f"{target.text}: no dump of this memory is described")


def number(v):
    return f"{v:g}"


def body(dtype, value, bits, shared=()):
    """Text after the place (ISA notes 3.5): typed dumps are %g and padded lower-case hex; untyped ones
    read the word as a double and print unpadded upper-case hex."""
    if dtype is None:
        if bits != 64:
            raise VsmError("untyped dumps are described for long words only")  # and a matrix needs a type
        h = split(value, 16)
        parts = ",".join("{" + ",".join(f"0x{x:X}" for x in pair) + "}" for pair in (h[:2], h[2:]))
        return f"(f:{number(to_double(BY_LETTER['d'], value))}, i:{{{parts}}}, v:0x{value:X})"
    if dtype not in ("d", "f", "h", "bd", "bf", "bg", "bh"):
        raise VsmError(f"dump type {dtype} is not described")
    fmt = BY_LETTER[dtype[-1]]
    if bits % fmt.width:
        raise VsmError(f"a {bits}-bit word has no {fmt.name}")
    xs = split(value, fmt.width, bits)
    if dtype[0] == "b":
        values = [block_number(dtype[1], x, e) for x, e in zip(xs, shared)]
    else:
        values = [to_double(fmt, x) for x in xs]
    return f"({', '.join(map(number, values))}) ({', '.join(f'0x{x:0{fmt.width // 4}x}' for x in xs)})"


def block_number(kind, x, shared):
    """Value of a block-float element (ISA notes 2.4). Half, exponent 0: an extended element, E - 6."""
    fmt = BLOCK[kind][0]
    sign, exp, _ = fmt.fields(x)
    if exp == fmt.exp_max:
        return float("-inf") if sign else float("inf")
    extended = kind == "h" and exp == 0 and shared
    v = block_value(kind, x, shared if extended else exp) if exp or extended else 0
    return math.copysign(float(v), -1 if sign else 1)


def shared_exponents(machine, target, obj, value, bits):
    """Exponent of the half block that each element belongs to (ISA notes 2.4): the 16 halves that the four PEs hold in
    one long word at one address, or a matrix row. 0 where nothing is known of the block."""
    n = bits // 16
    if target.mem in "xy":
        per = 16
        tops = [max(HALF.fields(x)[1] for x in split(value, 16, bits)[k : k + per]) for k in range(0, n, per)]
        return [tops[k // per] for k in range(n)]
    if target.mem not in (*WORDS, "t"):
        return [0] * n
    g, s, b, m, _ = obj.ids
    if bits == 32:  # the word shows two of the four halves of its long word
        around = copy(target)
        around.unit, around.addr = 2, target.addr + target.index - (target.addr + target.index) % 2
        index, whole = 0, 64
    else:
        around, index, whole = target, target.index, bits
    values = []
    for pe in machine.groups[g].l2bs[s].l1bs[b].mabs[m].pes:
        values.append(split(access(around, pe, index)[1], 16, whole))
    out = []
    for lw in range(whole // 64):
        top = max(HALF.fields(x)[1] for v in values for x in v[4 * lw : 4 * lw + 4])
        out += [top] * 4
    return out[:n]


def get(machine, args):
    """Lines of one `d get`."""
    _, dtype, target, count, echo = args
    out = []
    for where, obj in places(machine, target):
        for index in range(count):
            if target.mem == "omr":
                for c in range(4):
                    out.append(
                        f"DEBUG-OMR({where},{target.addr + index}):Mask{{{obj.omr[target.addr + index][c]}}} #{echo}"
                    )
                continue
            a, value, bits = access(target, obj, index)
            target.index = index
            shared = shared_exponents(machine, target, obj, value, bits) if dtype == "bh" else [0] * (bits // 32)
            out.append(f"DEBUG-{NAME[target.mem]}({where},{a}):{body(dtype, value, bits, shared)} #{echo}")
    return out


def put(machine, args):
    """`d set`: broadcast over omitted selectors; a word target takes the MSB word of each payload long
    word (ISA notes 3.5)."""
    _, target, count, words = args
    mem = target.mem
    if mem not in (*WORDS, "t", "lb", "lc"):
        raise VsmError(f"{target.text}: d set does not reach this memory")
    per = 2 if target.unit == 4 and mem != "t" else 1
    if len(words) != count * per:
        raise VsmError(f"payload holds {len(words)} long words, {count * per} needed")
    for _, obj in places(machine, target):
        for i in range(count):
            if mem == "t":
                k = (target.addr + i) % 8
                low = (1 << 64) - 1
                obj.t[k % 4] = (
                    (words[i] << 64) | (obj.t[k % 4] & low) if k < 4 else (obj.t[k % 4] >> 64 << 64) | words[i]
                )
            elif mem in WORDS:
                a = (target.addr + i * target.unit) % WORDS[mem]
                a -= a % target.unit
                chunk = words[i * per : (i + 1) * per]
                value = chunk[0] >> 32 if target.unit == 1 else chunk[0] if per == 1 else (chunk[0] << 64) | chunk[1]
                write_words(obj.mem[mem], a, target.unit, value, WORDS[mem])
            else:
                for k in range(per):
                    obj.mem[(target.addr + i * per + k) % _LONG[mem]] = words[i * per + k]
