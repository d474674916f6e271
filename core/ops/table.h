// The parts of the op table, one file each.
#pragma once

#include <span>

#include "core/ops/op_def.h"

namespace kumihimo::ops {

std::span<const OpDef> declare_ops();     // tensor, immediate_float, output
std::span<const OpDef> move_ops();        // downloads, uploads, relayout
std::span<const OpDef> format_ops();      // cast, bf
std::span<const OpDef> arithmetic_ops();  // add, sub, mul, max, where, exp
std::span<const OpDef> contract_ops();    // linear
std::span<const OpDef> reduce_ops();      // reduce_max, reduce_sum

Diagnostic shape_error(std::string_view code, std::string_view op, std::string headline, std::string observed,
                       std::string required);

}  // namespace kumihimo::ops
