// Published transcripts of the vendor's emulator, line for line, in process (ISA notes 11.1).
#include <gtest/gtest.h>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2 {
namespace {

std::vector<std::string> run(const std::string& text, emu::Order order) {
  auto assembled = vsm::assemble(text, "transcript");
  for (const Diagnostic& d : assembled.errors) ADD_FAILURE() << render_text(d);
  auto machine = emu::Machine::create(*find_machine("mncore2"), {.order = order});
  if (!machine) {
    ADD_FAILURE() << render_text(machine.error());
    return {};
  }
  std::vector<std::string> lines;
  emu::RunOptions options;
  options.sink = [&](std::string_view line) { lines.emplace_back(line); };
  auto report = (*machine)->run(assembled.program, options);
  if (!report) ADD_FAILURE() << render_text(report.error());
  return lines;
}

TEST(Transcripts, PrintThePublishedLines) {
  const auto transcripts = testing::read_transcripts("tests/transcripts");
  ASSERT_GE(transcripts.size(), 24u);
  for (const auto& t : transcripts) {
    ASSERT_FALSE(t.claim.empty() || t.source.empty() || t.expected.empty()) << t.name;
    for (auto order : {emu::Order::kSegments, emu::Order::kSteps})
      EXPECT_EQ(run(t.program, order), t.expected) << t.name << ": " << t.claim;
  }
}

// The printed form of a program is the same program.
TEST(Transcripts, SurvivePrinting) {
  for (const auto& t : testing::read_transcripts("tests/transcripts")) {
    const std::string printed = isa::print(vsm::assemble(t.program).program);
    EXPECT_EQ(run(printed, emu::Order::kSegments), t.expected) << t.name;
  }
}

}  // namespace
}  // namespace kumihimo::mncore2
