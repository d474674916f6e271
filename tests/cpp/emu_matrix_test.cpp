// Which element goes where in MAU instructions (ISA 6.1, 6.2) and in block conversion, on small integers: there the
// results are exact in every precision, so plain sums of doubles are the reference.
#include <array>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

using V = std::vector<uint64_t>;

class Matrix : public ::testing::Test {
 protected:
  double number() { return static_cast<double>(static_cast<int>(rng() % 15)) - 7; }
  // `rows` long words of random halves, singles or doubles for each PE of MAB (1, 5), at LM0 row `at`.
  void fill(Mem mem, int at, int rows, char prec) {
    for (int p = 0; p < 4; ++p) {
      V v;
      for (int r = 0; r < rows; ++r)
        v.push_back(prec == 'h'   ? halves(number(), number(), number(), number())
                    : prec == 'd' ? dbl(number())
                                  : singles(number(), number()));
      lab.set(mem, unit(p), at, v);
    }
  }
  UnitCoord unit(int p) const { return {0, 0, 1, 5, p}; }
  // Element j of the long words at `row`, as the four PEs hold it.
  double element(Mem mem, int row, int j, char prec) const {
    switch (prec) {
      case 'h': return half_at(lab.lw(mem, unit(j / 4), row), j % 4);
      case 'd': return num::to_double(num::kDouble, lab.lw(mem, unit(j), row));
      default: return single_at(lab.lw(mem, unit(j / 2), row), j % 2);
    }
  }

  Lab lab;
  std::mt19937_64 rng{11};
};

TEST_F(Matrix, Half) {
  fill(Mem::kLm0, 0, 16, 'h');  // A, row r at LM0 row r
  fill(Mem::kLm1, 0, 4, 'h');   // x of four cycles
  fill(Mem::kGrf1, 0, 8, 'f');  // addends: double long words
  lab.run(
      "hbfn/9 $lm0v $lr0v\nhbfn/9 $lm8v $lr8v\nhbfn/9 $lm16v $lr16v\nhbfn/9 $lm24v $lr24v\nhbfn/9 $ln0v $lr32v\n"
      "hmwrite $lr0v $lx0\nhmwrite $lr8v $lx4\nhmwrite $lr16v $lx8\nhmwrite $lr24v $lx12\n"
      "hmmul $lx $lr32v $lln64v\nhmfma $lx $lr32v $lls0v $llm128v\nhmfma $lx -$lr32v -$lls0v $llm160v\n"
      "hmfmar $lx $lr32v $lls0v $ls64v");
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 16; ++i) {
      double product = 0;
      for (int j = 0; j < 16; ++j) product += element(Mem::kLm0, i, j, 'h') * element(Mem::kLm1, c, j, 'h');
      const auto out = [&](Mem mem, int row) {
        return single_at(lab.lw(mem, unit(i / 4), row + 2 * c + i % 4 / 2), i % 2);
      };
      const double y = single_at(lab.lw(Mem::kGrf1, unit(i / 4), 2 * c + i % 4 / 2), i % 2);
      EXPECT_EQ(out(Mem::kLm1, 32), product) << c << " " << i;
      EXPECT_EQ(out(Mem::kLm0, 64), product + y) << c << " " << i;
      EXPECT_EQ(out(Mem::kLm0, 80), -product - y) << c << " " << i;
      EXPECT_EQ(half_at(lab.lw(Mem::kGrf1, unit(i / 4), 32 + c), i % 4), product + y) << c << " " << i;
    }
}

TEST_F(Matrix, HalfWriteOfDoubleLongWordsFillsTwoRowsPerCycle) {
  fill(Mem::kLm0, 0, 16, 'h');
  fill(Mem::kLm1, 0, 4, 'h');
  // Start row 14: rows 14, 15, 0, 1, ... (modulo 16).
  lab.run(
      "hbfn/9 $llm0v $llr0v\nhbfn/9 $llm16v $llr16v\nhbfn/9 $ln0v $lr32v\n"
      "hmwrite $llr0v $lly14\nhmwrite $llr16v $lly6\nhmmul $ly $lr32v $lln64v");
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 16; ++i) {
      double product = 0;
      for (int j = 0; j < 16; ++j) product += element(Mem::kLm0, (i + 2) % 16, j, 'h') * element(Mem::kLm1, c, j, 'h');
      EXPECT_EQ(single_at(lab.lw(Mem::kLm1, unit(i / 4), 32 + 2 * c + i % 4 / 2), i % 2), product) << c << " " << i;
    }
}

