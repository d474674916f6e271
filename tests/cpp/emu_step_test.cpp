// Inside and between steps (ISA 3.2, 9.1): old values in the same step, forwarding, address modes, constants, widths.
#include <cmath>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

constexpr UnitCoord kPe0{0, 0, 0, 0, 0};
using V = std::vector<uint64_t>;

V four(uint64_t a, uint64_t b, uint64_t c, uint64_t d) { return {a, b, c, d}; }

// --- reads before writes --------------------------------------------------------------------------------------------

TEST(Step, ReadsSeeOldValues) {
  Lab lab;
  lab.set(Mem::kGrf0, kPe0, 0, four(singles(1, 1), singles(2, 2), singles(3, 3), singles(4, 4)));
  lab.set(Mem::kLm0, kPe0, 0, four(5, 6, 7, 8));
  lab.run("fvadd $lr0v $lr0v $lr0v; lpassa $lr0v $ls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(singles(2, 2), singles(4, 4), singles(6, 6), singles(8, 8)));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), four(singles(1, 1), singles(2, 2), singles(3, 3), singles(4, 4)));
  lab.run("linc $lm0v $lm0v");
  EXPECT_EQ(lab.lws(Mem::kLm0, kPe0, 0, 4), four(6, 7, 8, 9));
}

TEST(Step, UploadSendsOldValues) {
  Lab lab;
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kGrf0, u, 0, four(1, 2, 3, 4)); });
  lab.run("l1bmd $lr0v $lb0; linc $lr0v $lr0v");
  EXPECT_EQ(lab.lw(Mem::kL1bm, {0, 0, 1}, 64 + 4 * 9 + 2), 2u);
  EXPECT_EQ(lab.lw(Mem::kGrf0, {0, 0, 1, 9, 2}, 1), 3u);
}

TEST(Step, DownloadsOfTwoLevelsMeetTheOldL1bm) {
  Lab lab;
  for_each_l2b(tiny(), [&](UnitCoord u) { lab.set(Mem::kL2bm, u, 0, V(64, 22)); });
  for_each_l1b(tiny(), [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, V(64, 11)); });
  lab.run("l2bmb $lc0 $lb0; l1bmm $lb0 $lr0v\nl1bmm $lb0 $ls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, {0, 0, 1, 15, 3}, 0, 4), four(11, 11, 11, 11));
  EXPECT_EQ(lab.lws(Mem::kGrf1, {0, 0, 1, 15, 3}, 0, 4), four(22, 22, 22, 22));
}

TEST(Step, UploadsOfTwoLevelsMeetTheOldL1bm) {
  Lab lab;
  for_each_l1b(tiny(), [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, V(64, 11)); });
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, four(33, 33, 33, 33)); });
  lab.run("l2bm@0 $lb0 $lc0; l1bmd $lm0v $lb0");
  EXPECT_EQ(lab.lw(Mem::kL2bm, {0, 0}, 5), 11u);
  EXPECT_EQ(lab.lw(Mem::kL1bm, {0, 0, 0}, 5), 33u);
}

TEST(Step, MatrixWriteIsSeenByTheNextStepOnly) {
  Lab lab;
  // Row i of x holds the value i+1 at element 0 and zeros; then it is doubled beside a product that must use the old one.
  for (int p = 0; p < 4; ++p) {
    V rows, twice;
    for (int r = 0; r < 16; ++r) {
      rows.push_back(p == 0 ? halves(r + 1, 0, 0, 0) : 0);
      twice.push_back(p == 0 ? halves(2 * (r + 1), 0, 0, 0) : 0);
    }
    lab.set(Mem::kLm0, {0, 0, 0, 0, p}, 0, rows);
    lab.set(Mem::kLm0, {0, 0, 0, 0, p}, 16, twice);
    lab.set(Mem::kLm1, {0, 0, 0, 0, p}, 0, V(4, p == 0 ? halves(1, 0, 0, 0) : 0));
  }
  std::string text;
  for (int r = 0; r < 16; r += 4) {
    text += "hbfn/9 $lm" + std::to_string(2 * r) + "v $lr" + std::to_string(2 * r) + "v\n";
    text += "hbfn/9 $lm" + std::to_string(32 + 2 * r) + "v $lr" + std::to_string(32 + 2 * r) + "v\n";
  }
  text += "hbfn/9 $ln0v $ls64v\n";
  for (int r = 0; r < 16; r += 4) text += "hmwrite $lr" + std::to_string(2 * r) + "v $lx" + std::to_string(r) + "\n";
  text += "hmmul $lx $ls64v $lls0v; hmwrite $lr32v $ly0\n";
  for (int r = 0; r < 16; r += 4)
    text += "hmwrite $lr" + std::to_string(32 + 2 * r) + "v $lx" + std::to_string(r) + "\n";
  text += "hmmul $lx $ls64v $lls16v\n";
  lab.run(text);
  EXPECT_EQ(lab.lw(Mem::kGrf1, {0, 0, 0, 0, 2}, 0), singles(9, 10));
  EXPECT_EQ(lab.lw(Mem::kGrf1, {0, 0, 0, 0, 2}, 8), singles(18, 20));
}

