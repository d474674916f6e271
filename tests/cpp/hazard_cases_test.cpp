// One program that breaks each rule and one, as near to it as can be, that keeps it. A rule without both fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/diagnostics.h"

namespace kumihimo::mncore2::hazard {
namespace {

// Text as the assembler reads it, and two ways to write what it refuses: `A & B` issues both in one step, `drop A; B`
// leaves A out.
struct Case {
  std::string_view rule;  // id of a hazard rule, or name of a diagnostic
  std::string_view bad, good;
  std::string_view profile = "default";
};

// clang-format off
constexpr Case kCases[] = {
  // ISA 9.1
  {"lm_port", "linc $lm0 $ln0\nnop\nlinc $ln64 $lm2", "linc $lm0 $ln0\nnop/2\nlinc $ln64 $lm2"},
  {"lm_data", "linc $lm0 $ln0\nnop\nlinc $ln0 $lr0", "linc $lm0 $ln0\nnop/2\nlinc $ln0 $lr0"},
  {"grf_data", "linc $lm0v $lr0v\nlinc $lr0v $ls0v", "linc $lm0v $lr0v\nnop\nlinc $lr0v $ls0v"},
  {"t_data", "linc $lm0v $t\nlinc $t $ls0v", "linc $lm0v $t\nnop\nlinc $t $ls0v"},
  {"bar_data", "imm i\"4\" $lnb\nnop\nlinc $ln0 $lr0", "imm i\"4\" $lnb\nnop/2\nlinc $ln0 $lr0"},
  // ISA 9.2
  {"l2bm_write_read", "l2bmd $lb0 $lc0\nnop\nl2bmd $lc1024 $lb64", "l2bmd $lb0 $lc0\nnop/2\nl2bmd $lc1024 $lb64"},
  {"l1bm_turn", "l2bmb $lc0 $lb0\nnop\nl2bmd $lb64 $lc1024", "l2bmb $lc0 $lb0\nnop/2\nl2bmd $lb64 $lc1024"},
  {"l1bm_down_data", "l2bmb $lc0 $lb0\nl1bmm $lb0 $lr0v", "l2bmb $lc0 $lb0\nnop\nl1bmm $lb0 $lr0v"},
  {"l1bm_up_data", "l1bmd $lr0 $lb0\nnop\nl2bmd $lb0 $lc0", "l1bmd $lr0 $lb0\nnop/2\nl2bmd $lb0 $lc0"},
  {"l1bm_pe_port", "l1bmd $lr0v $lb0\nnop\nl1bmm $lb1024 $lr0v", "l1bmd $lr0v $lb0\nnop/2\nl1bmm $lb1024 $lr0v"},
  {"l2bm_write_mv_cautious", "l2bmd $lb0 $lc0\nmvp/n64i01 $lc0@.0 $d0", "l2bmd $lb0 $lc0\nnop\nmvp/n64i01 $lc0@.0 $d0",
   "cautious"},
  {"l2bm_write_read_cautious", "l2bmd $lb0 $lc0\nnop/2\nl2bmd $lc1024 $lb64",
   "l2bmd $lb0 $lc0\nnop/3\nl2bmd $lc1024 $lb64", "cautious"},
  {"l1bm_turn_cautious", "l2bmb $lc0 $lb0\nnop/2\nl2bmd $lb64 $lc1024", "l2bmb $lc0 $lb0\nnop/3\nl2bmd $lb64 $lc1024",
   "cautious"},
  // ISA 9.3
  {"issue_group", "linc $lm0 $lr0 & ldec $ln0 $ls0", "linc $lm0 $lr0; fvadd $ln0 $ln0 $ls0"},
  {"issue_nop_alone", "nop & linc $lm0 $lr0", "noforward; linc $lm0 $lr0"},
  {"issue_mau_pair", "gmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v & hmwrite $lm0v $ly0",
   "gmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v; gmwrite $lm0v $ly0"},
  {"issue_shared_source", "fvmul $lm0v $ln0v $lr0v & fmwrite $lm0v $lx0", "fvmul $lm0v $ln0v $lr0v; fmwrite $ln0v $lx0"},
  {"issue_matrix_side", "gmwrite $lm0v $lx0 & gmread $lx0 $lr0v", "gmwrite $lm0v $ly0\ngmwrite $lm0v $lx0; gmread $ly0 $lr0v"},
  {"issue_write_conflict", "linc $lm0 $lr0 & fvadd $ln0 $ln0 $lr8", "linc $lm0 $lr0; fvadd $ln0 $ln0 $ls8"},
  {"issue_read_conflict", "linc $lr0 $lm0 & fvadd $lr8 $lr8 $ln0", "linc $lr0 $lm0; fvadd $lr0 $lr0 $ln0"},
  {"issue_lm_shared", "linc $lm0 $lr0 & fvadd $ln0 $ln0 $lm8", "linc $lm0 $lr0; fvadd $ln0 $ln0 $lm0"},
  {"issue_imm_lm0", "imm i\"1\" $lr0 & fvadd $lm0 $lm0 $ls0", "imm i\"1\" $lr0; fvadd $ln0 $ln0 $ls0"},
  {"issue_mask_conflict", "linc $lm0 $lr0/1000 & fvadd $ln0 $ln0 $ls0/0100", "linc $lm0 $lr0/1000; fvadd $ln0 $ln0 $ls0/1000"},
  {"issue_wait_alone", "mvp/n64i01 $d0 $lc0@.0\ndrop nop; wait i01", "mvp/n64i01 $d0 $lc0@.0\nnop; wait i01"},
  {"issue_step_shape", "linc $lm0 $lr0 & mvnop", "linc $lm0 $lr0\nmvnop"},
  {"issue_turnaround", "l1bmm@0 $lr0v $lb0\nl1bmm $lbi $lr0v & l1bmd $ls0v $lb64",
   "l1bmm@0 $lr0v $lb0\nl1bmm $lbi $lr0v; l1bmm@0 $ls0v $lb64"},
  // MVs
  {"hazard_mv", "mvp/n64i01 $d0 $lc0@.0\nl2bmb $lc0 $lb0", "mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nl2bmb $lc0 $lb0"},
  {"hazard_mv_untagged", "mvp/n64 $d0 $lc0@.0\nl2bmb $lc0 $lb0", "mvp/n64 $d0 $lc0@.0\nl2bmb $lc64 $lb0"},
  {"hazard_tag", "mvp/n64i01 $d0 $lc0@.0\nmvp/n64i01 $d64 $lc64@.0",
   "mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nmvp/n64i01 $d64 $lc64@.0\nnop; wait i01"},
  {"lint_range", "mvp/n64i01 $p524224@0 $lc0@0.0\nmvp/n64i02 $p524256@0 $lc64@0.0", "mvp/n64i01 $p524224@0 $lc0@0.0"},
  // registers without an address
  {"hazard_forward", "linc $lr0 $lm0\nfvmul $lr2 $lr2 $ls0\nlinc $aluf $ln0", "linc $lr0 $lm0\nlinc $aluf $ln0"},
  {"lint_matrix_precision", "hmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v", "gmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v"},
  {"lint_turnaround", "l1bmm@0 $lr0v $lb0\nl1bmd $lbi $ls0v", "l1bmm@0 $lr0v $lb0\nl1bmm $lbi $ls0v"},
  // remarks
  {"lint_width", "hvmul $lm0 $ln0 $ls0", "hvmul $lm0 $ln0 $lls0"},
  {"lint_flags", "imm i\"1\" $omr3", "linc $lr0 $omr3"},
  {"lint_alignment", "imm i\"2\" $t\nnop\nlpassa $llmt0 $llr0", "imm i\"4\" $t\nnop\nlpassa $llmt0 $llr0"},
  {"lint_open_question", "l1bmriand $lr0v $lb0", "l1bmriband $lr0v $lb0"},
  {"lint_undefined", "d set $ln0 1 0000000000000001\nzero $m0\nnop/2\ngbfn $lm0 $lr0",
   "d set $ln0 1 0000000000000001\nzero $lm0\nnop/2\ngbfn $lm0 $lr0"},
  // advice
  {"lint_dead_write", "linc $lm0v $lr0v\nnop\nlinc $lm8v $lr0v", "linc $lm0v $lr0v\nnop\nlinc $lr0v $ls0v\nnop\nlinc $lm8v $lr0v"},
  {"lint_pair", "linc $lm0v $lr0v\nfvadd $ln0v $ln0v $ls0v", "linc $lm0v $lr0v\nfvadd $aluf $ln0v $ls0v"},
  {"lint_mask_width", "lpassa $llm0v $llr0v/1000", "lpassa $llm0v $llr0v/ll1000"},
};
// clang-format on

// Every row that cannot be broken: a distance of no steps allows what comes next at the earliest.
bool permits_everything(const Rule& rule) { return rule.form == RuleForm::kPort && rule.gap == 0; }

std::vector<isa::Line> assembled(std::string_view text) {
  vsm::AsmResult r = vsm::assemble(std::string(text) + "\n", "case.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  return std::move(r.program.lines);
}

isa::Program program_of(std::string_view text) {
  isa::Program program;
  while (!text.empty()) {
    std::string_view rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), rest.size() + 1));
    const bool drop = rest.starts_with("drop ");
    if (drop) rest.remove_prefix(5);
    isa::Line whole;
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, rest.find(" & "));
      rest.remove_prefix(std::min(rest.size(), part.size() + 3));
      std::vector<isa::Line> lines = assembled(part);
      if (lines.empty()) return program;
      if (whole.insns.empty()) {
        whole = lines[0];
      } else {
        whole.text.clear();
        whole.insns.push_back(lines[0].insns[0]);
      }
    }
    if (drop) {
      whole.text.clear();
      whole.insns.erase(whole.insns.begin());
    }
    whole.source_line = static_cast<uint32_t>(program.lines.size() + 1);
    program.lines.push_back(whole);
  }
  return program;
}

