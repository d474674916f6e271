// Every transfer formula (ISA 4.2, 5.2, 5.3) against a loop written directly from the formula: the emulator executes
// formula columns of the instruction rows, the loops here know nothing of them.
#include <algorithm>
#include <map>
#include <set>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

class Transfer : public ::testing::TestWithParam<const char*> {
 protected:
  Transfer() : config(*find_machine(GetParam())), lab(config), rng(7) {}
  int L(UnitCoord u) const { return static_cast<int>(u.g * config.l2bs_per_group + u.s); }

  const MachineConfig& config;
  Lab lab;
  std::mt19937_64 rng;
};
INSTANTIATE_TEST_SUITE_P(Machines, Transfer, ::testing::Values("mncore2", "mncore2-tiny"),
                         [](const auto& p) { return std::string(p.param) == "mncore2" ? "full" : "tiny"; });

// --- L1BM -> PE ----------------------------------------------------------------------------------------------------

struct Down {
  const char* text;                          // B = 64 resp. 128
  int words;                                 // 1 = LW, 2 = DLW
  int (*place)(int c, int w, int m, int p);  // L1BM address less B
  int base;
};
constexpr Down kDowns[] = {
    {"l1bmp $lb64 $lm16v", 1, [](int c, int, int, int) { return c; }, 64},
    {"l1bmp $llb64 $llm16v", 2, [](int c, int w, int, int) { return c + 4 * w; }, 64},
    {"l1bmm $lb64 $lm16v", 1, [](int c, int, int, int p) { return 4 * c + p; }, 64},
    {"l1bmm $llb64 $llm16v", 2, [](int c, int w, int, int p) { return 8 * c + 4 * w + p; }, 64},
    {"l1bmm4 $lb64 $lm16v", 1, [](int c, int, int m, int p) { return 16 * c + 4 * (m / 4) + p; }, 64},
    {"l1bmm4 $llb96 $llm16v", 2, [](int c, int w, int m, int p) { return 32 * c + 8 * (m / 4) + 4 * w + p; }, 96},
    {"l1bmd $lb128 $lm16v", 1, [](int c, int, int m, int p) { return 64 * c + 4 * m + p; }, 128},
    {"l1bmd+1 $lb128 $lm16v", 1, [](int c, int, int m, int p) { return 64 * c + 4 * ((m + 15) % 16) + p; }, 128},
    {"l1bmd-3 $lb128 $lm16v", 1, [](int c, int, int m, int p) { return 64 * c + 4 * ((m + 3) % 16) + p; }, 128},
};

