// The L1BM and L2BM instructions that only move: rows of four long words from MABs to L1BM, runs of eight or sixteen
// between L1BM and L2BM.
//
// A function serves rows of the instruction table whose columns place its rows side by side; the choice at the end looks
// at the columns, so that another layout in the table goes back to the semantic function.
#include "targets/mncore2/fast/tree.h"
#include "targets/mncore2/fast/tree_rows.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::fast {
namespace {

using emu::kL1bmLw, emu::kL2bmLw, emu::kMabs;
using emu::StepContext;
using isa::Insn;

constexpr size_t kRowBytes = size_t{kRowLw} * 8;

// --- PE -> L1BM -------------------------------------------------------------------------------------------------

template <int kGroups, bool kDlw>
void rows_up(StepContext& c, const Insn& insn) {
  constexpr int kWords = kDlw ? 2 : 1;
  uint64_t rows[4][kGroups * kWords * kRowLw];
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int q = 0; q < kGroups; ++q)
      std::memcpy(rows[cycle] + q * kWords * kRowLw, c.gathered[4 * q + insn.mab].v[cycle][0], kWords * kRowBytes);
  finish_upload(c, rows);
}

void every_mab_up(StepContext& c, const Insn& insn) {
  constexpr int kRate = kMabs * kRowLw;
  if (c.step->update_latches) {
    c.l1bm->turn_rate = kRate;
    for (int m = 0; m < kMabs; ++m)
      for (int cycle = 0; cycle < 4; ++cycle)
        std::memcpy(c.l1bm->turn[cycle] + m * kRowLw, c.gathered[m].v[cycle][0], kRowBytes);
  }
  if (c.op->l1bm_addr < 0) return;
  const uint32_t base = wrapped<kL1bmLw>(c.op->l1bm_addr);
  const bool whole = fits<kL1bmLw, 4 * kRate>(base);
  for (int m = 0; m < kMabs; ++m) {
    const uint32_t at = base + static_cast<uint32_t>((m + insn.shift) & (kMabs - 1)) * kRowLw;
    for (uint32_t cycle = 0; cycle < 4; ++cycle) {
      if (whole) [[likely]]
        std::memcpy(c.l1bm->lw + at + cycle * kRate, c.gathered[m].v[cycle][0], kRowBytes);
      else
        put_run<kL1bmLw, kRowLw>(c.l1bm->lw, at + cycle * kRate, c.gathered[m].v[cycle][0]);
    }
  }
}

// --- L1BM <-> L2BM ----------------------------------------------------------------------------------------------

int64_t l2bm_at(const StepContext& c, const isa::L2bmColumns& f, int cycle, int b) {
  return c.op->l2bm_addr + f.cycle_c * cycle + f.l1b_c * (b >> f.l1b_shift);
}

// A run from one ring to another.
template <int kTo, int kFrom, int kRun>
void move_run(uint64_t* to, int64_t to_addr, const uint64_t* from, int64_t from_addr) {
  const uint32_t at = wrapped<kFrom>(from_addr);
  if (fits<kFrom, kRun>(at)) [[likely]] {
    put_run<kTo, kRun>(to, to_addr, from + at);
    return;
  }
  uint64_t words[kRun];
  get_run<kFrom, kRun>(words, from, from_addr);
  put_run<kTo, kRun>(to, to_addr, words);
}

template <int kRun>
void l2bm_down(StepContext& c, const Insn& insn) {
  const int b = c.where.b;
  if ((insn.l1b_set >> b & 1) == 0) return;
  const isa::L2bmColumns& f = insn.def->l2bm;
  for (int cycle = 0; cycle < 4; ++cycle)
    move_run<kL1bmLw, kL2bmLw, kRun>(c.l1bm->lw, c.op->l1bm_addr + f.cycle_b * cycle, c.l2bm->lw,
                                     l2bm_at(c, f, cycle, b));
}

