"""Directed programs with expected words worked out by hand from the ISA notes.

Each case aims at one rule: the bit that a fused multiply-add rounds, the order and the guard bits of the reduction
network, the carry of the block-float conversion, output normalisation, masks, addresses. They run on the model and,
when the binary is there, on the emulator. A second test shows that wrong variants of these rules change the words."""

import os
from dataclasses import replace

import pytest

from mncore2_model import DEFAULT, Machine, bf, compare, formats, mau, rrn

PE0 = "n0c0b0m0p0"


def f2(x):
    return f"{x:08X}{x:08X}"


def h4(x):
    return f"{x:04X}" * 4


def fma(op, a, b, c, unit="l", dst="$ls0"):
    """One vector operation on PE 0; a, b, c are hex long words (two for a double-long-word c)."""
    lines = [f"d set $lm0{PE0} 1 {a}", f"d set $ln0{PE0} 1 {b}", f"d set $lr0{PE0} {len(c) // 16} {c}"]
    return [*lines, f"{op} $lm0 $ln0 ${unit}r0 {dst}"], f"d get $ls0{PE0} 1"


def reduce16(op, values, width):
    """A 16-MAB reduction of PE 0's first element."""
    lines = []
    for m, v in values.items():
        lines.append(f"d set $lm0n0c0b0m{m}p0 1 {v << (64 - width):016X}")
    return [*lines, f"{op} $lm0 $lb0"], "d get $lb0n0c0b0 1"


def block(op, elements, width):
    """Convert a block whose first elements are given; the rest are 0. Shows PE 0's word."""
    per = 64 // width
    lines = []
    for p in range(4):
        word = 0
        for e in (elements[per * p : per * p + per] + [0] * per)[:per]:
            word = (word << width) | e
        lines.append(f"d set $lm0n0c0b0m0p{p} 1 {word:016X}")
    return [*lines, f"{op} $lm0 $ls0"], f"d get $ls0{PE0} 1"


ONE, MINUS = 0x3F800000, 0x80000000


def f(exp, man=0, sign=0):
    """Single 1.man * 2^exp."""
    return (sign << 31) | ((exp + 127) << 23) | man


def d(exp, man=0, sign=0):
    return (sign << 63) | ((exp + 1023) << 52) | man


