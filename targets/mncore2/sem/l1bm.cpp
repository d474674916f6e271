// L1BM instructions (ISA 5.3, 5.4): between the memory of an L1B and its 16 MABs x 4 PEs.
//
// The row's formula column places every long word: B + cycle*c + mab*m + quad*(m>>2) + pe*p + word*w. The three `down`
// functions and the two turnaround ones are one function over that column, run for each MAB; `up` functions run once
// for the L1B with what all MABs sent. An upload leaves its data in the turnaround register as well, unshifted.
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::L1bmFormula;

constexpr uint32_t kWrap = kL1bmLw - 1;
static_assert((kL1bmLw & kWrap) == 0);

// Place of PE 0 of MAB m in the row of one cycle.
int row_place(const L1bmFormula& f, int m) { return f.mab * m + f.quad * (m >> 2); }

const L1bmFormula& formula_of(const Op& op) { return op.l1bm_dlw ? op.insn->def->l1bm.dlw : op.insn->def->l1bm.lw; }
uint8_t rate_of(const Op& op) { return op.l1bm_dlw ? op.insn->def->l1bm.rate_dlw : op.insn->def->l1bm.rate_lw; }
int64_t span_of(const L1bmFormula& f, uint8_t rate) { return int64_t{f.cycle} * 3 + rate; }

// --- L1BM or turnaround register -> PE --------------------------------------------------------------------------

void down(StepContext& c, int shift) {
  const L1bmFormula f = formula_of(*c.op);
  const int place = row_place(f, (c.where.m - shift) & (kMabs - 1));
  const int words = c.op->l1bm_dlw ? 2 : 1;
  const uint64_t* memory = c.l1bm->lw;
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint64_t* lo = c.out->v[cycle][1];
    lo[0] = lo[1] = lo[2] = lo[3] = 0;  // a long word fills the MSB side, the rest is 0 (ISA 5.3)
    for (int w = 0; w < words; ++w) {
      const auto base = static_cast<uint32_t>(c.op->l1bm_addr + f.cycle * cycle + place + f.word * w);
      uint64_t* to = c.out->v[cycle][w];
      if (f.pe == 1 && (base & kWrap) <= kWrap - 3)
        std::memcpy(to, memory + (base & kWrap), 32);
      else
        for (uint32_t pe = 0; pe < 4; ++pe) to[pe] = memory[(base + f.pe * pe) & kWrap];
    }
  }
  if (!c.strict()) return;
  check_range(c, 0, c.op->l1bm_addr, span_of(f, rate_of(*c.op)), kL1bmLw);
  for (int cycle = 0; cycle < 4; ++cycle) {
    for (int pe = 0; pe < 4; ++pe) c.out_def->v[cycle][1][pe] = kAllDefined;
    for (int w = 0; w < words; ++w)
      for (uint32_t pe = 0; pe < 4; ++pe) {
        const auto base = static_cast<uint32_t>(c.op->l1bm_addr + f.cycle * cycle + place + f.word * w);
        c.out_def->v[cycle][w][pe] = c.l1bm_def->lw[(base + f.pe * pe) & kWrap];
      }
  }
}

void turnaround(StepContext& c, int shift) {
  const L1bmFormula f = formula_of(*c.op);
  const int place = row_place(f, (c.where.m - shift) & (kMabs - 1));
  const bool same_type = c.l1bm->turn_rate == rate_of(*c.op);
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int w = 0; w < 2; ++w)
      for (int pe = 0; pe < 4; ++pe) {
        const bool present = w == 0 || c.op->l1bm_dlw;
        const int at = place + f.word * w + f.pe * pe;
        c.out->v[cycle][w][pe] = present ? c.l1bm->turn[cycle][at] : 0;
        // What an upload of another type left has another order: undefined here.
        if (c.strict())
          c.out_def->v[cycle][w][pe] = !present ? kAllDefined : same_type ? c.l1bm_def->turn[cycle][at] : 0;
      }
}

// --- PE -> L1BM -------------------------------------------------------------------------------------------------

// Stores one long word, and latches it at `turn_place` of the turnaround register.
class Upload {
 public:
  explicit Upload(StepContext& c)
      : c_(c), f_(formula_of(*c.op)), latch_(c.step->update_latches), store_(c.op->l1bm_addr >= 0) {
    if (latch_) c.l1bm->turn_rate = rate_of(*c.op);
    if (c.strict() && store_) check_range(c, 8, c.op->l1bm_addr, span_of(f_, rate_of(*c.op)), kL1bmLw);
  }
  const L1bmFormula& formula() const { return f_; }
  void put(int cycle, int place, int turn_place, uint64_t value, uint8_t def) {
    if (store_) {
      const auto at = static_cast<uint32_t>(c_.op->l1bm_addr + f_.cycle * cycle + place) & kWrap;
      c_.l1bm->lw[at] = value;
      if (c_.strict()) c_.l1bm_def->lw[at] = def;
    }
    if (latch_) {
      c_.l1bm->turn[cycle][turn_place] = value;
      if (c_.strict()) c_.l1bm_def->turn[cycle][turn_place] = def;
    }
  }

 private:
  StepContext& c_;
  const L1bmFormula f_;
  const bool latch_, store_;
};

