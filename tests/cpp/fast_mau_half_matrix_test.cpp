// Matrix kernels of halves and mwrite against the semantic functions, bit by bit, on inputs aimed at the places where
// they could differ: cancellation, ties, borders of the exponent, extended elements, infinities, NaN and subnormal
// patterns, zeros of both signs. Random values alone meet none of these.
#include <fmt/format.h>

#include "targets/mncore2/num/dot.h"
#include "tests/cpp/fast_mau_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast::Path;
using fast_test::FastMau;
using fast_test::Pair;
using num_test::Random;

// --- half blocks ------------------------------------------------------------------------------------------------

struct Kinds {
  bool extended = false, infinite = false, mixed = false;
};

// 16 halves of a block as four long words.
void half_block(Random& random, Kinds kinds, int exponent, uint64_t* row) {
  int own = exponent;
  if (kinds.infinite && random.chance(4)) own = 63;
  if (random.chance(40)) own = 0;
  uint16_t e[16];
  for (uint16_t& bits : e) {
    int field = own;
    uint64_t fraction = random.fraction(9);
    if (random.chance(9)) fraction = 0;
    if (fraction == 0 && !random.chance(4)) field = 0;
    if (field == 0 || (kinds.extended && random.chance(4))) field = 0;
    if (field == 0 && !kinds.extended) fraction = 0;
    if (own == 0 && random.chance(2)) fraction = random.fraction(9);
    if (kinds.mixed && random.chance(8)) field = random.below(64);
    bits = static_cast<uint16_t>((random.bits() & 1) << 15 | static_cast<uint64_t>(field) << 9 | fraction);
  }
  for (int pe = 0; pe < 4; ++pe) {
    row[pe] = 0;
    for (int k = 0; k < 4; ++k) row[pe] = row[pe] << 16 | e[4 * pe + k];
  }
}

int some_exponent(Random& random) {
  switch (random.below(4)) {
    case 0: return 1 + random.below(62);
    case 1: return random.chance(2) ? 1 : 62;
    default: return 25 + random.below(12);
  }
}

// An addend near minus the dot product of a row and a vector, near its ties, or anything.
uint32_t half_addend(Random& random, const uint64_t* a, const uint64_t* x) {
  const uint32_t dot = num::dot_half(num::decode_half_block_words(a), num::decode_half_block_words(x), 0);
  switch (random.below(9)) {
    case 8:  // the sum ends near a tie of a half
      return (dot ^ 0x80000000u) + (static_cast<uint32_t>(random.bits()) & 0x3c000u) + 0x1000u +
             static_cast<uint32_t>(random.below(3)) - 1;
    case 0: return dot ^ 0x80000000u;
    case 1: return (dot ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
    case 2: {  // of such a size that the product ends about half a bit below
      const uint32_t exponent =
          std::min<uint32_t>((dot >> 23 & 0xff) + 20 + static_cast<uint32_t>(random.below(8)), 255);
      return (static_cast<uint32_t>(random.bits()) & 0x80000000u) | exponent << 23 |
             static_cast<uint32_t>(random.fraction(23));
    }
    case 3: return static_cast<uint32_t>(random.bits()) & 0x807fffffu;     // zeros, subnormal patterns
    case 4: return random.chance(3) ? random.single(1) : random.single();  // infinities, NaN patterns
    case 5: return random.chance(2) ? 0x80000000u : 0;
    default: return random.single();
  }
}

class FastHalfMatrix : public FastMau {
 protected:
  void check(const std::string& text, Kinds kinds, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      emu::MatrixSide& side = pair.side();
      const int exponent = some_exponent(random);
      // All rows, or the four of a group, or any one: every way in which a side becomes stale.
      const int first = n % 3 == 0 ? 0 : n % 3 == 1 ? random.below(4) * 4 : random.below(16);
      const int count = n % 3 == 0 ? 16 : n % 3 == 1 ? 4 : 1;
      for (int r = first; r < first + count; ++r) {
        half_block(random, kinds, random.chance(3) ? some_exponent(random) : exponent, side.raw[r]);
        side.changed(r);
      }
      for (int c = 0; c < 4; ++c) {
        half_block(random, random.chance(2) ? kinds : Kinds{}, some_exponent(random), pair.source(0, c));
        uint64_t* y = pair.source(1, c);
        for (int i = 0; i < 16; ++i) {
          const uint32_t v = half_addend(random, side.raw[i], pair.source(0, c));
          uint64_t& lw = y[i % 4 / 2 * 4 + i / 4];
          lw = i % 2 == 0 ? uint64_t{v} << 32 : lw | v;
        }
      }
      if (!pair.same(n % 5 != 0)) return;
    }
  }
};

