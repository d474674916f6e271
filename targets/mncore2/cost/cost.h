// Time of a program in the stated model, exact.
//
//   CostReport r = cost(program);        // of decoded lines, as `kumi emu --stats` sees them
//   CostReport r = cost(scheduled);      // of the scheduled virtual program, as `kumi cost` sees it
//
// The two walk different data with different code and must agree in every field.
//
// The model. A PE line takes one step = 4 cycles; nop/N takes N steps. An MV line takes no time of its own, but the
// stream holds one MV word per three PE words (auto-stride packing, ISA 1.5 [V]): an MV that follows the last one after
// fewer PE words costs the missing ones as empty steps. MVs run beside the steps. One starts when it is issued and all its ports
// are free (in order per port), holds them for size / rate cycles, and is complete a fixed latency later (isa::kMvTime,
// an assumption). `wait` holds its step until the MV with the tag is complete. The program ends when its last step has
// ended and its last MV is complete.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::sched {
struct Scheduled;
}

namespace kumihimo::mncore2::cost {

inline constexpr int kNumUnits = 12;  // isa::Unit
inline constexpr int kNumPorts = 16;  // bit numbers of isa::MvPorts

struct CostReport {
  int64_t steps = 0;           // PE instruction words
  int64_t mv_words = 0;        // MV instruction words
  int64_t packing_steps = 0;   // empty steps that packing inserts
  int64_t cycles = 0;          // 4 * (steps + packing_steps) + stalls
  int64_t stall_transfer = 0;  // stalled while the awaited MV was on its way
  int64_t stall_port = 0;      // stalled while the awaited MV stood behind others at a port
  int64_t stall_drain = 0;     // after the last step, until the last MV is complete
  int64_t waits = 0;
  int64_t unmatched_waits = 0;                   // waits for a tag that no MV carries: no stall is counted
  std::array<int64_t, kNumUnits> unit_steps{};   // steps in which the unit works
  std::array<int64_t, kNumPorts> port_cycles{};  // cycles in which the port is held: DRAM_g, PDM_g, L2BM_gs

  int64_t stalls() const { return stall_transfer + stall_port + stall_drain; }
  int64_t instruction_words() const { return steps + mv_words; }
  double unit_share(isa::Unit unit) const {
    return steps == 0 ? 0.0
                      : static_cast<double>(unit_steps[static_cast<size_t>(unit)]) /
                            static_cast<double>(steps + packing_steps);
  }
  double port_share(int port) const {
    return cycles == 0 ? 0.0
                       : static_cast<double>(port_cycles[static_cast<size_t>(port)]) / static_cast<double>(cycles);
  }
  double microseconds(const MachineConfig& machine) const {
    return static_cast<double>(cycles) * 1e6 / static_cast<double>(machine.clock_hz);
  }
  friend bool operator==(const CostReport&, const CostReport&) = default;
};

CostReport cost(const isa::Program& program, const MachineConfig& machine = *find_machine("mncore2"));
CostReport cost(std::span<const isa::Line> lines, const MachineConfig& machine);  // up to `quit`
CostReport cost(const sched::Scheduled& scheduled, const MachineConfig& machine = *find_machine("mncore2"));

// "DRAM_0", "PDM_3", "L2BM_21"; "MAU calculation", ... for reports.
const char* port_name(int port);

}  // namespace kumihimo::mncore2::cost
