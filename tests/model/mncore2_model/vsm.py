"""Parser of VSM text (ISA notes 3). Produces plain records; the machine executes them."""

import re
from decimal import Decimal
from fractions import Fraction

from .formats import HALF, encode_fraction

UNIT = {"": 1, "l": 2, "ll": 4}


class VsmError(ValueError):
    """A line that the notes do not allow."""


class Operand:
    """One operand of a PE, L2BM, L1BM or MV expression."""

    __slots__ = ("addr", "at", "conv", "flat", "indirect", "j", "kind", "mask", "mem", "neg", "stride", "text", "unit")

    def __init__(self, kind, text, **kw):
        self.kind = kind
        self.text = text
        self.mem = self.mask = self.conv = self.flat = self.j = self.at = None
        self.neg = self.indirect = False
        self.unit = self.addr = self.stride = 0
        for k, v in kw.items():
            setattr(self, k, v)

    def __repr__(self):
        return f"Operand({self.text})"


class Mask:
    """Mask entry and word length: ll = bits are words of the DLW, else halves of the MSB LW (ISA notes 3.3)."""

    __slots__ = ("index", "ll")

    def __init__(self, index, ll):
        self.index = index
        self.ll = ll


_MASK = re.compile(r"(ll)?(?:([01]{4})|\$(ll)?imr(\d+))[tp]?$")


def parse_mask(text):
    m = _MASK.match(text)
    if not m:
        raise VsmError(f"bad mask {text!r}")
    if m[2]:
        return Mask(16 + int(m[2], 2), bool(m[1]))
    index = int(m[4])
    if index > 31:
        raise VsmError(f"mask entry {index} does not exist")
    return Mask(index, bool(m[1] or m[3]))


_CONST = ("l2bid", "l1bid", "mabid", "peid", "subpeid", "msb1")
_FWD = ("mauf", "aluf", "lbf", "mreadf")
_MEM = re.compile(r"(ll|l|)([mnrs])(t?)(\d+|\[[\d,]+\])?(?:v(\d+)?)?(?:j(\d+))?([er])?$")
_VFLAG = re.compile(r"(ll|l|)([mnrs])(t?)(\d+|\[[\d,]+\])?v")
_T = re.compile(r"(?:ll|l|)t([er])?$")
_LB = re.compile(r"(ll|l)b(\d+|i)$")
_XY = re.compile(r"(ll|l)([xy])(\d+)?$")
_MV = re.compile(r"(p|di|dar|d|lc)(\d+)(?:@(\d*)(?:\.(\d+))?)?$")


def parse_operand(text):
    """PE operand, L1BM address, matrix or L2BM address (ISA notes 3.2)."""
    body, neg, mask = text, False, None
    if body.startswith("-"):
        body, neg = body[1:], True
    if not body.startswith("$"):
        raise VsmError(f"bad operand {text!r}")
    body = body[1:]
    if "/" in body:
        body, _, mtext = body.partition("/")
        mask = parse_mask(mtext)
    conv = None
    m = re.match(r"(mauf|aluf|lbf|mreadf)([er])?$", body)
    if m:
        return Operand("fwd", text, mem=m[1], neg=neg, conv=m[2])
    m = re.match(rf"({'|'.join(_CONST)})([er])?$", body)
    if m:
        return Operand("const", text, mem=m[1], neg=neg, conv=m[2])
    if body == "nowrite":
        return Operand("nowrite", text)
    m = re.match(r"l?([mn])b$", body)
    if m:
        return Operand("bar", text, mem=m[1], mask=mask)
    m = re.match(r"omr(\d+)$", body)
    if m:
        index = int(m[1])
        if not 1 <= index <= 15:
            raise VsmError(f"mask register {index} is not writable")
        return Operand("omr", text, addr=index, mask=mask)
    m = _T.match(body)
    if m:
        return Operand("t", text, mem="t", unit=4, neg=neg, conv=m[1], mask=mask)
    m = _LB.match(body)
    if m:
        return Operand("lb", text, unit=UNIT[m[1]], addr=None if m[2] == "i" else int(m[2]))
    m = _XY.match(body)
    if m:
        return Operand("xy", text, mem=m[2], unit=UNIT[m[1]], addr=int(m[3]) if m[3] else None)
    m = _MEM.match(body)
    if m:
        unit = UNIT[m[1]]
        if m[3] and m[2] != "m":
            raise VsmError(f"{text}: only LM0 has T-indirect addressing")
        if not m[4] and not m[3]:
            raise VsmError(f"{text}: address missing")
        if m[6] and (m[3] or m[2] not in "mn"):
            raise VsmError(f"{text}: j is for direct LM addresses")
        flat, addr, stride = None, 0, 0
        if m[4] and m[4].startswith("["):
            flat = [int(x) for x in m[4][1:-1].split(",")]
            if len(flat) != 4:
                raise VsmError(f"{text}: four addresses needed")
        elif m[4]:
            addr = int(m[4])
        if _VFLAG.match(body):
            stride = int(m[5]) if m[5] else unit
        for a in [*(flat or [addr]), stride]:
            if a % unit:
                raise VsmError(f"{text}: {a} is not a multiple of {unit}")
        conv = m[7]
        return Operand(
            "mem",
            text,
            mem=m[2],
            unit=unit,
            addr=addr,
            stride=stride,
            flat=flat,
            indirect=bool(m[3]),
            j=int(m[6]) if m[6] else None,
            neg=neg,
            conv=conv,
            mask=mask,
        )
    m = _MV.match(body)
    if m and not neg:
        group = int(m[3]) if m[3] else None
        l2b = int(m[4]) if m[4] else None
        return Operand("mv", text, mem=m[1], addr=int(m[2]), at=(group, l2b, "@" in body))
    raise VsmError(f"bad operand {text!r}")