TEST_P(Transfer, L1bmToPe) {
  for_each_l1b(config, [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, random_lws(rng, 512)); });
  for (const Down& d : kDowns) {
    SCOPED_TRACE(d.text);
    lab.run(d.text);
    int wrong = 0;
    for_each_pe(config, [&](UnitCoord u) {
      const auto memory = lab.lws(Mem::kL1bm, u, 0, 512);
      const auto got = lab.lws(Mem::kLm0, u, 8, 8);
      for (int c = 0; c < 4; ++c)
        for (int w = 0; w < d.words; ++w)
          wrong += got[static_cast<size_t>(c * d.words + w)] !=
                   memory[static_cast<size_t>(d.base + d.place(c, w, u.m, u.p))];
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_P(Transfer, L1bmToPeFitsItselfToTheDestinationWidth) {
  const uint64_t value = 0x0123456789abcdef;
  for_each_l1b(config, [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, std::vector<uint64_t>(8, value)); });
  lab.run("l1bmp $lb0 $m1\nl1bmp $lb0 $llr0\nl1bmp $llb0 $ls0");
  const UnitCoord u{0, 0, 1, 5, 2};
  EXPECT_EQ(lab.lw(Mem::kLm0, u, 0), value >> 32);  // W: the MSB word, into the LSB word of row 0
  EXPECT_EQ(lab.lw(Mem::kGrf0, u, 0), value);       // DLW: MSB side, the rest 0
  EXPECT_EQ(lab.lw(Mem::kGrf0, u, 1), 0u);
  EXPECT_EQ(lab.lw(Mem::kGrf1, u, 0), value);  // LW of a DLW: the MSB long word
}

// --- PE -> L1BM ----------------------------------------------------------------------------------------------------

TEST_P(Transfer, PeToL1bm) {
  struct Case {
    const char* text;
    int words;
    int base;
    int only_m;  // -1 = all
    int (*place)(int c, int w, int m, int p);
    int group = 16;  // only_m counts inside groups of so many MABs
  };
  constexpr Case kCases[] = {
      {"l1bmm@5 $lm0v $lb64", 1, 64, 5, [](int c, int, int, int p) { return 4 * c + p; }},
      {"l1bmm@15 $llm0v $llb64", 2, 64, 15, [](int c, int w, int, int p) { return 8 * c + 4 * w + p; }},
      {"l1bmm4@2 $lm0v $lb64", 1, 64, 2, [](int c, int, int m, int p) { return 16 * c + 4 * (m / 4) + p; }, 4},
      {"l1bmm4@1 $llm0v $llb64", 2, 64, 1, [](int c, int w, int m, int p) { return 32 * c + 8 * (m / 4) + 4 * w + p; },
       4},
      {"l1bmd $lm0v $lb128", 1, 128, -1, [](int c, int, int m, int p) { return 64 * c + 4 * m + p; }},
      {"l1bmd+2 $lm0v $lb128", 1, 128, -1, [](int c, int, int m, int p) { return 64 * c + 4 * ((m + 2) % 16) + p; }},
      {"l1bmd-1 $lm0v $lb128", 1, 128, -1, [](int c, int, int m, int p) { return 64 * c + 4 * ((m + 15) % 16) + p; }},
  };
  for_each_pe(config, [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, random_lws(rng, 8)); });
  for (const Case& k : kCases) {
    SCOPED_TRACE(k.text);
    std::map<int, std::vector<uint64_t>> expected;
    int index = 0;
    for_each_l1b(config, [&](UnitCoord u) { expected[index++] = lab.lws(Mem::kL1bm, u, 0, 512); });
    index = -1;
    for_each_pe(config, [&](UnitCoord u) {
      if (u.m == 0 && u.p == 0) ++index;
      if (k.only_m >= 0 && u.m % k.group != k.only_m) return;
      const auto source = lab.lws(Mem::kLm0, u, 0, 8);
      for (int c = 0; c < 4; ++c)
        for (int w = 0; w < k.words; ++w)
          expected[index][static_cast<size_t>(k.base + k.place(c, w, u.m, u.p))] =
              source[static_cast<size_t>(c * k.words + w)];
    });
    lab.run(k.text);
    index = 0;
    for_each_l1b(config, [&](UnitCoord u) { EXPECT_EQ(lab.lws(Mem::kL1bm, u, 0, 512), expected[index++]); });
  }
}

TEST_P(Transfer, L1bmReductionOverMabs) {
  for_each_pe(config, [&](UnitCoord u) {
    // Small integers: sums are exact whatever the order.
    std::vector<uint64_t> v;
    for (int i = 0; i < 8; ++i)
      v.push_back(singles(static_cast<double>(rng() % 1000), -static_cast<double>(rng() % 1000)));
    lab.set(Mem::kLm0, u, 0, v);
    lab.set(Mem::kLm1, u, 0, random_lws(rng, 8));
  });
  lab.run(
      "l1bmrffadd $llm0v $llb32\nl1bmrlbor $lm16v $lb128\nl1bmrffadd $lm0v $lb160\nl1bmrlbor $ln0v $lb192\nl1bmriiadd "
      "$ln0v $lb256");
  for_each_l1b(config, [&](UnitCoord u) {
    for (int p = 0; p < 4; ++p)
      for (int c = 0; c < 4; ++c) {
        double sum[4] = {}, sum_lw[2] = {};
        uint64_t bits = 0;
        uint32_t hi = 0, lo = 0;
        for (int m = 0; m < 16; ++m) {
          const UnitCoord pe{u.g, u.s, u.b, m, p};
          const auto row = lab.lws(Mem::kLm0, pe, 0, 8);
          for (int k = 0; k < 4; ++k) sum[k] += single_at(row[static_cast<size_t>(2 * c + k / 2)], k % 2);
          for (int k = 0; k < 2; ++k) sum_lw[k] += single_at(row[static_cast<size_t>(c)], k);
          const uint64_t x = lab.lw(Mem::kLm1, pe, c);
          bits |= x;
          hi += static_cast<uint32_t>(x >> 32);
          lo += static_cast<uint32_t>(x);
        }
        EXPECT_EQ(lab.lw(Mem::kL1bm, u, 32 + 8 * c + p), singles(sum[0], sum[1]));
        EXPECT_EQ(lab.lw(Mem::kL1bm, u, 32 + 8 * c + 4 + p), singles(sum[2], sum[3]));
        EXPECT_EQ(lab.lw(Mem::kL1bm, u, 160 + 4 * c + p), singles(sum_lw[0], sum_lw[1]));
        EXPECT_EQ(lab.lw(Mem::kL1bm, u, 192 + 4 * c + p), bits);
        EXPECT_EQ(lab.lw(Mem::kL1bm, u, 256 + 4 * c + p), uint64_t{hi} << 32 | lo);
      }
  });
}

// Groups of four MABs: row q of L1BM holds op over MABs 4q to 4q+3. Small integers, so that order does not matter.
// The published identity of ISA 5.5, over 4 halves of every long word.
TEST_P(Transfer, HalfSumsAreNarrowedSumsOfWidenedSources) {
  for_each_pe(config, [&](UnitCoord u) { lab.set(Mem::kGrf0, u, 0, random_lws(rng, 4)); });
  lab.run("l1bmrhfadd $lr0v $lb0\nl1bmrffaddr $lr0ve $lb64\nl1bmr4hfadd $lr0v $lb128\nl1bmr4ffaddr $lr0ve $lb256\n");
  for_each_l1b(config, [&](UnitCoord u) {
    EXPECT_EQ(lab.lws(Mem::kL1bm, u, 0, 16), lab.lws(Mem::kL1bm, u, 64, 16));
    EXPECT_EQ(lab.lws(Mem::kL1bm, u, 128, 64), lab.lws(Mem::kL1bm, u, 256, 64));
  });
}

TEST_P(Transfer, L1bmReductionOverGroupsOfMabs) {
  for_each_pe(config, [&](UnitCoord u) {
    std::vector<uint64_t> v;
    for (int i = 0; i < 8; ++i)
      v.push_back(singles(static_cast<double>(rng() % 1000), -static_cast<double>(rng() % 1000)));
    lab.set(Mem::kLm0, u, 0, v);
    lab.set(Mem::kLm1, u, 0, random_lws(rng, 8));
  });
  lab.run(
      "l1bmr4ffadd $llm0v $llb128\nl1bmr4fmax $lm0v $lb320\nl1bmr4sbor $lln0v $llb384\nl1bmr4liadd $ln0v $lb576\n"
      "l1bmr4ffaddr $lm0v $lb640\nl1bmr4ffadd $lm0v $lbi\nl1bmm4 $lbi $ls0v");
  for_each_l1b(config, [&](UnitCoord u) {
    for (int q = 0; q < 4; ++q)
      for (int p = 0; p < 4; ++p)
        for (int c = 0; c < 4; ++c) {
          double sum[4] = {}, sum_lw[2] = {}, greatest[2] = {-1e9, -1e9};
          uint64_t bits[2] = {}, total = 0;
          for (int m = 4 * q; m < 4 * q + 4; ++m) {
            const UnitCoord pe{u.g, u.s, u.b, m, p};
            const auto row = lab.lws(Mem::kLm0, pe, 0, 8), other = lab.lws(Mem::kLm1, pe, 0, 8);
            const auto at = static_cast<size_t>(c);
            for (int k = 0; k < 4; ++k) sum[k] += single_at(row[2 * at + static_cast<size_t>(k / 2)], k % 2);
            for (int k = 0; k < 2; ++k) {
              sum_lw[k] += single_at(row[at], k);
              greatest[k] = std::max(greatest[k], single_at(row[at], k));
              bits[k] |= other[2 * at + static_cast<size_t>(k)];
            }
            total += other[at];
          }
          const int lw = 16 * c + 4 * q + p, dlw = 32 * c + 8 * q + p;
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 128 + dlw), singles(sum[0], sum[1]));
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 128 + dlw + 4), singles(sum[2], sum[3]));
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 320 + lw), singles(greatest[0], greatest[1]));
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 384 + dlw), bits[0]);
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 384 + dlw + 4), bits[1]);
          EXPECT_EQ(lab.lw(Mem::kL1bm, u, 576 + lw), total);
          for (int m = 4 * q; m < 4 * q + 4; ++m)
            EXPECT_EQ(lab.lw(Mem::kGrf1, {u.g, u.s, u.b, m, p}, c), singles(sum_lw[0], sum_lw[1]));
        }
  });
}