CASES = {
    # ---- multiply-add: truncated multiplier and its constant (8.4)
    # (1+2^-23)^2 - (1+2^-22): exact 2^-46, the multiplier drops 1*1 and adds 2^-38
    "single correction": (*fma("fvfma", f2(f(0, 1)), f2(f(0, 1)), f2(f(0, 2, 1))), f(-38) << 32 | f(-38)),
    # one low part zero: nothing omitted, (1+2^-23)(1+2^-18) - (1+2^-18+2^-23) = 2^-41
    "single no correction": (*fma("fvfma", f2(f(0, 1)), f2(f(0, 32)), f2(f(0, 33, 1))), f(-41) << 32 | f(-41)),
    # low parts 31 and 31: -961 + 256 in units 2^-46; a=b=1+31*2^-23, c=-(1+62*2^-23)
    # exact a*b + c = 961*2^-46, so the result is 256*2^-46
    "single largest omission": (*fma("fvfma", f2(f(0, 31)), f2(f(0, 31)), f2(f(0, 62, 1))), f(-38) << 32 | f(-38)),
    # the constant can also decide a rounding: (1-2^-24)(1+2^-23) is just below the tie 1+2^-24 when exact,
    # and 225 units of 2^-47 above it here
    "single constant rounds": (*fma("fvfma", f2(f(-1, 0x7FFFFF)), f2(f(0, 1)), f2(0)), f(0, 1) << 32 | f(0, 1)),
    "double correction": (*fma("dvfmau", f"{d(0, 1):016X}", f"{d(0, 1):016X}", f"{d(0, 2, 1):016X}"), d(-74)),
    "double no correction": (
        *fma("dvfmau", f"{d(0, 1):016X}", f"{d(0, 1 << 16):016X}", f"{d(0, (1 << 16) + 1, 1):016X}"),
        d(-88),
    ),
    # ---- one rounding (8.4)
    # 1*1 + 2^-10 + 2^-24 to half: one rounding gives 1+2^-9, two give the tie 1.0
    "half one rounding": (*fma("hvfmar", h4(0x3E00), h4(0x3E00), f2(f(-10, 1 << 9)) * 2, "ll"), int(h4(0x3E01), 16)),
    "half tie to even": (*fma("hvfmar", h4(0x3E00), h4(0x3E00), f2(f(-10)) * 2, "ll"), int(h4(0x3E00), 16)),
    "half tie to even up": (*fma("hvfmar", h4(0x3E01), h4(0x3E00), f2(f(-10)) * 2, "ll"), int(h4(0x3E02), 16)),
    # 1 + 2^-24 is a tie, one unit more is not
    "single tie": (*fma("fvfma", f2(ONE), f2(f(-24)), f2(ONE)), ONE << 32 | ONE),
    "single above tie": (*fma("fvfma", f2(f(0, 1)), f2(f(-24)), f2(ONE)), f(0, 1) << 32 | f(0, 1)),
    "single tie odd": (*fma("fvfma", f2(ONE), f2(f(-24)), f2(f(0, 1))), f(0, 2) << 32 | f(0, 2)),
    # a sticky bit far below: 1 + 2^-24 + tiny; 2^-24*(1+2^-23) - see above - and -tiny keeps the tie's lower side
    "single below tie": (*fma("fvfma", f2(f(-1, 0x7FFFFF)), f2(f(-24)), f2(f(0, 1))), f(0, 1) << 32 | f(0, 1)),
    "double to single once": (
        *fma("dvfmaur", f"{d(0):016X}", f"{d(-24, 1):016X}", f"{d(0):016X}", dst="$s0"),
        f(0, 1) << 32,
    ),
    # ---- range and normalisation (8.1, 8.4)
    "minus zero": (*fma("fvfma", f2(MINUS), f2(ONE), f2(MINUS)), 0),
    "cancel to plus zero": (*fma("fvfma", f2(f(0, 0, 1)), f2(ONE), f2(ONE)), 0),
    "underflow": (*fma("fvfma", f2(f(-126, 0, 1)), f2(f(-1)), f2(0)), 0),
    # 2^-126 - 2^-152 rounds to the least normal, 2^-126 - 2^-150 needs no rounding and is below it
    "rounds up to least normal": (*fma("fvfma", f2(f(-100, 0, 1)), f2(f(-52)), f2(f(-126))), f(-126) << 32 | f(-126)),
    "below least normal": (*fma("fvfma", f2(f(-100, 0, 1)), f2(f(-50)), f2(f(-126))), 0),
    "overflow": (*fma("fvfma", f2(f(127, 0, 1)), f2(f(1)), f2(ONE)), 0xFF800000FF800000),
    "inf times zero": (*fma("fvfma", f2(0x7F800000), f2(0x00000001), f2(ONE)), ONE << 32 | ONE),
    "inf mantissa cleared": (*fma("fvfma", f2(0x7F800123), f2(f(0, 0, 1)), f2(ONE)), 0xFF800000FF800000),
    "half overflow": (*fma("hvfmar", h4(0x7DFF), h4(0x4000), "0" * 32, "ll"), int(h4(0x7E00), 16)),
    # ---- reduction network (8.2)
    # 2^30 and 1 share a first-level node: 1 is below the guard bits and is lost; {4q..4q+3}
    "rrn order within": (*reduce16("l1bmrffadd", {0: f(30), 4: f(30, 0, 1), 1: ONE}, 32), 0),
    "rrn order across": (*reduce16("l1bmrffadd", {0: f(30), 1: f(30, 0, 1), 4: ONE}, 32), ONE << 32),
    "rrn order last": (*reduce16("l1bmrffadd", {12: f(30), 15: f(30, 0, 1), 11: ONE}, 32), ONE << 32),
    # operand rounding at the third guard bit: 1.5*2^-27 becomes 2^-26, 2^-27 ties to 0
    "rrn guard up": (*reduce16("l1bmrffadd", {0: ONE, 1: f(0, 0, 1), 2: f(-27, 1 << 22)}, 32), f(-26) << 32),
    "rrn guard tie": (*reduce16("l1bmrffadd", {0: ONE, 1: f(0, 0, 1), 2: f(-27)}, 32), 0),
    "rrn guard tie odd": (*reduce16("l1bmrffadd", {0: ONE, 1: f(0, 0, 1), 2: f(-26, 1 << 22)}, 32), f(-25) << 32),
    "rrn guard exact": (*reduce16("l1bmrffadd", {0: ONE, 1: f(0, 0, 1), 2: f(-3, 1)}, 32), f(-3, 1) << 32),
    # shift by 4: the last bit of 1+2^-23 is half a guard unit, tie to even gives 2^-4
    "rrn shift four": (*reduce16("l1bmrffadd", {0: ONE, 1: f(0, 0, 1), 2: f(-4, 1)}, 32), f(-4) << 32),
    "rrn double guard": (*reduce16("l1bmrdfadd", {0: d(0), 1: d(0, 0, 1), 2: d(-56, 1 << 51)}, 64), d(-55)),
    # half sums run in single and round once at the end: 1 + 2^-10 + 2^-20 = 1 + 2^-9 in half
    "rrn half": (*reduce16("l1bmrhfadd", {0: 0x3E00, 1: 21 << 9, 5: 11 << 9}, 16), 0x3E01 << 48),
    "rrn minus zero": (*reduce16("l1bmrffadd", dict.fromkeys(range(16), MINUS), 32), 0),
    "rrn max zero": (*reduce16("l1bmrfmax", {0: MINUS, **dict.fromkeys(range(1, 16), MINUS), 7: 0}, 32), 0),
    "rrn min not normalised": (*reduce16("l1bmrfmin", {3: 0x80000001}, 32), 0x8000000100000000),
    "rrn iadd wraps": (*reduce16("l1bmriiadd", {0: 0xFFFFFFFF, 15: 3}, 32), 2 << 32),
    # ---- block float (8.5)
    # 1.111111111b needs ten bits: the block exponent goes up by one
    "hbfn carry": (*block("hbfn/9", [0x3FFF, 0x3E00, 0xBE00, 0x3FFE], 16), 0x41004080C0804100),
    # (1.111111110b moved down by one bit is 255.5 units: tie to even, 256)
    "hbfn no carry": (*block("hbfn/9", [0x3FFE, 0x3E00, 0xBE00, 0], 16), 0x3FFF3F00BF000000),
    "hbfn ties": (*block("hbfn/9", [0x3E00, 0x3E01, 0x3E03, 0x3A00], 16), 0x3F003F003F023E40),
    "hbfn small": (
        *block("hbfn/9", [0x3E00, (31 - 9) << 9, ((31 - 9) << 9) | 1, (31 - 8) << 9], 16),
        0x3F0000003E013E01,
    ),
    "hbfn/6 carry": (*block("hbfn/6", [0x3FF8, 0x3E00, 0, 0], 16), 0x4620461000000000),
    "hbfn/6 no carry": (*block("hbfn/6", [0x3FF7, 0x3E00, 0, 0], 16), 0x443F442000000000),
    "fbfn carry": (*block("fbfn", [0x3FFFFFFF, 0, ONE, 0], 32), 0x4040000000000000),
    "fbfn no carry": (*block("fbfn", [0x3FFFFFFE, 0, ONE, 0], 32), 0x3FFFFFFF00000000),
    # two blocks: the LSB words share nothing with the MSB words; a zero keeps the block exponent
    "fbfn two blocks": (
        *block("fbfn", [ONE, f(4), 0x80000000, f(5)], 32),
        (0x3FC00000 << 32) | (((5 + 127) << 23) | 0x200000),
    ),
    "gbfn carry": (*block("gbfn", [0x3FFFFFE0, ONE], 32), 0x4040000040200000),
    "gbfn no carry": (*block("gbfn", [0x3FFFFFDF, ONE], 32), 0x3FFFFFE03FC00000),
    "dbfn carry": (*block("dbfn", [d(0, (1 << 52) - 1), d(0)], 64), 0x4008000000000000),
    "dbfn no carry": (*block("dbfn", [d(0, (1 << 52) - 2), d(0)], 64), d(0, (1 << 52) - 1)),
    "bfn all zero": (*block("hbfn/9", [0x8123, 0, 0x8000, 1], 16), 0x8000000080000000),
    "bfn inf": (*block("fbfn", [ONE, 0, 0x7F800001, 0], 32), 0x7F80000000000000),
    "bfn carry to inf": (*block("fbfn", [0x7F7FFFFF, 0, MINUS | ONE, 0], 32), 0x7F80000000000000),
}