class Expr:
    """One expression: opcode without suffixes, suffix parts, operands."""

    __slots__ = ("literal", "op", "operands", "parts", "text")

    def __init__(self, op, parts, operands, text, literal=None):
        self.op, self.parts, self.operands, self.text, self.literal = op, parts, operands, text, literal

    def __repr__(self):
        return f"Expr({self.text})"


class Line:
    """One statement: kind is quit, mask, debug, mv, pe, load."""

    __slots__ = ("args", "exprs", "kind", "number", "text")

    def __init__(self, kind, number, text, args=None, exprs=None):
        self.kind, self.number, self.text, self.args, self.exprs = kind, number, text, args, exprs


_IMM = re.compile(r'(immu?)((?:/\S+)?)\s+(u?[fislhd])"([^"]*)"\s*(.*)$')


def literal_word(kind, text):
    """32-bit pattern of a literal (ISA notes 3.4)."""
    if kind == "f":
        return single_from_text(text)
    if kind == "h":
        half = encode_fraction(HALF, Fraction(Decimal(text)))
        return (half << 16) | half
    value = int(text, 0) if not re.match(r"-?0\d+$", text) else int(text)
    if kind.endswith("s"):
        if not -(1 << 15) <= value < 1 << 16:
            raise VsmError(f"literal {text} does not fit in 16 bits")
        value &= 0xFFFF
        return (value << 16) | value
    if kind.endswith("i"):
        if not -(1 << 31) <= value < 1 << 32:
            raise VsmError(f"literal {text} does not fit in 32 bits")
        return value & 0xFFFFFFFF
    raise VsmError(f"literal kind {kind!r} is not described")


def single_from_text(text):
    """IEEE single nearest to a decimal text, rounded once (ISA notes 3.4: host RNE)."""
    t = text.strip().lower()
    if t.lstrip("+-") in ("inf", "infinity"):
        return 0xFF800000 if t.startswith("-") else 0x7F800000
    sign = 1 if t.startswith("-") else 0
    value = abs(Fraction(float.fromhex(t)) if "0x" in t else Fraction(Decimal(t)))
    if value == 0:
        return sign << 31
    e = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** e > value:
        e -= 1
    e = max(e, -126)
    scaled = value / Fraction(2) ** (e - 23)
    q, rem = divmod(scaled.numerator, scaled.denominator)
    if 2 * rem > scaled.denominator or (2 * rem == scaled.denominator and q & 1):
        q += 1
    bits = q if e == -126 else ((e + 127) << 23) + (q - (1 << 23))
    return (sign << 31) | min(bits, 0x7F800000)


def parse_expr(text):
    m = _IMM.match(text)
    if m:
        return Expr(
            m[1],
            [p for p in m[2].split("/") if p],
            [parse_operand(t) for t in m[5].split()],
            text,
            literal_word(m[3], m[4]),
        )
    words = text.split()
    head, *rest = words
    op, *parts = head.split("/")
    if "@" in op or (parts and op.startswith(("l2bm", "l1bm")) and "@" in op):
        # `@b0/i` belongs to the opcode
        op, parts = head, []
    if op == "wait":
        return Expr(op, [], [], text, literal=int(rest[0][1:], 16) if rest and rest[0][:1] == "i" else None)
    return Expr(op, parts, [parse_operand(t) for t in rest], text)


