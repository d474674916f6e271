// The editor's view of VSM text against what the assembler and the linter say of the same text, and against positions
// that were counted by hand.
#include <gtest/gtest.h>

#include <random>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2::editor {
namespace {

std::string at(const Document& d, const Span& span) { return d.text().substr(span.begin, span.end - span.begin); }

// "K3001:word" of each problem.
std::string problems(Document& d) {
  std::string out;
  for (const Problem& p : d.problems()) {
    if (!out.empty()) out += " ";
    out.append(p.def->code).append(":").append(at(d, p.where));
  }
  return out;
}

std::string hover(const std::string& text, std::string_view word, size_t occurrence = 0) {
  Document d(text);
  size_t offset = text.find(word);
  while (occurrence-- > 0) offset = text.find(word, offset + 1);
  const auto h = d.hover(offset);
  if (!h) return "";
  EXPECT_EQ(at(d, h->where).substr(0, word.size()), word);
  return h->markdown;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Words, OfALine) {
  const std::string text = "\tlpassa $lr[0, 2,4,6] $lm0v; nop # nop";
  const LineWords line = split_line(text);
  ASSERT_EQ(line.expressions.size(), 2u);
  ASSERT_EQ(line.expressions[0].words.size(), 3u);
  const Word& list = line.expressions[0].words[1];
  EXPECT_EQ(text.substr(list.begin, list.end - list.begin), "$lr[0, 2,4,6]");
  EXPECT_EQ(expression_at(line, text.find("; nop")), &line.expressions[0]);
  EXPECT_EQ(expression_at(line, text.find("nop")), &line.expressions[1]);
  EXPECT_EQ(expression_at(line, text.find("# n") + 1), nullptr);
  EXPECT_EQ(word_at(line.expressions[0], text.find(" $lm")), 1) << "the end of a word belongs to it";
  EXPECT_EQ(word_at(line.expressions[0], 0), -1);
  EXPECT_EQ(split_line("lpassa $lr[0,2 $lm0v").expressions[0].words.size(), 3u) << "a list that is not closed";
}

TEST(Problems, StandWhereTheyAre) {
  Document d("# a comment\nlincc $lr0 $lr2\r\nlinc $lr0 $lr1\nlinc $lr0 $lr2\n");
  EXPECT_EQ(problems(d), "K3001:lincc K3101:$lr1");
  Document hazard("linc $lr0 $lr2 # first\n  linc $lr2 $lr4 # second\n");
  EXPECT_EQ(problems(hazard), "K3202:linc $lr2 $lr4");
  ASSERT_EQ(hazard.problems()[0].related.size(), 1u);
  EXPECT_EQ(at(hazard, hazard.problems()[0].related[0].where), "linc $lr0 $lr2");
  EXPECT_TRUE(has(hazard.problems()[0].message, "ISA 9.1 [V]")) << hazard.problems()[0].message;
}

TEST(Problems, LinterCountsUpToTheFirstError) {
  const std::string hazard = "linc $lr0 $lr2\nlinc $lr2 $lr4\n";
  Document before(hazard + "oops\n");
  EXPECT_EQ(problems(before), "K3202:linc $lr2 $lr4 K3001:oops");
  Document behind("oops\n" + hazard);
  EXPECT_EQ(problems(behind), "K3001:oops") << "the line may have been any number of steps";
}

TEST(Problems, AdviceIsForWholePrograms) {
  const std::string dead = "linc $ls0 $lr0\nlinc $ls2 $lr0\n";
  Document whole(dead);
  EXPECT_TRUE(has(problems(whole), "K3215")) << problems(whole);
  Document broken(dead + "oops\n");
  EXPECT_EQ(problems(broken), "K3001:oops") << "the line may read it";
}

TEST(Problems, ManyErrorsAreCounted) {
  std::string text;
  for (int i = 0; i < 1200; ++i) text += "oops\n";
  Document d(text);
  ASSERT_EQ(d.problems().size(), vsm::kMaxErrors + 1);
  EXPECT_EQ(d.problems().back().message, "200 more errors are not shown");
}

// Published programs assemble and have no error; what else is said of them is what the linter says.
TEST(Problems, PublishedProgramsHaveNoErrors) {
  for (const auto& t : testing::read_transcripts("tests/transcripts")) {
    Document d(t.program);
    for (const Problem& p : d.problems()) EXPECT_NE(p.severity, Severity::kError) << t.name << ": " << p.message;
    const vsm::AsmResult r = vsm::assemble(t.program);
    EXPECT_EQ(d.problems().size(), hazard::lint(r.program).size() + hazard::advise(r.program).size()) << t.name;
  }
}

TEST(Hover, OnInstructions) {
  const std::string text = "nop/2\ndvfmau $lm0v $ln0v $lr0v $ls0v; linc $lt $lr64v # linc\n";
  const std::string fma = hover(text, "dvfmau");
  EXPECT_TRUE(has(fma, "MAU calculation")) << fma;
  EXPECT_TRUE(has(fma, "- step 2, cycles 8 to 11")) << fma;
  EXPECT_TRUE(has(fma, "grf_data, ISA 9.1 [V]")) << fma;
  EXPECT_TRUE(has(hover(text, "linc"), "ALU"));
  EXPECT_EQ(hover(text, "linc", 1), "") << "a comment";
  const std::string forms = hover("l1bmd ", "l1bmd");
  EXPECT_TRUE(has(forms, "l1bmd[+-n] $lbB DST...") && has(forms, "l1bmd[+-n] SRC $lbB")) << "nothing decides: all rows";
  const std::string up = hover("l1bmd $lr0v $lb0", "l1bmd");
  EXPECT_TRUE(!has(up, "l1bmd[+-n] $lbB DST...") && has(up, "l1bmd[+-n] SRC $lbB")) << "the operands decide";
  EXPECT_TRUE(has(hover("l1bmrffadd $lr0v $lb0", "l1bmrffadd"), "- fadd: "));
}

// ISA 4.4: PDM to L2BM moves 16 long words per cycle in one group, 8 across groups.
TEST(Hover, OnMvSaysItsTime) {
  EXPECT_TRUE(has(hover("mvp/n64i01 $p0@0 $lc0@0.0", "mvp"), "busy for 4 cycles"));
  EXPECT_TRUE(has(hover("mvp/n64i01 $p0@0 $lc0@1.0", "mvp"), "busy for 8 cycles"));
}

TEST(Hover, OnOperands) {
  const std::string reg = hover("linc $lr0v4 $lm0", "$lr0v4");
  EXPECT_TRUE(has(reg, "**GRF0** `$lr0v4`, LW")) << reg;
  EXPECT_TRUE(has(reg, "- words 0-1, 4-5, 8-9, 12-13 in cycles 0 to 3, of 512")) << reg;
  EXPECT_TRUE(has(reg, "- `X`:")) << reg;
  EXPECT_TRUE(has(reg, "grf_data") && !has(reg, "lm_port")) << reg;
  EXPECT_TRUE(has(hover("imm f\"1.0\" $lr0", "f\""), "0x3f800000"));
  EXPECT_TRUE(has(hover("oops $lb64", "$lb64"), "L1BM")) << "the memory is known though the instruction is not";
  EXPECT_EQ(hover("linc $lq0", "$lq0"), "");
}

TEST(Hover, OnStatements) {
  EXPECT_TRUE(has(hover("maskrs 1", "maskrs"), "ISA 3.3 [V]"));
  EXPECT_TRUE(has(hover("d getf $lm4n0 1", "$lm4"), "- memory: LM0, address 4"));
  EXPECT_TRUE(has(hover("quit", "quit"), "Ends the program"));
  EXPECT_EQ(hover("relu $lr0", "relu"), "") << "r is not the beginning of a name";
}

TEST(Hover, EveryExampleOfARow) {
  for (const isa::InsnDef& def : isa::rows()) {
    const std::string text(def.example);
    Document d(text);
    bool seen = false;
    for (size_t offset = 0; offset <= text.size(); ++offset)
      if (const auto h = d.hover(offset)) seen = seen || has(h->markdown, def.doc);
    EXPECT_TRUE(seen) << text;
  }
}

TEST(Statements, ExamplesAreWhatTheirRowsSay) {
  for (const isa::StatementDef& def : isa::statements()) {
    const vsm::AsmResult r = vsm::assemble(def.example);
    ASSERT_TRUE(r.ok()) << def.name << ": " << render_text(r.errors[0]);
    ASSERT_EQ(r.program.lines.size(), 1u);
    EXPECT_EQ(r.program.lines[0].kind, def.kind);
    EXPECT_EQ(isa::statement_begun(def.example), &def);
    EXPECT_EQ(isa::statement(def.kind), &def);
  }
  for (std::string_view other : {"", "relu1 $lr0", "cat", "d", "d gut", "quitting", "nop", "dget"})
    EXPECT_EQ(isa::statement_begun(other), nullptr) << other;
  for (auto kind : {isa::LineKind::kEmpty, isa::LineKind::kPe, isa::LineKind::kMv})
    EXPECT_EQ(isa::statement(kind), nullptr);
}

// Whatever the bytes and wherever the question: an answer whose spans lie in the text.
TEST(Document, AnyBytesAnyOffset) {
  std::mt19937 random(7);
  const std::string pieces[] = {"linc",
                                " ",
                                "$lr0v",
                                ";",
                                "\n",
                                "#",
                                "\r",
                                "[",
                                "]",
                                "\"",
                                "i01",
                                "mask",
                                "d get",
                                "$",
                                "/",
                                "@",
                                "0",
                                "\xff",
                                "\xf0\x9f\x98\x80",
                                "imm f\"",
                                "nop/",
                                "mvp/n64",
                                "l1bmd"};
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (unsigned n = random() % 12; n > 0; --n) text += pieces[random() % std::size(pieces)];
    Document d(text);
    auto inside = [&](const Span& s) { return s.begin <= s.end && s.end <= text.size(); };
    for (const Problem& p : d.problems()) {
      EXPECT_TRUE(inside(p.where)) << text;
      for (const Related& r : p.related) EXPECT_TRUE(inside(r.where)) << text;
    }
    for (const Remedy& r : d.remedies(0, text.size()))
      for (const Edit& e : r.edits) EXPECT_TRUE(inside(e.where)) << text;
    for (size_t offset = 0; offset <= text.size() + 2; offset += 1 + random() % 3) {
      for (const Completion& c : d.complete(offset)) {
        EXPECT_TRUE(inside(c.replace)) << text;
        EXPECT_LE(c.replace.begin, offset) << text;
      }
      if (const auto h = d.hover(offset)) {
        EXPECT_TRUE(inside(h->where)) << text;
        EXPECT_LE(h->where.begin, offset) << text;
      }
    }
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::editor
