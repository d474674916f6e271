// Conversions against values computed in long double, and the laws of formats.h.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/round.h"
#include "targets/mncore2/num/switches.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;

/// Value of a half pattern from its definition: (-1)^s 2^(e-31) (1 + m/512).
long double half_value(std::uint32_t bits) {
  const int e = static_cast<int>(bits >> 9) & 63;
  const long double sign = (bits & 0x8000) != 0 ? -1.0L : 1.0L;
  if (e == 0) return sign * 0.0L;
  if (e == 63) return sign * std::numeric_limits<long double>::infinity();
  return sign * std::ldexp(1.0L + static_cast<long double>(bits & 511) / 512.0L, e - 31);
}

TEST(NumFormats, KnownHalves) {
  EXPECT_EQ(from_double(kHalf, 1.0), 0x3E00u);             // ISA 2.1
  EXPECT_EQ(from_double(kHalf, -2.5), 0xC080u);            // -(1 + 1/4) * 2: field 32, fraction 128
  EXPECT_EQ(from_double(kHalf, 3.14), 0x4124u);            // 1.57 * 2: 0.57 * 512 = 291.8 -> 292
  EXPECT_NEAR(to_double(kHalf, 0x7dff), 4.29e9, 1e7);      // largest
  EXPECT_NEAR(to_double(kHalf, 0x0200), 9.31e-10, 1e-12);  // smallest normal
  EXPECT_FLOAT_EQ(float_from_half(0x07c0), 6.98492e-09f);  // ISA 3.5, published dump
  EXPECT_EQ(to_double(kHalf, 0x01ff), 0.0);                // exponent 0: zero whatever the fraction
  EXPECT_TRUE(std::isinf(to_double(kHalf, 0x7fff)));       // all ones: infinity whatever the fraction
}

TEST(NumFormats, EveryHalfHasItsValueAndComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const long double value = half_value(bits);
    const double wide = to_double(kHalf, bits);
    ASSERT_EQ(static_cast<long double>(wide), value) << bits;
    ASSERT_EQ(std::signbit(wide), (bits & 0x8000) != 0) << bits;
    const float single = float_from_half(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(single), std::bit_cast<std::uint32_t>(static_cast<float>(wide))) << bits;
    ASSERT_EQ(widen(kHalf, kSingle, bits), std::bit_cast<std::uint32_t>(single));
    ASSERT_EQ(widen(kHalf, kDouble, bits), std::bit_cast<std::uint64_t>(wide));
    ASSERT_EQ(half_from_float(single), canonical(kHalf, bits)) << bits;
    ASSERT_EQ(from_double(kHalf, wide), canonical(kHalf, bits)) << bits;
    ASSERT_EQ(pack(kHalf, unpack(kHalf, bits)), canonical(kHalf, bits));
    ASSERT_EQ(normalise(kHalf, bits), wide == 0 ? 0 : canonical(kHalf, bits));
  }
}

/// Nearest half by looking at both neighbours and comparing distances; no shifting of bits.
std::uint16_t nearest_half(long double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const long double magnitude = std::fabs(value);
  int exponent = 0;
  if (magnitude == 0) return sign;
  std::frexp(magnitude, &exponent);
  --exponent;  // magnitude in [2^exponent, 2^(exponent+1))
  const long double unit = std::ldexp(1.0L, exponent - 9);
  const long double below = std::floor(magnitude / unit) * unit;
  const long double above = below + unit;
  long double chosen = magnitude - below < above - magnitude ? below : above;
  if (magnitude - below == above - magnitude) {
    chosen = std::fmod(below / unit, 2.0L) == 0 ? below : above;
  }
  if (chosen < std::ldexp(1.0L, -30)) return sign;           // field <= 0
  if (chosen >= std::ldexp(1.0L, 32)) return sign | 0x7E00;  // field 63
  std::frexp(chosen, &exponent);
  --exponent;
  const auto fraction = static_cast<std::uint32_t>((std::ldexp(chosen, -exponent) - 1.0L) * 512.0L);
  return static_cast<std::uint16_t>(sign | ((exponent + 31) << 9) | static_cast<int>(fraction));
}

// All singles whose rounding to half can differ: every exponent and sign, every kept pattern's neighbourhood of ties.
TEST(NumFormats, SingleToHalfAtEveryTieAndBeside) {
  for (std::uint32_t sign = 0; sign < 2; ++sign) {
    for (std::uint32_t field = 1; field < 255; ++field) {
      if (field > 4 && field < 90) continue;     // far below the smallest half
      if (field > 165 && field < 250) continue;  // far above the largest
      for (std::uint32_t kept = 0; kept < 512; ++kept) {
        for (const std::uint32_t low : {0x0000u, 0x0001u, 0x1fffu, 0x2000u, 0x2001u, 0x3fffu}) {
          const std::uint32_t bits = (sign << 31) | (field << 23) | (kept << 14) | low;
          const float value = std::bit_cast<float>(bits);
          const std::uint16_t expected = nearest_half(value);
          ASSERT_EQ(half_from_float(value), expected) << std::hex << bits;
          ASSERT_EQ(narrow(kSingle, kHalf, bits), expected) << std::hex << bits;
        }
      }
    }
  }
}

