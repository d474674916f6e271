// Masks (ISA 3.3): write masks of both widths, single-line and multi-line, flags into mask registers, zero flush.
#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

constexpr UnitCoord kPe0{0, 0, 0, 0, 0}, kPe1{0, 0, 1, 7, 1};
constexpr uint64_t kOnes = 0xffffffffffffffff;

// Writes four cycles of flags into $omr<n> of every PE: bit pattern per cycle, as halves that are zero where the flag
// shall be 1 (spassa: flag = element is 0).
std::string flags(int n, std::initializer_list<int> nibbles) {
  std::string payload;
  for (int f : nibbles)
    for (int k = 3; k >= 0; --k) payload += (f >> k & 1) ? "0000" : "0001";
  return "d set $ln64 4 " + payload + "\nspassa $ln64v $omr" + std::to_string(n) + "\n";
}

TEST(Mask, FlagsBecomeMaskBitsOfTheirElements) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {0x0000000000000000, 0x0000000000000001, 0x0000000100000000, 0x0001000000010000});
  const auto dumps = lab.run(
      "lpassa $lm0v $omr1\nipassa $lm0v $omr2\nspassa $lm0v $omr3\n"
      "d get $omr1n0c0b0m0p0 1\nd get $omr2n0c0b0m0p0 1\nd get $omr3n0c0b0m0p0 1\nd get $omr16n0c0b0m0p0 1\nd get "
      "$omr28n0c0b0m0p0 1");
  const auto masks = [&](size_t from) {
    std::vector<std::string> out;
    for (size_t i = from; i < from + 4; ++i)
      out.push_back(dumps[i].substr(dumps[i].find("Mask"), dumps[i].find(" #") - dumps[i].find("Mask")));
    return out;
  };
  using V = std::vector<std::string>;
  EXPECT_EQ(masks(0), (V{"Mask{15}", "Mask{0}", "Mask{0}", "Mask{0}"}));
  EXPECT_EQ(masks(4), (V{"Mask{15}", "Mask{12}", "Mask{3}", "Mask{0}"}));
  EXPECT_EQ(masks(8), (V{"Mask{15}", "Mask{14}", "Mask{11}", "Mask{5}"}));
  EXPECT_EQ(masks(12), (V{"Mask{0}", "Mask{0}", "Mask{0}", "Mask{0}"}));
  EXPECT_EQ(masks(16), (V{"Mask{15}", "Mask{15}", "Mask{0}", "Mask{0}"}));  // 28 = 1100: cycles 0 and 1
}

TEST(Mask, LWidthSelectsHalvesOfTheMsbLongWord) {
  Lab lab;
  for (const UnitCoord u : {kPe0, kPe1}) lab.set(Mem::kLm0, u, 0, std::vector<uint64_t>(8, kOnes));
  lab.run(flags(1, {0b1010, 0b0001, 0b0000, 0b1111}) + "lpassa $llm0v $llr0v/$imr1");
  for (const UnitCoord u : {kPe0, kPe1}) {
    EXPECT_EQ(lab.lw(Mem::kGrf0, u, 0), 0xffff0000ffff0000);
    EXPECT_EQ(lab.lw(Mem::kGrf0, u, 2), 0x000000000000ffff);
    EXPECT_EQ(lab.lw(Mem::kGrf0, u, 4), 0u);
    EXPECT_EQ(lab.lw(Mem::kGrf0, u, 6), kOnes);
    for (int lsb : {1, 3, 5, 7})
      EXPECT_EQ(lab.lw(Mem::kGrf0, u, lsb), kOnes) << "an l mask does not reach the LSB long word";
  }
}

TEST(Mask, LlWidthSelectsWordsOfTheDoubleLongWord) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, std::vector<uint64_t>(8, kOnes));
  lab.run(flags(2, {0b1010, 0b0001, 0b0000, 0b1111}) + "lpassa $llm0v $llr0v/$llimr2");
  const auto got = lab.lws(Mem::kGrf0, kPe0, 0, 8);
  EXPECT_EQ(got,
            (std::vector<uint64_t>{0xffffffff00000000, 0xffffffff00000000, 0, 0x00000000ffffffff, 0, 0, kOnes, kOnes}));
}

TEST(Mask, WordDestinationsUseTheBitsOfTheMsbWord) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, std::vector<uint64_t>(4, 0x1111222233334444));
  lab.set(Mem::kGrf0, kPe0, 0, std::vector<uint64_t>(2, kOnes));
  lab.set(Mem::kGrf1, kPe0, 0, std::vector<uint64_t>(2, kOnes));
  // MSB word of each cycle to words 0..3. l: H0, H1; ll: W0.
  lab.run(flags(1, {0b1011, 0b0111, 0b0011, 0b1100}) + "lpassa $lm0v $r0v/$imr1\nlpassa $lm0v $s0v/$llimr1");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 2), (std::vector<uint64_t>{0x1111ffffffff2222, 0xffffffff11112222}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 2), (std::vector<uint64_t>{0x11112222ffffffff, 0xffffffff11112222}));
}

