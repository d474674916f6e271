// MAU kernels of the fast paths against the semantic functions, bit by bit, on inputs aimed at the places where they
// could differ: cancellation, ties, borders of the exponent, extended elements, infinities, NaN and subnormal
// patterns, zeros of both signs. Random values alone meet none of these.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <memory>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/fma.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2 {
namespace {

using emu::Beat;
using emu::Mab;
using fast::Path;
using fast::Row;
using num_test::Random;

// One instruction, decoded; its kernel and its semantic function on two equal MABs.
class Pair {
 public:
  Pair(const std::string& text, Path path) {
    auto assembled = vsm::assemble(text + "\n", "test");
    for (const Diagnostic& d : assembled.errors) ADD_FAILURE() << render_text(d);
    program_ = std::move(assembled.program);
    emu::MaskState masks;
    auto decoded =
        emu::decode(program_, 0, program_.lines.size(), *find_machine("mncore2-tiny"), "test", masks, nullptr);
    EXPECT_TRUE(decoded.ok()) << text;
    decoded_ = std::move(*decoded);
    op_ = &decoded_.ops.front();
    kernel_ = fast::kernels_of(path)->mau(*op_);
    uop_.op = op_;
    uop_.run = kernel_;
    uop_.number = static_cast<uint32_t>(op_->matrix_row);
    uop_.side = row_of(&mab_->mat[op_->side < 0 ? 0 : op_->side]);
  }
  bool has_kernel() const { return kernel_ != nullptr; }
  const emu::Op& op() const { return *op_; }
  emu::MatrixSide& side() { return mab_->mat[op_->side]; }

  // Sources stand in LM0 double long words 8k.. of source k, four cycles each.
  uint64_t* source(int k, int cycle) { return mab_->lm[0][32 * k + 2 * cycle]; }

  // True when both give the same bits.
  bool same(bool wide) {
    const int parts = static_cast<int>(op_->src_count);
    emu::StepContext c;
    c.mab = mab_.get();
    c.op = op_;
    Beat expected;
    std::memset(&expected, 0x5a, sizeof expected);
    c.out = &expected;
    for (int k = 0; k < parts; ++k)
      for (int cycle = 0; cycle < 4; ++cycle) {
        c.in[k].hi[cycle] = source(k, cycle);
        c.in[k].lo[cycle] = source(k, cycle) + 4;
      }
    uint8_t flags[4][4];
    c.flags = flags;
    op_->sem(c, *op_->insn);

    const bool matrix = op_->side >= 0;
    Beat& out = mab_->t;
    std::memset(&out, 0xa5, sizeof out);
    uop_.wide = wide;
    for (int cycle = 0; cycle < 4; ++cycle) {
      const auto at = static_cast<size_t>(cycle);
      uop_.out[at] = row_of(out.v[cycle]);
      uop_.x[at] = row_of(source(0, cycle));
      if (matrix) {
        if (parts > 1) uop_.z[at] = row_of(source(1, cycle));
      } else if (parts == 3) {
        uop_.y[at] = row_of(source(1, cycle));
        uop_.z[at] = row_of(source(2, cycle));
      } else if (parts == 2) {
        const bool sum = op_->insn->def->name.find("vadd") != std::string_view::npos;
        (sum ? uop_.z : uop_.y)[at] = row_of(source(1, cycle));
      }
    }
    fast::Place place{};
    {
      const fast::FloatMode mode;
      kernel_(*mab_, uop_, place);
    }
    bool equal = true;
    for (int cycle = 0; cycle < 4; ++cycle)
      for (int w = 0; w < (wide ? 2 : 1); ++w) equal &= std::memcmp(expected.v[cycle][w], out.v[cycle][w], 32) == 0;
    if (!equal)
      for (int cycle = 0; cycle < 4; ++cycle)
        for (int w = 0; w < (wide ? 2 : 1); ++w)
          for (int pe = 0; pe < 4; ++pe)
            if (expected.v[cycle][w][pe] != out.v[cycle][w][pe])
              ADD_FAILURE() << "cycle " << cycle << " word " << w << " pe " << pe << std::hex << " semantic "
                            << expected.v[cycle][w][pe] << " kernel " << out.v[cycle][w][pe];
    return equal;
  }
  void run_kernel() {
    fast::Place place{};
    const fast::FloatMode mode;
    for (size_t c = 0; c < 4; ++c) uop_.x[c] = row_of(source(0, static_cast<int>(c)));
    kernel_(*mab_, uop_, place);
  }

