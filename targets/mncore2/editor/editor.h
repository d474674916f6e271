// What an editor asks about VSM text: what is wrong, what would mend it, what a word means, what may stand here.
//
//   Document doc("linc $lr0 $lr2\nlinc $lr2 $lr4\n", "kernel.vsm");
//   doc.problems()[0]        K3202 on line 2: "GRF0 is read too early", related: line 1
//   doc.remedies(15, 15)     "insert nop/2 before line 2", tried: the text with it has this problem no more and no new one
//   doc.hover(7)             "$lr0: GRF0, long word ..." and the rows behind it
//   doc.complete(5)          every operand that the assembler accepts in this place
//
// Everything comes from rows and from the assembler, the checker and the linter themselves: a completion is offered
// because the text with it assembles in that place, a remedy because the text with it was checked again. There is no list
// of mnemonics, memories or what fits where.
//
// Positions are byte offsets into the text, so that no one has to agree on what a line or a column is. Any bytes are
// accepted as text, any number as an offset (it is cut to the text's end).
//
// A line with an error takes no step, so from there on neither distances nor what was written are known: the linter's word
// counts up to the first such line, and advice (what the program could do without) is given to whole programs only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/editor/words.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::editor {

struct Span {
  size_t begin = 0, end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

struct Related {
  Span where;
  std::string message;
};

struct Problem {
  Span where;
  Severity severity = Severity::kError;
  const DiagDef* def = nullptr;
  std::string headline;
  std::string message;  // headline, what was seen, what is needed, what mends it, which rule
  std::vector<Related> related;
  static constexpr size_t kAssembler = static_cast<size_t>(-1);
  size_t finding = kAssembler;  // index of the linter's finding
};

struct Edit {
  Span where;
  std::string text;
};
// Tried: with the edits this problem is gone, and there is no error or warning that was not there before. An error's remedy
// is judged by the assembler: the linter has not seen what stands behind the error. A finding's is the linter's own mend
// (hazard/mend.h).
struct Remedy {
  size_t problem = 0;  // index into problems()
  std::string title;
  std::vector<Edit> edits;
};

struct Hover {
  Span where;
  std::string markdown;
};

enum class CompletionKind : uint8_t { kInstruction, kStatement, kOperand, kModifier };
struct Completion {
  CompletionKind kind = CompletionKind::kOperand;
  std::string label;    // what is seen, and what is inserted where there are no snippets
  std::string snippet;  // with tab stops ${1:X}; empty when it is the label
  std::string detail;   // one line
  std::string doc;      // one sentence
  Span replace;         // what was typed of it
};

class Document {
 public:
  explicit Document(std::string text, std::string file = "<vsm>",
                    const hazard::Profile& profile = hazard::default_profile());

  const std::string& text() const { return text_; }
  // Errors, then findings and advice of the linter; in order of the text.
  const std::vector<Problem>& problems();
  // For problems that touch [begin, end], at most kMaxRemedies.
  std::vector<Remedy> remedies(size_t begin, size_t end);
  std::optional<Hover> hover(size_t offset);
  std::vector<Completion> complete(size_t offset) const;

  static constexpr size_t kMaxRemedies = 8;

 private:
  // The line that holds an offset, as an editor sees it, and the mask statement that is in force there.
  struct Here {
    size_t index = 0;  // line, 0-based
    size_t begin = 0;  // of the line, in the text
    size_t at = 0;     // of the offset, in the line
    std::string_view text;
    LineWords words;
    std::string mask;  // "maskrs 1" or empty
  };
  Here here(size_t offset) const;

  void analyse();
  std::string_view line_text(size_t index) const;   // without line feed; 0-based
  Span statement_span(uint32_t source_line) const;  // without blanks and comment; 1-based, as the assembler counts
  std::string position_text(uint32_t source_line);  // "step 3, cycles 12 to 15"; empty when not known
  std::string hover_instruction(const Here& here, const Expression& expression);
  std::string hover_operand(const Here& here, const Expression& expression, int word);
  std::vector<Remedy> error_candidates(size_t problem) const;
  std::vector<Edit> text_edits(const hazard::Finding& finding) const;

  std::string text_, file_;
  const hazard::Profile& profile_;
  std::vector<size_t> line_begin_;
  bool analysed_ = false;
  std::vector<Problem> problems_;
  isa::Program program_;  // up to the first line with an error
  std::vector<hazard::Finding> findings_;
  // Lines that take steps or are issued before one, up to the first line with an error.
  struct Timed {
    uint32_t source_line;
    int64_t first_step, steps;
  };
  std::vector<Timed> timed_;
};

// --- shared by hover and completion ------------------------------------------------------------------------------------

// One line under a mask statement ("" = none), assembled by itself. Null when it has an error.
std::optional<isa::Line> assemble_line(std::string_view mask, std::string_view line);

}  // namespace kumihimo::mncore2::editor