// --- forwarding -----------------------------------------------------------------------------------------------------

TEST(Forwarding, HoldsTheLastResultThroughNopAndNoforward) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, four(10, 20, 30, 40));
  lab.run("linc $lm0v $nowrite\nnop/2\nlpassa $aluf $lr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(11, 21, 31, 41));
  lab.run("linc $lm0v $nowrite\nnoforward; ldec $lm0v $ls0v\nlpassa $aluf $lr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), four(9, 19, 29, 39));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(11, 21, 31, 41));
}

TEST(Forwarding, IsUpdatedWhenTheResultIsAlsoStored) {
  Lab lab;
  lab.set(Mem::kGrf0, kPe0, 0, V{0x42});
  lab.run("linc $lr0 $lm0\nlinc $aluf $ln0");
  EXPECT_EQ(lab.lw(Mem::kLm0, kPe0, 0), 0x43u);
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 0), 0x44u);
}

TEST(Forwarding, EveryUnitHasItsOwn) {
  Lab lab;
  for_each_l1b(tiny(), [&](UnitCoord u) { lab.set(Mem::kL1bm, u, 0, V(16, singles(7, 8))); });
  lab.set(Mem::kGrf0, kPe0, 0, four(singles(1, 2), singles(3, 4), singles(5, 6), singles(7, 8)));
  lab.run(
      "fvadd $lr0v $lr0v $nowrite; linc $lr0v $nowrite; l1bmm $lb0 $nowrite\nfvadd $mauf $lbf $ls0v; lpassa $aluf "
      "$ln0v");
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), four(singles(9, 12), singles(13, 16), singles(17, 20), singles(21, 24)));
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 0), singles(1, 2) + 1);
}

TEST(Forwarding, CarriesTheWholeDoubleLongWord) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4, 5, 6, 7, 8});
  lab.run("lpassa $llm0v $nowrite\nlpassa $aluf $llr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 8), (V{1, 2, 3, 4, 5, 6, 7, 8}));
}

// --- address modes --------------------------------------------------------------------------------------------------

TEST(Address, StridesAndFlatLists) {
  Lab lab;
  V memory;
  for (uint64_t i = 0; i < 64; ++i) memory.push_back(i);
  lab.set(Mem::kLm0, kPe0, 0, memory);
  lab.run(
      "lpassa $lm4 $lr0v\nlpassa $lm4v $lr8v\nlpassa $lm4v6 $lr16v\nlpassa $lm[40,2,2,8] $lr24v\n"
      "lpassa $lm0v $ls[0,20,4,20]\nlpassa $llm8v8 $llr32v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(2, 2, 2, 2));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 4, 4), four(2, 3, 4, 5));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 8, 4), four(2, 5, 8, 11));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 12, 4), four(20, 1, 1, 4));
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 0), 0u);
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 10), 3u);  // cycles 1 and 3: the later survives
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 2), 2u);
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 16, 8), (V{4, 5, 8, 9, 12, 13, 16, 17}));
}

