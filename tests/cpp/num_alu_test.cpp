// ALU element functions: integers against host integers, floats against host floats, flags by the table of ISA 7.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "targets/mncore2/num/alu.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;
using num_test::Random;

std::uint64_t value(AluOp op, Element e, std::uint64_t x, std::uint64_t y = 0, bool u = false) {
  return alu(op, e, u, x, y).value;
}
bool flag(AluOp op, Element e, std::uint64_t x, std::uint64_t y = 0, bool u = false) {
  return alu(op, e, u, x, y).flag;
}
std::uint64_t f(float v) { return std::bit_cast<std::uint32_t>(v); }
std::uint64_t d(double v) { return std::bit_cast<std::uint64_t>(v); }

template <class Signed, class Unsigned>
void integers_match_the_host(Element e, std::uint64_t seed) {
  Random random(seed);
  constexpr int kBits = 8 * sizeof(Signed);
  for (int i = 0; i < 20000; ++i) {
    auto x = static_cast<Unsigned>(random.bits());
    auto y = static_cast<Unsigned>(random.bits());
    switch (random.below(6)) {
      case 0: x = y; break;
      case 1: x = static_cast<Unsigned>(Unsigned{1} << (kBits - 1)); break;
      case 2: x = static_cast<Unsigned>(-1); break;
      case 3:
        y = static_cast<Unsigned>(random.below(3));
        x = 0;
        break;
      default: break;
    }
    const auto sx = static_cast<Signed>(x), sy = static_cast<Signed>(y);
    const auto check = [&](AluOp op, bool u, Unsigned expected, bool expected_flag) {
      const AluResult r = alu(op, e, u, x, y);
      ASSERT_EQ(r.value, expected) << static_cast<int>(op) << " " << x << " " << y;
      ASSERT_EQ(r.flag, expected_flag) << static_cast<int>(op) << " " << x << " " << y;
    };
    const auto wrap = [](auto v) { return static_cast<Unsigned>(v); };
    const auto plus = wrap(x + y), minus = wrap(x - y), inc = wrap(x + 1), dec = wrap(x - 1);
    const auto positive = [](Unsigned v) { return static_cast<Signed>(v) >= 0; };
    check(AluOp::kAdd, false, plus, positive(plus));
    check(AluOp::kSub, false, minus, positive(minus));
    check(AluOp::kInc, false, inc, positive(inc));
    check(AluOp::kDec, false, dec, positive(dec));
    Unsigned sum = 0;
    check(AluOp::kAdd, true, plus, !__builtin_add_overflow(x, y, &sum));
    check(AluOp::kSub, true, minus, y <= x);
    check(AluOp::kInc, true, inc, x != std::numeric_limits<Unsigned>::max());
    check(AluOp::kDec, true, dec, x != 0);
    check(AluOp::kMax, false, sx >= sy ? x : y, sx >= sy);
    check(AluOp::kMin, false, sx <= sy ? x : y, sx <= sy);
    check(AluOp::kMax, true, x >= y ? x : y, x >= y);
    check(AluOp::kMin, true, x <= y ? x : y, x <= y);
    check(AluOp::kAnd, false, x & y, (x & y) == 0);
    check(AluOp::kOr, false, x | y, (x | y) == 0);
    check(AluOp::kXor, false, x ^ y, x == y);
    check(AluOp::kNot, false, wrap(~x), wrap(~x) == 0);
    check(AluOp::kLnot, false, x == 0 ? 1 : 0, x != 0);
    check(AluOp::kPassa, false, x, x == 0);
    check(AluOp::kPackbit, false, wrap((x << 1) | (y >> (kBits - 1))), sy >= 0);
    y = static_cast<Unsigned>(random.below(kBits));
    check(AluOp::kLsl, false, wrap(x << y), wrap(x << y) == 0);
    check(AluOp::kLsr, false, wrap(sx >> y), wrap(sx >> y) == 0);
    check(AluOp::kLsr, true, wrap(x >> y), wrap(x >> y) == 0);
    const Unsigned rotated = y == 0 ? x : wrap((x << y) | (x >> (kBits - y)));
    check(AluOp::kBsl, false, rotated, rotated == 0);
    const Unsigned back = y == 0 ? x : wrap((x >> y) | (x << (kBits - y)));
    check(AluOp::kBsr, false, back, back == 0);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(NumAlu, IntegersMatchTheHost) {
  integers_match_the_host<std::int64_t, std::uint64_t>(Element::kLong, 51);
  integers_match_the_host<std::int32_t, std::uint32_t>(Element::kInt, 52);
  integers_match_the_host<std::int16_t, std::uint16_t>(Element::kShort, 53);
}

TEST(NumAlu, WideShiftsAreSwitchable) {
  Switches modulo, fill;
  modulo.wide_shift = WideShift::kModulo;
  fill.wide_shift = WideShift::kFill;
  const std::uint64_t x = 0x80000001u;
  const auto at = [&](AluOp op, bool u, std::uint64_t amount, const Switches& s) {
    return alu(op, Element::kInt, u, x, amount, s).value;
  };
  EXPECT_EQ(at(AluOp::kLsl, false, 32, {}), 0u);
  EXPECT_EQ(at(AluOp::kLsl, false, 33, modulo), 2u);
  EXPECT_EQ(at(AluOp::kLsl, false, 33, fill), 0u);
  EXPECT_EQ(at(AluOp::kLsr, false, 0xffffffffu, {}), 0u);  // -1 read as unsigned
  EXPECT_EQ(at(AluOp::kLsr, false, 33, modulo), 0xc0000000u);
  EXPECT_EQ(at(AluOp::kLsr, false, 33, fill), 0xffffffffu);
  EXPECT_EQ(at(AluOp::kLsr, true, 33, fill), 0u);
  EXPECT_EQ(at(AluOp::kBsl, false, 33, {}), 3u);  // rotates take the amount modulo the width
}

TEST(NumAlu, FloatMaxMin) {
  const auto e = Element::kSingle;
  EXPECT_EQ(value(AluOp::kMax, e, f(1), f(-2)), f(1));
  EXPECT_EQ(value(AluOp::kMax, e, f(-1), f(-2)), f(-1));
  EXPECT_EQ(value(AluOp::kMin, e, f(-1), f(-2)), f(-2));
  EXPECT_FALSE(flag(AluOp::kMin, e, f(-1), f(-2)));
  EXPECT_TRUE(flag(AluOp::kMax, e, f(-1), f(-2)));
  EXPECT_TRUE(flag(AluOp::kMax, e, f(3), f(3)));
  EXPECT_TRUE(flag(AluOp::kMin, e, f(3), f(3)));
  // Both zero: x, whatever the signs and fractions.
  EXPECT_EQ(value(AluOp::kMax, e, 0x80000000u, 0), 0x80000000u);
  EXPECT_EQ(value(AluOp::kMin, e, 0x00000007u, 0x80000001u), 0x00000007u);
  EXPECT_TRUE(flag(AluOp::kMin, e, 0, 0x80000000u));
  EXPECT_EQ(value(AluOp::kMax, e, 0x80000000u, f(-1)), 0x80000000u);
  // Infinities of one sign compare fractions.
  EXPECT_EQ(value(AluOp::kMax, e, 0x7f800001u, 0x7f800002u), 0x7f800002u);
  EXPECT_EQ(value(AluOp::kMax, e, 0xff800001u, 0xff800002u), 0xff800001u);
  EXPECT_EQ(value(AluOp::kMin, e, 0xff800001u, 0x7f800002u), 0xff800001u);
  Random random(54);
  for (int i = 0; i < 100000; ++i) {
    const std::uint64_t x = random.single(), y = random.single();
    if (kSingle.is_zero(x) || kSingle.is_zero(y) || kSingle.is_inf(x) || kSingle.is_inf(y)) continue;
    const float fx = std::bit_cast<float>(static_cast<std::uint32_t>(x)),
                fy = std::bit_cast<float>(static_cast<std::uint32_t>(y));
    ASSERT_EQ(value(AluOp::kMax, e, x, y), f(std::max(fx, fy)));
    ASSERT_EQ(value(AluOp::kMin, e, x, y), f(std::min(fx, fy)));
    ASSERT_EQ(flag(AluOp::kMax, e, x, y), fx >= fy);
    ASSERT_EQ(flag(AluOp::kMin, e, x, y), fx <= fy);
  }
}

TEST(NumAlu, ReluFamily) {
  const auto e = Element::kSingle;
  EXPECT_EQ(value(AluOp::kRelu0, e, f(2), f(7)), f(7));
  EXPECT_TRUE(flag(AluOp::kRelu0, e, f(2), f(7)));
  EXPECT_EQ(value(AluOp::kRelu0, e, f(-2), f(7)), 0x80000000u);  // -0
  EXPECT_FALSE(flag(AluOp::kRelu0, e, f(-2), f(7)));
  EXPECT_EQ(value(AluOp::kRelu0, Element::kHalf, 0x8000, 0x3e00), 0x8000u);
  const AluOp by_bit[4] = {AluOp::kRelu0, AluOp::kRelu1, AluOp::kRelu2, AluOp::kRelu3};
  for (int bit = 0; bit < 4; ++bit) {
    EXPECT_EQ(value(by_bit[bit], Element::kHalf, 0x8000 >> bit, 0x1234), 0x8000u);
    EXPECT_EQ(value(by_bit[bit], Element::kHalf, 0xffff ^ (0x8000 >> bit), 0x1234), 0x1234u);
    EXPECT_TRUE(flag(by_bit[bit], Element::kDouble, ~(0x8000000000000000u >> bit), 1));
  }
  EXPECT_EQ(value(AluOp::kLrelud, e, f(-1), f(6)), f(3));
  EXPECT_EQ(value(AluOp::kLrelud, e, f(1), f(6)), f(6));
  EXPECT_EQ(value(AluOp::kLreluo, e, f(-1), f(-6)), f(-0.75f));
  EXPECT_EQ(value(AluOp::kIlrelud, e, f(-1), f(6)), f(12));
  EXPECT_EQ(value(AluOp::kLrelud, e, f(-1), 0x80800000u), 0x80000000u);  // smallest normal halves to zero
  EXPECT_EQ(value(AluOp::kLreluo, e, f(-1), 0x02000000u), f(std::ldexp(1.0f, -126)));
  EXPECT_EQ(value(AluOp::kIlrelud, e, f(-1), 0x7f000001u), 0x7f800000u);  // overflow
  EXPECT_EQ(value(AluOp::kIlrelud, e, f(-1), 0x7f800000u), 0x7f800000u);
  EXPECT_EQ(value(AluOp::kIlrelud, e, f(-1), 0), 0u);
}

TEST(NumAlu, FloorAndFtoiMatchTheHost) {
  Random random(55);
  for (int i = 0; i < 200000; ++i) {
    std::uint64_t x = random.single();
    if (!random.chance(4)) x = (x & 0x807fffffu) | (static_cast<std::uint64_t>(120 + random.below(42)) << 23);
    if (kSingle.is_zero(x) || kSingle.is_inf(x)) continue;
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(x));
    ASSERT_EQ(value(AluOp::kFloor, Element::kSingle, x), v > 0 && v < 1 ? 0 : f(std::floor(v))) << v;
    const double t = std::trunc(static_cast<double>(v));
    const auto clamped = static_cast<std::int32_t>(std::min(2147483647.0, std::max(-2147483648.0, t)));
    ASSERT_EQ(value(AluOp::kFtoi, Element::kSingle, x), static_cast<std::uint32_t>(clamped)) << v;
    const double magnitude = std::fabs(t);
    const auto u = magnitude >= 4294967295.0 ? 0xffffffffu : static_cast<std::uint32_t>(magnitude);
    ASSERT_EQ(value(AluOp::kFtoi, Element::kSingle, x, 0, true), u) << v;
  }
  for (std::uint64_t x = 0; x < 0x10000; ++x) {
    if (kHalf.is_zero(x) || kHalf.is_inf(x)) continue;
    const double v = to_double(kHalf, x);
    ASSERT_EQ(value(AluOp::kFloor, Element::kHalf, x), v > 0 && v < 1 ? 0 : from_double(kHalf, std::floor(v)));
    const double t = std::min(32767.0, std::max(-32768.0, std::trunc(v)));
    ASSERT_EQ(value(AluOp::kFtoi, Element::kHalf, x), static_cast<std::uint16_t>(static_cast<std::int16_t>(t)));
    ASSERT_EQ(value(AluOp::kFtoi, Element::kHalf, x, 0, true),
              static_cast<std::uint16_t>(std::min(65535.0, std::trunc(std::fabs(v)))));
  }
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t x = random.dbl();
    x = (x & 0x800fffffffffffffu) | (static_cast<std::uint64_t>(1015 + random.below(75)) << 52);
    const double v = std::bit_cast<double>(x);
    ASSERT_EQ(value(AluOp::kFloor, Element::kDouble, x), v > 0 && v < 1 ? 0 : d(std::floor(v)));
    const std::int64_t signed_value = v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(v);
    ASSERT_EQ(value(AluOp::kFtoi, Element::kDouble, x), static_cast<std::uint64_t>(signed_value));
    const double m = std::fabs(v);
    ASSERT_EQ(value(AluOp::kFtoi, Element::kDouble, x, 0, true), m >= 0x1p64 ? ~0ull : static_cast<std::uint64_t>(m));
  }
}

