"""What the ISA notes say of assembly text, operands, masks, literals, debug statements and the order of MVs, on `kumi`.

Expected values are worked out by hand from the notes. tests/isa_statements.md lists the statements of sections 3, 3.5 and
4.6 with the test of each; statements that other tests show (transcripts, C++ tests) are not repeated here.
"""

import os
import re
import shutil
import subprocess

import numpy as np
import pytest

KUMI = os.environ.get("KUMI") or shutil.which("kumi")


def kumi(*args, text):
    assert KUMI, "no kumi binary: set KUMI or put it on PATH"
    return subprocess.run([os.path.abspath(KUMI), *args, "-"], input=text, text=True, capture_output=True, timeout=60)


def run(text, *args):
    """Dump lines."""
    done = kumi("emu", "--machine", "mncore2-tiny", "--threads", "1", *args, text=text)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def words(text, *args):
    """Patterns that the `d getd` lines show."""
    return [int(re.search(r"\((0x[0-9a-f]{16})\)", line)[1], 16) for line in run(text, *args)]


def code(text):
    """Code of the first refusal of the assembler, empty when it accepts."""
    found = re.search(r"error\[(K\d+)\]", kumi("asm", text=text).stderr)
    return found[1] if found else ""


PE0 = "n0c0b0m0p0"


# ---- 3.1 lines -------------------------------------------------------------------------------------------------------


def test_lines_and_comments():
    plain = f'imm i"5" $lr0\nlinc $lr0 $ls0\nd getd $ls0{PE0} 1\n'
    dressed = f'\n   \t# only a comment\n\t imm i"5" $lr0 # five\n\n  linc $lr0 $ls0! and one\n!\n d getd $ls0{PE0} 1 # look\n'
    assert words(plain) == words(dressed) == [0x0000000500000006]


def test_the_order_of_expressions_does_not_matter():
    setup = 'imm f"3" $lr0v\nimm f"2" $ls0v\nnop\n'
    parts = ["fvmul $lr0v $ls0v $lm0v", "fmax $lr0v $ls0v $ln0v", "l1bmd $lr0v $lb0", "wait i01"]
    look = f"\nd getd $lm0{PE0} 4\nd getd $ln0{PE0} 4\nd getd $lb0n0c0b0 4\n"
    first = run(setup + "; ".join(parts) + look)
    assert words(setup + "; ".join(parts) + look)[0] == 0x40C0000040C00000  # 6.0
    for k in range(1, len(parts)):
        assert run(setup + "; ".join(parts[k:] + parts[:k]) + look) == first


def test_debug_lines_pass_through():
    done = kumi("asm", text=f"d set $lm0{PE0} 1 00000000abcdef01\nd getf $t{PE0} 2\n")
    assert done.stdout.splitlines() == [f"d set $lm0{PE0} 1 00000000ABCDEF01", f"d getf $lt{PE0} 2"]


def test_nop_n_is_n_words():
    stats = kumi("emu", "--stats", text='nop/7\nnop\nimm i"1" $lr0\n').stderr
    assert stats.startswith("steps 9 ")


def test_quit():
    assert words(f'imm i"5" $lr0\nd getd $lr0{PE0} 1\nquit\nthis is no instruction\nd getd $lr0{PE0} 1\n') == [
        0x0000000500000005
    ]


# ---- 3.2 operands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("lpassa $lm1 $ln0", "K3101"),  # l needs even addresses, ll multiples of four
        ("lpassa $llm2 $ln0", "K3101"),
        ("lpassa $llr4 $ln0", ""),
        ("lpassa $lr0v3 $ln0", "K3108"),  # strides are multiples of the width
        ("lpassa $llr0v6 $ln0", "K3108"),
        ("lpassa $r0v3 $n0", ""),
        ("lpassa $lm4096 $ln0", "K3102"),
        ("lpassa $lr512 $ln0", "K3102"),
        ("lpassa $lmt0j1 $ln0", "K3105"),  # j and t exclude each other
        ("lpassa $lnt0 $lm0", "K3004"),  # LM1 has no t
        ("lpassa $lr0j1 $lm0", "K3105"),  # GRF has no j
        ("lpassa $lm0j1 $ln0j2", ""),
        ("lpassa $lr0 $nowrite $ln0", "K3104"),
        ("ladd $lr0 $mreadf $ln0", "K3103"),  # first ALU input only
        ("ladd $lr0 $subpeid $ln0", "K3103"),
        ("fvadd $mreadf $lr0 $ln0", "K3103"),
        ("fvadd $peid $lr0 $ln0", "K3103"),
        ("ladd $mreadf $lr0 $ln0", ""),
        ("ladd $subpeid $lr0 $ln0", ""),
        ("ladd -$lr0 $ls0 $ln0", "K3105"),  # '-' belongs to the MAU
        ("fvadd -$lr0 -$ls0 $ln0", ""),
        ("lpassa $lr0 $omr0", "K3102"),  # 1 to 15 are written
        ("lpassa $lr0 $omr16", "K3102"),
        ("l1bmm $lb0 $omr1", "K3103"),  # by flags of ALU and MAU
        ("hmread $llx0 $omr1", "K3103"),
        ("lpassa $lr0 $ln0/1000; fvadd $ls0 $ls0 $lm0/0100", "K3129"),  # one entry in a step
        ("lpassa $lr0 $ln0/1000; fvadd $ls0 $ls0 $lm0/ll1000", "K3129"),  # and one width
        ("lpassa $lr0 $ln0/1000; fvadd $ls0 $ls0 $lm0/1000", ""),
        ("lpassa/1000 $lr0 $ln0; fvadd/1000 $ls0 $ls0 $lm0", "K3129"),  # one zero flush
    ],
)
def test_refused_by_the_assembler(line, expected):
    assert code(line + "\n") == expected


