// One line as an editor sees it: a statement, its expressions and their words, with offsets, whether it assembles or not.
#pragma once

#include <string_view>
#include <vector>

namespace kumihimo::mncore2::editor {

bool is_blank(char c);

struct Word {
  size_t begin = 0, end = 0;
};
// Words between two ';' of a line. The first is the mnemonic, if any.
struct Expression {
  size_t begin = 0, end = 0;
  std::vector<Word> words;
};

// Offsets count from the start of `text`, which is one line. The comment is not part of any expression. A list in
// brackets belongs to its word, blanks and all.
struct LineWords {
  size_t end = 0;  // where the comment begins, or the end
  std::vector<Expression> expressions;
};
LineWords split_line(std::string_view text);

// The expression that holds `at` (one always does); null only behind the start of a comment.
const Expression* expression_at(const LineWords& line, size_t at);
// The word that holds or ends at `at`; -1 when there is none.
int word_at(const Expression& expression, size_t at);
// The part of a first word that names the instruction: "mvp" of "mvp/n64i01".
std::string_view stem_text(std::string_view word);

}  // namespace kumihimo::mncore2::editor
