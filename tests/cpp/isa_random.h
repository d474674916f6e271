// Random instructions made from the rows: every row, modifier and operand kind. The laws of the assembler and the
// comparison of the emulator's paths draw from it.
//
// Not every instruction that comes out is legal; isa::check_line decides.
#pragma once

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::isa_test {

using isa::Insn;
using isa::InsnDef;
using isa::Line;
using isa::Mem;
using isa::Operand;
using isa::OperandRole;
using isa::Width;

struct Habits {
  bool mistakes = true;  // now and then a wrong number, so that both verdicts of the checker are common
  int words = 4096;  // PE memories are addressed below this, so that a small number makes programs read what they wrote
  int rows = 1000;   // the same for L1BM, L2BM, PDM and DRAM, in blocks of 64 and 16 long words
};

class Generator {
 public:
  explicit Generator(uint64_t seed, Habits habits = {}) : habits_(habits), rng_(seed) {}
  int pick(int n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  bool rarely() { return habits_.mistakes && pick(24) == 0; }

  Insn insn(const isa::Stem& stem) {
    Insn insn;
    insn.def = stem.rows[static_cast<size_t>(pick(static_cast<int>(stem.rows.size())))];
    insn.prec = stem.prec;
    insn.is_unsigned = stem.is_unsigned;
    insn.half_select = stem.half_select;
    insn.narrow = stem.narrow;
    insn.reduce = stem.reduce;
    const InsnDef& def = *insn.def;
    if (def.allows(isa::kOptBfBits) && insn.prec == isa::Prec::kH)
      insn.bf_bits = static_cast<int8_t>(rarely() ? 5 : 6 + pick(4));
    if (def.allows(isa::kOptMab)) insn.mab = static_cast<int8_t>(pick(rarely() ? 20 : def.l1bm.lw.quad != 0 ? 4 : 16));
    if (def.allows(isa::kOptL1bIndex)) insn.mab = static_cast<int8_t>(pick(8));
    if (def.allows(isa::kOptShift)) insn.shift = static_cast<int8_t>(pick(31) - 15);
    if (def.allows(isa::kOptL1bSet) && pick(2) == 0) l1b_set(insn);
    if (def.allows(isa::kOptZeroFlush) && pick(4) == 0) insn.zero_flush = mask();
    if (def.unit == isa::Unit::kNop) insn.nop_count = 1 + static_cast<uint32_t>(pick(5));
    if (def.unit == isa::Unit::kWait) insn.tag = static_cast<uint8_t>(pick(64));
    if (def.unit == isa::Unit::kMv && def.has_dst()) {
      insn.size = static_cast<uint32_t>((1 + pick(8)) * (rarely() ? 10 : 128));
      insn.tag = static_cast<uint8_t>(pick(64));
      insn.priority = static_cast<uint8_t>(pick(4));
      if (pick(4) == 0) insn.nd = static_cast<uint32_t>(1 + pick(9));
    }
    if (def.srcs[0].role == OperandRole::kLiteral) {
      insn.literal = static_cast<uint32_t>(rng_());
      return with_dsts(insn);
    }
    if (def.srcs[0].role == OperandRole::kTag) return insn;
    for (int i = 0; i < def.num_srcs(); ++i)
      insn.srcs.push_back(operand(insn, def.srcs[static_cast<size_t>(i)], false));
    return with_dsts(insn);
  }

  Line line() {
    const auto stems = isa::all_stems();
    std::vector<Insn> insns;
    const int count = pick(3) == 0 ? 2 + pick(2) : 1;
    for (int i = 0; i < count; ++i)
      insns.push_back(insn(stems[static_cast<size_t>(pick(static_cast<int>(stems.size())))]));
    return isa::step(std::move(insns));
  }

 private:
  Insn with_dsts(Insn insn) {
    const InsnDef& def = *insn.def;
    if (!def.has_dst()) return insn;
    const int count = def.dst.role == OperandRole::kPeDst && pick(3) == 0 ? 2 : 1;
    for (int i = 0; i < count; ++i) insn.dsts.push_back(operand(insn, def.dst, true));
    return insn;
  }

  isa::MaskSpec mask() {
    isa::MaskSpec m = pick(2) == 0 ? isa::mask_cycles(pick(16), pick(2) == 0) : isa::mask_entry(pick(32), pick(2) == 0);
    if (pick(8) == 0) m.suffix = pick(2) == 0 ? 't' : 'p';
    return m;
  }

  void l1b_set(Insn& insn) {
    const int b = pick(8);
    insn.l1b_mask = static_cast<uint8_t>(pick(8));
    insn.l1b_set = 0;
    for (int l = 0; l < 8; ++l)
      if (((l ^ b) & ~insn.l1b_mask & 7) == 0) insn.l1b_set = static_cast<uint8_t>(insn.l1b_set | 1 << l);
    insn.explicit_l1b_set = true;
  }

  Operand pe_memory() {
    const Mem mem = static_cast<Mem>(static_cast<int>(Mem::kLm0) + pick(4));
    const auto width = static_cast<Width>(pick(3));
    const int unit = rarely() ? 1 : isa::width_words(width);
    const int limit = std::min(habits_.words, static_cast<int>(isa::address_count(mem))) + (rarely() ? 64 : 0);
    auto addr = [&] { return pick(limit / unit) * unit; };
    Operand op;
    switch (pick(4)) {
      case 0: op = isa::pe(mem, addr(), width); break;
      case 1: op = isa::pe(mem, addr(), width, isa::width_words(width)); break;
      case 2: op = isa::pe(mem, addr(), width, unit * pick(40)); break;
      default: op = isa::pe_flat(mem, {addr(), addr(), addr(), addr()}, width); break;
    }
    if (op.addr[0] >= isa::address_count(mem)) op.addr.fill(op.addr[0]);
    if (mem == Mem::kLm0 && pick(8) == 0) op.t_indirect = true;
    if (pick(12) == 0) op.j = static_cast<int8_t>(pick(4));
    return op;
  }

  Operand mv_operand(const isa::MvSide& side, bool bare) {
    Operand op;
    op.mem = side.mem == Mem::kDram && pick(4) == 0 ? Mem::kDramIndirect : side.mem;
    op.addr[0] = op.mem == Mem::kDramIndirect ? pick(habits_.rows) : pick(habits_.rows) * 16;
    const bool group = side.instances == isa::MvInstances::kOneGroup || side.instances == isa::MvInstances::kOneL2b;
    const bool sub = side.instances == isa::MvInstances::kOneL2b || side.instances == isa::MvInstances::kOneL2bInGroup;
    if (group) op.group = static_cast<int8_t>(pick(4));
    if (sub && !bare) op.sub = static_cast<int8_t>(pick(2));
    return op;
  }

  Operand operand(const Insn& insn, const isa::OperandDef& def, bool dst) {
    Operand op;
    switch (def.role) {
      case OperandRole::kAluX:
        if (pick(6) == 0) return isa::plain(static_cast<Mem>(static_cast<int>(Mem::kMauf) + pick(10)));
        [[fallthrough]];
      case OperandRole::kPeSrc:
        op = pick(4) == 0
                 ? isa::plain(pick(2) == 0 ? Mem::kT
                                           : static_cast<Mem>(static_cast<int>(Mem::kMauf) + pick(rarely() ? 6 : 3)))
                 : pe_memory();
        if (pick(6) == 0) op.negate = true;
        if (pick(8) == 0) op.convert = pick(2) == 0 ? 'e' : 'r';
        return op;
      case OperandRole::kPeDst:
        switch (pick(8)) {
          case 0: return isa::nowrite();
          case 1: op = isa::t(); break;
          case 2: op = isa::omr(pick(17)); break;
          case 3: op = isa::plain(pick(2) == 0 ? Mem::kBar0 : Mem::kBar1); break;
          default: op = pe_memory(); break;
        }
        if (pick(4) == 0) op.mask = mask();
        return op;
      case OperandRole::kMatrix: return isa::plain(pick(2) == 0 ? Mem::kMatX : Mem::kMatY);
      case OperandRole::kMatrixRow:
        return isa::matrix(pick(2) == 0 ? Mem::kMatX : Mem::kMatY, pick(rarely() ? 18 : 4),
                           pick(2) == 0 ? Width::kLw : Width::kDlw);
      case OperandRole::kL1bmAddr:
        return isa::l1bm(pick(std::min(40, habits_.rows)) * (rarely() ? 3 : 64),
                         pick(4) == 0 ? Width::kDlw : Width::kLw);
      case OperandRole::kTurnaround:
        op = isa::plain(Mem::kTurnaround);
        op.width = pick(4) == 0 ? Width::kDlw : Width::kLw;
        return op;
      case OperandRole::kL1bmOrTurnaround:
        if (pick(4) == 0) return isa::plain(Mem::kTurnaround);
        return isa::l1bm(pick(std::min(40, habits_.rows)) * (rarely() ? 3 : 64),
                         pick(4) == 0 ? Width::kDlw : Width::kLw);
      case OperandRole::kL2bmAddr:
        return isa::l2bm(pick(std::min(40, habits_.rows)) * (rarely() ? 3 : 64), -1,
                         insn.def->dst.role == OperandRole::kDarAddr && !rarely() ? pick(2) : -1);
      case OperandRole::kDarAddr: return isa::dar(pick(rarely() ? 2000 : std::min(1024, habits_.rows)));
      case OperandRole::kMvMem: return mv_operand(dst ? insn.def->mv.dst : insn.def->mv.src, insn.def->form == "lc>d");
      case OperandRole::kNone:
      case OperandRole::kLiteral:
      case OperandRole::kTag:
      case OperandRole::kCount: break;
    }
    return op;
  }

  const Habits habits_;
  std::mt19937_64 rng_;
};

}  // namespace kumihimo::mncore2::isa_test
