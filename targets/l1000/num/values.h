// Values of the ops that this target has beside those of MN-Core 2 (targets/mncore2/num/values.h), whose arithmetic it
// uses: blocks by address, and the contraction of a matrix in LDRAM.
#pragma once

#include <span>

#include "core/dispatch/target.h"

namespace kumihimo::l1000::num {

using Operands = std::span<const Tensor* const>;

/// hbfn/9 on the blocks of the layout (blocks.h).
Result<Tensor> value_bf_address(const OpInstance&, TypeRef result, Operands);

/// x times w transposed, w streamed out of LDRAM past x's rows. Element (m, n) is a chain over the addresses of w's
/// contracted dim, ascending: round(products of the four lanes), then round(products + what was there) for each further
/// address. The matrix holds row j of x in the lanes of its own PE and 0 in those of the other three, so that each PE's
/// long word of w meets only its own row.
Result<Tensor> value_linear_ldram(const OpInstance&, TypeRef result, Operands);

/// MN-Core 2's functions and these two.
const Numerics& numerics();

}  // namespace kumihimo::l1000::num
