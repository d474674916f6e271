// The reduction network: nodes by hand and against host arithmetic, tree shape, identities.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/rrn.h"
#include "tests/cpp/num_support.h"

namespace {

using namespace kumihimo::mncore2::num;
using num_test::Random;

std::uint64_t f(float value) { return std::bit_cast<std::uint32_t>(value); }

TEST(NumRrn, NodeByHand) {
  const std::uint64_t plain[4] = {f(1), f(2), f(3), f(4)};
  EXPECT_EQ(fadd_node(Float::kSingle, plain, Float::kSingle), f(10));
  EXPECT_EQ(fadd_node(Float::kSingle, plain, Float::kHalf), 0x4480u);  // 10 = 1.25 * 2^3: field 34, fraction 128
  // Three guard bits: 1 + 2^-26 (half a unit is 2^-24) keeps the small operand at 2^-26 exactly, sum rounds to 1.
  const std::uint64_t kept[4] = {f(1), f(0x1p-26f), f(0x1p-26f), f(0x1p-25f)};
  EXPECT_EQ(fadd_node(Float::kSingle, kept, Float::kSingle), f(1));  // sum of the small ones is exactly a tie
  const std::uint64_t up[4] = {f(1 + 0x1p-23f), f(0x1p-26f), f(0x1p-26f), f(0x1p-25f)};
  EXPECT_EQ(fadd_node(Float::kSingle, up, Float::kSingle), f(1 + 0x1p-22f));  // tie to even upwards
  // 2^-27 is half of the guard unit: it vanishes (tie to even), three times 1.5 * 2^-27 becomes three times 2^-26.
  const std::uint64_t lost[4] = {f(1), f(0x1p-27f), f(0x1p-27f), f(0x1p-27f)};
  EXPECT_EQ(fadd_node(Float::kSingle, lost, Float::kSingle), f(1));
  const std::uint64_t rounded[4] = {f(-1), f(1), f(0x1.8p-27f), f(0x1.8p-27f)};
  EXPECT_EQ(fadd_node(Float::kSingle, rounded, Float::kSingle), f(0x1p-25f));  // exact would be 1.5 * 2^-26
}

TEST(NumRrn, NodeZerosInfinitiesBorders) {
  const std::uint64_t zeros[4] = {0x80000000u, 0x80000000u, 0x80000001u, 0x80000000u};
  EXPECT_EQ(fadd_node(Float::kSingle, zeros, Float::kSingle), 0u);
  const std::uint64_t cancel[4] = {f(1), f(-1), 0, 0};
  EXPECT_EQ(fadd_node(Float::kSingle, cancel, Float::kSingle), 0u);
  const std::uint64_t over[4] = {0x7f7fffffu, 0x7f7fffffu, 0, 0};
  EXPECT_EQ(fadd_node(Float::kSingle, over, Float::kSingle), 0x7f800000u);
  const std::uint64_t under[4] = {0x00800001u, 0x80800000u, 0, 0};
  EXPECT_EQ(fadd_node(Float::kSingle, under, Float::kSingle), 0u);
  const std::uint64_t inf[4] = {f(1), 0xff812345u, f(2), 0};
  EXPECT_EQ(fadd_node(Float::kSingle, inf, Float::kSingle), 0xff800000u);
  const std::uint64_t both[4] = {f(1), 0xff800000u, 0x7f800000u, 0};
  EXPECT_EQ(fadd_node(Float::kSingle, both, Float::kSingle), 0xff800000u);
  Switches positive;
  positive.inf_minus_inf = InfMinusInf::kPositive;
  EXPECT_EQ(fadd_node(Float::kSingle, both, Float::kSingle, positive), 0x7f800000u);
}

/// ISA 8.2 with host long doubles: every operand to the grid 2^(E* - M - 3) by nearbyint, an exact sum, one cast.
std::uint64_t node_reference(const FloatFormat& format, const FloatFormat& out, const std::uint64_t in[4]) {
  int largest = -100000;
  for (int i = 0; i < 4; ++i)
    if (!format.is_zero(in[i])) largest = std::max(largest, format.exponent(in[i]) - format.bias);
  if (largest == -100000) return 0;
  const int grid = largest - format.fraction_bits - 3;
  long double sum = 0;
  for (int i = 0; i < 4; ++i) {
    const long double value = to_double(format, in[i]);
    sum += std::nearbyintl(std::ldexp(value, -grid));
  }
  // The sum is an integer below 2^59, exact in a long double; round it to the output's fraction by hand.
  if (sum == 0) return 0;
  int exponent = std::ilogb(sum);
  const long double unit = std::ldexp(1.0L, exponent - out.fraction_bits);
  sum = std::nearbyintl(sum / unit) * unit;
  exponent = std::ilogb(sum);
  const int field = exponent + grid + out.bias;
  if (field <= 0) return 0;
  if (field >= out.exponent_max()) return out.inf(sum < 0);
  const long double significand = std::ldexp(std::fabs(sum), out.fraction_bits - exponent);
  return out.fields(sum < 0, field, static_cast<std::uint64_t>(significand) & out.fraction_mask());
}

std::uint64_t aimed(Random& random, const FloatFormat& format, int centre) {
  int field = centre - format.fraction_bits - 6 + random.below(format.fraction_bits + 12);
  if (random.chance(2)) field = centre - random.below(3);
  field = std::clamp(field, 1, format.exponent_max() - 1);
  if (random.chance(12)) field = 0;
  return format.fields((random.bits() & 1) != 0, field, random.fraction(format.fraction_bits));
}

TEST(NumRrn, NodeAgainstHostArithmetic) {
  Random random(41);
  for (int i = 0; i < 600000; ++i) {
    const auto kind = static_cast<Float>(i % 3);
    const FloatFormat& format = format_of(kind);
    const Float out = kind == Float::kHalf || random.chance(2) ? kind
                      : kind == Float::kDouble                 ? Float::kSingle
                                                               : Float::kHalf;
    int centre = format.bias - 20 + random.below(40);
    if (random.chance(4)) centre = random.chance(2) ? random.below(30) : format.exponent_max() - random.below(6);
    std::uint64_t in[4];
    for (std::uint64_t& x : in) x = aimed(random, format, centre);
    if (random.chance(4)) in[3] = in[0] ^ format.sign_bit();
    if (random.chance(4)) in[2] = (in[1] ^ format.sign_bit()) + static_cast<std::uint64_t>(random.below(3));
    bool finite = true;
    for (std::uint64_t& x : in) {
      x &= format.mask();
      finite = finite && !format.is_inf(x);
    }
    if (!finite) continue;
    ASSERT_EQ(fadd_node(kind, in, out), node_reference(format, format_of(out), in))
        << std::hex << in[0] << " " << in[1] << " " << in[2] << " " << in[3];
  }
}

TEST(NumRrn, SixteenInputsAreTwoLevels) {
  std::uint64_t counting[16];
  for (int i = 0; i < 16; ++i) counting[i] = std::bit_cast<std::uint64_t>(1.0 + i);
  EXPECT_EQ(reduce(Reduce::kFadd, Lane::k64, counting, 16), std::bit_cast<std::uint64_t>(136.0));

  Random random(42);
  int shape_matters = 0;
  for (int round = 0; round < 20000; ++round) {
    std::uint64_t in[16];
    for (std::uint64_t& x : in) x = aimed(random, kSingle, 127);
    std::uint64_t first[4], strided[4];
    for (int q = 0; q < 4; ++q) {
      first[q] = fadd_node(Float::kSingle, in + 4 * q, Float::kSingle);
      const std::uint64_t column[4] = {in[q], in[q + 4], in[q + 8], in[q + 12]};
      strided[q] = fadd_node(Float::kSingle, column, Float::kSingle);
    }
    Switches other;
    other.l1bm_grouping = ReduceGrouping::kStrided;
    const std::uint64_t value = fadd_node(Float::kSingle, first, Float::kSingle);
    ASSERT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k32, in, 16), value);
    ASSERT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k32, in, 16, false, true),
              fadd_node(Float::kSingle, first, Float::kHalf));
    const std::uint64_t alternative = fadd_node(Float::kSingle, strided, Float::kSingle);
    ASSERT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k32, in, 16, false, false, other), alternative);
    if (value != alternative) ++shape_matters;
  }
  EXPECT_GT(shape_matters, 1000);
}

