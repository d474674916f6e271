// Strict mode: definedness moves with the data, and what may not be undefined is reported.
#include <algorithm>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

using V = std::vector<uint64_t>;
using Names = std::vector<std::string>;

constexpr UnitCoord kPe0{0, 0, 0, 0, 0};

class Strict : public ::testing::Test {
 protected:
  Strict() : lab(tiny(), options()) {}
  static EmuOptions options() {
    EmuOptions o;
    o.strict = true;
    return o;
  }
  V defs(Mem mem, int64_t addr, int64_t count, UnitCoord u = kPe0) const {
    V out;
    for (int64_t i = 0; i < count; ++i) out.push_back(lab.def(mem, u, addr + i));
    return out;
  }
  // Defines LM0 rows 0..rows-1 of all PEs.
  void define(int rows, const char* mem = "m") {
    std::string payload;
    for (int i = 0; i < rows; ++i) payload += "3f8000003f800000";
    lab.run("d set $l" + std::string(mem) + "0 " + std::to_string(rows) + " " + payload);
  }
  Lab lab;
};

// --- propagation ----------------------------------------------------------------------------------------------------

TEST_F(Strict, NothingIsDefinedAtFirstAndWritesDefine) {
  EXPECT_EQ(defs(Mem::kLm0, 0, 2), (V{0, 0}));
  EXPECT_EQ(lab.def(Mem::kDram, {0}, 77), 0);
  lab.set(Mem::kLm0, kPe0, 1, 5);
  lab.run("d set $m1n0c0b0m0p0 1 1234567800000000\nr 0 00000004d 001 0000000000000000\nzero $lr0v");
  EXPECT_EQ(defs(Mem::kLm0, 0, 2), (V{0x3, 0xf}));
  EXPECT_EQ(lab.def(Mem::kDram, {0}, 77), 0xf);
  EXPECT_EQ(defs(Mem::kGrf0, 0, 5), (V{0xf, 0xf, 0xf, 0xf, 0}));
  lab.machine->reset();
  EXPECT_EQ(defs(Mem::kLm0, 0, 2), (V{0, 0}));
}

TEST_F(Strict, WithoutStrictModeEverythingCountsAsDefined) { EXPECT_EQ(Lab(tiny()).def(Mem::kLm0, kPe0, 0), 0xf); }

TEST_F(Strict, CopiesKeepLanes) {
  lab.run(
      "d set $m0n0c0b0m0p0 1 1234567800000000\nlpassa $llm0 $llr0\nlpassa $lm0 $t\nlpassa $m0 $lr4\nlpassa $m1 $lr6");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 4), (V{0xc, 0, 0xc, 0}));
  EXPECT_EQ(defs(Mem::kT, 0, 1), (V{0xc}));
}

TEST_F(Strict, ElementsNeedAllTheirBits) {
  // LM0 row 0: MSB word defined. Row 1: all.
  lab.run("d set $m0n0c0b0m0p0 1 1234567800000000");
  lab.set(Mem::kLm1, kPe0, 0, 1);
  lab.run(
      "ladd $lm0 $ln0 $lr0\niadd $lm0 $ln0 $lr2\nsadd $lm0 $ln0 $lr4\nfvadd $lm0 $ln0 $lr6\ndvadd $lm0 $ln0 "
      "$lr8\nhvpassa $lm0 $llr12");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 8), (V{0, 0xc, 0xc, 0xc, 0, 0, 0xf, 0}));
}

TEST_F(Strict, AbsorbingValuesDefine) {
  lab.set(Mem::kLm1, kPe0, 0, 0x0000ffff00001234);
  lab.run("land $lm0 $ln0 $lr0\nlor $lm0 $ln0 $lr2\nlxor $lm0 $ln0 $lr4");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 3), (V{0b1010, 0b0100, 0}));
}

TEST_F(Strict, ReluNeedsOnlyTheChosenSide) {
  lab.set(Mem::kLm1, kPe0, 0, singles(-1, 1));
  lab.run("frelu $ln0 $lm0 $lr0\nfrelu $lm0 $ln0 $lr2");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0xc, 0}));
}

