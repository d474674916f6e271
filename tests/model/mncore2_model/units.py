"""ALU and MAU expressions on whole MABs (ISA notes 6, 7)."""

import re

from . import alu, bf, mau
from .access import Result, narrow_to_half, negate, reader
from .formats import BY_LETTER, HALF, LOWER, SINGLE, convert
from .vsm import VsmError, parse_mask

LOW64 = (1 << 64) - 1


def zero_flush(parts):
    """Mask of an opcode suffix, or None (ISA notes 3.3)."""
    if not parts:
        return None
    if len(parts) > 1:
        raise VsmError("too many opcode suffixes")
    return parse_mask(parts[0])


# ---------------------------------------------------------------- ALU

_ALU_NAME = re.compile(r"(u?)([lisdfhg])(\w+)$")


def _alu_name(op):
    if op in ("imm", "immu", "zero", "msl", "msr"):
        return op, "l", False
    m = _ALU_NAME.match(op)
    if not m:
        return None
    u, letter, name = bool(m[1]), m[2], m[3]
    if name in ("bfn", "bfe"):
        ok = letter in ("dfgh" if name == "bfn" else "h") and not u
    elif name == "passa":
        ok = not u
    else:
        entry = alu.ELEMENTWISE.get(name)
        ok = entry is not None and letter in entry[1] and (not u or (entry[2] and (letter in "lis" or name == "ftoi")))
    return (name, letter, u) if ok else None


def is_alu(op):
    return _alu_name(op) is not None


def run_alu(expr, mabs, switches):
    """One ALU expression (ISA notes 7). LSB LW of the result is x's, except for whole-DLW operations."""
    name, letter, unsigned = _alu_name(expr.op)
    parts, n = list(expr.parts), 9
    if name in ("bfn", "bfe") and letter == "h":
        if not parts or parts[0] not in ("6", "7", "8", "9"):
            raise VsmError(f"{expr.op} needs /6 to /9")
        n = int(parts.pop(0))
    arity = {"imm": 0, "immu": 0, "zero": 0, "msl": 1, "msr": 1, "passa": 1, "bfn": 1, "bfe": 1}.get(name)
    if arity is None:
        arity = alu.ELEMENTWISE[name][0]
    srcs, dsts = expr.operands[:arity], expr.operands[arity:]
    if not dsts:
        raise VsmError(f"{expr.text}: destination missing")
    res = Result("aluf", dsts)
    res.zero_flush = zero_flush(parts)
    reads = []
    for k, s in enumerate(srcs):
        if s.neg or s.conv == "e" or (s.conv == "r" and letter != "h"):
            raise VsmError(f"{s.text}: modifier not allowed on this ALU operand")
        if k and (s.kind == "const" or s.kind == "fwd" and s.mem == "mreadf"):
            raise VsmError(f"{s.text} is a first ALU input only")
        read = reader(s, switches, letter)
        reads.append(_narrowed(read, switches) if s.conv == "r" else read)
    for mab in mabs:
        for pe in mab.pes:
            res.values[pe], res.flags[pe] = [0] * 4, [0] * 4
        for c in range(4):
            xs = [[read(pe, c) for read in reads] for pe in mab.pes]
            outs = _alu_cycle(name, letter, unsigned, n, xs, expr.literal, switches)
            for pe, (v, f) in zip(mab.pes, outs):
                res.values[pe][c], res.flags[pe][c] = v, f
    return res


def _narrowed(read, switches):
    return lambda pe, c: narrow_to_half(read(pe, c), switches)


def _alu_cycle(name, letter, unsigned, n, xs, literal, switches):
    if name in ("imm", "immu"):
        v = literal * (0x00000001000000010000000100000001 if name == "imm" else 0x00000001000000000000000100000000)
        return [(v, 0)] * 4
    if name == "zero":
        return [(0, 0)] * 4
    if name in ("msl", "msr"):
        step = -1 if name == "msl" else 1
        return [((xs[(p + step) % 4][0] >> 64 << 64) | (xs[p][0] & LOW64), 0) for p in range(4)]
    if name == "passa":
        w = alu.WIDTH[letter]
        return [(x, alu.replicate_flags([int(e == 0) for e in alu.split(x >> 64, w)])) for (x,) in xs]
    if name in ("bfn", "bfe"):
        return [(v, 0) for v in _block_float(letter, n, name == "bfe", [x for (x,) in xs], switches)]
    outs = []
    for ops in xs:
        lw, flags = alu.elementwise(name, letter, unsigned, [o >> 64 for o in ops], switches)
        outs.append(((lw << 64) | (ops[0] & LOW64), flags or 0))
    return outs


