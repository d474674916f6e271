#include "targets/mncore2/sched/tree_rules.h"

#include <algorithm>

namespace kumihimo::mncore2::sched {

using isa::Mem;
using isa::Unit;
using isa::Width;

namespace {

constexpr int kPeWriteCycles = 6;       // ISA 9.1 [V]
constexpr int kL2bToL1bmCycles = 6;     // ISA 9.2 .6
constexpr int kPeToL1bmCycles = 10;     // ISA 9.2 .7
constexpr int kTurnSteps = 3;           // gap 2: ISA 9.2 .2 .3 .8

bool overlap(const std::array<int64_t, 2>& a, const std::array<int64_t, 2>& b) { return a[0] < b[1] && b[0] < a[1]; }

// Strictest distance over the pairs of cycles that share a word; 0 when none does.
int data_steps(int latency_cycles, const BufAccess& write, const BufAccess& read) {
  int steps = 0;
  for (int cw = 0; cw < 4; ++cw)
    for (int cr = 0; cr < 4; ++cr)
      if (overlap(write.range[static_cast<size_t>(cw)], read.range[static_cast<size_t>(cr)]))
        steps = std::max(steps, cycle_rule_steps(latency_cycles, cw, cr));
  return steps;
}

}  // namespace

int cycle_rule_steps(int latency_cycles, int write_cycle, int read_cycle) {
  const int cycles = latency_cycles + 1 + write_cycle - read_cycle;   // 4 * steps >= cycles
  return std::max(1, (cycles + 3) / 4);
}

int register_steps(int write_cycle, int read_cycle) { return cycle_rule_steps(kPeWriteCycles, write_cycle, read_cycle); }

TreePort tree_port(const isa::InsnDef& row) {
  if (row.unit == Unit::kL2bm) return row.l2bm.upload ? TreePort::kL2bmUp : TreePort::kL2bmDown;
  if (row.unit == Unit::kL1bm) return row.l1bm.upload ? TreePort::kL1bmUp : TreePort::kL1bmDown;
  return TreePort::kNone;
}

std::array<int64_t, 2> tree_range(const isa::InsnDef& row, uint32_t size, const VUse& use, bool write, Mem mem, int cycle) {
  int64_t lo = use.offset_lw, length = 0;
  if (row.unit == Unit::kL1bm) {
    const isa::L1bmFormula& f = use.width == Width::kDlw ? row.l1bm.dlw : row.l1bm.lw;
    lo += f.cycle * cycle;
    length = f.mab * 15 + f.quad * 3 + f.pe * 3 + (use.width == Width::kDlw ? f.word : 0) + 1;
  } else if (row.unit == Unit::kL2bm) {
    const isa::L2bmColumns& f = row.l2bm;
    lo += (mem == Mem::kL2bm ? f.cycle_c : f.cycle_b) * cycle;
    length = f.run + (mem == Mem::kL2bm ? 7 * f.l1b_c : 0);
  } else if (row.unit == Unit::kMv) {
    const isa::MvSide& counted = row.mv.size_on_dst ? row.mv.dst : row.mv.src;
    const isa::MvSide& side = write ? row.mv.dst : row.mv.src;
    length = static_cast<int64_t>(size) / counted.unit * side.unit;
  }
  return {lo, lo + length};
}

std::optional<int> tree_steps(TreePort earlier_port, const BufAccess& earlier, TreePort later_port, const BufAccess& later) {
  bool touch = false;
  for (const auto& a : earlier.range)
    for (const auto& b : later.range) touch = touch || overlap(a, b);
  if (!touch) return std::nullopt;
  const bool from_mv = earlier_port == TreePort::kNone, to_mv = later_port == TreePort::kNone;
  if (from_mv) return 1;
  if (!earlier.write) return 1;                     // an MV that overwrites is issued after the reading step
  if (to_mv) return 2;                              // gap 1, the safe reading of ISA 9.2 .1
  if (later.write) return earlier_port == later_port ? 1 : kTurnSteps;   // writes of unequal latency stay in order
  if (earlier_port == TreePort::kL2bmDown && later_port == TreePort::kL1bmDown) return data_steps(kL2bToL1bmCycles, earlier, later);
  if (earlier_port == TreePort::kL1bmUp && later_port == TreePort::kL2bmUp) return data_steps(kPeToL1bmCycles, earlier, later);
  return kTurnSteps;
}

int tree_port_steps(TreePort earlier, TreePort later) {
  if (earlier == TreePort::kL1bmUp && later == TreePort::kL1bmDown) return kTurnSteps;    // ISA 9.2 .8
  if (earlier == TreePort::kL2bmDown && later == TreePort::kL2bmUp) return kTurnSteps;    // ISA 9.2 .3
  if (earlier == TreePort::kL2bmUp && later == TreePort::kL2bmDown) return kTurnSteps;    // ISA 9.2 .2, conservative
  return 0;
}

}  // namespace kumihimo::mncore2::sched