TEST_F(Strict, HalfProductsFollowTheirElements) {
  lab.run("d set $m0n0c0b0m0p0 1 3e003e0000000000");
  define(1, "n");
  lab.run("zero $lls0\nhvfma $lm0 $ln0 $lls0 $llr0\nhvfmar $lm0 $ln0 $lls0 $lr8\nhvfma $ln0 $ln0 $llm16 $llr12");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0xf, 0}));
  EXPECT_EQ(defs(Mem::kGrf0, 4, 1), (V{0xc}));
  EXPECT_EQ(defs(Mem::kGrf0, 6, 2), (V{0, 0}));
}

TEST_F(Strict, DoubleAddendsPassWhereNoProductIsMade) {
  for (int p = 0; p < 4; ++p) lab.set(Mem::kLm1, {0, 0, 0, 0, p}, 0, dbl(1));
  lab.run("dvfmau $lm0 $lm0 $ln0 $lr0");
  for (int p = 0; p < 4; ++p) EXPECT_EQ(lab.def(Mem::kGrf0, {0, 0, 0, 0, p}, 0), p < 2 ? 0 : 0xf);
}

TEST_F(Strict, MasksMergeDefinedness) {
  lab.set(Mem::kLm1, kPe0, 0, V{0, 1, 0, 1});
  // omr1: 1 0 1 0 by cycle. Undefined data lands where the mask is 1, the old stays elsewhere.
  lab.run("lpassa $ln0v $omr1\nzero $lr0v\nlpassa $lm0v $lr0v/$imr1");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 4), (V{0, 0xf, 0, 0xf}));
  // Mask bits made from undefined data leave what they guard undefined.
  lab.run("lpassa $lm0v $omr2\nzero $ls0v\nzero $lr0v\nlpassa $lr0v $ls0v/$imr2");
  EXPECT_EQ(defs(Mem::kGrf1, 0, 4), (V{0, 0, 0, 0}));
  // Zero flush defines.
  lab.run("lpassa/0110 $lm0v $ls0v");
  EXPECT_EQ(defs(Mem::kGrf1, 0, 4), (V{0xf, 0, 0, 0xf}));
}

TEST_F(Strict, FlagsAreDefinedByElements) {
  lab.run("d set $m0n0c0b0m0p0 1 1234567800000000");
  lab.run("zero $llr0v\nipassa $lm0 $omr1\nzero $ls0v\nipassa $llr0v $lls0v/$llimr1");
  // ll: bits 0, 1 guard the words of the MSB long word. All cycles read $lm0, whose MSB word alone is defined; the LSB
  // element's two bits guard the LSB long word.
  EXPECT_EQ(defs(Mem::kGrf1, 0, 2), (V{0xf, 0}));
}

TEST_F(Strict, TransfersCarryDefinedness) {
  define(4);
  lab.run(
      "l1bmd $lm0v $lb0\nl1bmd $ln0v $lb256\nl2bmd $lb0 $lc0\nl2bmd $lb256 $lc256\nmvp/n64 $lc0@0.0 $d0@0\nmvp/n64 "
      "$lc256@0.0 $d64@0\nmvp/n128 $d0@0 $lc1024@0.0\nl2bmb $lc1024 $lb1024\nl2bmb $lc1088 $lb1088\nl1bmp $lb1024 "
      "$lr0v\nl1bmp $lb1088 $ls0v");
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 17), 0xf);
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 256 + 17), 0);
  EXPECT_EQ(lab.def(Mem::kDram, {0}, 3), 0xf);
  EXPECT_EQ(lab.def(Mem::kDram, {0}, 64 + 3), 0);
  EXPECT_EQ(defs(Mem::kGrf0, 0, 4, {0, 0, 1, 9, 2}), (V{0xf, 0xf, 0xf, 0xf}));
  EXPECT_EQ(defs(Mem::kGrf1, 0, 4, {0, 0, 1, 9, 2}), (V{0, 0, 0, 0}));
  EXPECT_EQ(lab.findings(), Names{});
}

