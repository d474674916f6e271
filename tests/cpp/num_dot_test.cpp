// The matrix MAU against wide fixed-point integers, and the fast half dot against the generic path.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/fma.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;
using num_test::Fixed;
using num_test::Random;

int elements(Block kind) { return block_format(kind).elements; }

/// A random block straight in fields: one exponent, some zeros, halves with some extended members.
std::vector<std::uint64_t> random_block(Random& random, Block kind, bool extended, bool infinite) {
  const FloatFormat& format = format_of(block_format(kind).element);
  std::vector<std::uint64_t> block(static_cast<std::size_t>(elements(kind)));
  const int all_ones = format.exponent_max();
  int exponent = 1 + random.below(all_ones - 1);
  if (!random.chance(3)) exponent = format.bias - 12 + random.below(24);
  if (infinite && random.chance(6)) exponent = all_ones;
  if (random.chance(40)) exponent = 0;
  for (std::uint64_t& bits : block) {
    int field = exponent;
    std::uint64_t fraction = random.fraction(format.fraction_bits);
    if (random.chance(9)) fraction = 0;
    if (kind == Block::kHalf) {
      if (fraction == 0 && !random.chance(4)) field = 0;
      if (extended && random.chance(4)) field = 0;
      if (!extended && field == 0) fraction = 0;
    }
    bits = format.fields((random.bits() & 1) != 0, field, fraction);
  }
  return block;
}

/// ISA 8.6 again, as a sum of shifted integers in fixed point. Finite blocks without extended members.
template <int N, int kUnit>
std::uint64_t reference(Block kind, const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& x,
                        std::uint64_t y, const FloatFormat& out, int constant_shift) {
  const BlockFormat& block = block_format(kind);
  const FloatFormat& element = format_of(block.element);
  const FloatFormat& sum = format_of(block.sum);
  const int last = element.bias + element.fraction_bits - 1;  // field MSB weighs 2^0
  Fixed<N, kUnit> exact;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int ea = element.exponent(a[i]), ex = element.exponent(x[i]);
    if (ea == 0 || ex == 0) continue;
    std::uint64_t ma = element.fraction(a[i]), mx = element.fraction(x[i]);
    if (kind == Block::kPseudo) {
      ma &= ~std::uint64_t{31};
      mx &= ~std::uint64_t{31};
    }
    const bool minus = element.negative(a[i]) != element.negative(x[i]);
    const std::uint64_t low_mask = kind == Block::kSingle ? 31 : kind == Block::kDouble ? 0xffff : 0;
    // a*x less the low product: high*x + low(a)*high(x).
    const std::uint64_t la = ma & low_mask, lx = mx & low_mask;
    exact.add(minus, static_cast<unsigned __int128>(ma - la) * mx, ea + ex - 2 * last);
    exact.add(minus, static_cast<unsigned __int128>(la) * (mx - lx), ea + ex - 2 * last);
    if (la != 0 && lx != 0) exact.add(minus, 0, 1, ea + ex - 2 * last + constant_shift);
  }
  if (!sum.is_zero(y)) {
    exact.add(sum.negative(y), 0, sum.hidden_bit() | sum.fraction(y), sum.exponent(y) - sum.bias - sum.fraction_bits);
  }
  return exact.rounded(out.exponent_bits, out.fraction_bits, out.bias);
}

/// An addend near minus the dot product, near its rounding ties, or anything finite.
std::uint64_t aimed_addend(Random& random, Block kind, const std::vector<std::uint64_t>& a,
                           const std::vector<std::uint64_t>& x) {
  const FloatFormat& sum = format_of(block_format(kind).sum);
  const int ea = block_exponent(kind, a.data()), ex = block_exponent(kind, x.data());
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += block_value(kind, ea, a[i]) * block_value(kind, ex, x[i]);
  std::uint64_t y = random.pattern(sum.exponent_bits, sum.fraction_bits, 30);
  if (!random.chance(3) && std::isfinite(product)) {
    y = from_double(sum, -product) + static_cast<std::uint64_t>(random.below(5)) - 2;
    if (random.chance(2)) {
      const int field = sum.exponent(y) - sum.fraction_bits - 2 + random.below(2 * sum.fraction_bits + 4);
      const int inside = field < 1 ? 1 : field >= sum.exponent_max() ? sum.exponent_max() - 1 : field;
      y = sum.fields((random.bits() & 1) != 0, inside, random.fraction(sum.fraction_bits));
    }
  }
  y &= sum.mask();
  return sum.is_inf(y) ? 0 : y;
}

