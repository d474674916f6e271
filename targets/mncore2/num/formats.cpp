#include "targets/mncore2/num/formats.h"

#include <bit>
#include <cassert>

#include "targets/mncore2/num/round.h"

namespace kumihimo::mncore2::num {

Unpacked unpack(const FloatFormat& format, std::uint64_t bits) {
  const bool negative = format.negative(bits);
  const int field = format.exponent(bits);
  if (field == 0) return {FloatClass::kZero, negative, 0, 0};
  if (field == format.exponent_max()) return {FloatClass::kInf, negative, 0, 0};
  return {FloatClass::kFinite, negative, field - format.bias, format.hidden_bit() | format.fraction(bits)};
}

std::uint64_t pack(const FloatFormat& format, const Unpacked& value) {
  switch (value.kind) {
    case FloatClass::kZero: return format.fields(value.negative, 0, 0);
    case FloatClass::kInf: return format.inf(value.negative);
    case FloatClass::kFinite: break;
  }
  assert((value.significand & format.hidden_bit()) != 0);
  return format.fields(value.negative, value.exponent + format.bias, value.significand & format.fraction_mask());
}

std::uint64_t canonical(const FloatFormat& format, std::uint64_t bits) {
  if (!format.is_zero(bits) && !format.is_inf(bits)) return bits;
  return bits & ~format.fraction_mask();
}

std::uint64_t normalise(const FloatFormat& format, std::uint64_t bits) {
  return format.is_zero(bits) ? 0 : canonical(format, bits);
}

std::uint64_t normalise(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits) {
  const Unpacked value = unpack(from, bits);
  switch (value.kind) {
    case FloatClass::kZero: return 0;
    case FloatClass::kInf: return to.inf(value.negative);
    case FloatClass::kFinite: break;
  }
  return round_to(to, value.negative, value.significand, value.exponent - from.fraction_bits);
}

std::uint64_t widen(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits) {
  assert(to.exponent_bits >= from.exponent_bits && to.fraction_bits >= from.fraction_bits);
  Unpacked value = unpack(from, bits);
  value.significand <<= to.fraction_bits - from.fraction_bits;
  return pack(to, value);
}

std::uint64_t narrow(const FloatFormat& from, const FloatFormat& to, std::uint64_t bits, const Switches& switches) {
  assert(to.exponent_bits <= from.exponent_bits && to.fraction_bits <= from.fraction_bits);
  const std::uint64_t rounded = normalise(from, to, bits);
  if (!to.is_zero(rounded) || switches.narrowed_zero == NarrowedZero::kPositive) return rounded;
  return to.fields(from.negative(bits), 0, 0);
}

double to_double(const FloatFormat& format, std::uint64_t bits) {
  return std::bit_cast<double>(widen(format, kDouble, bits));
}

std::uint64_t from_double(const FloatFormat& format, double value) {
  return narrow(kDouble, format, std::bit_cast<std::uint64_t>(value));
}

// A half is a single with two exponent and fourteen fraction bits less: round on the pattern, then move the bias.
std::uint16_t narrow_f32_to_f16(std::uint32_t bits, const Switches& switches) {
  constexpr std::uint32_t kDrop = 23 - 9;
  constexpr std::uint32_t kRebias = std::uint32_t{127 - 31} << 9;
  constexpr std::uint32_t kInf = std::uint32_t{63} << 9;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t rounded = (magnitude + ((1u << (kDrop - 1)) - 1) + ((magnitude >> kDrop) & 1)) >> kDrop;
  std::uint32_t half = rounded >= kRebias + kInf ? kInf : rounded - kRebias;
  bool keep_sign = true;
  if (rounded < kRebias + (1u << 9)) {
    half = 0;
    keep_sign = switches.narrowed_zero == NarrowedZero::kKeepSign;
  }
  return static_cast<std::uint16_t>(half | (keep_sign ? (bits >> 16) & 0x8000u : 0));
}

std::uint32_t widen_f16_to_f32(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  if (magnitude < 0x200u) return sign;
  if (magnitude >= 0x7e00u) return sign | 0x7f800000u;
  return sign | ((magnitude << 14) + (std::uint32_t{127 - 31} << 23));
}

std::uint16_t half_from_float(float value) { return narrow_f32_to_f16(std::bit_cast<std::uint32_t>(value)); }

float float_from_half(std::uint16_t bits) { return std::bit_cast<float>(widen_f16_to_f32(bits)); }

void half_from_float(const float* in, std::uint16_t* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = half_from_float(in[i]);
}

void float_from_half(const std::uint16_t* in, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = float_from_half(in[i]);
}

}  // namespace kumihimo::mncore2::num