def _block_float(letter, n, extended, xs, switches):
    """Blocks of the 4 PEs of one MAB (ISA notes 2.4): d 4 LW; f two blocks of 4 W; g one of 8 W;
    h one of 16 H in the MSB LW and one in the LSB LW."""
    w = alu.WIDTH[letter]
    msb = [alu.split(x >> 64, w) for x in xs]
    if letter == "h":
        lsb = [alu.split(x & LOW64, w) for x in xs]
        out = []
        for half in (msb, lsb):
            flat = bf.convert_block("h", [e for pe in half for e in pe], n, extended, switches)
            out.append([alu.join(flat[4 * p : 4 * p + 4], 16) for p in range(4)])
        return [(out[0][p] << 64) | out[1][p] for p in range(4)]
    if letter == "g":
        flat = bf.convert_block("g", [e for pe in msb for e in pe], switches=switches)
        words = [alu.join(flat[2 * p : 2 * p + 2], 32) for p in range(4)]
    elif letter == "f":
        cols = [bf.convert_block("f", [pe[k] for pe in msb], switches=switches) for k in range(2)]
        words = [(cols[0][p] << 32) | cols[1][p] for p in range(4)]
    else:
        words = bf.convert_block("d", [pe[0] for pe in msb], switches=switches)
    return [(words[p] << 64) | (xs[p] & LOW64) for p in range(4)]


# ---------------------------------------------------------------- MAU

_VECTOR = re.compile(r"([dfh])v(fma|mul|add|passa)([udr]*)$")
_MATRIX = re.compile(r"([dfgh])m(fma|mul)([udr]*)$")


def is_mau(op):
    return bool(_VECTOR.match(op) or _MATRIX.match(op))


def _suffix(letter, op, text, matrix):
    """u/d half selection and `r` (ISA notes 6.1, 6.3)."""
    half = next((x for x in text if x in "ud"), None)
    if any(text.count(x) > 1 for x in "udr") or ("u" in text and "d" in text):
        raise VsmError(f"bad suffix {text!r}")
    if half and letter != "d":
        raise VsmError("u and d belong to double operations")
    if letter == "d" and (matrix or op in ("fma", "mul")) and half is None:
        raise VsmError("double products need u or d")
    return half, "r" in text


def _elements(op, fmt, switches, allow_r):
    """Function DLW -> elements of fmt for a source operand, applying e, r and negation (ISA notes 6.3)."""
    conv, neg, w = op.conv, op.neg, fmt.width
    if conv == "e" and fmt is HALF:
        raise VsmError(f"{op.text}: e widens to single or double")
    if conv == "r" and not (allow_r and fmt is HALF):
        raise VsmError(f"{op.text}: r belongs to operands that expect half")

    def get(v, count):
        if neg:
            v = negate(v, 32 if conv == "r" else LOWER[fmt.name].width if conv == "e" else w)
        if conv == "r":
            v = narrow_to_half(v, switches)
        elif conv == "e":
            low = LOWER[fmt.name]
            return [convert(low, fmt, x, switches.convert_zero_sign) for x in alu.split(v, low.width, 128)[:count]]
        return alu.split(v, w, 128)[:count]

    return get


def _pack(xs, fmt):
    """Results at the MSB side of the DLW, rest 0 (ISA notes 1.2, Q13); flag = NOT sign of each (6.1)."""
    w = fmt.width
    v = alu.join(xs, w) << (128 - w * len(xs))
    return v, alu.replicate_flags([1 - (x >> (w - 1)) for x in xs])


def run_mau(expr, mabs, switches):
    m = _VECTOR.match(expr.op)
    if m:
        return _run_vector(expr, m, mabs, switches)
    return _run_matrix(expr, _MATRIX.match(expr.op), mabs, switches)