#: whole programs: matrix product, flags, masks, addresses.
PROGRAMS = {
    # the sum of products is exact: the large ones cancel and leave the small one
    "matrix sum is exact": (
        [
            f"d set $lm0{PE0} 1 {(31 + 6) << 9 | 0x100:04X}{31 - 2 << 9 | 0x100:04X}0000{(31 + 6) << 9 | 0x100:04X}",
            "hbfn/9 $lm0 $lr0",
            "nop/2",
            "hmwrite $lr0 $lx0",
            f"d set $ln0{PE0} 1 3E003E003E00BE00",
            "hbfn/9 $ln0 $ls0",
            "nop/2",
            "hmmul $lx $ls0 $lln8",
        ],
        f"d getf $ln8{PE0} 1",
        # 1.5*64 - 1.5*64 + q: 1.5*2^-2 is 1.5 units of 2^-2 in this block, tie to even gives 2 units
        f"DEBUG-LM1({PE0},8):(0.5, 0.5) (0x3f000000, 0x3f000000) #d getf $ln8{PE0} 1",
    ),
    # (1+2^-51)^2 - (1+2^-50) in a double block: the omitted low parts come back as 2^30 units of 2^-102 (Q33)
    "matrix correction": (
        [
            f"d set $lm0n0c0b0m0p0 1 {d(0, 2):016X}",
            f"d set $lm0n0c0b0m0p1 1 {d(0, 4):016X}",
            f"d set $ln0n0c0b0m0p0 1 {d(0, 2):016X}",
            f"d set $ln0n0c0b0m0p1 1 {d(0, 0, 1):016X}",
            "dbfn $lm0 $lr0",
            "dbfn $ln0 $ls0",
            "nop/2",
            "dmwrite $lr0 $lx0",
            "dmmulu $lx $ls0 $ls8",
        ],
        f"d get $ls8{PE0} 1",
        f"DEBUG-GREG1({PE0},8):(f:{2.0**-72:g}, i:{{{{0x{d(-72) >> 48:X},0x0}},{{0x0,0x0}}}}, v:0x{d(-72):X}) #d get $ls8{PE0} 1",
    ),
    # a lane whose double product is off still passes the adder: -0 becomes +0
    "disabled lane": (
        [f"d set $lr0{PE0} 1 8000000000000000", "dvfmad $lm0 $ln0 $lr0 $ls0"],
        f"d getd $ls0{PE0} 1",
        f"DEBUG-GREG1({PE0},0):(0) (0x0000000000000000) #d getd $ls0{PE0} 1",
    ),
    # cycle pattern: bit 3 is cycle 0
    "fixed mask": (
        ['imm i"7" $ln0v/0100'],
        f"d getf $ln0{PE0} 2",
        f"DEBUG-LM1({PE0},0):(0, 0) (0x00000000, 0x00000000) #d getf $ln0{PE0} 2\n"
        f"DEBUG-LM1({PE0},2):(0, 0) (0x00000007, 0x00000007) #d getf $ln0{PE0} 2",
    ),
    # an OMR bit belongs to one half word: halves 0, 1, 0, 1 set flags 1, 0, 1, 0
    "half mask": (
        [
            f"d set $lm0{PE0} 1 0000000100000001",
            f"d set $ln0{PE0} 1 3E003E003E003E00",
            "spassa $lm0 $omr3",
            "lpassa $ln0 $ls0/$imr3",
        ],
        f"d geth $ls0{PE0} 1",
        f"DEBUG-GREG1({PE0},0):(1, 0, 1, 0) (0x3e00, 0x0000, 0x3e00, 0x0000) #d geth $ls0{PE0} 1",
    ),
    "zero flush forwards": (
        [f"d set $lm0{PE0} 1 0000000000000005", "linc/0000 $lm0 $ln0", "lpassa $aluf $ls0"],
        f"d get $ls0{PE0} 1",
        f"DEBUG-GREG1({PE0},0):(f:0, i:{{{{0x0,0x0}},{{0x0,0x0}}}}, v:0x0) #d get $ls0{PE0} 1",
    ),
    "noforward keeps": (
        [f"d set $lm0{PE0} 1 0000000000000005", "linc $lm0 $ln0", "zero $lr0; noforward", "nop", "lpassa $aluf $ls0"],
        f"d get $ls0{PE0} 1",
        f"DEBUG-GREG1({PE0},0):(f:0, i:{{{{0x0,0x0}},{{0x0,0x6}}}}, v:0x6) #d get $ls0{PE0} 1",
    ),
}


