// The vector MAU against wide fixed-point integers, and the fast array forms against the generic path.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "targets/mncore2/num/fma.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;
using num_test::Fixed;
using num_test::Random;

struct Fields {
  bool negative;
  int exponent;  ///< field
  std::uint64_t significand;
};
Fields split(std::uint64_t bits, int exponent_bits, int fraction_bits) {
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  return {((bits >> (exponent_bits + fraction_bits)) & 1) != 0, exponent,
          exponent == 0 ? 0 : fraction | (std::uint64_t{1} << fraction_bits)};
}

/// ISA 8.4 once more: a product of partial products. The omitted ones are those of bit i of a and bit j of b with
/// both in the low part.
unsigned __int128 partial_products(std::uint64_t a, std::uint64_t b, int low_bits, int constant) {
  unsigned __int128 sum = 0;
  bool omitted = false;
  for (int i = 0; i < 53; ++i) {
    if (((a >> i) & 1) == 0) continue;
    for (int j = 0; j < 53; ++j) {
      if (((b >> j) & 1) == 0) continue;
      if (i < low_bits && j < low_bits)
        omitted = true;
      else
        sum += static_cast<unsigned __int128>(1) << (i + j);
    }
  }
  return omitted ? sum + (static_cast<unsigned __int128>(1) << constant) : sum;
}

struct Shape {
  int exponent_bits, fraction_bits, bias;
};
constexpr Shape kH{6, 9, 31}, kF{8, 23, 127}, kD{11, 52, 1023};

template <int N, int kUnit>
std::uint64_t reference(Shape factor, Shape sum, Shape out, int low_bits, int constant, std::uint64_t a,
                        std::uint64_t b, std::uint64_t c) {
  const Fields fa = split(a, factor.exponent_bits, factor.fraction_bits);
  const Fields fb = split(b, factor.exponent_bits, factor.fraction_bits);
  const Fields fc = split(c, sum.exponent_bits, sum.fraction_bits);
  const int factor_inf = (1 << factor.exponent_bits) - 1;
  const int sum_inf = (1 << sum.exponent_bits) - 1;
  const std::uint64_t out_inf = static_cast<std::uint64_t>((1 << out.exponent_bits) - 1) << out.fraction_bits;
  const std::uint64_t out_sign = std::uint64_t{1} << (out.exponent_bits + out.fraction_bits);
  const bool zero = fa.exponent == 0 || fb.exponent == 0;
  const bool minus = fa.negative != fb.negative;
  if (!zero && (fa.exponent == factor_inf || fb.exponent == factor_inf)) return out_inf | (minus ? out_sign : 0);
  if (fc.exponent == sum_inf) return out_inf | (fc.negative ? out_sign : 0);
  Fixed<N, kUnit> exact;
  if (!zero) {
    exact.add(minus, partial_products(fa.significand, fb.significand, low_bits, constant),
              fa.exponent + fb.exponent - 2 * (factor.bias + factor.fraction_bits));
  }
  if (fc.exponent != 0) {
    exact.add(fc.negative, 0, fc.significand, fc.exponent - sum.bias - sum.fraction_bits);
  }
  return exact.rounded(out.exponent_bits, out.fraction_bits, out.bias);
}

std::uint64_t reference_single(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool to_half) {
  return reference<10, 320>(kF, kF, to_half ? kH : kF, 5, 8, a, b, c);
}
std::uint64_t reference_half(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool to_half) {
  return reference<10, 320>(kH, kF, to_half ? kH : kF, 0, 0, a, b, c);
}
std::uint64_t reference_double(std::uint64_t a, std::uint64_t b, std::uint64_t c, bool to_single) {
  return reference<70, 2200>(kD, kD, to_single ? kF : kD, 16, 30, a, b, c);
}

std::uint32_t with_exponent(std::uint32_t bits, int field) {
  field = field < 0 ? 0 : field > 254 ? 254 : field;
  return (bits & 0x807fffffu) | (static_cast<std::uint32_t>(field) << 23);
}

