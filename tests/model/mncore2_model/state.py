"""Machine tree and memories (ISA notes 1.1, 1.2)."""

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1
#: capacities in words for PE memories, long words elsewhere (ISA notes 1.2); addresses wrap.
WORDS = {"m": 4096, "n": 4096, "r": 512, "s": 512}
L1BM_WORDS, L2BM_WORDS, PDM_WORDS, DRAM_WORDS, DAR_ENTRIES = 8192, 32768, 512 * 1024, 512 * 1024 * 1024, 1024


class Pe:
    """One PE: sparse word memories, T, mask registers, BARs, forwarding registers."""

    __slots__ = ("bar", "fwd", "ids", "mem", "omr", "p", "t")

    def __init__(self, ids):
        self.ids = ids
        self.p = ids[4]
        self.mem = {"m": {}, "n": {}, "r": {}, "s": {}}
        self.t = [0, 0, 0, 0]
        self.bar = {"m": 0, "n": 0}
        self.fwd = {"mauf": [0] * 4, "aluf": [0] * 4, "lbf": [0] * 4, "mreadf": [0] * 4}
        self.omr = [[15] * 4] + [[0] * 4 for _ in range(15)]
        # entries 16..31: low 4 bits are the cycle pattern, bit 3 = cycle 0 (ISA notes 3.3)
        self.omr += [[15 if (p >> (3 - c)) & 1 else 0 for c in range(4)] for p in range(16)]


class Mab:
    """4 PEs and two matrix sides of 16 rows x 4 LW (ISA notes 1.2, 6.2)."""

    __slots__ = ("pes", "side")

    def __init__(self, ids):
        self.pes = [Pe((*ids, p)) for p in range(4)]
        self.side = {"x": [[0] * 4 for _ in range(16)], "y": [[0] * 4 for _ in range(16)]}


class L1b:
    __slots__ = ("ids", "mabs", "mem", "turn")

    def __init__(self, ids):
        self.ids = ids
        self.mabs = [Mab((*ids, m)) for m in range(16)]
        self.mem = {}
        self.turn = None  # (type, {relative address: LW})


class L2b:
    __slots__ = ("ids", "l1bs", "mem")

    def __init__(self, ids, l1b):
        self.ids = ids
        self.l1bs = [L1b((*ids, b)) for b in range(l1b)]
        self.mem = {}


class Group:
    __slots__ = ("dar", "darbuf", "dram", "l2bs", "pdm")

    def __init__(self, g, l2b, l1b):
        self.l2bs = [L2b((g, s), l1b) for s in range(l2b)]
        self.pdm, self.dram, self.dar = {}, {}, {}
        self.darbuf = []  # (DAR entry, address) still to be written, first one first


def read_words(mem, a, n, size):
    """n words from address a as one integer, MSB side first (ISA notes 2.2)."""
    acc = 0
    for k in range(n):
        acc = (acc << 32) | mem.get((a + k) % size, 0)
    return acc


def write_words(mem, a, n, value, size):
    for k in range(n):
        mem[(a + k) % size] = (value >> (32 * (n - 1 - k))) & M32