TEST_F(Strict, ForwardingIsDefinedForOneStepOnly) {
  define(4);
  lab.run(
      "linc $lm0v $nowrite\nnop/3\nlpassa $aluf $lr0v\nfvadd $lm0v $lm0v $nowrite\nlinc $lm0v $nowrite\nlpassa $mauf "
      "$ls0v");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 1), (V{0xf}));
  EXPECT_EQ(defs(Mem::kGrf1, 0, 1), (V{0}));  // the MAU rested in between
  lab.run("fvadd $lm0v $lm0v $nowrite\nnoforward; linc $lm0v $nowrite\nlpassa $mauf $ls0v");
  EXPECT_EQ(defs(Mem::kGrf1, 0, 1), (V{0xf}));
}

TEST_F(Strict, WideResultsOfNarrowUnitsAreUndefinedAtTheLsbSide) {
  define(4);
  lab.run("lpassa $lm0v $t\nfvadd $lm0v $lm0v $t\nlpassa $t $llr0v");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0xf, 0}));
}

TEST_F(Strict, TheTurnaroundRegisterRemembersItsType) {
  define(4);
  lab.run("l1bmd $lm0v $lb256\nnoforward; l1bmm@3 $lm0v $lb0\nl1bmd $lbi $lr0v\nl1bmm@3 $lm0v $lb0\nl1bmd $lbi $ls0v");
  EXPECT_EQ(defs(Mem::kGrf0, 0, 1), (V{0xf}));
  EXPECT_EQ(defs(Mem::kGrf1, 0, 1), (V{0}));
}

// --- findings -------------------------------------------------------------------------------------------------------

TEST_F(Strict, ComputingOnGarbageIsNoFinding) {
  lab.run(
      "fvfma $lm0v $ln0v $lr0v $ls0v\nlinc $lm0v $t\nhbfn/9 $lm8v $lr8v\nhmwrite $lr8v $lx0\nhmmul $lx $lm8v "
      "$llr16v\nl1bmrffadd $lm0v $lb0\nl2bmrffadd $lb0 $lc0");
  EXPECT_EQ(lab.findings(), Names{});
}

TEST_F(Strict, UndefinedWordsInADump) {
  define(1);
  lab.run(
      "d getf $lm0n0c0b0m0p0 1\nd getf $lm0n0c0b0m0p0 2\nd get $m1n0c0b0m0p0 1\nd get $omr1n0c0b0m0p0 1\nd get $d0n0 "
      "1");
  EXPECT_EQ(lab.findings(), (Names{"undefined_dump", "undefined_dump", "undefined_dump"}));
  const auto all = lab.machine->findings();
  EXPECT_EQ(all[0].where.line, 2u);
  EXPECT_EQ(all[0].observed, "address 2 holds undefined bits");
  EXPECT_EQ(all[0].where.file, "test.vsm");

  auto quiet = options();
  quiet.strict_dumps = false;
  Lab other(tiny(), quiet);
  other.run("d getf $lm0n0c0b0m0p0 1");
  EXPECT_EQ(other.findings(), Names{});
}

TEST_F(Strict, UndefinedAddresses) {
  define(4);
  lab.run("lpassa $lmt $lr0v");
  EXPECT_EQ(lab.findings(), Names{"undefined_address"});
  lab.run("zero $t\nlpassa $lmt $lr0v");
  EXPECT_EQ(lab.findings().size(), 1u);
  lab.run("lpassa $ls0 $lnb\nlpassa $ln0 $lr0\nzero $nb\nlpassa $ln0 $lr0");
  EXPECT_EQ(lab.findings(), (Names{"undefined_address", "undefined_address"}));
}

TEST_F(Strict, OneFindingPerPlaceWithACount) {
  define(4);
  lab.run("lpassa $lmt $lr0v");
  const auto all = lab.machine->findings();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].headline, "undefined address at n0c0b0m0p0");
  EXPECT_EQ(all[0].bound.back(), (std::pair<std::string, std::string>{"count", "512"}));  // 128 PEs, 4 cycles
}

