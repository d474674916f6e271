// Position in one source line, and the error list that readers of statements share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"

namespace kumihimo::mncore2::vsm {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The statement part of a line (comment cut off).
struct Cursor {
  std::string_view text;
  size_t at = 0;

  bool end() const { return at >= text.size(); }
  char peek(size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  // End of one expression of a step.
  bool end_of_expr() const { return end() || text[at] == ';'; }
  bool end_of_word() const { return end_of_expr() || is_space(text[at]); }
  void skip_space() {
    while (at < text.size() && is_space(text[at])) ++at;
  }
  void skip_word() {
    while (!end_of_word()) ++at;
  }
  void skip_expr() {
    while (!end_of_expr()) ++at;
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at;
    return true;
  }
  bool take(std::string_view word) {
    if (text.substr(at, word.size()) != word) return false;
    at += word.size();
    return true;
  }
  // Decimal digits; false when there are none or the value exceeds `limit` (the digits are then consumed).
  bool number(int64_t& value, int64_t limit) {
    const size_t begin = at;
    int64_t v = 0;
    bool fits = true;
    while (at < text.size() && is_digit(text[at])) {
      v = v * 10 + (text[at] - '0');
      if (v > limit) fits = false, v = limit;
      ++at;
    }
    value = v;
    return at > begin && fits;
  }
};

// Reports with line, columns and source text filled in.
struct Reporter {
  AsmResult& result;
  std::string_view filename;
  std::string_view source_line;  // whole line, with comment
  uint32_t line = 0;

  void error(const DiagDef& def, size_t begin, size_t end, std::string headline, std::string observed = {},
             std::string required = {}, std::string op = {}) const {
    if (result.errors.size() >= kMaxErrors) {
      ++result.suppressed;
      return;
    }
    Diagnostic d;
    d.def = &def;
    d.headline = std::move(headline);
    d.op = std::move(op);
    d.observed = std::move(observed);
    d.required = std::move(required);
    d.where.file = filename;
    d.where.line = line;
    d.where.column = static_cast<uint32_t>(begin + 1);
    d.where.end_column = static_cast<uint32_t>((end > begin ? end : begin + 1) + 1);
    d.where.text = source_line.substr(0, 400);
    result.errors.push_back(std::move(d));
  }
};

}  // namespace kumihimo::mncore2::vsm