def test_run_time_addresses_are_cut_and_wrap():
    """ISA 3.2: (BAR + base + stride*c) mod 4096, low bits below the width dropped."""
    setup = "".join(f"d set $lm{a}{PE0} 1 {a + 1:016x}\n" for a in (0, 4, 6, 4094))
    text = setup + 'imm i"{}" $lmb\nnop/2\nlpassa ${}m{}v $ln0v\nd getd $ln0{} 4\n'
    assert words(text.format(5, "l", 0, PE0))[0] == 5  # 5 is cut to 4
    assert words(text.format(7, "ll", 0, PE0))[0] == 5  # 7 is cut to 4
    assert words(text.format(4094, "l", 0, PE0)) == [4095, 1, 0, 5]  # 4094, 0, 2, 4
    assert words(text.format(4095, "l", 4, PE0))[0:2] == [0, 5]  # 4099 mod 4096 = 3, cut to 2; then 4


def test_t_indirect_spellings():
    setup = f"d set $lm0{PE0} 8 " + "".join(f"{k + 16:016x}" for k in range(8)) + '\nimm i"4" $t\nnop\n'
    # imm writes 4 into both words: the MSB long word is 0x400000004, of which the low bits count.
    assert words(setup + f"lpassa $lmt $ln0v\nd getd $ln0{PE0} 4\n") == [18] * 4
    assert words(setup + f"lpassa $lmt0v $ln0v\nd getd $ln0{PE0} 4\n") == [18, 19, 20, 21]
    assert words(setup + f"lpassa $lmt2v4 $ln0v\nd getd $ln0{PE0} 4\n")[:2] == [19, 21]


def test_t_ignores_its_prefix():
    for t in ("$t", "$lt", "$llt"):
        setup = f"d set $llm0{PE0} 4 " + "".join(f"{k + 1:016x}" for k in range(8)) + "\n"
        lines = setup + f"lpassa $llm0v {t}\nnop\nlpassa {t} $lln0v\nd getd $ln0{PE0} 8\n"
        assert words(lines) == list(range(1, 9))


def test_base_address_registers():
    """The low 12 bits of the MSB word, for every later access, uploads too."""
    setup = f"d set $lm0{PE0} 8 " + "".join(f"{k + 1:016x}" for k in range(8)) + "\n"
    bar = f"d set $lr0{PE0} 1 {0xABC00008FFFFF00C:016x}\nlpassa $lr0 $lmb\nnop/2\n"  # MSB word ...00008
    look = f"lpassa $lm0 $ln0\nl1bmd $lm0v $lb0\nd getd $ln0{PE0} 1\nd getd $lb0n0c0b0 1\n"
    assert words(setup + bar + look) == [5, 5]
    # It holds until it is rewritten, for writes too, and LM1 has its own.
    again = f"d set $lr2{PE0} 1 0000000000000000\nlpassa $lr0 $lm0\nlpassa $lr2 $lmb\nd getd $lm8{PE0} 1\nnop/2\nlpassa $lm0 $ln2\n"
    assert words(setup + bar + again + f"d getd $ln2{PE0} 1\n") == [0xABC00008FFFFF00C, 1]