/// Triples of singles aimed at the roundings: cancellations, ties of the product, ties of the addend, far addends.
struct Triple {
  std::uint32_t a, b, c;
};
Triple biased(Random& random) {
  Triple t{random.single(), random.single(), random.single()};
  const auto middle = [&](std::uint32_t bits) { return with_exponent(bits, 90 + random.below(75)); };
  switch (random.below(8)) {
    case 0:  // near-cancellation: c = -(a*b) in the last places
    case 1: {
      t.a = middle(t.a);
      t.b = middle(t.b);
      const float product = std::bit_cast<float>(t.a) * std::bit_cast<float>(t.b);
      t.c = std::bit_cast<std::uint32_t>(product) ^ 0x80000000u;
      t.c += static_cast<std::uint32_t>(random.below(3) - 1) * static_cast<std::uint32_t>(random.below(40));
      break;
    }
    case 2: {  // the product is an exact tie (25 significant bits), the addend tiny or zero
      const int k = 2 + random.below(22);
      const std::uint32_t x =
          (1u << (k - 1)) | (static_cast<std::uint32_t>(random.bits()) & ((1u << (k - 1)) - 1)) | 1u;
      const int l = 25 - k;
      const std::uint32_t y =
          (1u << (l - 1)) | (static_cast<std::uint32_t>(random.bits()) & ((1u << (l - 1)) - 1)) | 1u;
      t.a = std::bit_cast<std::uint32_t>(static_cast<float>(x));
      t.b = std::bit_cast<std::uint32_t>(static_cast<float>(y));
      t.a = with_exponent(t.a, static_cast<int>(t.a >> 23) - random.below(40));
      t.c = random.chance(3) ? 0 : with_exponent(t.c, 1 + random.below(70));
      if (random.chance(2)) t.a ^= 0x80000000u;
      break;
    }
    case 3:
    case 4: {  // the product is half a unit of the addend, or that and a little more or less
      t.c = middle(t.c);
      const int half_unit = static_cast<int>((t.c >> 23) & 255) - 24;
      const int ea = 60 + random.below(80);
      t.a =
          with_exponent(random.chance(2) ? 0x3f800000u : 0x3f800000u + static_cast<std::uint32_t>(random.below(4)), ea);
      t.b = with_exponent(0x3f800000u + static_cast<std::uint32_t>(random.below(3)), half_unit - ea + 127);
      if (random.chance(3))
        t.b = with_exponent(0x3fffffffu - static_cast<std::uint32_t>(random.below(3)), half_unit - 1 - ea + 127);
      if (random.chance(2)) t.b ^= 0x80000000u;
      break;
    }
    case 5: {  // results at the borders of the exponent range
      const int ea = 1 + random.below(254);
      const int target = random.chance(2) ? -3 + random.below(30) : 250 + random.below(8);
      int eb = target + 127 - ea;
      eb = eb < 1 ? 1 : eb > 254 ? 254 : eb;
      t.a = with_exponent(t.a, ea);
      t.b = with_exponent(t.b, eb);
      if (random.chance(2)) t.c = with_exponent(t.c, target < 1 ? 1 : target);
      if (random.chance(3)) t.c = 0;
      break;
    }
    case 6:  // no low parts: a plain fma
      t.a = middle(t.a) & ~31u;
      t.b = middle(t.b);
      t.c = middle(t.c);
      break;
    default: break;
  }
  return t;
}