def _run_vector(expr, m, mabs, switches):
    """Vector operations (ISA notes 6.1): elementwise; half inputs add in single and give a DLW of singles."""
    letter, op, suffix = m[1], m[2], m[3]
    half, narrow = _suffix(letter, op, suffix, False)
    fmt = BY_LETTER[letter]
    acc = SINGLE if letter == "h" else fmt
    out = LOWER[acc.name] if narrow else acc
    arity = {"fma": 3, "mul": 2, "add": 2, "passa": 1}[op]
    srcs, dsts = expr.operands[:arity], expr.operands[arity:]
    if not dsts:
        raise VsmError(f"{expr.text}: destination missing")
    count = {"d": 1, "f": 2, "h": 4}[letter]
    reads = [reader(s, switches) for s in srcs]
    fmts = {"fma": (fmt, fmt, acc), "mul": (fmt, fmt), "add": (fmt, acc), "passa": (fmt,)}[op]
    gets = [_elements(s, f, switches, True) for s, f in zip(srcs, fmts)]
    for s in srcs:
        if s.kind == "const" or s.kind == "fwd" and s.mem == "mreadf":
            raise VsmError(f"{s.text} is an ALU input")
    res = Result("mauf", dsts)
    res.zero_flush = zero_flush(expr.parts)
    on = {None: (0, 1, 2, 3), "u": (0, 1), "d": (2, 3)}[half]
    for mab in mabs:
        for pe in mab.pes:
            values, flags = [], []
            for c in range(4):
                ins = [get(read(pe, c), count) for get, read in zip(gets, reads)]
                if pe.p in on:
                    if op == "fma":
                        xs = [mau.fma(fmt, a, b, z, acc, out, switches) for a, b, z in zip(*ins)]
                    elif op == "mul":
                        xs = [mau.mul(fmt, a, b, out, switches) for a, b in zip(*ins)]
                    elif op == "add":
                        xs = [mau.add(fmt, a, z, acc, out, switches) for a, z in zip(*ins)]
                    else:
                        xs = [mau.passa(fmt, a, out, switches) for (a,) in zip(*ins)]
                elif op == "fma":
                    xs = [mau.pass_addend(acc, z, out) for z in ins[2]]
                else:
                    xs = [0] * count
                v, f = _pack(xs, out)
                values.append(v)
                flags.append(f)
            res.values[pe], res.flags[pe] = values, flags
    return res


def matrix_elements(letter, side, rows):
    """Rows of a matrix side in the view of one precision (ISA notes 1.2, 6.1)."""
    w = alu.WIDTH[letter]
    return [[e for lw in side[i] for e in alu.split(lw, w)] for i in range(rows)]


def _run_matrix(expr, m, mabs, switches):
    """Matrix x vector (ISA notes 6.1, 8.6)."""
    letter, op, suffix = m[1], m[2], m[3]
    half, narrow = _suffix(letter, op, suffix, True)
    matrix, x_op, *rest = expr.operands
    if matrix.kind != "xy":
        raise VsmError(f"{expr.text}: matrix operand expected")
    if x_op.conv:
        raise VsmError(f"{x_op.text}: the vector of a matrix operation is a block float")
    acc = mau.ACCUMULATE[letter]
    out = LOWER[acc.name] if narrow else acc
    y_op = rest.pop(0) if op == "fma" else None
    dsts = rest
    if not dsts:
        raise VsmError(f"{expr.text}: destination missing")
    read_x = reader(x_op, switches)
    neg_x = x_op.neg
    w = alu.WIDTH[letter]
    if y_op is not None:
        read_y, get_y = reader(y_op, switches), _elements(y_op, acc, switches, False)
    per_pe = {"d": 1, "f": 2, "g": 2, "h": 4}[letter]  # outputs per PE
    rows = 4 * per_pe
    on = {None: range(rows), "u": (0, 1), "d": (2, 3)}[half]
    res = Result("mauf", dsts)
    res.zero_flush = zero_flush(expr.parts)
    for mab in mabs:
        planes = matrix_elements(letter, mab.side[matrix.mem], rows)
        if letter == "f":
            planes = [r[0::2] for r in planes]
        blocks = [mau.Block(letter, r) for r in planes]
        for pe in mab.pes:
            res.values[pe], res.flags[pe] = [], []
        for c in range(4):
            xs = []
            for pe in mab.pes:
                v = read_x(pe, c)
                if neg_x:
                    v = negate(v, w)
                xs.extend(alu.split(v >> 64, w)[:1] if letter == "f" else alu.split(v >> 64, w))
            vec = mau.Block(letter, xs)
            ys = []
            if y_op is not None:
                for pe in mab.pes:
                    ys.extend(get_y(read_y(pe, c), per_pe))
            outs = []
            for i in range(rows):
                y = ys[i] if ys else None
                if i in on:
                    outs.append(mau.dot(blocks[i], vec, y, out, switches))
                else:
                    outs.append(0 if y is None else mau.pass_addend(acc, y, out))
            for p, pe in enumerate(mab.pes):
                v, f = _pack(outs[per_pe * p : per_pe * p + per_pe], out)
                res.values[pe].append(v)
                res.flags[pe].append(f)
    return res