_MASKSTMT = re.compile(r"mask(ll|l)?([rstmnk]*)\s+(\d+)$")
# the one published host record is "c 0 0 i10 i00 0 address count word" (ISA notes 10.1)
_HOST = re.compile(r"c\s+0\s+0\s+i([0-3][0-9a-f])\s+i00\s+0\s+([0-9a-f]{1,9})\s+(\d{1,3})\s+(.+)$")
_GET = re.compile(r"d\s+get(b?[dfgh])?\s+(\S+)\s+(\d+)$")
_SET = re.compile(r"d\s+set\s+(\S+)\s+(\d+)\s+(.+)$")
_DMEM = re.compile(
    r"\$(?:(omr)|(ll|l|)([rsmnt])|(ll|l)(b)|(l)(c)|(p)|(d)|(ll|l)([xy]))(\d*)((?:n\d+)?(?:c\d+)?(?:b\d+)?(?:m\d+)?(?:p\d+)?)$"
)


class DebugTarget:
    """Memory, access unit, address and selectors of a `d` statement (ISA notes 3.5)."""

    def __init__(self, text):
        m = _DMEM.match(text)
        if not m:
            raise VsmError(f"bad debug target {text!r}")
        self.text = text
        self.mem = m[1] or m[3] or m[5] or m[7] or m[8] or m[9] or m[11]
        if self.mem == "b":
            self.mem = "lb"
        if self.mem == "c":
            self.mem = "lc"
        prefix = m[2] or m[4] or m[6] or m[10] or ""
        self.unit = UNIT[prefix]
        self.addr = int(m[12]) if m[12] else 0
        self.sel = {k: int(v) for k, v in re.findall(r"([ncbmp])(\d+)", m[13])}


def parse_line(text, number):
    """One line to a Line, or None for an empty one (ISA notes 3.1)."""
    code = re.split(r"[#!]", text, maxsplit=1)[0].strip()
    if not code:
        return None
    if code == "quit":
        return Line("quit", number, code)
    m = _MASKSTMT.match(code)
    if m:
        if int(m[3]) > 31:
            raise VsmError(f"line {number}: mask entry {m[3]} does not exist")
        return Line("mask", number, code, (int(m[3]), m[1] == "ll", set(m[2])))
    m = _GET.match(code)
    if m:
        echo = f"d get{m[1] or ''} {re.sub(r'^[$](ll|l|)t', '$lt', m[2])} {m[3]}"
        return Line("debug", number, code, ("get", m[1], DebugTarget(m[2]), int(m[3]), echo))
    m = _SET.match(code)
    if m:
        return Line("debug", number, code, ("set", DebugTarget(m[1]), int(m[2]), payload(m[3])))
    if re.match(r"r\s+\d+\s", code):
        _, dram, addr, count, *data = code.split()
        return Line("load", number, code, (int(dram), int(addr, 16), int(count), payload("".join(data))))
    m = _HOST.match(code)
    if m:
        return Line("host", number, code, (int(m[2], 16), int(m[3]), payload(m[4])))
    if code.startswith("mv"):
        head, *rest = code.split()
        op, *parts = head.split("/")
        return Line("mv", number, code, exprs=[Expr(op, parts, [parse_operand(t) for t in rest], code)])
    exprs = [parse_expr(p.strip()) for p in code.split(";") if p.strip()]
    return Line("pe", number, code, exprs=exprs)


def payload(text):
    """LW values of a `d set` payload: bare hex, 16 digits per LW, or l + 16 hex (ISA notes 3.5)."""
    text = re.sub(r"\s", "", text)
    if "l" in text:
        parts = text.split("l")
        if parts[0] or any(len(p) != 16 for p in parts[1:]):
            raise VsmError("payload: l must be followed by 16 hex digits")
        return [int(p, 16) for p in parts[1:]]
    if len(text) % 16:
        raise VsmError("payload: 16 hex digits per long word needed")
    return [int(text[i : i + 16], 16) for i in range(0, len(text), 16)]


def parse(text):
    lines = []
    for number, raw in enumerate(text.splitlines(), 1):
        try:
            line = parse_line(raw, number)
        except VsmError as e:
            raise VsmError(f"line {number}: {e}: {raw.strip()}") from None
        if line is None:
            continue
        if line.kind == "quit":
            break
        lines.append(line)
    return lines
