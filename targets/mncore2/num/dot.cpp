#include "targets/mncore2/num/dot.h"

#include <bit>

#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/odd_sum.h"
#include "targets/mncore2/num/round.h"

namespace kumihimo::mncore2::num {
namespace {

/// Extended members are multiples of 2^-6 of a normal member's unit, products of two of 2^-12 (ISA 8.6).
constexpr int kExtension = 6;
constexpr int kExactUnits = 2 * kExtension;

struct Member {
  bool negative;
  bool infinite;
  bool extended;
  std::uint64_t field;  ///< 0 for zeros and infinities
};

Member member(Block kind, std::uint64_t bits, int block_exponent, const Switches& switches) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& format = format_of(block.element);
  Member m{format.negative(bits), false, false, 0};
  const int unused = format.fraction_bits - block.mantissa_bits;
  const std::uint64_t field = (format.fraction(bits) >> unused) << unused;
  if (format.is_inf(bits)) {
    m.infinite = switches.inf_block == InfBlock::kInfinite;
  } else if (!format.is_zero(bits)) {
    m.field = field;
  } else if (kind == Block::kHalf && block_exponent != 0 && field != 0) {
    m.extended = true;
    m.field = field;
  }
  return m;
}

/// The product's integer in units of 2^-12 of the block product's last bit, rounded as the switch says (Q3).
Int128 extended_product(Int128 product, int shift, const Switches& switches) {
  if (shift == 0) return product * (1 << kExactUnits);
  const bool negative = product < 0;
  const UInt128 magnitude = static_cast<UInt128>(negative ? -product : product);
  UInt128 value = 0;
  switch (switches.extended_product) {
    case ExtendedProduct::kNearestEven: value = shift_right_rne(magnitude, shift) << kExactUnits; break;
    case ExtendedProduct::kTruncate: value = (magnitude >> shift) << kExactUnits; break;
    case ExtendedProduct::kExact: value = magnitude << (kExactUnits - shift); break;
  }
  return negative ? -static_cast<Int128>(value) : static_cast<Int128>(value);
}

constexpr std::uint16_t lane_mask(bool on) { return static_cast<std::uint16_t>(-static_cast<int>(on)); }

}  // namespace

std::uint64_t matrix_dot(Block kind, const std::uint64_t* a, const std::uint64_t* x, std::uint64_t y, Float out,
                         DotSigns signs, const Switches& switches) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& element = format_of(block.element);
  const FloatFormat& sum_fmt = format_of(block.sum);
  const FloatFormat& result = format_of(out);

  int a_exponent = 0;
  int x_exponent = 0;
  for (int i = 0; i < block.elements; ++i) {
    a_exponent |= element.exponent(a[i]);
    x_exponent |= element.exponent(x[i]);
  }
  Multiplier multiplier = multiplier_of(block.element);
  if (!block.truncated)
    multiplier = {0, 0};
  else if (switches.block_correction == BlockCorrection::kSameWeight)
    multiplier.constant_log2 -= 2;

  InfTally infinities;
  Int128 sum = 0;
  for (int i = 0; i < block.elements; ++i) {
    const Member ma = member(kind, a[i], a_exponent, switches);
    const Member mx = member(kind, x[i], x_exponent, switches);
    const bool negative = (ma.negative != mx.negative) != signs.x;
    const bool zero = (!ma.infinite && ma.field == 0) || (!mx.infinite && mx.field == 0);
    if (zero) continue;
    if (ma.infinite || mx.infinite) {
      infinities.add(negative);
      continue;
    }
    const auto magnitude = static_cast<Int128>(truncated_product(multiplier, ma.field, mx.field));
    const Int128 product = negative ? -magnitude : magnitude;
    // Double products have 104 bits and no extension, so only halves are counted in the finer unit.
    const int shift = (ma.extended ? kExtension : 0) + (mx.extended ? kExtension : 0);
    sum += kind == Block::kHalf ? extended_product(product, shift, switches) : product;
  }

  const Unpacked uy = unpack(sum_fmt, signs.y ? y ^ sum_fmt.sign_bit() : y);
  if (uy.kind == FloatClass::kInf) infinities.add(uy.negative);
  if (infinities.any) return infinities.result(result, switches);

  // The field's top bit weighs 2^0, so its last bit weighs 2^-(fraction_bits - 1): ISA 2.4.
  const int last_bit = a_exponent + x_exponent - 2 * (element.bias + element.fraction_bits - 1);
  const int unit = kind == Block::kHalf ? last_bit - kExactUnits : last_bit;
  const bool negative = sum < 0;
  const Term products{negative, static_cast<UInt128>(negative ? -sum : sum), unit};
  const Term addend{uy.negative, uy.significand, uy.exponent - sum_fmt.fraction_bits};
  return add_and_round(result, products, addend);
}

