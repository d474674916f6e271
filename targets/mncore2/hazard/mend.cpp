#include "targets/mncore2/hazard/mend.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

// Lines around each line concerned: longer than any distance rule reaches.
constexpr size_t kMargin = 12;
// Whole programs are tried up to this many lines, all trials together.
constexpr size_t kMaxWholeLines = size_t{1} << 21;

std::optional<isa::Line> assembled(const isa::MaskState& masks, std::string_view text) {
  isa::Line statement;
  statement.kind = isa::LineKind::kMask;
  statement.mask_entry = masks.entry;
  statement.mask_ll = masks.ll;
  statement.mask_dsts = masks.dsts;
  const std::string mask = masks.dsts != 0 ? isa::print(statement) : std::string();
  vsm::AsmResult r = vsm::assemble(isa::cat(mask, "\n", text, "\n"), "mend");
  if (!r.ok() || r.program.lines.empty() || r.program.lines.back().source_line != 2) return std::nullopt;
  return std::move(r.program.lines.back());
}

// A program of the lines around some lines of another one.
struct Slice {
  isa::Program program;
  std::vector<size_t> origin;  // line of the other program; the first may be a mask statement of our own: kNoLine
};

class Verifier {
 public:
  Verifier(const isa::Program& program, const Profile& profile) : program_(program), profile_(profile) {
    isa::MaskState masks;
    for (size_t i = 0; i < program.lines.size(); ++i)
      if (program.lines[i].kind == isa::LineKind::kMask) {
        isa::apply_mask_statement(masks, program.lines[i]);
        masks_.emplace_back(i, masks);
      }
  }

  bool holds(const Finding& f) {
    const Slice slice = around(f);
    const std::string key = key_of(slice, f);
    if (const auto it = known_.find(key); it != known_.end()) return it->second;
    std::optional<bool> answer = tried(slice, f);
    if (!answer) {  // what the finding depends on lies outside
      if (program_.lines.size() > left_) return false;
      left_ -= program_.lines.size();
      Slice whole{program_, {}};
      for (size_t i = 0; i < program_.lines.size(); ++i) whole.origin.push_back(i);
      return tried(whole, f).value_or(false);
    }
    known_.emplace(key, *answer);
    return *answer;
  }

 private:
  Slice around(const Finding& f) const {
    std::vector<std::pair<size_t, size_t>> spans;
    auto want = [&](size_t line) {
      if (line != Finding::kNoLine)
        spans.emplace_back(line - std::min(line, kMargin), std::min(line + kMargin, program_.lines.size()));
    };
    want(f.line);
    want(f.other);
    for (const Edit& edit : f.edits) want(edit.line);
    std::ranges::sort(spans);
    Slice slice;
    size_t next = 0;
    for (const auto& [lo, hi] : spans) {
      if (std::max(lo, next) >= hi) continue;
      const size_t from = std::max(lo, next);
      if (from != next || next == 0) begin(slice, from);
      for (size_t i = from; i < hi; ++i) {
        slice.program.lines.push_back(program_.lines[i]);
        slice.origin.push_back(i);
      }
      next = hi;
    }
    return slice;
  }

  // The mask statement in force, where lines before it were left out.
  void begin(Slice& slice, size_t line) const {
    const auto it = std::ranges::upper_bound(masks_, line, {}, [](const auto& m) { return m.first; });
    if (it == masks_.begin()) return;
    slice.program.lines.push_back(program_.lines[std::prev(it)->first]);
    slice.origin.push_back(Finding::kNoLine);
  }

  static size_t place(const Slice& slice, size_t line) {
    return static_cast<size_t>(std::ranges::find(slice.origin, line) - slice.origin.begin());
  }

  std::string key_of(const Slice& slice, const Finding& f) const {
    std::string key = isa::print(slice.program);
    key += isa::cat(f.rule, " ", place(slice, f.line));
    for (const Edit& edit : f.edits)
      key += isa::cat("\n", static_cast<int>(edit.kind), " ", place(slice, edit.line), " ", edit.text);
    return key;
  }

  using Counts = std::map<const DiagDef*, int>;
  static Counts faults(const std::vector<Finding>& findings) {
    Counts counts;
    for (const Finding& f : findings)
      if (f.severity != Severity::kNote) ++counts[f.def];
    return counts;
  }
  static auto at(const std::vector<Finding>& findings, std::string_view rule, size_t line) {
    return std::ranges::count_if(findings, [&](const Finding& f) { return f.rule == rule && f.line == line; });
  }

  // Empty when the finding does not show in the slice.
  std::optional<bool> tried(const Slice& slice, const Finding& f) const {
    std::vector<Edit> edits = f.edits;
    size_t inserted = 0, line = place(slice, f.line);
    for (Edit& edit : edits) {
      inserted += edit.kind == Edit::Kind::kInsertBefore && edit.line <= f.line;
      edit.line = place(slice, edit.line);
    }
    const std::vector<Finding> before = lint(slice.program, profile_);
    const auto shown = at(before, f.rule, line);
    const bool is_fault = f.severity != Severity::kNote;
    if (is_fault && shown == 0) return std::nullopt;
    const std::optional<isa::Program> mended = apply_edits(slice.program, edits);
    if (!mended) return false;
    const std::vector<Finding> after = lint(*mended, profile_);
    // Advice changes the very lines that it is about; a fault must be seen to go.
    if (is_fault && at(after, f.rule, line + inserted) >= shown) return false;
    const Counts had = faults(before);
    for (const auto& [def, count] : faults(after))
      if (const auto it = had.find(def); it == had.end() || it->second < count) return false;
    return true;
  }

  const isa::Program& program_;
  const Profile& profile_;
  std::vector<std::pair<size_t, isa::MaskState>> masks_;
  std::unordered_map<std::string, bool> known_;
  size_t left_ = kMaxWholeLines;
};

}  // namespace

std::optional<isa::Program> apply_edits(const isa::Program& program, std::span<const Edit> edits) {
  isa::Program out;
  isa::MaskState masks;
  for (size_t i = 0; i < program.lines.size(); ++i) {
    const isa::Line& line = program.lines[i];
    bool keep = true;
    for (const Edit& edit : edits) {
      if (edit.line != i) continue;
      if (edit.kind != Edit::Kind::kInsertBefore) keep = false;
      if (edit.kind == Edit::Kind::kErase) continue;
      std::optional<isa::Line> made = assembled(masks, edit.text);
      if (!made) return std::nullopt;
      made->source_line = line.source_line;
      out.lines.push_back(std::move(*made));
    }
    if (keep) out.lines.push_back(line);
    isa::apply_mask_statement(masks, line);
  }
  return out;
}

void verify_mends(const isa::Program& program, std::vector<Finding>& findings, const Profile& profile) {
  Verifier verifier(program, profile);
  for (Finding& f : findings)
    if (!f.edits.empty()) f.verified = verifier.holds(f);
}

std::vector<Finding> lint_errors(const isa::Program& program, const Profile& profile) {
  std::vector<Finding> findings = lint(program, profile);
  std::erase_if(findings, [](const Finding& f) { return f.severity != Severity::kError; });
  verify_mends(program, findings, profile);
  return findings;
}

}  // namespace kumihimo::mncore2::hazard
