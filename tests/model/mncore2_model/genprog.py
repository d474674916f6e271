"""Random valid programs for the small tree (1 group, 1 L2B, 2 L1B): data, steps, dumps.

A program never does what the ISA notes leave undefined: it keeps the issue rules of 9.3, pads the hazards of
9.1 and 9.2 with nops (more than needed), reads only what was written, never lets a width that a unit does not
define reach memory, and keeps infinities out of matrix operands. Deterministic by seed."""
import random

from . import values

REGION = 32  # words of every PE memory that random steps read and write
MATRIX = 32  # LM words 32..63 hold block-float sources and are never written
PES = [(b, m, p) for b in range(2) for m in range(16) for p in range(4)]
PREFIX = {1: "", 2: "l", 4: "ll"}
CONSTS = {"l2bid": 0, "l1bid": 1, "mabid": 15, "peid": 63, "subpeid": 3}

ALU_UNARY_INT, ALU_BINARY_INT = ["inc", "dec", "not", "lnot"], ["add", "sub", "and", "or", "xor", "max", "min"]


class Fail(Exception):
    """No free port for what was asked; the caller leaves the expression out."""


class Step:
    """Ports of one step (ISA notes 9.3, 9.4)."""

    def __init__(self):
        self.reads, self.writes, self.omr_writes = {}, {}, set()
        self.exprs, self.fwd = [], {}
        self.mask = None  # (text without slash, entry)
        self.zero_flush = False