TEST(NumDot, ByHand) {
  // 16 halves: 1.0 has field 0x100 at E = 31 + 0 (top bit weighs 2^0).
  std::vector<std::uint64_t> ones(16, (31u << 9) | 0x100u);
  EXPECT_EQ(matrix_dot(Block::kHalf, ones.data(), ones.data(), 0, Float::kSingle), 0x41800000u);            // 16
  EXPECT_EQ(matrix_dot(Block::kHalf, ones.data(), ones.data(), 0x3f800000u, Float::kSingle), 0x41880000u);  // 17
  EXPECT_EQ(matrix_dot(Block::kHalf, ones.data(), ones.data(), 0x3f800000u, Float::kSingle, {true, false}),
            0xc1700000u);  // -15
  EXPECT_EQ(matrix_dot(Block::kHalf, ones.data(), ones.data(), 0x3f800000u, Float::kHalf),
            0x4620u);  // 17 = 1.0625 * 16
  // One extended member: 0x100 with exponent field 0 is 2^-6.
  std::vector<std::uint64_t> mixed = ones;
  mixed[3] = 0x100;
  EXPECT_EQ(std::bit_cast<float>(
                static_cast<std::uint32_t>(matrix_dot(Block::kHalf, mixed.data(), ones.data(), 0, Float::kSingle))),
            15.0f + 1.0f / 64);
  EXPECT_EQ(std::bit_cast<float>(
                static_cast<std::uint32_t>(matrix_dot(Block::kHalf, mixed.data(), mixed.data(), 0, Float::kSingle))),
            15.0f + 1.0f / 4096);
  // dmfma rows that are not selected: normalise only (ISA 8.6).
  std::vector<std::uint64_t> zeros(4, 0);
  EXPECT_EQ(matrix_dot(Block::kDouble, zeros.data(), zeros.data(), 0x8000000000000000u, Float::kDouble), 0u);
}

TEST(NumDot, ExtendedProductsByHand) {
  // Fields 0x0ff * 0x0ff = 65025 in units of 2^-16; extended once: 65025 / 64 = 1016.02 -> 1016, twice: 15.875 -> 16
  // (or 15 truncated).
  std::vector<std::uint64_t> a(16, 0), x(16, 0);
  a[0] = 0x0ff;
  a[1] = x[1] = (31u << 9);  // gives the blocks an exponent; fields 0
  x[0] = (31u << 9) | 0x0ff;
  Switches exact, truncate;
  exact.extended_product = ExtendedProduct::kExact;
  truncate.extended_product = ExtendedProduct::kTruncate;
  const auto dot = [&](const Switches& switches) {
    return to_double(kSingle, matrix_dot(Block::kHalf, a.data(), x.data(), 0, Float::kSingle, {}, switches));
  };
  EXPECT_EQ(dot({}), 1016.0 / 65536);
  EXPECT_EQ(dot(truncate), 1016.0 / 65536);
  EXPECT_EQ(dot(exact), 65025.0 / 64 / 65536);
  x[0] = 0x80ff;
  EXPECT_EQ(dot({}), -16.0 / 65536);
  EXPECT_EQ(dot(truncate), -15.0 / 65536);
  EXPECT_EQ(dot(exact), -65025.0 / 4096 / 65536);
}

TEST(NumDot, CorrectionOfBlockSinglesIsSwitchable) {
  // Fields 0x400001 and 0x400001 (1 + 2^-22): low product 1, constant 2^8 in units of 2^-44, or two bits lower.
  const std::uint64_t v = (127u << 23) | 0x400001u;
  const std::vector<std::uint64_t> a{v, 0, 0, 0}, x{v, 0, 0, 0};
  Switches same;
  same.block_correction = BlockCorrection::kSameWeight;
  const std::uint64_t minus_one = 0xbf800000u;
  EXPECT_EQ(to_double(kSingle, matrix_dot(Block::kSingle, a.data(), x.data(), minus_one, Float::kSingle)),
            std::ldexp(1.0, -21) + std::ldexp(1.0, -36));
  EXPECT_EQ(to_double(kSingle, matrix_dot(Block::kSingle, a.data(), x.data(), minus_one, Float::kSingle, {}, same)),
            std::ldexp(1.0, -21) + std::ldexp(1.0, -38));
}

