// Vector kernels of the MAU against the semantic functions, bit by bit, on inputs aimed at the places where they could
// differ: cancellation, ties, borders of the exponent, infinities, NaN and subnormal patterns, zeros of both signs.
#include "targets/mncore2/num/fma.h"
#include "tests/cpp/fast_mau_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast_test::FastMau;
using fast_test::Pair;
using num_test::Random;

// A single addend aimed at a product.
uint32_t addend(Random& random, uint32_t p, int special_one_in) {
  switch (random.below(8)) {
    case 0: return p ^ 0x80000000u;
    case 1: return (p ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
    case 2: {  // the product ends near half a last bit of the addend
      const auto e = std::clamp(static_cast<int>(p >> 23 & 0xff) + 20 + random.below(8), 1, 254);
      return (static_cast<uint32_t>(random.bits()) & 0x80000000u) | static_cast<uint32_t>(e) << 23 |
             static_cast<uint32_t>(random.fraction(23));
    }
    case 3: {  // the addend ends near half a last bit of the product, or far below
      const auto e = std::clamp(static_cast<int>(p >> 23 & 0xff) - 20 - random.below(30), 0, 254);
      return (static_cast<uint32_t>(random.bits()) & 0x80000000u) | static_cast<uint32_t>(e) << 23 |
             static_cast<uint32_t>(random.fraction(23));
    }
    case 4: return static_cast<uint32_t>(random.bits()) & 0x807fffffu;
    case 5: return random.chance(2) ? 0x80000000u : 0;
    default: return random.single(special_one_in);
  }
}

// --- vectors of singles -----------------------------------------------------------------------------------------

class FastSingleVector : public FastMau {
 protected:
  // Factors with and without low parts, and an addend aimed at their product.
  void check(const std::string& text, int special_one_in, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    const bool has_z = pair.op().src_count == 3, sum = text.find("vadd") != std::string::npos;
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 8; ++i) {
          uint32_t a = factor(random, special_one_in), b = factor(random, special_one_in);
          if (sum && random.chance(2)) b = a ^ 0x80000000u ^ (random.chance(2) ? 1u << random.below(30) : 0);
          set(pair.source(0, c), i, a);
          set(pair.source(1, c), i, b);
          if (has_z) set(pair.source(2, c), i, addend(random, num::fma_f32(a, b, 0), special_one_in));
        }
      if (!pair.same(n % 3 == 0)) return;
    }
  }

 private:
  static void set(uint64_t* row, int i, uint32_t v) { std::memcpy(reinterpret_cast<char*>(row) + 4 * i, &v, 4); }
  static uint32_t factor(Random& random, int special_one_in) {
    uint32_t v = random.single(special_one_in);
    switch (random.below(6)) {
      case 0: return v & ~0x1fu;
      case 1: return (v & ~0x1fu) | 1;
      case 2: return (v & 0x807fffffu) | static_cast<uint32_t>(100 + random.below(60)) << 23;
      case 3:
        return (v & 0x807fffffu) | static_cast<uint32_t>(random.chance(2) ? 64 : 190) << 23;  // tiny, huge products
      default: return v;
    }
  }
};

const std::vector<std::string> kSingleVector = fast_test::mau_spellings(isa::Prec::kF, 'v');

TEST_P(FastSingleVector, Ordinary) {
  for (const std::string& text : kSingleVector) check(text, 1 << 20, 1500, 1);
}
TEST_P(FastSingleVector, Special) {
  for (const std::string& text : kSingleVector) {
    check(text, 24, 800, 2);
    check(text, 3, 800, 3);
  }
}

// --- vectors of halves ------------------------------------------------------------------------------------------

class FastHalfVector : public FastMau {
 protected:
  void check(const std::string& text, int special_one_in, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    const bool sum = text.find("vadd") != std::string::npos;
    const int z = sum ? 1 : 2;
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      for (int c = 0; c < 4; ++c)
        for (int i = 0; i < 16; ++i) {
          const uint16_t a = random.half(special_one_in), b = random.half(special_one_in);
          set_half(pair.source(0, c), i, a);
          if (!sum) set_half(pair.source(1, c), i, b);
          const uint32_t p = num::fma_f16(a, sum ? 0x3e00 : b, 0);
          set_single(pair.source(z, c), i, aimed(random, p, special_one_in));
        }
      if (!pair.same(n % 3 != 0)) return;
    }
  }

 private:
  // Element 4p + k: half k of the long word of PE p, single k of its double long word.
  static void set_half(uint64_t* row, int i, uint16_t v) {
    const int shift = 48 - 16 * (i % 4);
    row[i / 4] = (row[i / 4] & ~(uint64_t{0xffff} << shift)) | uint64_t{v} << shift;
  }
  static void set_single(uint64_t* row, int i, uint32_t v) {
    uint64_t& lw = row[i % 4 / 2 * 4 + i / 4];
    lw = i % 2 == 0 ? (lw & 0xffffffffu) | uint64_t{v} << 32 : (lw & ~uint64_t{0xffffffffu}) | v;
  }
  // Also such that the sum ends near a tie of a half.
  static uint32_t aimed(Random& random, uint32_t p, int special_one_in) {
    if (!random.chance(3)) return addend(random, p, special_one_in);
    const auto near = static_cast<uint32_t>((random.bits() & 0xffffc000u) | 0x2000u);
    const uint32_t exponent =
        std::clamp<uint32_t>((p >> 23 & 0xff) + static_cast<uint32_t>(random.below(7)), 4, 251) - 3;
    return ((near & 0x807fffffu) | exponent << 23) + static_cast<uint32_t>(random.below(3)) - 1;
  }
};

const std::vector<std::string> kHalfVector = fast_test::mau_spellings(isa::Prec::kH, 'v');

TEST_P(FastHalfVector, Ordinary) {
  for (const std::string& text : kHalfVector) check(text, 1 << 20, 800, 1);
}
TEST_P(FastHalfVector, Special) {
  for (const std::string& text : kHalfVector) {
    check(text, 24, 500, 2);
    check(text, 3, 500, 3);
  }
}

KMH_FAST_PATHS(FastSingleVector);
KMH_FAST_PATHS(FastHalfVector);

}  // namespace
}  // namespace kumihimo::mncore2