uint8_t gathered_def(const StepContext& c, int m, int cycle, int w, int pe) {
  return c.strict() ? c.gathered_def[m].v[cycle][w][pe] : kAllDefined;
}

struct Reduced {
  uint64_t value = 0;
  uint8_t def = 0;
};

// Elements of one long word of `count` MABs from `first` on. With `narrow` they come out half as wide.
Reduced reduce_word(StepContext& c, const Insn& insn, int first, int count, int cycle, int w, int pe) {
  const num::Reduce op = reduce_of(insn.reduce->rrn);
  const num::Lane lane = lane_of(insn.prec);
  const int bits = num::lane_bits(lane), out_bits = insn.narrow ? bits / 2 : bits;
  Reduced r;
  uint64_t in[kMabs];
  for (int m = 0; m < count; ++m) in[m] = c.gathered[first + m].v[cycle][w][pe];
  if (!insn.narrow) {
    r.value = num::l1bm_reduce_words(op, lane, in, count, *c.switches);
  } else {
    const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    for (int k = 0; k < 64 / bits; ++k) {
      uint64_t element[kMabs];
      for (int m = 0; m < count; ++m) element[m] = in[m] >> (64 - (k + 1) * bits) & mask;
      r.value |= num::l1bm_reduce(op, lane, element, count, false, true, *c.switches) << (64 - (k + 1) * out_bits);
    }
  }
  if (!c.strict()) return r;
  for (int k = 0; k < 64 / bits; ++k) {
    const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (k + 1) * bits / 16));
    GroupCount known;
    for (int m = 0; m < count; ++m)
      known.add((whole_elements(gathered_def(c, first + m, cycle, w, pe), bits) & lanes) == lanes);
    UnitCoord where = c.where;
    where.p = pe;
    if (!combine(c, known.get(), FindingKind::kUndefinedReduction, 0, where, cycle)) continue;
    r.def |= insn.narrow ? static_cast<uint8_t>(((1 << (out_bits / 16)) - 1) << (4 - (k + 1) * out_bits / 16)) : lanes;
  }
  return r;
}

// The long word that a reduction stores for half w of a DLW. Narrowed elements of both halves stand in the first, so that
// l1bmrhfadd = l1bmrffaddr with an `e` source (ISA 5.5); what the second then holds is open (ISA 12 Q34).
Reduced reduce_lw(StepContext& c, const Insn& insn, int first, int count, int cycle, int w, int pe) {
  if (!insn.narrow) return reduce_word(c, insn, first, count, cycle, w, pe);
  if (w == 1) return {};
  Reduced high = reduce_word(c, insn, first, count, cycle, 0, pe);
  const Reduced low = reduce_word(c, insn, first, count, cycle, 1, pe);
  high.value |= low.value >> 32;
  high.def = static_cast<uint8_t>(high.def | low.def >> 2);
  return high;
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void l1bm_p_down(StepContext& c, const Insn&) { emu::down(c, 0); }
void l1bm_m_down(StepContext& c, const Insn&) { emu::down(c, 0); }
void l1bm_d_down(StepContext& c, const Insn& insn) { emu::down(c, insn.shift); }
void l1bm_m_turnaround(StepContext& c, const Insn&) { emu::turnaround(c, 0); }
void l1bm_d_turnaround(StepContext& c, const Insn& insn) { emu::turnaround(c, insn.shift); }

// insn.mab counts inside a group of MABs; l1bmm@M has one group of sixteen, l1bmm4@M four of four.
void l1bm_m_up(StepContext& c, const Insn& insn) {
  emu::Upload up(c);
  const auto& f = up.formula();
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int q = 0; q < (f.quad != 0 ? 4 : 1); ++q)
      for (int w = 0; w < (c.op->l1bm_dlw ? 2 : 1); ++w)
        for (int pe = 0; pe < 4; ++pe) {
          const int place = f.quad * q + f.word * w + f.pe * pe, m = 4 * q + insn.mab;
          up.put(cycle, place, place, c.gathered[m].v[cycle][w][pe], emu::gathered_def(c, m, cycle, w, pe));
        }
}

void l1bm_d_up(StepContext& c, const Insn& insn) {
  emu::Upload up(c);
  const auto& f = up.formula();
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int m = 0; m < emu::kMabs; ++m)
      for (int pe = 0; pe < 4; ++pe) {
        const int place = f.mab * ((m + insn.shift) & (emu::kMabs - 1)) + f.pe * pe;
        up.put(cycle, place, f.mab * m + f.pe * pe, c.gathered[m].v[cycle][0][pe],
               emu::gathered_def(c, m, cycle, 0, pe));
      }
}

// l1bmr: one sum of sixteen MABs; l1bmr4: four sums of four.
void l1bm_r(StepContext& c, const Insn& insn) {
  emu::Upload up(c);
  const auto& f = up.formula();
  const int groups = f.quad != 0 ? 4 : 1, members = emu::kMabs / groups;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int q = 0; q < groups; ++q)
      for (int w = 0; w < (c.op->l1bm_dlw ? 2 : 1); ++w)
        for (int pe = 0; pe < 4; ++pe) {
          const emu::Reduced r = emu::reduce_lw(c, insn, members * q, members, cycle, w, pe);
          const int place = f.quad * q + f.word * w + f.pe * pe;
          up.put(cycle, place, place, r.value, r.def);
        }
}

}  // namespace kumihimo::mncore2::sem