TEST_F(Matrix, PseudoSingle) {
  fill(Mem::kLm0, 0, 8, 'f');
  fill(Mem::kLm1, 0, 4, 'f');
  fill(Mem::kGrf1, 0, 4, 'f');
  lab.run(
      "gbfn $lm0v $lr0v\ngbfn $lm8v $lr8v\ngbfn $ln0v $lr16v\ngmwrite $lr0v $lx0\ngmwrite $lr8v $lx4\n"
      "gmmul $lx $lr16v $ln64v\ngmfma $lx $lr16v $ls0v $lm128v");
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 8; ++i) {
      double product = 0;
      for (int j = 0; j < 8; ++j) product += element(Mem::kLm0, i, j, 'f') * element(Mem::kLm1, c, j, 'f');
      EXPECT_EQ(element(Mem::kLm1, 32 + c, i, 'f'), product);
      EXPECT_EQ(element(Mem::kLm0, 64 + c, i, 'f'), product + element(Mem::kGrf1, c, i, 'f'));
    }
}

TEST_F(Matrix, SingleUsesOneWordPerPeAndEvenColumns) {
  fill(Mem::kLm0, 0, 8, 'f');
  fill(Mem::kLm1, 0, 4, 'f');
  fill(Mem::kGrf1, 0, 4, 'f');
  // Converting only MSB words: the block of x is the MSB word of each PE.
  lab.run(
      "fbfn $lm0v $lr0v\nfbfn $lm8v $lr8v\nfbfn $ln0v $lr16v\nfmwrite $lr0v $lx0\nfmwrite $lr8v $lx4\n"
      "fmfma $lx $r[16,18,20,22] $ls0v $lm128v");
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 8; ++i) {
      double product = 0;
      for (int j = 0; j < 4; ++j) product += element(Mem::kLm0, i, 2 * j, 'f') * element(Mem::kLm1, c, 2 * j, 'f');
      EXPECT_EQ(element(Mem::kLm0, 64 + c, i, 'f'), product + element(Mem::kGrf1, c, i, 'f'));
    }
}

TEST_F(Matrix, DoubleComputesTwoRowsAtATime) {
  fill(Mem::kLm0, 0, 4, 'd');
  fill(Mem::kLm1, 0, 4, 'd');
  fill(Mem::kGrf1, 0, 4, 'd');
  lab.run(
      "dbfn $lm0v $lr0v\ndbfn $ln0v $lr16v\ndmwrite $lr0v $ly0\n"
      "dmfmau $ly $lr16v $ls0v $lm64v\ndmfmad $ly $lr16v $ls0v $ln64v\ndmmulu $ly $lr16v $lm96v\n"
      "dmmulu $ly $lr16v $nowrite\ndmfmad $ly $lr16v $mauf $lm128v");
  for (int c = 0; c < 4; ++c)
    for (int i = 0; i < 4; ++i) {
      double product = 0;
      for (int j = 0; j < 4; ++j) product += element(Mem::kLm0, i, j, 'd') * element(Mem::kLm1, c, j, 'd');
      const double y = element(Mem::kGrf1, c, i, 'd');
      EXPECT_EQ(element(Mem::kLm0, 32 + c, i, 'd'), i < 2 ? product + y : y);
      EXPECT_EQ(element(Mem::kLm1, 32 + c, i, 'd'), i < 2 ? y : product + y);
      EXPECT_EQ(element(Mem::kLm0, 48 + c, i, 'd'), i < 2 ? product : 0);
      EXPECT_EQ(element(Mem::kLm0, 64 + c, i, 'd'), product);
    }
}

