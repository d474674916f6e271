#include "core/ir/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/utf8.h"

namespace kumihimo::ir_text {
namespace {
bool is_ident_start(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ident(char c) { return is_ident_start(c) || is_digit(c) || c == '.'; }
}  // namespace

void Cursor::skip_blank() {
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++pos_;
    } else if (c == '#') {
      while (pos_ < text_.size() && text_[pos_] != '\n') ++pos_;
    } else {
      return;
    }
  }
}

bool Cursor::at_end() {
  skip_blank();
  return pos_ >= text_.size();
}

bool Cursor::peek(std::string_view literal) {
  skip_blank();
  if (text_.substr(pos_, literal.size()) != literal) return false;
  // A word must not end in the middle of a longer word.
  if (!literal.empty() && is_ident(literal.back()) && pos_ + literal.size() < text_.size())
    return !is_ident(text_[pos_ + literal.size()]);
  return true;
}

bool Cursor::take(std::string_view literal) {
  if (!peek(literal)) return false;
  pos_ += literal.size();
  return true;
}

Status Cursor::expect(std::string_view literal) {
  if (take(literal)) return Ok{};
  return error(fmt::format("expected {}", quote(literal)), next_text(), std::string(literal));
}

std::string_view Cursor::identifier() {
  skip_blank();
  size_t begin = pos_;
  if (pos_ < text_.size() && is_ident_start(text_[pos_]))
    while (pos_ < text_.size() && is_ident(text_[pos_])) ++pos_;
  return text_.substr(begin, pos_ - begin);
}

Result<int64_t> Cursor::integer() {
  skip_blank();
  int64_t v = 0;
  auto [end, ec] = std::from_chars(text_.data() + pos_, text_.data() + text_.size(), v);
  if (ec != std::errc{}) return error("expected an integer", next_text(), "an integer of 64 bits");
  pos_ = static_cast<size_t>(end - text_.data());
  return v;
}

Result<std::string> Cursor::quoted() {
  skip_blank();
  if (pos_ >= text_.size() || text_[pos_] != '"') return error("expected a quoted string", next_text(), "\"…\"");
  size_t begin = pos_++;
  std::string out;
  while (pos_ < text_.size() && text_[pos_] != '"') {
    char c = text_[pos_++];
    if (c == '\n') break;
    if (c != '\\') {
      out.push_back(c);
      continue;
    }
    if (pos_ >= text_.size()) break;
    char e = text_[pos_++];
    switch (e) {
      case 'n': out.push_back('\n'); break;
      case 't': out.push_back('\t'); break;
      case '"': out.push_back('"'); break;
      case '\\': out.push_back('\\'); break;
      case 'x': {
        unsigned v = 0;
        auto [end, ec] = std::from_chars(text_.data() + pos_, text_.data() + std::min(pos_ + 2, text_.size()), v, 16);
        if (ec != std::errc{} || end != text_.data() + pos_ + 2)
          return error("bad escape in a string", "\\x without two hex digits", "\\xNN");
        pos_ += 2;
        out.push_back(static_cast<char>(v));
        break;
      }
      default: return error("bad escape in a string", fmt::format("\\{}", e), "one of \\\" \\\\ \\n \\t \\xNN");
    }
  }
  if (pos_ >= text_.size() || text_[pos_] != '"') {
    pos_ = begin;
    return error("string without an end", next_text(), "a closing \" on the same line");
  }
  ++pos_;
  if (!is_utf8(out)) {
    pos_ = begin;
    return error("a string holds bytes that are not UTF-8", next_text(), "UTF-8 text");
  }
  return out;
}

