// Memories as operands: how each is spelled, what class of operand it is, how far its addresses go.
//
// Parser, printer, checker and reference page read these rows. Capacities come from the machine row.
#pragma once

#include <span>
#include <string_view>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

enum class MemClass : uint8_t {
  kPe,  // LM, GRF: width, per-cycle word addresses
  kT,   // T: always a DLW, the entry of the cycle
  kOmr,
  kBar,
  kForward,
  kConstant,
  kNowrite,
  kMatrix,
  kTree,  // L1BM, L2BM
  kTurnaround,
  kMv,  // PDM, DRAM
  kNone,
};

struct MemDef {
  Mem mem;
  std::string_view letters;  // after '$' and the width prefix: "m", "mauf", "lb" without its l
  std::string_view name;     // for people
  MemClass cls;
  bool width_prefix;  // takes l and ll
  bool addressed;     // followed by an address
};

std::span<const MemDef> memories();
const MemDef& memory(Mem mem);  // every Mem has a row

// Addresses of one instance: words for PE memories, entries for OMR, rows for matrix registers, long words elsewhere;
// 0 for operands without address.
int64_t address_count(Mem mem);

}  // namespace kumihimo::mncore2::isa