TEST(NumDot, EveryKindAgainstFixedPoint) {
  Random random(21);
  for (int i = 0; i < 200000; ++i) {
    const auto kind = static_cast<Block>(i % 4 == 3 ? (i % 16 == 3 ? 3 : 0) : i % 4);
    const auto a = random_block(random, kind, false, false);
    const auto x = random_block(random, kind, false, false);
    const std::uint64_t y = aimed_addend(random, kind, a, x);
    const bool narrowed = random.chance(4);
    const Float out = kind == Block::kDouble ? (narrowed ? Float::kSingle : Float::kDouble)
                                             : (narrowed ? Float::kHalf : Float::kSingle);
    Switches switches;
    const bool same = random.chance(4);
    if (same) switches.block_correction = BlockCorrection::kSameWeight;
    const int constant = (kind == Block::kDouble ? 30 : 8) - (same ? 2 : 0);
    const std::uint64_t expected = kind == Block::kDouble ? reference<70, 2200>(kind, a, x, y, format_of(out), constant)
                                                          : reference<10, 320>(kind, a, x, y, format_of(out), constant);
    ASSERT_EQ(matrix_dot(kind, a.data(), x.data(), y, out, {}, switches), expected)
        << "kind " << static_cast<int>(kind) << " round " << i;
  }
}

TEST(NumDot, SignsAreThoseOfTheOperands) {
  Random random(22);
  for (int i = 0; i < 20000; ++i) {
    const auto kind = static_cast<Block>(i % 4);
    const FloatFormat& element = format_of(block_format(kind).element);
    const FloatFormat& sum = format_of(block_format(kind).sum);
    const auto a = random_block(random, kind, true, false);
    auto x = random_block(random, kind, true, false);
    const std::uint64_t y = aimed_addend(random, kind, a, x);
    const std::uint64_t flagged = matrix_dot(kind, a.data(), x.data(), y, block_format(kind).sum, {true, true});
    for (std::uint64_t& bits : x) bits ^= element.sign_bit();
    ASSERT_EQ(flagged, matrix_dot(kind, a.data(), x.data(), y ^ sum.sign_bit(), block_format(kind).sum));
  }
}

TEST(NumDot, Infinities) {
  std::vector<std::uint64_t> a(16, (31u << 9) | 0x100u), x = a;
  const auto dot = [&](const Switches& s = {}) {
    return matrix_dot(Block::kHalf, a.data(), x.data(), 0, Float::kSingle, {}, s);
  };
  a[2] = 0xfe00;
  EXPECT_EQ(dot(), 0xff800000u);
  x[2] = 0;
  EXPECT_NE(dot(), 0xff800000u);  // infinity times zero is zero
  x[2] = 0x8100 | (31u << 9);
  EXPECT_EQ(dot(), 0x7f800000u);
  a[5] = 0xfe00;
  EXPECT_EQ(dot(), 0x7f800000u);  // +inf first, then -inf
  Switches zero;
  zero.inf_minus_inf = InfMinusInf::kZero;
  EXPECT_EQ(dot(zero), 0u);
  zero.inf_block = InfBlock::kZero;
  a.assign(16, 0x7e00);
  EXPECT_EQ(dot(zero), 0u);
}