TEST(Mask, FixedPatternsNameCycles) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run("lpassa $lm0v $lr0v/1000\nlpassa $lm0v $ls0v/0101\nlpassa $lm0v $r64v/0011");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{1, 0, 0, 0}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), (std::vector<uint64_t>{0, 2, 0, 4}));
}

TEST(Mask, AnLPatternDoesNotReachTheLsbLongWords) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4, 5, 6, 7, 8});
  lab.run("lpassa $llm0v $llr0v/1000\nlpassa $llm0v $lls0v/ll1000");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 8), (std::vector<uint64_t>{1, 2, 0, 4, 0, 6, 0, 8}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 8), (std::vector<uint64_t>{1, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(Mask, AMaskedMaskRegisterWriteUsesItsOldContents) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {0, 0, 9, 9});
  lab.set(Mem::kLm0, kPe0, 4, {1, 0, 0, 0});
  // Flags 1 1 0 0; then flags 0 1 1 1 where the old ones are 1: 0 1 0 0.
  const auto dumps = lab.run("lpassa $lm0v $omr1\nlpassa $lm8v $omr1/$imr1\nd get $omr1n0c0b0m0p0 1");
  const char* expected[] = {"Mask{0}", "Mask{15}", "Mask{0}", "Mask{0}"};
  for (size_t i = 0; i < 4; ++i) EXPECT_NE(dumps[i].find(expected[i]), std::string::npos) << dumps[i];
}

TEST(Mask, WithoutVTheLastWrittenCycleSurvives) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run("lpassa $lm0v $lr0\nlpassa $lm0v $lr2/1100");
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), 4u);
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 1), 2u);
}

TEST(Mask, MultiLineStatementMasksTheNamedMemoriesUntilReplaced) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run(
      "maskr 24\nlpassa $lm0v $lr0v $ls0v $ln0v $t\nmask 0\nlpassa $lm0v $lr16v\nmaskst 18\nlpassa $lm0v $lr32v "
      "$ls32v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{1, 0, 0, 0}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(lab.lws(Mem::kLm1, kPe0, 0, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(lab.lws(Mem::kT, kPe0, 0, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 8, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 16, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 16, 4), (std::vector<uint64_t>{0, 0, 3, 0}));
}

TEST(Mask, SingleLineMaskOverridesTheStatement) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run("maskr 24\nlpassa $lm0v $lr0v/0001\nlpassa $lm0v $lr16v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{0, 0, 0, 4}));
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 8, 4), (std::vector<uint64_t>{1, 0, 0, 0}));
}

TEST(Mask, TheStatementStaysInForceInTheNextRun) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run("maskr 24");
  lab.run("lpassa $lm0v $lr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{1, 0, 0, 0}));
  lab.machine->reset();
  lab.set(Mem::kLm0, kPe0, 0, {1, 2, 3, 4});
  lab.run("lpassa $lm0v $lr0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{1, 2, 3, 4}));
}

TEST(Mask, AMaskRegisterShowsItsNewContentsInTheNextStep) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {0, 0, 7, 7});
  lab.set(Mem::kGrf0, kPe0, 0, {9, 9, 9, 9});
  lab.set(Mem::kGrf1, kPe0, 0, {9, 9, 9, 9});
  // $omr1 is written and used as mask in one step: the old flags (0) count there, the new ones in the next.
  lab.run("lpassa $lm0v $omr1 $lr0v/$imr1\nlpassa $lm0v $ls0v/$imr1");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{9, 9, 9, 9}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), (std::vector<uint64_t>{0, 0, 9, 9}));
  lab.set(Mem::kLm0, kPe0, 0, {5, 0, 0, 6});
  lab.set(Mem::kLm0, kPe0, 4, {1, 2, 3, 4});
  lab.run("lpassa $lm0v $omr1\nlpassa $lm8v $lr0v/$imr1");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{9, 2, 3, 9}));
}

