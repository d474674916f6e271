"""Random valid programs for the small tree (1 group, 1 L2B, 2 L1B): data, steps, dumps.

A program never does what the ISA notes leave undefined: it keeps the issue rules of 9.3, pads the hazards of
9.1 and 9.2 with nops (more than needed), reads only what was written, never lets a width that a unit does not
define reach memory, and keeps infinities out of matrix operands. Deterministic by seed."""

from . import values
from .gen_expressions import Expressions
from .gen_ports import CONSTS, MATRIX, PES, PREFIX, Step


class Gen(Expressions):
    """Whole programs: data, steps and templates of several steps, dumps."""

    def random_step(self):
        r = self.rng
        step = Step()
        if self.multi is None and r.random() < 0.35:
            step.mask = self.new_mask()
        units = [self.mau_vector] * 4 + [self.alu] * 4 + [self.l1bm_down, self.l1bm_up]
        chosen = []
        for _ in range(r.choice([1, 1, 2, 2, 3])):
            u = r.choice(units)
            if u not in chosen and not (
                u in (self.l1bm_up, self.l1bm_down) and {self.l1bm_up, self.l1bm_down} & set(chosen)
            ):
                chosen.append(u)
        for u in chosen:
            self.attempt(step, u)
        self.finish(step)

    def multi_mask(self):
        """A multi-line mask over random memories (ISA notes 3.3)."""
        if self.multi is not None:
            self.multi = None
            self.line("mask 0")
            return
        r = self.rng
        n = r.choice(sorted(self.omr)) if self.omr and r.random() < 0.7 else r.randrange(16, 32)
        letters = "".join(r.sample("rstmnk", r.randrange(1, 4)))
        self.line(f"mask{r.choice(['', 'l', 'll'])}{letters} {n}")
        self.multi = (n, letters)

    def plain(self):
        """End a multi-line mask: the templates below rely on complete writes."""
        if self.multi is not None:
            self.multi_mask()

    def set_t(self):
        """Make T an index register: constants, so that T-indirect and shifts are in range; then shift by it."""
        self.plain()
        r = self.rng
        self.await_(["t"])
        kind = r.randrange(4)
        if kind < 2:
            k = r.randrange(16)
            p = "is"[kind]
            self.line(f'imm {p}"{k}" $t')
            self.tval, self.tsmall = (k, k), {p: 1}
        elif kind == 2:
            name = r.choice(["subpeid", "mabid", "l1bid"])
            self.line(f"lpassa ${name} $t")
            self.tval, self.tsmall = (0, CONSTS[name]), {"l": 1}
        else:
            for b, m, p in PES:
                words = "".join(f"{r.choice([0, 2, 4, 6, 8, 1, 12]):016X}" for _ in range(4))
                self.line(f"d set $ltn0c0b{b}m{m}p{p} 4 {words}")
            self.tval, self.tsmall = (0, 12), {"l": 1}
        if kind < 3:
            self.t += 1
            self.fwd = {"aluf": 128}
            self.ready["t"] = self.t + 2
        step = Step()
        self.attempt(step, self.shift)
        self.finish(step)

    def set_bar(self):
        """Base registers: aligned, misaligned, wrapping, and different per PE (ISA notes 3.2)."""
        self.plain()
        r = self.rng
        mem = r.choice("mn")
        self.await_([mem])
        if r.random() < 0.3:
            self.line(f"ipassa $subpeid ${r.choice(['', 'l'])}{mem}b")
            self.bar[mem] = (0, 3)
        else:
            k = r.choice([0, 0, 4, 8, 3, 1, 100, 4092, 4095])
            self.await_(["t"])
            self.line(f'imm i"{k}" $t')
            self.t += 1
            self.nops(2)
            self.line(f"lpassa $t ${r.choice(['', 'l'])}{mem}b")
            self.tval, self.tsmall = None, {}
            self.bar[mem] = (k, k)
        self.t += 1
        self.fwd = {"aluf": 128}
        self.nops(3)  # every LM access, also a write, reads the base register

    def l2bm(self):
        """Traffic between L1BM and L2BM (ISA notes 5.2)."""
        r = self.rng
        self.await_(["lb", "lc"])
        at = r.choice(["", "", "@0", "@1", "@0/1", "@0,1"])
        kind = r.randrange(6)
        if kind == 0:
            text = f"l2bmb{at} $lc{16 * r.randrange(12)} $lb{16 * r.randrange(12)}"
        elif kind == 1:
            text = f"l2bmd{at} $lc{64 * r.randrange(2)} $lb{8 * r.randrange(28)}"
        elif kind == 2:
            text = f"l2bmd $lb{8 * r.randrange(28)} $lc{64 * r.randrange(2)}"
        elif kind == 3:
            text = f"l2bm@{r.randrange(2)} $lb{16 * r.randrange(12)} $lc{16 * r.randrange(12)}"
        else:
            p = self.main if r.random() < 0.6 else r.choice("dfhlis")
            ints = ["iadd", "band", "bor"] + self.all * ["and", "or"]
            name = r.choice(["fadd", "fadd", "max", "min"]) if p in "dfh" else r.choice(ints)
            text = f"l2bmr{p}{name}{at} $lb{16 * r.randrange(12)} $lc{16 * r.randrange(12)}"
            if self.all and r.random() < 0.3:
                text = f"l2bmr2{p}{name} $lb{16 * r.randrange(12)} $lc{64 * r.randrange(4)}"
        if self.all and r.random() < 0.3:
            text = r.choice(["l2bmb2 $lc{c} $lb{b}", "l2bmi@0/6 $lb{b} $lb{d}", "l2bmi@1/0 $lb{b} $lb{d}"]).format(
                c=64 * r.randrange(4), b=16 * r.randrange(12), d=16 * r.randrange(12)
            )
        self.line(text)
        self.t += 1
        self.fwd = {}
        for m in ("lb", "lc"):
            self.ready[m] = self.t + 4
        self.used |= {"lb", "lc"}

    def turnaround(self):
        """PE -> L1BM, then the same data back from the turnaround register in the next step (ISA notes 5.4)."""
        if self.turn is None:
            return
        self.plain()
        (op, unit), self.turn = self.turn, None
        r, step = self.rng, Step()
        text, _ = self.source(step, unit, fwd=False, mems="mnrs")
        self.await_([*step.reads, "lb"])
        place = "i" if r.random() < 0.5 else f"{64 * r.randrange(2) if 'd' not in op[4:5] else 0}"
        self.line(f"{op} {text} ${PREFIX[unit]}b{place}")
        back = "l1bmd" + op[5:] if op[4:5] == "d" else "l1bmm4" if op[4:6] in ("m4", "r4") else "l1bmm"
        step = Step()
        dst = self.dests(step, 32 * unit, False)
        self.t += 1
        step.exprs.append(f"{back} ${PREFIX[unit]}bi {dst}")
        step.fwd["lbf"] = 32 * unit
        self.ready["lb"] = self.t + 4
        self.used.add("lb")
        ready = self.ready.pop("lb")
        self.finish(step)
        self.ready["lb"] = ready

    def mv(self):
        """MV chain DRAM, PDM, L2BM with tags and waits (ISA notes 4)."""
        r = self.rng
        self.await_(["lc"])
        self.nops(2)
        form = r.choice(
            [
                "mvp/n64{t} $d{a}@0 $p{b}@0",
                "mvp/n128{t} $p{a}@0 $d{b}@0",
                "mvp/n64{t} $p{a}@0 $lc{b}@0.0",
                "mvp/{t}n64 $lc{a}@0.0 $p{b}@0",
                "mvp/n64{t} $d{a}@0 $lc{b}@0.0",
                "mvp/n64{t} $lc{a}@0.0 $d{b}@0",
                "mvp/n64{t} $d{a} $lc{b}@.0",
                "mvb/n128{t} $p{a}@0 $lc{b}",
                "mvb2/n64{t} $d{a} $lc{b}",
                "mvd/n128{t} $p{a}@0 $lc{b}",
                "mvd/n128{t} $lc{a} $p{b}@0",
                "mvd/n64{t} $p{a}@0 $d{b}",
                "mvp/n64{t} $p{a}@0 $p{b}@0",
            ]
        )
        tag = r.randrange(1, 64)
        a, b = 64 * r.randrange(2), 64 * r.randrange(2)
        if "$p{a}@0 $p{b}" in form:
            b = 64 - a if a in (0, 64) else a
        self.line(form.format(t=f"i{tag:02x}", a=a, b=b))
        self.line(f"nop; wait i{tag:02x}")
        self.t += 1
        self.nops(2)
        self.used |= {"p", "d", "lc"}

    def dar(self):
        """Addresses to DAR, then MVs through them (ISA notes 4.5)."""
        r = self.rng
        self.await_(["lc"])
        self.nops(2)
        words = "".join(f"{r.randrange(12):08X}{r.randrange(12):08X}" for _ in range(256))
        self.line(f"d set $lc512n0c0 256 {words}")
        first, steps = r.choice([0, 3, 100, 1020]), r.randrange(3, 12)
        self.line(f"l2bmdars $lc512@.0 $dar{first}")
        for _ in range(steps):
            self.line("l2bmdarw")
        self.t += steps + 1
        self.fwd = {}
        self.nops(2)
        for _ in range(r.randrange(1, 4)):
            form = r.choice(
                [
                    "mvp/n64{nd} $di{e}@0 $p{b}@0",
                    "mvp/n128{nd} $p{a}@0 $di{e}@0",
                    "mvp/n64{nd} $di{e}@0 $lc{b}@0.0",
                    "mvp/n64{nd} $lc{a}@0.0 $di{e}@0",
                    "mvp/n128{nd} $di{e} $lc{b}@.0",
                    "mvb2/n64 $di{e} $lc{b}",
                    "mvb/n64 $di{e} $lc{b}",
                    "mvb4/n128 $di{e} $lc{b}",
                    "mvrffadd/n64{nd} $lc{a} $di{e}",
                    "mvr2dmax/n64 $lc{a} $di{e}",
                    "mvr4liadd/n64 $lc{a} $di{e}",
                    "mvd/n128{nd} $p{a}@0 $di{e}",
                    "mvd/n64{nd} $di{e} $p{b}@0",
                ]
            )
            nd = r.choice(["", "nd1", "nd2", "nd3"])
            self.line(
                form.format(nd=nd, a=64 * r.randrange(2), b=64 * r.randrange(2), e=(first + r.randrange(4)) % 1024)
            )
            self.nops(1)
        self.used |= {"p", "d", "lc"}

    def opening(self):
        """First steps on untouched data: products against their addends, sums that cancel."""
        r, p = self.rng, self.main
        acc = "ll" if p == "h" else "l"
        for k in range(2):
            a, z = 8 * k, (16 if p == "h" else 8) * k
            half = r.choice("ud") if p == "d" else ""
            narrow = "r" if r.random() < 0.3 else ""
            width = {"hr": "l", "h": "ll", "f": "l", "fr": "", "d": "l", "dr": ""}[p + narrow]
            sign = r.choice(["", "", "-"])  # on both factors or on none, so that the product meets its addend
            x, y = r.choice([("m", "n"), ("n", "m")])
            dst = f"${width}s16v" if k == 0 else f"${width}r{z}v"
            self.line(f"{p}vfma{half}{narrow} {sign}$l{x}{a}v {sign}$l{y}{a}v ${acc}r{z}v {dst}")
            self.t += 1
        self.ready["r"] = self.t + 2
        self.fwd = {}
        self.ready["s"] = self.t + 2
        if r.random() < 0.7:
            self.await_(["s"])
            for _ in range(r.randrange(1, 3)):
                self.line(f"l1bmr{p}fadd $ls{8 * r.randrange(2)}v $lb{16 * r.randrange(15)}")
                self.t += 1
            self.ready["lb"] = self.t + 4
            self.used.add("lb")

    def preload(self, mv):
        r = self.rng
        fmt = values.BY_LETTER[self.main]
        per = 64 // fmt.width
        sums = (
            {
                (b, p, i, e): values.cancelling(r, fmt)
                for b in range(2)
                for p in range(4)
                for i in range(8)
                for e in range(per)
            }
            if r.random() < 0.8
            else {}
        )
        for b, m, p in PES:
            at = f"n0c0b{b}m{m}p{p}"
            x, y, z = values.triple(r, self.main, 8)
            n = len(z)
            side = r.choice("hfdlis") if r.random() < 0.3 else self.main
            mem = {
                "m": x + values.data(r, side, 8),
                "n": y + values.data(r, self.main, 8),
                "r": z[:16] + values.data(r, self.main, 16 - min(n, 16)),
                "s": values.data(r, side, 16),
            }
            if sums:
                mem["s"][:8] = values.words_of(self.main, [sums[b, p, i, e][m] for i in range(8) for e in range(per)])
            for k, words in mem.items():
                self.line(f"d set $l{k}0{at} {len(words)} {''.join(f'{w:016X}' for w in words)}")
            if self.use_matrix:
                for k in "mn":
                    words = values.data(r, self.matrix_letter, 16, specials=False)
                    self.line(f"d set $l{k}{MATRIX}{at} 16 {''.join(f'{w:016X}' for w in words)}")
            words = values.data(r, self.main, 4)
            self.line(f"d set $lt{at} 4 {''.join(f'{w:016X}' for w in words)}")
        for b in range(2):
            words = values.data(r, self.main, 256)
            self.line(f"d set $lb0n0c0b{b} 256 {''.join(f'{w:016x}' for w in words)}")
        words = values.data(r, self.main, 512)
        self.line(f"d set $lc0n0c0 512 {''.join('l' + f'{w:016x}' for w in words)}")
        if mv:
            for i, w in enumerate(values.data(r, self.main, 192)):
                self.line(f"r 0 {i:09x} 001 {w:016x}")
            self.line("mvp/n192i01 $d0@0 $p0@0")
            self.line("nop; wait i01")
            self.line("mvp/n64 $d0@0 $p192@0")
            self.nops(1)

    def dumps(self):
        self.plain()
        self.nops(3)
        r = self.rng
        typed = {"h": "h", "f": "f", "d": "d"}[self.main]
        for k in "mnrs":
            self.line(f"d get{r.choice([typed, typed, ''])} $l{k}0 16")
        self.line(f"d get{typed} $t 4")
        if "lb" in self.used:
            self.line(f"d get{r.choice([typed, ''])} $lb0 256")
        if "lc" in self.used:
            self.line(f"d get{r.choice([typed, ''])} $lc0n0c0 512")
        if "p" in self.used:
            self.line("d getd $p0n0 192")
            self.line("d getd $d0n0 192")

    def program(self, steps):
        r = self.rng
        self.use_matrix = r.random() < 0.6
        self.matrix_letter = {"f": "f" if self.all else "h"}.get(self.main, self.main)
        mv = r.random() < 0.3
        self.preload(mv)
        if r.random() < 0.8:
            self.opening()
        done = 0
        while done < steps:
            k = r.random()
            if k < 0.06:
                self.set_t()
            elif k < 0.1:
                self.set_bar()
            elif k < 0.16:
                self.multi_mask()
            elif k < 0.22 and self.use_matrix and done < steps - 2:
                self.matrix()
                done += 2
            elif k < 0.28:
                self.l2bm()
            elif k < 0.33 and mv:
                self.mv()
            elif k < 0.36 and mv and self.all:
                self.dar()
            elif self.all and self.turn is not None:
                self.turnaround()
            else:
                self.random_step()
            done += 1
        self.dumps()
        return "\n".join(self.out) + "\n"


def generate(seed, features="first", steps=None):
    """A program as text. features: "first" = the first instruction subset, "all" = everything in the notes."""
    g = Gen(seed, features)
    return g.program(steps or g.rng.randint(8, 22))