TEST(NumRrn, EightInputsArePairsOfFour) {
  Random random(43);
  for (int round = 0; round < 20000; ++round) {
    std::uint64_t in[8];
    for (std::uint64_t& x : in) x = aimed(random, kDouble, 1023);
    const std::uint64_t pair[4] = {fadd_node(Float::kDouble, in, Float::kDouble),
                                   fadd_node(Float::kDouble, in + 4, Float::kDouble), 0, 0};
    ASSERT_EQ(reduce(Reduce::kFadd, Lane::k64, in, 8), fadd_node(Float::kDouble, pair, Float::kDouble));
    const std::uint64_t even[4] = {in[0], in[2], in[4], in[6]}, odd[4] = {in[1], in[3], in[5], in[7]};
    const std::uint64_t strided[4] = {fadd_node(Float::kDouble, even, Float::kDouble),
                                      fadd_node(Float::kDouble, odd, Float::kDouble), 0, 0};
    Switches other;
    other.l2bm_grouping = ReduceGrouping::kStrided;
    ASSERT_EQ(reduce(Reduce::kFadd, Lane::k64, in, 8, false, other),
              fadd_node(Float::kDouble, strided, Float::kDouble));
    const std::uint64_t two[4] = {in[0], in[1], 0, 0};
    ASSERT_EQ(reduce(Reduce::kFadd, Lane::k64, in, 2), fadd_node(Float::kDouble, two, Float::kDouble));
  }
}