// --- turnaround ----------------------------------------------------------------------------------------------------

TEST_P(Transfer, TurnaroundReadsWhatTheLastUploadSent) {
  for_each_pe(config, [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, random_lws(rng, 16)); });
  lab.run(
      "l1bmd $lm0v $lb256\n"
      "l1bmd+1 $lbi $ls0v; l1bmd $lm8v $lb512\n"  // reads the first upload, sends the second
      "nop/3\n"
      "l1bmd-2 $lbi $ls8v\n"
      "l1bmm@3 $lm0v $lbi\n"
      "l1bmm $lbi $ls16v");
  for_each_pe(config, [&](UnitCoord u) {
    const auto from = [&](int m) { return lab.lws(Mem::kLm0, {u.g, u.s, u.b, m, u.p}, 0, 8); };
    const auto left = from((u.m + 15) % 16), right = from((u.m + 2) % 16), third = from(3);
    const auto got = lab.lws(Mem::kGrf1, u, 0, 12);
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(got[c], left[c]);
      EXPECT_EQ(got[4 + c], right[4 + c]);
      EXPECT_EQ(got[8 + c], third[c]);
    }
  });
  // $lbi as destination leaves L1BM alone.
  for_each_l1b(config, [&](UnitCoord u) { EXPECT_EQ(lab.lw(Mem::kL1bm, u, 0), 0u); });
}