TEST_F(Matrix, DoubleVectorsMultiplyInTwoPesAtATime) {
  fill(Mem::kLm0, 0, 4, 'd');
  fill(Mem::kLm1, 0, 4, 'd');
  fill(Mem::kGrf1, 0, 4, 'd');
  lab.run(
      "dvfmau $lm0v $ln0v $ls0v $lr0v\ndvfmad $lm0v $ln0v $ls0v $lr16v\ndvmuld $lm0v $ln0v $lr32v\ndvfmau $lm0v $ln0v "
      "-$ls0v $lr48v");
  for (int c = 0; c < 4; ++c)
    for (int p = 0; p < 4; ++p) {
      const double x = element(Mem::kLm0, c, p, 'd'), y = element(Mem::kLm1, c, p, 'd'),
                   z = element(Mem::kGrf1, c, p, 'd');
      EXPECT_EQ(element(Mem::kGrf0, c, p, 'd'), p < 2 ? x * y + z : z);
      EXPECT_EQ(element(Mem::kGrf0, 8 + c, p, 'd'), p < 2 ? z : x * y + z);
      EXPECT_EQ(element(Mem::kGrf0, 16 + c, p, 'd'), p < 2 ? 0 : x * y);
      EXPECT_EQ(element(Mem::kGrf0, 24 + c, p, 'd'), p < 2 ? x * y - z : -z);
    }
}

TEST_F(Matrix, SingleAndHalfVectors) {
  fill(Mem::kLm0, 0, 4, 'f');
  fill(Mem::kLm1, 0, 4, 'f');
  fill(Mem::kGrf1, 0, 8, 'f');
  fill(Mem::kLm0, 64, 4, 'h');
  fill(Mem::kLm1, 64, 4, 'h');
  lab.run(
      "fvfma $lm0v $ln0v $ls0v $lr0v\nfvmul -$lm0v $ln0v $lr8v\nfvadd $lm0v -$ls0v $lr16v\n"
      "hvfma $lm128v $ln128v $lls0v $llr64v\nhvadd $lm128v $lls0v $llr80v\nhvmul $lm128v -$ln128v $llr96v\n"
      "hvfmar $lm128v $ln128v $lls0v $lr112v\nfvfmar $lm0v $ln0v $ls0v $r240v\nhvaddr $lm128v $lls0v $lr128v\nfvmulr "
      "$lm0v $ln0v $r272v");
  for (int p = 0; p < 4; ++p)
    for (int c = 0; c < 4; ++c) {
      const auto r = [&](int row) { return lab.lw(Mem::kGrf0, unit(p), row); };
      for (int k = 0; k < 2; ++k) {
        const double x = single_at(lab.lw(Mem::kLm0, unit(p), c), k), y = single_at(lab.lw(Mem::kLm1, unit(p), c), k),
                     z = single_at(lab.lw(Mem::kGrf1, unit(p), c), k);
        EXPECT_EQ(single_at(r(c), k), x * y + z);
        EXPECT_EQ(single_at(r(4 + c), k), 0 - x * y);
        EXPECT_EQ(single_at(r(8 + c), k), x - z);
        EXPECT_EQ(half_at(r(120 + c / 2), c % 2 * 2 + k), x * y + z);
        EXPECT_EQ(half_at(r(136 + c / 2), c % 2 * 2 + k), x * y);
      }
      for (int k = 0; k < 4; ++k) {
        const double x = half_at(lab.lw(Mem::kLm0, unit(p), 64 + c), k),
                     y = half_at(lab.lw(Mem::kLm1, unit(p), 64 + c), k),
                     z = single_at(lab.lw(Mem::kGrf1, unit(p), 2 * c + k / 2), k % 2);
        EXPECT_EQ(single_at(r(32 + 2 * c + k / 2), k % 2), x * y + z);
        EXPECT_EQ(single_at(r(40 + 2 * c + k / 2), k % 2), x + z);
        EXPECT_EQ(single_at(r(48 + 2 * c + k / 2), k % 2), 0 - x * y);
        EXPECT_EQ(half_at(r(56 + c), k), x * y + z);
        EXPECT_EQ(half_at(r(64 + c), k), x + z);
      }
    }
}