TEST(NumRrn, HalvesOnTheSingleCircuitOfL1bm) {
  // l1bmrhfadd = l1bmrffaddr with e sources: intermediate sums are singles, one rounding to half at the end.
  std::uint64_t in[16] = {};
  in[0] = 0x3e00;                                 // 1
  for (int i = 4; i < 8; ++i) in[i] = (21 << 9);  // four times 2^-10: 2^-8 in all
  EXPECT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k16, in, 16), 0x3e02u);
  // Adding halves: operands keep 12 fraction bits, first level results are halves.
  std::uint64_t fine[16] = {};
  fine[0] = 0x3e00;
  fine[1] = (19 << 9);  // 2^-12
  fine[4] = (21 << 9);  // 2^-10: 1 + 2^-10 + 2^-12 rounds up in one step, but first level drops 2^-12
  EXPECT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k16, fine, 16), 0x3e01u);
  EXPECT_EQ(reduce(Reduce::kFadd, Lane::k16, fine, 16), 0x3e00u);

  Random random(44);
  for (int round = 0; round < 20000; ++round) {
    std::uint64_t halves[16], singles[16];
    for (int i = 0; i < 16; ++i) {
      halves[i] = random.half();
      singles[i] = widen(kHalf, kSingle, halves[i]);
    }
    const std::uint64_t wide = l1bm_reduce(Reduce::kFadd, Lane::k32, singles, 16, false, true);
    ASSERT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k16, halves, 16), wide);
    ASSERT_EQ(l1bm_reduce(Reduce::kFadd, Lane::k32, halves, 16, true, true), wide);
  }
}

TEST(NumRrn, MaxAndMinAreSignMagnitude) {
  const auto max2 = [](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t in[2] = {a, b};
    return reduce(Reduce::kMax, Lane::k32, in, 2);
  };
  const auto min2 = [](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t in[2] = {a, b};
    return reduce(Reduce::kMin, Lane::k32, in, 2);
  };
  EXPECT_EQ(max2(0x80000000u, 0), 0u);  // +0 above -0
  EXPECT_EQ(min2(0x80000000u, 0), 0x80000000u);
  EXPECT_EQ(max2(f(-1), f(-2)), f(-1));
  EXPECT_EQ(max2(0x7f800001u, 0x7f800000u), 0x7f800001u);  // no normalisation
  EXPECT_EQ(max2(0x00000005u, 0x00000003u), 0x00000005u);
  EXPECT_EQ(max2(0xffffffffu, 0xffffffffu), 0xffffffffu);
  Random random(45);
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t in[16];
    float largest = -INFINITY, smallest = INFINITY;
    for (std::uint64_t& x : in) {
      x = random.single();
      if (kSingle.is_inf(x) || kSingle.is_zero(x)) x = f(1.5f);
      largest = std::max(largest, std::bit_cast<float>(static_cast<std::uint32_t>(x)));
      smallest = std::min(smallest, std::bit_cast<float>(static_cast<std::uint32_t>(x)));
    }
    ASSERT_EQ(l1bm_reduce(Reduce::kMax, Lane::k32, in, 16), f(largest));
    ASSERT_EQ(l1bm_reduce(Reduce::kMin, Lane::k32, in, 16), f(smallest));
    ASSERT_EQ(l1bm_reduce(Reduce::kMax, Lane::k32, in, 16, false, true), narrow(kSingle, kHalf, f(largest)));
  }
}

