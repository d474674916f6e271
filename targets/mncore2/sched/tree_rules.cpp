#include "targets/mncore2/sched/tree_rules.h"

#include <algorithm>

#include "targets/mncore2/hazard/rules.h"

namespace kumihimo::mncore2::sched {

using isa::Mem;
using isa::Unit;
using isa::Width;

namespace {

using hazard::AccessKind;

// Writes from the PE side land up to 4 cycles later than writes from the L2B side; this keeps them in order.
constexpr int kWriteOrderSteps = 3;

bool overlap(const std::array<int64_t, 2>& a, const std::array<int64_t, 2>& b) { return a[0] < b[1] && b[0] < a[1]; }

AccessKind kind_of(TreePort port, Mem mem) {
  const bool l1bm = mem == Mem::kL1bm;
  switch (port) {
    case TreePort::kL2bmDown: return l1bm ? AccessKind::kL1bmFromL2bm : AccessKind::kL2bmRead;
    case TreePort::kL2bmUp: return l1bm ? AccessKind::kL1bmToL2bm : AccessKind::kL2bmWrite;
    case TreePort::kL1bmDown: return AccessKind::kL1bmToPe;
    case TreePort::kL1bmUp: return AccessKind::kL1bmFromPe;
    case TreePort::kNone: return AccessKind::kNone;
  }
  return AccessKind::kNone;
}

// Distance between accesses of one memory at these addresses.
int steps_between(AccessKind write, const std::array<std::array<int64_t, 2>, 4>& written, AccessKind read,
                  const std::array<std::array<int64_t, 2>, 4>& touched, Mem mem) {
  return hazard::min_gap_steps({write, mem, written, 0}, {read, mem, touched, 0}) + 1;
}

// Distance that holds whatever the addresses.
int port_steps(AccessKind write, AccessKind read, Mem mem) {
  return steps_between(write, {{{0, 1}, {0, 1}, {0, 1}, {0, 1}}}, read, {{{2, 3}, {2, 3}, {2, 3}, {2, 3}}}, mem);
}

}  // namespace

int register_steps(int write_cycle, int read_cycle) {
  static const auto table = [] {
    std::array<std::array<int, 4>, 4> out{};
    for (size_t w = 0; w < 4; ++w)
      for (size_t r = 0; r < 4; ++r) {
        std::array<std::array<int64_t, 2>, 4> written{}, touched{};
        written[w] = touched[r] = {0, 1};
        out[w][r] = steps_between(AccessKind::kGrfWrite, written, AccessKind::kGrfRead, touched, Mem::kGrf0);
      }
    return out;
  }();
  return table[static_cast<size_t>(write_cycle)][static_cast<size_t>(read_cycle)];
}

int lm_steps() { return port_steps(AccessKind::kLmWrite, AccessKind::kLmRead, Mem::kLm0); }

TreePort tree_port(const isa::InsnDef& row) {
  if (row.unit == Unit::kL2bm) return row.l2bm.upload ? TreePort::kL2bmUp : TreePort::kL2bmDown;
  if (row.unit == Unit::kL1bm) return row.l1bm.upload ? TreePort::kL1bmUp : TreePort::kL1bmDown;
  return TreePort::kNone;
}

std::array<int64_t, 2> tree_range(const isa::InsnDef& row, uint32_t size, const VUse& use, bool write, Mem mem,
                                  int cycle) {
  int64_t lo = use.offset_lw, length = 0;
  if (row.unit == Unit::kL1bm) {
    const isa::L1bmFormula& f = use.width == Width::kDlw ? row.l1bm.dlw : row.l1bm.lw;
    lo += f.cycle * cycle;
    length = f.mab * 15 + f.quad * 3 + f.pe * 3 + (use.width == Width::kDlw ? f.word : 0) + 1;
  } else if (row.unit == Unit::kL2bm) {
    const isa::L2bmColumns& f = row.l2bm;
    lo += (mem == Mem::kL2bm ? f.cycle_c : f.cycle_b) * cycle;
    length = mem == Mem::kL2bm ? f.row_lw() : f.run;
  } else if (row.unit == Unit::kMv) {
    const isa::MvSide& counted = row.mv.size_on_dst ? row.mv.dst : row.mv.src;
    const isa::MvSide& side = write ? row.mv.dst : row.mv.src;
    length = static_cast<int64_t>(size) / counted.unit * side.unit;
  }
  return {lo, lo + length};
}

std::optional<int> tree_steps(TreePort earlier_port, const BufAccess& earlier, TreePort later_port,
                              const BufAccess& later) {
  bool touch = false;
  for (const auto& a : earlier.range)
    for (const auto& b : later.range) touch = touch || overlap(a, b);
  if (!touch) return std::nullopt;
  const bool from_mv = earlier_port == TreePort::kNone, to_mv = later_port == TreePort::kNone;
  if (from_mv) return 1;
  if (!earlier.write) return 1;  // an MV that overwrites is issued after the reading step
  // One step more than the accepted gap 0: the safe reading of ISA 9.2 .1, for code that runs on hardware.
  if (to_mv) return port_steps(AccessKind::kL2bmWrite, AccessKind::kMvRead, Mem::kL2bm) + 1;
  if (later.write) return earlier_port == later_port ? 1 : kWriteOrderSteps;
  return steps_between(kind_of(earlier_port, earlier.mem), earlier.range, kind_of(later_port, later.mem), later.range,
                       later.mem);
}

int tree_port_steps(TreePort earlier, TreePort later) {
  int steps = 1;
  for (Mem mem : {Mem::kL1bm, Mem::kL2bm})
    steps = std::max(steps, port_steps(kind_of(earlier, mem), kind_of(later, mem), mem));
  return steps > 1 ? steps : 0;
}

}  // namespace kumihimo::mncore2::sched
