// Values: what each op of the program computes on this machine, one function per value id.
//
// A value id names a function, order of operations included: "linear.half.chain/1" is a chain of fused steps over
// the contracted blocks in address order, "reduce_sum.single.halving/1" a stated tree. Variants name the id, the exact
// interpreter runs the function, and lowered code must give the same bits. A change of the function is a new id.
//
// These functions know tensors, layouts and the arithmetic of this folder, and no instruction: they are the yardstick
// for the code that emission makes. Operands carry one leading array axis per partial tail (core/ops/tensor.h).
#pragma once

#include <span>
#include <vector>

#include "core/dispatch/target.h"

namespace kumihimo::mncore2::num {

using Operands = std::span<const Tensor* const>;

// --- moves: the same bits ---------------------------------------------------------------------------------------
Result<Tensor> value_copy(const OpInstance&, TypeRef result, Operands);
/// Partial axes on MAB through the reduction network of an L1B: 16 inputs by MAB, two levels of four.
Result<Tensor> value_upload_max(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_upload_sum(const OpInstance&, TypeRef result, Operands);

// --- formats ----------------------------------------------------------------------------------------------------
/// hbfn/9 on the 16 elements that stand in the four lanes of four PEs at one address.
Result<Tensor> value_bf_half(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_half_to_single(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_single_to_half(const OpInstance&, TypeRef result, Operands);

// --- elementwise, singles ---------------------------------------------------------------------------------------
Result<Tensor> value_add(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_sub(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_mul(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_max(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_where(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_exp(const OpInstance&, TypeRef result, Operands);

// --- contraction and reduction ----------------------------------------------------------------------------------
Result<Tensor> value_linear_half(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_reduce_max(const OpInstance&, TypeRef result, Operands);
Result<Tensor> value_reduce_sum(const OpInstance&, TypeRef result, Operands);

/// Numbers of the contracted blocks (of 16 elements of dim `dim`) in the order of their addresses: the order of the
/// chain.
[[nodiscard]] std::vector<std::int64_t> block_order(const Layout& layout, int dim);

/// The table of all of them, with the conversions of host packing: round to nearest even, zeros keep their sign.
[[nodiscard]] const Numerics& numerics();

}  // namespace kumihimo::mncore2::num