std::vector<Finding> everything(const isa::Program& program, const Profile& profile) {
  std::vector<Finding> found = lint(program, profile);
  for (Finding& f : advise(program, profile)) found.push_back(std::move(f));
  return found;
}

// Rules that a program breaks, findings of at least this severity. Distance rules hide each other (the longest is
// reported), so a distance rule is looked for alone.
std::set<std::string_view> broken(const Case& c, std::string_view text, Severity least = Severity::kNote) {
  Profile profile = *find_profile(c.profile);
  const auto row = std::ranges::find(rules(), c.rule, &Rule::id);
  if (row != rules().end()) profile.rules = {&*row};
  std::set<std::string_view> out;
  for (const Finding& f : everything(program_of(text), profile))
    if (f.severity <= least) out.insert(f.rule);
  return out;
}

TEST(HazardCases, EachRuleIsBrokenByOneProgramAndKeptByItsNeighbour) {
  for (const Case& c : kCases) {
    EXPECT_TRUE(broken(c, c.bad).contains(c.rule)) << c.rule << "\n" << c.bad;
    EXPECT_FALSE(broken(c, c.good).contains(c.rule)) << c.rule << "\n" << c.good;
    EXPECT_EQ(broken(c, c.good, Severity::kWarning), std::set<std::string_view>{}) << c.rule << "\n" << c.good;
  }
}

