// The linter on published programs (clean: the vendor's assembler accepts them) and on programs with one fault each.
#include <gtest/gtest.h>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/hazard/mend.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2::hazard {
namespace {

isa::Program program(const std::string& text) {
  vsm::AsmResult r = vsm::assemble(text, "t.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  return std::move(r.program);
}

// "rule@line" of each finding of at least this severity, in order.
std::string findings(const std::string& text, Severity least = Severity::kWarning) {
  const isa::Program p = program(text);
  std::string out;
  for (const Finding& f : lint(p)) {
    if (f.severity > least) continue;
    if (!out.empty()) out += " ";
    out.append(f.rule).append("@").append(std::to_string(p.lines[f.line].source_line));
  }
  return out;
}

TEST(Lint, PublishedProgramsAreFreeOfErrors) {
  for (const auto& t : testing::read_transcripts("tests/transcripts"))
    EXPECT_EQ(findings(t.program, Severity::kError), "") << t.name;
}

// "Reduce the number of nops...?" asks the tutorial: then its assembler refuses.
TEST(Lint, DroppedNopsAreSeen) {
  EXPECT_EQ(findings("linc $lm0 $ln0\nnop\nnop\nlinc $ln0 $lm2\n"), "");
  EXPECT_EQ(findings("linc $lm0 $ln0\nnop\nlinc $ln0 $lm2\n"), "lm_port@3");
  EXPECT_EQ(findings("linc $lm0 $ln0\nlinc $ln0 $lm2\n"), "lm_port@2");
  EXPECT_EQ(findings("linc $lm0 $ln0\nnop\nlinc $ln64 $lm2\n"), "lm_port@3");
  EXPECT_EQ(findings("l1bmrdfadd $lm0 $lb0\nnop\nnop\nl1bmm $lb0 $lm4v/1000\n"), "");
  EXPECT_EQ(findings("l1bmrdfadd $lm0 $lb0\nnop\nl1bmm $lb0 $lm4v/1000\n"), "l1bm_pe_port@3");
  EXPECT_EQ(findings("linc $lm0v $lr0v\nnop\nlinc $lr0v $ls0v\n"), "");
  EXPECT_EQ(findings("linc $lm0v $lr0v\nlinc $lr0v $ls0v\n"), "grf_data@2");
  EXPECT_EQ(findings("linc $lm0 $lr0\nnop\nlinc $lr0 $ls0\n"), "grf_data@3") << "without v: cycle 3 to cycle 0";
  EXPECT_EQ(findings("imm i\"1\" $r0/1000\nnop\niinc $r0 $r2\n"), "");
  EXPECT_EQ(findings("imm i\"1\" $r0/0010\nnop\niinc $r0 $r2\n"), "grf_data@3");
  EXPECT_EQ(findings("imm i\"4\" $t\nlpassa $lmt0 $lr0\n"), "t_data@2");
  EXPECT_EQ(findings("l2bmb $lc0 $lb0\nl1bmm $lb0 $lr0v\n"), "l1bm_down_data@2");
  EXPECT_EQ(findings("l2bmb $lc0 $lb0\nnop\nl1bmm $lb0 $lr0v\n"), "");
  EXPECT_EQ(findings("l1bmd $lr0 $lb0\nnop\nl2bmd $lb0 $lc0\n"), "l1bm_up_data@3");
  EXPECT_EQ(findings("l1bmd $lr0 $lb0\nnop/2\nl2bmd $lb0 $lc0\n"), "")
      << "all words that are read were written in cycle 0";
}

TEST(Lint, CautiousProfileAsksForMore) {
  auto rules_of = [](const std::string& text, const char* profile) {
    std::string out;
    for (const Finding& f : lint(program(text), *find_profile(profile))) out.append(f.rule).append(" ");
    return out;
  };
  const std::string through_l2bm = "l2bmd $lb0 $lc0\nnop/2\nl2bmd $lc1024 $lb64\n";
  EXPECT_EQ(rules_of(through_l2bm, "default"), "");
  EXPECT_EQ(rules_of(through_l2bm, "published"), "");
  EXPECT_EQ(rules_of(through_l2bm, "cautious"), "l2bm_write_read_cautious ");
  const std::string turn = "l2bmb $lc0 $lb0\nnop/2\nl2bmd $lb64 $lc1024\n";
  EXPECT_EQ(rules_of(turn, "default"), "");
  EXPECT_EQ(rules_of(turn, "cautious"), "l1bm_turn_cautious ");
  EXPECT_EQ(rules_of("l2bmb $lc0 $lb0\nnop/3\nl2bmd $lb64 $lc1024\n", "cautious"), "");
}

TEST(Lint, SaysHowToMend) {
  const isa::Program p = program("linc $lm0 $ln0\nlinc $ln0 $lm2\n");
  auto found = lint(p);
  verify_mends(p, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].mend, "nop/2 before line 2");
  EXPECT_EQ(found[0].evidence, isa::Evidence::kVendor);
  EXPECT_EQ(found[0].other, 0u);
  const Diagnostic d = to_diagnostic(found[0], p, "t.vsm");
  EXPECT_EQ(d.def->code, "K3201");
  EXPECT_EQ(d.where.line, 2u);
  EXPECT_EQ(d.fixes.size(), 1u);
  // The mend mends.
  EXPECT_EQ(findings("linc $lm0 $ln0\nnop/2\nlinc $ln0 $lm2\n"), "");
}

// Law: with enough nops between all lines no distance rule can be broken; mending one finding after the other ends.
TEST(Lint, MendingConverges) {
  std::vector<std::string> lines = {"linc $lm0v $ln0v", "linc $ln0v $lr0v",    "linc $lr0 $t",     "fvmul $lr6 $t $lm0",
                                    "l1bmd $lm0v $lb0", "l2bmd $lb0 $lc0",     "l2bmb $lc0 $lb64", "l1bmm $lb64 $lm8v",
                                    "l1bmm $lb0 $ls0v", "lpassa $ls6 $nowrite"};
  int rounds = 0;
  for (;; ++rounds) {
    ASSERT_LT(rounds, 40);
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    const isa::Program p = program(text);
    const auto found = lint(p);
    const Finding* hazard = nullptr;
    for (const Finding& f : found)
      if (hazard == nullptr && !f.mend.empty() && f.severity == Severity::kError) hazard = &f;
    if (hazard == nullptr) break;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(hazard->line),
                 hazard->mend.substr(0, hazard->mend.find(' ')));
  }
  EXPECT_GE(rounds, 6);
}

