"""Which forms of operands, masks, literals, statements and steps the tests with outside expectations execute.

What every instruction shares, and what is no instruction: the grammar of ISA 3.1 to 3.5, 9.3 and 10.1 written down once
more, as names, beside the rows. `needs` lists them by table and line; `has` tells which of them one line of a program shows.
"""

import itertools
import re

WIDTHS = ("", "l", "ll")
WORDS = {"": 1, "l": 2, "ll": 4}
#: issue groups of ISA 9.3 that a step may hold beside each other; nop goes with wait only
GROUPS = ("noforward", "l2bm", "l2bmdarw", "l1bm", "turnaround", "calc", "mwrite", "mread", "alu", "wait")
GROUP_OF_UNIT = {
    "L2BM": "l2bm",
    "L1BM": "l1bm",
    "L1BM turnaround": "turnaround",
    "MAU calculation": "calc",
    "matrix write": "mwrite",
    "matrix read": "mread",
    "ALU": "alu",
}
FLUSHED = ("calc", "mread", "alu", "l1bm")  # units whose opcode takes a mask
MASK_TEXTS = ("`/0000`", "`/ll0000`", "`/$imrN`", "`/$llimrN`")
TYPES = {"": 64, "d": 64, "f": 32, "h": 16, "bd": 64, "bf": 32, "bg": 32, "bh": 16}
LEVELS = {"m": 5, "n": 5, "r": 5, "s": 5, "t": 5, "omr": 5, "x": 4, "y": 4, "b": 3, "c": 2, "p": 1, "d": 1}
LITERALS = ("f", "i", "ui", "s", "us")


def address_forms(mem):
    forms = ["A", "Av", "AvN", "[A,A,A,A]"]
    if mem in "mn":
        forms += ["AjN", "AvjN", "[A,A,A,A]jN"]
    if mem == "m":
        forms += ["t", "tv", "tA", "tAv", "t[A,A,A,A]"]
    return forms


def dumps(mem):
    """Names of `d get` of one memory in every type and width (ISA 3.5)."""
    widths = {
        "t": ("l",),
        "omr": ("",),
        "c": ("l",),
        "p": ("",),
        "d": ("",),
        "b": WIDTHS[1:],
        "x": WIDTHS[1:],
        "y": WIDTHS[1:],
    }
    for prefix in widths.get(mem, WIDTHS):
        for kind, bits in TYPES.items():
            if mem == "omr":
                wanted = not kind
            elif mem in "xy":
                wanted = bool(kind)
            else:  # an untyped dump shows a long word
                held = 32 * WORDS[prefix] if mem in "mnrsb" else 64
                wanted = held == 64 if not kind else bits <= held
            if wanted:
                yield f"`d get{kind} ${prefix}{mem}`"


def needs():
    """Table to line to the set of names."""
    addresses = {
        f"`${w}{mem}` {way}": {f"`{form}`" for form in address_forms(mem)}
        for mem, w, way in itertools.product("mnrs", WIDTHS, ("read", "written"))
    }
    forward = {
        f"`${name}` in {use}"
        for name in ("mauf", "aluf", "lbf")
        for use in ("alu X", "alu Y", "calc", "mwrite", "l1bm")
    }
    constants = ("l2bid", "l1bid", "mabid", "peid", "subpeid", "msb1", "mreadf")
    operands = {
        "T": {f"`${w}t` {way}" for w in WIDTHS for way in ("read", "written")},
        "forwarding": forward,
        "first ALU input only": {f"`${name}` in alu X" for name in constants},
        "destinations": {"`$nowrite`", "`$mb`", "`$lmb`", "`$nb`", "`$lnb`", "`$omrN`", "several"},
        "literals": {f'`{op} {kind}"..."`' for op in ("imm", "immu") for kind in LITERALS}
        | {"negative", "hexadecimal"},
    }
    masks = {
        "write masks": {
            f"{text} on {to}" for text in MASK_TEXTS for to in ("$m", "$n", "$r", "$s", "$t", "$omr", "bar")
        },
        "asserted width": {"`/...t`", "`/...p`"},
        "zero flush": {f"{text} of {unit}" for text in MASK_TEXTS for unit in FLUSHED},
        "statements": {f"`mask{w}{k} {n}`" for w in WIDTHS for k in "rstmnk" for n in ("variable", "fixed")}
        | {"`mask 0`"},
    }
    debug = {
        f"`d get` of {mem}": set(dumps(mem)) | {f"{k} selectors" for k in range(levels + 1)}
        for mem, levels in LEVELS.items()
    }
    stored = [f"${w}{mem}" for mem in "mnrs" for w in WIDTHS] + ["$lt", "$lb", "$llb", "$lc"]
    debug["`d set`"] = (
        {f"`d set {name}`" for name in stored} | {f"{k} selectors" for k in range(6)} | {"bare payload", "`l` payload"}
    )
    host = {
        "statements": {"`r`", "`r` of several long words", "`c`", "`quit`", "`#`", "`!`"},
        "MV parameters": {"tag last", "tag first"},
    }
    steps = {one: {f"with {other}" for other in GROUPS[k + 1 :]} for k, one in enumerate(GROUPS[:-1])}
    steps["nop"] = {"with wait"}
    return {
        "Addresses": addresses,
        "Operands": operands,
        "Masks": masks,
        "Debug statements": debug,
        "Host statements": host,
        "Groups in one step": steps,
    }


