// Kernels of doubles against the semantic functions, bit by bit: products with and without low parts, ties, sums that
// cancel, terms far apart, borders of the exponent, infinities, NaN and subnormal patterns, zeros of both signs.
#include <bit>

#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/fma.h"
#include "tests/cpp/fast_mau_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast_test::FastMau;
using fast_test::Pair;
using num_test::Random;

constexpr uint64_t kSign = uint64_t{1} << 63;

uint64_t with_exponent(Random& random, int e) {
  return (random.bits() & kSign) | static_cast<uint64_t>(std::clamp(e, 0, 2046)) << 52 | random.fraction(52);
}

// A tie between two singles, in the middle of the range.
uint64_t tie_of_singles(Random& random) {
  return (with_exponent(random, 950 + random.below(100)) & ~uint64_t{0x1fffffff}) | 0x10000000;
}

// An addend aimed at a product or a sum of products p.
uint64_t addend(Random& random, uint64_t p, int special_one_in) {
  const int e = static_cast<int>(p >> 52 & 0x7ff);
  switch (random.below(12)) {
    case 0: return p ^ kSign;
    case 1: return (p ^ kSign) + static_cast<uint64_t>(random.below(5)) - 2;
    case 2: return with_exponent(random, e + 50 + random.below(8));   // the product ends near half its last bit
    case 3: return with_exponent(random, e - 50 - random.below(60));  // it ends near half the last bit of the product
    case 4: return random.bits() & ~(uint64_t{0x7ff} << 52);          // zeros, subnormal patterns
    case 5: return random.chance(2) ? kSign : 0;
    case 6: return with_exponent(random, e + random.below(400) - 200);
    case 7: return (p ^ kSign) & ~((uint64_t{1} << random.below(52)) - 1);
    case 8: {  // the sum ends beside a tie of a single
      const uint64_t tie = (with_exponent(random, e - random.below(30)) & ~uint64_t{0x1fffffff}) | 0x10000000;
      const double z = std::bit_cast<double>(tie) - std::bit_cast<double>(p);
      return std::bit_cast<uint64_t>(z);
    }
    default: return random.dbl(special_one_in);
  }
}

class FastDoubleVector : public FastMau {
 protected:
  void check(const std::string& text, int special_one_in, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    const bool has_z = pair.op().src_count == 3, sum = text.find("vadd") != std::string::npos;
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      for (int c = 0; c < 4; ++c)
        for (int pe = 0; pe < 4; ++pe) {
          uint64_t a, b;
          factors(random, special_one_in, a, b);
          if (sum) b = addend(random, a, special_one_in);
          pair.source(0, c)[pe] = a;
          pair.source(1, c)[pe] = b;
          if (!has_z) continue;
          const uint64_t p = num::fma(num::Float::kDouble, a, b, 0, num::Float::kDouble);
          pair.source(2, c)[pe] = addend(random, p, special_one_in);
        }
      if (!pair.same(n % 3 == 0)) return;
    }
  }

 private:
  static void factors(Random& random, int special_one_in, uint64_t& a, uint64_t& b) {
    a = random.dbl(special_one_in);
    b = random.dbl(special_one_in);
    if (random.chance(2)) {  // products in the middle of the range, so that addends can be aimed at them
      a = with_exponent(random, 900 + random.below(200));
      b = with_exponent(random, 900 + random.below(200));
    }
    switch (random.below(7)) {
      case 4:  // a product beside a tie of a single, nearer than the last bit of a double
        a = with_exponent(random, 950 + random.below(100));
        b = std::bit_cast<uint64_t>(std::bit_cast<double>(tie_of_singles(random)) / std::bit_cast<double>(a));
        break;
      case 0: a &= ~uint64_t{0xffff}; break;
      case 1: a = (a & ~uint64_t{0xffff}) | 1; break;
      case 2: b = (b & ~uint64_t{0xffff}) | 0x8000; break;
      case 3: {  // (1 + 2^-i)(1 + 2^-(53-i)): the last bit of the product is a tie of a double, or near one of a single
        const int i = 1 + random.below(52), far = random.chance(2) ? 53 : 24;
        a = (a & ~(~uint64_t{0} >> 12)) | uint64_t{1} << (52 - i);
        b = (b & ~(~uint64_t{0} >> 12)) | uint64_t{1} << (52 - std::clamp(far - i, 0, 52)) % 52;
        break;
      }
      default: break;
    }
  }
};

