// Dependences of a virtual program, from its accesses.
//
// Registers are followed word by word and cycle by cycle: a write completes after 6 cycles, so the distance
// between a write and a read of the same word depends on the cycles in which they touch it (ISA 9.1).
// Matrix sides, mask entries and tree buffers add their own rules (ISA 9.1, 9.2).
#pragma once

#include "targets/mncore2/sched/model.h"

namespace kumihimo::mncore2::sched {

// Words of a tree memory that one instruction touches in one cycle (MV: in all), relative to the buffer.
struct BufAccess {
  int32_t insn;
  bool write;
  int32_t operand;
  isa::Mem mem;
  int64_t offset_lw;                            // of the operand
  std::array<std::array<int64_t, 2>, 4> range;  // [lo, hi) per cycle, buffer-relative
  int8_t sub, group;
};

// Accesses of instruction `index` to tree memories.
std::vector<BufAccess> buffer_accesses(const VProgram& program, size_t index);

// Fills model.defs, the def ranges of model.srcs, live_out and model.edges; needs webs, srcs, dsts, sides, masks.
void derive_dependences(Model& model);

}  // namespace kumihimo::mncore2::sched
