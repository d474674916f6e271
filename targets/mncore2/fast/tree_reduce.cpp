// l1bmr, l1bmr4, l2bmr and l2bmr2 around the reducers: which rows meet, where the result goes.
#include "targets/mncore2/fast/tree_reduce.h"

#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree.h"
#include "targets/mncore2/fast/tree_rows.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::kL1bmLw, emu::kL2bmLw, emu::kMabs;
using emu::StepContext;
using isa::Insn;

using Find = Reducer (*)(const Reduction& r);

constexpr size_t kBeatLw = sizeof(emu::Beat) / 8, kCycleLw = kBeatLw / 4;

Reduction reduction_of(const Insn& insn, int inputs, bool l1bm) {
  return {emu::reduce_of(insn.reduce->rrn), emu::lane_of(insn.prec), inputs, insn.narrow, l1bm};
}

// One sum of sixteen MABs, or four of four.
template <Find kFind, int kGroups, bool kDlw>
void l1bm_reduce(StepContext& c, const Insn& insn) {
  constexpr int kWords = kDlw ? 2 : 1, kMembers = kMabs / kGroups, kRate = kGroups * kWords * kRowLw;
  const FloatMode mode;
  const Reducer reduce = kFind(reduction_of(insn, kMembers, true));
  uint64_t rows[4][kRate];
  for (int q = 0; q < kGroups; ++q) {
    uint64_t* to = rows[0] + q * kWords * kRowLw;
    const auto word = [&](int w, uint64_t* out, size_t step) {
      reduce({c.gathered[kMembers * q].v[0][w], kBeatLw, kCycleLw, out, step, 4});
    };
    word(0, to, kRate);
    if (insn.narrow) {
      // Both halves of a double long word end in the first (sem/l1bm.cpp).
      uint64_t low[4][kRowLw];
      word(1, low[0], kRowLw);
      for (int cycle = 0; cycle < 4; ++cycle)
        for (int pe = 0; pe < kRowLw; ++pe) {
          to[cycle * kRate + pe] |= low[cycle][pe] >> 32;
          if constexpr (kDlw) to[cycle * kRate + kRowLw + pe] = 0;
        }
    } else if constexpr (kDlw) {
      word(1, to + kRowLw, kRate);
    }
  }
  finish_upload(c, rows);
}

// One sum of the eight L1Bs, or four of the two of a pair. L1Bs that do not take part, or that this machine lacks, send
// the identity.
template <Find kFind, int kMembers, int kRun>
void l2bm_reduce(StepContext& c, const Insn& insn) {
  constexpr int kL1bs = 8;
  constexpr size_t kL1bLw = sizeof(emu::L1bm) / 8;
  const isa::L2bmColumns& f = insn.def->l2bm;
  const FloatMode mode;
  const Reduction r = reduction_of(insn, kMembers, false);
  const Reducer reduce = kFind(r);
  const bool every = c.l1b_count == kL1bs && insn.l1b_set == 0xff;
  for (int cycle = 0; cycle < 4; ++cycle) {
    const uint32_t from = wrapped<kL1bmLw>(c.op->l1bm_addr + f.cycle_b * cycle);
    for (int first = 0; first < kL1bs; first += kMembers) {
      const uint32_t to = wrapped<kL2bmLw>(c.op->l2bm_addr + f.cycle_c * cycle + f.l1b_c * (first >> f.l1b_shift));
      if (every && fits<kL1bmLw, kRun>(from) && fits<kL2bmLw, kRun>(to)) [[likely]] {
        reduce({c.l1bms[first].lw + from, kL1bLw, kRowLw, c.l2bm->lw + to, kRowLw, kRun / kRowLw});
        continue;
      }
      uint64_t in[kMembers][kRun], out[kRun];
      for (int i = 0; i < kMembers; ++i) {
        const int b = first + i;
        if (b < c.l1b_count && (insn.l1b_set >> b & 1) != 0)
          get_run<kL1bmLw, kRun>(in[i], c.l1bms[b].lw, from);
        else
          std::fill_n(in[i], kRun, emu::identity_word(r.op, r.lane));
      }
      reduce({in[0], kRun, kRowLw, out, kRowLw, kRun / kRowLw});
      put_run<kL2bmLw, kRun>(c.l2bm->lw, to, out);
    }
  }
}

// Rows of the instruction table whose columns lie as the two functions have them.
template <Find kFind>
isa::SemFn choose(const emu::Op& op) {
  if (op.sem == &sem::l1bm_r) {
    const isa::L1bmFormula& f = l1bm_formula(op);
    const int words = op.l1bm_dlw ? 2 : 1, groups = f.quad == 0 ? 1 : 4;
    const bool dense = f.pe == 1 && (!op.l1bm_dlw || f.word == kRowLw) && (f.quad == 0 || f.quad == words * kRowLw) &&
                       f.cycle == groups * words * kRowLw && f.cycle == l1bm_rate(op);
    if (!dense || kFind(reduction_of(*op.insn, kMabs / groups, true)) == nullptr) return nullptr;
    if (op.l1bm_dlw) return groups == 1 ? l1bm_reduce<kFind, 1, true> : l1bm_reduce<kFind, 4, true>;
    return groups == 1 ? l1bm_reduce<kFind, 1, false> : l1bm_reduce<kFind, 4, false>;
  }
  if (op.sem == &sem::l2bm_r) {
    const isa::L2bmColumns& f = op.insn->def->l2bm;
    const int members = f.l1b_c == 0 ? 8 : 1 << f.l1b_shift;
    if (f.run != 16 || kFind(reduction_of(*op.insn, members, false)) == nullptr) return nullptr;
    return members == 8 ? l2bm_reduce<kFind, 8, 16> : members == 2 ? l2bm_reduce<kFind, 2, 16> : nullptr;
  }
  return nullptr;
}

}  // namespace

Reducer reducer_avx512(const Reduction& r) {
  if (const Reducer plain = plain_reducer(r)) return plain;
  return r.lane == num::Lane::k64 ? double_sum_reducer(r) : sum_reducer_avx512(r);
}
Reducer reducer_avx2(const Reduction& r) {
  if (const Reducer plain = plain_reducer(r)) return plain;
  return r.lane == num::Lane::k64 ? double_sum_reducer(r) : sum_reducer_avx2(r);
}

isa::SemFn tree_reduce_avx512(const emu::Op& op) { return choose<reducer_avx512>(op); }
isa::SemFn tree_reduce_avx2(const emu::Op& op) { return choose<reducer_avx2>(op); }

}  // namespace kumihimo::mncore2::fast

#endif
