// L2BM instructions (ISA 5.2): between the memory of an L2B and those of its L1Bs. Addresses come from the row:
//   L2BM[C + cycle_c*c + l1b_c*(b>>l1b_shift) + k]  <->  L1BM_b[B + cycle_b*c + k],  k < run
// Downloads run for each L1B on its own, uploads once for the L2B.
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::L2bmColumns;

int64_t l2bm_at(const StepContext& c, const L2bmColumns& f, int cycle, int b) {
  return c.op->l2bm_addr + f.cycle_c * cycle + f.l1b_c * (b >> f.l1b_shift);
}
int64_t l1bm_at(const StepContext& c, const L2bmColumns& f, int cycle) { return c.op->l1bm_addr + f.cycle_b * cycle; }

void check_ranges(StepContext& c, const L2bmColumns& f, int l2bm_operand, int l1bm_operand) {
  if (!c.strict()) return;
  // The L2BM span is that of all eight L1Bs, whatever the set and the machine.
  check_range(c, l2bm_operand, c.op->l2bm_addr, int64_t{3} * f.cycle_c + f.row_lw(), kL2bmLw);
  check_range(c, l1bm_operand, c.op->l1bm_addr, int64_t{3} * f.cycle_b + f.run, kL1bmLw);
}

void down(StepContext& c, const Insn& insn) {
  const int b = c.where.b;
  if ((insn.l1b_set >> b & 1) == 0) return;
  const L2bmColumns& f = insn.def->l2bm;
  check_ranges(c, f, 0, 8);
  for (int cycle = 0; cycle < 4; ++cycle) {
    const int64_t from = l2bm_at(c, f, cycle, b), to = l1bm_at(c, f, cycle);
    copy_wrapped(c.l1bm->lw, to, kL1bmLw, c.l2bm->lw, from, kL2bmLw, f.run);
    if (c.strict()) copy_wrapped(c.l1bm_def->lw, to, kL1bmLw, c.l2bm_def->lw, from, kL2bmLw, f.run);
  }
}

// Copies from L1B b.
void up(StepContext& c, const L2bmColumns& f, int b) {
  for (int cycle = 0; cycle < 4; ++cycle) {
    const int64_t from = l1bm_at(c, f, cycle), to = l2bm_at(c, f, cycle, b);
    copy_wrapped(c.l2bm->lw, to, kL2bmLw, c.l1bms[b].lw, from, kL1bmLw, f.run);
    if (c.strict()) copy_wrapped(c.l2bm_def->lw, to, kL2bmLw, c.l1bm_defs[b].lw, from, kL1bmLw, f.run);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void l2bm_b_down(StepContext& c, const Insn& insn) { emu::down(c, insn); }
void l2bm_d_down(StepContext& c, const Insn& insn) { emu::down(c, insn); }

void l2bm_d_up(StepContext& c, const Insn& insn) {
  emu::check_ranges(c, insn.def->l2bm, 8, 0);
  for (int b = 0; b < c.l1b_count; ++b) emu::up(c, insn.def->l2bm, b);
}

void l2bm_copy_up(StepContext& c, const Insn& insn) {
  emu::check_ranges(c, insn.def->l2bm, 8, 0);
  emu::up(c, insn.def->l2bm, insn.mab);
}

// l2bmr: one group of all eight L1Bs; l2bmr2: four pairs, whose results stand in rows of their own.
void l2bm_r(StepContext& c, const Insn& insn) {
  using namespace emu;
  constexpr int kL1bs = 8;  // inputs of the network, whatever the machine has (ISA 5.2)
  const isa::L2bmColumns& f = insn.def->l2bm;
  check_ranges(c, f, 8, 0);
  const num::Reduce op = reduce_of(insn.reduce->rrn);
  const num::Lane lane = lane_of(insn.prec);
  const int bits = num::lane_bits(lane);
  const uint64_t identity = identity_word(op, lane);
  const int members = f.l1b_c == 0 ? kL1bs : 1 << f.l1b_shift;
  const auto sends = [&](int b) { return b < c.l1b_count && (insn.l1b_set >> b & 1) != 0; };
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int first = 0; first < kL1bs; first += members)
      for (int k = 0; k < f.run; ++k) {
        const auto from = static_cast<size_t>((l1bm_at(c, f, cycle) + k) % kL1bmLw);
        const auto to = static_cast<size_t>((l2bm_at(c, f, cycle, first) + k) % kL2bmLw);
        uint64_t in[kL1bs];
        for (int i = 0; i < members; ++i) in[i] = sends(first + i) ? c.l1bms[first + i].lw[from] : identity;
        c.l2bm->lw[to] = num::reduce_words(op, lane, in, members, *c.switches);
        if (!c.strict()) continue;
        uint8_t def = 0;
        for (int e = 0; e < 64 / bits; ++e) {
          const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (e + 1) * bits / 16));
          GroupCount count;
          for (int b = first; b < first + members; ++b)
            if (sends(b)) count.add((whole_elements(c.l1bm_defs[b].lw[from], bits) & lanes) == lanes);
          if (combine(c, count.get(), FindingKind::kUndefinedReduction, 0, c.where, static_cast<int64_t>(from)))
            def |= lanes;
        }
        c.l2bm_def->lw[to] = def;
      }
}

// The two halves of l2bmi. In the upload phase every receiver stages the words of its sender, from L1BMs as they were
// before the step; in the download phase, after PEs have read theirs, it stores them.
void l2bm_i(StepContext& c, const Insn& insn) {
  using namespace emu;
  const isa::L2bmColumns& f = insn.def->l2bm;
  if (c.strict()) {
    check_range(c, 0, insn.srcs[0].addr[0], int64_t{3} * f.cycle_b + f.run, kL1bmLw);
    check_range(c, 8, insn.dsts[0].addr[0], int64_t{3} * f.cycle_b + f.run, kL1bmLw);
  }
  const int kept = insn.l1b_mask;
  int sender = 0;
  while ((insn.l1b_set >> sender & 1) == 0) ++sender;
  for (int b = 0; b < c.l1b_count; ++b) {
    const int from = (b & kept) | (sender & ~kept);
    c.l1bms[b].arrives = from < c.l1b_count;
    if (!c.l1bms[b].arrives) continue;
    for (int cycle = 0; cycle < 4; ++cycle) {
      const int64_t at = insn.srcs[0].addr[0] + f.cycle_b * cycle;
      copy_wrapped(c.l1bms[b].staged, f.run * cycle, kStagedLw, c.l1bms[from].lw, at, kL1bmLw, f.run);
      if (c.strict())
        copy_wrapped(c.l1bm_defs[b].staged, f.run * cycle, kStagedLw, c.l1bm_defs[from].lw, at, kL1bmLw, f.run);
    }
  }
}

void l2bm_i_arrive(StepContext& c, const Insn& insn) {
  using namespace emu;
  const isa::L2bmColumns& f = insn.def->l2bm;
  if (!c.l1bm->arrives) return;
  for (int cycle = 0; cycle < 4; ++cycle) {
    const int64_t at = insn.dsts[0].addr[0] + f.cycle_b * cycle;
    copy_wrapped(c.l1bm->lw, at, kL1bmLw, c.l1bm->staged, f.run * cycle, kStagedLw, f.run);
    if (c.strict()) copy_wrapped(c.l1bm_def->lw, at, kL1bmLw, c.l1bm_def->staged, f.run * cycle, kStagedLw, f.run);
  }
}

}  // namespace kumihimo::mncore2::sem