TEST(NumFma, TruncatedProductOfSinglesByHand) {
  // 1 + 2^-23 squared: low parts 1 and 1; 2^46 + 2^24 + 1 becomes 2^46 + 2^24 + 256. Cancelling the leading part leaves
  // 2^-22 + 2^-38 instead of 2^-22 + 2^-46.
  const std::uint32_t a = 0x3f800001u;
  const std::uint32_t minus_one = 0xbf800000u;
  const float expected = std::ldexp(1.0f, -22) + std::ldexp(1.0f, -38);
  EXPECT_EQ(fma(Float::kSingle, a, a, minus_one, Float::kSingle), std::bit_cast<std::uint32_t>(expected));
  EXPECT_EQ(fma_f32(a, a, minus_one), std::bit_cast<std::uint32_t>(expected));
  EXPECT_NE(std::fma(std::bit_cast<float>(a), std::bit_cast<float>(a), -1.0f), expected);
  // Doubles: (1 + 2^-52)^2 - 1 leaves 2^-51 + 2^-74.
  const std::uint64_t d = 0x3ff0000000000001u;
  EXPECT_EQ(std::bit_cast<double>(fma(Float::kDouble, d, d, 0xbff0000000000000u, Float::kDouble)),
            std::ldexp(1.0, -51) + std::ldexp(1.0, -74));
  EXPECT_TRUE(truncated_product(multiplier_of(Float::kHalf), 1023, 1023) == UInt128{1023 * 1023});
}

TEST(NumFma, ZerosAndInfinities) {
  const std::uint32_t inf = 0x7f800000u, one = 0x3f800000u, minus_inf = 0xff800000u;
  const auto f = [](std::uint32_t a, std::uint32_t b, std::uint32_t c) { return fma_f32(a, b, c); };
  EXPECT_EQ(f(inf, 0, one), one);                  // infinity times zero is zero [E]
  EXPECT_EQ(f(0x00000001u, minus_inf, one), one);  // a subnormal pattern is a zero
  EXPECT_EQ(f(0x7f800123u, one, one), inf);        // a NaN pattern is an infinity
  EXPECT_EQ(f(inf, 0xbf800000u, one), minus_inf);
  EXPECT_EQ(f(one, one, 0xffc00000u), minus_inf);
  EXPECT_EQ(f(0x80000000u, one, 0x80000000u), 0u);  // -0 - 0 = +0 (ISA 8.1)
  EXPECT_EQ(f(one, one, 0xbf800000u), 0u);
  Switches switches;
  EXPECT_EQ(fma_f32(inf, one, minus_inf, {}, switches), inf);  // first operand
  EXPECT_EQ(fma_f32(minus_inf, one, inf, {}, switches), minus_inf);
  switches.inf_minus_inf = InfMinusInf::kPositive;
  EXPECT_EQ(fma_f32(minus_inf, one, inf, {}, switches), inf);
  switches.inf_minus_inf = InfMinusInf::kZero;
  EXPECT_EQ(fma_f32(minus_inf, one, inf, {}, switches), 0u);
  EXPECT_EQ(fma_f32(minus_inf, one, minus_inf, {}, switches), minus_inf);
}

TEST(NumFma, PassaNormalises) {
  EXPECT_EQ(passa(Float::kSingle, 42, Float::kSingle), 0u);           // published: an integer 42 passes as 0
  EXPECT_EQ(passa(Float::kSingle, 0x80000000u, Float::kSingle), 0u);  // published: -0 -> +0
  EXPECT_EQ(passa(Float::kDouble, 0x4009000000000000u, Float::kSingle), 0x40480000u);  // dvpassar: 3.125
  EXPECT_EQ(passa(Float::kHalf, 0x3e00, Float::kSingle), 0x3f800000u);
  EXPECT_EQ(passa(Float::kHalf, 0x3e00, Float::kSingle, {true, false, false}), 0xbf800000u);
}

TEST(NumFma, SingleAgainstFixedPoint) {
  Random random(11);
  for (int i = 0; i < 400000; ++i) {
    const Triple t = biased(random);
    // Infinities of both signs give the first operand here, the default of their switch.
    const bool to_half = random.chance(4);
    const Float out = to_half ? Float::kHalf : Float::kSingle;
    ASSERT_EQ(fma(Float::kSingle, t.a, t.b, t.c, out), reference_single(t.a, t.b, t.c, to_half))
        << std::hex << t.a << " " << t.b << " " << t.c;
  }
}