TEST(NumFormats, DoubleToSingleIsTheHostCastAwayFromSubnormals) {
  num_test::Random random(3);
  int compared = 0;
  for (int i = 0; i < 300000; ++i) {
    std::uint64_t bits = random.dbl();
    if (!random.chance(4)) {
      // Pull the exponent into the range of singles, with its borders.
      bits = (bits & 0x800fffffffffffffu) | (static_cast<std::uint64_t>(1023 - 130 + random.below(262)) << 52);
    }
    const double value = to_double(kDouble, bits);
    const auto host = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const auto ours = static_cast<std::uint32_t>(narrow(kDouble, kSingle, bits));
    const bool host_tiny = (host & 0x7fffffffu) <= 0x00800000u;
    if (!host_tiny) {
      ++compared;
      ASSERT_EQ(ours, host) << std::hex << bits;
    } else if ((host & 0x7fffffffu) < 0x00800000u) {
      ASSERT_EQ(ours, host & 0x80000000u) << std::hex << bits;
    } else {
      // The host rounds subnormals at 2^-149, the machine at full precision and flushes afterwards.
      const bool reaches = std::fabs(value) >= std::ldexp(1.0 - std::ldexp(1.0, -25), -126);
      ASSERT_EQ(ours, (host & 0x80000000u) | (reaches ? 0x00800000u : 0u)) << std::hex << bits;
    }
  }
  EXPECT_GT(compared, 150000);
}

TEST(NumFormats, WidenThenNarrowIsCanonical) {
  num_test::Random random(4);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t f = random.single(6);
    ASSERT_EQ(narrow(kDouble, kSingle, widen(kSingle, kDouble, f)), canonical(kSingle, f));
    ASSERT_EQ(from_double(kSingle, to_double(kSingle, f)), canonical(kSingle, f));
    const auto bits = static_cast<std::uint32_t>(f);
    ASSERT_EQ(narrow_f32_to_f16(bits), narrow(kSingle, kHalf, bits));
  }
}

TEST(NumFormats, NormaliseDropsTheSignOfZeroOnly) {
  EXPECT_EQ(normalise(kSingle, 0x80000000u), 0u);  // vpassa(-0) = +0
  EXPECT_EQ(normalise(kSingle, 42u), 0u);          // 42 as an integer pattern -> 0
  EXPECT_EQ(normalise(kSingle, 0xff812345u), 0xff800000u);
  EXPECT_EQ(normalise(kSingle, 0x3f812345u), 0x3f812345u);
  EXPECT_EQ(normalise(kDouble, kSingle, 0x3ff0000000000000u), 0x3f800000u);
  EXPECT_EQ(normalise(kDouble, kSingle, 0xb000000000000000u), 0u);  // underflow: positive zero
  EXPECT_EQ(narrow(kDouble, kSingle, 0xb000000000000000u), 0x80000000u);
  Switches positive;
  ASSERT_TRUE(set_switch(positive, "narrowed_zero", "positive"));
  EXPECT_EQ(narrow(kDouble, kSingle, 0xb000000000000000u, positive), 0u);
  EXPECT_EQ(narrow_f32_to_f16(0x80000000u, positive), 0u);
  EXPECT_EQ(narrow_f32_to_f16(0x80000000u), 0x8000u);
}

TEST(NumSwitches, EveryRowGivesItsDefaultAndTakesEachAlternative) {
  EXPECT_GE(switch_rows().size(), 12u);
  for (const SwitchRow& row : switch_rows()) {
    Switches switches;
    EXPECT_EQ(switch_value(switches, row.name), row.default_value) << row.name;
    EXPECT_GE(row.alternatives.size(), 2u);
    EXPECT_EQ(row.id.substr(0, 1), "Q");
    for (const std::string_view alternative : row.alternatives) {
      ASSERT_TRUE(set_switch(switches, row.name, alternative));
      EXPECT_EQ(switch_value(switches, row.name), alternative);
      EXPECT_EQ(switches == Switches{}, alternative == row.default_value) << row.name;
    }
    EXPECT_FALSE(set_switch(switches, row.name, "no such value"));
  }
  Switches switches;
  EXPECT_FALSE(set_switch(switches, "no such switch", "zero"));
  EXPECT_EQ(switches, Switches{});
}

}  // namespace