TEST_F(Strict, BlockConversionOfAMixture) {
  lab.set(Mem::kLm0, {0, 0, 1, 3, 2}, 0, halves(1, 2, 3, 4));  // one PE of four
  lab.run("hbfn/9 $lm0 $lr0");
  ASSERT_EQ(lab.findings(), Names{"undefined_conversion"});
  EXPECT_EQ(lab.machine->findings()[0].headline, "undefined conversion at n0c0b1m3p0");
  EXPECT_EQ(lab.def(Mem::kGrf0, {0, 0, 1, 3, 2}, 0), 0);
  for (int p = 0; p < 4; ++p) lab.set(Mem::kLm0, {0, 0, 1, 3, p}, 0, halves(1, 2, 3, 4));
  lab.run("hbfn/9 $lm0 $lr0");
  EXPECT_EQ(lab.findings().size(), 1u);
  EXPECT_EQ(lab.def(Mem::kGrf0, {0, 0, 1, 3, 2}, 0), 0xf);
}

class StrictMatrix : public Strict {
 protected:
  // Rows 0..rows-1 of x and the vector, in MAB 0.
  void load(int rows) {
    std::string zeros;
    for (int i = 0; i < 16; ++i) zeros += "3e003e003e003e00";
    const std::string pe = "n0c0b0m0";
    if (rows > 0)
      lab.run("d set $lm0" + pe + " " + std::to_string(rows) + " " + zeros.substr(0, static_cast<size_t>(16 * rows)));
    lab.run("d set $ln0" + pe + " 4 " + zeros.substr(0, 64));
    lab.run("hmwrite $llm0v $llx0\nhmwrite $llm16v $llx8");
  }
};

TEST_F(StrictMatrix, RowsOfPaddingOnlyLeaveTheirOutputsUndefined) {
  load(3);
  lab.run("hmmul $lx $ln0v $llr0v");
  EXPECT_EQ(lab.findings(), Names{});
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0xf, 0xc}));  // outputs 0, 1, 2 of 4
}

TEST_F(StrictMatrix, AHalfDefinedRowIsAFinding) {
  load(3);
  lab.run("d set $lm6n0c0b0m0p1 1 3e003e003e003e00\nhmwrite $llm0v $llx0\nhmmul $lx $ln0v $llr0v");
  EXPECT_EQ(lab.findings(), Names{"undefined_contraction"});
}

TEST_F(StrictMatrix, AHalfDefinedVectorIsAFinding) {
  load(16);
  lab.run(
      "d set $ln8n0c0b0m0p1 4 3e003e003e003e003e003e003e003e003e003e003e003e003e003e003e003e00\nhmmul $lx $ln8v "
      "$llr0v");
  EXPECT_EQ(lab.findings(), Names{"undefined_contraction"});
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0, 0}));
}

// A column takes one element of every row, defined or not.
TEST_F(StrictMatrix, ColumnsCarryTheDefinednessOfTheirRows) {
  load(3);
  lab.run("hmread $llx2 $lln64v\nhmread $lx15 $lr0v");
  EXPECT_EQ(lab.findings(), Names{});
  EXPECT_EQ(defs(Mem::kLm1, 32, 2), (V{0xe, 0xe}));
  EXPECT_EQ(defs(Mem::kLm1, 32, 2, {0, 0, 0, 0, 1}), (V{0, 0}));
  EXPECT_EQ(lab.def(Mem::kGrf0, kPe0, 0), 0xe);
  lab.run("gmread $lx0 $lr0v");
  EXPECT_EQ(lab.findings(), Names{"matrix_precision"});
}

TEST_F(StrictMatrix, AnUndefinedAddendIsNoFindingByItself) {
  load(16);
  lab.run("zero $llr0v\nhmfma $lx $ln0v $lls0v $llr0v");
  EXPECT_EQ(lab.findings(), Names{});
  EXPECT_EQ(defs(Mem::kGrf0, 0, 2), (V{0, 0}));
}