TEST(Address, TIndirectReadsEachCyclesOwnAddress) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, four(dbl(0), dbl(1), dbl(2), dbl(3)));
  lab.set(Mem::kT, kPe0, 0, four(4, 2, 6, 0));
  lab.run("lpassa $lmt $ln0v");
  EXPECT_EQ(lab.lws(Mem::kLm1, kPe0, 0, 4), four(dbl(2), dbl(1), dbl(3), dbl(0)));
  // A written base and stride are added; PEs differ.
  V memory;
  for (uint64_t i = 0; i < 64; ++i) memory.push_back(i);
  for (int p = 0; p < 4; ++p) {
    const UnitCoord u{0, 0, 1, 3, p};
    lab.set(Mem::kLm0, u, 0, memory);
    lab.set(Mem::kT, u, 0, V(4, static_cast<uint64_t>(2 * p)));
  }
  lab.run("lpassa $lmt8v $ln0v");
  for (int p = 0; p < 4; ++p) {
    const auto k = static_cast<uint64_t>(p);
    EXPECT_EQ(lab.lws(Mem::kLm1, {0, 0, 1, 3, p}, 0, 4), four(4 + k, 5 + k, 6 + k, 7 + k));
  }
}

TEST(Address, TIndirectStoreUsesTheOldT) {
  Lab lab;
  lab.set(Mem::kGrf0, kPe0, 0, four(6, 4, 2, 0));
  lab.set(Mem::kT, kPe0, 0, four(0, 2, 4, 6));
  lab.run("lpassa $lr0v $t $lmt16");
  EXPECT_EQ(lab.lws(Mem::kLm0, kPe0, 8, 4), four(6, 4, 2, 0));
  EXPECT_EQ(lab.lws(Mem::kT, kPe0, 0, 4), four(6, 4, 2, 0));
}

TEST(Address, JMovesTheFirstPesOn) {
  for (const bool at_least : {false, true}) {
    EmuOptions options;
    if (at_least) options.switches.j_select = num::JSelect::kAtLeast;
    Lab lab(tiny(), options);
    V memory;
    for (uint64_t i = 0; i < 64; ++i) memory.push_back(i);
    for (int p = 0; p < 4; ++p) lab.set(Mem::kLm0, {0, 0, 0, 0, p}, 0, memory);
    lab.run("lpassa $lm8vj1 $lr0v\nlpassa $lm0v $ln16j2");
    for (int p = 0; p < 4; ++p) {
      const auto moved = static_cast<uint64_t>((at_least ? p >= 1 : p <= 1) ? 1 : 0);
      EXPECT_EQ(lab.lws(Mem::kGrf0, {0, 0, 0, 0, p}, 0, 4), four(4 + moved, 5 + moved, 6 + moved, 7 + moved)) << p;
      const bool store_moved = at_least ? p >= 2 : p <= 2;
      EXPECT_EQ(lab.lw(Mem::kLm1, {0, 0, 0, 0, p}, store_moved ? 9 : 8), 3u) << p;
    }
  }
}

TEST(Address, BarShiftsEveryLaterAccess) {
  Lab lab;
  V memory;
  for (uint64_t i = 0; i < 64; ++i) memory.push_back(100 + i);
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kLm1, u, 0, memory); });
  // BAR1 = 4: $ln0 is row 2, in the next step also for the upload and for stores.
  lab.run("imm i\"4\" $lr0\nnop\nlpassa $lr0 $lnb\nlpassa $ln0v $ls0v\nl1bmm@0 $ln0v $lb0\nlpassa $ls0v $ln64v");
  const UnitCoord u{0, 0, 1, 4, 3};
  EXPECT_EQ(lab.lws(Mem::kGrf1, u, 0, 4), four(102, 103, 104, 105));
  EXPECT_EQ(lab.lw(Mem::kL1bm, u, 4 + 2), 103u);
  EXPECT_EQ(lab.lws(Mem::kLm1, u, 34, 4), four(102, 103, 104, 105));
  // The step that writes BAR still uses the old one; 12 bits count; LM0 has its own.
  lab.run("imm i\"0x1000\" $lr0\nnop\nlpassa $lr0 $lnb\nlpassa $ln0v $ls8v");
  EXPECT_EQ(lab.lws(Mem::kGrf1, u, 4, 4), four(100, 101, 102, 103));
}

TEST(Address, AStoreBesideABarWriteUsesTheOldBar) {
  Lab lab;
  lab.set(Mem::kGrf0, kPe0, 0, four(0x0000000800000000, 0x0000000800000000, 0x0000000800000000, 0x0000000800000000));
  lab.run("lpassa $lr0v $lnb $ln64v\nlpassa $lr0v $ln128v");
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 32), 0x0000000800000000u);
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 64), 0u);
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 64 + 4), 0x0000000800000000u);
}