template <int kRun>
void up_from(StepContext& c, const isa::L2bmColumns& f, int b) {
  for (int cycle = 0; cycle < 4; ++cycle)
    move_run<kL2bmLw, kL1bmLw, kRun>(c.l2bm->lw, l2bm_at(c, f, cycle, b), c.l1bms[b].lw,
                                     c.op->l1bm_addr + f.cycle_b * cycle);
}
template <int kRun>
void l2bm_up(StepContext& c, const Insn& insn) {
  for (int b = 0; b < c.l1b_count; ++b) up_from<kRun>(c, insn.def->l2bm, b);
}
template <int kRun>
void l2bm_copy_up(StepContext& c, const Insn& insn) {
  up_from<kRun>(c, insn.def->l2bm, insn.mab);
}

// l2bmi in its two halves (sem/l2bm.cpp): the words that every L1B will receive are staged, then stored.
template <int kRun>
void l2bm_i(StepContext& c, const Insn& insn) {
  static_assert(4 * kRun == emu::kStagedLw);
  int sender = 0;
  while ((insn.l1b_set >> sender & 1) == 0) ++sender;
  for (int b = 0; b < c.l1b_count; ++b) {
    const int from = (b & insn.l1b_mask) | (sender & ~insn.l1b_mask);
    c.l1bms[b].arrives = from < c.l1b_count;
    if (!c.l1bms[b].arrives) continue;
    for (int cycle = 0; cycle < 4; ++cycle)
      get_run<kL1bmLw, kRun>(c.l1bms[b].staged + kRun * cycle, c.l1bms[from].lw,
                             insn.srcs[0].addr[0] + insn.def->l2bm.cycle_b * cycle);
  }
}
template <int kRun>
void l2bm_i_arrive(StepContext& c, const Insn& insn) {
  if (!c.l1bm->arrives) return;
  for (int cycle = 0; cycle < 4; ++cycle)
    put_run<kL1bmLw, kRun>(c.l1bm->lw, insn.dsts[0].addr[0] + insn.def->l2bm.cycle_b * cycle,
                           c.l1bm->staged + kRun * cycle);
}

// --- choice -----------------------------------------------------------------------------------------------------

isa::SemFn by_width(const emu::Op& op, isa::SemFn lw, isa::SemFn dlw) { return op.l1bm_dlw ? dlw : lw; }

isa::SemFn l1bm_up(const emu::Op& op) {
  const isa::L1bmFormula& f = l1bm_formula(op);
  const int words = op.l1bm_dlw ? 2 : 1;
  if (f.pe != 1 || (op.l1bm_dlw && f.word != kRowLw) || f.cycle != l1bm_rate(op)) return nullptr;
  if (op.sem == &sem::l1bm_d_up)
    return !op.l1bm_dlw && f.mab == kRowLw && f.cycle == kMabs * kRowLw ? every_mab_up : nullptr;
  if (op.sem != &sem::l1bm_m_up) return nullptr;
  if (f.quad == 0) return f.cycle == words * kRowLw ? by_width(op, rows_up<1, false>, rows_up<1, true>) : nullptr;
  return f.quad == words * kRowLw && f.cycle == 4 * f.quad ? by_width(op, rows_up<4, false>, rows_up<4, true>)
                                                           : nullptr;
}

isa::SemFn by_run(int run, isa::SemFn eight, isa::SemFn sixteen) {
  return run == 8 ? eight : run == 16 ? sixteen : nullptr;
}

}  // namespace

isa::SemFn tree_copy(const emu::Op& op) {
  const isa::InsnDef& def = *op.insn->def;
  if (def.unit == isa::Unit::kL1bm) return l1bm_up(op);
  const int run = def.l2bm.run;
  if (op.sem == &sem::l2bm_b_down || op.sem == &sem::l2bm_d_down) return by_run(run, l2bm_down<8>, l2bm_down<16>);
  if (op.sem == &sem::l2bm_d_up) return by_run(run, l2bm_up<8>, l2bm_up<16>);
  if (op.sem == &sem::l2bm_copy_up) return by_run(run, l2bm_copy_up<8>, l2bm_copy_up<16>);
  if (op.sem == &sem::l2bm_i) return by_run(run, nullptr, l2bm_i<16>);
  if (op.sem == &sem::l2bm_i_arrive) return by_run(run, nullptr, l2bm_i_arrive<16>);
  return nullptr;
}

}  // namespace kumihimo::mncore2::fast
