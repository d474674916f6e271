// What would mend a problem: changes that are likely, each tried before it is offered.
#include <algorithm>
#include <map>

#include "core/base/nearest.h"
#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/editor/operands.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/isa/statements.h"

namespace kumihimo::mncore2::editor {
namespace {

namespace diag = isa::diag;
using isa::cat;

// Trying is what costs: so many changes of so many problems in one question.
constexpr size_t kMaxTries = 24;

std::string edited(std::string_view text, const std::vector<Edit>& edits) {
  std::string out(text);
  for (auto e = edits.rbegin(); e != edits.rend(); ++e)
    out.replace(e->where.begin, e->where.end - e->where.begin, e->text);
  return out;
}

// How often each problem occurs; notes do not count.
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

Counts counts(const std::vector<Problem>& problems) {
  Counts out;
  for (const Problem& p : problems)
    if (p.severity != Severity::kNote) ++out[{p.def->code, p.headline}];
  return out;
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

std::vector<Remedy> Document::candidates(size_t problem) {
  const Problem& p = problems_[problem];
  const std::string_view seen = std::string_view(text_).substr(p.where.begin, p.where.end - p.where.begin);
  std::vector<Remedy> out;
  auto change = [&](Span where, std::string text) {
    const std::string title =
        cat("change ", std::string_view(text_).substr(where.begin, where.end - where.begin), " to ", text);
    out.push_back({problem, title, {{where, std::move(text)}}});
  };
  if (!p.insert.empty()) {
    const Here h = here(p.where.begin);
    const size_t indent = p.where.begin - h.begin;
    const bool carriage_return = h.text.ends_with('\r');
    out.push_back({problem,
                   cat("insert ", p.insert, " before line ", h.index + 1),
                   {{{h.begin, h.begin}, cat(h.text.substr(0, indent), p.insert, carriage_return ? "\r\n" : "\n")}}});
  }
  if (p.from_linter) return out;
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

std::vector<Remedy> Document::remedies(size_t begin, size_t end) {
  analyse();
  std::vector<Remedy> out;
  size_t tries = 0;
  std::optional<Counts> before;  // of the whole text
  for (size_t i = 0; i < problems_.size() && problems_[i].where.begin <= end; ++i) {
    const Problem& p = problems_[i];
    if (p.where.end < begin) continue;
    const Counts::key_type what{p.def->code, p.headline};
    for (Remedy& remedy : candidates(i)) {
      if (out.size() == kMaxRemedies || tries++ == kMaxTries) return out;
      bool good = false;
      if (p.from_linter) {
        if (!before) before = counts(problems_);
        if (p.severity == Severity::kNote) continue;
        Document trial(edited(text_, remedy.edits), file_, profile_);
        good = mends(*before, counts(trial.problems()), what);
      } else {
        // The linter has not looked behind the first error, so an error is for the assembler alone to judge.
        const Here h = here(p.where.begin);
        std::vector<Edit> local = remedy.edits;
        for (Edit& e : local) e.where.begin -= h.begin, e.where.end -= h.begin;
        good = mends(line_errors(h.mask, h.text), line_errors(h.mask, edited(h.text, local)), what);
      }
      if (good) out.push_back(std::move(remedy));
    }
  }
  return out;
}

}  // namespace kumihimo::mncore2::editor