TEST_P(Transfer, NoforwardKeepsTheTurnaroundRegister) {
  for_each_pe(config, [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, random_lws(rng, 16)); });
  lab.run("l1bmd $lm0v $lb256\nnoforward; l1bmd $lm8v $lb512\nl1bmd $lbi $ls0v");
  for_each_pe(config, [&](UnitCoord u) { EXPECT_EQ(lab.lws(Mem::kGrf1, u, 0, 4), lab.lws(Mem::kLm0, u, 0, 4)); });
  for_each_l1b(config, [&](UnitCoord u) { EXPECT_EQ(lab.lw(Mem::kL1bm, u, 512), lab.lw(Mem::kLm0, u, 4)); });
}

// --- L2BM ----------------------------------------------------------------------------------------------------------

std::set<int> l1b_set(int b0, int i) {
  std::set<int> s;
  for (int b = 0; b < 8; ++b)
    if ((b & (7 ^ i)) == (b0 & (7 ^ i))) s.insert(b);
  return s;
}

TEST_P(Transfer, L2bmDown) {
  struct Case {
    const char* text;
    std::set<int> set;
    int (*from)(int c, int b, int k);  // less C = 1024
    int (*to)(int c, int k);           // less B = 256
    int run;
  };
  const std::set<int> all = l1b_set(0, 7);
  const Case kCases[] = {
      {"l2bmb $lc1024 $lb256", all, [](int c, int, int k) { return 16 * c + k; },
       [](int c, int k) { return 16 * c + k; }, 16},
      {"l2bmb@1/2 $lc1024 $lb256", l1b_set(1, 2), [](int c, int, int k) { return 16 * c + k; },
       [](int c, int k) { return 16 * c + k; }, 16},
      {"l2bmb@0 $lc1024 $lb256", l1b_set(0, 0), [](int c, int, int k) { return 16 * c + k; },
       [](int c, int k) { return 16 * c + k; }, 16},
      {"l2bmb2 $lc1024 $lb256", all, [](int c, int b, int k) { return 64 * c + 16 * (b / 2) + k; },
       [](int c, int k) { return 16 * c + k; }, 16},
      {"l2bmb2@1/6 $lc1024 $lb256", l1b_set(1, 6), [](int c, int b, int k) { return 64 * c + 16 * (b / 2) + k; },
       [](int c, int k) { return 16 * c + k; }, 16},
      {"l2bmd $lc1024 $lb256", all, [](int c, int b, int k) { return 64 * c + 8 * b + k; },
       [](int c, int k) { return 8 * c + k; }, 8},
      {"l2bmd@4/3 $lc1024 $lb256", l1b_set(4, 3), [](int c, int b, int k) { return 64 * c + 8 * b + k; },
       [](int c, int k) { return 8 * c + k; }, 8},
  };
  for (const Case& k : kCases) {
    SCOPED_TRACE(k.text);
    for_each_l2b(config, [&](UnitCoord u) { lab.set(Mem::kL2bm, u, 1024, random_lws(rng, 256)); });
    std::vector<std::vector<uint64_t>> expected;
    for_each_l1b(config, [&](UnitCoord u) {
      auto mem = lab.lws(Mem::kL1bm, u, 256, 64);
      if (k.set.count(u.b) != 0)
        for (int c = 0; c < 4; ++c)
          for (int i = 0; i < k.run; ++i)
            mem[static_cast<size_t>(k.to(c, i))] = lab.lw(Mem::kL2bm, u, 1024 + k.from(c, u.b, i));
      expected.push_back(mem);
    });
    lab.run(k.text);
    size_t index = 0;
    for_each_l1b(config, [&](UnitCoord u) { EXPECT_EQ(lab.lws(Mem::kL1bm, u, 256, 64), expected[index++]); });
  }
}

