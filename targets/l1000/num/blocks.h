// Blocks of halves by address: which elements of a value share an exponent.
//
// The conversion to block floats works on the four lanes of the four PEs of a MAB at one address (ISA 2.4), whatever
// dims they belong to. Here a block is named by everything else that places an element: address, MAB, L1B, L2B, and is
// found dim by dim, because an element's place is a sum over its dims.
//
//   (2,2048,16)/((2_PE:2), (16:32, 8:2, 2_PE:1, 8_MAB:1), (4_W:1, 2:1, 2:16))
//   one block: heads 0 and 1, tokens t and t + 8, elements 0, 4, 8, 12 of one residue
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/dispatch/target.h"

namespace kumihimo::l1000::num {

class Blocks {
 public:
  explicit Blocks(const Type& type);
  int64_t count() const { return count_; }
  // The block of each element, in row-major order.
  const std::vector<int64_t>& of() const { return of_; }

 private:
  int64_t count_ = 1;
  std::vector<int64_t> of_;
};

// hbfn/9 on each block. Elements that stand in several PEs or lanes are one member: a copy changes neither the common
// exponent nor its own rounding. Padding is 0 (the check asks for it).
Tensor halves_to_blocks(const Type& type, const Tensor& halves);

// The common exponent of each block: the OR of its members' exponent fields.
std::vector<uint16_t> block_exponents(const Blocks& blocks, const Tensor& members);

}  // namespace kumihimo::l1000::num
