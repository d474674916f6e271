// Block-float conversion: by hand, and against a conversion written with host doubles and nearbyint.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "targets/mncore2/num/bf.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;
using num_test::Random;

TEST(NumBf, SinglesByHand) {
  // 1.0 0.5 -0.25 3.0: E = 128; 3.0 is 1.5 * 2^1, field 1.1b at the top.
  const std::uint64_t in[4] = {0x3f800000u, 0x3f000000u, 0xbe800000u, 0x40400000u};
  std::uint64_t out[4];
  bfn(Block::kSingle, in, out);
  EXPECT_EQ(out[0], (128u << 23) | 0x200000u);
  EXPECT_EQ(out[1], (128u << 23) | 0x100000u);
  EXPECT_EQ(out[2], 0x80000000u | (128u << 23) | 0x080000u);
  EXPECT_EQ(out[3], (128u << 23) | 0x600000u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(block_value(Block::kSingle, 128, out[i]), to_double(kSingle, in[i]));
}

TEST(NumBf, CarryOfSinglesAndDoubles) {
  // All ones: 24 bits round up past 23, so E grows and the field is 1.0 one binade up.
  const std::uint64_t in[4] = {0x3fffffffu, 0x3f800000u, 0, 0x80000000u};
  std::uint64_t out[4];
  bfn(Block::kSingle, in, out);
  EXPECT_EQ(out[0], (128u << 23) | 0x400000u);
  EXPECT_EQ(out[1], (128u << 23) | 0x200000u);
  EXPECT_EQ(out[2], 128u << 23);                        // singles keep E in zeros
  EXPECT_EQ(out[3], 0x80000000u | (128u << 23));        // and their sign
  const std::uint64_t odd[4] = {0x3ffffffdu, 0, 0, 0};  // ...11101: tie, to even upwards, no carry
  bfn(Block::kSingle, odd, out);
  EXPECT_EQ(out[0], (127u << 23) | 0x7ffffeu);
  const std::uint64_t d[4] = {0x3fffffffffffffffu, 0x3ff0000000000000u, 0, 0};
  bfn(Block::kDouble, d, out);
  EXPECT_EQ(out[0], (std::uint64_t{1024} << 52) | (std::uint64_t{1} << 51));
  EXPECT_EQ(out[1], (std::uint64_t{1024} << 52) | (std::uint64_t{1} << 50));
}

TEST(NumBf, ReadingsOfTheCarryOfPseudoSingles) {
  // Fraction 0x7fffe0: with the hidden bit 19 ones and 5 zeros. RNE to 18 bits overflows, yet the fraction is not all
  // ones.
  const std::uint64_t in[8] = {0x3f800000u | 0x7fffe0u, 0, 0, 0, 0, 0, 0, 0};
  std::uint64_t out[8];
  bfn(Block::kPseudo, in, out);
  EXPECT_EQ(out[0], (128u << 23) | 0x400000u);
  Switches literal;
  literal.block_carry = BlockCarry::kFractionAllOnes;
  bfn(Block::kPseudo, in, out, literal);
  EXPECT_EQ(out[0], (127u << 23) | 0x7fffe0u);  // field stays at its largest value
  // 18 ones and then zeros: nothing to round, only the third reading raises E.
  const std::uint64_t kept[8] = {0x3f800000u | 0x7fffc0u, 0, 0, 0, 0, 0, 0, 0};
  bfn(Block::kPseudo, kept, out);
  EXPECT_EQ(out[0], (127u << 23) | 0x7fffe0u);
  Switches third;
  third.block_carry = BlockCarry::kKeptBitsAllOnes;
  bfn(Block::kPseudo, kept, out, third);
  EXPECT_EQ(out[0] >> 23, 128u);
}

TEST(NumBf, HalvesByHand) {
  std::uint16_t in[16] = {}, out[16];
  in[0] = 0x3e00;  // 1.0
  in[1] = 0xbc00;  // -0.5
  in[2] = 0x3e01;  // 1 + 2^-9: tie at the 9-bit field, to even
  in[3] = 0x3e03;  // 1 + 3 * 2^-9: tie, to even upwards
  in[4] = 0x2a00;  // 2^-10
  in[5] = 0xaa01;  // and a little more, negative
  in[6] = 0x8000;  // -0
  hbfn(in, out);
  EXPECT_EQ(out[0], 0x3e00 | 0x100);
  EXPECT_EQ(out[1], 0xbe00 | 0x080);
  EXPECT_EQ(out[2], 0x3e00 | 0x100);
  EXPECT_EQ(out[3], 0x3e00 | 0x102);
  // 2^-10 is a quarter of the last place: zero, and halves mark zeros with exponent 0.
  EXPECT_EQ(out[4], 0x0000);
  EXPECT_EQ(out[5], 0x8000);
  EXPECT_EQ(out[6], 0x8000);
  EXPECT_EQ(out[7], 0x0000);
  // The same with extension: d = 10 >= 6, field 2^-10 * 2^6 in units of 2^-8 = 16.
  hbfn(in, out, 9, true);
  EXPECT_EQ(out[0], 0x3e00 | 0x100);
  EXPECT_EQ(out[4], 0x0010);
  EXPECT_EQ(out[5], 0x8010);
  EXPECT_EQ(block_value(Block::kHalf, 31, out[4]), std::ldexp(1.0, -10));
}

TEST(NumBf, ExtensionEdge) {
  // d == 6 exactly: flagged unless the member's own mantissa is all ones.
  std::uint16_t in[16] = {}, out[16];
  in[0] = 0x3e00;
  in[1] = (25 << 9);          // 2^-6
  in[2] = (25 << 9) | 0x1ff;  // all ones at 2^-6: stays unflagged
  in[3] = (25 << 9) | 0x1fe;  // one less: flagged, 9 bits exactly
  in[4] = (26 << 9);          // d = 5
  hbfn(in, out, 9, true);
  EXPECT_EQ(out[1], 0x100);
  EXPECT_EQ(out[2], 0x3e00 | 0x008);
  EXPECT_EQ(out[3], 0x1ff);
  EXPECT_EQ(out[4], 0x3e00 | 0x008);
}

TEST(NumBf, FewerKeptBits) {
  // hbfn/6: E three higher, six bits for the largest member.
  std::uint16_t in[16] = {}, out[16];
  in[0] = 0x3e00;
  hbfn(in, out, 6);
  EXPECT_EQ(out[0], (34 << 9) | 0x020);
  in[0] = 0x3e00 | 0x1f8;  // 1.111111 000: seven ones, rounds past six bits
  hbfn(in, out, 6);
  EXPECT_EQ(out[0], (35 << 9) | 0x020);
  in[0] = 0x3e00 | 0x1f0;  // six ones
  hbfn(in, out, 6);
  EXPECT_EQ(out[0], (34 << 9) | 0x03f);
}

TEST(NumBf, ZerosAndInfinities) {
  const std::uint64_t zeros[4] = {0, 0x80000000u, 0x80000001u, 0x007fffffu};
  std::uint64_t out[4];
  bfn(Block::kSingle, zeros, out);
  EXPECT_EQ(out[0], 0u);
  EXPECT_EQ(out[1], 0x80000000u);
  EXPECT_EQ(out[2], 0x80000000u);
  EXPECT_EQ(out[3], 0u);
  const std::uint64_t infinite[4] = {0x3f800000u, 0xff800001u, 0, 0x80000000u};
  bfn(Block::kSingle, infinite, out);
  EXPECT_EQ(out[0], 0x7f800000u);
  EXPECT_EQ(out[1], 0xff800000u);
  EXPECT_EQ(out[2], 0x7f800000u);
  EXPECT_EQ(out[3], 0xff800000u);
  std::uint16_t top[16] = {}, half_out[16];
  top[0] = 62 << 9;
  hbfn(top, half_out, 9);
  EXPECT_EQ(half_out[0], (62 << 9) | 0x100);
  EXPECT_EQ(half_out[1], 0);
  hbfn(top, half_out, 8);
  EXPECT_EQ(half_out[0], 63 << 9);  // E = 63
  EXPECT_EQ(half_out[1], 63 << 9);
}

/// ISA 8.5 with values instead of fields. `grid` is the weight of the field's last bit.
struct Expected {
  std::vector<double> values;
  int exponent;  ///< unbiased E
  bool infinite;
};
Expected convert(const std::vector<double>& in, int mantissa_bits, int headroom, bool extended, int bias) {
  Expected e{{}, 0, false};
  double largest = 0;
  for (const double v : in) largest = std::max(largest, std::fabs(v));
  const int top = std::ilogb(largest);
  const int kept = mantissa_bits - headroom;
  int exponent = top + headroom;
  // Rounds past the kept bits: RNE at the kept bits reaches the next power of two.
  for (const double v : in)
    if (v != 0 && std::ilogb(v) == top &&
        std::nearbyint(std::ldexp(std::fabs(v), kept - 1 - top)) == std::ldexp(1.0, kept)) {
      ++exponent;
      break;
    }
  e.exponent = exponent;
  e.infinite = exponent + bias >= 2 * bias + 1;
  for (const double v : in) {
    int unit = exponent - (mantissa_bits - 1);
    if (v != 0 && extended) {
      const int d = exponent - std::ilogb(v);
      const bool ones = std::nearbyint(std::ldexp(std::fabs(v), kept - 1 - std::ilogb(v))) == std::ldexp(1.0, kept);
      if (d > 6 + headroom || (d == 6 + headroom && !ones)) unit -= 6;
    }
    e.values.push_back(std::ldexp(std::nearbyint(std::ldexp(v, -unit)), unit));
  }
  return e;
}

void compare(Random& random, Block kind, int kept, bool extended) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& format = format_of(block.element);
  std::vector<std::uint64_t> in(static_cast<std::size_t>(block.elements)), out(in.size());
  const int centre =
      random.chance(3) ? format.exponent_max() - 1 - random.below(5) : format.exponent_max() / 3 + random.below(9);
  std::vector<double> values;
  for (std::uint64_t& bits : in) {
    const int field = std::max(1, centre - (random.chance(3) ? random.below(30) : random.below(8)));
    bits =
        format.fields((random.bits() & 1) != 0, random.chance(10) ? 0 : field, random.fraction(format.fraction_bits));
    values.push_back(to_double(format, bits));
  }
  if (kind == Block::kHalf) {
    std::uint16_t h[16], r[16];
    for (std::size_t i = 0; i < 16; ++i) h[i] = static_cast<std::uint16_t>(in[i]);
    hbfn(h, r, kept, extended);
    for (std::size_t i = 0; i < 16; ++i) out[i] = r[i];
  } else {
    bfn(kind, in.data(), out.data());
  }
  bool all_zero = true;
  for (const double v : values) all_zero = all_zero && v == 0;
  if (all_zero) return;
  const Expected e = convert(values, block.mantissa_bits, block.mantissa_bits - kept, extended, format.bias);
  const int exponent = block_exponent(kind, out.data());
  if (e.infinite) {
    for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], format.inf(format.negative(in[i])));
    return;
  }
  ASSERT_EQ(exponent, e.exponent + format.bias);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(block_value(kind, exponent, out[i]), e.values[i]) << i;
    ASSERT_EQ(format.negative(out[i]), format.negative(in[i]));
    if (kind == Block::kPseudo) {
      ASSERT_EQ(out[i] & 31, 0u);
    }
    const bool zero = format.fraction(out[i]) == 0;
    if (kind != Block::kHalf) {
      ASSERT_EQ(format.exponent(out[i]), exponent);
    } else if (!extended || zero) {
      ASSERT_EQ(format.exponent(out[i]), zero ? 0 : exponent);
    }
  }
}

TEST(NumBf, AgainstHostArithmetic) {
  Random random(31);
  for (int i = 0; i < 60000; ++i) {
    compare(random, Block::kSingle, 23, false);
    compare(random, Block::kPseudo, 18, false);
    compare(random, Block::kDouble, 52, false);
    compare(random, Block::kHalf, 6 + random.below(4), false);
    compare(random, Block::kHalf, 6 + random.below(4), true);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
