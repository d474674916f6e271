// Hops: the steps of a move down the tree, DRAM or PDM -> L2BM -> L1BM -> PE memory. Emission and bound read the same.
#pragma once

#include <string_view>

#include "core/ir/type.h"

namespace kumihimo::mncore2::lower {

// Hops below the top: DRAM and PDM 0, L2BM 1, L1BM 2, memories of a PE 3.
int depth_of(const Type& type);

// Whether the hop out of `location` finds slots of their own for the children on `axis`; else it broadcasts.
bool hop_is_named(const Type& type, std::string_view location, std::string_view axis);

}  // namespace kumihimo::mncore2::lower
