// Number formats of the machine: rows, unpacking, packing and conversion.
//
// Three floating formats, hidden bit, biased exponent (ISA 2.1 [V]):
//   half   1-6-9,  bias 31     1.0 = 0x3E00 (not IEEE half: one exponent bit more, one fraction bit less)
//   single 1-8-23, bias 127    IEEE field widths
//   double 1-11-52, bias 1023  IEEE field widths
// Only zeros, normal numbers and infinities exist. Exponent field all 0 is +-0 and all 1 is +-inf whatever the
// fraction: what IEEE calls a subnormal is a zero here, what IEEE calls a NaN is an infinity.
//
// A value travels as its bit pattern in the low bits of a std::uint64_t; bits above the width are 0.
//
// Laws: pack(unpack(x)) == canonical(x); widening is exact, so narrow(widen(x)) == canonical(x);
// normalise(x) == canonical(x) but for the sign of zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

enum class Float : std::uint8_t { kHalf, kSingle, kDouble };

struct FloatFormat {
  std::string_view name;
  char letter;  ///< precision letter of the assembly language
  int width;
  int exponent_bits;
  int fraction_bits;
  int bias;

  [[nodiscard]] constexpr int exponent_max() const { return (1 << exponent_bits) - 1; }
  [[nodiscard]] constexpr std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits) - 1; }
  [[nodiscard]] constexpr std::uint64_t hidden_bit() const { return std::uint64_t{1} << fraction_bits; }
  [[nodiscard]] constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (width - 1); }
  [[nodiscard]] constexpr std::uint64_t mask() const { return sign_bit() | (sign_bit() - 1); }
  [[nodiscard]] constexpr int exponent(std::uint64_t bits) const {
    return static_cast<int>(bits >> fraction_bits) & exponent_max();
  }
  [[nodiscard]] constexpr std::uint64_t fraction(std::uint64_t bits) const { return bits & fraction_mask(); }
  [[nodiscard]] constexpr bool negative(std::uint64_t bits) const { return (bits & sign_bit()) != 0; }
  [[nodiscard]] constexpr bool is_zero(std::uint64_t bits) const { return exponent(bits) == 0; }
  [[nodiscard]] constexpr bool is_inf(std::uint64_t bits) const { return exponent(bits) == exponent_max(); }
  [[nodiscard]] constexpr std::uint64_t fields(bool neg, int exponent_field, std::uint64_t fraction_field) const {
    return (neg ? sign_bit() : 0) | (static_cast<std::uint64_t>(exponent_field) << fraction_bits) | fraction_field;
  }
  [[nodiscard]] constexpr std::uint64_t inf(bool neg) const { return fields(neg, exponent_max(), 0); }
  [[nodiscard]] constexpr std::uint64_t one() const { return fields(false, bias, 0); }
};

/// ISA 2.1 [V].
inline constexpr FloatFormat kHalf{"half", 'h', 16, 6, 9, 31};
inline constexpr FloatFormat kSingle{"single", 'f', 32, 8, 23, 127};
inline constexpr FloatFormat kDouble{"double", 'd', 64, 11, 52, 1023};

[[nodiscard]] constexpr const FloatFormat& format_of(Float kind) {
  return kind == Float::kHalf ? kHalf : kind == Float::kSingle ? kSingle : kDouble;
}

enum class FloatClass : std::uint8_t { kZero, kFinite, kInf };

/// value = (-1)^negative * significand * 2^(exponent - fraction_bits), for kFinite; significand holds the hidden bit.
struct Unpacked {
  FloatClass kind;
  bool negative;
  int exponent;  ///< unbiased; 0 unless kFinite
  std::uint64_t significand;
};

[[nodiscard]] Unpacked unpack(const FloatFormat& format, std::uint64_t bits);
/// Inverse of unpack on canonical patterns (fraction 0 in zeros and infinities).
[[nodiscard]] std::uint64_t pack(const FloatFormat& format, const Unpacked& value);
/// Fraction := 0 where the exponent field is all 0 or all 1; the sign stays.
[[nodiscard]] std::uint64_t canonical(const FloatFormat& format, std::uint64_t bits);

/// Output normalisation of the RRN adder and of the MAU (ISA 8.1 [S], vpassa(-0) = +0 [E]):
/// canonical, and a zero is positive.
[[nodiscard]] std::uint64_t normalise(const FloatFormat& format, std::uint64_t bits);
/// The same with one RNE to a narrower (or equal) output format, the opcode modifier r (ISA 6.3).
[[nodiscard]] std::uint64_t normalise(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits);

/// Source modifier e: exact conversion to a wider (or equal) format (ISA 6.3 [V]).
[[nodiscard]] std::uint64_t widen(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits);
/// Source modifier r: RNE to a narrower (or equal) format (ISA 6.3, 8.4 [I]); exponent field <= 0 after rounding gives
/// zero, overflow gives infinity. The sign of a zero stays unless switches.narrowed_zero says otherwise: this is a
/// conversion of an input, not an output, so ISA 8.1 does not apply.
[[nodiscard]] std::uint64_t narrow(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits,
                                   const Switches& switches = kDefaultSwitches);

/// Exact value as a host double: subnormal patterns read as zero, NaN patterns as infinity. Never a NaN.
[[nodiscard]] double to_double(const FloatFormat& format, std::uint64_t bits);
/// RNE cast of a host double; a host NaN becomes an infinity of its sign, a host subnormal a zero of its sign.
[[nodiscard]] std::uint64_t from_double(const FloatFormat& format, double value);

/// narrow(kSingle, kHalf) in a few integer operations.
[[nodiscard]] std::uint16_t narrow_f32_to_f16(std::uint32_t bits, const Switches& switches = kDefaultSwitches);
/// widen(kHalf, kSingle).
[[nodiscard]] std::uint32_t widen_f16_to_f32(std::uint16_t bits);

/// The declared cast of host packing: float32 -> half by RNE, sign of zero kept; equals narrow(kSingle, kHalf).
[[nodiscard]] std::uint16_t half_from_float(float value);
[[nodiscard]] float float_from_half(std::uint16_t bits);
void half_from_float(const float* in, std::uint16_t* out, std::size_t count);
void float_from_half(const std::uint16_t* in, float* out, std::size_t count);

}  // namespace kumihimo::mncore2::num
