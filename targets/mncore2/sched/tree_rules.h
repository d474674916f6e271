// Footprints and minimum distances of accesses, from the instruction and hazard rows (ISA 5, 9.1, 9.2).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "targets/mncore2/sched/depend.h"
#include "targets/mncore2/sched/model.h"

namespace kumihimo::mncore2::sched {

// Distances are steps from the earlier to the later instruction: the gap of a hazard rule plus one.

// From a write in cycle `write_cycle` of its step to a read of the same word of a GRF or T in cycle `read_cycle`.
int register_steps(int write_cycle, int read_cycle);
// From a write to an LM to any read of it.
int lm_steps();

TreePort tree_port(const isa::InsnDef& row);

// Long words [lo, hi) of the buffer that the operand touches in one cycle, from the row's transfer formula; for an MV
// the whole range in every cycle. `write`: the operand is the destination.
std::array<int64_t, 2> tree_range(const isa::InsnDef& row, uint32_t size, const VUse& use, bool write, isa::Mem mem,
                                  int cycle);

// Minimum distance in steps between two accesses of one buffer, one of which writes; nothing when their words are
// disjoint. With an MV as successor: it stands before step >= pred + steps. With an MV as predecessor: after its wait.
std::optional<int> tree_steps(TreePort earlier_port, const BufAccess& earlier, TreePort later_port,
                              const BufAccess& later);

// Port conflict between any addresses: the later kind must be at least this many steps after the earlier; 0 = no rule.
int tree_port_steps(TreePort earlier, TreePort later);

}  // namespace kumihimo::mncore2::sched