# ---------------------------------------------------------------- what a line has


def address_form(text):
    """Form of an operand such as `-$llm0vj1e/$imr2`, or None; and its `$llm`."""
    m = re.match(r"-?(\$l{0,2}[mnrs])(t?)(\d+|\[[\d,]+\])?(v\d*)?(j\d)?[er]?(/|$)", text)
    if not m or (m[3] is None and not m[2]):
        return None, None
    at = "" if m[3] is None else "[A,A,A,A]" if m[3][0] == "[" else "A"
    stride = "" if m[4] is None else "v" if m[4] == "v" else "vN"
    return m[1], m[2] + at + stride + ("jN" if m[5] else "")


def mask_text(mask):
    mask = re.sub(r"\d+", "N", mask.rstrip("tp")) if "imr" in mask else re.sub("[01]{4}", "0000", mask.rstrip("tp"))
    return f"`/{mask}`"


def of_operand(o, group, k, sources):
    """Names that one operand of a PE expression shows; `k` is its number, the first `sources` are read."""
    text, way = o.text.lstrip("-"), "read" if k < sources else "written"
    name, form = address_form(text)
    if name:
        yield "Addresses", f"`{name}` {way}", f"`{form}`"
    if o.kind == "t":
        yield "Operands", "T", f"`{re.match('.l*t', text)[0]}` {way}"
    if k < sources and o.kind in ("fwd", "const"):
        line = "first ALU input only" if o.kind == "const" or o.mem == "mreadf" else "forwarding"
        use = f"alu {'XY'[k]}" if group == "alu" else group
        yield "Operands", line, f"`${o.mem}` in {use}"
    if o.kind in ("nowrite", "bar", "omr"):
        yield "Operands", "destinations", f"`{re.sub(r'[0-9]+', 'N', text.partition('/')[0])}`"
    _, slash, mask = text.partition("/")
    if slash:
        to = "bar" if o.kind == "bar" else "$omr" if o.kind == "omr" else f"${o.mem}"
        yield "Masks", "write masks", f"{mask_text(mask)} on {to}"
        if mask[-1] in "tp":
            yield "Masks", "asserted width", f"`/...{mask[-1]}`"


def of_step(exprs, groups, sources):
    """Names of one PE step; the group and the number of sources of each expression are given."""
    for a, b in itertools.permutations(sorted(set(groups)), 2):
        yield "Groups in one step", a, f"with {b}"
    for expr, group, count in zip(exprs, groups, sources, strict=True):
        for k, o in enumerate(expr.operands):
            yield from of_operand(o, group, k, count)
        if len(expr.operands) - count > 1:
            yield "Operands", "destinations", "several"
        for part in expr.parts:
            if group in FLUSHED and not part.isdigit() or re.fullmatch("[01]{4}", part):
                yield "Masks", "zero flush", f"{mask_text(part)} of {group}"
        if m := re.match(r'(immu?)\S*\s+(u?[a-z])"(-?)(0x)?', expr.text):
            yield "Operands", "literals", f'`{m[1]} {m[2]}"..."`'
            yield from (("Operands", "literals", n) for n, g in (("negative", m[3]), ("hexadecimal", m[4])) if g)


def of_statement(line):
    """Names of a line that is no PE step: debug, mask, host, MV."""
    if line.kind == "debug":
        target = line.args[1] if line.args[0] == "set" else line.args[2]
        name = re.match(r"\$l{0,2}(?:omr|[a-z])", target.text)[0]
        mem = name.lstrip("$").lstrip("l")
        name = "$lt" if mem == "t" else name
        place = "`d set`" if line.args[0] == "set" else f"`d get` of {mem}"
        yield (
            "Debug statements",
            place,
            f"`d {line.args[0]}{(line.args[1] or '') if line.args[0] == 'get' else ''} {name}`",
        )
        yield "Debug statements", place, f"{len(target.sel)} selectors"
        if line.args[0] == "set":
            payload = line.text.split()[-1]
            yield "Debug statements", place, "`l` payload" if payload[0] == "l" else "bare payload"
    elif line.kind == "mask":
        n, wide, letters = line.args
        width = re.match(r"mask(ll|l)?", line.text)[1] or ""
        assert wide == (width == "ll")
        for letter in letters:
            yield "Masks", "statements", f"`mask{width}{letter} {'variable' if n < 16 else 'fixed'}`"
        if n == 0:
            yield "Masks", "statements", "`mask 0`"
    elif line.kind == "load":
        yield "Host statements", "statements", "`r`" if line.args[2] == 1 else "`r` of several long words"
    elif line.kind == "host":
        yield "Host statements", "statements", "`c`"
    elif line.kind == "mv":
        m = re.search(r"/(n\d+)?i[0-3][0-9a-f](n\d+)?", line.text)
        if m and (m[1] or m[2]):
            yield "Host statements", "MV parameters", "tag last" if m[1] else "tag first"


def of_text(program):
    """What the parser leaves out: comments and the end."""
    for name, pattern in (("`quit`", r"^\s*quit\b"), ("`#`", "#"), ("`!`", "!")):
        if re.search(pattern, program, re.M):
            yield "Host statements", "statements", name
