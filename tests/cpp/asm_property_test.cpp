// Laws of assembler, printer and checker on generated instructions and on broken text.
//
//   what check_line accepts assembles from its printed text to the same meaning, and prints the same again;
//   what check_line refuses does not assemble;
//   an object of lines has the same meaning as the lines, and so has the text of the object;
//   no bytes crash the assembler, and every error has a position.
//
// KUMIHIMO_LINES=1000000 generates that many lines instead of 60,000.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/object/object.h"
#include "tests/cpp/isa_random.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2 {
namespace {

using isa::Insn;
using isa::InsnDef;
using isa::Line;

TEST(AsmProperty, CheckerAndAssemblerAgreeOnGeneratedLines) {
  isa_test::Generator generate(20240607);
  int accepted = 0, refused = 0;
  std::set<const InsnDef*> covered;
  const char* asked = std::getenv("KUMIHIMO_LINES");
  const int lines = asked != nullptr ? std::atoi(asked) : 60000;
  isa::Program batch;
  for (int i = 0; i < lines; ++i) {
    const Line line = generate.line();
    const std::string text = isa::print(line);
    const bool legal = isa::check_line(line).ok();
    const vsm::AsmResult result = vsm::assemble(text, "generated.vsm");
    ASSERT_EQ(result.ok(), legal) << text << "\n"
                                  << (legal ? render_text(result.errors[0])
                                            : render_text(isa::check_line(line).error()));
    (legal ? accepted : refused) += 1;
    if (!legal) continue;
    for (const Insn& insn : line.insns) covered.insert(insn.def);
    ASSERT_EQ(result.program.lines.size(), 1u) << text;
    ASSERT_TRUE(isa::same(result.program.lines[0], line)) << text << "\n" << isa::print(result.program.lines[0]);
    ASSERT_EQ(isa::print(result.program.lines[0]), text);
    batch.lines.push_back(result.program.lines[0]);
    batch.lines.back().source_line = static_cast<uint32_t>(batch.lines.size());
    if (batch.lines.size() < 1000 && i + 1 < lines) continue;
    const std::string bytes = object::write_object(batch);
    auto read = object::read_object(bytes);
    ASSERT_TRUE(read.ok()) << render_text(read.error());
    ASSERT_TRUE(isa::same(*read, batch));
    ASSERT_EQ(object::write_object(vsm::assemble(isa::print(*read)).program), bytes);
    batch.lines.clear();
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 3000);
  for (const InsnDef& def : isa::rows()) {
    if (def.unit == isa::Unit::kWait) continue;
    EXPECT_TRUE(covered.count(&def) != 0) << def.name << " " << def.form;
  }
}

TEST(AsmProperty, BrokenTextIsRefusedWithPositions) {
  std::string seed;
  for (const auto& t : testing::read_transcripts("tests/transcripts")) seed += t.program.substr(0, 2000);
  seed +=
      "mvp/n64i02p1 $p0@0 $lc0@1.0\nl2bmb@0/3 $lc0 $lb0\nmaskllnr 5\nr 0 000000001 001 0000000000000000\nimm s\"-1\" "
      "$lr0\n";
  std::mt19937 rng(7);
  const std::string alphabet = "$lmnrstbcdpxyv0123456789@/.;-+\"#! \nefji[],\xff\x00";
  size_t errors = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = seed.substr(rng() % seed.size(), 1 + rng() % 600);
    for (unsigned k = 0, edits = 1 + rng() % 8; k < edits; ++k) {
      const size_t at = rng() % (text.size() + 1);
      switch (rng() % 4) {
        case 0: text.insert(at, 1, alphabet[rng() % alphabet.size()]); break;
        case 1:
          if (at < text.size()) text.erase(at, 1 + rng() % 5);
          break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(rng());
          break;
        default: text.insert(at, text.substr(rng() % (text.size() + 1), rng() % 30)); break;
      }
    }
    const vsm::AsmResult result = vsm::assemble(text, "broken.vsm");
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const Diagnostic& d : result.errors) {
      ++errors;
      ASSERT_TRUE(d.where.known() && d.where.line <= lines && d.where.column >= 1 &&
                  d.where.column < d.where.end_column);
      ASSERT_FALSE(d.headline.empty());
    }
    const std::string printed = isa::print(result.program);
    ASSERT_TRUE(vsm::assemble(printed).ok()) << printed;
    std::vector<hazard::Finding> findings = hazard::lint(result.program);
    for (hazard::Finding& f : hazard::advise(result.program)) findings.push_back(std::move(f));
    hazard::verify_mends(result.program, findings);
  }
  EXPECT_GT(errors, 300u);
}

// Several hundred thousand lines a second; the bound is loose, the figure is in the benchmark of the command line.
TEST(AsmProperty, LongProgramsAreRead) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "fvfma $lm0v $ln8v $lr16v $ls24v; lpassa $mauf $t\nnop/2\n";
  const vsm::AsmResult result = vsm::assemble(text);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.program.lines.size(), 40000u);
}

}  // namespace
}  // namespace kumihimo::mncore2
