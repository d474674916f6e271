// Variants: which placements of its operands each op accepts on this machine, and where the result lies.
//
// One file per family of ops. A row names the op, the constraints that must all hold, in order, the function that
// places the result, and the value id (num/values.h): what is computed. Constraints are objects; the check, the error,
// its fixes and the documents read the same one.
//
//   k = broadcast_download(k)       DRAM -> L1BM, crosses L2B (inside the group) and L1B, which k's layout must not name
//   k = distribute_download(k)      L1BM -> LM, crosses MAB and PE: named levels get their own points
//   k = bf(k)                       needs (4_PE:1, 4_W:1) innermost in one dim: 16 halves that share an exponent
//   s = linear(q, k, ...)           result single, stationary rows on (4_PE:1, 2:1, 2_W:1)
//
// Laws. Nothing is accepted that cannot be emitted. Placement of a result depends on types and attributes only. Moves
// keep layout and dtype. Arithmetic happens in PE memory; its results are at GRF (up to 128 rows of long words, half
// of a register file) or LM, a class whose bank lowering chooses, and their addresses are dense.
#pragma once

#include <span>
#include <vector>

#include "core/dispatch/target.h"

namespace kumihimo::mncore2::variants {

std::span<const Variant> declare_variants();      // tensor, immediate_float, output
std::span<const Variant> move_variants();         // downloads, upload, relayout
std::span<const Variant> format_variants();       // bf, cast
std::span<const Variant> linear_variants();       // linear
std::span<const Variant> elementwise_variants();  // add, sub, mul, max, where, exp
std::span<const Variant> reduce_variants();       // reduce_max, reduce_sum

// All rows, in the order in which check tries them.
std::span<const Variant> all_variants();

}  // namespace kumihimo::mncore2::variants
