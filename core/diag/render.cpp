// Text and JSON of a diagnostic. Both read the same fields; neither adds a fact.
#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/diag/diagnostic.h"

namespace kumihimo {
namespace {

std::string_view name_of(Severity s) {
  switch (s) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kNote: return "note";
  }
  return "error";
}

// Bytes of UTF-8 that start a code point; columns count code points.
bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// "   ^^^" under columns [column, end_column) of `text`; tabs are kept so that the caret stays below its mark.
std::string caret_line(const SourceRange& where) {
  std::string out;
  uint32_t column = 1;
  for (size_t i = 0; i < where.text.size() && column < where.column; ++i) {
    if (!starts_code_point(where.text[i])) continue;
    out += where.text[i] == '\t' ? '\t' : ' ';
    ++column;
  }
  while (column < where.column) out += ' ', ++column;
  const uint32_t length = where.end_column > where.column ? where.end_column - where.column : 1;
  out.append(length > 400 ? 400 : length, '^');
  return out;
}

// Control characters of input (layout text, file names) must not reach the terminal, nor bytes that are no text.
std::string visible(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto u = static_cast<unsigned char>(text[i]);
    const size_t length = utf8_length(text, i);
    if (length > 1 || u == '\t' || (u >= 0x20 && u < 0x7f)) {
      out += text.substr(i, length);
      i += length;
    } else {
      out += "\\x";
      out += kHex[u >> 4];
      out += kHex[u & 15];
      ++i;
    }
  }
  return out;
}

void line(std::string& out, int indent, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  out.append(static_cast<size_t>(indent), ' ');
  out += label;
  out += visible(text);
  out += '\n';
}

void write_text(std::string& out, const Diagnostic& d, int indent) {
  const std::string pad(static_cast<size_t>(indent), ' ');
  out += pad;
  out += name_of(d.severity);
  if (d.def != nullptr) {
    out += '[';
    out += d.def->code;
    out += ']';
  }
  out += ": " + visible(d.headline) + "\n";
  if (d.where.known() || !d.where.file.empty()) {
    out += pad + "  --> " + visible(d.where.file);
    if (d.where.known()) out += ":" + std::to_string(d.where.line);
    if (d.where.known() && d.where.column != 0) out += ":" + std::to_string(d.where.column);
    out += '\n';
    if (!d.where.text.empty()) {
      out += pad + "    | " + visible(d.where.text) + "\n";
      if (d.where.column != 0) out += pad + "    | " + caret_line(d.where) + "\n";
    }
  }
  if (!d.op.empty()) line(out, indent + 2, "op ", d.operand.empty() ? d.op : d.op + ", operand " + d.operand);
  line(out, indent + 2, "observed: ", d.observed);
  line(out, indent + 2, "required: ", d.required);
  std::string values;
  for (const auto& [key, value] : d.bound) {
    if (!values.empty()) values += ", ";
    values += key + " = " + value;
  }
  line(out, indent + 2, "where ", values);
  if (d.def != nullptr) line(out, indent + 2, "rule: ", std::string(d.def->name) + ": " + std::string(d.def->rule));
  for (const Fix& fix : d.fixes) {
    line(out, indent + 2, "fix: ", fix.summary + (fix.verified ? "   (verified: outputs and values kept)" : ""));
    line(out, indent + 7, "", fix.replacement);
  }
  if (d.fixes.empty()) line(out, indent + 2, "no fix: ", d.no_fix_reason);
  for (const Diagnostic& r : d.related) write_text(out, r, indent + 2);
}

nlohmann::ordered_json to_json(const Diagnostic& d) {
  nlohmann::ordered_json j;
  j["severity"] = name_of(d.severity);
  if (d.def != nullptr) {
    j["code"] = d.def->code;
    j["name"] = d.def->name;
    j["rule"] = d.def->rule;
  }
  j["headline"] = d.headline;
  auto put = [&j](const char* key, const std::string& value) {
    if (!value.empty()) j[key] = value;
  };
  put("op", d.op);
  put("operand", d.operand);
  put("observed", d.observed);
  put("required", d.required);
  if (!d.bound.empty()) {
    auto& bound = j["bound"] = nlohmann::ordered_json::object();
    for (const auto& [key, value] : d.bound) bound[key] = value;
  }
  if (d.where.known() || !d.where.file.empty()) {
    auto& w = j["where"];
    w["file"] = d.where.file;
    w["line"] = d.where.line;
    w["column"] = d.where.column;
    w["end_column"] = d.where.end_column;
    if (!d.where.text.empty()) w["text"] = d.where.text;
  }
  if (!d.fixes.empty()) {
    auto& fixes = j["fixes"] = nlohmann::ordered_json::array();
    for (const Fix& fix : d.fixes) {
      nlohmann::ordered_json f;
      f["summary"] = fix.summary;
      if (!fix.replacement.empty()) f["replacement"] = fix.replacement;
      if (!fix.edit_json.empty()) {
        // An edit is JSON already; text that is not stays text rather than being lost.
        auto edit = nlohmann::ordered_json::parse(fix.edit_json, nullptr, false);
        f["edit"] = edit.is_discarded() ? nlohmann::ordered_json(fix.edit_json) : edit;
      }
      f["verified"] = fix.verified;
      fixes.push_back(std::move(f));
    }
  }
  put("no_fix_reason", d.no_fix_reason);
  if (!d.related.empty()) {
    auto& related = j["related"] = nlohmann::ordered_json::array();
    for (const Diagnostic& r : d.related) related.push_back(to_json(r));
  }
  return j;
}

}  // namespace

std::string render_text(const Diagnostic& d) {
  std::string out;
  write_text(out, d, 0);
  return out;
}

std::string render_json(const Diagnostic& d) {
  // Input may carry bytes that are not UTF-8; they are replaced, never thrown on.
  return to_json(d).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kumihimo
