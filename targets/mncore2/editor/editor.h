// What an editor asks about VSM text: what is wrong, what would mend it, what a word means, what may stand here.
//
//   Document doc("linc $lr0 $lr2\nlinc $lr2 $lr4\n", "kernel.vsm");
//   doc.problems()[0]     K3202 on line 2: "GRF0 is read too early", related: line 1
//   doc.remedies(0, 30)   "nop before line 2", tried: the text with it has this problem no more and no new one
//   doc.hover(7)          "$lr0: GRF0, long word ..." and the rows behind it
//   doc.complete(12)      every operand that the assembler accepts in this place
//
// Everything comes from rows and from the assembler, the checker and the linter themselves: a completion is offered
// because the text with it assembles in that place, a remedy because the text with it was checked again. There is no list
// of mnemonics, operands or fixes here.
//
// Positions are byte offsets into the text, so that no one has to agree on what a line or a column is. Any bytes are
// accepted as text, any number as an offset (it is cut to the text's end).
//
// Problems of the linter are exact only as far as everything before them assembles: a line with an error takes no step.
// So the linter's word counts up to the first such line. See docs/howto/editors.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/hazard/rules.h"
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
  std::string message;  // headline, what was seen, what is needed, what mends it
  std::vector<Related> related;
  bool from_linter = false;
  std::string insert;  // a line that may mend it when put before its line
};

struct Edit {
  Span where;
  std::string text;
};
// Verified: the edited text has fewer of this problem, and nothing that it did not have before.
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
  std::string snippet;  // with tab stops; empty when it is the label
  std::string detail;   // one line
  std::string doc;      // one sentence
  Span replace;         // what was typed of it
};

class Document {
 public:
  explicit Document(std::string text, std::string file = "<vsm>",
                    const hazard::Profile& profile = hazard::default_profile());

  const std::string& text() const { return text_; }
  const std::vector<Problem>& problems();
  // For problems that touch [begin, end).
  std::vector<Remedy> remedies(size_t begin, size_t end);
  std::optional<Hover> hover(size_t offset);
  std::vector<Completion> complete(size_t offset) const;

 private:
  void analyse();
  Span line_span(uint32_t source_line) const;  // without line feed; 1-based
  std::string position_text(size_t offset);    // "step 3 of the program, cycles 12 to 15"

  std::string text_, file_;
  const hazard::Profile& profile_;
  std::vector<size_t> line_begin_;
  bool analysed_ = false;
  std::vector<Problem> problems_;
  struct Timed {
    uint32_t source_line;
    int64_t first_step, steps;
  };
  std::vector<Timed> steps_;
  uint32_t first_error_line_ = 0;  // 0 = none
};

}  // namespace kumihimo::mncore2::editor