TEST(Address, BarDiffersBetweenPes) {
  Lab lab;
  V memory;
  for (uint64_t i = 0; i < 64; ++i) memory.push_back(i);
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, memory); });
  lab.run("ilsl $peid $t $nowrite");                                        // leaves T untouched
  lab.run("imm i\"1\" $t\nnop\nilsl $subpeid $t $mb\nlpassa $lm8v $lr0v");  // BAR0 = 2 * PE
  for (int p = 0; p < 4; ++p) {
    const auto k = static_cast<uint64_t>(p);
    EXPECT_EQ(lab.lws(Mem::kGrf0, {0, 0, 0, 2, p}, 0, 4), four(4 + k, 5 + k, 6 + k, 7 + k));
  }
}

TEST(Address, SumsWrapAtTheCapacity) {
  Lab lab;
  V memory;
  for (uint64_t i = 0; i < 2048; ++i) memory.push_back(i);
  lab.set(Mem::kLm0, kPe0, 0, memory);
  lab.set(Mem::kT, kPe0, 0, four(4094, 0, 4095, 5));
  lab.run("lpassa $lmt2 $lr0v");  // 4096 wraps to 0; 5+2 is cut to 6
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(0, 1, 0, 3));
}

// --- constants and widths -------------------------------------------------------------------------------------------

TEST(Operand, ConstantsNameTheUnit) {
  Lab lab(full());
  lab.run(
      "lpassa $l2bid $lr0\nlpassa $l1bid $lr2\nlpassa $mabid $lr4\nlpassa $peid $lr6\nlpassa $subpeid $lr8\nlpassa "
      "$msb1 $llr12\n"
      "ipassa $peid $llr16\nspassa $mabid $llr20\nipassa $msb1 $llr24\nhpassa $msb1 $lr28");
  for_each_pe(full(), [&](UnitCoord u) {
    const auto r = lab.lws(Mem::kGrf0, u, 0, 16);
    const auto l2b = static_cast<uint64_t>(2 * u.g + u.s), b = static_cast<uint64_t>(u.b),
               m = static_cast<uint64_t>(u.m), p = static_cast<uint64_t>(u.p), pe = 4 * m + p;
    const V expected = {l2b,
                        b,
                        m,
                        pe,
                        p,
                        0,
                        uint64_t{1} << 63,
                        uint64_t{1} << 63,
                        pe << 32 | pe,
                        pe << 32 | pe,
                        m * 0x0001000100010001,
                        m * 0x0001000100010001,
                        0x8000000080000000,
                        0x8000000080000000,
                        0x8000800080008000,
                        0};
    ASSERT_EQ(r, expected);
  });
}

TEST(Operand, ImmFillsWords) {
  Lab lab;
  lab.run("imm f\"1.0\" $llr0\nimmu i\"0x40000000\" $lls0\nimm s\"7\" $ln0");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 2), (V{0x3f8000003f800000, 0x3f8000003f800000}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 2), (V{0x4000000000000000, 0x4000000000000000}));
  EXPECT_EQ(lab.lw(Mem::kLm1, kPe0, 0), 0x0007000700070007u);
}

TEST(Operand, NarrowResultsStandAtTheMsbSide) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, four(dbl(1), dbl(2), dbl(3), dbl(4)));
  lab.run("dvpassar $lm0v $n0v");
  EXPECT_EQ(lab.lws(Mem::kLm1, kPe0, 0, 2), (V{singles(1, 2), singles(3, 4)}));
  lab.set(Mem::kLm0, kPe0, 0,
          {singles(1, 2), singles(3, 4), singles(5, 6), singles(7, 8), singles(9, 10), singles(11, 12), 0, 0});
  // r on a source rounds a double long word of singles; r on the opcode gives halves.
  lab.run("hvpassa $llm0vr $llr0v\nfvpassar $lm0v $s0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), four(singles(1, 2), singles(3, 4), singles(5, 6), singles(7, 8)));
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 0), halves(1, 2, 3, 4));
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 1), halves(5, 6, 7, 8));
}

