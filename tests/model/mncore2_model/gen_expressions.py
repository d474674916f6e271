"""Random PE expressions: vector MAU, ALU, L1BM (ISA notes 5.3, 6, 7). Each registers its ports in the step or raises
Fail."""

from .gen_ports import MATRIX, PREFIX, Fail, Ports, Step

ALU_UNARY_INT, ALU_BINARY_INT = ["inc", "dec", "not", "lnot"], ["add", "sub", "and", "or", "xor", "max", "min"]
BINARY_FLOAT_REST = ["relu0", "relu1", "relu2", "relu3", "lrelud", "lreluo", "ilrelud"]


class Expressions(Ports):
    """Expressions that a step may hold together."""

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
        srcs = []
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
        p = self.main if r.random() < 0.3 else r.choice("lislishfd")
        if kind == 5:
            unit = r.choice([1, 2, 2, 4])
            text, bits = self.source(step, unit, const=True)
            if bits < 64:
                p = r.choice("is")
            op, ops, flags = f"{p}passa", [text], bits >= 64
            width = bits
        elif p in "lis":
            if r.random() < 0.4:
                text, bits = self.source(step, 2, need=64, const=True)
                op = p + r.choice(ALU_UNARY_INT)
                ops = [text]
                if op[1:] in ("inc", "dec") and r.random() < 0.4:
                    op = "u" + op
            else:
                text, bits = self.source(step, 2, need=64, const=True)
                other, _ = self.source(step, 2, need=64)
                op = p + r.choice(ALU_BINARY_INT + self.all * ["packbit"])
                ops = [text, other]
                if op[1:] in ("add", "sub", "max", "min") and r.random() < 0.4:
                    op = "u" + op
            width, flags = (128 if bits == 128 else 64), True
        else:
            name = r.choice(["max", "min", "relu", "floor", "ftoi"] + self.all * (BINARY_FLOAT_REST + ["packbit"]))
            binary = name not in ("floor", "ftoi")
            conv = "r" if p == "h" and r.random() < 0.2 else ""
            text, bits = self.source(step, 4 if conv else 2, need=128 if conv else 64)
            if text in ("$t", "$lt", "$llt") and conv:
                raise Fail
            ops = [text + conv]
            if binary:
                other, _ = self.source(step, 2, need=64)
                ops.append(other)
            u = "u" if name == "ftoi" and r.random() < 0.4 else ""
            op, width, flags = f"{u}{p}{name}", 64, binary
        step.exprs.append(f"{self.opcode(step, op)} {' '.join(ops)} {self.dests(step, width, flags)}")
        step.fwd["aluf"] = width
        return None

    def shift(self, step):
        """Shifts by T, whose elements are known to be below every width (amounts >= width: Q20)."""
        r = self.rng
        p = r.choice(sorted(self.tsmall))
        text, bits = self.source(step, 2, need=64, mems="mnrs")
        step.reads["t"] = ("$t", 4, 0)
        op = p + r.choice(["lsl", "lsr", "lsr"] + self.all * ["bsl", "bsr"])
        if op.endswith("lsr") and r.random() < 0.5:
            op = "u" + op
        width = 128 if bits == 128 else 64
        step.exprs.append(f"{self.opcode(step, op)} {text} $t {self.dests(step, width, True)}")
        step.fwd["aluf"] = width

    def alu_imm(self, step):
        """imm takes the LM0 field, so no LM0 access in its step (ISA notes 9.3 rule 8)."""
        if "m" in step.reads or "m" in step.writes:
            raise Fail
        r = self.rng
        step.writes["m"] = "imm"
        kind, value = r.choice(
            [
                ("f", r.choice(["1.0", "-0.5", "3.14159274", "1e30", "-0", "65504"])),
                ("i", str(r.randint(-(2**31), 2**31 - 1))),
                ("i", hex(r.getrandbits(32))),
                ("ui", str(r.getrandbits(32))),
                ("s", str(r.randint(0, 2**15 - 1))),
            ]
        )
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
        form = r.choice(["p", "pp", "m", "mm", "d"] + self.all * ["m4", "mm4"])
        op, unit, b = {
            "p": ("l1bmp", 2, 4 * r.randrange(60)),
            "pp": ("l1bmp", 4, 8 * r.randrange(30)),
            "m": ("l1bmm", 2, 16 * r.randrange(15)),
            "mm": ("l1bmm", 4, 32 * r.randrange(7)),
            "d": ("l1bmd" + r.choice(["", "", "+1", "-1", "+3"]), 2, 0),
            "m4": ("l1bmm4", 2, 16 * r.randrange(12)),
            "mm4": ("l1bmm4", 4, 32 * r.randrange(4)),
        }[form]
        step.reads["lb"] = (b, 0, 0)
        step.exprs.append(f"{self.opcode(step, op)} ${PREFIX[unit]}b{b} {self.dests(step, 32 * unit, False)}")
        step.fwd["lbf"] = 32 * unit

    def l1bm_up(self, step):
        """PE -> L1BM, with reductions of every element type (ISA notes 5.3, 8.2, 8.3)."""
        r = self.rng
        form = r.choice(["@", "@@", "d", "r", "r", "r", "rr"] + self.all * ["@4", "@@4", "r4", "rr4", "n", "n4", "e4"])
        four, form = ("4", form[:-1]) if form.endswith("4") else ("", form)
        if form in ("n", "e"):
            return self.l1bm_precision(step, four, form)
        if form in ("@", "@@"):
            unit = 2 * len(form)
            op, b = f"l1bmm{four}@{r.randrange(4 if four else 16)}", 16 * unit * r.randrange(4)
        elif form == "d":
            unit, op, b = 2, "l1bmd" + r.choice(["", "", "+1", "-2"]), 0
        elif form == "r":
            p = self.main if r.random() < 0.6 else r.choice("dfhlis")
            ints = ["iadd", "band", "bor"] + self.all * ["and", "or"]
            name = r.choice(["fadd"] * 4 + ["max", "min"]) if p in "dfh" else r.choice(ints)
            unit, op, b = 2, f"l1bmr{four}{p}{name}", 16 * r.randrange(12)
        else:
            name = r.choice(["ffadd", "ffadd", "fmax", "fmin", "lbor", "ibor"])
            unit, op, b = 4, f"l1bmr{four}{name}", 32 * r.randrange(4)
        text, bits = self.source(step, unit, need=32 * unit)
        if text in ("$t", "$lt", "$llt") and unit == 4:
            raise Fail
        if self.all and r.random() < 0.3 and "lbf" not in step.fwd:
            # the same step may deliver the old register, and the next one the new data (ISA notes 5.4)
            self.turn = (op, unit)
        step.writes["lb"] = b
        step.exprs.append(f"{op} {text} ${PREFIX[unit]}b{b}")
        self.used.add("lb")

    def l1bm_precision(self, step, four, form):
        """Reductions with r on the opcode, e on the source, or both (ISA notes 5.5)."""
        r = self.rng
        widen = form == "e" or r.random() < 0.4
        unit = 2 if widen else 4
        text, _ = self.source(step, unit, need=32 * unit)
        if text in ("$t", "$lt", "$llt"):
            raise Fail
        name = r.choice(["ffadd", "ffadd", "fmax", "fmin"])
        narrow, to, b = ("r", "$lb", 16 * r.randrange(12)) if form == "n" else ("", "$llb", 32 * r.randrange(4))
        step.writes["lb"] = b
        step.exprs.append(f"l1bmr{four}{name}{narrow} {text}{'e' if widen else ''} {to}{b}")
        self.used.add("lb")

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
        half = "hbfe" if self.all and r.random() < 0.4 else "hbfn"
        bfn = f"{half}/{n}" if p == "h" else f"{p}bfn"
        side = r.choice("xy")
        src = r.choice("mn")
        wide = p == "h" and r.random() < 0.3
        for q in range(2 if wide else rows // 4):
            mem, a = "rs"[q % 2], MATRIX + (16 * r.randrange(2) if wide else 8 * r.randrange(4))
            self.await_([src, "r", "s"])
            pre, to = ("ll", 0) if wide else ("l", 8 * (q % 3))
            self.line(f"{bfn} ${pre}{src}{a}v ${pre}{mem}{to}v")
            self.t += 1
            self.ready[mem] = self.t + 2
            if r.random() < 0.5:
                text = "$aluf"
            else:
                self.await_([mem])
                text = f"${pre}{mem}{to}v"
            self.line(f"{p}mwrite {text} ${pre}{side}{8 * q if wide else 4 * q}")
            self.t += 1
        other = "n" if src == "m" else "m"
        self.products(p, bfn, side, other, r.randrange(1, 4))
        if self.all:
            for _ in range(r.randrange(3)):
                step = Step()
                q = 2 * r.randrange(rows // 2)
                unit = r.choice([2, 4]) if p == "h" else 2
                dst = self.dests(step, 32 * unit, False)
                step.exprs.append(f"{self.opcode(step, p + 'mread')} ${PREFIX[unit]}{side}{q} {dst}")
                step.fwd["mreadf"] = 32 * unit
                self.finish(step)
        if r.random() < 0.4:
            # load the other side beside products that read this one, then use it
            self.vector(bfn, other)
            self.await_(["s"])
            far = "y" if side == "x" else "x"
            for q in range(rows // 4):
                self.await_([src])
                self.line(f"{bfn} $l{src}{MATRIX + 8 * r.randrange(4)}v $nowrite")
                half = r.choice("ud") if p == "d" else ""
                self.line(
                    f"{p}mmul{half} $l{side} $ls8v ${'ll' if p == 'h' else 'l'}r{8 * (q % 2)}v; {p}mwrite $aluf $l{far}{4 * q}"
                )
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