TEST(NumAlu, FloorAndFtoiCorners) {
  const auto e = Element::kSingle;
  EXPECT_EQ(value(AluOp::kFloor, e, 0x80000000u), 0x80000000u);  // zeros and infinities pass as they are
  EXPECT_EQ(value(AluOp::kFloor, e, 0x00000005u), 0x00000005u);
  EXPECT_EQ(value(AluOp::kFloor, e, 0x7f812345u), 0x7f812345u);
  EXPECT_EQ(value(AluOp::kFloor, e, f(-0.25f)), f(-1));
  EXPECT_EQ(value(AluOp::kFtoi, e, 0x7f800000u), 0x7fffffffu);
  EXPECT_EQ(value(AluOp::kFtoi, e, 0xff800000u), 0x80000000u);
  EXPECT_EQ(value(AluOp::kFtoi, e, 0xff800000u, 0, true), 0xffffffffu);
  EXPECT_EQ(value(AluOp::kFtoi, e, 0x00000005u), 0u);
  EXPECT_FALSE(alu_has_flags(AluOp::kFloor));
  EXPECT_FALSE(alu_has_flags(AluOp::kFtoi));
  EXPECT_TRUE(alu_has_flags(AluOp::kRsqrt));
}

TEST(NumAlu, RsqrtIsGoodToFiveBits) {
  Random random(56);
  const auto check = [&](Element e, const FloatFormat& format, const Switches& s, double bound) {
    for (int i = 0; i < 30000; ++i) {
      const std::uint64_t x = random.pattern(format.exponent_bits, format.fraction_bits, 1000000);
      if (format.is_zero(x) || format.is_inf(x)) continue;
      const AluResult r = alu(AluOp::kRsqrt, e, false, x, 0, s);
      const double exact = 1.0 / std::sqrt(std::fabs(to_double(format, x)));
      ASSERT_NEAR(to_double(format, r.value) / exact, 1.0, bound) << std::hex << x;
      ASSERT_EQ(r.flag, !format.negative(x));
    }
  };
  Switches small;
  small.rsqrt_table = RsqrtTable::kTable32;
  check(Element::kHalf, kHalf, {}, 1.0 / 42);
  check(Element::kSingle, kSingle, {}, 1.0 / 42);
  check(Element::kDouble, kDouble, {}, 1.0 / 42);
  check(Element::kSingle, kSingle, small, 1.0 / 21);
  EXPECT_EQ(value(AluOp::kRsqrt, Element::kSingle, 0x80000000u), 0x7f800000u);  // Q1
  EXPECT_EQ(value(AluOp::kRsqrt, Element::kSingle, 0xff800000u), 0u);
}