def test_constants():
    """l2bid 2g + s, l1bid, mabid, peid 4m + p, subpeid, msb1; in each element of a long word, both long words alike."""
    for n, c, b, m, p in ((0, 0, 0, 0, 0), (0, 1, 3, 7, 2), (3, 1, 7, 15, 3), (2, 0, 5, 9, 1)):
        at = f"n{n}c{c}b{b}m{m}p{p}"
        values = {"l2bid": 2 * n + c, "l1bid": b, "mabid": m, "peid": 4 * m + p, "subpeid": p}
        text = "".join(
            f"{q}passa ${k} $ll{'mn'[i % 2]}{8 * i}\n" for i, (k, q) in enumerate((k, q) for k in values for q in "lis")
        )
        text += "".join(f"d getd $l{'mn'[i % 2]}{8 * i}{at} 2\n" for i in range(15))
        done = kumi("emu", text=text)
        seen = [int(w, 16) for w in re.findall(r"\((0x[0-9a-f]{16})\)", done.stdout)]
        expected = []
        for value in values.values():
            for lanes in (1, 2, 4):
                word = sum(value << (64 // lanes * k) for k in range(lanes))
                expected += [word, word]
        assert seen == expected
    msb = "".join(f"{q}passa $msb1 $ll{'mn'[i % 2]}{8 * i}\n" for i, q in enumerate("lis"))
    look = "".join(f"d getd $l{'mn'[i % 2]}{8 * i}{PE0} 1\n" for i in range(3))
    assert words(msb + look) == [1 << 63, 0x8000000080000000, 0x8000800080008000]


def test_forwarding_from_l1bm():
    text = "d set $lb0n0c0b0 16 " + "".join(f"{k:016x}" for k in range(16)) + "\nl1bmm $lb0 $nowrite\nlinc $lbf $ln0v\n"
    # PE p takes long word 4c + p in cycle c.
    assert words(text + "d getd $ln0n0c0b0m3p2 4\n") == [3, 7, 11, 15]


# ---- 3.3 masks -------------------------------------------------------------------------------------------------------


def test_fixed_masks_name_cycles():
    base = "lpassa $peid $lm0v\nlpassa $mabid $ln0v\n"  # 61 and 15 in PE 1 of MAB 15
    at = "n0c0b1m15p1"
    for pattern in range(16):
        by_cycle = [61 if pattern >> (3 - c) & 1 else 15 for c in range(4)]
        digits = f"{pattern:04b}"
        for text in (
            base + f"nop/2\nlpassa $lm0v $ln0v/{digits}\n",
            base + f"nop/2\nlpassa $lm0v $ln0v/$imr{16 + pattern}\n",
            base + f"maskn {16 + pattern}\nnop/2\nlpassa $lm0v $ln0v\n",
        ):
            assert words(text + f"d getd $ln0{at} 4\n") == by_cycle
    assert words(base + f"maskn 0\nlpassa $lm0v $ln0v\nd getd $ln0{at} 4\n") == [61] * 4


def test_mask_suffixes_change_nothing():
    for suffix in ("", "t", "p"):
        text = f"lpassa $peid $lm0v\nnop/2\nlpassa $lm0v $ln0v/0110{suffix}\nd getd $ln0n0c0b0m2p1 4\n"
        assert words(text) == [0, 9, 9, 0]


def test_what_is_never_masked():
    """A statement that masks everything away stops writes to PE memories only."""
    text = (
        "lpassa $peid $lr0v\nnop\nmaskrstmnk 16\nlpassa $peid $ls0v\nl1bmd $lr0v $lb0\nnop/3\nl2bmd $lb0 $lc0\n"
        "mvp/n64 $lc0@0.0 $d0@0\nhmwrite $lr0v $lx0\nmask 0\nnop\nhmread $llx0 $lln0v\n"
    )
    assert words(text + "d getd $ls0n0c0b0m0p1 1\nd getd $lb5n0c0b0 1\nd getd $lc5n0c0 1\nd getd $d5n0 1\n") == [
        0,
        5,
        5,
        5,
    ]
    # Rows 0 to 3 of the matrix hold $peid of PE j / 4 in columns j = 3, 7, 11, 15. Reading two columns a cycle, cycle 1 gives
    # columns 2 and 3; in MAB 2, PE 0 has $peid 8 (ISA 6.2).
    assert words(text + "d getd $ln0n0c0b0m2p0 4\n") == [0, 0, 0, 0x0008000800080008]
    for line in (
        "l1bmd $lr0v $lb0/1000",
        "l2bmd $lb0 $lc0/1000",
        "mvp/n64 $lc0@0.0 $d0@0/1000",
        "hmwrite $lr0v $lx0/1000",
    ):
        assert code(line + "\n") != "", line


# ---- 3.4 literals ----------------------------------------------------------------------------------------------------


def test_literals():
    def pattern(literal, op="imm"):
        return words(f"{op} {literal} $llr0\nd getd $lr0{PE0} 2\n")

    def four(w):
        return [w << 32 | w] * 2

    for value in ("0.5", "3.14", "-1e-3", "16777217"):
        assert pattern(f'f"{value}"') == four(int(np.float32(np.float64(value)).view(np.uint32)))
    # A little below the middle of two singles: rounded once, not by way of a double.
    assert pattern('f"1.00000017881393425"') == four(0x3F800001)
    assert pattern('i"9"') == four(9)
    assert pattern('i"0x40180000"') == four(0x40180000)
    assert pattern('i"-2"') == four(0xFFFFFFFE)
    assert pattern('ui"3"') == four(3)
    assert pattern('ui"4294967295"') == four(0xFFFFFFFF)
    assert pattern('s"7"') == four(0x00070007)
    assert pattern('i"0x40000000"', "immu") == [0x4000000000000000] * 2
    # ISA 3.4: then $aluf is the double 2.0.
    assert words(f'immu i"0x40000000" $nowrite\nlpassa $aluf $lr0\nd getd $lr0{PE0} 1\n') == [0x4000000000000000]
    for literal in ('i"4294967296"', 'ui"-1"', 's"65536"', 'f"one"', 'i"0x123456789"'):
        assert code(f"imm {literal} $lr0\n") in ("K3007", "K3003"), literal


# ---- 3.5 debug statements --------------------------------------------------------------------------------------------


def test_instructions_take_effect_at_once():
    # No distances, no waits: each `d get` shows the line before it.
    text = (
        f'imm i"1" $lr0\nd getd $lr0{PE0} 1\nlinc $lr0 $lr0\nd getd $lr0{PE0} 1\nl1bmd $lr0 $lb0\nd getd $lb0n0c0b0 1\n'
    )
    text += "l2bmd $lb0 $lc0\nd getd $lc0n0c0 1\nmvp/n64i01 $lc0@0.0 $d0@0\nd getd $d0n0 1\n"
    one, two = 0x0000000100000001, 0x0000000100000002
    assert words(text) == [one, two, two, two, two]


def test_printed_addresses():
    def places(what):
        return re.findall(r"DEBUG-\w+\(\w+,(\d+)\)", "\n".join(run(f"d getd {what}\n")))

    assert places(f"$m3{PE0} 3") == ["3", "4", "5"]
    assert places(f"$lm4{PE0} 3") == ["4", "6", "8"]
    assert places(f"$llr4{PE0} 2") == ["4", "8"]
    assert places("$lb12n0c0b1 3") == ["12", "13", "14"]
    assert places("$llb12n0c0b1 2") == ["12", "14"]
    assert places("$lc7n0c0 2") == places("$d7n0 2") == places("$p7n0 2") == ["7", "8"]
    assert places(f"$lt{PE0} 4") == ["0", "1", "2", "3"]


def test_printed_numbers():
    halves = (0x07C0, 0x8000, 0x0001, 0x81FF, 0x7E00, 0xFE01, 0x3E00, 0xBF00)
    lw = [sum(h << (48 - 16 * k) for k, h in enumerate(halves[i : i + 4])) for i in (0, 4)]
    lines = run(f"d set $lm0{PE0} 2 {lw[0]:016x}{lw[1]:016x}\nd geth $lm0{PE0} 2\nd get $lm0{PE0} 1\n")
    assert lines[0].split(":", 1)[1] == f"(6.98492e-09, -0, 0, -0) (0x07c0, 0x8000, 0x0001, 0x81ff) #d geth $lm0{PE0} 2"
    assert lines[1].split(":", 1)[1].startswith("(inf, -inf, 1, -1.5) (0x7e00, 0xfe01, 0x3e00, 0xbf00)")
    assert "i:{{0x7C0,0x8000},{0x1,0x81FF}}, v:0x7C08000000181FF)" in lines[2]
    values = (0.1, 1e10, 123456789.0, -1e-30, 65536.5, 1 / 3)
    payload = "".join(f"{int(np.float64(v).view(np.uint64)):016X}" for v in values)
    shown = run(f"d set $ln0{PE0} 6 {payload}\nd getd $ln0{PE0} 6\n")
    assert [re.search(r":\((.*?)\)", line)[1] for line in shown] == [f"{v:g}" for v in values]
    payload = "".join(f"{int(np.float32(v).view(np.uint32)):08X}" for v in values)
    shown = run(f"d set $ln0{PE0} 3 {payload}\nd getf $ln0{PE0} 3\n")
    assert ", ".join(re.search(r":\((.*?)\)", line)[1] for line in shown) == ", ".join(
        f"{np.float64(np.float32(v)):g}" for v in values
    )


def test_d_set():
    # All PEs of one MAB; the lowest address takes the first long word.
    text = "d set $lm2n0c0b1m3 2 00000000000000110000000000000022\nd getd $lm0n0c0b1 3\n"
    seen = words(text)
    assert len(seen) == 64 * 3
    assert [seen[3 * pe : 3 * pe + 3] for pe in (11, 12, 15, 16)] == [
        [0, 0, 0],
        [0, 0x11, 0x22],
        [0, 0x11, 0x22],
        [0, 0, 0],
    ]
    # A word takes the MSB word of its long word; the rest is ignored.
    assert words(f"d set $r1{PE0} 2 11111111aaaaaaaa22222222bbbbbbbb\nd getd $lr0{PE0} 2\n") == [
        0x11111111,
        0x22222222 << 32,
    ]
    # Double long words, T, L1BM, L2BM; not PDM, DRAM, mask or matrix registers.
    assert words(f"d set $lls4{PE0} 1 00000000000000010000000000000002\nd getd $ls4{PE0} 2\n") == [1, 2]
    assert words(f"d set $lt{PE0} 4 " + "".join(f"{k:016x}" for k in range(4)) + f"\nd getd $lt{PE0} 4\n") == [
        0,
        1,
        2,
        3,
    ]
    assert words("d set $lb3n0c0b1 1 l00000000000000FF\nd getd $lb3n0c0 1\n") == [0, 0xFF]
    assert words("d set $lc3 1 l00000000000000ff\nd getd $lc3 1\n") == [0xFF]
    for memory in ("$d0", "$p0", "$omr1", "$lx0"):
        assert code(f"d set {memory} 1 0000000000000000\n") == "K3008", memory
    for payload in (
        "0",
        "",
        "00000000000000000",
        "0000000000000000 0000000000000000",
        "l0000000000000000 0000000000000000",
    ):
        assert code(f"d set $lm0 1 {payload}\n") == "K3009", payload


def test_pdm_dumps_show_pdm():
    text = "r 0 000000000 002 0000000000000001 0000000000000002\nmvp/n64 $d0@0 $p64@0\n"
    assert words(text + "d getd $p64n0 2\nd getd $p0n0 1\nd getd $d64n0 1\n") == [1, 2, 0, 0]


# ---- 4.6 order of MVs ------------------------------------------------------------------------------------------------

CHAIN = (
    "r 0 000000000 003 0000000000000007 0000000000000008 0000000000000009\n"
    "mvp/n64{a} $d0@0 $p0@0\n{w}mvp/n64{b} $p0@0 $lc0@0.0\n{x}mvp/n64{c} $lc0@0.0 $d64@0\n{y}"
)


def test_mvs_are_executed_in_order():
    """A chain of MVs, each of which reads what the one before wrote, without any wait; then one that overwrites."""
    chain = CHAIN.format(a="", b="", c="", w="", x="", y="")
    assert words(chain + "d getd $d64n0 3\n") == [7, 8, 9]
    assert words(chain + "mvp/n64 $p128@0 $d64@0\nd getd $d64n0 1\n") == [0]


def test_a_consumer_waits():
    """Strict: words that a tagged MV moves are in flight until its wait, or that of a later MV of the same kind."""

    def strict(text):
        done = kumi("emu", "--machine", "mncore2-tiny", "--strict", text=text)
        return "K4017" in done.stderr

    fill = "d set $lc0n0c0 64 " + 64 * "0000000000000001" + "\n"
    use = "l2bmb $lc0 $lb0\n"
    assert strict("mvp/n64i01 $d0@0 $lc0@0.0\n" + use)
    assert not strict("mvp/n64i01 $d0@0 $lc0@0.0\nnop; wait i01\n" + use)
    assert strict("mvp/n64i01 $d0@0 $lc0@0.0\nmvp/n64i02 $d64@0 $lc64@0.0\n" + use)
    assert not strict("mvp/n64i01 $d0@0 $lc0@0.0\nmvp/n64i02 $d64@0 $lc64@0.0\nnop; wait i02\n" + use)
    # A source may be read by others, not overwritten.
    assert not strict(fill + "mvp/n64i01 $lc0@0.0 $d0@0\n" + use)
    assert strict(fill + "mvp/n64i01 $lc0@0.0 $d0@0\nl2bmd $lb0 $lc0\n")
