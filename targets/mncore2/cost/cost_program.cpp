// Time of decoded lines: one walk with a clock.
#include <algorithm>
#include <array>
#include <vector>

#include "targets/mncore2/cost/cost.h"

namespace kumihimo::mncore2::cost {

using isa::MvInstances;

namespace {

// Ports of one side, from the row's instances and the selectors as written.
isa::MvPorts ports_of(const isa::MvSide& side, const isa::Operand& op, const MachineConfig& machine) {
  const bool l2bm = side.instances == MvInstances::kOneL2b || side.instances == MvInstances::kOneL2bInGroup ||
                    side.instances == MvInstances::kEveryL2b;
  const bool one_group = side.instances == MvInstances::kOneGroup || side.instances == MvInstances::kOneL2b;
  unsigned ports = 0;
  for (int g = 0; g < machine.groups; ++g) {
    if (one_group && g != std::max<int>(0, op.group)) continue;
    if (!l2bm) {
      ports |= 1u << (g + (side.mem == isa::Mem::kPdm ? 4 : 0));
      continue;
    }
    for (int s = 0; s < machine.l2bs_per_group; ++s)
      if (side.instances == MvInstances::kEveryL2b || s == std::max<int>(0, op.sub)) ports |= 1u << (8 + 2 * g + s);
  }
  return static_cast<isa::MvPorts>(ports);
}

struct Flight {
  int64_t issued = 0, started = 0, complete = 0;
};

class Walk {
 public:
  explicit Walk(const MachineConfig& machine) : machine_(machine) { tag_mv_.fill(-1); }

  void line(const isa::Line& line) {
    if (line.kind == isa::LineKind::kMv) mv(line.insns[0]);
    if (line.kind == isa::LineKind::kPe) step(line);
  }

  CostReport end() {
    for (const Flight& f : flights_) {
      if (f.complete <= clock_) continue;
      report_.stall_drain += f.complete - clock_;
      clock_ = f.complete;
    }
    report_.cycles = clock_;
    return report_;
  }

 private:
  void mv(const isa::Insn& insn) {
    if (report_.mv_words > 0) {
      const int64_t missing = machine_.pe_words_per_mv - (report_.steps + report_.packing_steps - step_of_last_mv_);
      if (missing > 0) {
        report_.packing_steps += missing;
        clock_ += machine_.cycles_per_step * missing;
      }
    }
    step_of_last_mv_ = report_.steps + report_.packing_steps;
    ++report_.mv_words;
    if (insn.srcs.empty() || insn.dsts.empty()) return;  // mvnop: a word without a transfer
    const isa::MvColumns& mv = insn.def->mv;
    const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
    const bool cross = src.group >= 0 && dst.group >= 0 && src.group != dst.group;
    const int64_t rate = cross ? mv.rate_cross_group : mv.rate;
    const int64_t busy = (insn.size + rate - 1) / rate;
    const unsigned ports = ports_of(mv.src, src, machine_) | ports_of(mv.dst, dst, machine_);
    Flight flight{clock_, clock_, 0};
    for (size_t p = 0; p < kNumPorts; ++p)
      if (ports >> p & 1) flight.started = std::max(flight.started, port_free_[p]);
    for (size_t p = 0; p < kNumPorts; ++p) {
      if (!(ports >> p & 1)) continue;
      port_free_[p] = flight.started + busy;
      report_.port_cycles[p] += busy;
    }
    flight.complete = flight.started + busy + isa::kMvTime.latency_cycles;
    if (insn.tag != 0) tag_mv_[insn.tag] = static_cast<int32_t>(flights_.size());
    flights_.push_back(flight);
  }

  void step(const isa::Line& line) {
    int64_t steps = 1;
    std::array<bool, kNumUnits> works{};
    for (const isa::Insn& insn : line.insns) {
      works[static_cast<size_t>(insn.def->unit)] = true;
      if (insn.def->unit == isa::Unit::kNop) steps = insn.nop_count;
      if (insn.def->unit == isa::Unit::kWait) wait(insn.tag);
    }
    for (size_t u = 0; u < kNumUnits; ++u) report_.unit_steps[u] += works[u] ? steps : 0;
    report_.steps += steps;
    clock_ += machine_.cycles_per_step * steps;
  }

  void wait(uint8_t tag) {
    ++report_.waits;
    if (tag >= tag_mv_.size() || tag_mv_[tag] < 0) {
      ++report_.unmatched_waits;
      return;
    }
    const Flight& f = flights_[static_cast<size_t>(tag_mv_[tag])];
    const int64_t stall = std::max<int64_t>(0, f.complete - clock_);
    // The transfer itself ends the stall; what came before is the queue.
    const int64_t transfer = std::min(stall, f.complete - f.started);
    report_.stall_transfer += transfer;
    report_.stall_port += stall - transfer;
    clock_ += stall;
  }

  const MachineConfig& machine_;
  CostReport report_;
  int64_t clock_ = 0, step_of_last_mv_ = 0;
  std::array<int64_t, kNumPorts> port_free_{};
  std::vector<Flight> flights_;
  std::array<int32_t, 64> tag_mv_{};
};

}  // namespace

CostReport cost(const isa::Program& program, const MachineConfig& machine) {
  return cost(std::span<const isa::Line>(program.lines), machine);
}

CostReport cost(std::span<const isa::Line> lines, const MachineConfig& machine) {
  Walk walk(machine);
  for (const isa::Line& line : lines) {
    if (line.kind == isa::LineKind::kQuit) break;
    walk.line(line);
  }
  return walk.end();
}

const char* port_name(int port) {
  static constexpr std::array<const char*, kNumPorts> kNames{
      "DRAM_0",  "DRAM_1",  "DRAM_2",  "DRAM_3",  "PDM_0",   "PDM_1",   "PDM_2",   "PDM_3",
      "L2BM_00", "L2BM_01", "L2BM_10", "L2BM_11", "L2BM_20", "L2BM_21", "L2BM_30", "L2BM_31"};
  return kNames[static_cast<size_t>(port)];
}

}  // namespace kumihimo::mncore2::cost