TEST(Lint, MvWaits) {
  const std::string mv = "mvp/n64i01 $d0 $lc0@.0\n";
  EXPECT_EQ(findings(mv + "nop; wait i01\nl2bmb $lc0 $lb0\n"), "");
  EXPECT_EQ(findings(mv + "l2bmb $lc0 $lb0\n"), "hazard_mv@2");
  EXPECT_EQ(findings(mv + "l2bmb $lc64 $lb0\n"), "") << "other words";
  EXPECT_EQ(findings("mvp/n64 $d0 $lc0@.0\nnop/200\nl2bmb $lc0 $lb0\n"), "hazard_mv_untagged@3");
  EXPECT_EQ(findings(mv + "mvp/n64i01 $d0 $lc0@.1\n"), "hazard_tag@2");
  // In order per port: the DRAMs are shared, so the second wait covers the first MV.
  EXPECT_EQ(findings("mvp/n64 $d0 $lc0@.0\nmvp/n64i02 $d64 $lc64@.1\nnop; wait i02\nl2bmb $lc0 $lb0\n"), "");
  EXPECT_EQ(findings("mvp/n64i01 $p0@0 $lc0@0.0\nmvp/n64i02 $p0@1 $lc0@1.0\nnop; wait i02\nl2bmb $lc0 $lb0\n"),
            "hazard_mv@4")
      << "different ports: the first MV may still run";
  // Overwriting what an MV reads or writes.
  EXPECT_EQ(findings("mvp/n64i03 $lc0@.0 $d0\nl2bmd $lb0 $lc0\n"), "hazard_mv@2");
  EXPECT_EQ(findings("mvp/n64i03 $lc0@.0 $d0\nnop; wait i03\nl2bmd $lb0 $lc0\n"), "");
  EXPECT_EQ(findings("mvp/n64i01 $p524224@0 $lc0@0.0\nmvp/n64i02 $p524256@0 $lc64@0.0\n"), "lint_range@2");
}

// Programs for the board wait for the host's transfers (ISA 1.4); whether the host makes them is not in the text.
TEST(Lint, TagsOfTheHost) {
  EXPECT_EQ(findings("nop; wait i05\nnop; wait i05\n"), "");
  EXPECT_EQ(findings("nop; wait i05\n", Severity::kNote), "hazard_tag@1");
  const std::string record = "c 0 0 i10 i00 0 000000000 001 0000000000000000\n";
  EXPECT_EQ(findings(record + "nop; wait i10\n", Severity::kNote), "");
  EXPECT_EQ(findings(record + "nop; wait i05\n"), "hazard_tag@2") << "the program holds the host's transfers itself";
  EXPECT_EQ(findings(record + "nop; wait i10\nnop; wait i10\n"), "hazard_tag@3");
  EXPECT_EQ(findings("nop; wait i05\nmvp/n64i05 $d0 $lc0@.0\nnop; wait i05\n"), "hazard_tag@1") << "the MV comes later";
  EXPECT_EQ(findings("mvp/n64i05 $d0 $lc0@.0\nnop; wait i05\nnop; wait i05\n"), "hazard_tag@3");
}