// A finding has what a reader needs to judge it: a row, a place in the notes on the machine, a line.
TEST(HazardCases, FindingsNameRuleEvidencePlaceAndMend) {
  for (const Case& c : kCases) {
    const isa::Program program = program_of(c.bad);
    for (const Finding& f : everything(program, *find_profile(c.profile))) {
      EXPECT_NE(f.def, nullptr);
      EXPECT_TRUE(f.source.starts_with("ISA ")) << c.rule << ": " << f.source;
      EXPECT_LT(f.line, program.lines.size());
      EXPECT_FALSE(f.headline.empty());
      EXPECT_FALSE(f.mend.empty()) << f.rule << ": " << f.headline;
      const Diagnostic d = to_diagnostic(f, program, "case.vsm");
      EXPECT_TRUE(std::ranges::any_of(d.bound, [](const auto& b) { return b.first == "evidence"; })) << c.rule;
    }
  }
}

TEST(HazardCases, EveryRuleHasACase) {
  std::set<std::string_view> have;
  for (const Case& c : kCases) EXPECT_TRUE(have.insert(c.rule).second) << c.rule << " has two";
  for (const Rule& rule : rules()) EXPECT_NE(have.contains(rule.id), permits_everything(rule)) << rule.id;
  // The linter's own diagnostics: parallel issue (K312x, K313x) and K32xx. K3201 and K3202 are the distance rules above.
  for (const DiagDef* def : isa::diag::all()) {
    const bool issue = def->code.starts_with("K312") || def->code.starts_with("K313");
    if (!issue && !def->code.starts_with("K32")) continue;
    if (def == &isa::diag::kHazardPort || def == &isa::diag::kHazardData) continue;
    EXPECT_TRUE(have.contains(def->name)) << def->code << " " << def->name;
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::hazard
