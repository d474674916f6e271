// Object files: what is written is read back, in meaning and to the byte; anything else is refused with a code.
#include <gtest/gtest.h>

#include <random>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/object/object.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2 {
namespace {

isa::Program assembled(std::string_view text) {
  vsm::AsmResult r = vsm::assemble(text, "test.vsm");
  EXPECT_TRUE(r.ok()) << text;
  return std::move(r.program);
}

// One of each kind of statement, and instructions with every option.
constexpr std::string_view kEveryKind =
    "# a comment\n\nimm f\"0.5\" $lr0v\nmaskllnr 5\nfvfma -$lm0v $ln8v $lr16v $ls24v/0110; lpassa $mauf $t\nnop/2\n"
    "mvp/n64i02p1 $p0@0 $lc0@1.0\nl2bmb@0/3 $lc0 $lb0\nr 0 000000001 001 0000000000000000\nd set $lm0n0c0b0m0p0 1 "
    "00000000000000ff\nd getd $lm0n0c0b0m0p0 1\nlpassa $lm[0,8,4,2] $ln0v4\nwait i02; nop\nquit\n";

void expect_round_trip(const isa::Program& program, const std::string& what) {
  const std::string bytes = object::write_object(program);
  ASSERT_TRUE(object::is_object(bytes));
  auto read = object::read_object(bytes, "test.obj");
  ASSERT_TRUE(read.ok()) << render_text(read.error()) << what;
  ASSERT_TRUE(isa::same(*read, program)) << what;
  for (size_t i = 0; i < program.lines.size(); ++i)
    ASSERT_EQ(read->lines[i].source_line, program.lines[i].source_line) << what;
  ASSERT_EQ(object::write_object(*read), bytes) << what;
  // asm(dis(x)) == x: line numbers are those of the text then.
  const std::string text = isa::print(*read);
  ASSERT_TRUE(isa::same(assembled(text), program)) << what;
  ASSERT_EQ(isa::print(assembled(text)), text);
}

TEST(Object, EveryKindOfStatement) { expect_round_trip(assembled(kEveryKind), "every kind"); }

// A reduction and an ALU instruction may share their name.
TEST(Object, ReductionsAreRowsOfTheirOwn) {
  expect_round_trip(assembled("l1bmrdmax $lbf $lb768\ndmax $lr0v $ls0v $lm0v\n"), "max");
}

TEST(Object, EmptyProgram) { expect_round_trip({}, "empty"); }

TEST(Object, EveryRow) {
  std::string text;
  for (const isa::InsnDef& def : isa::rows()) text += std::string(def.example) + "\n";
  const isa::Program program = assembled(text);
  expect_round_trip(program, "examples");
}

TEST(Object, PublishedPrograms) {
  for (const auto& t : testing::read_transcripts("tests/transcripts")) expect_round_trip(assembled(t.program), t.name);
}

TEST(Object, ManyBlocks) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "fvfma $lm0v $ln8v $lr16v $ls24v; lpassa $mauf $t\nnop/" + std::to_string(i + 1) + "\n";
  expect_round_trip(assembled(text), "long");
}

TEST(Object, SmallerThanItsText) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "fvfma $lm" + std::to_string(i % 64 * 8) + "v $ln8v $lr16v $ls24v\n";
  EXPECT_LT(object::write_object(assembled(text)).size(), text.size());
}

TEST(Object, EveryChangedByteIsRefused) {
  const std::string bytes = object::write_object(assembled(kEveryKind));
  for (size_t i = 0; i < bytes.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string broken = bytes;
      broken[i] = static_cast<char>(broken[i] ^ 1 << bit);
      auto read = object::read_object(broken, "broken.obj");
      ASSERT_FALSE(read.ok()) << "byte " << i << " bit " << bit;
      ASSERT_NE(read.error().def, nullptr);
      ASSERT_FALSE(render_text(read.error()).empty());
    }
}

TEST(Object, EveryCutIsRefused) {
  const std::string bytes = object::write_object(assembled(kEveryKind));
  for (size_t n = 0; n < bytes.size(); ++n) ASSERT_FALSE(object::read_object(bytes.substr(0, n)).ok()) << n;
  ASSERT_FALSE(object::read_object(bytes + '\0').ok());
}

TEST(Object, AnotherVersionNamesBoth) {
  std::string bytes = object::write_object(assembled("nop\n"));
  bytes[object::kMagic.size()] = 7;
  auto read = object::read_object(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().def->name, "object_version");
  EXPECT_EQ(read.error().observed, "version 7");
  EXPECT_EQ(read.error().required, "version 1");
}

TEST(Object, TextAndObjectAreTold) {
  EXPECT_TRUE(object::read_program("nop\n").ok());
  EXPECT_TRUE(object::read_program(object::write_object(assembled("nop\n"))).ok());
  auto read = object::read_object("nop\n");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().def->name, "object_format");
}

}  // namespace
}  // namespace kumihimo::mncore2