TEST(NumRrn, IdentitiesChangeNothing) {
  Random random(46);
  for (const Reduce op : {Reduce::kFadd, Reduce::kMax, Reduce::kMin, Reduce::kIadd, Reduce::kBand, Reduce::kBor,
                          Reduce::kAnd, Reduce::kOr}) {
    for (const Lane lane : {Lane::k64, Lane::k32, Lane::k16}) {
      const std::uint64_t mask = lane == Lane::k64 ? ~0ull : (1ull << lane_bits(lane)) - 1;
      for (int i = 0; i < 300; ++i) {
        std::uint64_t in[16];
        for (std::uint64_t& x : in) x = reduce_identity(op, lane);
        const int at = random.below(16);
        std::uint64_t value = random.bits() & mask;
        if (op == Reduce::kFadd) value = normalise(format_of(lane_float(lane)), value);
        if (op == Reduce::kAnd || op == Reduce::kOr) value &= 1;
        in[at] = value;
        ASSERT_EQ(reduce(op, lane, in, 16), value) << static_cast<int>(op) << " " << lane_bits(lane);
        ASSERT_EQ(reduce(op, lane, in + (at & ~3), 4), value);
        ASSERT_EQ(reduce(op, lane, &value, 1), value);
      }
    }
  }
  EXPECT_EQ(reduce_identity(Reduce::kMax, Lane::k16), 0xffffu);
  EXPECT_EQ(reduce_identity(Reduce::kMin, Lane::k32), 0x7fffffffu);
}

TEST(NumRrn, IntegersAndLogic) {
  std::uint64_t in[16];
  std::uint64_t sum = 0, all = ~0ull, any = 0;
  Random random(47);
  for (std::uint64_t& x : in) {
    x = random.bits();
    sum += x;
    all &= x;
    any |= x;
  }
  EXPECT_EQ(reduce(Reduce::kIadd, Lane::k64, in, 16), sum);
  EXPECT_EQ(reduce(Reduce::kBand, Lane::k64, in, 16), all);
  EXPECT_EQ(reduce(Reduce::kBor, Lane::k64, in, 16), any);
  EXPECT_EQ(reduce(Reduce::kAnd, Lane::k64, in, 16), 1u);  // logical: all are nonzero [E]
  in[7] = 0;
  EXPECT_EQ(reduce(Reduce::kAnd, Lane::k64, in, 16), 0u);
  EXPECT_EQ(reduce(Reduce::kOr, Lane::k64, in, 16), 1u);
  Switches ones;
  ones.logical_true = LogicalTrue::kAllOnes;
  EXPECT_EQ(reduce(Reduce::kOr, Lane::k64, in, 16, false, ones), ~0ull);
  // Long words: lanes do not touch. 0xffff + 1 in the low half stays there.
  const std::uint64_t words[2] = {0x000100020003ffffu, 0x0001000100010001u};
  EXPECT_EQ(reduce_words(Reduce::kIadd, Lane::k16, words, 2), 0x0002000300040000u);
  EXPECT_EQ(reduce_words(Reduce::kIadd, Lane::k32, words, 2), 0x0002000300050000u);
  EXPECT_EQ(reduce_words(Reduce::kAnd, Lane::k32, words, 2), 0x0000000100000001u);
  const std::uint64_t singles[4] = {(f(1) << 32) | f(5), (f(2) << 32) | f(6), (f(3) << 32) | f(7), (f(4) << 32) | f(8)};
  EXPECT_EQ(l1bm_reduce_words(Reduce::kFadd, Lane::k32, singles, 4), (f(10) << 32) | f(26));
}

}  // namespace
