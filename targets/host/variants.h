// Variants of the host: one for each op that has a float64 meaning, made from the op table, so that a new op runs here
// as soon as it has a row there.
//
// There is one memory, so nothing moves: relayout is the only move, and block floats, a format of matrix units, do not
// exist. Operands may have any layout. A result keeps the layout of the first operand that has its shape and width;
// others are row-major (row_major).
#pragma once

#include <span>

#include "core/dispatch/target.h"

namespace kumihimo::host {

std::span<const Variant> all_variants();

/// Elements in the order of NumPy: lanes from the innermost dims, then addresses; every core sees them.
Result<Layout> row_major(std::span<const int64_t> shape, int bits);

}  // namespace kumihimo::host
