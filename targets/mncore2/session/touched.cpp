#include "targets/mncore2/session/touched.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/hazard/rules.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"

namespace kumihimo::mncore2::session {
namespace {

using isa::Mem;
using isa::Unit;

constexpr int64_t kAll = INT64_MAX;  // cut to the memory's capacity by the selection

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }
bool counts_words(Mem mem) { return emu::find_memory(mem)->address_step == 2; }

void whole(Mem mem, std::vector<Touch>& out) { out.push_back({mem, 0, kAll}); }

// Addresses of MVs wrap at the capacity (ISA 1.2).
void wrapped(Mem mem, int64_t first, int64_t count, uint8_t instances, std::vector<Touch>& out) {
  const int64_t capacity = isa::address_count(mem);
  if (count >= capacity) {
    out.push_back({mem, 0, kAll, instances});
    return;
  }
  first %= capacity;
  out.push_back({mem, first, std::min(capacity, first + count), instances});
  if (first + count > capacity) out.push_back({mem, 0, first + count - capacity, instances});
}

// Ranges that the hazard rules give for a PE instruction's writes.
void ranges(const isa::Insn& insn, const BaseAddresses& bases, std::vector<Touch>& out) {
  std::vector<hazard::Access> accesses;
  hazard::append_accesses(insn, isa::MaskState{}, accesses);
  for (const hazard::Access& a : accesses) {
    if (!hazard::is_write(a.kind)) continue;
    if (a.mem == Mem::kT || (is_lm(a.mem) && bases.written[a.mem == Mem::kLm0 ? 0 : 1])) {
      whole(a.mem, out);
      continue;
    }
    if (emu::find_memory(a.mem) == nullptr) continue;
    const int64_t step = counts_words(a.mem) ? 2 : 1;
    const int64_t capacity = isa::address_count(a.mem);
    for (const auto& [lo, hi] : a.range) {
      if (lo >= hi) continue;
      // An address outside the memory wraps or is cut; the whole memory covers it.
      if (capacity > 0 && (lo < 0 || hi > capacity || lo % step != 0))
        out.push_back({a.mem, lo < 0 || hi > capacity ? 0 : lo / step, lo < 0 || hi > capacity ? kAll : hi / step + 1});
      else
        out.push_back({a.mem, lo / step, (hi + step - 1) / step});
    }
  }
}

void step(const isa::Line& line, BaseAddresses& bases, std::vector<Touch>& out) {
  const bool latches =
      std::ranges::none_of(line.insns, [](const isa::Insn& i) { return i.def->unit == Unit::kNoforward; });
  for (const isa::Insn& insn : line.insns) {
    switch (insn.def->unit) {
      case Unit::kNop:
      case Unit::kNoforward:
      case Unit::kWait:
      case Unit::kMv: continue;
      case Unit::kMauCalc:
        if (latches) whole(Mem::kMauf, out);
        break;
      case Unit::kAlu:
        if (latches) whole(Mem::kAluf, out);
        break;
      case Unit::kMauRead:
        if (latches) whole(Mem::kMreadf, out);
        break;
      case Unit::kL1bm:
      case Unit::kL1bmTurnaround:
        if (insn.def->l1bm.upload)
          whole(Mem::kTurnaround, out);
        else if (latches)
          whole(Mem::kLbf, out);
        break;
      case Unit::kL2bmDarWrite: whole(Mem::kDar, out); break;
      case Unit::kMauWrite:
      case Unit::kL2bm: break;
    }
    ranges(insn, bases, out);
    for (const isa::Operand& o : insn.dsts) {
      if (o.mem == Mem::kMatX || o.mem == Mem::kMatY) whole(o.mem, out);
      if (o.mem == Mem::kOmr) out.push_back({Mem::kOmr, o.addr[0], o.addr[0] + 1});
    }
  }
  note_bases(line, bases);  // a base address that is written here counts from the next line on
}

}  // namespace

void note_bases(const isa::Line& line, BaseAddresses& bases) {
  for (const isa::Insn& insn : line.insns)
    for (const isa::Operand& o : insn.dsts)
      if (o.mem == Mem::kBar0 || o.mem == Mem::kBar1) bases.written[o.mem == Mem::kBar0 ? 0 : 1] = true;
}

bool writes_through_dar(const isa::Line& line) {
  return line.kind == isa::LineKind::kMv && !line.insns.empty() && !line.insns[0].dsts.empty() &&
         line.insns[0].dsts[0].mem == Mem::kDramIndirect;
}

