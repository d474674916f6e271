// Mends: tried before they are offered, and a program computes the same with them. Expected values come from the emulator,
// which executes every instruction at once: distances and waits mean nothing to it.
#include <algorithm>
#include <map>

#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/isa/print.h"
#include "tests/cpp/emu_random.h"

namespace kumihimo::mncore2::hazard {
namespace {

using emu::Lab;
using isa::Mem;

isa::Program program(const std::string& text) {
  vsm::AsmResult r = vsm::assemble(text, "t.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  return std::move(r.program);
}

std::vector<Finding> everything(const isa::Program& p) {
  std::vector<Finding> found = lint(p);
  std::ranges::move(advise(p), std::back_inserter(found));
  verify_mends(p, found);
  return found;
}

// The program after the mend of its only finding of this rule.
std::string mended(const std::string& text, std::string_view rule) {
  const isa::Program p = program(text);
  std::string out = "no mend";
  for (const Finding& f : everything(p)) {
    if (f.rule != rule || !f.verified) continue;
    EXPECT_EQ(out, "no mend") << "two of " << rule;
    out = isa::print(*apply_edits(p, f.edits));
  }
  return out;
}

TEST(Mend, EditsMend) {
  EXPECT_EQ(mended("linc $lm0v $ln0v\nlinc $ln0v $lr0v\n", "lm_port"), "linc $lm0v $ln0v\nnop/2\nlinc $ln0v $lr0v\n");
  EXPECT_EQ(mended("mvp/n64i05 $d0 $lc0@.0\nl2bmb $lc0 $lb0\n", "hazard_mv"),
            "mvp/n64i05 $d0 $lc0@.0\nnop; wait i05\nl2bmb $lc0 $lb0\n");
  EXPECT_EQ(mended("nop; wait i01\nmvp/n64 $d0 $lc0@.0\nl2bmb $lc0 $lb0\n", "hazard_mv_untagged"),
            "nop; wait i01\nmvp/n64i02 $d0 $lc0@.0\nnop; wait i02\nl2bmb $lc0 $lb0\n")
      << "a tag that the host may carry is not taken";
  EXPECT_EQ(mended("mvp/n64i01 $d0 $lc0@.0\nmvp/n64i01 $d64 $lc64@.0\n", "hazard_tag"),
            "mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nmvp/n64i01 $d64 $lc64@.0\n");
  EXPECT_EQ(mended("mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nlinc $lr0 $ls0; wait i01\n", "hazard_tag"),
            "mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nlinc $lr0 $ls0\n");
  EXPECT_EQ(mended("linc $lm0v $lr0v $t\nnop\nlinc $lm8v $lr0v\n", "lint_dead_write"),
            "linc $lm0v $t\nnop\nlinc $lm8v $lr0v\n");
  EXPECT_EQ(mended("l1bmm@0 $lr0v $lb0\nl1bmm@1 $lr0v $lb0\n", "lint_dead_write"),
            "l1bmm@0 $lr0v $lbi\nl1bmm@1 $lr0v $lb0\n");
  EXPECT_EQ(mended("l2bmb $lc0 $lb0; linc $lr0 $ls0\nl2bmb $lc64 $lb0\n", "lint_dead_write"),
            "linc $lr0 $ls0\nl2bmb $lc64 $lb0\n");
  EXPECT_EQ(mended("linc $lm0v $lr0v\nfvadd $ln0v $ln0v $ls0v\n", "lint_pair"),
            "linc $lm0v $lr0v; fvadd $ln0v $ln0v $ls0v\n");
}

TEST(Mend, MasksInForceStayInForce) {
  EXPECT_EQ(mended("maskr 1\nlinc $lm0v $lr0v\nlinc $lr0v $ls0v\nmask 0\n", "grf_data"),
            "maskr 1\nlinc $lm0v $lr0v\nnop\nlinc $lr0v $ls0v\nmask 0\n");
  std::string far = "maskr 1\n";
  for (int i = 0; i < 40; ++i) far += "nop\n";
  EXPECT_EQ(mended(far + "linc $lm0v $lr0v\nfvadd $ln0v $ln0v $ls0v\n", "lint_pair"),
            far + "linc $lm0v $lr0v; fvadd $ln0v $ln0v $ls0v\n");
  EXPECT_EQ(mended("maskrs 1\nlinc $lm0v $lr0v/1000\nfvadd $ln0v $ln0v $ls0v\n", "lint_pair"), "no mend")
      << "two masks in one step";
}

// Nothing is offered for what only the author can decide.
TEST(Mend, SomeFindingsHaveNone) {
  for (const char* text : {"linc $lr0 $lm0\nfvmul $lr2 $lr2 $ls0\nlinc $aluf $ln0\n", "hvmul $lm0 $ln0 $ls0\n",
                           "lpassa $llm0v $llr0v/1000\n", "imm i\"1\" $omr3\n", "nop; wait i05\n"}) {
    const isa::Program p = program(text);
    const auto found = everything(p);
    ASSERT_FALSE(found.empty()) << text;
    EXPECT_FALSE(found[0].verified) << text;
    EXPECT_TRUE(to_diagnostic(found[0], p).fixes.empty()) << text;
  }
}

TEST(Mend, FixesAreReadByMachines) {
  const isa::Program p = program("# a comment\nlinc $lm0v $ln0v\n\nlinc $ln0v $lr0v\n");
  const auto found = everything(p);
  ASSERT_FALSE(found.empty());
  const Diagnostic d = to_diagnostic(found[0], p, "t.vsm");
  ASSERT_EQ(d.fixes.size(), 1u);
  EXPECT_TRUE(d.fixes[0].verified);
  EXPECT_EQ(d.fixes[0].summary, "nop/2 before line 4");
  EXPECT_EQ(d.fixes[0].edit_json, R"({"edits":[{"op":"insert_before","line":4,"text":"nop/2"}]})");
}

// All memories and registers that a program can read later.
std::vector<uint64_t> state(const Lab& lab) {
  std::vector<uint64_t> out;
  const MachineConfig& config = lab.machine->config();
  const auto add = [&](Mem mem, const UnitCoord& u, size_t count) {
    const auto words = lab.lws(mem, u, 0, count);
    out.insert(out.end(), words.begin(), words.end());
  };
  for (int g = 0; g < config.groups; ++g) {
    add(Mem::kDram, {g}, 1024);
    add(Mem::kPdm, {g}, 1024);
  }
  emu::for_each_l2b(config, [&](UnitCoord u) { add(Mem::kL2bm, u, 1024); });
  if (&config == &emu::full()) return out;
  emu::for_each_l1b(config, [&](UnitCoord u) { add(Mem::kL1bm, u, 1024); });
  emu::for_each_pe(config, [&](UnitCoord u) {
    for (Mem mem : {Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1}) add(mem, u, 128);
    add(Mem::kT, u, 8);
    for (int i = 1; i < 4; ++i) out.push_back(lab.lw(Mem::kOmr, u, i));
  });
  emu::for_each_mab(config, [&](UnitCoord u) {
    for (Mem mem : {Mem::kMatX, Mem::kMatY}) add(mem, u, 64);
  });
  return out;
}

std::pair<std::vector<uint64_t>, std::vector<std::string>> outcome(const isa::Program& p, const MachineConfig& config) {
  Lab lab(config);
  std::vector<std::string> dumps;
  emu::RunOptions options;
  options.sink = [&](std::string_view line) { dumps.emplace_back(line); };
  auto report = lab.machine->run(p, options);
  EXPECT_TRUE(report.ok());
  return {state(lab), dumps};
}

TEST(Mend, ProgramsComputeTheSameWithIt) {
  std::map<std::string_view, int> tried;
  int on_full_chip = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const isa::Program p = emu::random_program(seed, seed % 2 == 0, 60, seed % 3 == 0);
    const auto before = outcome(p, emu::tiny());
    std::map<std::string_view, int> here;
    for (const Finding& f : everything(p)) {
      if (!f.verified || ++here[f.rule] > 2) continue;
      ++tried[f.rule];
      const auto changed = apply_edits(p, f.edits);
      ASSERT_TRUE(changed);
      // A small machine lacks the L1Bs whose rows of L2BM the second write fills.
      const bool whole = f.headline.starts_with("L2BM");
      if (whole && ++on_full_chip > 3) continue;
      EXPECT_EQ(outcome(*changed, whole ? emu::full() : emu::tiny()), whole ? outcome(p, emu::full()) : before)
          << "seed " << seed << "\n"
          << render_text(to_diagnostic(f, p, "random.vsm"));
      if (HasFailure()) return;
    }
  }
  for (const auto& [rule, count] : tried) RecordProperty(std::string(rule), count);
  for (const char* rule :
       {"lm_port", "grf_data", "t_data", "l1bm_pe_port", "hazard_mv", "hazard_tag", "lint_dead_write", "lint_pair"})
    EXPECT_GT(tried[rule], 5) << rule;
}

}  // namespace
}  // namespace kumihimo::mncore2::hazard
