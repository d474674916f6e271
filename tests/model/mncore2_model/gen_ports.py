"""Ports, hazards and operands of random programs (ISA notes 3.2, 9): what a step may still use, and how many nops
must come before it."""

import random

REGION = 32  # words of every PE memory that random steps read and write
MATRIX = 32  # LM words 32..63 hold block-float sources and are never written
PES = [(b, m, p) for b in range(2) for m in range(16) for p in range(4)]
PREFIX = {1: "", 2: "l", 4: "ll"}
CONSTS = {"l2bid": 0, "l1bid": 1, "mabid": 15, "peid": 63, "subpeid": 3}


class Fail(Exception):
    """No free port for what was asked; the caller leaves the expression out."""


class Step:
    """Ports of one step (ISA notes 9.3, 9.4)."""

    def __init__(self):
        self.reads, self.writes, self.omr_writes = {}, {}, set()
        self.exprs, self.fwd = [], {}
        self.mask = None  # (text without slash, entry)
        self.zero_flush = False


class Ports:
    """State of a growing program: hazards, base registers, defined forwarding paths and masks."""

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
        self.turn = None  # a PE -> L1BM opcode and width for the turnaround template
        self.sides = {}
        self.used = set()
        self.main = self.rng.choice("hhffdd")

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
            return (
                (area + k + lo % unit - lo) % modulus
                if (area + k + lo % unit - lo) % unit == 0
                else (area + k - lo // unit * unit) % modulus
            )

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
            if self.fwd.get("mreadf", 0) >= (need or 32 * unit):
                choices += ["mreadf"] * 4
        if "m" in choices and self.tval is not None and area == 0 and "m" not in step.reads and r.random() < 0.3:
            choices += ["mt"] * 4
        if not choices:
            raise Fail
        c = r.choice(choices)
        if c == "const":
            name = r.choice(list(CONSTS) + ["msb1"])
            return f"${name}", 128
        if c in ("mauf", "aluf", "lbf", "mreadf"):
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
            if flags and bits >= 64 and not step.omr_writes:
                kinds += ["omr"]
            k = r.choice(kinds) if kinds else None
            if k is None:
                break
            if k == "omr":
                free = [
                    n
                    for n in range(1, 16)
                    if n not in step.omr_writes
                    and (step.mask is None or n != step.mask[1])
                    and (self.multi is None or n != self.multi[0])
                ]
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
        saved = (
            dict(step.reads),
            dict(step.writes),
            set(step.omr_writes),
            list(step.exprs),
            dict(step.fwd),
            step.zero_flush,
        )
        try:
            unit(step)
        except Fail:
            step.reads, step.writes, step.omr_writes, step.exprs, step.fwd, step.zero_flush = saved