void append_through_dar(const isa::Line& line, const emu::Machine& machine, std::vector<Touch>& out) {
  const isa::Insn& insn = line.insns[0];
  const isa::MvRange entries = isa::mv_footprint(insn).dst;
  const int64_t per_entry = 16 * std::max<int64_t>(insn.nd, 1), table = machine.config().dar_entries;
  for (int g = 0; g < machine.config().groups; ++g) {
    if ((entries.instances >> g & 1) == 0) continue;
    for (int64_t k = 0; k < entries.length; ++k) {
      const auto value = machine.read_lw(Mem::kDar, {g, 0, 0, 0, 0}, (entries.addr + k) % table);
      wrapped(Mem::kDram, 16 * static_cast<int64_t>(*value), per_entry, static_cast<uint8_t>(1 << g), out);
    }
  }
}

void append_touched(const isa::Line& line, BaseAddresses& bases, std::vector<Touch>& out) {
  switch (line.kind) {
    case isa::LineKind::kPe: step(line, bases, out); break;
    case isa::LineKind::kMv: {
      if (line.insns.empty() || line.insns[0].dsts.empty()) break;
      const isa::MvRange r = isa::mv_footprint(line.insns[0]).dst;
      if (writes_through_dar(line))
        out.push_back({Mem::kDram, 0, kAll, r.instances});
      else
        wrapped(r.mem, r.addr, r.length, r.instances, out);
      break;
    }
    case isa::LineKind::kDebugSet:
      if (line.mem.mem == Mem::kT) {
        whole(Mem::kT, out);
      } else {
        const int64_t words = isa::width_words(line.mem.width) * int64_t{line.count};
        if (counts_words(line.mem.mem))
          out.push_back({line.mem.mem, line.mem.addr / 2, (line.mem.addr + words + 1) / 2});
        else
          out.push_back({line.mem.mem, line.mem.addr, line.mem.addr + std::max<int64_t>(1, words / 2)});
      }
      break;
    case isa::LineKind::kHostRow:
    case isa::LineKind::kHostDma:
      wrapped(line.mem.mem, line.mem.addr, static_cast<int64_t>(line.payload.size()),
              static_cast<uint8_t>(1 << line.mem.n), out);
      break;
    case isa::LineKind::kEmpty:
    case isa::LineKind::kMask:
    case isa::LineKind::kDebugGet:
    case isa::LineKind::kQuit: break;
  }
}

void join(std::vector<Touch>& touches) {
  std::ranges::sort(touches, {}, [](const Touch& t) { return std::tuple(t.mem, t.first_lw, t.end_lw); });
  std::vector<Touch> out;
  for (const Touch& t : touches) {
    if (!out.empty() && out.back().mem == t.mem && t.first_lw <= out.back().end_lw) {
      out.back().end_lw = std::max(out.back().end_lw, t.end_lw);
      out.back().instances |= t.instances;
    } else {
      out.push_back(t);
    }
  }
  touches = std::move(out);
}

bool meets(const Selection& selection, const std::vector<Touch>& touches) {
  for (const Part& part : selection.parts)
    for (const Touch& t : touches)
      if (t.mem == part.mem && t.first_lw < part.end_lw && part.first_lw < t.end_lw) return true;
  return false;
}

Watched::Watched(const Selection& selection, const std::vector<Touch>& touches, const MachineConfig& machine) {
  for (const Part& part : selection.parts)
    for (const Touch& t : touches) {
      if (t.mem != part.mem) continue;
      const int64_t first = std::max(t.first_lw, part.first_lw), end = std::min(t.end_lw, part.end_lw);
      if (first >= end) continue;
      for_each_unit(part, machine, [&](UnitCoord u) {
        const int bit = t.mem == Mem::kL2bm ? 2 * u.g + u.s : t.mem == Mem::kPdm || t.mem == Mem::kDram ? u.g : 0;
        if ((t.instances >> bit & 1) == 0) return;
        runs_.push_back({t.mem, u, first, end - first});
        words_ += end - first;
      });
    }
}

std::vector<uint64_t> Watched::read(const emu::Machine& machine) const {
  std::vector<uint64_t> out(static_cast<size_t>(words_));
  size_t at = 0;
  for (const Run& r : runs_) {
    [[maybe_unused]] const Status s =
        machine.read_span(r.mem, r.unit, r.first_lw, {out.data() + at, static_cast<size_t>(r.count)});
    assert(s.ok());  // a selection holds what exists
    at += static_cast<size_t>(r.count);
  }
  return out;
}

}  // namespace kumihimo::mncore2::session