TEST(NumFma, HalfAgainstFixedPoint) {
  Random random(12);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t a = random.half(), b = random.half();
    std::uint64_t c = random.single();
    if (random.chance(2)) {
      // Cancel or tie against the product, which is exact in a double.
      const double product = to_double(kHalf, a) * to_double(kHalf, b);
      c = std::bit_cast<std::uint32_t>(static_cast<float>(-product));
      c = (c + static_cast<std::uint64_t>(random.below(5)) - 2) & 0xffffffffu;
      if (random.chance(2))
        c = with_exponent(static_cast<std::uint32_t>(c), static_cast<int>((c >> 23) & 255) - 24 + random.below(48));
    }
    const bool to_half = random.chance(2);
    ASSERT_EQ(fma(Float::kHalf, a, b, c, to_half ? Float::kHalf : Float::kSingle), reference_half(a, b, c, to_half))
        << std::hex << a << " " << b << " " << c;
  }
}

TEST(NumFma, DoubleAgainstFixedPoint) {
  Random random(13);
  for (int i = 0; i < 60000; ++i) {
    std::uint64_t a = random.dbl(), b = random.dbl(), c = random.dbl();
    if (!random.chance(3)) {
      const auto middle = [&](std::uint64_t bits) {
        return (bits & 0x800fffffffffffffu) | (static_cast<std::uint64_t>(923 + random.below(200)) << 52);
      };
      a = middle(a);
      b = middle(b);
      const double product = std::bit_cast<double>(a) * std::bit_cast<double>(b);
      c = std::bit_cast<std::uint64_t>(-product) + static_cast<std::uint64_t>(random.below(9)) - 4;
      if (random.chance(3)) {
        // Ties: the product of a power of two is half a unit of c, or a little off.
        a &= 0xfff0000000000000u;
        b = (b & 0xfff0000000000000u) + static_cast<std::uint64_t>(random.below(3));
        const std::uint64_t product_field = (std::bit_cast<std::uint64_t>(product) >> 52) & 2047;
        c = (random.dbl() & 0x800fffffffffffffu) | ((product_field + 53) << 52);
      }
    }
    const bool to_single = random.chance(4);
    ASSERT_EQ(fma(Float::kDouble, a, b, c, to_single ? Float::kSingle : Float::kDouble),
              reference_double(a, b, c, to_single))
        << std::hex << a << " " << b << " " << c;
  }
}

TEST(NumFma, WithoutLowPartsItIsTheHostFma) {
  Random random(14);
  int compared = 0;
  for (int i = 0; i < 300000; ++i) {
    Triple t = biased(random);
    t.a &= ~31u;
    const auto finite = [](std::uint32_t bits) {
      const std::uint32_t field = (bits >> 23) & 255;
      return field != 0 && field != 255;
    };
    if (!finite(t.a) || !finite(t.b) || !finite(t.c)) continue;
    const float host = std::fma(std::bit_cast<float>(t.a), std::bit_cast<float>(t.b), std::bit_cast<float>(t.c));
    if (std::fabs(host) <= 0x1p-126f) continue;  // the machine has no subnormals
    ++compared;
    ASSERT_EQ(fma_f32(t.a, t.b, t.c), std::bit_cast<std::uint32_t>(host))
        << std::hex << t.a << " " << t.b << " " << t.c;
  }
  EXPECT_GT(compared, 150000);
  compared = 0;
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t a = random.dbl() & ~std::uint64_t{0xffff}, b = random.dbl();
    std::uint64_t c = random.dbl();
    const double product = to_double(kDouble, a) * to_double(kDouble, b);
    if (random.chance(2)) c = std::bit_cast<std::uint64_t>(-product) + static_cast<std::uint64_t>(random.below(5)) - 2;
    if (kDouble.is_zero(a) || kDouble.is_zero(b) || kDouble.is_zero(c)) continue;
    if (kDouble.is_inf(a) || kDouble.is_inf(b) || kDouble.is_inf(c)) continue;
    const double host = std::fma(std::bit_cast<double>(a), std::bit_cast<double>(b), std::bit_cast<double>(c));
    if (std::fabs(host) <= 0x1p-1022) continue;
    ++compared;
    ASSERT_EQ(fma(Float::kDouble, a, b, c, Float::kDouble), std::bit_cast<std::uint64_t>(host));
  }
  EXPECT_GT(compared, 40000);
}

