// What one MV touches and how long it holds its ports, from the columns of its row.
#pragma once

#include <cstdint>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

// Words [addr, addr + length) of every instance in the set: bit g for DRAM and PDM, bit 2g+s for L2BM.
struct MvRange {
  Mem mem = Mem::kNone;
  uint8_t instances = 0;
  int64_t addr = 0, length = 0;
};
struct MvFootprint {
  MvRange src, dst;
};
// A `$di` operand touches words that only its DAR entries know; its range is that of the entries, with mem kDar.
MvFootprint mv_footprint(const Insn& mv);

// DRAM through DAR stands wherever a transfer has DRAM.
constexpr Mem mv_memory(Mem written) { return written == Mem::kDramIndirect ? Mem::kDram : written; }

MvPorts mv_ports(const Insn& mv);
// Cycles that the ports are busy: counted words over the rate (ISA 4.4). The latency until the tag is notified,
// kMvTime.latency_cycles, comes on top.
uint32_t mv_port_cycles(const Insn& mv);

}  // namespace kumihimo::mncore2::isa
