// MAU matrix arithmetic: out = sum_i a_i * x_i + y on block floats (ISA 8.6 [S], block formats ISA 2.4).
//
// A block is 16 halves, 8 pseudo-singles, 4 singles or 4 doubles that share one exponent E; an element's fraction
// field m has no hidden bit and its top bit weighs 2^(E - bias). So all products share the exponent Ea + Ex, their
// integers are summed without rounding, the ordinary addend y is aligned without loss, and ONE rounding follows.
//   half, pseudo-single: products exact (pseudo-single reads only the top 18 of 23 field bits)
//   single, double:      products through the truncated multiplier of fma.h on the fields (constant: switch Q33)
//   half, extended:      exponent field 0 with a field other than 0 means exponent E - 6 (made by hbfe); such products
//                        are shifted by 6 or 12 with a rounding that the manual leaves open (switch Q3)
//
// E is the OR of the members' exponent fields: they are E, or 0 for zeros and extended elements. Other mixtures are
// undefined on the machine [V] and give some number here. A member whose own exponent field is all ones is an infinity;
// a zero member against it gives 0 (as in fma.h; for blocks unknown, switch Q15 inf_block).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

enum class Block : std::uint8_t { kHalf, kPseudo, kSingle, kDouble };

struct BlockFormat {
  std::string_view name;
  char letter;
  Float element;      ///< field widths
  Float sum;          ///< addend and unnarrowed result
  int elements;       ///< members of a block
  int mantissa_bits;  ///< top bits of the fraction field that count
  bool truncated;     ///< products go through the truncated multiplier of `element`
};

/// ISA 2.4 [V/S], 8.6 [S].
inline constexpr BlockFormat kBlockFormats[] = {
    {"half", 'h', Float::kHalf, Float::kSingle, 16, 9, false},
    {"pseudo-single", 'g', Float::kSingle, Float::kSingle, 8, 18, false},
    {"single", 'f', Float::kSingle, Float::kSingle, 4, 23, true},
    {"double", 'd', Float::kDouble, Float::kDouble, 4, 52, true},
};
[[nodiscard]] constexpr const BlockFormat& block_format(Block kind) {
  return kBlockFormats[static_cast<std::size_t>(kind)];
}

struct DotSigns {
  bool x = false;  ///< - on the vector
  bool y = false;  ///< - on the addend
};

/// The generic integer path. a, x: block_format(kind).elements patterns; y in its sum format; result in `out`.
[[nodiscard]] std::uint64_t matrix_dot(Block kind, const std::uint64_t* a, const std::uint64_t* x, std::uint64_t y,
                                       Float out, DotSigns signs = {}, const Switches& switches = kDefaultSwitches);

/// A half block taken apart once: the emulator decodes a matrix row when it is written and a vector when it is read.
struct HalfBlock {
  alignas(32) std::array<std::int16_t, 16> mantissa{};  ///< signed field; 0 for zeros and infinities
  std::uint16_t negative = 0;                           ///< bit i: sign of element i
  std::uint16_t extended = 0;                           ///< bit i: element i has exponent E - 6
  std::uint16_t infinite = 0;                           ///< bit i: element i is an infinity
  std::uint16_t exponent = 0;                           ///< E, biased
};

[[nodiscard]] HalfBlock decode_half_block(const std::uint16_t* fields);
/// Four long words as four PEs hold them; element 4p + k is half k (MSB first) of word p.
[[nodiscard]] HalfBlock decode_half_block_words(const std::uint64_t* long_words);
[[nodiscard]] HalfBlock negated(const HalfBlock& block);

/// Fast half dot, same bits as matrix_dot(kHalf, ..., kSingle).
[[nodiscard]] std::uint32_t dot_half(const HalfBlock& a, const HalfBlock& x, std::uint32_t y,
                                     const Switches& switches = kDefaultSwitches);
/// The same with opcode modifier r: one rounding to half.
[[nodiscard]] std::uint16_t dot_half_to_f16(const HalfBlock& a, const HalfBlock& x, std::uint32_t y,
                                            const Switches& switches = kDefaultSwitches);
/// 16 rows at once: out[i] = rows[i] . x + y[i]; a null y is 0.
void matvec_half(const HalfBlock* rows, const HalfBlock& x, const std::uint32_t* y, std::uint32_t* out,
                 const Switches& switches = kDefaultSwitches);

}  // namespace kumihimo::mncore2::num
