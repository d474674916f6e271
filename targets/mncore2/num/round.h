// Exact terms and the one rounding.
//
// Every sum of the MAU is: exact integers, aligned without loss, added, rounded once (ISA 8.4, 8.6 [S]). A term is
// an integer times a power of two; `add_and_round` adds two of them as if with unlimited precision.
//
//   add_and_round(kSingle, {false, 3, 0}, {true, 1, -2})  ==  pattern of 2.75f
//
// It cannot take terms of more than 110 bits: the window is 128 bits, and what falls off its end must be known to be
// far below the rounding position.
#pragma once

#include <cstdint>

#include "targets/mncore2/num/formats.h"

namespace kumihimo::mncore2::num {

__extension__ typedef unsigned __int128 UInt128;
__extension__ typedef __int128 Int128;

/// (-1)^negative * magnitude * 2^lsb_exponent
struct Term {
  bool negative = false;
  UInt128 magnitude = 0;
  int lsb_exponent = 0;
};

[[nodiscard]] constexpr int bit_length(UInt128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  if (high != 0) return 128 - __builtin_clzll(high);
  return low != 0 ? 64 - __builtin_clzll(low) : 0;
}

/// value / 2^shift to nearest, ties to even.
[[nodiscard]] constexpr UInt128 shift_right_rne(UInt128 value, int shift) {
  if (shift <= 0) return value << -shift;
  if (shift > 127) return 0;  // every value here is below 2^126, less than half of 2^128
  const UInt128 quotient = value >> shift;
  const UInt128 rest = value - (quotient << shift);
  const UInt128 half = UInt128{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

/// The same on 64 bits, any shift >= 0. Precondition: value < 2^62.
[[nodiscard]] constexpr std::uint64_t shift_right_rne(std::uint64_t value, int shift) {
  if (shift > 63) shift = 63;
  const std::uint64_t any = shift != 0 ? 1 : 0;
  const std::uint64_t bias = ((std::uint64_t{1} << shift) >> 1) - any + ((value >> shift) & any);
  return (value + bias) >> shift;
}

/// RNE of +-(magnitude + s) * 2^lsb_exponent, where s is 0, or with `sticky` some unknown part in (0, 1).
/// Exponent field <= 0 after rounding gives +0, overflow gives infinity (ISA 8.4, 8.1).
/// Precondition with sticky: magnitude has at least 2 bits more than the output significand.
[[nodiscard]] std::uint64_t round_to(const FloatFormat& out, bool negative, UInt128 magnitude, int lsb_exponent,
                                     bool sticky = false);

/// RNE of the exact sum x + y. An exact zero is +0.
[[nodiscard]] std::uint64_t add_and_round(const FloatFormat& out, const Term& x, const Term& y);

/// Signs of the infinities met while summing, and what their sum is (Q15).
struct InfTally {
  bool any = false;
  bool mixed = false;
  bool first_negative = false;

  constexpr void add(bool negative) {
    if (!any) first_negative = negative;
    mixed = mixed || (any && negative != first_negative);
    any = true;
  }
  /// Precondition: any.
  [[nodiscard]] constexpr std::uint64_t result(const FloatFormat& out, const Switches& switches) const {
    if (!mixed || switches.inf_minus_inf == InfMinusInf::kFirst) return out.inf(first_negative);
    return switches.inf_minus_inf == InfMinusInf::kPositive ? out.inf(false) : 0;
  }
};

}  // namespace kumihimo::mncore2::num