def word_program(lines, get):
    return "\n".join([*lines, "nop/3", get]) + "\n"


def value_of(line):
    return int(line.split("v:")[1].split(")")[0], 16)


@pytest.mark.parametrize("name", CASES)
def test_word_on_model(name):
    lines, get, want = CASES[name]
    (line,) = Machine().run(word_program(lines, get))
    assert f"{value_of(line):016x}" == f"{want:016x}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_dump_on_model(name):
    lines, get, want = PROGRAMS[name]
    assert Machine().run(word_program(lines, get)) == want.splitlines()


def test_all_on_emulator():
    path = compare.binary()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no kumi binary: set KUMI or put it on PATH")
        pytest.skip("no kumi binary")
    wrong = []
    for name, (lines, get, want) in CASES.items():
        out = compare.emulate(path, word_program(lines, get))
        if len(out) != 1 or value_of(out[0]) != want:
            wrong.append(f"{name}: want {want:016x}, got {out}")
    for name, (lines, get, want) in PROGRAMS.items():
        out = compare.emulate(path, word_program(lines, get))
        if out != want.splitlines():
            wrong.append(f"{name}: want {want}, got {out}")
    assert not wrong, "\n".join(wrong)


def changed(switches=DEFAULT):
    """Names of cases whose word changes under a wrong rule."""
    out = set()
    for name, (lines, get, want) in CASES.items():
        (line,) = Machine(switches=switches).run(word_program(lines, get))
        if value_of(line) != want:
            out.add(name)
    return out


