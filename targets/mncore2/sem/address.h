// Where PE-memory operands lie: rows, and word addresses where PEs differ (ISA 3.2).
#pragma once

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

inline constexpr int kLmWords = 2 * kLmRows, kGrfWords = 2 * kGrfRows;

constexpr bool is_lm(isa::Mem mem) { return mem == isa::Mem::kLm0 || mem == isa::Mem::kLm1; }
constexpr int bank(isa::Mem mem) {
  return mem == isa::Mem::kLm1 || mem == isa::Mem::kGrf1 || mem == isa::Mem::kBar1 ? 1 : 0;
}

// The memory of an addressed operand as rows of four PEs.
struct Rows {
  uint64_t (*lw)[4];
  uint8_t (*def)[4];  // strict mode only
  int words;
};
inline Rows rows_of(const StepContext& c, isa::Mem mem) {
  const int k = bank(mem);
  if (is_lm(mem)) return {c.mab->lm[k], c.mab_def != nullptr ? c.mab_def->lm[k] : nullptr, kLmWords};
  return {c.mab->grf[k], c.mab_def != nullptr ? c.mab_def->grf[k] : nullptr, kGrfWords};
}

// True when every PE uses the rows of the plan.
template <class Plan>
bool uniform(const StepContext& c, const Plan& plan) {
  return !plan.per_pe && !(is_lm(plan.mem) && c.mab->bar_used[bank(plan.mem)]);
}

// Whether PE pe adds its unit to the address of an operand with j (ISA 3.2, 12 Q21).
inline bool j_selects(const num::Switches& switches, int j, int pe) {
  return switches.j_select == num::JSelect::kAtMost ? pe <= j : pe >= j;
}

// Word address of one PE and cycle (ISA 3.2): BAR + T + written address + j, modulo the memory, cut to the width.
template <class Plan>
int word_address(const StepContext& c, const Plan& plan, int cycle, int pe, int words) {
  const int unit = isa::width_words(plan.width), k = bank(plan.mem);
  int a = plan.addr[static_cast<size_t>(cycle)];
  bool defined = true;
  if (is_lm(plan.mem)) {
    a += c.mab->bar[k][pe];
    if (c.strict() && c.mab_def->bar_undefined[k][pe]) defined = false;
  }
  if (plan.t_indirect) {
    a += static_cast<int>(c.mab->t.v[cycle][0][pe] & (kLmWords - 1));
    if (c.strict() && (c.mab_def->t.v[cycle][0][pe] & 1) == 0) defined = false;
  }
  if (plan.j >= 0 && j_selects(*c.switches, plan.j, pe)) a += unit;
  if (c.strict()) {
    UnitCoord where = c.where;
    where.p = pe;
    if (!defined)
      c.find(FindingKind::kUndefinedAddress, plan.operand, where, cycle);
    else if (a < 0 || a + unit > words)
      c.find(FindingKind::kOutOfRange, plan.operand, where, a);
    else if (a % unit != 0)
      c.find(FindingKind::kMisaligned, plan.operand, where, a);
  }
  return (a % words + words) % words / unit * unit;
}

}  // namespace kumihimo::mncore2::emu
