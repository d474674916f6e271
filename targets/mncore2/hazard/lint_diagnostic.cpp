// A finding as a diagnostic: text, JSON and the edits of its fix.
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

std::string_view name_of(Edit::Kind kind) {
  switch (kind) {
    case Edit::Kind::kInsertBefore: return "insert_before";
    case Edit::Kind::kReplace: return "replace";
    case Edit::Kind::kErase: return "erase";
  }
  return "";
}

// {"edits":[{"op":"insert_before","line":2,"text":"nop/2"}]}; lines are those of the source. Texts are printed by the
// assembler's printer: of the characters that JSON escapes only the quote of a literal stands in them.
std::string edits_json(const Finding& finding, const isa::Program& program) {
  std::string out = "{\"edits\":[";
  for (const Edit& edit : finding.edits) {
    if (out.back() == '}') out += ',';
    out += isa::cat("{\"op\":\"", name_of(edit.kind), "\",\"line\":", program.lines[edit.line].source_line,
                    ",\"text\":\"");
    for (char c : edit.text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += "\"}";
  }
  return out + "]}";
}

}  // namespace

std::string_view inserted_before(const Finding& finding) {
  if (finding.edits.size() != 1) return {};
  const Edit& edit = finding.edits[0];
  return edit.kind == Edit::Kind::kInsertBefore && edit.line == finding.line ? std::string_view(edit.text)
                                                                             : std::string_view();
}

Diagnostic to_diagnostic(const Finding& finding, const isa::Program& program, std::string_view filename) {
  Diagnostic d;
  d.def = finding.def;
  d.severity = finding.severity;
  d.headline = finding.headline;
  d.observed = finding.observed;
  d.required = finding.required;
  const isa::Line& line = program.lines[finding.line];
  d.where.file = filename;
  d.where.line = line.source_line;
  d.where.text = line.text.empty() ? isa::print(line) : line.text;
  d.bound.emplace_back("rule", finding.rule);
  d.bound.emplace_back("evidence", std::string(1, static_cast<char>(finding.evidence)));
  if (!finding.source.empty()) d.bound.emplace_back("source", finding.source);
  if (finding.other != Finding::kNoLine) {
    const isa::Line& other = program.lines[finding.other];
    d.bound.emplace_back("other_line", std::to_string(other.source_line));
    d.bound.emplace_back("other_text", other.text.empty() ? isa::print(other) : other.text);
  }
  if (finding.verified) {
    Fix fix;
    fix.summary = finding.mend;
    fix.edit_json = edits_json(finding, program);
    for (const Edit& edit : finding.edits)
      if (edit.kind == Edit::Kind::kReplace) fix.replacement += (fix.replacement.empty() ? "" : "\n") + edit.text;
    fix.verified = true;
    d.fixes.push_back(std::move(fix));
  } else {
    d.no_fix_reason = finding.mend;
  }
  return d;
}

}  // namespace kumihimo::mncore2::hazard
