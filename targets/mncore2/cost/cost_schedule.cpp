// Time of a scheduled virtual program: no lines are read. The start of every step follows from the waits, the waits from the
// MVs, the MVs from the starts of the steps they stand before; so one pass over the MVs and waits in order of step suffices.
#include <algorithm>
#include <map>

#include "targets/mncore2/cost/cost.h"
#include "targets/mncore2/sched/mv_time.h"
#include "targets/mncore2/sched/schedule.h"

namespace kumihimo::mncore2::cost {

namespace {

// An MV word before a step, or a wait inside it.
struct Event {
  int32_t step;
  bool wait;
  int32_t insn;
  auto key() const { return std::make_pair(2 * step + (wait ? 1 : 0), insn); }
};

}  // namespace

CostReport cost(const sched::Scheduled& scheduled, const MachineConfig& machine) {
  CostReport report;
  const auto& insns = scheduled.vprogram.insns;
  report.steps = scheduled.num_steps;
  std::vector<Event> events;
  std::vector<bool> occupied(static_cast<size_t>(scheduled.num_steps), false);
  for (size_t i = 0; i < insns.size(); ++i) {
    const isa::Unit unit = insns[i].proto.def->unit;
    if (unit == isa::Unit::kMv) {
      events.push_back({scheduled.step[i], false, static_cast<int32_t>(i)});
      if (scheduled.wait_step[i] >= 0) events.push_back({scheduled.wait_step[i], true, static_cast<int32_t>(i)});
      continue;
    }
    occupied[static_cast<size_t>(scheduled.step[i])] = true;
    ++report.unit_steps[static_cast<size_t>(unit)];
  }
  report.unit_steps[static_cast<size_t>(isa::Unit::kNop)] = std::count(occupied.begin(), occupied.end(), false);
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.key() < b.key(); });

  const int64_t step_cycles = machine.cycles_per_step;
  int64_t delay = 0;  // cycles by which steps start later than 4 * step: stalls and packing
  int64_t last_complete = 0;
  int32_t last_mv_slot = 0;
  std::map<int32_t, std::array<int64_t, 2>> flight;  // insn -> start, complete
  std::array<int64_t, kNumPorts> held_until{};
  unsigned existing = 0;  // ports of this machine
  for (int p = 0; p < kNumPorts; ++p)
    if (p < 8 ? p % 4 < machine.groups : (p - 8) / 2 < machine.groups && (p - 8) % 2 < machine.l2bs_per_group)
      existing |= 1u << p;
  for (const Event& e : events) {
    const int64_t now = step_cycles * e.step + delay;
    if (e.wait) {
      ++report.waits;
      const auto [start, complete] = flight.at(e.insn);
      const int64_t stall = std::max<int64_t>(0, complete - now);
      report.stall_port += std::max<int64_t>(0, start - now);
      report.stall_transfer += stall - std::max<int64_t>(0, start - now);
      delay += stall;
      continue;
    }
    if (report.mv_words++ > 0) {
      const int64_t slot = e.step + report.packing_steps;
      const int64_t missing = std::max<int64_t>(0, last_mv_slot + machine.pe_words_per_mv - slot);
      report.packing_steps += missing;
      delay += step_cycles * missing;
    }
    last_mv_slot = static_cast<int32_t>(e.step + report.packing_steps);
    const sched::MvTime time = sched::mv_time(insns[static_cast<size_t>(e.insn)]);
    const unsigned ports = time.ports & existing;
    int64_t start = step_cycles * e.step + delay;
    for (int p = 0; p < kNumPorts; ++p)
      if (ports & (1u << p)) start = std::max(start, held_until[static_cast<size_t>(p)]);
    for (int p = 0; p < kNumPorts; ++p) {
      if (!(ports & (1u << p))) continue;
      held_until[static_cast<size_t>(p)] = start + time.port_cycles;
      report.port_cycles[static_cast<size_t>(p)] += time.port_cycles;
    }
    const int64_t complete = start + time.port_cycles + time.latency_cycles;
    flight[e.insn] = {start, complete};
    last_complete = std::max(last_complete, complete);
  }
  report.unit_steps[static_cast<size_t>(isa::Unit::kWait)] = report.waits;
  const int64_t last_step_ends = step_cycles * report.steps + delay;
  report.stall_drain = std::max<int64_t>(0, last_complete - last_step_ends);
  report.cycles = last_step_ends + report.stall_drain;
  return report;
}

}  // namespace kumihimo::mncore2::cost
