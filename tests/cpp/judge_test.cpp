// The judge. Formats of values are checked against their published definitions; the rules against the text of the
// contest (an answer's score is the count of its instruction lines, an error within one of the tolerances is no error).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "targets/mncore2/judge/dtype.h"
#include "targets/mncore2/judge/judge.h"
#include "targets/mncore2/judge/testcase.h"

namespace kumihimo::mncore2::judge {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double real(const char* dtype, uint64_t lw, int i = 0) { return decode(*find_dtype(dtype), lw, i).real; }

TEST(JudgeValues, FloatsOfEveryFormat) {
  EXPECT_EQ(real("Double", 0x3ff8'0000'0000'0000), 1.5);
  EXPECT_EQ(real("Float", 0x3fc0'0000'c000'0000, 0), 1.5);
  EXPECT_EQ(real("Float", 0x3fc0'0000'c000'0000, 1), -2.0);
  EXPECT_EQ(real("Half", 0x3e00'bf00'0000'0000, 0), 1.0);  // 1-6-9, bias 31
  EXPECT_EQ(real("Half", 0x3e00'bf00'0000'0000, 1), -1.5);
  EXPECT_EQ(real("E4M3", 0x3800'0000'0000'0000, 0), 1.0);
  EXPECT_EQ(real("E4M3", 0x0001'7e00'0000'0000, 1), std::ldexp(1.0, -9));  // the smallest one
  EXPECT_EQ(real("E4M3", 0x0001'7e00'0000'0000, 2), 448.0);                // the largest one
  EXPECT_EQ(real("E4M3", 0x7f00'0000'0000'0000, 0), kInf);
  EXPECT_EQ(real("E5M2", 0x3c01'7b00'0000'0000, 1), std::ldexp(1.0, -16));
  EXPECT_EQ(real("E5M2", 0x3c01'7b00'0000'0000, 2), 57344.0);
}

// The machine has neither subnormals nor NaN: an empty exponent is zero, a full one infinity (ISA 2.1).
TEST(JudgeValues, ZerosAndInfinitiesHaveManyPatterns) {
  for (uint64_t bits : {0x0000'0000ull, 0x8000'0000ull, 0x007f'ffffull, 0x8000'0001ull})
    EXPECT_EQ(real("Float", bits << 32), 0.0) << bits;
  EXPECT_EQ(real("Float", 0x7fc0'0001ull << 32), kInf);
  EXPECT_EQ(real("Half", 0xffff'0000'0000'0000), -kInf);
  EXPECT_EQ(real("Double", 0x000f'ffff'ffff'ffff), 0.0);
}

TEST(JudgeValues, Integers) {
  EXPECT_EQ(print(decode(*find_dtype("Int"), 0xffff'ffce'0000'0019, 0)), "-50");
  EXPECT_EQ(print(decode(*find_dtype("Int"), 0xffff'ffce'0000'0019, 1)), "25");
  EXPECT_EQ(print(decode(*find_dtype("UInt"), 0xffff'ffce'0000'0019, 0)), "4294967246");
  EXPECT_EQ(print(decode(*find_dtype("Long"), 0x8000'0000'0000'0000, 0)), "-9223372036854775808");
  EXPECT_EQ(print(decode(*find_dtype("Short"), 0x0001'8000'0000'0000, 1)), "-32768");
  EXPECT_EQ(print(decode(*find_dtype("UByte"), 0x00ff'0000'0000'0000, 1)), "255");
  EXPECT_EQ(print(decode(*find_dtype("String"), 0x4865'0a00'0000'0000, 1)), "'e'");
  EXPECT_EQ(print(decode(*find_dtype("String"), 0x4865'0a00'0000'0000, 2)), "'\\x0a'");
}

Value number(double v) { return {ValueKind::kFloat, v, 0}; }
Value integer(int64_t v) { return {ValueKind::kSigned, 0, static_cast<uint64_t>(v)}; }

TEST(JudgeValues, EitherToleranceSuffices) {
  EXPECT_TRUE(agrees(number(1.25), number(1.0), {0.25, 0}));
  EXPECT_FALSE(agrees(number(1.25), number(1.0), {0.125, 0.125}));
  EXPECT_TRUE(agrees(number(1.25), number(1.0), {0, 0.25}));
  EXPECT_TRUE(agrees(number(-0.0), number(0.0), {}));
  EXPECT_TRUE(agrees(integer(-3), integer(-5), {2, 0}));
  EXPECT_FALSE(agrees(integer(-3), integer(-5), {1, 0.25}));
  EXPECT_FALSE(
      agrees(integer(std::numeric_limits<int64_t>::min()), integer(std::numeric_limits<int64_t>::max()), {1e18, 0}));
}

TEST(JudgeValues, AnInfinityIsMetByItselfOnly) {
  EXPECT_TRUE(agrees(number(kInf), number(kInf), {}));
  EXPECT_FALSE(agrees(number(-kInf), number(kInf), {1e300, 1e300}));
  EXPECT_FALSE(agrees(number(1e38), number(kInf), {1e300, 1e300}));
  EXPECT_FALSE(agrees(number(kInf), number(1e38), {1e300, 1.0}));
}

// --- testcases and verdicts -----------------------------------------------------------------------------------------

std::string testcase(const std::string& output, const std::string& input = "") {
  return input + "# ======= YOUR VSM WILL BE INSERTED HERE =======\n# ======= Output =======\n" + output;
}

std::string refusal(const std::string& text) {
  auto t = read_testcase(text, "t.vsm");
  return t.ok() ? "read" : std::string(t.error().def->code) + " line " + std::to_string(t.error().where.line);
}

Verdict verdict(const std::string& text, const std::string& answer, const JudgeOptions& options = {}) {
  auto t = read_testcase(text, "t.vsm");
  if (!t.ok()) {
    ADD_FAILURE() << render_text(t.error());
    return {};
  }
  auto v = judge(*t, answer, "a.vsm", options);
  if (!v.ok()) ADD_FAILURE() << render_text(v.error());
  return v.ok() ? std::move(*v) : Verdict{};
}

constexpr const char* kOneLine = "d getd $lr0n0c0b0m0p0 1 # expect=[5, 5] / Int @[0,0],[0,1]\n";

TEST(JudgeTestcase, RefusesWithALine) {
  EXPECT_EQ(refusal(testcase(kOneLine)), "read");
  EXPECT_EQ(refusal(""), "K6101 line 1");
  EXPECT_EQ(refusal(testcase("")), "K6101 line 2");
  EXPECT_EQ(refusal(testcase(kOneLine) + "# ======= YOUR VSM WILL BE INSERTED HERE =======\n"), "K6101 line 4");
  EXPECT_EQ(refusal("# ======= Output =======\n# ======= YOUR VSM WILL BE INSERTED HERE =======\n"), "K6101 line 1");
  EXPECT_EQ(refusal(testcase(kOneLine, "nop\n")), "K6102 line 1");
  EXPECT_EQ(refusal(testcase(kOneLine, "d get $lm0n0c0b0m0p0 1\n")), "K6102 line 1");
  EXPECT_EQ(refusal(testcase(kOneLine, "r 0 000000000 001 12\n")), "K3009 line 1");
  EXPECT_EQ(refusal(testcase("nop\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase("d getd $lr0n0c0b0m0 1 # expect=[5, 5] / Int @[0],[1]\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase("d getf $lr0n0c0b0m0p0 1 # expect=[5, 5] / Int @[0],[1]\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase("d getd $lr0n0c0b0m0p0 2 # expect=[5, 5] / Int @[0],[1]\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase("quit\n" + std::string(kOneLine))), "K6103 line 3");
  const std::string head = "d getd $lr0n0c0b0m0p0 1 # expect=";
  EXPECT_EQ(refusal(testcase(head.substr(0, 24) + "\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "5 / Int @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[5 / Int @[0\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1, 2, 3] / Int @[0],[1]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1, x] / Int @[0],[1]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[2147483648] / Int @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[-2147483648] / Int @[0]\n")), "read");
  EXPECT_EQ(refusal(testcase(head + "[256] / UByte @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[-1] / UInt @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[nan] / Float @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1e999] / Float @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[-inf, +1e-3] / Float @[0],[1]\n")), "read");
  EXPECT_EQ(refusal(testcase(head + "[1] / Fload @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "\"ab\" / Float @[0],[1]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / String @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "\"a\\q\" / String @[0],[1]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "\"ab / String @[0],[1]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "\"\\x4\" / String @[0]\n")), "K6104 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / Int\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / Int @[-1]\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / Int @[0] atol=x\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / Int @[0] atol=-1\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1] / Int @[0] btol=1\n")), "K6103 line 3");
  EXPECT_EQ(refusal(testcase(head + "[1, 2] / Int @[0],[0,1]\n")), "K6105 line 3");
  EXPECT_EQ(refusal(testcase(kOneLine + head + "[1] / Float @[0,0]\n")), "K6105 line 4");
  EXPECT_EQ(refusal(testcase(kOneLine + head + "[1] / Int @[0,0] atol=1\n")), "K6105 line 4");
}

TEST(JudgeTestcase, EveryFaultOfTheOutputIsNamed) {
  auto t = read_testcase(testcase(std::string("nop\n") + kOneLine + "nop\nnop\n"), "t.vsm");
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.error().related.size(), 2u);
  EXPECT_EQ(t.error().related[1].where.line, 6u);
}

TEST(JudgeVerdict, AcceptsAndScores) {
  // Two PE lines, nop/3 counts three; an MV counts one (the published score is j + m).
  const Verdict v = verdict(testcase(kOneLine), "  imm i\"5\" $lr0  # comment\n\nmvp/n64 $p0@0 $d0@0\nnop/3 ! rest\n");
  EXPECT_TRUE(v.accepted());
  EXPECT_EQ(v.pe_lines, 4);
  EXPECT_EQ(v.mv_lines, 1);
  EXPECT_EQ(v.score(), 5);
  EXPECT_EQ(v.compared, 2u);
  EXPECT_EQ(v.bytes, static_cast<int64_t>(std::string("imm i\"5\" $lr0\nmvp/n64 $p0@0 $d0@0\nnop/3").size()));
}

TEST(JudgeVerdict, NamesTheFirstWrongValue) {
  auto t = read_testcase(testcase(kOneLine), "t.vsm");
  ASSERT_TRUE(t.ok());
  auto v = judge(*t, "imm i\"5\" $r0\n", "a.vsm", {});
  ASSERT_TRUE(v.ok());
  EXPECT_FALSE(v->accepted());
  EXPECT_EQ(v->wrong, 1u);
  ASSERT_EQ(v->mismatches.size(), 1u);
  const Diagnostic d = describe(v->mismatches[0], *t);
  EXPECT_EQ(d.def->code, "K6106");
  EXPECT_EQ(d.headline, "value [0,1] is wrong");
  EXPECT_EQ(d.observed, "0 (long word 0x0000000500000000, element 1)");
  EXPECT_EQ(d.required, "5 atol=0 rtol=0");
  EXPECT_EQ(d.where.line, 3u);
}

TEST(JudgeVerdict, InputsAreSetAndOldFilesRead) {
  const std::string text =
      "# ======= In(0): ((2_W:1))@LM0 / Int =======\nd set $lm0n0c0b0m0p0 1 0000000700000008 # values=[7, 8] / Int "
      "@[0],[1]\n"
      "r 0 000000001 001 0000000100000002\n"
      "# ======= YOUR VSM WILL BE INSERTED HERE =======\r\n"
      "# ======= Out(0): ((2_W:1))@LM1 / Int =======\n"
      "d getd $ln0n0c0b0m0p0 1 # expect=[8, 9] / Int @[0],[1]\n";
  EXPECT_TRUE(verdict(text, "iinc $lm0 $ln0\n").accepted());
  EXPECT_FALSE(verdict(text, "idec $lm0 $ln0\n").accepted());
  auto t = read_testcase(text, "t.vsm");
  EXPECT_EQ(t->title, "Out(0): ((2_W:1))@LM1 / Int");
}

TEST(JudgeVerdict, CodeBehindTheAnswerRunsAndIsNotScored) {
  const std::string text =
      "# ======= YOUR VSM WILL BE INSERTED HERE =======\niinc $lr0 $lr0\n# ======= Output =======\n" +
      std::string(kOneLine);
  const Verdict v = verdict(text, "imm i\"4\" $lr0\nnop/2\n");
  EXPECT_TRUE(v.accepted());
  EXPECT_EQ(v.score(), 3);
}

TEST(JudgeVerdict, Strings) {
  const std::string text =
      testcase("d getd $d0n0 1 # expect=\"Hi\\n\" / String @[0],[1],[2]\n", "r 0 000000000 001 48690A0000000000\n");
  EXPECT_TRUE(verdict(text, "nop\n").accepted());
  const std::string other =
      testcase("d getd $d0n0 1 # expect=\"HI\\n\" / String @[0],[1],[2]\n", "r 0 000000000 001 48690A0000000000\n");
  EXPECT_EQ(verdict(other, "nop\n").wrong, 1u);
}

TEST(JudgeVerdict, OnlyValuesWithAnIndexCount) {
  EXPECT_TRUE(verdict(testcase("d getd $lr0n0c0b0m0p0 1 # expect=[5, 5] / Int @[0]\n"), "imm i\"5\" $r0\n").accepted());
}

TEST(JudgeVerdict, DebugLinesOfTheAnswerAreLeftOut) {
  const std::string answer = "d set $lr0n0c0b0m0p0 1 0000000500000005\nd getd $lr0n0c0b0m0p0 1\nnop\n";
  const Verdict plain = verdict(testcase(kOneLine), answer);
  EXPECT_EQ(plain.wrong, 2u);
  EXPECT_EQ(plain.dropped_debug_lines, 2);
  JudgeOptions keep;
  keep.keep_set = keep.keep_get = true;
  const Verdict kept = verdict(testcase(kOneLine), answer, keep);
  EXPECT_EQ(kept.wrong, 0u);
  EXPECT_FALSE(kept.accepted());
  ASSERT_EQ(kept.refusals.size(), 1u);
  EXPECT_EQ(kept.refusals[0].def->code, "K6107");
  EXPECT_EQ(kept.user_dump.size(), 1u);
}

TEST(JudgeVerdict, AnAnswerPrintsNoGigabytes) {
  JudgeOptions keep;
  keep.keep_get = true;
  auto t = read_testcase(testcase(kOneLine), "t.vsm");
  auto v = judge(*t, "nop\nd getd $d0n0 99999\nd getd $lr0n0c0b0m0p0 2\n", "a.vsm", keep);
  ASSERT_FALSE(v.ok());
  EXPECT_EQ(v.error().where.line, 3u);
  EXPECT_NE(v.error().required.find("100000"), std::string::npos);
  EXPECT_EQ(verdict(testcase(kOneLine), "d getd $d0n0 99999\nd getd $lr0n0c0b0m0p0 1\n", keep).user_dump.size(),
            100000u);
}

TEST(JudgeVerdict, AnAnswerHasNoInputs) {
  auto t = read_testcase(testcase(kOneLine), "t.vsm");
  auto v = judge(*t, "nop\nr 0 000000000 001 0000000000000000\n", "a.vsm", {});
  ASSERT_FALSE(v.ok());
  EXPECT_EQ(v.error().def->code, "K6107");
  EXPECT_EQ(v.error().where.line, 2u);
}

// The vendor's assembler refuses a read that comes too early (ISA 9); the emulator would not notice.
TEST(JudgeVerdict, HazardsRefuse) {
  const Verdict v = verdict(testcase(kOneLine), "imm i\"4\" $lr0\niinc $lr0 $lr0\n");
  EXPECT_EQ(v.wrong, 0u);
  EXPECT_FALSE(v.accepted());
  ASSERT_EQ(v.refusals.size(), 1u);
  EXPECT_EQ(v.refusals[0].def->code, "K3202");
  EXPECT_EQ(v.refusals[0].where.line, 2u);
}

// A transfer of four gigabytes would run for minutes, to no known result.
TEST(JudgeVerdict, TransfersStayInTheirMemories) {
  const Verdict v = verdict(testcase(kOneLine), "nop\nmvp/n524288 $d0@0 $p64@0\n");
  EXPECT_FALSE(v.accepted());
  EXPECT_EQ(v.compared, 0u);
  ASSERT_EQ(v.refusals.size(), 1u);
  EXPECT_EQ(v.refusals[0].def->code, "K3213");
  EXPECT_EQ(v.refusals[0].where.line, 2u);
  const std::string text =
      "# ======= YOUR VSM WILL BE INSERTED HERE =======\nmvp/n64 $p524280@0 $d0@0\n# ======= Output =======\n";
  EXPECT_EQ(refusal(text + kOneLine), "K6101 line 2");
}

// Missing waits are not the vendor's to see, in neither tool; strict mode sees them.
TEST(JudgeVerdict, AMissingWaitRefusesInStrictMode) {
  const std::string text =
      testcase("d getd $lb0n0c0b0 1 # expect=[3] / Long @[0]\n", "r 0 000000000 001 0000000000000003\n");
  const std::string answer = "mvp/n64i01 $d0@0 $lc0@0.0\nnop\nl2bmb $lc0 $lb0\n";
  EXPECT_TRUE(verdict(text, answer).accepted());
  JudgeOptions strict;
  strict.emu.strict = true;
  const Verdict v = verdict(text, answer, strict);
  EXPECT_FALSE(v.accepted());
  EXPECT_EQ(v.wrong, 0u);
}

TEST(JudgeVerdict, UndefinedOutputRefusesInStrictMode) {
  const std::string text = testcase("d getd $lr0n0c0b0m0p0 1 # expect=[0, 0] / Int @[0],[1]\n");
  EXPECT_TRUE(verdict(text, "nop\n").accepted());
  JudgeOptions strict;
  strict.emu.strict = true;
  EXPECT_FALSE(verdict(text, "nop\n", strict).accepted());
  JudgeOptions poisoned;
  poisoned.emu.poison = 1;
  EXPECT_FALSE(verdict(text, "nop\n", poisoned).accepted());
}

}  // namespace
}  // namespace kumihimo::mncore2::judge
