// Footprints and minimum distances of accesses to L1BM, L2BM and DRAM (ISA 5, 9.2).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "targets/mncore2/sched/depend.h"
#include "targets/mncore2/sched/model.h"

namespace kumihimo::mncore2::sched {

// Steps from a write in cycle `write_cycle` of its step to a read in cycle `read_cycle`, through a memory whose writes
// complete after `latency_cycles`: legal iff read - write - 1 >= latency (ISA 9.1 [V]).
int cycle_rule_steps(int latency_cycles, int write_cycle, int read_cycle);
// The same for the memories of a PE.
int register_steps(int write_cycle, int read_cycle);

TreePort tree_port(const isa::InsnDef& row);

// Long words [lo, hi) of the buffer that the operand touches in one cycle, from the row's transfer formula; for an MV
// the whole range in every cycle. `write`: the operand is the destination.
std::array<int64_t, 2> tree_range(const isa::InsnDef& row, uint32_t size, const VUse& use, bool write, isa::Mem mem, int cycle);

// Minimum distance in steps between two accesses of one buffer, one of which writes; nothing when their words are
// disjoint. With an MV as successor: it stands before step >= pred + steps. With an MV as predecessor: after its wait.
std::optional<int> tree_steps(TreePort earlier_port, const BufAccess& earlier, TreePort later_port, const BufAccess& later);

// Port conflict between any addresses: the later kind must be at least this many steps after the earlier; 0 = no rule.
int tree_port_steps(TreePort earlier, TreePort later);

}  // namespace kumihimo::mncore2::sched