// An MV reads what an upload wrote to L2BM: no distance by default, one step in the cautious profile (ISA 9.2 .1).
TEST(Lint, ReadsOfMvsAreSubjectToDistances) {
  auto rules_of = [](const std::string& text, const char* profile) {
    std::string out;
    for (const Finding& f : lint(program(text), *find_profile(profile)))
      if (f.severity == Severity::kError) out.append(f.rule).append(" ");
    return out;
  };
  const std::string up = "l2bmd $lb0 $lc0\n", mv = "mvp/n64 $lc0@.0 $d0\n";
  EXPECT_EQ(rules_of(up + mv, "default"), "");
  EXPECT_EQ(rules_of(up + mv, "cautious"), "l2bm_write_mv_cautious ");
  EXPECT_EQ(rules_of(up + "mvp/n64 $p0 $lc0@.0\n", "cautious"), "") << "an MV that writes L2BM reads nothing there";
  EXPECT_EQ(rules_of(up + "nop\n" + mv, "cautious"), "");
}

TEST(Lint, ForwardingAndRegisters) {
  EXPECT_EQ(findings("linc $lr0 $lm0\nlinc $aluf $ln0\n", Severity::kNote), "");
  EXPECT_EQ(findings("linc $lr0 $lm0\nnop/2\nlinc $aluf $ln0\n", Severity::kNote), "hazard_forward@3");
  EXPECT_EQ(findings("linc $lr0 $lm0\nnop/2\nlinc $aluf $ln0\n"), "") << "only a note: the value is kept over nop";
  EXPECT_EQ(findings("linc $lr0 $lm0\nnoforward; linc $lr2 $ls0\nlinc $aluf $ln0\n"), "");
  EXPECT_EQ(findings("linc $lr0 $lm0\nfvmul $lr2 $lr2 $ls0\nlinc $aluf $ln0\n"), "hazard_forward@3");
  EXPECT_EQ(findings("linc $mauf $ln0\n"), "hazard_forward@1");
  EXPECT_EQ(findings("hmwrite $lm0v $lx0\nhmmul $lx $ln0v $llr0v\n"), "") << "the next step may read";
  EXPECT_EQ(findings("hmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v\n"), "lint_matrix_precision@2");
  EXPECT_EQ(findings("fmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v\n"), "") << "fm* and gm* are one hardware";
  EXPECT_EQ(findings("l1bmm@0 $lr0v $lb0\nl1bmm $lbi $ls0v\n"), "");
  EXPECT_EQ(findings("l1bmm@0 $lr0v $lb0\nl1bmd $lbi $ls0v\n"), "lint_turnaround@2");
  EXPECT_EQ(findings("hmwrite $lm0v $lx0\nhmread $llx0 $lls0v\nlpassa $mreadf $llr0v\n"), "");
  EXPECT_EQ(findings("hmwrite $lm0v $lx0\ngmread $lx0 $ls0v\n"), "lint_matrix_precision@2");
  EXPECT_EQ(findings("hmread $lly0 $lls0v\n"), "lint_matrix_precision@1");
  EXPECT_EQ(findings("l1bmr4ffadd $lr0v $lb0\nl1bmm4 $lbi $ls0v\n"), "");
  EXPECT_EQ(findings("l1bmr4ffadd $lr0v $lb0\nl1bmm $lbi $ls0v\n"), "lint_turnaround@2");
}

TEST(Lint, TransfersBetweenL1bsAndReductionsOfMvs) {
  EXPECT_EQ(findings("l2bmb $lc0 $lb0\nl2bmi@0/6 $lb0 $lb64\n"), "l1bm_turn@2");
  EXPECT_EQ(findings("l2bmi@0/6 $lb0 $lb64\nl2bmd $lb64 $lc0\n"), "l1bm_turn@2");
  EXPECT_EQ(findings("l2bmi@0/6 $lb0 $lb64\nl1bmp $lb64 $lr0v\n"), "l1bm_down_data@2");
  EXPECT_EQ(findings("mvp/n64i01 $p0@0 $lc0@0.0\nl2bmi@0/6 $lb0 $lb64\n"), "") << "it does not touch L2BM";
  EXPECT_EQ(findings("mvp/n64i01 $p0@0 $lc192@0.0\nl2bmb2 $lc0 $lb0\n"), "hazard_mv@2") << "its rows are 64 apart";
  EXPECT_EQ(findings("mvrffadd/n64i01 $lc0 $p0@0\nl2bmd $lb0 $lc0\n"), "hazard_mv@2");
  EXPECT_EQ(findings("mvnop\n"), "");
}

