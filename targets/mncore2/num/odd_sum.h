// The fast road to one exact rounding: a sum of two doubles rounded to odd, then narrowed on its pattern.
//
// If p and c are doubles, p + c rounded to 53 bits "to odd" (truncate, and set the last bit when anything was lost)
// can be rounded again to 24 or 10 bits without harm: the odd last bit keeps the tie apart from its neighbours. The
// error of p + c is itself a double and comes from six additions (Knuth's TwoSum).
//
// Valid for |p|, |c| in about 2^-900 .. 2^900 or zero, round to nearest, no value-changing compiler flags. Fused
// multiply-add contraction is harmless: there is no product here, and the callers' products are exact.
#pragma once

#include <bit>
#include <cstdint>

namespace kumihimo::mncore2::num {

/// Pattern of p + c rounded to odd.
inline std::uint64_t odd_sum(double p, double c) {
  const double sum = p + c;
  const double c_part = sum - p;
  const double error = (p - (sum - c_part)) + (c - c_part);
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  // Tests on patterns rather than on doubles: signs of errors are random, and a branch on them is mispredicted.
  const std::uint64_t error_bits = std::bit_cast<std::uint64_t>(error);
  const std::uint64_t inexact = (error_bits << 1) != 0 ? 1 : 0;
  const std::uint64_t too_far = inexact & ((error_bits ^ bits) >> 63);
  return (bits - too_far) | inexact;
}

namespace detail {

/// RNE of a double's pattern to a narrower format; field <= 0 gives +0, overflow infinity (ISA 8.4, 8.1).
template <int kExponentBits, int kFractionBits>
inline std::uint32_t narrow_pattern(std::uint64_t bits) {
  constexpr int kDrop = 52 - kFractionBits;
  constexpr int kWidth = 1 + kExponentBits + kFractionBits;
  constexpr std::uint64_t kRebias = std::uint64_t{1023 - ((1 << (kExponentBits - 1)) - 1)} << kFractionBits;
  constexpr std::uint64_t kFirst = kRebias + (std::uint64_t{1} << kFractionBits);
  constexpr std::uint64_t kInf = std::uint64_t{(1 << kExponentBits) - 1} << kFractionBits;
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  const std::uint64_t rounded =
      (magnitude + ((std::uint64_t{1} << (kDrop - 1)) - 1) + ((magnitude >> kDrop) & 1)) >> kDrop;
  const std::uint64_t field = rounded >= kRebias + kInf ? kInf : rounded - kRebias;
  const std::uint64_t result = field | ((bits >> 63) << (kWidth - 1));
  return static_cast<std::uint32_t>(rounded < kFirst ? 0 : result);
}

}  // namespace detail

inline std::uint32_t single_of_pattern(std::uint64_t bits) { return detail::narrow_pattern<8, 23>(bits); }
inline std::uint16_t half_of_pattern(std::uint64_t bits) {
  return static_cast<std::uint16_t>(detail::narrow_pattern<6, 9>(bits));
}

/// Exact value of a pattern that is not an infinity; exponent field 0 gives a zero.
inline double double_of_single(std::uint32_t bits) {
  const std::uint64_t magnitude = bits & 0x7fffffffu;
  const std::uint64_t wide = magnitude < 0x00800000u ? 0 : (magnitude << 29) + (std::uint64_t{1023 - 127} << 52);
  return std::bit_cast<double>(wide | (static_cast<std::uint64_t>(bits & 0x80000000u) << 32));
}
inline double double_of_half(std::uint16_t bits) {
  const std::uint64_t magnitude = bits & 0x7fffu;
  const std::uint64_t wide = magnitude < 0x0200u ? 0 : (magnitude << 43) + (std::uint64_t{1023 - 31} << 52);
  return std::bit_cast<double>(wide | (static_cast<std::uint64_t>(bits & 0x8000u) << 48));
}

}  // namespace kumihimo::mncore2::num
