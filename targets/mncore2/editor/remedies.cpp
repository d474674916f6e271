// What would mend a problem: changes that are likely, each tried before it is offered.
#include <algorithm>
#include <map>

#include "core/base/nearest.h"
#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/editor/operands.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::editor {
namespace {

namespace diag = isa::diag;
using isa::cat;

// Trying is what costs: so many changes in one question.
constexpr size_t kMaxTries = 24;

std::string edited(std::string_view text, const std::vector<Edit>& edits) {
  std::string out(text);
  for (auto e = edits.rbegin(); e != edits.rend(); ++e)
    out.replace(e->where.begin, e->where.end - e->where.begin, e->text);
  return out;
}

// How often each error occurs.
using Counts = std::map<std::pair<std::string_view, std::string>, int>;

// One of `what` less, and of nothing more.
bool mends(const Counts& before, const Counts& after, const Counts::key_type& what) {
  for (const auto& [key, count] : after) {
    const auto it = before.find(key);
    if (it == before.end() || count > it->second) return false;
  }
  const auto left = after.find(what);
  return left == after.end() || left->second < before.at(what);
}

// Statements stand alone, but for the mask in force: the errors of a line are found from the line.
Counts line_errors(std::string_view mask, std::string_view line) {
  Counts out;
  for (const Diagnostic& d : vsm::assemble(cat(mask, "\n", line)).errors) ++out[{d.def->code, d.headline}];
  return out;
}

// "$lr12v" in three parts: sign and '$', letters, the rest.
struct Parts {
  std::string head, letters, tail;
};
Parts parts_of(std::string_view word) {
  size_t at = word.starts_with("-$") ? 2 : word.starts_with("$") ? 1 : 0, end = at;
  while (end < word.size() && word[end] >= 'a' && word[end] <= 'z') ++end;
  return {std::string(word.substr(0, at)), std::string(word.substr(at, end - at)), std::string(word.substr(end))};
}

// Other letters for an operand: those spelled nearly so, or other widths of the same memory.
std::vector<std::string> other_operands(std::string_view word, bool same_memory) {
  const Parts parts = parts_of(word);
  std::vector<std::pair<size_t, std::string>> ranked;
  if (parts.head.empty()) return {};
  const isa::MemDef* mem = nullptr;
  for (const Spelling& s : operand_spellings())
    if (s.letters == parts.letters) mem = s.mem;
  for (const Spelling& s : operand_spellings()) {
    if (s.mem == nullptr || s.letters == parts.letters || (same_memory && s.mem != mem)) continue;
    const size_t distance = edit_distance(parts.letters, s.letters);
    const std::string text = cat(parts.head, s.letters, parts.tail);
    if (distance <= 2 && std::find(ranked.begin(), ranked.end(), std::pair(distance, text)) == ranked.end())
      ranked.emplace_back(distance, text);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> out;
  for (auto& [distance, text] : ranked) out.push_back(std::move(text));
  return out;
}

}  // namespace

std::vector<Remedy> Document::error_candidates(size_t problem) const {
  const Problem& p = problems_[problem];
  const std::string_view seen = std::string_view(text_).substr(p.where.begin, p.where.end - p.where.begin);
  std::vector<Remedy> out;
  auto change = [&](Span where, std::string text) {
    const std::string title =
        cat("change ", std::string_view(text_).substr(where.begin, where.end - where.begin), " to ", text);
    out.push_back({problem, title, {{where, std::move(text)}}});
  };
  if (p.def == &diag::kUnknownInstruction) {
    const std::string_view stem = stem_text(seen);
    for (std::string_view near : isa::nearest_stems(stem, 5))
      change({p.where.begin, p.where.begin + stem.size()}, std::string(near));
  } else if (p.def == &diag::kWaitAlone) {
    out.push_back({problem, "put nop beside it", {{{p.where.begin, p.where.begin}, "nop; "}}});
  } else if (p.def == &diag::kUnknownOperand) {
    for (std::string& text : other_operands(seen, false)) change(p.where, std::move(text));
  } else if (p.def == &diag::kMisaligned || p.def == &diag::kWidth) {
    for (std::string& text : other_operands(seen, true)) change(p.where, std::move(text));
  }
  return out;
}

// The linter's edits of lines as edits of the text: indents, comments and the ends of lines stay.
std::vector<Edit> Document::text_edits(const hazard::Finding& finding) const {
  std::vector<Edit> out;
  for (const hazard::Edit& edit : finding.edits) {
    const uint32_t line = program_.lines[edit.line].source_line;
    const Span statement = statement_span(line);
    const size_t begin = line_begin_[line - 1];
    const std::string_view text = line_text(line - 1);
    switch (edit.kind) {
      case hazard::Edit::Kind::kInsertBefore:
        out.push_back({{begin, begin},
                       cat(text.substr(0, statement.begin - begin), edit.text, text.ends_with('\r') ? "\r\n" : "\n")});
        break;
      case hazard::Edit::Kind::kReplace: out.push_back({statement, edit.text}); break;
      case hazard::Edit::Kind::kErase:
        // A comment outlives its statement.
        if (split_line(text).end < text.size())
          out.push_back({statement, ""});
        else
          out.push_back({{begin, line < line_begin_.size() ? line_begin_[line] : text_.size()}, ""});
        break;
    }
  }
  std::ranges::stable_sort(out, {}, [](const Edit& e) { return e.where.begin; });
  return out;
}

std::vector<Remedy> Document::remedies(size_t begin, size_t end) {
  analyse();
  std::vector<Remedy> out;
  size_t tries = 0;
  for (size_t i = 0; i < problems_.size() && problems_[i].where.begin <= end; ++i) {
    const Problem& p = problems_[i];
    if (p.where.end < begin) continue;
    if (p.finding != Problem::kAssembler) {
      const hazard::Finding& f = findings_[p.finding];
      if (f.edits.empty()) continue;
      if (out.size() == kMaxRemedies || tries++ == kMaxTries) return out;
      std::vector<hazard::Finding> one{f};
      hazard::verify_mends(program_, one, profile_);
      if (one[0].verified) out.push_back({i, f.mend, text_edits(f)});
      continue;
    }
    const Here h = here(p.where.begin);
    const Counts before = line_errors(h.mask, h.text);
    for (Remedy& remedy : error_candidates(i)) {
      if (out.size() == kMaxRemedies || tries++ == kMaxTries) return out;
      std::vector<Edit> local = remedy.edits;
      for (Edit& e : local) e.where.begin -= h.begin, e.where.end -= h.begin;
      if (mends(before, line_errors(h.mask, edited(h.text, local)), {p.def->code, p.headline}))
        out.push_back(std::move(remedy));
    }
  }
  return out;
}

}  // namespace kumihimo::mncore2::editor
