// Completions and remedies: what is offered assembles, what is known to be right is offered, what is wrong is not.
#include <gtest/gtest.h>

#include <algorithm>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2::editor {
namespace {

// `|` marks the offset.
std::vector<Completion> complete(std::string text) {
  const size_t at = text.find('|');
  text.erase(at, 1);
  return Document(text).complete(at);
}

bool offers(const std::string& text, std::string_view label) {
  const auto all = complete(text);
  return std::any_of(all.begin(), all.end(), [&](const Completion& c) { return c.label == label; });
}

std::string without_stops(const std::string& snippet) {
  std::string out;
  for (size_t i = 0; i < snippet.size(); ++i) {
    if (snippet[i] == '\\') {
      out += snippet[++i];
    } else if (snippet.compare(i, 2, "${") == 0) {
      i = snippet.find(':', i) + 1;
      while (snippet[i] != '}') out += snippet[i++];
    } else {
      out += snippet[i];
    }
  }
  return out;
}

TEST(Complete, Mnemonics) {
  EXPECT_TRUE(offers("linc $lr0 $lr2; dvf|", "dvfmau"));
  EXPECT_FALSE(offers("linc $lr0 $lr2; |", "lsub")) << "the ALU is taken";
  EXPECT_FALSE(offers("linc $lr0 $lr2; |", "mvnop")) << "an MV stands alone";
  EXPECT_FALSE(offers("linc $lr0 $lr2; |", "quit"));
  EXPECT_TRUE(offers("|", "quit") && offers("  ma|", "mask") && offers("d|", "d get"));
  EXPECT_FALSE(offers("# li|", "linc"));
  EXPECT_FALSE(offers("lin|", "lsub"));
  // Every spelling of every row, where nothing stands yet.
  size_t forms = isa::statements().size();
  for (const isa::Stem& stem : isa::all_stems()) forms += stem.rows.size();
  EXPECT_EQ(complete("|").size(), forms);
}

TEST(Complete, Operands) {
  EXPECT_TRUE(offers("linc |", "$lr0v") && offers("linc |", "$peid") && offers("linc |", "$aluf"));
  EXPECT_FALSE(offers("linc |", "$nowrite")) << "a source";
  EXPECT_FALSE(offers("linc |", "$lb0")) << "L1BM is no operand of the ALU";
  EXPECT_TRUE(offers("linc $lr0 |", "$nowrite") && offers("linc $lr0 $l|", "$lm0v"));
  EXPECT_FALSE(offers("linc $lr0 |", "$peid")) << "a constant is not written";
  EXPECT_TRUE(offers("isub $peid |", "$lr0v"));
  EXPECT_FALSE(offers("isub $lr0 |", "$peid")) << "only the first input";
  EXPECT_TRUE(offers("l1bmd |", "$lb0") && offers("l1bmd |", "$lr0v")) << "both ways";
  EXPECT_FALSE(offers("l1bmd $lr0v |", "$lm0v"));
  EXPECT_TRUE(offers("l1bmd $lr0v |", "$lb0"));
  EXPECT_TRUE(offers("imm |", "f\"1.0\"") && !offers("imm |", "$lr0"));
  EXPECT_TRUE(offers("hmfma |", "$lx") && !offers("hmfma |", "$lx0"));
  EXPECT_TRUE(offers("hmwrite $llm0v |", "$llx0") && !offers("fmwrite $lm0v |", "$llx0"));
  EXPECT_TRUE(offers("fvmul -|", "-$lr0v") && !offers("linc -|", "-$lr0v"));
  EXPECT_TRUE(offers("mvp/n64 $p0@0 |", "$lc0@0.0") && !offers("mvp/n64 $p0@0 |", "$lc0"));
  EXPECT_TRUE(offers("mvp $p0@0 |", "$d0@0")) << "the size is not written yet";
  EXPECT_TRUE(offers("d getf |", "$lm0") && !offers("d getf |", "$mauf"));
  EXPECT_FALSE(offers("oops |", "$lr0"));
}

// The rest of the step counts: one read of an LM, one width of masks.
TEST(Complete, HeedsTheStepAndTheMask) {
  EXPECT_TRUE(offers("fvadd $lm0v $lr0v $ls0v; linc |", "$lm0v"));
  EXPECT_FALSE(offers("fvadd $lm0v $lr0v $ls0v; linc |", "$lm0"));
  EXPECT_FALSE(offers("fvadd $lm0v $lr0v $ls0v; linc $lt |", "$ls0v")) << "GRF1 is written already";
  EXPECT_TRUE(offers("linc $lr0 $lr2/1000 $ls0|", "$ls0/1000"));
  EXPECT_TRUE(offers("linc $lr0 $ls0|", "$ls0/ll1000"));
  EXPECT_FALSE(offers("maskr 2\nlinc $lr0 $lr2 $ls0|", "$ls0/1000")) << "another entry is in force";
}

TEST(Complete, Modifiers) {
  EXPECT_TRUE(offers("linc $lr0|", "$lr0v"));
  EXPECT_FALSE(offers("linc $lr0|", "$lr0/1000")) << "a source has no mask";
  EXPECT_TRUE(offers("hvadd $lm0v $lr0|", "$lr0e"));
  EXPECT_FALSE(offers("linc $lr0|v", "$lr0v")) << "only at its end";
}

// Of every statement of the published programs: its mnemonic is offered where it stands, and each operand whose memory is
// spelled as it is.
TEST(Complete, OffersWhatPublishedProgramsWrite) {
  size_t asked = 0;
  for (const auto& t : testing::read_transcripts("tests/transcripts")) {
    const vsm::AsmResult r = vsm::assemble(t.program);
    for (size_t i = 0; i < r.program.lines.size() && i < 40; ++i) {
      const std::string& text = r.program.lines[i].text;
      const LineWords line = split_line(text);
      if (isa::statement_begun(text) != nullptr) continue;
      for (const Expression& e : line.expressions)
        for (size_t w = 0; w < e.words.size(); ++w) {
          const std::string word = text.substr(e.words[w].begin, e.words[w].end - e.words[w].begin);
          const size_t letters = w == 0 ? stem_text(word).size() : word.find_first_of("0123456789[");
          if (w > 0 && (word[0] != '$' || letters == std::string::npos)) continue;
          const std::string begun = word.substr(0, letters);
          Document d(text.substr(0, e.words[w].begin) + begun + text.substr(e.words[w].end));
          const auto all = d.complete(e.words[w].begin + begun.size());
          // Without the mask statements before it a line may break no rule that it keeps with them, and the other way round.
          ++asked;
          EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                                  [&](const Completion& c) { return c.label.substr(0, begun.size()) == begun; }))
              << t.name << ": " << text << ": " << word;
        }
    }
  }
  EXPECT_GT(asked, 150u);
}