TEST_P(Transfer, L2bmUp) {
  for_each_l1b(config, [&](UnitCoord u) {
    lab.set(Mem::kL1bm, u, 256, random_lws(rng, 64));
    std::vector<uint64_t> v;
    for (int i = 0; i < 64; ++i) v.push_back(dbl(static_cast<double>(rng() % 1000) - 500));
    lab.set(Mem::kL1bm, u, 512, v);
  });
  lab.run(
      "l2bmd $lb256 $lc1024\nl2bm@1 $lb256 $lc2048\nl2bmrlbor@0/1 $lb256 $lc3072\nl2bmrdfadd $lb512 $lc4096\n"
      "l2bmrdmax@0/1 $lb512 $lc5120");
  for_each_l2b(config, [&](UnitCoord u) {
    const int n = static_cast<int>(config.l1bs_per_l2b);
    for (int c = 0; c < 4; ++c) {
      for (int b = 0; b < n; ++b)
        for (int k = 0; k < 8; ++k)
          EXPECT_EQ(lab.lw(Mem::kL2bm, u, 1024 + 64 * c + 8 * b + k),
                    lab.lw(Mem::kL1bm, {u.g, u.s, b}, 256 + 8 * c + k));
      for (int k = 0; k < 16; ++k) {
        EXPECT_EQ(lab.lw(Mem::kL2bm, u, 2048 + 16 * c + k), lab.lw(Mem::kL1bm, {u.g, u.s, 1}, 256 + 16 * c + k));
        const uint64_t pair =
            lab.lw(Mem::kL1bm, {u.g, u.s, 0}, 256 + 16 * c + k) | lab.lw(Mem::kL1bm, {u.g, u.s, 1}, 256 + 16 * c + k);
        EXPECT_EQ(lab.lw(Mem::kL2bm, u, 3072 + 16 * c + k), pair);
        double sum = 0;
        for (int b = 0; b < n; ++b)
          sum += num::to_double(num::kDouble, lab.lw(Mem::kL1bm, {u.g, u.s, b}, 512 + 16 * c + k));
        EXPECT_EQ(num::to_double(num::kDouble, lab.lw(Mem::kL2bm, u, 4096 + 16 * c + k)), sum);
        const double x = num::to_double(num::kDouble, lab.lw(Mem::kL1bm, {u.g, u.s, 0}, 512 + 16 * c + k));
        const double y = num::to_double(num::kDouble, lab.lw(Mem::kL1bm, {u.g, u.s, 1}, 512 + 16 * c + k));
        EXPECT_EQ(num::to_double(num::kDouble, lab.lw(Mem::kL2bm, u, 5120 + 16 * c + k)), std::max(x, y));
      }
    }
  });
}

TEST_P(Transfer, L2bmReductionOverPairs) {
  for_each_l1b(config, [&](UnitCoord u) {
    std::vector<uint64_t> v;
    for (int i = 0; i < 64; ++i) v.push_back(dbl(static_cast<double>(rng() % 1000) - 500));
    lab.set(Mem::kL1bm, u, 512, v);
    lab.set(Mem::kL1bm, u, 256, random_lws(rng, 64));
  });
  lab.run("l2bmr2dfadd $lb512 $lc1024\nl2bmr2lbor $lb256 $lc2048\nl2bmr2lband $lb256 $lc3072");
  for_each_l2b(config, [&](UnitCoord u) {
    const int n = static_cast<int>(config.l1bs_per_l2b);
    for (int c = 0; c < 4; ++c)
      for (int q = 0; q < 4; ++q)
        for (int k = 0; k < 16; ++k) {
          double sum = 0;
          uint64_t any = 0, all = ~uint64_t{0};
          for (int b = 2 * q; b < std::min(2 * q + 2, n); ++b) {
            sum += num::to_double(num::kDouble, lab.lw(Mem::kL1bm, {u.g, u.s, b}, 512 + 16 * c + k));
            any |= lab.lw(Mem::kL1bm, {u.g, u.s, b}, 256 + 16 * c + k);
            all &= lab.lw(Mem::kL1bm, {u.g, u.s, b}, 256 + 16 * c + k);
          }
          const int at = 64 * c + 16 * q + k;
          EXPECT_EQ(lab.lw(Mem::kL2bm, u, 1024 + at), dbl(sum));
          EXPECT_EQ(lab.lw(Mem::kL2bm, u, 2048 + at), any);
          EXPECT_EQ(lab.lw(Mem::kL2bm, u, 3072 + at), all);
        }
  });
}

// For every src in b0/i and every b with b&i == src&i: L1BM_b[B2+16c+k] = L1BM_src[B+16c+k].
TEST_P(Transfer, L2bmiCopiesBetweenL1bs) {
  struct Case {
    const char* text;
    int b0, i;
  };
  for (const Case& k : {Case{"l2bmi@1/0 $lb64 $lb256", 1, 0}, Case{"l2bmi@0/6 $lb64 $lb256", 0, 6},
                        Case{"l2bmi@5/3 $lb64 $lb256", 5, 3}, Case{"l2bmi@0,1 $lb64 $lb80", 0, 1}}) {
    SCOPED_TRACE(k.text);
    for_each_l1b(config, [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, random_lws(rng, 512)); });
    const int to = std::string_view(k.text).find("$lb80") == std::string_view::npos ? 256 : 80;
    std::vector<std::vector<uint64_t>> expected;
    for_each_l1b(config, [&](UnitCoord u) {
      auto mem = lab.lws(Mem::kL1bm, u, 0, 512);
      for (int src : l1b_set(k.b0, k.i)) {
        if (src >= config.l1bs_per_l2b || (u.b & k.i) != (src & k.i)) continue;
        const auto from = lab.lws(Mem::kL1bm, {u.g, u.s, src}, 64, 64);
        std::copy(from.begin(), from.end(), mem.begin() + to);
      }
      expected.push_back(mem);
    });
    lab.run(k.text);
    size_t index = 0;
    for_each_l1b(config, [&](UnitCoord u) { EXPECT_EQ(lab.lws(Mem::kL1bm, u, 0, 512), expected[index++]); });
  }
}