 private:
  Row row_of(const void* p) const {
    return static_cast<Row>((static_cast<const char*>(p) - reinterpret_cast<const char*>(mab_.get())) / 8);
  }
  isa::Program program_;
  emu::Decoded decoded_;
  const emu::Op* op_ = nullptr;
  fast::Kernel kernel_ = nullptr;
  fast::Uop uop_;
  std::unique_ptr<Mab> mab_ = std::make_unique<Mab>();
};

class FastMau : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    if (!fast::path_available(GetParam())) GTEST_SKIP() << "this processor lacks " << fast::path_name(GetParam());
  }
};

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
  switch (random.below(8)) {
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

const char* const kHalfMatrix[] = {"hmfma $lx $lm0v $llr0v $lln0v",  "hmfma $ly -$lm0v $llr0v $lln0v",
                                   "hmfma $lx $lm0v -$llr0v $lln0v", "hmfma $lx -$lm0v -$llr0v $lln0v",
                                   "hmmul $lx $lm0v $lln0v",         "hmmul $ly -$lm0v $lln0v"};

TEST_P(FastHalfMatrix, Ordinary) {
  for (const char* text : kHalfMatrix) check(text, {}, 3000, 1);
}
TEST_P(FastHalfMatrix, Extended) {
  for (const char* text : kHalfMatrix) check(text, {.extended = true}, 3000, 2);
}
TEST_P(FastHalfMatrix, Infinite) {
  for (const char* text : kHalfMatrix) check(text, {.infinite = true}, 3000, 3);
}
TEST_P(FastHalfMatrix, Everything) {
  for (const char* text : kHalfMatrix) check(text, {true, true, true}, 3000, 4);
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
          if (has_z) set(pair.source(2, c), i, addend(random, a, b, special_one_in));
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
  static uint32_t addend(Random& random, uint32_t a, uint32_t b, int special_one_in) {
    const uint32_t p = num::fma_f32(a, b, 0);
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
};

const char* const kSingleVector[] = {"fvfma $lm0v $lr0v $ls0v $ln0v",
                                     "fvfma -$lm0v $lr0v $ls0v $ln0v",
                                     "fvfma $lm0v -$lr0v -$ls0v $ln0v",
                                     "fvfma -$lm0v -$lr0v -$ls0v $ln0v",
                                     "fvmul $lm0v $lr0v $ln0v",
                                     "fvmul $lm0v -$lr0v $ln0v",
                                     "fvadd $lm0v $lr0v $ln0v",
                                     "fvadd -$lm0v $lr0v $ln0v",
                                     "fvadd $lm0v -$lr0v $ln0v",
                                     "fvpassa $lm0v $ln0v",
                                     "fvpassa -$lm0v $ln0v",
                                     "fvfmar $lm0v $lr0v $ls0v $n0v",
                                     "fvfmar -$lm0v $lr0v -$ls0v $n0v",
                                     "fvmulr $lm0v $lr0v $n0v",
                                     "fvaddr $lm0v -$lr0v $n0v",
                                     "fvpassar $lm0v $n0v",
                                     "fvpassar -$lm0v $n0v"};

TEST_P(FastSingleVector, Ordinary) {
  for (const char* text : kSingleVector) check(text, 1 << 20, 10000, 1);
}
TEST_P(FastSingleVector, Special) {
  for (const char* text : kSingleVector) {
    check(text, 24, 3000, 2);
    check(text, 3, 3000, 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, FastSingleVector, ::testing::Values(Path::kAvx2, Path::kAvx512),
                         [](const auto& info) { return std::string(fast::path_name(info.param)); });
INSTANTIATE_TEST_SUITE_P(Paths, FastHalfMatrix, ::testing::Values(Path::kAvx2, Path::kAvx512),
                         [](const auto& info) { return std::string(fast::path_name(info.param)); });

}  // namespace
}  // namespace kumihimo::mncore2