TEST_F(StrictMatrix, AMatrixUsedInAnotherPrecision) {
  load(16);
  lab.run("dmmulu $lx $ln0v $lr0v");
  const auto names = lab.findings();
  EXPECT_NE(std::find(names.begin(), names.end(), "matrix_precision"), names.end());
}

TEST_F(Strict, ReductionsOfAMixture) {
  lab.set(Mem::kLm0, {0, 0, 1, 5, 2}, 0, singles(1, 2));
  lab.run("l1bmrffadd $lm0 $lb0");
  ASSERT_EQ(lab.findings(), Names{"undefined_reduction"});
  EXPECT_EQ(lab.machine->findings()[0].headline, "undefined reduction at n0c0b1m0p2");
  for (int m = 0; m < 16; ++m) lab.set(Mem::kLm1, {0, 0, 1, m, 2}, 0, singles(1, 2));
  lab.run("l1bmrffadd $ln0 $lb16");
  EXPECT_EQ(lab.findings().size(), 1u);
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 16 + 2), 0xf);
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 16 + 1), 0);
  // L1B 0 has nothing there: a reduction over both L1Bs mixes, one over L1B 1 alone does not.
  lab.run("l2bmrffadd@1 $lb16 $lc0");
  EXPECT_EQ(lab.findings().size(), 1u);
  EXPECT_EQ(lab.def(Mem::kL2bm, {0, 0}, 2), 0xf);
  lab.run("l2bmrffadd@0/1 $lb16 $lc64");
  EXPECT_EQ(lab.findings().size(), 2u);
}

TEST_F(Strict, ReductionsOfGroupsAndPairs) {
  // MABs 4 to 7 of L1B 1 are defined, the others are not.
  for (int m = 4; m < 8; ++m) lab.set(Mem::kLm1, {0, 0, 1, m, 2}, 0, singles(1, 2));
  lab.run("l1bmr4ffadd $ln0 $lb16");
  EXPECT_EQ(lab.findings(), Names{});
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 16 + 4 + 2), 0xf);
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 1}, 16 + 2), 0);
  lab.set(Mem::kLm1, {0, 0, 1, 9, 2}, 0, singles(1, 2));
  lab.run("l1bmr4ffadd $ln0 $lb32");
  EXPECT_EQ(lab.findings(), Names{"undefined_reduction"});
  // Between L1Bs: definedness moves with the words; a pair of which one is undefined is a mixture.
  lab.run("l2bmi@1/0 $lb16 $lb128");
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 0}, 128 + 4 + 2), 0xf);
  EXPECT_EQ(lab.def(Mem::kL1bm, {0, 0, 0}, 128 + 2), 0);
  lab.run("l2bmr2ffadd $lb128 $lc0");
  EXPECT_EQ(lab.findings().size(), 1u);
  EXPECT_EQ(lab.def(Mem::kL2bm, {0, 0}, 4 + 2), 0xf);
  EXPECT_EQ(lab.def(Mem::kL2bm, {0, 0}, 16), 0);  // L1Bs 2 and 3 do not exist here
  lab.run("l2bmr2ffadd $lb16 $lc64");
  EXPECT_EQ(lab.findings().size(), 2u);
  lab.run("mvrffadd/n64 $lc0 $p0@0");
  EXPECT_EQ(lab.findings().size(), 2u);
  EXPECT_EQ(lab.def(Mem::kPdm, {0}, 4 + 2), 0xf);
  EXPECT_EQ(lab.def(Mem::kPdm, {0}, 4 + 1), 0);
}

TEST_F(Strict, LeakyReluNeedsTheSignOfXAndAllOfY) {
  lab.run("d set $m0n0c0b0m0p0 1 bf80000000000000\nd set $ln0n0c0b0m0p0 1 4000000040400000");
  lab.run("flrelud $lm0 $ln0 $lr0");
  EXPECT_EQ(lab.def(Mem::kGrf0, kPe0, 0), 0xc);
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0) >> 32, 0x3f800000u);
  lab.run("frsqrt $lm0 $lr0");
  EXPECT_EQ(lab.def(Mem::kGrf0, kPe0, 0), 0xc);
}