TEST(NumAlu, WordsAreTheElements) {
  Random random(57);
  int defined = 0;
  for (int op = 0; op <= static_cast<int>(AluOp::kFtoi); ++op) {
    for (int kind = 0; kind <= static_cast<int>(Element::kHalf); ++kind) {
      for (const bool u : {false, true}) {
        const auto o = static_cast<AluOp>(op);
        const auto e = static_cast<Element>(kind);
        const AluWordFunction function = alu_word_function(o, e, u);
        ASSERT_EQ(function != nullptr, alu_defined(o, e, u));
        if (function == nullptr) continue;
        ++defined;
        const int bits = element_bits(e), flag_bits = bits / 16;
        for (int i = 0; i < 200; ++i) {
          const std::uint64_t x = random.chance(8) ? 0 : random.bits(),
                              y = random.chance(2) ? random.bits() & 0x0007000700070007u : random.bits();
          const AluWord w = function(x, y, kDefaultSwitches);
          for (int k = 0; k < 64 / bits; ++k) {
            const int shift = 64 - bits * (k + 1);
            const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
            const AluResult r = alu(o, e, u, (x >> shift) & mask, (y >> shift) & mask);
            ASSERT_EQ((w.value >> shift) & mask, r.value) << op << " " << kind;
            const unsigned all = (1u << flag_bits) - 1;
            ASSERT_EQ((w.flags >> (4 - flag_bits * (k + 1))) & all, r.flag ? all : 0u);
          }
        }
      }
    }
  }
  EXPECT_GT(defined, 90);
  EXPECT_FALSE(alu_defined(AluOp::kAdd, Element::kSingle, false));
  EXPECT_FALSE(alu_defined(AluOp::kFloor, Element::kInt, false));
  EXPECT_FALSE(alu_defined(AluOp::kAnd, Element::kInt, true));
  EXPECT_TRUE(alu_defined(AluOp::kFtoi, Element::kHalf, true));
}

TEST(NumAlu, PublishedPictures) {
  // Tutorial: linc, ladd on long words; lxor of peid with zero flags PE 0 only.
  EXPECT_EQ(value(AluOp::kInc, Element::kLong, 41), 42u);
  EXPECT_TRUE(flag(AluOp::kXor, Element::kLong, 0, 0));
  EXPECT_FALSE(flag(AluOp::kXor, Element::kLong, 3, 0));
  // ilsl by 23 makes an exponent field.
  EXPECT_EQ(value(AluOp::kLsl, Element::kInt, 127, 23), f(1));
}

}  // namespace