// The first operand of every row: with a snippet's default in it and the rest of its example, the line assembles.
TEST(Complete, EverySnippetOfAnOperandIsReadable) {
  for (const isa::InsnDef& def : isa::rows()) {
    const std::string example(def.example);
    const LineWords line = split_line(example);
    for (const Expression& e : line.expressions) {
      if (e.words.size() < 2) continue;
      const Word& w = e.words[1];
      for (const Completion& c : Document(example).complete(w.begin)) {
        ASSERT_EQ(c.replace, (Span{w.begin, w.end}));
        if (c.kind != CompletionKind::kOperand) continue;
        const std::string filled = without_stops(c.snippet.empty() ? c.label : c.snippet);
        if (filled.find('"') == std::string::npos) {
          EXPECT_EQ(filled, c.label);
        }
        const std::string text = example.substr(0, w.begin) + c.label + example.substr(w.end);
        EXPECT_TRUE(vsm::assemble(text).ok()) << text;
      }
    }
  }
}

// --- remedies ----------------------------------------------------------------------------------------------------------

// The text after each remedy of the whole text.
std::vector<std::string> mended(const std::string& text) {
  Document d(text);
  std::vector<std::string> out;
  for (const Remedy& r : d.remedies(0, text.size())) {
    std::string after = text;
    for (auto e = r.edits.rbegin(); e != r.edits.rend(); ++e)
      after.replace(e->where.begin, e->where.end - e->where.begin, e->text);
    out.push_back(std::move(after));
  }
  return out;
}