const std::vector<std::string> kHalfMatrix = fast_test::mau_spellings(isa::Prec::kH, 'm');

TEST_P(FastHalfMatrix, Ordinary) {
  for (const std::string& text : kHalfMatrix) check(text, {}, 1000, 1);
}
TEST_P(FastHalfMatrix, Extended) {
  for (const std::string& text : kHalfMatrix) check(text, {.extended = true}, 1000, 2);
}
TEST_P(FastHalfMatrix, Infinite) {
  for (const std::string& text : kHalfMatrix) check(text, {.infinite = true}, 1000, 3);
}
TEST_P(FastHalfMatrix, Everything) {
  for (const std::string& text : kHalfMatrix) check(text, {true, true, true}, 1000, 4);
}

TEST_P(FastHalfMatrix, Write) {
  Random random(5);
  for (const char* prec : {"h", "g", "f", "d"})
    for (const char* width : {"l", "ll"})
      for (int row = 0; row < 16; ++row) {
        const bool dlw = std::string_view(width) == "ll";
        const int rows = prec[0] == 'h' ? 16 : prec[0] == 'd' ? 4 : 8;
        if (row >= rows || (dlw && (prec[0] != 'h' || row % 2 != 0))) continue;
        const std::string text = fmt::format("{}mwrite ${}m0v ${}x{}", prec, width, width, row);
        Pair pair(text, GetParam());
        ASSERT_TRUE(pair.has_kernel()) << text;
        for (int c = 0; c < 4; ++c)
          for (int i = 0; i < 8; ++i) pair.source(0, c)[i] = random.bits();
        emu::MatrixSide& side = pair.side();
        side.decoded_rows = 0xffff;
        side.columns.groups = 0xf;
        pair.run_kernel();
        for (int c = 0; c < 4; ++c)
          for (int k = 0; k < (dlw ? 2 : 1); ++k) {
            const int r = (row + (dlw ? 2 * c + k : c)) % rows;
            EXPECT_EQ(std::memcmp(side.raw[r], pair.source(0, c) + 4 * k, 32), 0) << text;
            EXPECT_EQ(side.decoded_rows >> r & 1, 0);
            EXPECT_EQ(side.columns.groups >> r / 4 & 1, 0);
          }
      }
}

TEST_P(FastHalfMatrix, Read) {
  Random random(6);
  for (const char* prec : {"h", "g", "f", "d"})
    for (const char* width : {"l", "ll"})
      for (int column = 0; column < 16; ++column) {
        const bool dlw = std::string_view(width) == "ll";
        const int columns = prec[0] == 'h' ? 16 : prec[0] == 'd' ? 4 : 8;
        if (column >= columns || (dlw && (prec[0] != 'h' || column % 2 != 0))) continue;
        const std::string text = fmt::format("{}mread ${}y{} ${}m0v", prec, width, column, width);
        SCOPED_TRACE(text);
        Pair pair(text, GetParam());
        ASSERT_TRUE(pair.has_kernel());
        for (auto& row : pair.side().raw)
          for (uint64_t& lw : row) lw = random.bits();
        EXPECT_TRUE(pair.same(true));
        EXPECT_TRUE(pair.same(false));
      }
}

KMH_FAST_PATHS(FastHalfMatrix);

}  // namespace
}  // namespace kumihimo::mncore2