TEST_F(Strict, AddressesOutOfRangeOrMisaligned) {
  define(4);
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kT, u, 0, V{4094, 1, 0, 0}); });
  lab.run("lpassa $lmt2 $lr0v");
  EXPECT_EQ(lab.findings(), (Names{"address_out_of_range", "address_misaligned"}));
  lab.run("mvp/n64 $lc32736@0.0 $p0@0");
  EXPECT_EQ(lab.findings().size(), 3u);
  EXPECT_EQ(lab.findings().back(), "address_out_of_range");
}

// --- transfers in flight --------------------------------------------------------------------------------------------

TEST_F(Strict, WordsOfATaggedMvMustBeWaitedFor) {
  const std::string load = "mvp/n64i01 $d0@0 $lc0@0.0\n";
  lab.run(load + "l2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings(), Names{"word_in_flight"});
  EXPECT_EQ(lab.machine->findings()[0].observed, "tag i01 has not been waited for");
  lab.run("nop; wait i01\nl2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings().size(), 1u);
  // Another place, an untagged MV, a source that is only read: no finding.
  lab.run(load + "l2bmb $lc64 $lb0\nmvb2/n64 $d0 $lc512\nnop; wait i01");
  EXPECT_EQ(lab.findings().size(), 1u);
}

TEST_F(Strict, SourcesInFlightMayNotBeOverwritten) {
  lab.run("mvp/n64i02 $lc0@0.0 $d0@0\nl2bmd $lb0 $lc0");
  EXPECT_EQ(lab.findings(), Names{"word_in_flight"});
  lab.run("nop; wait i02\nl2bmd $lb0 $lc0\nmvp/n64i03 $lc0@0.0 $d0@0\nl2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings().size(), 1u);
}

TEST_F(Strict, OtherMvsAndDumpsAreChecked) {
  lab.run("d set $lc0n0c0 64 " + std::string(1024, '0') +
          "\nmvp/n64i02 $lc0@0.0 $d0@0\nd getd $d8n0 1\nmvb2/n64 $d0 $lc64");
  EXPECT_EQ(lab.findings(), (Names{"word_in_flight", "word_in_flight"}));
  // The tag is still open in the next run.
  lab.run("d getd $d8n0 1\nnop; wait i02\nd getd $d8n0 1");
  EXPECT_EQ(lab.findings().size(), 3u);
}

TEST_F(Strict, AWaitHoldsItsOwnStep) {
  lab.run("mvp/n64i01 $d0@0 $lc0@0.0\nl2bmb $lc0 $lb0; wait i01\nl2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings(), Names{});
}

TEST_F(Strict, MvsAreInOrderPerPort) {
  // The second MV shares DRAM 0 with the first: when it is over, so is the first.
  lab.run("mvp/n64i01 $d0@0 $lc0@0.0\nmvp/n64i02 $d64@0 $lc64@0.0\nnop; wait i02\nl2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings(), Names{});
  // An MV that shares no port tells nothing.
  lab.run("mvp/n64i01 $d0@0 $lc0@0.0\nmvp/n64i02 $p0@0 $p64@0\nnop; wait i02\nl2bmb $lc0 $lb0");
  EXPECT_EQ(lab.findings(), Names{"word_in_flight"});
}

TEST_F(Strict, RowsOfDiagnosticsAreDistinct) {
  Names codes, names;
  for (const DiagDef& d : diagnostics()) {
    EXPECT_EQ(d.code.substr(0, 2), "K4");
    codes.emplace_back(d.code);
    names.emplace_back(d.name);
  }
  for (Names* all : {&codes, &names}) {
    std::sort(all->begin(), all->end());
    EXPECT_EQ(std::adjacent_find(all->begin(), all->end()), all->end());
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