// PEs that read in the step of an l2bmi see the L1BM as it was; PEs that write come too late for it.
TEST_P(Transfer, L2bmiMeetsTheOldL1bm) {
  for_each_l1b(config, [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, random_lws(rng, 256)); });
  for_each_pe(config, [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, random_lws(rng, 4)); });
  std::vector<std::vector<uint64_t>> old;
  for_each_l1b(config, [&](UnitCoord u) { old.push_back(lab.lws(Mem::kL1bm, u, 0, 256)); });
  lab.run("l2bmi@0/0 $lb0 $lb64; l1bmp $lb64 $lr0v\nnop/3\nl2bmi@1/0 $lb0 $lb128; l1bmm@0 $lm0v $lb0");
  size_t index = 0;
  for_each_l1b(config, [&](UnitCoord u) {
    const auto n = static_cast<size_t>(config.l1bs_per_l2b);
    const size_t first = index / n * n;
    for (size_t c = 0; c < 4; ++c) EXPECT_EQ(lab.lw(Mem::kGrf0, u, static_cast<int64_t>(c)), old[index][64 + c]);
    for (size_t k = 0; k < 64; ++k) {
      EXPECT_EQ(lab.lw(Mem::kL1bm, u, static_cast<int64_t>(64 + k)), old[first][k]);
      EXPECT_EQ(lab.lw(Mem::kL1bm, u, static_cast<int64_t>(128 + k)), old[first + 1][k]);
    }
    EXPECT_EQ(lab.lw(Mem::kL1bm, u, 1), lab.lw(Mem::kLm0, {u.g, u.s, u.b, 0, 1}, 0));
    ++index;
  });
}

// --- MV ------------------------------------------------------------------------------------------------------------

// State of PDM, DRAM and L2BM windows; a case edits `next` from `now` and the machine must agree.
struct Memories {
  std::map<std::string, std::vector<uint64_t>> at;
};
constexpr int kWindow = 2048, kBaseD = 1 << 20;

class Mv : public Transfer {
 protected:
  void SetUp() override {
    for (int g = 0; g < config.groups; ++g) {
      lab.set(Mem::kPdm, {g}, 0, random_lws(rng, kWindow));
      lab.set(Mem::kDram, {g}, kBaseD, random_lws(rng, kWindow));
      for (int s = 0; s < config.l2bs_per_group; ++s) lab.set(Mem::kL2bm, {g, s}, 0, random_lws(rng, kWindow));
    }
  }
  using P = std::vector<std::vector<uint64_t>>;
  struct State {
    P p, d;
    std::vector<P> c;  // [g][s]
  };
  State read() {
    State s;
    for (int g = 0; g < config.groups; ++g) {
      s.p.push_back(lab.lws(Mem::kPdm, {g}, 0, kWindow));
      s.d.push_back(lab.lws(Mem::kDram, {g}, kBaseD, kWindow));
      s.c.emplace_back();
      for (int t = 0; t < config.l2bs_per_group; ++t) s.c.back().push_back(lab.lws(Mem::kL2bm, {g, t}, 0, kWindow));
    }
    return s;
  }
  template <class F>
  void check(const char* text, F formula) {
    SCOPED_TRACE(text);
    const State old = read();
    State next = old;
    formula(old, next, config.groups.value, config.l2bs_per_group.value);
    lab.run(text);
    const State got = read();
    EXPECT_EQ(got.p, next.p);
    EXPECT_EQ(got.d, next.d);
    EXPECT_EQ(got.c, next.c);
  }
};
INSTANTIATE_TEST_SUITE_P(Machines, Mv, ::testing::Values("mncore2", "mncore2-tiny"),
                         [](const auto& p) { return std::string(p.param) == "mncore2" ? "full" : "tiny"; });

// clang-format off
#define FORMULA [](const State& o, State& n, int64_t G, int64_t S)