Result<Attr> Cursor::attr() {
  skip_blank();
  if (peek("\"")) {
    auto s = quoted();
    if (!s) return s.take_error();
    return Attr(std::move(*s));
  }
  if (take("true")) return Attr(true);
  if (take("false")) return Attr(false);
  if (take("inf")) return Attr(std::numeric_limits<double>::infinity());
  if (take("-inf")) return Attr(-std::numeric_limits<double>::infinity());
  if (take("nan")) return Attr(std::numeric_limits<double>::quiet_NaN());
  if (take("[")) {
    std::vector<int64_t> list;
    while (!take("]")) {
      if (!list.empty())
        if (auto s = expect(","); !s) return s.take_error();
      auto v = integer();
      if (!v) return v.take_error();
      list.push_back(*v);
    }
    return Attr(std::move(list));
  }
  size_t end = pos_;
  bool is_float = false;
  while (end < text_.size() && (is_digit(text_[end]) || text_[end] == '-' || text_[end] == '+' || text_[end] == '.' ||
                                text_[end] == 'e' || text_[end] == 'E')) {
    if (!is_digit(text_[end]) && text_[end] != '-') is_float = true;
    ++end;
  }
  if (end == pos_)
    return error("expected an attribute value", next_text(), "a number, true, false, \"text\" or [integers]");
  if (!is_float) {
    auto v = integer();
    if (!v) return v.take_error();
    return Attr(*v);
  }
  double v = 0;
  auto [stop, ec] = std::from_chars(text_.data() + pos_, text_.data() + end, v);
  if (ec != std::errc{} || stop != text_.data() + end)
    return error("bad number", next_text(), "a float such as 0.125 or 1e-06");
  pos_ = end;
  return Attr(v);
}

std::string_view Cursor::raw_until(std::string_view stops) {
  skip_blank();
  size_t begin = pos_;
  int depth = 0;
  while (pos_ < text_.size()) {
    char c = text_[pos_];
    if (c == '\n') break;
    if (c == '"') {
      for (++pos_; pos_ < text_.size() && text_[pos_] != '"' && text_[pos_] != '\n'; ++pos_)
        if (text_[pos_] == '\\' && pos_ + 1 < text_.size() && text_[pos_ + 1] != '\n') ++pos_;
      if (pos_ < text_.size() && text_[pos_] == '"') ++pos_;
      continue;
    }
    if (depth == 0 && stops.find(c) != std::string_view::npos) break;
    if (c == '(' || c == '[') ++depth;
    if ((c == ')' || c == ']') && depth > 0) --depth;
    ++pos_;
  }
  std::string_view out = text_.substr(begin, pos_ - begin);
  while (!out.empty() && (out.back() == ' ' || out.back() == '\t' || out.back() == '\r')) out.remove_suffix(1);
  return out;
}

SourceRange Cursor::here() const {
  SourceRange r;
  r.file = std::string(file_);
  const size_t p = std::min(pos_, text_.size());
  if (p < counted_) {
    counted_ = 0;
    line_ = 1;
    line_begin_ = 0;
  }
  for (; counted_ < p; ++counted_)
    if (text_[counted_] == '\n') {
      ++line_;
      line_begin_ = counted_ + 1;
    }
  // Columns count code points, as the caret below the line does.
  const auto starts_code_point = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  r.line = line_;
  r.column =
      1 + static_cast<uint32_t>(std::count_if(text_.begin() + static_cast<std::ptrdiff_t>(line_begin_),
                                              text_.begin() + static_cast<std::ptrdiff_t>(p), starts_code_point));
  r.end_column = r.column + 1;
  constexpr size_t kShown = 400;
  std::string_view shown = text_.substr(line_begin_, kShown);
  r.text = std::string(shown.substr(0, shown.find('\n')));
  return r;
}

std::string Cursor::next_text() const {
  if (pos_ >= text_.size()) return "the end of the text";
  std::string_view rest = text_.substr(pos_, 24);
  rest = rest.substr(0, rest.find('\n'));
  return rest.empty() ? "the end of the line" : std::string(rest);
}

Diagnostic Cursor::error(std::string headline, std::string observed, std::string required) {
  Diagnostic d = make_error("ir_syntax", std::move(headline));
  d.observed = std::move(observed);
  d.required = std::move(required);
  d.where = here();
  return d;
}

std::string quote(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
  return out;
}

std::string float_text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  std::string s = fmt::format("{}", v);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return s;
}

}  // namespace kumihimo::ir_text
