// Variants of the L1000 model: MN-Core 2's, and what LDRAM adds.
//
//   k = tensor(block_half, …, LDRAM)   a cache that stays at its PEs; begins in any memory, also as block floats
//   q = bf(q)                          blocks as they stand at one address, of whatever dims
//   s = linear(q, k)                   k streams out of LDRAM; the result is at L1BM, one slot for each PE
//   s = where(mask, s, -inf)           a mask with copies in all lanes, one long word of it for one of s
//
// MN-Core 2's rows are taken over under this target's name, in their order; the rows of this folder come after those of
// their op. There is no instruction set, so no row emits anything.
#pragma once

#include <span>
#include <vector>

#include "core/dispatch/target.h"

namespace kumihimo::l1000::variants {

/// Replaces MN-Core 2's row: `base` gives the rules of the layout text and the placement.
Variant tensor_variant(const Variant& base);
std::span<const Variant> format_variants();  // bf of blocks by address
std::span<const Variant> linear_variants();  // linear with w in LDRAM
std::span<const Variant> where_variants();   // where under masks with copies in all lanes

/// All rows, in the order in which check tries them.
std::span<const Variant> all_variants();

/// Every lane of every PE holds an element or a copy at each address, and padding among them is 0: what a block needs.
std::optional<Violation> block_violation(const Type& type);

}  // namespace kumihimo::l1000::variants