TEST_P(Mv, Single) {
  check("mvp/n128 $p64@0 $d1048640@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 128; ++k) n.d[0][64 + k] = o.p[0][64 + k]; });
  check("mvp/n64 $d1048704@0 $p256@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.p[0][256 + k] = o.d[0][128 + k]; });
  check("mvp/n64 $p64@0 $lc128@0.0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.c[0][0][128 + k] = o.p[0][64 + k]; });
  check("mvp/n64 $lc192@0.0 $p0@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.p[0][k] = o.c[0][0][192 + k]; });
  check("mvp/n64 $d1048576@0 $lc512@0.0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.c[0][0][512 + k] = o.d[0][k]; });
  check("mvp/n64 $lc0@0.0 $d1048832@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.d[0][256 + k] = o.c[0][0][k]; });
  check("mvp/n64 $p0@0 $p32@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.p[0][32 + k] = o.p[0][k]; });
  if (config.groups == 1) return;
  check("mvp/n64 $p64@1 $d1048640@3", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.d[3][64 + k] = o.p[1][64 + k]; });
  check("mvp/n64 $p64@2 $lc128@3.1", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.c[3][1][128 + k] = o.p[2][64 + k]; });
  check("mvp/n64 $lc64@2.1 $d1048576@0", FORMULA { (void)G, (void)S; for (int k = 0; k < 64; ++k) n.d[0][k] = o.c[2][1][64 + k]; });
}

TEST_P(Mv, Parallel) {
  check("mvp/n64 $p64 $lc128@.0", FORMULA { (void)S; for (int g = 0; g < G; ++g) for (int k = 0; k < 64; ++k) n.c[g][0][128 + k] = o.p[g][64 + k]; });
  check("mvp/n64 $lc192@.0 $p0", FORMULA { (void)S; for (int g = 0; g < G; ++g) for (int k = 0; k < 64; ++k) n.p[g][k] = o.c[g][0][192 + k]; });
  check("mvp/n1024 $d1048576 $lc512@.0", FORMULA { (void)S; for (int g = 0; g < G; ++g) for (int k = 0; k < 1024; ++k) n.c[g][0][512 + k] = o.d[g][k]; });
  check("mvp/n64 $lc0@.0 $d1048832", FORMULA { (void)S; for (int g = 0; g < G; ++g) for (int k = 0; k < 64; ++k) n.d[g][256 + k] = o.c[g][0][k]; });
  if (config.l2bs_per_group == 1) return;
  check("mvp/n64 $d1048576 $lc64@.1", FORMULA { (void)S; for (int g = 0; g < G; ++g) for (int k = 0; k < 64; ++k) n.c[g][1][64 + k] = o.d[g][k]; });
}

TEST_P(Mv, Broadcast) {
  check("mvb2/n128 $d1048640 $lc64", FORMULA { for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s) for (int k = 0; k < 128; ++k) n.c[g][s][64 + k] = o.d[g][64 + k]; });
  check("mvb/n64 $p64@0 $lc256", FORMULA { for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s) for (int k = 0; k < 64; ++k) n.c[g][s][256 + k] = o.p[0][64 + k]; });
  // C[g'][s][C+64i+16g+k] = D_g[D+16i+k], size counts an L2BM.
  check("mvb/n256 $d1048640 $lc64", FORMULA {
    for (int gg = 0; gg < G; ++gg) for (int s = 0; s < S; ++s) for (int g = 0; g < G; ++g)
      for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) n.c[gg][s][64 + 64 * i + 16 * g + k] = o.d[g][64 + 16 * i + k];
  });
}

// C[g'][s][C+64i+16g+k] = D_g[D+32i+16s+k], size counts an L2BM.
TEST_P(Mv, BroadcastOfFour) {
  check("mvb4/n256 $d1048640 $lc64", FORMULA {
    for (int gg = 0; gg < G; ++gg) for (int s = 0; s < S; ++s) for (int g = 0; g < G; ++g)
      for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) n.c[gg][s][64 + 64 * i + 16 * g + k] = o.d[g][64 + 32 * i + 16 * s + k];
  });
  check("mvnop", FORMULA { (void)o, (void)n, (void)G, (void)S; });
}

// Wrapping sums: order and grouping do not matter, every input does.
TEST_P(Mv, Reduce) {
  check("mvr2liadd/n128 $lc64 $d1048704", FORMULA {
    for (int g = 0; g < G; ++g) for (int k = 0; k < 128; ++k) {
      n.d[g][128 + k] = 0;
      for (int s = 0; s < S; ++s) n.d[g][128 + k] += o.c[g][s][64 + k];
    }
  });
  check("mvr2liadd/n64 $lc128 $p192", FORMULA {
    for (int g = 0; g < G; ++g) for (int k = 0; k < 64; ++k) {
      n.p[g][192 + k] = 0;
      for (int s = 0; s < S; ++s) n.p[g][192 + k] += o.c[g][s][128 + k];
    }
  });
  check("mvr4liadd/n256 $lc64 $d1048640", FORMULA {
    for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s) for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) {
      uint64_t sum = 0;
      for (int gg = 0; gg < G; ++gg) sum += o.c[gg][s][64 + 64 * i + 16 * g + k];
      n.d[g][64 + 32 * i + 16 * s + k] = sum;
    }
  });
  check("mvrliadd/n128 $lc64 $p256@0", FORMULA {
    for (int k = 0; k < 128; ++k) {
      n.p[0][256 + k] = 0;
      for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s) n.p[0][256 + k] += o.c[g][s][64 + k];
    }
  });
  check("mvrliadd/n256 $lc64 $d1048640", FORMULA {
    for (int g = 0; g < G; ++g) for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) {
      uint64_t sum = 0;
      for (int gg = 0; gg < G; ++gg) for (int s = 0; s < S; ++s) sum += o.c[gg][s][64 + 64 * i + 16 * g + k];
      n.d[g][64 + 16 * i + k] = sum;
    }
  });
}