// Three million dots: fields as they come from hbfe, infinities, junk between; all switch settings.
TEST(NumDot, FastHalfDotEqualsGenericPath) {
  Random random(23);
  std::vector<Switches> variants(4);
  variants[1].extended_product = ExtendedProduct::kTruncate;
  variants[2].extended_product = ExtendedProduct::kExact;
  variants[2].inf_minus_inf = InfMinusInf::kPositive;
  variants[3].inf_block = InfBlock::kZero;
  variants[3].inf_minus_inf = InfMinusInf::kZero;
  for (int round = 0; round < 12000; ++round) {
    const bool extended = round % 3 == 0, infinite = round % 5 == 0, junk = round % 50 == 0;
    const Switches& switches = variants[static_cast<std::size_t>(random.below(4))];
    std::vector<std::vector<std::uint64_t>> rows;
    std::vector<HalfBlock> decoded;
    const auto decode = [](const std::vector<std::uint64_t>& block) {
      std::uint16_t fields[16];
      for (int i = 0; i < 16; ++i) fields[i] = static_cast<std::uint16_t>(block[static_cast<std::size_t>(i)]);
      return decode_half_block(fields);
    };
    for (int i = 0; i < 16; ++i) {
      rows.push_back(random_block(random, Block::kHalf, extended, infinite));
      if (junk)
        for (std::uint64_t& bits : rows.back()) bits = random.bits() & 0xffff;
      decoded.push_back(decode(rows.back()));
    }
    for (int v = 0; v < 16; ++v) {
      const auto x = random_block(random, Block::kHalf, extended, infinite);
      const HalfBlock dx = decode(x);
      std::uint32_t y[16], out[16];
      for (int i = 0; i < 16; ++i) {
        y[i] = static_cast<std::uint32_t>(aimed_addend(random, Block::kHalf, rows[static_cast<std::size_t>(i)], x));
        if (infinite && random.chance(20)) y[i] = random.single(2);
      }
      matvec_half(decoded.data(), dx, y, out, switches);
      const bool minus = v % 4 == 0;
      for (int i = 0; i < 16; ++i) {
        const std::uint64_t* row = rows[static_cast<std::size_t>(i)].data();
        const HalfBlock& drow = decoded[static_cast<std::size_t>(i)];
        ASSERT_EQ(out[i], matrix_dot(Block::kHalf, row, x.data(), y[i], Float::kSingle, {}, switches)) << round;
        if (i % 4 != 0) continue;
        ASSERT_EQ(dot_half_to_f16(drow, dx, y[i], switches),
                  matrix_dot(Block::kHalf, row, x.data(), y[i], Float::kHalf, {}, switches));
        if (minus) {
          ASSERT_EQ(dot_half(drow, negated(dx), y[i], switches),
                    matrix_dot(Block::kHalf, row, x.data(), y[i], Float::kSingle, {true, false}, switches));
        }
      }
    }
  }
}

TEST(NumDot, WordsAreFourHalvesMsbFirst) {
  Random random(24);
  std::uint16_t fields[16];
  std::uint64_t words[4] = {};
  for (int i = 0; i < 16; ++i) {
    fields[i] = random.half();
    words[i / 4] = (words[i / 4] << 16) | fields[i];
  }
  const HalfBlock a = decode_half_block(fields), b = decode_half_block_words(words);
  EXPECT_EQ(a.mantissa, b.mantissa);
  EXPECT_EQ(a.exponent, b.exponent);
  EXPECT_EQ(a.negative, b.negative);
  EXPECT_EQ(a.extended, b.extended);
  EXPECT_EQ(a.infinite, b.infinite);
}

// From ordinary numbers to a product: block conversion and dot together stay within the conversion's error.
TEST(NumDot, BlockConversionThenDotApproximatesTheRealSum) {
  Random random(25);
  for (int i = 0; i < 5000; ++i) {
    std::uint16_t a[16], x[16], ba[16], bx[16];
    double exact = 0, scale_a = 0, scale_x = 0;
    for (int j = 0; j < 16; ++j) {
      a[j] = static_cast<std::uint16_t>(0x3a00 + (random.bits() & 0x87ff));
      x[j] = static_cast<std::uint16_t>(0x3a00 + (random.bits() & 0x87ff));
      exact += to_double(kHalf, a[j]) * to_double(kHalf, x[j]);
      scale_a = std::max(scale_a, std::fabs(to_double(kHalf, a[j])));
      scale_x = std::max(scale_x, std::fabs(to_double(kHalf, x[j])));
    }
    hbfn(a, ba);
    hbfn(x, bx);
    const double got = to_double(kSingle, dot_half(decode_half_block(ba), decode_half_block(bx), 0));
    // Each member is off by at most half a field unit, 2^-9 of the power of two above the largest member.
    EXPECT_NEAR(got, exact, 16 * 2.1 * std::ldexp(scale_a * scale_x, -8));
  }
}

}  // namespace
