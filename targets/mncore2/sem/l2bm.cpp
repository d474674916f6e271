// L2BM instructions (ISA 5.2): between the memory of an L2B and those of its L1Bs. Addresses come from the row:
//   L2BM[C + cycle_c*c + l1b_c*b + k]  <->  L1BM_b[B + cycle_b*c + k],  k < run
// Downloads run for each L1B on its own, uploads once for the L2B.
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::L2bmColumns;

int64_t l2bm_at(const StepContext& c, const L2bmColumns& f, int cycle, int b) {
  return c.op->l2bm_addr + f.cycle_c * cycle + f.l1b_c * b;
}
int64_t l1bm_at(const StepContext& c, const L2bmColumns& f, int cycle) { return c.op->l1bm_addr + f.cycle_b * cycle; }

void check_ranges(StepContext& c, const L2bmColumns& f, int l2bm_operand, int l1bm_operand) {
  if (!c.strict()) return;
  // The L2BM span is that of all eight L1Bs, whatever the set and the machine.
  check_range(c, l2bm_operand, c.op->l2bm_addr, int64_t{3} * f.cycle_c + 7 * f.l1b_c + f.run, kL2bmLw);
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

void l2bm_r(StepContext& c, const Insn& insn) {
  using namespace emu;
  constexpr int kL1bs = 8;  // inputs of the network, whatever the machine has (ISA 5.2)
  const isa::L2bmColumns& f = insn.def->l2bm;
  check_ranges(c, f, 8, 0);
  const num::Reduce op = reduce_of(insn.reduce->rrn);
  const num::Lane lane = lane_of(insn.prec);
  const int bits = num::lane_bits(lane);
  const uint64_t identity = identity_word(op, lane);
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int k = 0; k < f.run; ++k) {
      const auto from = static_cast<size_t>((l1bm_at(c, f, cycle) + k) % kL1bmLw);
      const auto to = static_cast<size_t>((l2bm_at(c, f, cycle, 0) + k) % kL2bmLw);
      uint64_t in[kL1bs];
      for (int b = 0; b < kL1bs; ++b)
        in[b] = b < c.l1b_count && (insn.l1b_set >> b & 1) ? c.l1bms[b].lw[from] : identity;
      c.l2bm->lw[to] = num::reduce_words(op, lane, in, kL1bs, *c.switches);
      if (!c.strict()) continue;
      uint8_t def = 0;
      for (int e = 0; e < 64 / bits; ++e) {
        const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (e + 1) * bits / 16));
        GroupCount count;
        for (int b = 0; b < c.l1b_count; ++b)
          if (insn.l1b_set >> b & 1) count.add((whole_elements(c.l1bm_defs[b].lw[from], bits) & lanes) == lanes);
        if (combine(c, count.get(), FindingKind::kUndefinedReduction, 0, c.where, static_cast<int64_t>(from)))
          def |= lanes;
      }
      c.l2bm_def->lw[to] = def;
    }
}

}  // namespace kumihimo::mncore2::sem
