#include "targets/mncore2/num/bf.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "targets/mncore2/num/round.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr int kMaxMembers = 16;
/// hbfe: a flagged member's field is scaled by 2^6 (ISA 8.5 [S]).
constexpr int kExtension = 6;

struct Converter {
  const BlockFormat& block;
  const FloatFormat& format;
  int kept_bits;  ///< n: bits left to the largest member, mantissa_bits - b
  const Switches& switches;

  /// Right shift that brings a significand with exponent E to the field.
  [[nodiscard]] int field_shift() const { return format.fraction_bits + 1 - block.mantissa_bits; }
  [[nodiscard]] int headroom() const { return block.mantissa_bits - kept_bits; }

  /// "Valid mantissa all ones": the significand needs the next higher exponent (Q2).
  [[nodiscard]] bool carries(std::uint64_t significand) const {
    const int drop = format.fraction_bits + 1 - kept_bits;
    const std::uint64_t all_ones = (std::uint64_t{1} << kept_bits) - 1;
    switch (switches.block_carry) {
      case BlockCarry::kRoundingOverflow: return shift_right_rne(significand, drop) > all_ones;
      case BlockCarry::kFractionAllOnes: return (significand & format.fraction_mask()) == format.fraction_mask();
      case BlockCarry::kKeptBitsAllOnes: return (significand >> drop) == all_ones;
    }
    return false;
  }

  /// The field for a significand `distance` below E, in place in the fraction. Under the readings of Q2 that do not
  /// follow the rounding a field may overflow; it then stays at all ones.
  [[nodiscard]] std::uint64_t field(std::uint64_t significand, int distance) const {
    const std::uint64_t rounded = shift_right_rne(significand, field_shift() + distance);
    const std::uint64_t all_ones = (std::uint64_t{1} << block.mantissa_bits) - 1;
    return (rounded > all_ones ? all_ones : rounded) << (format.fraction_bits - block.mantissa_bits);
  }
};

void convert(Block kind, const std::uint64_t* in, std::uint64_t* out, int kept_bits, bool extended,
             const Switches& switches) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& format = format_of(block.element);
  const Converter converter{block, format, kept_bits, switches};
  const bool half = kind == Block::kHalf;

  int largest = 0;
  for (int i = 0; i < block.elements; ++i) largest = std::max(largest, format.exponent(in[i]));
  if (largest == 0) {
    for (int i = 0; i < block.elements; ++i) out[i] = format.fields(format.negative(in[i]), 0, 0);
    return;
  }
  int exponent = largest + converter.headroom();
  for (int i = 0; i < block.elements; ++i) {
    if (format.exponent(in[i]) != largest) continue;
    if (!converter.carries(format.hidden_bit() | format.fraction(in[i]))) continue;
    ++exponent;
    break;
  }
  if (exponent >= format.exponent_max()) {
    for (int i = 0; i < block.elements; ++i) out[i] = format.inf(format.negative(in[i]));
    return;
  }
  for (int i = 0; i < block.elements; ++i) {
    const bool negative = format.negative(in[i]);
    const int own = format.exponent(in[i]);
    std::uint64_t field = 0;
    int stored = exponent;
    if (own != 0) {
      const std::uint64_t significand = format.hidden_bit() | format.fraction(in[i]);
      const int distance = exponent - own;
      const int edge = kExtension + converter.headroom();
      const bool flagged = extended && (distance > edge || (distance == edge && !converter.carries(significand)));
      field = converter.field(significand, flagged ? distance - kExtension : distance);
      if (flagged) stored = 0;
    }
    // Halves mark zeros with exponent field 0; the other kinds keep E (ISA 8.5 [S]).
    if (half && field == 0) stored = 0;
    out[i] = format.fields(negative, stored, field);
  }
}

}  // namespace

void bfn(Block kind, const std::uint64_t* in, std::uint64_t* out, const Switches& switches) {
  convert(kind, in, out, block_format(kind).mantissa_bits, false, switches);
}

void hbfn(const std::uint16_t* in, std::uint16_t* out, int kept_bits, bool extended, const Switches& switches) {
  assert(kept_bits >= 6 && kept_bits <= 9);
  std::uint64_t members[kMaxMembers];
  for (int i = 0; i < kMaxMembers; ++i) members[i] = in[i];
  convert(Block::kHalf, members, members, kept_bits, extended, switches);
  for (int i = 0; i < kMaxMembers; ++i) out[i] = static_cast<std::uint16_t>(members[i]);
}

int block_exponent(Block kind, const std::uint64_t* fields) {
  const BlockFormat& block = block_format(kind);
  int exponent = 0;
  for (int i = 0; i < block.elements; ++i) exponent |= format_of(block.element).exponent(fields[i]);
  return exponent;
}

double block_value(Block kind, int block_exponent, std::uint64_t bits) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& format = format_of(block.element);
  const double sign = format.negative(bits) ? -1.0 : 1.0;
  if (format.is_inf(bits)) return sign * std::numeric_limits<double>::infinity();
  int exponent = block_exponent;
  if (format.is_zero(bits)) {
    if (kind != Block::kHalf || block_exponent == 0) return sign * 0.0;
    exponent -= kExtension;
  }
  const int unused = format.fraction_bits - block.mantissa_bits;
  const std::uint64_t field = (format.fraction(bits) >> unused) << unused;
  return sign * std::ldexp(static_cast<double>(field), exponent - format.bias - (format.fraction_bits - 1));
}

}  // namespace kumihimo::mncore2::num
