// Diagnostics: every refusal of the product, for people and for programs, from one object.
//
// A code names the rule that was broken (row in kinds.cpp). A Diagnostic is one occurrence: what was
// seen, what was needed, where, and how to mend it. Text and JSON are two renderings of the same fields.
//
//   error[K8202]: bf needs its block on 4_PE and 4_W at one address
//     --> scores.py:14: k = leir.bf(k)
//     op bf, operand x
//     observed: dim 3 ends in (4_MAB:1, 4_W:1)
//     required: dim 3 ends in (4_PE:1, 4_W:1)
//     fix: relayout k to (…) first   (verified: outputs and values kept)
//
// Codes are never reused. Parameters are typed so that a program can act on them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kumihimo {

enum class Severity : uint8_t { kError, kWarning, kNote };

// A piece of source text. line and column are 1-based; 0 = unknown.
struct SourceRange {
  std::string file;
  uint32_t line = 0, column = 0, end_column = 0;
  std::string text;  // the source line itself, when known
  bool known() const { return line != 0; }
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

// A change that mends the fault. `verified` = it was applied to a copy, passed every check and kept
// outputs, shapes, dtypes and reference values. Only verified edits are offered as fixes.
struct Fix {
  std::string summary;      // "relayout k to (...)@LM first"
  std::string replacement;  // source text of the new line(s), empty when the fix is not textual
  std::string edit_json;    // machine-readable edit: {"op":"insert_relayout","operand":0,"layout":"..."}
  bool verified = false;
};

struct DiagDef {
  std::string_view code;  // "K8202"
  std::string_view name;  // "bf_block_layout"
  std::string_view rule;  // one sentence: the rule that was broken
};

struct Diagnostic {
  const DiagDef* def = nullptr;
  Severity severity = Severity::kError;
  std::string headline;
  std::string op, operand;  // names, empty when not about an op
  std::string observed, required;
  std::vector<std::pair<std::string, std::string>> bound;  // values that the rule bound: {"extent","12"}
  SourceRange where;
  std::vector<Fix> fixes;
  std::string no_fix_reason;        // said when no verified fix exists
  std::vector<Diagnostic> related;  // refusals of the variants that were tried, more errors of one run
};

// Text as above (no colour, ends in a newline) and one JSON object.
std::string render_text(const Diagnostic& d);
std::string render_json(const Diagnostic& d);

// Rows of all codes known to the process (core's own; targets add theirs with register_diagnostics).
const DiagDef* find_diagnostic(std::string_view code_or_name);
std::vector<const DiagDef*> all_diagnostics();
void register_diagnostics(const DiagDef* rows, size_t count);
// Rows that were left out because their code or name means something else already; a test holds this empty.
std::vector<std::string> diagnostic_conflicts();

// A diagnostic under construction: make_error("bf_block_layout").op("bf")...
Diagnostic make_error(std::string_view code_or_name, std::string headline);

// Value or diagnostic.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic d) : v_(std::in_place_index<1>, std::make_unique<Diagnostic>(std::move(d))) {}
  bool ok() const { return v_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() { return std::get<0>(v_); }
  const T& value() const { return std::get<0>(v_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Diagnostic& error() const { return *std::get<1>(v_); }
  Diagnostic take_error() { return std::move(*std::get<1>(v_)); }

 private:
  std::variant<T, std::unique_ptr<Diagnostic>> v_;
};

struct Ok {};
using Status = Result<Ok>;

}  // namespace kumihimo
