"""The machine: runs VSM text statement by statement (ISA notes 3, 3.5 "each instruction takes effect at once")."""

from . import debug, units
from .access import commit
from .dar import is_dar, run_dar
from .mv import run_mv
from .state import DRAM_WORDS, PDM_WORDS, Group, read_words
from .switches import DEFAULT
from .transfer import L1bm, is_l1bm, is_l2bm, run_l1bm_down, run_l1bm_up, run_l2bm
from .vsm import Mask, VsmError, parse, parse_line


class Machine:
    """A tree of any size; the default is the small one used for fuzzing. 16 MABs and 4 PEs are fixed."""

    def __init__(self, groups=1, l2b=1, l1b=2, switches=DEFAULT):
        self.groups = [Group(g, l2b, l1b) for g in range(groups)]
        self.l2bs = [x for g in self.groups for x in g.l2bs]
        self.l1bs = [x for s in self.l2bs for x in s.l1bs]
        self.mabs = [x for b in self.l1bs for x in b.mabs]
        self.pes = [x for m in self.mabs for x in m.pes]
        self.switches = switches
        self.multi = (None, set())
        self.steps = 0
        self.dump = []

    def run(self, text):
        """Run a program; returns the `d get` lines of this call (also kept in self.dump)."""
        first = len(self.dump)
        for line in parse(text):
            try:
                self._line(line)
            except VsmError as e:
                raise VsmError(f"line {line.number}: {e}: {line.text}") from None
        return self.dump[first:]

    def _line(self, line):
        if line.kind == "mask":
            index, ll, letters = line.args
            self.multi = (Mask(index, ll), letters)
        elif line.kind == "debug":
            if line.args[0] == "get":
                self.dump += debug.get(self, line.args)
            else:
                debug.put(self, line.args)
        elif line.kind == "load":
            group, addr, count, words = line.args
            if len(words) not in (1, count):
                raise VsmError("r: one long word, or as many as the count")
            for k in range(count):
                self.groups[group].dram[(addr + k) % DRAM_WORDS] = words[k if len(words) > 1 else 0]
        elif line.kind == "host":
            # host DMA reaches PDM 0 only (ISA notes 1.4); its tag is complete at once
            addr, count, words = line.args
            if len(words) != count:
                raise VsmError("c: as many long words as the count")
            for k, word in enumerate(words):
                self.groups[0].pdm[(addr + k) % PDM_WORDS] = word
        elif line.kind == "mv":
            run_mv(line.exprs[0], self.groups, self.switches)
        else:
            self._step(line.exprs)

    def _step(self, exprs):
        """One PE step: everything reads the state before the step, then everything is written (ISA notes 3.2, 9.1)."""
        names = [e.op for e in exprs]
        for e in exprs:
            if e.op == "wait" and not 1 <= (e.literal or 0) <= 0x3F:
                raise VsmError("wait needs a tag i01 to i3f")
        if "nop" in names:
            if set(names) - {"nop", "wait"}:
                raise VsmError("nop goes with wait only")
            e = exprs[names.index("nop")]
            self.steps += int(e.parts[0]) if e.parts else 1
            return
        self.steps += 1
        forward = "noforward" not in names
        run_dar([e for e in exprs if is_dar(e.op)], self.groups, self.switches)
        results, rows, turns, stores = [], [], [], []
        for e in exprs:
            if e.op in ("noforward", "wait") or is_dar(e.op):
                continue
            if is_l2bm(e.op):
                stores += run_l2bm(e, self.l2bs, self.switches)
            elif is_l1bm(e.op):
                ins = L1bm(e)
                if ins.down:
                    results.append(run_l1bm_down(ins, self.l1bs))
                else:
                    turns += run_l1bm_up(ins, self.l1bs, self.switches)
            elif units.is_mau(e.op):
                results.append(units.run_mau(e, self.mabs, self.switches))
            elif units.mwrite_letter(e.op):
                rows += units.run_mwrite(e, self.mabs, self.switches)
            elif units.mread_letter(e.op):
                results.append(units.run_mread(e, self.mabs, self.switches))
            elif units.is_alu(e.op):
                results.append(units.run_alu(e, self.mabs, self.switches))
            else:
                raise VsmError(f"unknown instruction {e.op!r}")
        for mab, side, row, words in rows:
            mab.side[side][row] = words
        for l1b, turn, mem in turns:
            if forward:
                l1b.turn = turn
            l1b.mem.update(mem)
        for mem, where, value in stores:
            mem[where] = value
        commit(results, self.pes, self.multi, self.switches, forward)

    # ---------------------------------------------------------------- reading

    def pe(self, where):
        g, s, b, m, p = where
        return self.groups[g].l2bs[s].l1bs[b].mabs[m].pes[p]

    def read(self, name, pe=(0, 0, 0, 0, 0), addr=None):
        """Bits of any memory: read('lm0', pe=(g,s,b,m,p)), read('lm', pe, 8), 'lt2', 'lb16', 'lc0', 'd0', 'p0'.

        The place may be shorter than five numbers for memories above the PE. The address is the one of
        the notation (words for PE memories, long words above)."""
        text = "$" + name.lstrip("$")
        if addr is not None:
            text += str(addr)
        line = parse_line(f"d get {text} 1", 0)
        target = line.args[2]
        target.sel = dict(zip(debug.LEVELS.get(target.mem, "ncbmp"), pe))
        ((_, obj),) = debug.places(self, target)
        if target.mem == "omr":
            acc = 0
            for bits in obj.omr[target.addr]:
                acc = (acc << 4) | bits
            return acc
        if target.mem in "xy":
            return list(obj.side[target.mem][target.addr])
        return debug.access(target, obj, 0)[1]

    def read_lws(self, mem, where, addr, count):
        """`count` long words of a PE memory (m, n, r, s) from word address `addr`."""
        pe = self.pe(where)
        size = 4096 if mem in "mn" else 512
        return [read_words(pe.mem[mem], addr + 2 * k, 2, size) for k in range(count)]