TEST(NumFma, TheTruncationShowsInCancellations) {
  // If the low parts were multiplied exactly, none of these would differ from the host's fma.
  Random random(15);
  int different = 0, all = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t a = 0x3f800000u | static_cast<std::uint32_t>(random.bits() & 0x7fffff);
    const std::uint32_t b = 0x3f800000u | static_cast<std::uint32_t>(random.bits() & 0x7fffff);
    const float fa = std::bit_cast<float>(a), fb = std::bit_cast<float>(b);
    const std::uint32_t c = std::bit_cast<std::uint32_t>(-(fa * fb));
    ++all;
    if (fma_f32(a, b, c) != std::bit_cast<std::uint32_t>(std::fma(fa, fb, -(fa * fb)))) ++different;
  }
  EXPECT_GT(different, all * 85 / 100);
}

// The property behind every use of the array forms: 4 million singles, 1 million each of the rest.
TEST(NumFma, FastPathEqualsGenericPath) {
  Random random(16);
  constexpr std::size_t kBatch = 37;  // not a multiple of the chunk
  std::vector<std::uint32_t> a(kBatch), b(kBatch), c(kBatch), out(kBatch), mul(kBatch), add(kBatch), pass(kBatch);
  std::vector<std::uint16_t> narrow_out(kBatch);
  std::vector<Switches> variants(3);
  variants[1].inf_minus_inf = InfMinusInf::kPositive;
  variants[2].inf_minus_inf = InfMinusInf::kZero;
  std::uint64_t tested = 0;
  for (int batch = 0; batch < 110000; ++batch) {
    const FmaSigns signs{random.chance(4), random.chance(4), random.chance(4)};
    const Switches& switches = variants[static_cast<std::size_t>(random.below(3))];
    for (std::size_t i = 0; i < kBatch; ++i) {
      const Triple t = biased(random);
      a[i] = t.a;
      b[i] = t.b;
      c[i] = t.c;
      // Most batches without infinities, or the generic path would answer for the fast one.
      if (batch % 4 != 0) {
        for (std::uint32_t* v : {&a[i], &b[i], &c[i]})
          if (kSingle.is_inf(*v)) *v ^= 0x40000000u;
      }
    }
    const bool rest = batch % 4 == 1 || batch % 16 == 0;
    fma_f32(a.data(), b.data(), c.data(), out.data(), kBatch, signs, switches);
    if (rest) {
      fma_f32_to_f16(a.data(), b.data(), c.data(), narrow_out.data(), kBatch, signs, switches);
      mul_f32(a.data(), b.data(), mul.data(), kBatch, signs, switches);
      add_f32(a.data(), c.data(), add.data(), kBatch, signs, switches);
      passa_f32(a.data(), pass.data(), kBatch, signs, switches);
    }
    for (std::size_t i = 0; i < kBatch; ++i) {
      const auto where = [&] { return ::testing::Message() << std::hex << a[i] << " " << b[i] << " " << c[i]; };
      ASSERT_EQ(out[i], fma(Float::kSingle, a[i], b[i], c[i], Float::kSingle, signs, switches)) << where();
      ASSERT_EQ(out[i], fma_f32(a[i], b[i], c[i], signs, switches));
      ++tested;
      if (!rest) continue;
      ASSERT_EQ(narrow_out[i], fma(Float::kSingle, a[i], b[i], c[i], Float::kHalf, signs, switches)) << where();
      ASSERT_EQ(mul[i], kumihimo::mncore2::num::mul(Float::kSingle, a[i], b[i], Float::kSingle, signs, switches))
          << where();
      ASSERT_EQ(add[i], kumihimo::mncore2::num::add(Float::kSingle, a[i], c[i], Float::kSingle, signs, switches))
          << where();
      ASSERT_EQ(pass[i], passa(Float::kSingle, a[i], Float::kSingle, signs, switches)) << where();
    }
  }
  EXPECT_GE(tested, 4000000u);
}