// L2BM s of group g is input 2g+s of two nodes of four (ISA 4.3): 2^53 and 1 in one node lose the 1, in two nodes of
// which the first cancels they do not.
TEST_P(Mv, EightInputsAreTwoNodesOfFour) {
  if (config.groups == 1) return;
  const double big = 9007199254740992.0 * 64;
  const double values[8] = {big, -big, 0, 0, 1, 0, 0, 0}, far[8] = {big, 0, 0, 0, -big, 1, 0, 0};
  for (int g = 0; g < 4; ++g)
    for (int s = 0; s < 2; ++s) {
      lab.set(Mem::kL2bm, {g, s}, 0, std::vector<uint64_t>(64, dbl(values[2 * g + s])));
      lab.set(Mem::kL2bm, {g, s}, 64, std::vector<uint64_t>(64, dbl(far[2 * g + s])));
    }
  lab.run("mvrdfadd/n128 $lc0 $p0@2");
  EXPECT_EQ(lab.lw(Mem::kPdm, {2}, 5), dbl(1));
  EXPECT_EQ(lab.lw(Mem::kPdm, {2}, 69), dbl(0));
}

TEST_P(Mv, Distribute) {
  check("mvd/n512 $p128@0 $lc64", FORMULA {
    for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s)
      for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) n.c[g][s][64 + 16 * i + k] = o.p[0][128 + 128 * i + 16 * (2 * g + s) + k];
  });
  check("mvd/n256 $lc128 $p1024@0", FORMULA {
    for (int g = 0; g < G; ++g) for (int s = 0; s < S; ++s)
      for (int i = 0; i < 2; ++i) for (int k = 0; k < 16; ++k) n.p[0][1024 + 128 * i + 16 * (2 * g + s) + k] = o.c[g][s][128 + 16 * i + k];
  });
  check("mvd/n256 $p0@0 $d1048608", FORMULA {
    (void)S;
    for (int h = 0; h < G; ++h) for (int i = 0; i < 4; ++i) for (int k = 0; k < 16; ++k) n.d[h][32 + 16 * i + k] = o.p[0][64 * i + 16 * h + k];
  });
  check("mvd/n128 $d1048576 $p512@0", FORMULA {
    (void)S;
    for (int h = 0; h < G; ++h) for (int i = 0; i < 2; ++i) for (int k = 0; k < 16; ++k) n.p[0][512 + 64 * i + 16 * h + k] = o.d[h][16 * i + k];
  });
}

// clang-format on

TEST_P(Mv, AddressesWrapAtTheCapacity) {
  lab.set(Mem::kL2bm, {0, 0}, 32768 - 32, std::vector<uint64_t>(32, 5));
  lab.set(Mem::kL2bm, {0, 0}, 0, std::vector<uint64_t>(32, 6));
  lab.run("mvp/n64 $lc32736@0.0 $p0@0");
  EXPECT_EQ(lab.lw(Mem::kPdm, {0}, 31), 5u);
  EXPECT_EQ(lab.lw(Mem::kPdm, {0}, 32), 6u);
}

// --- the published round trip --------------------------------------------------------------------------------------

// imm -> LM1 -> l1bmd -> l2bmd -> mvp without selectors: a uniform value arrives in DRAM (ISA 4.2 [E]).
TEST_P(Transfer, UniformValueReachesDram) {
  const auto dumps = lab.run(
      "imm ui\"0x01234567\" $ln0v\nnop/2\nl1bmd $ln0v $lb0\nnop/3\nl2bmd $lb0 $lc0\nnop\nmvp/n64 $lc0 $d0\nd getd "
      "$d0n0 1");
  EXPECT_EQ(dumps, std::vector<std::string>{"DEBUG-DRAM(n0,0):(3.5127e-303) (0x0123456701234567) #d getd $d0n0 1"});
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
