"""What the host programs of the public SDK's libmnc2 examples send to a kernel and expect of it.

Each entry restates one example (`docs/reference/examples/libmnc2/NN-*` of open-mncore2-sdk): long words sent to PDM 0,
kernels run one after another, long words looked at. Expected values are those that the example's C program computes.
Numbers in ISA notes 11.2. What concerns the host only (tags, byte order of DMA) has no counterpart here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

U8 = np.uint64
N = 4096  # PEs
FAR = 131072  # long word of PDM where many kernels put their results
PE = np.arange(N, dtype=U8)  # number of each PE, in tree order


@dataclass
class Example:
    """``look``: text of a `d getd` statement and what it must print (or a check of what it prints)."""

    kernels: tuple[str, ...]  # .vsm files of the example
    look: list[tuple[str, np.ndarray | Callable[[np.ndarray], str]]]
    send: list[tuple[int, np.ndarray]] = field(default_factory=list)  # (long word of PDM 0, long words)
    setup: str = ""  # debug statements before the kernels


def doubles(values) -> np.ndarray:
    return np.asarray(values, np.float64).view(U8)


def pdm(at: int, expected) -> list:
    return [(f"d getd $p{at}n0 {len(expected)}", expected)]


def pdm_check(at: int, count: int, check) -> list:
    return [(f"d getd $p{at}n0 {count}", check)]


RAMP = doubles((np.arange(N) + 1) * 1.5)  # what most examples send
ONES = (PE + U8(1)).copy()  # 1, 2, 3, ...
BLOCKS = doubles(np.concatenate([base + np.arange(1, 65) for base in (0, 100, 200, 300)]))
FIRST = doubles(np.arange(1, 65))
IMM = U8(0x0000303900010932)  # 12345 and 67890

M4, L64 = PE % U8(4), PE // U8(64) * U8(64)  # PE in its MAB; first PE of the L1B


def gathered(index) -> np.ndarray:
    return ONES[np.asarray(index, np.int64)]


right = np.where(M4 == 3, PE - U8(3), PE + U8(1))  # msr: PE p gets what PE p+1 had
left = np.where(M4 == 0, PE + U8(3), PE - U8(1))  # msl
next_mab = L64 + (PE - L64 + U8(4)) % U8(64)  # l1bmd-1: a MAB gets what the next one had
previous_mab = L64 + (PE - L64 + U8(60)) % U8(64)  # l1bmd+1


def counted(count: int):
    """Every long word carries the count, an index of its own and a PE of its own."""

    def check(seen: np.ndarray) -> str:
        if np.any(seen & U8(0xFFFF) != U8(count)):
            return "a count differs"
        if np.any(seen & ~U8(0x0FFF_0FFF_FFFF)):
            return "other bits are set"
        for shift, what in ((16, "index"), (32, "PE")):
            if len(np.unique(seen >> U8(shift) & U8(0xFFF))) != N:
                return f"an {what} occurs twice"
        return ""

    return check


def repeat_add(collect: tuple[str, ...], count: int) -> Example:
    kernels = ("distribute", *["add1"] * count, *collect)
    return Example(kernels, pdm_check(0, N, counted(count)), [(0, PE << U8(16))])


def put(memory: str, statement: str) -> Example:
    """A put kernel, looked at in the memory itself and through the example's peek kernel."""
    return Example((f"put_{memory}", f"peek_{memory}"), [(statement, RAMP[:4]), *pdm(0, RAMP[:4])], [(0, RAMP)])


def debug_read(memory: str, statement: str, count: int) -> Example:
    return Example((f"put_{memory}",), [(statement, RAMP[:count])], [(0, RAMP)])


def put_get(memory: str) -> Example:
    return Example((f"put_{memory}", f"get_{memory}"), pdm(FAR, RAMP), [(0, RAMP)])


def shifted(kernel: str, index) -> Example:
    return Example((kernel,), pdm(FAR, gathered(index)), [(0, ONES)])


def blocks(kernel: str, expected, send=BLOCKS) -> Example:
    return Example((kernel,), pdm(0, expected), [(0, send)])


def constant(kernel: str, at: int, value: int) -> Example:
    return Example((kernel,), pdm(at, np.full(N, value, U8)))