TEST(Operand, WideningSources) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0,
          four(halves(1, 2, 3, 4), halves(5, 6, 7, 8), halves(9, 10, 11, 12), halves(13, 14, 15, 16)));
  lab.set(Mem::kLm1, kPe0, 0, four(singles(100, 200), singles(300, 400), singles(500, 600), singles(700, 800)));
  lab.run("fvadd $ln0v $m0ve $lr0v\ndvadd $n0ve -$n0ve $ls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4),
            four(singles(101, 202), singles(303, 404), singles(505, 606), singles(707, 808)));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), four(dbl(0), dbl(0), dbl(0), dbl(0)));
  lab.run("dvpassa $n0ve $ls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), four(dbl(100), dbl(200), dbl(300), dbl(400)));
}

TEST(Operand, WordOperandsCarryOneElement) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {singles(2, 3), singles(4, 5)});
  lab.set(Mem::kGrf0, kPe0, 1, V{singles(0, 10)});
  lab.run("fvmul $m0v $r3 $n0v");
  EXPECT_EQ(lab.lws(Mem::kLm1, kPe0, 0, 2), (V{singles(20, 30), singles(40, 50)}));
}

TEST(Operand, NarrowReadsFillTheMsbSideWithZerosBehind) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {0x1111222233334444, 0x5555666677778888});
  lab.run("lpassa $m0 $llr0\nlpassa $m1 $llr4\nlpassa $lm0 $llr8");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 6), (V{0x1111222200000000, 0, 0x3333444400000000, 0, 0x1111222233334444, 0}));
}

TEST(Operand, ShiftsBetweenPes) {
  Lab lab;
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, V(4, static_cast<uint64_t>(10 * u.m + u.p))); });
  lab.run("msl $lm0v $lr0v\nmsr $lm0v $ls0v");
  for_each_pe(tiny(), [&](UnitCoord u) {
    EXPECT_EQ(lab.lw(Mem::kGrf0, u, 0), static_cast<uint64_t>(10 * u.m + (u.p + 3) % 4));
    EXPECT_EQ(lab.lw(Mem::kGrf1, u, 0), static_cast<uint64_t>(10 * u.m + (u.p + 1) % 4));
  });
}

TEST(Alu, LeakyRelusScaleYWhereXIsNegative) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {singles(-3, 3)});
  lab.set(Mem::kLm1, kPe0, 0, {singles(-6, -6)});
  lab.run(
      "flrelud $lm0 $ln0 $lr0 $omr1\nflreluo $lm0 $ln0 $lr2\nfilrelud $lm0 $ln0 $lr4\nlpassa $ln0 $ls0/$imr1\n"
      "d get $omr1n0c0b0m0p0 1");
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), singles(-3, -6));
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 1), singles(-0.75, -6));
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 2), singles(-12, -6));
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 0), singles(0, -6)) << "flag: MSB of x is 0";
}

// The bits are not known (ISA 12 Q1); "about five bits", which three Newton steps make a single of, are.
TEST(Alu, RsqrtStartsNewtonSteps) {
  Lab lab;
  for (double x : {1.0, 2.0, 3.5, -0.3, 1e-20, 7e19}) {
    lab.set(Mem::kLm0, kPe0, 0, {dbl(x), singles(x, -x), halves(2, 9, 0.25, 100)});
    lab.run("drsqrt $lm0 $lr0\nfrsqrt $lm2 $lr2\nhrsqrt $lm4 $lr4");
    const double exact = 1 / std::sqrt(std::fabs(x));
    EXPECT_NEAR(num::to_double(num::kDouble, lab.lw(Mem::kGrf0, kPe0, 0)) / exact, 1, 1.0 / 32);
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(single_at(lab.lw(Mem::kGrf0, kPe0, 1), k) / exact, 1, 1.0 / 32);
    constexpr double kHalf[4] = {2, 9, 0.25, 100};
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(half_at(lab.lw(Mem::kGrf0, kPe0, 2), k) * std::sqrt(kHalf[k]), 1, 1.0 / 32);
  }
}

TEST(Operand, AluCopiesTheLsbLongWordOfX) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4, 5, 6, 7, 8});
  lab.run("linc $llm0v $llr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 8), (V{2, 2, 4, 4, 6, 6, 8, 8}));
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