TEST(NumFma, FastHalvesEqualGenericPath) {
  Random random(17);
  constexpr std::size_t kBatch = 29;
  std::vector<std::uint16_t> a(kBatch), b(kBatch), narrow_out(kBatch);
  std::vector<std::uint32_t> c(kBatch), out(kBatch), mul(kBatch), add(kBatch), pass(kBatch);
  for (int batch = 0; batch < 36000; ++batch) {
    const FmaSigns signs{random.chance(4), random.chance(4), random.chance(4)};
    const int special = batch % 4 == 0 ? 24 : 1000;
    for (std::size_t i = 0; i < kBatch; ++i) {
      a[i] = random.half(special);
      b[i] = random.half(special);
      c[i] = random.single(special);
      if (random.chance(2)) {
        const auto near = static_cast<float>(-to_double(kHalf, a[i]) * to_double(kHalf, b[i]));
        c[i] = std::bit_cast<std::uint32_t>(near) + static_cast<std::uint32_t>(random.below(5) - 2);
        if (random.chance(2)) c[i] = with_exponent(c[i], static_cast<int>((c[i] >> 23) & 255) - 44 + random.below(88));
      }
    }
    fma_f16(a.data(), b.data(), c.data(), out.data(), kBatch, signs);
    fma_f16_to_f16(a.data(), b.data(), c.data(), narrow_out.data(), kBatch, signs);
    mul_f16(a.data(), b.data(), mul.data(), kBatch, signs);
    add_f16(a.data(), c.data(), add.data(), kBatch, signs);
    passa_f16(a.data(), pass.data(), kBatch, signs);
    for (std::size_t i = 0; i < kBatch; ++i) {
      ASSERT_EQ(out[i], fma(Float::kHalf, a[i], b[i], c[i], Float::kSingle, signs));
      ASSERT_EQ(out[i], fma_f16(a[i], b[i], c[i], signs));
      ASSERT_EQ(narrow_out[i], fma(Float::kHalf, a[i], b[i], c[i], Float::kHalf, signs));
      ASSERT_EQ(mul[i], kumihimo::mncore2::num::mul(Float::kHalf, a[i], b[i], Float::kSingle, signs));
      ASSERT_EQ(add[i], kumihimo::mncore2::num::add(Float::kHalf, a[i], c[i], Float::kSingle, signs));
      ASSERT_EQ(pass[i], passa(Float::kHalf, a[i], Float::kSingle, signs));
    }
  }
}

TEST(NumFma, OutMayBeAnInput) {
  Random random(18);
  std::vector<std::uint32_t> a(50), b(50), c(50), expected(50);
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 50; ++i) {
      a[i] = random.single();
      b[i] = random.single();
      c[i] = random.single();
      expected[i] = fma_f32(a[i], b[i], c[i]);
    }
    std::vector<std::uint32_t>& target = round % 3 == 0 ? a : round % 3 == 1 ? b : c;
    fma_f32(a.data(), b.data(), c.data(), target.data(), 50);
    ASSERT_EQ(target, expected);
  }
}

TEST(NumFma, DoubleArraysAreTheElements) {
  Random random(19);
  std::uint64_t a[9], b[9], c[9], out[9];
  for (int i = 0; i < 9; ++i) {
    a[i] = random.dbl();
    b[i] = random.dbl();
    c[i] = random.dbl();
  }
  fma_f64(a, b, c, out, 9, {true, false, true});
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(out[i], reference_double(a[i] ^ (1ull << 63), b[i], c[i] ^ (1ull << 63), false));
}

}  // namespace