def away(mag, drop):
    return mag << -drop if drop <= 0 else (mag + (1 << (drop - 1))) >> drop


def truncate(mag, drop):
    return mag << -drop if drop <= 0 else mag >> drop


def test_mutant_fma_rounding_bit(monkeypatch):
    monkeypatch.setattr(formats, "rne_shift", away)
    assert {"single tie", "half tie to even"} <= changed()
    monkeypatch.setattr(formats, "rne_shift", truncate)
    assert {"single above tie", "single tie odd", "half one rounding"} <= changed()


def test_mutant_multiplier(monkeypatch):
    monkeypatch.setattr(mau, "product", lambda fmt, a, b: a * b)
    assert {"single correction", "double correction", "single largest omission"} <= changed()


def test_mutant_two_roundings(monkeypatch):
    once = mau.fma

    def twice(fmt, a, b, c, cfmt, out, switches=DEFAULT):
        return formats.convert(cfmt, out, once(fmt, a, b, c, cfmt, cfmt, switches))

    monkeypatch.setattr(mau, "fma", twice)
    assert {"half one rounding", "double to single once"} <= changed()


def test_mutant_reduction(monkeypatch):
    assert {"rrn order within", "rrn order across"} <= changed(replace(DEFAULT, rrn_group16="strided"))
    monkeypatch.setattr(rrn, "GUARD", 4)
    assert {"rrn guard tie", "rrn shift four"} <= changed()
    monkeypatch.setattr(rrn, "GUARD", 3)
    monkeypatch.setattr(rrn, "rne_shift", away)
    assert {"rrn guard tie"} <= changed()
    monkeypatch.setattr(rrn, "rne_shift", truncate)
    assert {"rrn guard up"} <= changed()


def test_mutant_bfn_carry(monkeypatch):
    assert {"gbfn carry", "hbfn/6 carry"} <= changed(replace(DEFAULT, bfn_carry="all_ones"))
    monkeypatch.setattr(bf, "rounds_up", lambda *a, **k: False)
    assert {"hbfn carry", "fbfn carry", "gbfn carry", "dbfn carry", "hbfn/6 carry"} <= changed()