TEST(Lint, Remarks) {
  EXPECT_EQ(findings("hvmul $lm0 $ln0 $ls0\n"), "lint_width@1") << "the tutorial's unintended program";
  EXPECT_EQ(findings("hvfma $lm0 $ln0 $lr0 $lls0\n"), "lint_width@1");
  EXPECT_EQ(findings("hvfma $lm0 $ln0 $lr0e $lls0\n"), "");
  EXPECT_EQ(findings("hvmulr $lm0 $ln0 $ls0\n"), "");
  EXPECT_EQ(findings("fvmul $m0v $r0v $s0v\n"), "") << "one element per cycle";
  EXPECT_EQ(findings("imm i\"1\" $omr3\n"), "lint_flags@1");
  EXPECT_EQ(findings("l1bmm $lb4 $lr0v\n", Severity::kNote), "lint_alignment@1");
  EXPECT_EQ(findings("mvp/n64 $lc0 $d0\n"), "lint_open_question@1");
  EXPECT_EQ(findings("l1bmriand $lr0v $lb0\n"), "lint_open_question@1");
}

TEST(Lint, MaskWidths) {
  EXPECT_EQ(findings("lpassa $llm0v $llr0v/1000\n"), "lint_mask_width@1");
  EXPECT_EQ(findings("lpassa $llm0v $llr0v/ll1000\n"), "");
  EXPECT_EQ(findings("maskr 24\nlpassa $llm0v $llr0v\n"), "lint_mask_width@2") << "the statement's mask as well";
  EXPECT_EQ(findings("lpassa $lm0v $lr0v/ll1000\n"), "") << "a fixed pattern is the same in both widths";
  const std::string flags = "ipassa $lm0v $omr1\n";
  EXPECT_EQ(findings(flags + "lpassa $lr0v $ls0v/$imr1\n"), "");
  EXPECT_EQ(findings(flags + "lpassa $lr0v $ls0v/$llimr1\n"), "lint_mask_width@2");
  EXPECT_EQ(findings(flags + "lpassa $llr0v $lls0v/$llimr1\n"), "");
  EXPECT_EQ(findings(flags + "fvmul $lr0v $lr0v $ls0v/$imr1\n"), "");
  EXPECT_EQ(findings(flags + "dvadd $lr0v $lr0v $ls0v/$imr1\n"), "lint_mask_width@2") << "two flags, one double";
  EXPECT_EQ(findings("spassa $lm0v $omr1\nhvmul $lr0v $lr0v $lls0v/$llimr1\n"), "") << "four singles, four flags";
  EXPECT_EQ(findings("spassa $lm0v $omr1\nfvmul $lr0v $lr0v $ls0v/$imr1\n"), "lint_mask_width@2");
}

TEST(Lint, AddressesMadeFromLiterals) {
  EXPECT_EQ(findings("imm i\"4\" $t\nnop\nlpassa $llmt0 $llr0\n"), "");
  EXPECT_EQ(findings("imm i\"2\" $t\nnop\nlpassa $lmt0 $lr0\n"), "");
  EXPECT_EQ(findings("imm i\"2\" $t\nnop\nlpassa $llmt0 $llr0\n"), "lint_alignment@3");
  EXPECT_EQ(findings("imm i\"2\" $t\nnop\nlinc $peid $t\nnop\nlpassa $llmt0 $llr0\n"), "") << "no literal any more";
  EXPECT_EQ(findings("imm i\"1\" $lnb\nnop\nnop\nlpassa $ln0 $lr0\n"), "lint_alignment@4");
  EXPECT_EQ(findings("imm i\"1\" $lnb\nnop\nnop\nipassa $n0 $r0\n"), "");
  EXPECT_EQ(findings("imm i\"1\" $lnb\nnop\nnop\nlpassa $lm0 $lr0\n"), "") << "the other LM";
}

// Programs that were built, not assembled, meet the issue rules here.
TEST(Lint, IssueRulesOfBuiltPrograms) {
  isa::Program p = program("iadd $lr0v $ls0v $lm0v\n");
  p.lines[0].insns[0].srcs[1] = p.lines[0].insns[0].srcs[0];
  p.lines[0].insns[0].srcs[1].addr = {8, 10, 12, 14};
  const auto found = lint(p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].def->code, "K3126");
}

}  // namespace
}  // namespace kumihimo::mncore2::hazard