class Gen:
    def __init__(self, seed, features="first"):
        self.rng = random.Random(seed)
        self.all = features == "all"
        self.out = []
        self.t = 0
        self.ready = {}
        self.bar = {"m": (0, 0), "n": (0, 0)}
        self.tval = None  # range of T's low 12 bits when known
        self.tsmall = {}  # precision letters for which T's elements are below 16
        self.fwd = {}  # unit -> defined bits
        self.omr = set()
        self.omr_full = set()
        self.multi = None
        self.sides = {}
        self.used = set()
        self.main = self.rng.choice("hhffdd")

    # ------------------------------------------------------------ text helpers

    def line(self, text):
        self.out.append(text)

    def nops(self, n):
        if n == 1:
            self.line("nop")
        elif n > 1:
            self.line(f"nop/{n}")
        self.t += max(n, 0)

    def await_(self, names):
        self.nops(max([self.ready.get(n, 0) - self.t for n in names], default=0))

    def address(self, mem, unit, area=0, size=REGION, indirect=False):
        """Address text whose run-time addresses stay in [area, area+size)."""
        r = self.rng
        lo, hi = self.bar.get(mem, (0, 0))
        if indirect:
            lo, hi = lo + self.tval[0], hi + self.tval[1]
        modulus = 4096 if mem in "mn" else 512
        j = None
        if mem in "mn" and not indirect and r.random() < 0.1:
            j = r.randrange(4)
        slack = hi - lo + (unit if j is not None else 0)
        room = size - unit - slack
        if room < 0:
            raise Fail

        def base_for(limit):
            k = r.randrange(limit // unit + 1) * unit
            if r.random() < 0.4:
                k = 0
            return (area + k + lo % unit - lo) % modulus if (area + k + lo % unit - lo) % unit == 0 else (area + k - lo // unit * unit) % modulus

        form = r.choice(["v"] * 6 + ["", "vn", "vn", "flat"])
        pre = "t" if indirect else ""
        if form == "flat":
            text = f"{pre}[{','.join(str(base_for(room - room % unit)) for _ in range(4))}]"
            return text + (f"j{j}" if j is not None else "")
        stride = {"v": unit, "": 0}.get(form)
        if stride is None:
            stride = r.randrange(0, 4) * unit
        while stride and 3 * stride > room:
            stride -= unit
        limit = room - 3 * stride
        base = base_for(limit - limit % unit)
        v = "" if stride == 0 and form != "vn" else "v" if stride == unit and form == "v" else f"v{stride}"
        text = f"{pre}{'' if indirect and base == 0 and r.random() < 0.5 else base}{v}"
        return text + (f"j{j}" if j is not None else "")

    # ------------------------------------------------------------ operands

    def source(self, step, unit, fwd=True, mems="mnrst", area=0, const=None, need=None):
        """(text, defined bits) of a source of `unit` words; registers the port it uses."""
        r = self.rng
        choices = []
        for mem in mems:
            if mem == "t":
                if "t" not in step.writes:
                    choices.append("t")
            elif mem in step.reads:
                if step.reads[mem][1] == unit and step.reads[mem][2] == area:
                    choices.append(mem)
            elif mem in "mn" and mem in step.writes:
                continue
            else:
                choices += [mem] * 3
        if fwd:
            choices += [f for f, bits in self.fwd.items() if f != "mreadf" and bits >= (need or 32 * unit)] * 2
        if const:
            choices += ["const"]
        if "m" in choices and self.tval is not None and area == 0 and "m" not in step.reads and r.random() < 0.3:
            choices += ["mt"] * 4
        if not choices:
            raise Fail
        c = r.choice(choices)
        if c == "const":
            name = r.choice(list(CONSTS) + ["msb1"])
            return f"${name}", 128
        if c in ("mauf", "aluf", "lbf"):
            return f"${c}", self.fwd[c]
        if c == "t":
            step.reads["t"] = ("$t", 4, 0)
            return f"${r.choice(['', 'l', 'll'])}t", 64
        if c == "mt":
            text = f"${PREFIX[unit]}m{self.address('m', unit, indirect=True)}"
            step.reads["m"] = (text, unit, area)
            step.reads["t"] = ("$t", 4, 0)
            return text, 32 * unit
        if c in step.reads:
            return step.reads[c][0], 32 * unit
        text = f"${PREFIX[unit]}{c}{self.address(c, unit, area)}"
        step.reads[c] = (text, unit, area)
        return text, 32 * unit

    def mask_suffix(self, step, mem):
        """`/...` for a destination, one entry and width for the whole step."""
        if step.mask is None or self.rng.random() < 0.4:
            return ""
        if self.multi is not None:
            return ""
        return "/" + step.mask[0]

    def dests(self, step, bits, flags=True, units=None):
        """One or two destinations that fit the defined bits of a result."""
        r, out = self.rng, []
        for _ in range(r.choice([1, 1, 1, 2, 3])):
            kinds = [m for m in "mnrs" if m not in step.writes] * 3
            if "t" not in step.writes and bits >= 64:
                kinds += ["t"]
            if flags and bits >= 64:
                kinds += ["omr"]
            k = r.choice(kinds) if kinds else None
            if k is None:
                break
            if k == "omr":
                free = [n for n in range(1, 16) if n not in step.omr_writes and (step.mask is None or n != step.mask[1])
                        and (self.multi is None or n != self.multi[0])]
                n = r.choice(free[:4])
                step.omr_writes.add(n)
                # a masked write keeps old flags (Q30), so it needs flags to keep
                out.append(f"$omr{n}" + (self.mask_suffix(step, "omr") if n in self.omr else ""))
                continue
            if k == "t":
                step.writes["t"] = "$t"
                out.append(f"$t{self.mask_suffix(step, 't')}")
                continue
            fit = [u for u in (units or (1, 2, 4)) if 32 * u <= bits]
            unit = max(fit) if r.random() < 0.6 else r.choice(fit)
            if k in "mn" and k in step.reads:
                text, u, area = step.reads[k]
                if 32 * u > bits or area or "mt" in text:
                    continue
            else:
                try:
                    text = f"${PREFIX[unit]}{k}{self.address(k, unit)}"
                except Fail:
                    continue
            step.writes[k] = text
            out.append(text + self.mask_suffix(step, k))
        if not out:
            return "$nowrite"
        return " ".join(out)

    def opcode(self, step, op):
        """Opcode, now and then with a zero-flush mask (ISA notes 3.3)."""
        if not step.zero_flush and self.rng.random() < 0.08 and self.multi is None:
            if step.mask is None:
                step.mask = self.new_mask()
            step.zero_flush = True
            return f"{op}/{step.mask[0]}"
        return op

    def new_mask(self):
        r = self.rng
        ll = r.choice(["", "ll"])
        if self.omr and r.random() < 0.6:
            n = r.choice(sorted(self.omr))
        else:
            n = 16 + r.randrange(16)
            if r.random() < 0.6:
                return f"{ll}{n - 16:04b}", n
        return f"${ll}imr{n}", n

    # ------------------------------------------------------------ expressions

    def mau_vector(self, step):
        r = self.rng
        p = self.main if r.random() < 0.75 else r.choice("hfd")
        op = r.choice(["fma"] * 4 + ["mul"] * 2 + ["add"] * 2 + ["passa"])
        half = r.choice("ud") if p == "d" and op in ("fma", "mul") else ""
        narrow = "r" if r.random() < 0.25 else ""
        in_unit, acc_unit = {"h": (2, 4), "f": (2, 2), "d": (2, 2)}[p]
        short = p == "f" and r.random() < 0.15
        if short:
            in_unit = acc_unit = 1
        roles = {"fma": "xxz", "mul": "xx", "add": "xz", "passa": "x"}[op]
        related = r.random() < 0.4 and not short and self.bar["m"] == self.bar["n"] == (0, 0)
        srcs, defined = [], True
        for i, role in enumerate(roles):
            unit = in_unit if role == "x" else acc_unit
            conv = ""
            fmt_letter = p if role == "x" else {"h": "f"}.get(p, p)
            if not short and r.random() < 0.15:
                if fmt_letter in "fd" and (role == "x" and p != "h" or role == "z"):
                    conv, unit = "e", {"d": 1, "f": 1}[fmt_letter] if p != "h" else 2
                elif fmt_letter == "h":
                    conv, unit = "r", 4
            if related and not conv:
                mem = "mnr"[i] if op == "fma" else "mn"[i] if op == "mul" else "mr"[i] if op == "add" else "m"
                text = f"${PREFIX[unit]}{mem}0v"
                if mem in step.reads and step.reads[mem][0] != text or mem in step.writes and mem in "mn":
                    raise Fail
                step.reads[mem] = (text, unit, 0)
                bits = 32 * unit
            else:
                text, bits = self.source(step, unit, need=32 * unit)
            if bits < 32 * unit:
                raise Fail
            if text in ("$t", "$lt", "$llt") and unit == 4:
                raise Fail  # T's LSB LW is not tracked
            neg = "-" if r.random() < 0.2 else ""
            srcs.append(neg + text + conv)
        bits = {"h": 128, "f": 32 if short else 64, "d": 64}[p]
        if narrow:
            bits //= 2
            if short:
                raise Fail
        name = f"{p}v{op}{half}{narrow}"
        text = self.opcode(step, name)
        flags = not short
        dst = self.dests(step, bits, flags) if bits >= 32 else "$nowrite"
        step.exprs.append(f"{text} {' '.join(srcs)} {dst}")
        step.fwd["mauf"] = bits

    def alu(self, step):
        r = self.rng
        kind = r.randrange(10)
        if kind == 0:
            return self.alu_imm(step)
        if kind == 1:
            step.exprs.append(f"{self.opcode(step, 'zero')} {self.dests(step, 128, False)}")
            step.fwd["aluf"] = 128
            return None
        if kind == 2:
            text, bits = self.source(step, 2, need=64)
            step.exprs.append(f"{self.opcode(step, r.choice(['msl', 'msr']))} {text} {self.dests(step, 64, False)}")
            step.fwd["aluf"] = 64
            return None
        if kind in (3, 4):
            return self.alu_bfn(step)
        p = self.main if r.random() < 0.5 else r.choice("lishfd")
        if kind == 5:
            unit = r.choice([1, 2, 2, 4])
            text, bits = self.source(step, unit, const=True)
            if bits < 64:
                p = r.choice("is")
            op, ops, flags = f"{p}passa", [text], bits >= 64
            width = bits
        elif p in "lis":
            if r.random() < 0.2 and p in self.tsmall and "t" not in step.writes:
                text, bits = self.source(step, 2, need=64, mems="mnrs")
                step.reads["t"] = ("$t", 4, 0)
                op, ops = p + r.choice(["lsl", "lsr"]), [text, "$t"]
                if op.endswith("lsr") and r.random() < 0.5:
                    op = "u" + op
            elif r.random() < 0.4:
                text, bits = self.source(step, 2, need=64, const=True)
                op = p + r.choice(ALU_UNARY_INT)
                ops = [text]
                if op[1:] in ("inc", "dec") and r.random() < 0.4:
                    op = "u" + op
            else:
                text, bits = self.source(step, 2, need=64, const=True)
                other, _ = self.source(step, 2, need=64)
                op = p + r.choice(ALU_BINARY_INT)
                ops = [text, other]
                if op[1:] in ("add", "sub", "max", "min") and r.random() < 0.4:
                    op = "u" + op
            width, flags = (128 if bits == 128 else 64), True
        else:
            name = r.choice(["max", "min", "relu", "floor", "ftoi"])
            conv = "r" if p == "h" and r.random() < 0.2 else ""
            text, bits = self.source(step, 4 if conv else 2, need=128 if conv else 64)
            if text in ("$t", "$lt", "$llt") and conv:
                raise Fail
            ops = [text + conv]
            if name in ("max", "min", "relu"):
                other, _ = self.source(step, 2, need=64)
                ops.append(other)
            u = "u" if name == "ftoi" and r.random() < 0.4 else ""
            op, width, flags = f"{u}{p}{name}", 64, name in ("max", "min", "relu")
        step.exprs.append(f"{self.opcode(step, op)} {' '.join(ops)} {self.dests(step, width, flags)}")
        step.fwd["aluf"] = width
        return None

    def alu_imm(self, step):
        """imm takes the LM0 field, so no LM0 access in its step (ISA notes 9.3 rule 8)."""
        if "m" in step.reads or "m" in step.writes:
            raise Fail
        r = self.rng
        step.writes["m"] = "imm"
        kind, value = r.choice([("f", r.choice(["1.0", "-0.5", "3.14159274", "1e30", "-0", "65504"])),
                                ("i", str(r.randint(-(2**31), 2**31 - 1))), ("i", hex(r.getrandbits(32))),
                                ("ui", str(r.getrandbits(32))), ("s", str(r.randint(0, 2**15 - 1)))])
        op = r.choice(["imm", "imm", "immu"])
        dst = self.dests(step, 128, False)
        del step.writes["m"]
        step.reads["m"] = ("imm", 0, -1)  # blocks later LM0 users of this step
        step.exprs.append(f'{op} {kind}"{value}" {dst}')
        step.fwd["aluf"] = 128

    def alu_bfn(self, step):
        r = self.rng
        p = self.main if r.random() < 0.7 else r.choice("dfgh")
        if p == "f" and r.random() < 0.4:
            p = "g"
        if p == "h":
            unit = r.choice([2, 2, 4])
            conv = "r" if r.random() < 0.3 else ""
            if conv:
                unit = 4
            text, bits = self.source(step, unit, need=32 * unit)
            if text in ("$t", "$lt", "$llt") and unit == 4:
                raise Fail
            op = f"{'hbfe' if self.all and r.random() < 0.4 else 'hbfn'}/{r.choice([9, 9, 9, 8, 7, 6])}"
            width = 64 if unit == 2 or conv else 128
            ops = text + conv
        else:
            ops, bits = self.source(step, 2, need=64)
            op, width = f"{p}bfn", 64
        step.exprs.append(f"{op} {ops} {self.dests(step, width, False)}")
        step.fwd["aluf"] = width

    def l1bm_down(self, step):
        """L1BM -> PE (ISA notes 5.3)."""
        r = self.rng
        form = r.choice(["p", "pp", "m", "mm", "d"])
        op, unit, b = {"p": ("l1bmp", 2, 4 * r.randrange(60)), "pp": ("l1bmp", 4, 8 * r.randrange(30)),
                       "m": ("l1bmm", 2, 16 * r.randrange(15)), "mm": ("l1bmm", 4, 32 * r.randrange(7)),
                       "d": ("l1bmd" + r.choice(["", "", "+1", "-1", "+3"]), 2, 0)}[form]
        step.reads["lb"] = (b, 0, 0)
        step.exprs.append(f"{self.opcode(step, op)} ${PREFIX[unit]}b{b} {self.dests(step, 32 * unit, False)}")
        step.fwd["lbf"] = 32 * unit

    def l1bm_up(self, step):
        """PE -> L1BM, with reductions of every element type (ISA notes 5.3, 8.2, 8.3)."""
        r = self.rng
        form = r.choice(["@", "@@", "d", "r", "r", "r", "rr"])
        if form in ("@", "@@"):
            unit = 2 * len(form)
            op, b = f"l1bmm@{r.randrange(16)}", 16 * unit * r.randrange(4)
        elif form == "d":
            unit, op, b = 2, "l1bmd" + r.choice(["", "", "+1", "-2"]), 0
        elif form == "r":
            p = self.main if r.random() < 0.6 else r.choice("dfhlis")
            name = r.choice(["fadd"] * 4 + ["max", "min"]) if p in "dfh" else r.choice(["iadd", "band", "bor"])
            unit, op, b = 2, f"l1bmr{p}{name}", 16 * r.randrange(15)
        else:
            unit, op, b = 4, "l1bmr" + r.choice(["ffadd", "ffadd", "fmax", "fmin", "lbor", "ibor"]), 32 * r.randrange(7)
        text, bits = self.source(step, unit, need=32 * unit)
        if text in ("$t", "$lt", "$llt") and unit == 4:
            raise Fail
        step.writes["lb"] = b
        step.exprs.append(f"{op} {text} ${PREFIX[unit]}b{b}")
        self.used.add("lb")

    # ------------------------------------------------------------ steps

    def finish(self, step):
        """Pad hazards, print the step, update the state (ISA notes 9.1, 9.2)."""
        if not step.exprs:
            return
        noforward = self.rng.random() < 0.05
        exprs = step.exprs + (["noforward"] if noforward else [])
        self.rng.shuffle(exprs)
        self.await_([*step.reads, *(("lb",) if "lb" in step.writes else ())])
        self.line("; ".join(exprs))
        self.t += 1
        for mem in step.writes:
            self.ready[mem] = self.t + {"lb": 4}.get(mem, 2)
        if "lb" in step.reads:
            self.ready["lb"] = max(self.ready.get("lb", 0), self.t + 4)
        if "t" in step.writes:
            self.tval, self.tsmall = None, {}
        if not noforward:
            self.fwd = dict(step.fwd)
        self.omr |= step.omr_writes

    def attempt(self, step, unit):
        """Add an expression, or leave the step as it was when the ports do not allow it."""
        saved = (dict(step.reads), dict(step.writes), set(step.omr_writes), list(step.exprs), dict(step.fwd),
                 step.zero_flush)
        try:
            unit(step)
        except Fail:
            step.reads, step.writes, step.omr_writes, step.exprs, step.fwd, step.zero_flush = saved

    def random_step(self):
        r = self.rng
        step = Step()
        if self.multi is None and r.random() < 0.35:
            step.mask = self.new_mask()
        units = [self.mau_vector] * 4 + [self.alu] * 4 + [self.l1bm_down, self.l1bm_up]
        chosen = []
        for _ in range(r.choice([1, 1, 2, 2, 3])):
            u = r.choice(units)
            if u not in chosen and not (u in (self.l1bm_up, self.l1bm_down)
                                        and {self.l1bm_up, self.l1bm_down} & set(chosen)):
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
        """Make T an index register: constants, so that T-indirect and shifts are in range."""
        self.plain()
        r = self.rng
        self.await_(["t"])
        kind = r.randrange(4)
        if kind == 0:
            k = r.randrange(16)
            self.line(f'imm i"{k}" $t')
            small, val = {"i": 1}, (k, k)
        elif kind == 1:
            k = r.randrange(16)
            self.line(f'imm s"{k}" $t')
            small, val = {"s": 1}, (k, k)
        elif kind == 2:
            name = r.choice(["subpeid", "mabid", "l1bid"])
            self.line(f"lpassa ${name} $t")
            small, val = {"l": 1}, (0, CONSTS[name])
        else:
            for b, m, p in PES:
                words = "".join(f"{r.choice([0, 2, 4, 6, 8, 1, 12]):016X}" for _ in range(4))
                self.line(f"d set $ltn0c0b{b}m{m}p{p} 4 {words}")
            self.tval, self.tsmall = (0, 12), {"l": 1}
            return
        self.t += 1
        self.fwd = {"aluf": 128}
        self.ready["t"] = self.t + 2
        self.tval, self.tsmall = val, small

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
        for m in "mn":
            self.ready[m] = max(self.ready.get(m, 0), self.t + 4)

    def matrix(self):
        """Block floats, matrix rows, and products (ISA notes 6, 8.5, 8.6), from the area without infinities."""
        self.plain()
        r = self.rng
        if self.bar["m"] != (0, 0) or self.bar["n"] != (0, 0):
            return
        p = self.matrix_letter
        if p == "f":
            p = r.choice("gf")
        rows = {"h": 16, "g": 8, "f": 8, "d": 4}[p]
        n = r.choice([9, 9, 8, 6]) if p == "h" else 0
        bfn = f"hbfn/{n}" if p == "h" else f"{p}bfn"
        side = r.choice("xy")
        src = r.choice("mn")
        wide = p == "h" and r.random() < 0.3
        for q in range(2 if wide else rows // 4):
            mem, a = "rs"[q % 2], MATRIX + (16 * r.randrange(2) if wide else 8 * r.randrange(4))
            self.await_([src, "r", "s"])
            l, to = ("ll", 0) if wide else ("l", 8 * (q % 3))
            self.line(f"{bfn} ${l}{src}{a}v ${l}{mem}{to}v")
            self.t += 1
            self.ready[mem] = self.t + 2
            if r.random() < 0.5:
                text = "$aluf"
            else:
                self.await_([mem])
                text = f"${l}{mem}{to}v"
            self.line(f"{p}mwrite {text} ${l}{side}{8 * q if wide else 4 * q}")
            self.t += 1
        other = "n" if src == "m" else "m"
        self.products(p, bfn, side, other, r.randrange(1, 4))
        if r.random() < 0.4:
            # load the other side beside products that read this one, then use it
            self.vector(bfn, other)
            self.await_(["s"])
            far = "y" if side == "x" else "x"
            for q in range(rows // 4):
                self.await_([src])
                self.line(f"{bfn} $l{src}{MATRIX + 8 * r.randrange(4)}v $nowrite")
                half = r.choice("ud") if p == "d" else ""
                self.line(f"{p}mmul{half} $l{side} $ls8v ${'ll' if p == 'h' else 'l'}r{8 * (q % 2)}v; {p}mwrite $aluf $l{far}{4 * q}")
                self.t += 2
                self.ready["r"] = self.t + 2
            self.products(p, bfn, far, other, 1)

    def vector(self, bfn, mem):
        """A block-float vector in GRF1 and on the ALU's forwarding path."""
        self.await_([mem, "r", "s"])
        self.line(f"{bfn} $l{mem}{MATRIX + 8 * self.rng.randrange(4)}v $ls8v")
        self.t += 1
        self.ready["s"] = self.t + 2
        self.fwd = {"aluf": 64}

    def products(self, p, bfn, side, other, count):
        """Matrix products, some with an ALU operation in the same step."""
        r = self.rng
        for _ in range(count):
            step = Step()
            self.vector(bfn, other)
            where = r.choice(["$ls8v", "$aluf"])
            if where == "$ls8v":
                self.await_(["s"])
                step.reads["s"] = (where, 2, 0)
            half = r.choice("ud") if p == "d" else ""
            narrow = "r" if r.random() < 0.3 else ""
            bits = (128 if p == "h" else 64) // (2 if narrow else 1)
            neg = "-" if r.random() < 0.2 else ""
            try:
                if r.random() < 0.7:
                    # nothing may wait between the vector and a step that forwards it
                    mems = [m for m in "mr" + ("" if where == "$ls8v" else "s") if self.ready.get(m, 0) <= self.t]
                    text, _ = self.source(step, 4 if p == "h" else 2, fwd=False, mems=mems)
                    srcs, op = [neg + where, r.choice(["", "-"]) + text], "fma"
                else:
                    srcs, op = [neg + where], "mul"
            except Fail:
                srcs, op = [neg + where], "mul"
                step.reads.pop("m", None)
            dst = self.dests(step, bits, True)
            step.exprs.append(f"{p}m{op}{half}{narrow} $l{side} {' '.join(srcs)} {dst}")
            step.fwd["mauf"] = bits
            if r.random() < 0.3:
                self.attempt(step, self.alu)
            self.finish(step)

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
            text = f"l2bmd{at if at != '@0/1' else ''} $lb{8 * r.randrange(28)} $lc{64 * r.randrange(2)}"
        elif kind == 3:
            text = f"l2bm@{r.randrange(2)} $lb{16 * r.randrange(12)} $lc{16 * r.randrange(12)}"
        else:
            p = self.main if r.random() < 0.6 else r.choice("dfhlis")
            name = r.choice(["fadd", "fadd", "max", "min"]) if p in "dfh" else r.choice(["iadd", "band", "bor"])
            text = f"l2bmr{p}{name}{at} $lb{16 * r.randrange(12)} $lc{16 * r.randrange(12)}"
        self.line(text)
        self.t += 1
        self.fwd = {}
        for m in ("lb", "lc"):
            self.ready[m] = self.t + 4
        self.used |= {"lb", "lc"}

    def mv(self):
        """MV chain DRAM, PDM, L2BM with tags and waits (ISA notes 4)."""
        r = self.rng
        self.await_(["lc"])
        self.nops(2)
        form = r.choice(["mvp/n64{t} $d{a}@0 $p{b}@0", "mvp/n128{t} $p{a}@0 $d{b}@0", "mvp/n64{t} $p{a}@0 $lc{b}@0.0",
                         "mvp/{t}n64 $lc{a}@0.0 $p{b}@0", "mvp/n64{t} $d{a}@0 $lc{b}@0.0", "mvp/n64{t} $lc{a}@0.0 $d{b}@0",
                         "mvp/n64{t} $d{a} $lc{b}@.0", "mvb/n128{t} $p{a}@0 $lc{b}", "mvb2/n64{t} $d{a} $lc{b}",
                         "mvd/n128{t} $p{a}@0 $lc{b}", "mvd/n128{t} $lc{a} $p{b}@0", "mvd/n64{t} $p{a}@0 $d{b}",
                         "mvp/n64{t} $p{a}@0 $p{b}@0"])
        tag = r.randrange(1, 64)
        a, b = 64 * r.randrange(2), 64 * r.randrange(2)
        if "$p{a}@0 $p{b}" in form:
            b = 64 - a if a in (0, 64) else a
        self.line(form.format(t=f"i{tag:02x}", a=a, b=b))
        self.line(f"nop; wait i{tag:02x}")
        self.t += 1
        self.nops(2)
        self.used |= {"p", "d", "lc"}

    # ------------------------------------------------------------ program

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
        sums = {(b, p, i, e): values.cancelling(r, fmt) for b in range(2) for p in range(4) for i in range(8)
                for e in range(per)} if r.random() < 0.8 else {}
        for b, m, p in PES:
            at = f"n0c0b{b}m{m}p{p}"
            x, y, z = values.triple(r, self.main, 8)
            n = len(z)
            side = r.choice("hfdlis") if r.random() < 0.3 else self.main
            mem = {"m": x + values.data(r, side, 8), "n": y + values.data(r, self.main, 8),
                   "r": z[:16] + values.data(r, self.main, 16 - min(n, 16)), "s": values.data(r, side, 16)}
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
            else:
                self.random_step()
            done += 1
        self.dumps()
        return "\n".join(self.out) + "\n"


def generate(seed, features="first", steps=None):
    """A program as text. features: "first" = the first instruction subset, "all" = everything in the notes."""
    g = Gen(seed, features)
    return g.program(steps or g.rng.randint(8, 22))