def nbody() -> Example:
    j, mass = np.arange(N, dtype=np.float64), np.arange(1, N + 1, dtype=np.float64)
    i = np.arange(32, dtype=np.float64)
    force = np.zeros(N)
    for x, m in zip(i, i + 1, strict=True):
        force += (x - j) * (m * mass)
    pairs = np.stack([i, i + 1], axis=1).ravel()
    return Example(("nbody",), pdm(0, doubles(force)), [(0, doubles(j)), (N, doubles(mass)), (2 * N, doubles(pairs))])


def reduce_vector() -> Example:
    sums = np.repeat([1024.0, 2048.0, 3072.0, 4096.0], 4)
    return Example(("reduce-pe-s3v",), pdm(0, doubles(sums)), [(0, doubles(np.arange(64) % 4 + 1))])


def debug_write() -> Example:
    memories = (("$lc0n0c0", 2), ("$lb0n0c0b0", 3), *((f"$l{m}0n0c0b0m0p0", k) for k, m in enumerate("mnrs", 4)))
    data = {place: U8(0xDEAD_0000_0000_0000) | U8(k << 8) | np.arange(4, dtype=U8) for place, k in memories}
    setup = "".join(f"d set {p} 4 {''.join(f'{v:016X}' for v in d)}\n" for p, d in data.items())
    return Example(("nop",), [(f"d getd {p} 4", d) for p, d in data.items()], setup=setup)


def debug_read_write() -> Example:
    values = np.arange(10, 90, 10, dtype=U8)
    place = [f"n0c0b0m{k // 4}p{k % 4}" for k in range(8)]
    setup = "".join(f"d set $lm0{p} 1 {v:016X}\n" for p, v in zip(place, values, strict=True))
    expected = values[[3, 0, 1, 2, 7, 4, 5, 6]]
    return Example(
        ("even_msl",), [(f"d getd $lm8{p} 1", expected[k : k + 1]) for k, p in enumerate(place)], setup=setup
    )


def all_ids() -> Example:
    return Example(("all_id_collect",), pdm(0, PE | (PE % U8(64)) << U8(12)))


def l1bmp_map() -> Example:
    source = np.array([(0xA0 + k) * 0x0101010101010101 for k in range(8)], U8)
    sent = np.zeros(512, U8)
    sent[:8] = source
    wide = source[[0, 4, 1, 5, 2, 6, 3, 7]]  # $lr0, $lr2, ... of the double long word form
    look = [x for k in range(4) for x in pdm(k * N, np.full(N, wide[k], U8))]
    look += [("d getd $lr0n0c0b0m0p0 8", wide), ("d getd $lr16n0c0b0m0p0 4", source[:4])]
    return Example(("l1bmp_map",), look, [(0, sent)])


