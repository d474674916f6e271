// Arithmetic of the host: IEEE singles and doubles, two's complement integers, truth values.
//
// An op means its float64 reference (core/ops), in the order in which that is written: index order for sums. The value
// of the host is that, rounded once to the dtype of the result: to nearest even for floats, modulo 2^n for integers.
// For + - * / and square root of singles this is the IEEE single result, because float64 has more than twice their
// digits. So every op has a value here as soon as it has a meaning. Integers of 64 bits do not fit into float64: they
// are moved, not computed with (variants.cpp).
#pragma once

#include "core/dispatch/target.h"

namespace kumihimo::host {

inline constexpr std::string_view kRoundedReference = "host.reference.rounded/1";
inline constexpr std::string_view kCopy = "host.copy/1";

const Numerics& numerics();

}  // namespace kumihimo::host
