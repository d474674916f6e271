// Scanning of the IR's text: one cursor with positions, used by the type and the module parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/diag/diagnostic.h"
#include "core/ir/module.h"

namespace kumihimo::ir_text {

class Cursor {
 public:
  Cursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool at_end();                        // after blanks, line ends and # comments
  bool peek(std::string_view literal);  // after blanks
  bool take(std::string_view literal);  // consumes the literal if it is next
  Status expect(std::string_view literal);
  std::string_view identifier();  // [A-Za-z_][A-Za-z0-9_.]*, empty when none is next
  Result<int64_t> integer();
  Result<std::string> quoted();  // "…" with \" \\ \n \t \xNN; UTF-8
  Result<Attr> attr();
  // Raw text up to (not including) the first of `stops` outside parentheses, quotes and brackets; ends at a line's end.
  std::string_view raw_until(std::string_view stops);

  Diagnostic error(std::string headline, std::string observed, std::string required);
  SourceRange here() const;
  std::string next_text() const;  // what stands at the cursor, shortened, for messages
  size_t position() const { return pos_; }

 private:
  void skip_blank();
  std::string_view text_;
  std::string_view file_;
  size_t pos_ = 0;
  // The line of an earlier position: counting goes on from there, so that many positions cost one walk of the text.
  mutable size_t counted_ = 0;
  mutable uint32_t line_ = 1;
  mutable size_t line_begin_ = 0;
};

std::string quote(std::string_view s);
std::string float_text(double v);  // shortest text that parses back to the same double, always with . e or a name

}  // namespace kumihimo::ir_text
