#include "targets/mncore2/editor/words.h"

#include <algorithm>

#include "targets/mncore2/asm/cursor.h"

namespace kumihimo::mncore2::editor {

bool is_blank(char c) { return vsm::is_space(c); }

std::string_view stem_text(std::string_view word) {
  size_t size = 0;
  while (size < word.size() && (vsm::is_lower(word[size]) || vsm::is_digit(word[size]))) ++size;
  return word.substr(0, size);
}

LineWords split_line(std::string_view text) {
  LineWords out;
  out.end = std::min(text.find_first_of("#!"), text.size());
  out.expressions.emplace_back();
  size_t at = 0;
  while (at < out.end) {
    if (text[at] == ';') {
      out.expressions.back().end = at;
      out.expressions.push_back({at + 1, 0, {}});
      ++at;
      continue;
    }
    if (vsm::is_space(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    bool list = false;
    while (at < out.end && text[at] != ';' && (list || !vsm::is_space(text[at]))) {
      if (text[at] == '[') list = true;
      if (text[at] == ']') list = false;
      ++at;
    }
    // A list that is not closed ends with its first blank: what follows is more likely the next operand.
    if (list) {
      at = begin;
      while (at < out.end && text[at] != ';' && !vsm::is_space(text[at])) ++at;
    }
    out.expressions.back().words.push_back({begin, at});
  }
  out.expressions.back().end = out.end;
  return out;
}

const Expression* expression_at(const LineWords& line, size_t at) {
  if (at > line.end) return nullptr;
  for (const Expression& e : line.expressions)
    if (at <= e.end) return &e;
  return &line.expressions.back();
}

int word_at(const Expression& expression, size_t at) {
  for (size_t i = 0; i < expression.words.size(); ++i)
    if (at >= expression.words[i].begin && at <= expression.words[i].end) return static_cast<int>(i);
  return -1;
}

}  // namespace kumihimo::mncore2::editor
