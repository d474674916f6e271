// What the assembler and the linter say, with offsets; and where each line stands in time.
#include <algorithm>
#include <iterator>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/editor/editor.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/statements.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::editor {
namespace {

using isa::cat;

void say(std::string& out, std::string_view label, std::string_view text) {
  if (!text.empty()) out += cat("\n", label, ": ", text);
}

// nop/N takes N steps, every other PE line one; MVs and the rest none.
int64_t steps_of(const isa::Line& line) {
  if (line.kind != isa::LineKind::kPe) return 0;
  for (const isa::Insn& insn : line.insns)
    if (insn.def->unit == isa::Unit::kNop) return insn.nop_count;
  return 1;
}

}  // namespace

Document::Document(std::string text, std::string file, const hazard::Profile& profile)
    : text_(std::move(text)), file_(std::move(file)), profile_(profile) {
  line_begin_.push_back(0);
  for (size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1))
    line_begin_.push_back(at + 1);
}

std::string_view Document::line_text(size_t index) const {
  const size_t begin = line_begin_[index];
  const size_t end = index + 1 < line_begin_.size() ? line_begin_[index + 1] - 1 : text_.size();
  return std::string_view(text_).substr(begin, end - begin);
}

Span Document::statement_span(uint32_t source_line) const {
  const std::string_view text = line_text(source_line - 1);
  const size_t stop = split_line(text).end;
  size_t begin = 0, end = stop;
  while (end > 0 && is_blank(text[end - 1])) --end;
  while (begin < end && is_blank(text[begin])) ++begin;
  return {line_begin_[source_line - 1] + begin, line_begin_[source_line - 1] + end};
}

Document::Here Document::here(size_t offset) const {
  offset = std::min(offset, text_.size());
  Here h;
  h.index =
      static_cast<size_t>(std::upper_bound(line_begin_.begin(), line_begin_.end(), offset) - line_begin_.begin()) - 1;
  h.begin = line_begin_[h.index];
  h.at = offset - h.begin;
  h.text = line_text(h.index);
  h.words = split_line(h.text);
  for (size_t i = h.index; i-- > 0;) {
    const std::string_view earlier = line_text(i);
    const isa::StatementDef* def = isa::statement_begun(earlier);
    if (def == nullptr || def->kind != isa::LineKind::kMask || !assemble_line("", earlier)) continue;
    h.mask = earlier;
    break;
  }
  return h;
}

std::optional<isa::Line> assemble_line(std::string_view mask, std::string_view line) {
  vsm::AsmResult r = vsm::assemble(cat(mask, "\n", line));
  if (!r.ok() || r.program.lines.empty() || r.program.lines.back().source_line != 2) return std::nullopt;
  return std::move(r.program.lines.back());
}

const std::vector<Problem>& Document::problems() {
  analyse();
  return problems_;
}

void Document::analyse() {
  if (analysed_) return;
  analysed_ = true;
  vsm::AsmResult r = vsm::assemble(text_, file_);
  for (const Diagnostic& d : r.errors) {
    Problem p;
    const size_t line = line_begin_[d.where.line - 1], size = line_text(d.where.line - 1).size();
    p.where = {line + std::min<size_t>(d.where.column - 1, size),
               line + std::min<size_t>(d.where.end_column - 1, size)};
    p.def = d.def;
    p.headline = d.headline;
    p.message = d.headline;
    say(p.message, "seen", d.observed);
    say(p.message, "needed", d.required);
    problems_.push_back(std::move(p));
  }
  if (r.suppressed > 0) {
    Problem p = problems_.back();
    p.headline = p.message = cat(r.suppressed, " more errors are not shown");
    problems_.push_back(std::move(p));
  }
  program_ = std::move(r.program);
  const std::vector<isa::Line>& lines = program_.lines;
  if (!r.ok()) {
    const uint32_t first = r.errors.front().where.line;
    std::erase_if(program_.lines, [&](const isa::Line& line) { return line.source_line >= first; });
  }
  int64_t now = 0;
  for (const isa::Line& line : lines) {
    timed_.push_back({line.source_line, now, steps_of(line)});
    now += timed_.back().steps;
  }
  findings_ = hazard::lint(program_, profile_);
  if (r.ok()) std::ranges::move(hazard::advise(program_, profile_), std::back_inserter(findings_));
  for (size_t i = 0; i < findings_.size(); ++i) {
    const hazard::Finding& f = findings_[i];
    Problem p;
    p.where = statement_span(lines[f.line].source_line);
    p.severity = f.severity;
    p.def = f.def;
    p.headline = f.headline;
    p.message = f.headline;
    say(p.message, "seen", f.observed);
    say(p.message, "needed", f.required);
    say(p.message, "mend", f.mend);
    say(p.message, "rule",
        cat(f.rule, f.source.empty() ? "" : ", ", f.source, " [", static_cast<char>(f.evidence), "]"));
    if (f.other != hazard::Finding::kNoLine)
      p.related.push_back({statement_span(lines[f.other].source_line), "the other line"});
    p.finding = i;
    problems_.push_back(std::move(p));
  }
  std::stable_sort(problems_.begin(), problems_.end(),
                   [](const Problem& a, const Problem& b) { return a.where.begin < b.where.begin; });
}

std::string Document::position_text(uint32_t source_line) {
  analyse();
  const auto it = std::lower_bound(timed_.begin(), timed_.end(), source_line,
                                   [](const Timed& t, uint32_t line) { return t.source_line < line; });
  if (it == timed_.end() || it->source_line != source_line) return {};
  const int64_t per_step = find_machine("mncore2")->cycles_per_step;
  if (it->steps == 0)
    return cat("before step ", it->first_step, ", cycle ", it->first_step * per_step, ", waits not counted");
  const int64_t last = it->first_step + it->steps - 1;
  return cat(it->steps == 1 ? cat("step ", last) : cat("steps ", it->first_step, " to ", last), ", cycles ",
             it->first_step * per_step, " to ", (last + 1) * per_step - 1, ", waits not counted");
}

}  // namespace kumihimo::mncore2::editor