// mread of what mwrite left is the transpose (ISA 6.2): element i of cycle c is A[i][q+c], modulo the size.
TEST_F(Matrix, ReadsColumns) {
  struct Case {
    int rows;
    const char* write;
    int column;
    int per_cycle;
    const char* read;
  };
  constexpr Case kCases[] = {
      {16, "hmwrite $lm0v $lx0\nhmwrite $lm8v $lx4\nhmwrite $lm16v $lx8\nhmwrite $lm24v $lx12", 10, 2,
       "hmread $llx10 $lln0v"},
      {16, "hmwrite $llm0v $lly0\nhmwrite $llm16v $lly8", 5, 1, "hmread $ly5 $ln0v"},
      {8, "gmwrite $lm0v $ly0\ngmwrite $lm8v $ly4", 3, 1, "gmread $ly3 $ln0v"},
      {8, "fmwrite $lm0v $lx0\nfmwrite $lm8v $lx4", 6, 1, "fmread $lx6 $ln0v"},
      {4, "dmwrite $lm0v $lx0", 2, 1, "dmread $lx2 $ln0v"},
  };
  for (const Case& k : kCases) {
    SCOPED_TRACE(k.read);
    for (int p = 0; p < 4; ++p) lab.set(Mem::kLm0, unit(p), 0, random_lws(rng, 16));  // a bit copy: any data
    lab.run(std::string(k.write) + "\n" + k.read + "\nlpassa $mreadf $llr0v");
    const int per_lw = k.rows / 4, bits = 64 / per_lw;
    const auto bits_of = [&](Mem mem, int row, int j) {
      return lab.lw(mem, unit(j / per_lw), row) >> (64 - (j % per_lw + 1) * bits) & (~uint64_t{0} >> (64 - bits));
    };
    for (int c = 0; c < 4; ++c)
      for (int w = 0; w < k.per_cycle; ++w)
        for (int i = 0; i < k.rows; ++i) {
          const int column = (k.column + k.per_cycle * c + w) % k.rows;
          EXPECT_EQ(bits_of(Mem::kLm1, k.per_cycle * c + w, i), bits_of(Mem::kLm0, i, column)) << c << " " << i;
          EXPECT_EQ(bits_of(Mem::kGrf0, 2 * c + w, i), bits_of(Mem::kLm0, i, column)) << "forwarded";
        }
  }
}

// The block of a half conversion is the 16 halves that the PEs hold at one address; both long words of a double long
// word are blocks of their own (ISA 8.5).
TEST_F(Matrix, BlocksOfConversions) {
  for (int p = 0; p < 4; ++p) {
    lab.set(Mem::kLm0, unit(p), 0, V{halves(1, 1, 1, 1), halves(p == 2 ? 64 : 1, 1, 1, 1)});
    lab.set(Mem::kLm1, unit(p), 0, V{singles(p == 1 ? 1024 : 1, 1), dbl(p == 3 ? 8 : 1)});
  }
  lab.run("hbfn/9 $llm0 $llr0\nfbfn $ln0 $lr4\ngbfn $ln0 $lr6\ndbfn $ln2 $lr8");
  const auto exponent = [](uint64_t bits, int width, int fraction) {
    return static_cast<int>(bits >> fraction & ((1u << (width - 1 - fraction)) - 1));
  };
  for (int p = 0; p < 4; ++p) {
    const auto r = lab.lws(Mem::kGrf0, unit(p), 0, 5);
    EXPECT_EQ(exponent(r[0] >> 48, 16, 9), 31);
    EXPECT_EQ(exponent(r[1] >> 48, 16, 9), 31 + 6);
    EXPECT_EQ(exponent(r[1] & 0xffff, 16, 9), 31 + 6);
    EXPECT_EQ(exponent(r[2] >> 32, 32, 23), 127 + 10);
    EXPECT_EQ(exponent(r[2] & 0xffffffff, 32, 23), 127);
    EXPECT_EQ(exponent(r[3] >> 32, 32, 23), 127 + 10);
    EXPECT_EQ(exponent(r[3] & 0xffffffff, 32, 23), 127 + 10);
    EXPECT_EQ(exponent(r[4], 64, 52), 1023 + 3);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