bool mends(const std::string& text, const std::string& wanted) {
  const auto all = mended(text);
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

TEST(Remedies, OfErrors) {
  EXPECT_TRUE(mends("lincc $lr0 $lr2\n", "linc $lr0 $lr2\n"));
  EXPECT_TRUE(mends("linc $lr0 $lr2\nlinc $lq4v $lr2\n", "linc $lr0 $lr2\nlinc $lm4v $lr2\n"));
  EXPECT_TRUE(mends("linc $lr1 $ls2\n", "linc $r1 $ls2\n"));
  EXPECT_TRUE(mends("wait i01\n", "nop; wait i01\n"));
  EXPECT_EQ(mended("linc $lr0 $lb0\n").size(), 0u) << "no remedy is better than one that was not tried";
  EXPECT_EQ(mended("linc $lr0 $lr2\n").size(), 0u);
}

// ISA 9.1: six cycles, so one step here.
TEST(Remedies, OfHazards) {
  EXPECT_EQ(mended("linc $lr0v $lr2v\n\tlinc $lr2v $lr4v # why\n"),
            std::vector<std::string>{"linc $lr0v $lr2v\n\tnop\n\tlinc $lr2v $lr4v # why\n"});
  EXPECT_EQ(mended("linc $lr0v $lr2v\r\nlinc $lr2v $lr4v\r\n"),
            std::vector<std::string>{"linc $lr0v $lr2v\r\nnop\r\nlinc $lr2v $lr4v\r\n"});
  EXPECT_EQ(mended("mvp/n64i01 $d0@0 $lc0@0.0\nl2bmb $lc0 $lb0\n"),
            std::vector<std::string>{"mvp/n64i01 $d0@0 $lc0@0.0\nnop; wait i01\nl2bmb $lc0 $lb0\n"});
  const std::string many = "linc $lr0v $lr2v\nlinc $lr2v $lr4v\nnop/4\nlinc $lr0v $lr2v\nlinc $lr2v $lr4v\n";
  EXPECT_EQ(Document(many).remedies(17, 17).size(), 1u);
  EXPECT_EQ(mended(many).size(), 2u);
}

// Edits of the linter keep what is no statement: indents, comments, ends of lines.
TEST(Remedies, OfAdvice) {
  const std::string dead = "linc $ls0 $lr0\nnop\nlinc $ls2 $lr0\n";
  EXPECT_TRUE(mends(dead, "nop\nlinc $ls2 $lr0\n") || mends(dead, "linc $ls0 $nowrite\nnop\nlinc $ls2 $lr0\n"))
      << ::testing::PrintToString(mended(dead));
  for (const std::string& text : mended("  linc $ls0 $lr0 # a\r\n\tfvadd $lm0v $ln0v $lt # b\r\n"))
    EXPECT_TRUE(text.find("# a\r\n") != std::string::npos && text.find("# b\r\n") != std::string::npos) << text;
}

// Dropping a nop from a published program and taking the remedies back gives a program without errors.
TEST(Remedies, PutBackTheNopsOfPublishedPrograms) {
  size_t dropped = 0;
  for (const auto& t : testing::read_transcripts("tests/transcripts")) {
    if (t.program.size() > 4000) continue;
    std::string text;
    for (size_t at = 0; at < t.program.size();) {
      const size_t stop = std::min(t.program.find('\n', at), t.program.size() - 1);
      const std::string line = t.program.substr(at, stop + 1 - at);
      if (line.substr(0, 3) == "nop" && line.find(';') == std::string::npos)
        ++dropped;
      else
        text += line;
      at = stop + 1;
    }
    for (int round = 0; round < 60; ++round) {
      Document d(text);
      const auto& all = d.problems();
      const auto error =
          std::find_if(all.begin(), all.end(), [](const Problem& p) { return p.severity == Severity::kError; });
      if (error == all.end()) break;
      const auto remedies = d.remedies(error->where.begin, error->where.begin);
      ASSERT_FALSE(remedies.empty()) << t.name << ": " << error->message;
      const Edit& e = remedies[0].edits[0];
      text.replace(e.where.begin, e.where.end - e.where.begin, e.text);
    }
    EXPECT_TRUE(vsm::assemble(text).ok());
    for (const hazard::Finding& f : hazard::lint(vsm::assemble(text).program)) EXPECT_NE(f.severity, Severity::kError);
  }
  EXPECT_GT(dropped, 10u);
}

}  // namespace
}  // namespace kumihimo::mncore2::editor