const std::vector<std::string> kVector = fast_test::mau_spellings(isa::Prec::kD, 'v');

TEST_P(FastDoubleVector, Ordinary) {
  for (const std::string& text : kVector) check(text, 1 << 20, 1200, 1);
}
TEST_P(FastDoubleVector, Special) {
  for (const std::string& text : kVector) {
    check(text, 24, 600, 2);
    check(text, 3, 400, 3);
  }
}

// --- blocks of doubles ------------------------------------------------------------------------------------------

struct Kinds {
  bool infinite = false, mixed = false;
};

void block(Random& random, Kinds kinds, uint64_t* row) {
  int own = 950 + random.below(140);
  if (random.chance(4)) own = 1 + random.below(2046);
  if (random.chance(6)) own = random.chance(2) ? 1 : 2046;
  if (kinds.infinite && random.chance(4)) own = 2047;
  if (random.chance(40)) own = 0;
  for (int j = 0; j < 4; ++j) {
    int field = random.chance(8) ? 0 : own;
    if (kinds.mixed && random.chance(8)) field = random.below(2048);
    uint64_t fraction = random.fraction(52);
    if (random.chance(4)) fraction &= ~uint64_t{0xffff};
    if (random.chance(6)) fraction = (fraction & ~uint64_t{0xffff}) | 1;
    row[j] = (random.bits() & kSign) | static_cast<uint64_t>(field) << 52 | fraction;
  }
}

class FastDoubleMatrix : public FastMau {
 protected:
  void check(const std::string& text, Kinds kinds, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      for (int r = 0; r < 4; ++r) block(random, kinds, pair.side().raw[r]);
      for (int c = 0; c < 4; ++c) {
        uint64_t* x = pair.source(0, c);
        block(random, random.chance(2) ? kinds : Kinds{}, x);
        if (random.chance(3))  // a product that takes another one away
          for (int k = 0; k < 2; ++k) {
            const int r = 2 * k + random.below(2);
            pair.side().raw[r][1] = pair.side().raw[r][0] ^ kSign ^ static_cast<uint64_t>(random.below(4));
            x[1] = x[0] ^ static_cast<uint64_t>(random.below(4));
          }
      }
      for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 4; ++i) {
          const uint64_t p =
              num::matrix_dot(num::Block::kDouble, pair.side().raw[i], pair.source(0, c), 0, num::Float::kDouble);
          pair.source(1, c)[i] = addend(random, p, 12);
        }
      if (!pair.same(n % 3 == 0)) return;
    }
  }

 private:
  // Leaves one product, beside a tie of a single and nearer to it than the last bit of a double.
  static void tie_of_product(Random& random, uint64_t* a, uint64_t* x) {
    constexpr uint64_t kFraction = ~uint64_t{0} >> 12;
    for (int j = 1; j < 4; ++j) x[j] = 0;
    a[0] = uint64_t{1000} << 52 | uint64_t{1} << 51 | (random.bits() & kFraction);
    const auto tie = static_cast<num::UInt128>(uint64_t{1} << 24 | (random.bits() & 0xffffff) | 1) << (102 - 24);
    const uint64_t field = a[0] & kFraction;
    x[0] = uint64_t{1000} << 52 | (static_cast<uint64_t>((tie + field / 2) / field) & kFraction);
  }
};

const std::vector<std::string> kMatrix = fast_test::mau_spellings(isa::Prec::kD, 'm');

TEST_P(FastDoubleMatrix, Ordinary) {
  for (const std::string& text : kMatrix) check(text, {}, 1500, 1);
}
TEST_P(FastDoubleMatrix, Infinite) {
  for (const std::string& text : kMatrix) check(text, {.infinite = true}, 600, 2);
}
TEST_P(FastDoubleMatrix, Everything) {
  for (const std::string& text : kMatrix) check(text, {true, true}, 600, 3);
}

KMH_FAST_PATHS(FastDoubleMatrix);
KMH_FAST_PATHS(FastDoubleVector);

}  // namespace
}  // namespace kumihimo::mncore2