// Everything in 16-bit lanes with one bit per element, so that the loop vectorises: masks are OR reductions.
HalfBlock decode_half_block(const std::uint16_t* fields) {
  static constexpr std::uint16_t kBit[16] = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                                             1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
  constexpr std::uint16_t kExponent = 0x7e00;
  constexpr std::uint16_t kFraction = 0x01ff;
  HalfBlock block;
  std::uint16_t exponents = 0;
  std::uint16_t negative = 0;
  std::uint16_t infinite = 0;
  std::uint16_t small = 0;  // exponent field 0, fraction not 0
  for (int i = 0; i < 16; ++i) {
    const std::uint16_t bits = fields[i];
    const auto exponent = static_cast<std::uint16_t>(bits & kExponent);
    const auto inf_lane = lane_mask(exponent == kExponent);
    const auto zero_lane = lane_mask(exponent == 0);
    const auto field = static_cast<std::uint16_t>(bits & kFraction & ~inf_lane);
    const auto live_lane = lane_mask(field != 0);
    const auto minus = static_cast<std::uint16_t>(static_cast<std::int16_t>(bits) >> 15);
    exponents = static_cast<std::uint16_t>(exponents | exponent);
    negative = static_cast<std::uint16_t>(negative | (minus & kBit[i]));
    infinite = static_cast<std::uint16_t>(infinite | (inf_lane & kBit[i]));
    small = static_cast<std::uint16_t>(small | (zero_lane & live_lane & kBit[i]));
    block.mantissa[static_cast<std::size_t>(i)] = static_cast<std::int16_t>((field ^ minus) - minus);
  }
  if (exponents == 0) {
    // No exponent to be relative to: all members are zeros.
    block.mantissa.fill(0);
    small = 0;
  }
  block.exponent = static_cast<std::uint16_t>(exponents >> 9);
  block.negative = negative;
  block.infinite = infinite;
  block.extended = small;
  return block;
}

HalfBlock decode_half_block_words(const std::uint64_t* long_words) {
  std::uint16_t fields[16];
  for (int i = 0; i < 16; ++i) fields[i] = static_cast<std::uint16_t>(long_words[i / 4] >> (48 - 16 * (i % 4)));
  return decode_half_block(fields);
}

HalfBlock negated(const HalfBlock& block) {
  HalfBlock result = block;
  for (std::int16_t& m : result.mantissa) m = static_cast<std::int16_t>(-m);
  result.negative = static_cast<std::uint16_t>(~block.negative);
  return result;
}

namespace {

struct HalfSum {
  std::int64_t sum = 0;
  int scale = 0;  ///< sum * 2^scale, before the block exponents
};

HalfSum plain_sum(const HalfBlock& a, const HalfBlock& x) {
  std::int32_t sum = 0;
  for (int i = 0; i < 16; ++i) sum += std::int32_t{a.mantissa[i]} * x.mantissa[i];
  return {sum, 0};
}

HalfSum extended_sum(const HalfBlock& a, const HalfBlock& x, const Switches& switches) {
  std::int64_t sum = 0;
  for (int i = 0; i < 16; ++i) {
    const int shift = kExtension * (((a.extended >> i) & 1) + ((x.extended >> i) & 1));
    const std::int32_t product = std::int32_t{a.mantissa[i]} * x.mantissa[i];
    const std::int32_t magnitude = product < 0 ? -product : product;
    std::int64_t value = 0;
    switch (switches.extended_product) {
      case ExtendedProduct::kNearestEven: {
        const std::int32_t bias = shift == 0 ? 0 : (1 << (shift - 1)) - 1 + ((magnitude >> shift) & 1);
        value = (magnitude + bias) >> shift;
        break;
      }
      case ExtendedProduct::kTruncate: value = magnitude >> shift; break;
      case ExtendedProduct::kExact: value = std::int64_t{magnitude} << (kExactUnits - shift); break;
    }
    sum += product < 0 ? -value : value;
  }
  return {sum, switches.extended_product == ExtendedProduct::kExact ? -kExactUnits : 0};
}

template <class Out>
Out dot(const HalfBlock& a, const HalfBlock& x, std::uint32_t y, const Switches& switches) {
  const bool y_infinite = (y & 0x7f800000u) == 0x7f800000u;
  const unsigned infinite = switches.inf_block == InfBlock::kInfinite ? a.infinite | x.infinite : 0u;
  if (infinite != 0 || y_infinite) [[unlikely]] {
    InfTally infinities;
    for (int i = 0; i < 16; ++i) {
      if (((infinite >> i) & 1) == 0) continue;
      // An infinity's partner counts unless it is a zero.
      const bool a_live = ((a.infinite >> i) & 1) != 0 || a.mantissa[i] != 0;
      const bool x_live = ((x.infinite >> i) & 1) != 0 || x.mantissa[i] != 0;
      if (a_live && x_live) infinities.add((((a.negative ^ x.negative) >> i) & 1) != 0);
    }
    if (y_infinite) infinities.add((y >> 31) != 0);
    if (infinities.any) {
      return static_cast<Out>(infinities.result(sizeof(Out) == 2 ? kHalf : kSingle, switches));
    }
  }
  const HalfSum products = (a.extended | x.extended) == 0 ? plain_sum(a, x) : extended_sum(a, x, switches);
  // The sum has at most 34 bits and the scale lies in 2^-90 .. 2^48, so the product below is exact.
  const int scale = a.exponent + x.exponent - 2 * (31 + 8) + products.scale;
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + scale) << 52);
  const std::uint64_t pattern = odd_sum(static_cast<double>(products.sum) * power, double_of_single(y));
  if constexpr (sizeof(Out) == 2)
    return half_of_pattern(pattern);
  else
    return single_of_pattern(pattern);
}

}  // namespace

std::uint32_t dot_half(const HalfBlock& a, const HalfBlock& x, std::uint32_t y, const Switches& switches) {
  return dot<std::uint32_t>(a, x, y, switches);
}

std::uint16_t dot_half_to_f16(const HalfBlock& a, const HalfBlock& x, std::uint32_t y, const Switches& switches) {
  return dot<std::uint16_t>(a, x, y, switches);
}

void matvec_half(const HalfBlock* rows, const HalfBlock& x, const std::uint32_t* y, std::uint32_t* out,
                 const Switches& switches) {
  for (int i = 0; i < 16; ++i) out[i] = dot<std::uint32_t>(rows[i], x, y == nullptr ? 0 : y[i], switches);
}

}  // namespace kumihimo::mncore2::num