# ---------------------------------------------------------------- matrix registers

_MODULUS = {"d": 4, "f": 8, "g": 8, "h": 16}


def mwrite_letter(op):
    m = re.match(r"([dfgh])m?write$", op)
    return m[1] if m else None


def mread_letter(op):
    m = re.match(r"([dfgh])m?read$", op)
    return m[1] if m else None


def run_mwrite(expr, mabs, switches):
    """Row writes, a pure bit copy (ISA notes 6.2). Returns the new rows to store after all reads."""
    letter = mwrite_letter(expr.op)
    src, dst = expr.operands
    if dst.kind != "xy" or dst.addr is None:
        raise VsmError(f"{expr.text}: matrix row expected")
    read = reader(src, switches)
    if src.conv == "r" and letter != "h" or src.conv == "e":
        raise VsmError(f"{src.text}: modifier not allowed here")
    wide = dst.unit == 4
    if wide and (letter != "h" or dst.addr % 2):
        raise VsmError(f"{dst.text}: two rows at a time are for half, from an even row")
    n, stores = _MODULUS[letter], []
    w = alu.WIDTH[letter]
    for mab in mabs:
        for c in range(4):
            vs = []
            for pe in mab.pes:
                v = read(pe, c)
                if src.neg:
                    v = negate(v, 32 if src.conv == "r" else w)
                vs.append(narrow_to_half(v, switches) if src.conv == "r" else v)
            if wide:
                stores.append((mab, dst.mem, (dst.addr + 2 * c) % n, [v >> 64 for v in vs]))
                stores.append((mab, dst.mem, (dst.addr + 2 * c + 1) % n, [v & LOW64 for v in vs]))
            else:
                stores.append((mab, dst.mem, (dst.addr + c) % n, [v >> 64 for v in vs]))
    return stores


def run_mread(expr, mabs, switches):
    """Column reads: written then read, a side is transposed (ISA notes 6.2)."""
    letter = mread_letter(expr.op)
    src, *dsts = expr.operands
    if src.kind != "xy" or src.addr is None or not dsts:
        raise VsmError(f"{expr.text}: matrix column and destination expected")
    wide = src.unit == 4
    if wide and (letter != "h" or src.addr % 2):
        raise VsmError(f"{src.text}: two columns at a time are for half, from an even column")
    n, w = _MODULUS[letter], alu.WIDTH[letter]
    per_pe = n // 4
    res = Result("mreadf", dsts)
    res.zero_flush = zero_flush(expr.parts)
    for mab in mabs:
        a = matrix_elements(letter, mab.side[src.mem], n)
        for p, pe in enumerate(mab.pes):
            rows = a[per_pe * p : per_pe * p + per_pe]
            values = []
            for c in range(4):
                if wide:
                    q = (src.addr + 2 * c) % n
                    v = (alu.join([r[q] for r in rows], w) << 64) | alu.join([r[q + 1] for r in rows], w)
                else:
                    v = alu.join([r[(src.addr + c) % n] for r in rows], w) << 64
                values.append(v)
            res.values[pe] = values
            res.flags[pe] = [0] * 4
    return res
