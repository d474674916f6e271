// The 292-bit words against the published field map (ISA 10.2), whose positions are written out here once more.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/words/words.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2 {
namespace {

words::Word word(std::string_view line) {
  vsm::AsmResult r = vsm::assemble(line);
  EXPECT_TRUE(r.ok()) << line;
  return words::encode(r.program.lines.at(0), {});
}
std::string bits(const words::Word& w, unsigned first, unsigned last) { return w.bits.substr(first, last - first + 1); }

TEST(Words, IdleWordHasThePublishedOnes) {
  std::set<size_t> ones{46, 65, 87, 209, 276, 277};
  for (size_t i = 190; i <= 200; ++i) ones.insert(i);
  for (size_t i : {213, 214, 215, 241, 242, 243}) ones.insert(i);
  const words::Word w = word("nop");
  ASSERT_EQ(w.bits.size(), 292u);
  for (size_t i = 0; i < 292; ++i) EXPECT_EQ(w.bits[i], ones.count(i) != 0 ? '1' : '0') << i;
  EXPECT_TRUE(w.unknown.empty());
}

TEST(Words, VectorFma) {
  const words::Word w = word("fvfma $lm6v $ln8v -$lr16v $ls24v");
  EXPECT_TRUE(w.unknown.empty());
  EXPECT_EQ(bits(w, 1, 1), "1");
  EXPECT_EQ(bits(w, 170, 173), "0110");  // f, calculation, no matrix
  EXPECT_EQ(bits(w, 188, 198),
            "00"
            "011"
            "100"
            "000");  // fma of LM0, LM1, GRF0
  EXPECT_EQ(bits(w, 182, 184), "001");
  EXPECT_EQ(bits(w, 110, 132),
            "000000000110"
            "00000000001");
  EXPECT_EQ(bits(w, 137, 138), "01");
  EXPECT_EQ(bits(w, 142, 164),
            "000000001000"
            "00000000001");
  EXPECT_EQ(bits(w, 47, 65),
            "000010000"
            "00000001"
            "01");
  EXPECT_EQ(bits(w, 66, 87),
            "1"
            "00"
            "000011000"
            "00000001"
            "01");
}

TEST(Words, AddAndPassUseSlotsOneAndThree) {
  EXPECT_EQ(bits(word("dvadd $lm0v $lr0v $ls0v"), 188, 198),
            "10"
            "011"
            "111"
            "000");
  EXPECT_EQ(bits(word("hvpassa $lr0v $lls0v"), 188, 198),
            "11"
            "000"
            "111"
            "111");
  EXPECT_EQ(bits(word("fvmul $lm0v $ln0v $ls0v"), 188, 198),
            "01"
            "011"
            "100"
            "111");
}

TEST(Words, MatrixWriteNamesRowAndSide) {
  const words::Word w = word("dmwrite $lr0v $lx2");
  EXPECT_EQ(bits(w, 170, 171), "00");
  EXPECT_EQ(bits(w, 175, 181),
            "1"
            "0010"
            "0"
            "1");
  EXPECT_EQ(bits(w, 190, 198),
            "111"
            "000"
            "111");
  EXPECT_EQ(bits(word("dmwrite $lr0v $ly0"), 181, 181), "0");
}

TEST(Words, ImmediateIsInPieces) {
  const words::Word w = word("imm i\"0xdeadbeef\" $lr0v");
  const uint32_t value =
      (std::stoul(bits(w, 199, 200), nullptr, 2) << 30) | (std::stoul(bits(w, 207, 212), nullptr, 2) << 24) |
      (std::stoul(bits(w, 213, 215), nullptr, 2) << 21) | (std::stoul(bits(w, 107, 109), nullptr, 2) << 18) |
      (std::stoul(bits(w, 133, 138), nullptr, 2) << 12) | std::stoul(bits(w, 110, 121), nullptr, 2);
  EXPECT_EQ(value, 0xdeadbeefu);
  EXPECT_EQ(bits(w, 201, 205), "11111");
  EXPECT_EQ(bits(w, 25, 27), "101");  // GRF0, from the ALU
}

TEST(Words, MasksOfFixedPatterns) {
  const words::Word w = word("lpassa $lm0v $lr0v/0110");
  EXPECT_EQ(bits(w, 2, 6), "10110");
  EXPECT_EQ(bits(w, 8, 13), "100000");
  EXPECT_EQ(bits(w, 201, 205), "01010");
}

TEST(Words, WhatIsNotPublishedIsNotGuessed) {
  const words::Word w = word("ladd $lm0v $lr0v $ls0v");
  EXPECT_EQ(bits(w, 201, 205), "?????");
  EXPECT_EQ(w.unknown, std::vector<std::string_view>{"ALU operation"});
  EXPECT_EQ(bits(word("l2bmb $lc0 $lb0"), 244, 291), std::string(48, '?'));
  EXPECT_EQ(bits(word("lpassa $lm0v $lr0v/$imr3"), 2, 6), "?????");
}

TEST(Words, EveryRowHasAWordOrANote) {
  for (const isa::InsnDef& def : isa::rows()) {
    vsm::AsmResult r = vsm::assemble(def.example);
    ASSERT_TRUE(r.ok()) << def.example;
    const std::string text = words::print(r.program);
    EXPECT_GT(std::ranges::count(text, '\n'), 1) << def.example;
    if (r.program.lines[0].kind == isa::LineKind::kPe) {
      EXPECT_EQ(words::encode(r.program.lines[0], {}).bits.size(), 292u);
    }
  }
}

TEST(Words, PublishedProgramsKeepTheirOtherLines) {
  for (const auto& t : testing::read_transcripts("tests/transcripts")) {
    vsm::AsmResult r = vsm::assemble(t.program);
    const std::string text = words::print(r.program);
    size_t gets = 0, seen = 0;
    for (const isa::Line& line : r.program.lines) gets += line.kind == isa::LineKind::kDebugGet;
    for (size_t at = 0; (at = text.find("\nd get", at)) != std::string::npos; ++at) ++seen;
    EXPECT_EQ(seen, gets) << t.name;
  }
}

}  // namespace
}  // namespace kumihimo::mncore2