def four(seen: np.ndarray) -> str:
    return "" if np.array_equal(seen, np.tile(seen[:4], N // 4)) else "PEs of one number hold different values"


def bar(seen: np.ndarray) -> str:
    return "" if np.all(seen & U8(0xFF) == U8(20)) else "the base address does not count"


def ramp512(**special) -> np.ndarray:
    out = np.arange(512, dtype=U8)
    for k, v in special.items():
        out[int(k[1:])] = U8(v)
    return out


def broadcast_value() -> Example:
    sent = np.full(512, 0xFFFF_FFFF_FFFF_FFFF, U8)
    sent[0] = U8(0x4243444546474849)
    return Example(("broadcast_l1bmp",), pdm(0, np.full(N, sent[0], U8)), [(0, sent)])


# The SDK's folder: the example. A folder with several programs has a letter behind its number.
EXAMPLES: dict[str, Example] = {
    "01-nop": Example(("nop",), pdm(0, RAMP[:8]), [(0, RAMP[:8])]),
    "02-roundtrip": Example(("roundtrip",), pdm(FAR, RAMP), [(0, RAMP)]),
    "03-vecadd-pfn": Example(("vecadd",), pdm(0, 2 * ONES[:64]), [(0, ONES[:64])]),
    "04-vecadd": Example(
        ("double-vecadd",),
        pdm(FAR, doubles(11.0 * np.arange(1, N + 1))),
        [(0, doubles(1.0 * np.arange(1, N + 1))), (N, doubles(10.0 * np.arange(1, N + 1)))],
    ),
    "05-debug-read/l2bm": debug_read("l2bm", "d getd $lc0n0c0 64", 64),
    "05-debug-read/l1bm": debug_read("l1bm", "d getd $lb0n0c0b0 64", 64),
    "05-debug-read/lm": debug_read("lm", "d getd $lm0n0c0b0m0 1", 4),
    "05-debug-read/grf": debug_read("grf", "d getd $lr0n0c0b0m0 1", 4),
    "06-put-get/l2bm": put_get("l2bm"),
    "06-put-get/l1bm": put_get("l1bm"),
    "06-put-get/lm": put_get("lm"),
    "06-put-get/grf": put_get("grf"),
    "07-put-l2bm": put("l2bm", "d getd $lc0n0c0 4"),
    "08-put-l1bm": put("l1bm", "d getd $lb0n0c0b0 4"),
    "09-put-lm": put("lm", "d getd $lm0n0c0b0m0 1"),
    "10-put-ln": put("ln", "d getd $ln0n0c0b0m0 1"),
    "11-put-grf0": put("grf", "d getd $lr0n0c0b0m0 1"),
    "12-put-grf1": put("grf1", "d getd $ls0n0c0b0m0 1"),
    "13-get-l2bm": put_get("l2bm"),
    "14-get-l1bm": put_get("l1bm"),
    "15-get-lm": put_get("lm"),
    "16-get-ln": put_get("ln"),
    "17-get-grf0": put_get("grf"),
    "18-get-grf1": put_get("grf1"),
    "19-t1-msr": shifted("t1_msr", right),
    "20-t2-msl": shifted("t2_msl", left),
    "21-t3-l1bmd-plus1": shifted("t3_l1bmd_plus1", previous_mab),
    "22-t4-l1bmd-minus1": shifted("t4_l1bmd_minus1", next_mab),
    "23-t5-maskr-pe0": shifted("t5_maskr_pe0", np.where(M4 == 0, PE, right)),
    "24-t6-maskr-pe3": shifted("t6_maskr_pe3", np.where(M4 == 3, PE, left)),
    "25-t7-left-neighbor": shifted("t7_left_neighbor", np.where(M4 == 0, previous_mab, right)),
    "26-t8-right-neighbor": shifted("t8_right_neighbor", np.where(M4 == 3, next_mab, left)),
    "27-mv-1a": blocks("mv-p1a", np.tile(FIRST, 4), FIRST),
    "28-mv-1b": blocks("mv-p1b", np.tile(FIRST, 4), FIRST),
    "29-mv-2a": blocks("mv-p2a", np.tile(FIRST, 4), FIRST),
    "30-mv-2b": blocks("mv-p2b", FIRST, FIRST),
    "31-mv-2c": blocks("mv-p2c", BLOCKS),
    "32-mv-3a": blocks("mv-p3a", BLOCKS),
    "33-mv-4a": blocks("mv-p4a", BLOCKS),
    "34-mv-5a": blocks("mv-p5a", BLOCKS),
    "35-mv-5b": blocks("mv-p5b", doubles(8.0 * np.arange(1, 65)), FIRST),
    "36-mv-6a": blocks("mv-p6a", BLOCKS),
    "37-mv-10": blocks("mv-p10", BLOCKS),
    "38-mv-11": blocks("mv-p11", FIRST, FIRST),
    "39-mv-12": blocks("mv-p12", FIRST, FIRST),
    "40-mv-13": blocks("mv-p13", BLOCKS),
    "41-mv-14": blocks("mv-p14", doubles(2.0 * np.arange(1, 65)), FIRST),
    "42-mv-15": blocks("mv-p15", doubles(4.0 * np.arange(1, 17)), FIRST),
    "43-imm-collect": constant("imm_collect", FAR, IMM),
    "44-peid-collect": Example(("peid_collect",), pdm(FAR, PE)),
    "45-multi-collect": Example(
        ("multi_collect",), pdm(0, np.full(N, IMM, U8)) + pdm(N, np.full(N, 0x00002B67000056CE, U8))
    ),
    "46-debug-write": debug_write(),
    "47-debug-read-write": debug_read_write(),
    "48-reduce-pe": Example(("reduce-pe-s3",), pdm(0, doubles([1024.0] * 4)), [(0, doubles([1.0] * 64))]),
    "49-reduce-pe-vec": reduce_vector(),
    "50-tag-interference": constant("imm_collect", 0, IMM),
    "50-tag-interference/nowait": constant("imm_collect_nowait", 0, IMM),
    "51-wd-zero": Example(("nop",), pdm(0, doubles(np.arange(1, 9) * 2.5)), [(0, doubles(np.arange(1, 9) * 2.5))]),
    "52-all-id-collect": all_ids(),
    "53-f64-imm-collect": constant("f64_imm_collect", 0, 0x3FF8000000000000),
    "54-f32-imm-collect": constant("f32_imm_collect", 0, 0x3F800000BF800000),
    "55-f16-imm-collect": constant("f16_imm_collect", 0, 0x3E00BC004000C000),
    "56-dram-repeat-add": repeat_add(("collect-dram", "collect-dram-pdm0"), 3),
    "57-pdm-repeat-add": repeat_add(("collect",), 3),
    "58-l2bm-repeat-add": repeat_add(("collect",), 3),
    "59-pdm0-single-add": repeat_add(("collect",), 3),
    "60-broadcast-pdm-pe": Example(("broadcast",), pdm_check(0, N, four), [(0, ramp512())]),
    "62-broadcast-subpe": Example(
        ("subpe",),
        pdm(0, np.tile(np.array([10, 20, 30, 40], U8), N // 4)),
        [(0, ramp512(_12=10, _13=20, _14=30, _15=40))],
    ),
    "63-broadcast-lm-cycle": Example(
        ("lmcycle",), pdm(0, np.tile(np.arange(12, 16, dtype=U8), N // 4)), [(0, ramp512())]
    ),
    "64-lm-bar-shift": Example(("barshift",), pdm_check(0, N, bar), [(0, np.zeros(512, U8))]),
    "65-nbody-like": nbody(),
    "66-broadcast-l1bmp": broadcast_value(),
    "67-l1bmp-2u64": l1bmp_map(),
}


def host_rows(sends) -> str:
    """Long words to PDM 0, by way of DRAM 0 far from what the kernels use."""
    far, lines = 1 << 24, []
    for at, words in sends:
        padded = np.concatenate([words, np.zeros(-len(words) % 64, U8)])
        for k in range(0, len(padded), 64):
            payload = "".join(f"{v:016X}" for v in padded[k : k + 64])
            lines.append(f"r 0 {far + at + k:09X} 040 {payload}")
        lines.append(f"mvp/n{len(padded)} $d{far + at}@0 $p{at}@0")
    return "\n".join(lines) + "\n" if lines else ""


def program(example: Example, kernels: dict[str, str]) -> str:
    """The example as one text: ``kernels`` holds the texts of its .vsm files by name."""
    parts = [host_rows(example.send), example.setup]
    for name in example.kernels:
        parts += ["mask 0\n", kernels[name], "\n"]
    parts += [statement + "\n" for statement, _ in example.look]
    return "".join(parts)


def compare(example: Example, dumps: list[str]) -> list[str]:
    """What differs; ``dumps`` are the lines that the emulator printed for ``program``."""
    seen = np.array([int(line.split("(0x")[1].split(")")[0], 16) for line in dumps], U8)
    wrong, at = [], 0
    for statement, expected in example.look:
        count = N if callable(expected) else len(expected)
        part, at = seen[at : at + count], at + count
        if len(part) != count:
            wrong.append(f"{statement}: {len(part)} long words printed, {count} expected")
        elif callable(expected):
            if text := expected(part):
                wrong.append(f"{statement}: {text}")
        elif not np.array_equal(part, expected):
            k = int(np.flatnonzero(part != expected)[0])
            wrong.append(f"{statement}: long word {k} is 0x{part[k]:016x}, expected 0x{expected[k]:016x}")
    if at != len(seen):
        wrong.append(f"{len(seen)} long words printed, {at} expected")
    return wrong