TEST(Mask, MaskedWriteToAMaskRegisterKeepsOldFlags) {
  Lab lab;
  // omr1 = 1100 by cycle; omr2 = flags of {0,1,0,1} where omr1 allows, old flags (1 1 1 1) elsewhere.
  lab.set(Mem::kLm0, kPe0, 0, {0, 0, 9, 9});
  lab.set(Mem::kLm0, kPe0, 4, {0, 1, 0, 1});
  const std::string setup = "zero $lr0v\nlpassa $lr0v $omr2\n";
  const auto dumps = lab.run("lpassa $lm0v $omr1\n" + setup + "lpassa $lm8v $omr2/$imr1\nd get $omr2n0c0b0m0p0 1");
  ASSERT_EQ(dumps.size(), 4u);
  const char* expected[] = {"Mask{15}", "Mask{0}", "Mask{15}", "Mask{15}"};
  for (size_t i = 0; i < 4; ++i) EXPECT_NE(dumps[i].find(expected[i]), std::string::npos) << dumps[i];

  EmuOptions options;
  options.switches.masked_omr_write = num::MaskedOmrWrite::kAnd;
  Lab other(tiny(), options);
  other.set(Mem::kLm0, kPe0, 0, {0, 0, 9, 9});
  other.set(Mem::kLm0, kPe0, 4, {0, 1, 0, 1});
  const auto anded = other.run("lpassa $lm0v $omr1\n" + setup + "lpassa $lm8v $omr2/$imr1\nd get $omr2n0c0b0m0p0 1");
  const char* expected_and[] = {"Mask{15}", "Mask{0}", "Mask{0}", "Mask{0}"};
  for (size_t i = 0; i < 4; ++i) EXPECT_NE(anded[i].find(expected_and[i]), std::string::npos) << anded[i];
}

TEST(Mask, ZeroFlushClearsBeforeWritingAndForwarding) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, std::vector<uint64_t>(8, kOnes));
  lab.run("lpassa/0110 $lm0v $lr0v\nlpassa $aluf $ls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 4), (std::vector<uint64_t>{0, kOnes, kOnes, 0}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 4), (std::vector<uint64_t>{0, kOnes, kOnes, 0}));
  // l: halves of the MSB long word only. ll: words of the double long word.
  lab.run(flags(1, {0b1000, 0b0100, 0b0010, 0b0001}) + "lpassa/$imr1 $llm0v $llr0v\nlpassa/$llimr1 $llm0v $lls0v");
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 8),
            (std::vector<uint64_t>{0xffff000000000000, kOnes, 0x0000ffff00000000, kOnes, 0x00000000ffff0000, kOnes,
                                   0x000000000000ffff, kOnes}));
  EXPECT_EQ(lab.lws(Mem::kGrf1, kPe0, 0, 8), (std::vector<uint64_t>{0xffffffff00000000, 0, 0x00000000ffffffff, 0, 0,
                                                                    0xffffffff00000000, 0, 0x00000000ffffffff}));
}

TEST(Mask, FlagsAreThoseBeforeZeroFlush) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {1, 1, 0, 0});
  const auto dumps = lab.run("lpassa/0011 $lm0v $omr1\nd get $omr1n0c0b0m0p0 1");
  const char* expected[] = {"Mask{0}", "Mask{0}", "Mask{15}", "Mask{15}"};
  for (size_t i = 0; i < 4; ++i) EXPECT_NE(dumps[i].find(expected[i]), std::string::npos) << dumps[i];
}

TEST(Mask, MauFlagsAreNotSignBits) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, {singles(1, -1), singles(-1, 1), singles(-1, -1), singles(0, 2)});
  lab.set(Mem::kLm1, kPe0, 0, {halves(1, -1, 1, -1), halves(-1, -1, -1, 1), halves(1, 1, 1, 1), halves(-1, 2, -1, 2)});
  lab.set(Mem::kGrf0, kPe0, 0, {dbl(1), dbl(-1), dbl(2), dbl(-3)});
  const auto dumps = lab.run(
      "fvpassa $lm0v $omr1\nhvpassa $ln0v $omr2\ndvpassa $lr0v $omr3\n"
      "d get $omr1n0c0b0m0p0 1\nd get $omr2n0c0b0m0p0 1\nd get $omr3n0c0b0m0p0 1");
  const int expected[] = {12, 3, 0, 15, 10, 1, 15, 5, 15, 0, 15, 0};
  ASSERT_EQ(dumps.size(), 12u);
  for (size_t i = 0; i < 12; ++i)
    EXPECT_NE(dumps[i].find("Mask{" + std::to_string(expected[i]) + "}"), std::string::npos) << i << " " << dumps[i];
}

TEST(Mask, MsbAndSubpeidSelectPes) {
  Lab lab;
  lab.run("zero $lr0v\nlxor $subpeid $lr0v $omr13\nimm i\"7\" $ls0v/$imr13");
  for_each_pe(tiny(), [&](UnitCoord u) { EXPECT_EQ(lab.lw(Mem::kGrf1, u, 0), u.p == 0 ? 0x0000000700000007u : 0u); });
}

TEST(Mask, MasksDoNotApplyToL1bmUploads) {
  Lab lab;
  for_each_pe(tiny(), [&](UnitCoord u) { lab.set(Mem::kLm0, u, 0, {1, 2, 3, 4}); });
  lab.run("maskm 24\nl1bmd $lm0v $lb0");
  EXPECT_EQ(lab.lw(Mem::kL1bm, {0, 0, 0}, 64), 2u);
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
