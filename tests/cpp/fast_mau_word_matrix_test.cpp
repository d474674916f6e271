// Matrix kernels of singles and pseudo-singles against the semantic functions, bit by bit: blocks with low parts and
// without, borders of the exponent, infinite members, addends that cancel or end near a tie.
#include "targets/mncore2/num/dot.h"
#include "tests/cpp/fast_mau_support.h"

namespace kumihimo::mncore2 {
namespace {

using fast_test::FastMau;
using fast_test::Pair;
using num_test::Random;

uint32_t word(const uint64_t* row, int j) { return static_cast<uint32_t>(row[j / 2] >> (j % 2 == 0 ? 32 : 0)); }
void set_word(uint64_t* row, int j, uint32_t v) {
  row[j / 2] = j % 2 == 0 ? (row[j / 2] & 0xffffffffu) | uint64_t{v} << 32 : (row[j / 2] & ~uint64_t{0xffffffffu}) | v;
}

struct Kinds {
  bool infinite = false, mixed = false;
};

void block(Random& random, Kinds kinds, uint64_t* row) {
  int own = 100 + random.below(60);
  if (random.chance(4)) own = 1 + random.below(254);
  if (random.chance(6)) own = random.chance(2) ? 1 : 254;
  if (kinds.infinite && random.chance(4)) own = 255;
  if (random.chance(40)) own = 0;
  for (int j = 0; j < 8; ++j) {
    int field = random.chance(8) ? 0 : own;
    if (kinds.mixed && random.chance(8)) field = random.below(256);
    uint64_t fraction = random.fraction(23);
    if (random.chance(4)) fraction &= ~uint64_t{0x1f};
    if (random.chance(6)) fraction = (fraction & ~uint64_t{0x1f}) | 1;
    set_word(row, j, static_cast<uint32_t>((random.bits() & 1) << 31 | static_cast<uint64_t>(field) << 23 | fraction));
  }
}

class FastWordMatrix : public FastMau {
 protected:
  void check(const std::string& text, Kinds kinds, int rounds, uint64_t seed) {
    Pair pair(text, GetParam());
    ASSERT_TRUE(pair.has_kernel()) << text;
    const bool pseudo = text[0] == 'g';
    Random random(seed);
    for (int n = 0; n < rounds; ++n) {
      SCOPED_TRACE(text + " round " + std::to_string(n));
      for (int r = 0; r < 8; ++r) block(random, kinds, pair.side().raw[r]);
      for (int c = 0; c < 4; ++c) {
        block(random, random.chance(2) ? kinds : Kinds{}, pair.source(0, c));
        for (int i = 0; i < 8; ++i)
          set_word(pair.source(1, c), i, addend(random, dot(pseudo, pair.side().raw[i], pair.source(0, c))));
      }
      if (!pair.same(n % 3 == 0)) return;
    }
  }

 private:
  static uint32_t dot(bool pseudo, const uint64_t* a, const uint64_t* x) {
    uint64_t am[8], xm[8];
    const int step = pseudo ? 1 : 2;
    for (int j = 0; j < 8; j += step) {
      am[j / step] = word(a, j);
      xm[j / step] = word(x, j);
    }
    const num::Block kind = pseudo ? num::Block::kPseudo : num::Block::kSingle;
    return static_cast<uint32_t>(num::matrix_dot(kind, am, xm, 0, num::Float::kSingle));
  }
  static uint32_t addend(Random& random, uint32_t dot) {
    const auto with_exponent = [&](int e) {
      return (static_cast<uint32_t>(random.bits()) & 0x80000000u) | static_cast<uint32_t>(std::clamp(e, 0, 254)) << 23 |
             static_cast<uint32_t>(random.fraction(23));
    };
    const int e = static_cast<int>(dot >> 23 & 0xff);
    switch (random.below(9)) {
      case 0: return dot ^ 0x80000000u;
      case 1: return (dot ^ 0x80000000u) + static_cast<uint32_t>(random.below(5)) - 2;
      case 2: return with_exponent(e + 20 + random.below(8));   // the products end near half its last bit
      case 3: return with_exponent(e - 20 - random.below(30));  // it ends near half the last bit of the products
      case 4: return static_cast<uint32_t>(random.bits()) & 0x807fffffu;
      case 5: return random.chance(2) ? 0x80000000u : 0;
      case 6:  // the sum ends near a tie of a half
        return (with_exponent(e - 1 - random.below(3)) & ~0x3fffu) + 0x2000u + static_cast<uint32_t>(random.below(3)) -
               1;
      default: return random.single(12);
    }
  }
};

std::vector<std::string> spellings() {
  std::vector<std::string> all = fast_test::mau_spellings(isa::Prec::kF, 'm');
  for (std::string& text : fast_test::mau_spellings(isa::Prec::kG, 'm')) all.push_back(std::move(text));
  return all;
}

TEST_P(FastWordMatrix, Ordinary) {
  for (const std::string& text : spellings()) check(text, {}, 1500, 1);
}
TEST_P(FastWordMatrix, Infinite) {
  for (const std::string& text : spellings()) check(text, {.infinite = true}, 800, 2);
}
TEST_P(FastWordMatrix, Everything) {
  for (const std::string& text : spellings()) check(text, {true, true}, 800, 3);
}

KMH_FAST_PATHS(FastWordMatrix);

}  // namespace
}  // namespace kumihimo::mncore2
