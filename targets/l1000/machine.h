// The L1000 as this project models it: MN-Core 2's tree, instructions and clock, and stacked DRAM at each PE.
//
// No instruction set of the part is public; every row of this file is assumed, and says from what. LDRAM is a memory
// of its PE: 32 MiB, one long word in each cycle, reached by loads and stores with tags of its own. Arithmetic does not
// read it, but for the matrix unit, which a load can stream past the matrix register (variants/linear.cpp).
#pragma once

#include <span>
#include <string_view>

#include "core/layout/machine_tree.h"

namespace kumihimo::l1000 {

struct Assumption {
  std::string_view name;
  int64_t value;
  std::string_view source;
};

// What the model adds to MN-Core 2's row; the other numbers are MN-Core 2's.
std::span<const Assumption> assumptions();

const MachineTree& tree();

}  // namespace kumihimo::l1000
