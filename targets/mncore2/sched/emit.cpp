#include "targets/mncore2/sched/emit.h"

#include <algorithm>

#include "targets/mncore2/isa/build.h"

namespace kumihimo::mncore2::sched {

using isa::Insn;
using isa::Line;
using isa::Mem;
using isa::Operand;
using isa::Unit;
using isa::Width;

namespace {

constexpr std::array<Mem, kNumBanks> kBankMem{Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1, Mem::kT};

Mem latch_of(Unit unit) {
  switch (unit) {
    case Unit::kMauCalc: return Mem::kMauf;
    case Unit::kMauRead: return Mem::kMreadf;
    case Unit::kL1bm:
    case Unit::kL1bmTurnaround: return Mem::kLbf;
    default: return Mem::kAluf;
  }
}

class Emitter {
 public:
  Emitter(const Model& model, const Timing& timing, const Places& places)
      : model_(model), timing_(timing), places_(places) {}

  Insn insn(size_t index) const {
    const VInsn& v = model_.program.insns[index];
    const InsnModel& m = model_.insns[index];
    Insn out = v.proto;
    out.srcs.clear();
    out.dsts.clear();
    int32_t src = m.first_src, dst = m.first_dst;
    for (const VUse& use : v.srcs) {
      if (use.kind != VUseKind::kReg) {
        out.srcs.push_back(other_operand(use));
        continue;
      }
      const SrcModel& s = model_.srcs[static_cast<size_t>(src)];
      const int8_t place = timing_.src_place[static_cast<size_t>(src++)];
      out.srcs.push_back(modified(place == kFromLatch
                                      ? isa::plain(latch_of(model_.insns[static_cast<size_t>(s.forward_def)].unit))
                                      : in_bank(use, s.web, place),
                                  use));
    }
    for (const VUse& use : v.dsts) {
      if (use.kind != VUseKind::kReg) {
        if (use.kind != VUseKind::kNone) out.dsts.push_back(other_operand(use));
        continue;
      }
      const DstModel& d = model_.dsts[static_cast<size_t>(dst)];
      const uint8_t banks = places_.written[static_cast<size_t>(dst++)];
      for (int bank = 0; bank < kNumBanks; ++bank)
        if (banks >> bank & 1) out.dsts.push_back(isa::masked(in_bank(use, d.web, bank), mask(v)));
    }
    if (v.writes_mask != kNoId) out.dsts.push_back(isa::omr(model_.mask_entry[v.writes_mask]));
    const bool into_pe = v.proto.def->dst.role == isa::OperandRole::kPeDst;
    if (out.dsts.empty() && into_pe) out.dsts.push_back(isa::nowrite());
    if (m.is_mv) out.tag = timing_.tag[index];
    return out;
  }

