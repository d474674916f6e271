// The block of halves in a layout: what bf converts and linear contracts.
//
// A block is 16 elements of one dim that stand in the four lanes of four PEs at one address, (4_PE:1, 4_W:1) at the
// inner end of the dim (ISA 2.4, 6.1): the matrix unit of a MAB reads it as one vector.
#pragma once

#include <vector>

#include "core/layout/layout.h"

namespace kumihimo::mncore2::variants {

inline constexpr int64_t kHalfBlock = 16;

bool ends_in_half_block(const Layout& layout, const MachineTree& tree, int dim);

// Layouts with the same elements in which `dim` ends in a half block; the nearest to the given one first. Levels other
// than PE keep their digits, what stood on PE or in lanes moves to addresses.
std::vector<Layout> half_block_layouts(const Layout& layout, const MachineTree& tree, int dim);

}  // namespace kumihimo::mncore2::variants