  // Names of what the instruction produces, for the reader of the code.
  std::string note(size_t index) const {
    const VInsn& v = model_.program.insns[index];
    std::string text;
    auto add = [&](const std::string& name) {
      if (!name.empty() && text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
    };
    for (const VUse& use : v.dsts) add(name_of(use));
    if (v.writes_mask != kNoId) add("mask" + std::to_string(v.writes_mask));
    if (text.empty() && !v.srcs.empty()) add(name_of(v.srcs.back()));
    return text;
  }

 private:
  static isa::MaskSpec entry_mask(int entry, bool ll) {
    return entry >= 16 ? isa::mask_cycles(entry - 16, ll) : isa::mask_entry(entry, ll);
  }
  isa::MaskSpec mask(const VInsn& v) const {
    if (v.write_mask != kNoId) return entry_mask(model_.mask_entry[v.write_mask], v.mask_ll);
    if (v.fixed_mask != 0) return entry_mask(v.fixed_mask, v.mask_ll);
    return {};
  }

  Operand in_bank(const VUse& use, int32_t web, int bank) const {
    if (bank == bank_index(Bank::kT)) return isa::t();
    const Web& w = model_.webs[static_cast<size_t>(web)];
    const int32_t base = places_.web_addr[static_cast<size_t>(web)][static_cast<size_t>(bank)];
    std::array<int32_t, 4> addr{};
    for (size_t c = 0; c < 4; ++c)
      addr[c] = 2 * (base + use.row[c] - w.first_row) + (use.width == Width::kW ? use.word[c] : 0);
    return isa::pe_at(kBankMem[static_cast<size_t>(bank)], addr, use.width);
  }

  static Operand modified(Operand op, const VUse& use) {
    if (use.negate) op = isa::negated(op);
    if (use.convert != 0) op = isa::converted(op, use.convert);
    return op;
  }

  Operand other_operand(const VUse& use) const {
    switch (use.kind) {
      case VUseKind::kBuf: {
        const VBuf& buf = model_.program.bufs[use.id];
        const int64_t addr = places_.buf_addr[use.id] + use.offset_lw;
        switch (buf.mem) {
          case Mem::kL1bm: return isa::l1bm(addr, use.width);
          case Mem::kL2bm: return isa::l2bm(addr, use.group, use.sub);
          case Mem::kPdm: return isa::pdm(addr, use.group);
          default: return isa::dram(addr, use.group);
        }
      }
      case VUseKind::kMat: {
        const Mem side = model_.mat_side[use.id] == 0 ? Mem::kMatX : Mem::kMatY;
        return isa::matrix(side, static_cast<int>(use.offset_lw), use.width);
      }
      case VUseKind::kConst: return isa::plain(use.constant);
      default: return isa::nowrite();
    }
  }

  std::string name_of(const VUse& use) const {
    switch (use.kind) {
      case VUseKind::kReg: return model_.program.regs[use.id].name;
      case VUseKind::kBuf: return model_.program.bufs[use.id].name;
      case VUseKind::kMat: return "matrix" + std::to_string(use.id);
      default: return {};
    }
  }

  const Model& model_;
  const Timing& timing_;
  const Places& places_;
};

}  // namespace

void emit_program(const Model& model, const Timing& timing, const Places& places, Scheduled& out) {
  const Emitter emitter(model, timing, places);
  const size_t num_steps = static_cast<size_t>(timing.num_steps);
  std::vector<std::vector<int32_t>> at_step(num_steps);
  std::vector<int32_t> mv_before(num_steps + 1, -1), wait_at(num_steps, -1);
  for (size_t i = 0; i < model.insns.size(); ++i) {
    const int32_t id = static_cast<int32_t>(i);
    if (model.insns[i].is_mv) {
      mv_before[static_cast<size_t>(timing.step[i])] = id;
      if (timing.wait_step[i] >= 0) wait_at[static_cast<size_t>(timing.wait_step[i])] = id;
    } else {
      at_step[static_cast<size_t>(timing.step[i])].push_back(id);
    }
  }
  auto add_line = [&](Line line, const std::vector<int32_t>& insns, std::string note) {
    std::vector<int32_t> nodes;
    for (int32_t i : insns) {
      const int32_t node = model.program.insns[static_cast<size_t>(i)].node;
      const std::string part = emitter.note(static_cast<size_t>(i));
      if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
      if (node >= 0 && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
    }
    out.program.lines.push_back(std::move(line));
    out.notes.push_back(std::move(note));
    out.line_nodes.push_back(std::move(nodes));
  };
  uint32_t empty = 0;
  auto flush_nops = [&] {
    if (empty > 0) add_line(isa::step({isa::make_nop(empty)}), {}, "");
    empty = 0;
  };
  for (size_t t = 0; t < num_steps; ++t) {
    if (mv_before[t] >= 0) {
      flush_nops();
      add_line(isa::step({emitter.insn(static_cast<size_t>(mv_before[t]))}), {mv_before[t]}, "");
    }
    auto& insns = at_step[t];
    if (insns.empty() && wait_at[t] < 0) {
      ++empty;
      continue;
    }
    flush_nops();
    std::sort(insns.begin(), insns.end(), [&](int32_t a, int32_t b) {
      return model.insns[static_cast<size_t>(a)].unit < model.insns[static_cast<size_t>(b)].unit;
    });
    std::vector<Insn> line;
    for (int32_t i : insns) line.push_back(emitter.insn(static_cast<size_t>(i)));
    std::string note;
    if (wait_at[t] >= 0) {
      if (line.empty()) line.push_back(isa::make_nop(1));
      line.push_back(isa::make_wait(timing.tag[static_cast<size_t>(wait_at[t])]));
      note = "wait for " + emitter.note(static_cast<size_t>(wait_at[t]));
    }
    add_line(isa::step(std::move(line)), insns, std::move(note));
  }
  flush_nops();
}

}  // namespace kumihimo::mncore2::sched
