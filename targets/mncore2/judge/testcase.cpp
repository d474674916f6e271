#include "targets/mncore2/judge/testcase.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/judge/expectation.h"
#include "targets/mncore2/judge/rows.h"

namespace kumihimo::mncore2::judge {
namespace {

using isa::Line;
using isa::LineKind;
using isa::Mem;

constexpr size_t kMaxFaults = 20;  // of one run, as related errors
constexpr size_t kMaxShown = 200;  // characters of a line in an error

std::string_view trimmed(std::string_view line) {
  const size_t end = line.find_last_not_of(" \t\r");
  return end == line.npos ? std::string_view() : line.substr(0, end + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  lines.reserve(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class TestcaseReader {
 public:
  TestcaseReader(std::string_view text, std::string_view file) : text_(text), lines_(split_lines(text)) {
    testcase_.file = file;
  }

  Result<Testcase> run() {
    if (auto d = find_sections()) return std::move(*d);
    if (auto d = assemble(0, answer_, testcase_.input)) return std::move(*d);
    if (auto d = assemble(answer_ + 1, output_begin_, testcase_.after)) return std::move(*d);
    if (auto d = assemble(output_begin_, lines_.size(), testcase_.output)) return std::move(*d);
    for (const Line& line : testcase_.input.lines) check_input(line);
    for (const Line& line : testcase_.after.lines)
      if (line.kind == LineKind::kHostRow) fault("judge_sections", line.source_line, 0, "input behind the answer");
    for (const hazard::Finding& f : hazard::lint(testcase_.after))
      if (f.def->name == "lint_range")
        fault("judge_sections", testcase_.after.lines[f.line].source_line, 0, "an MV leaves its memory");
    read_output();
    if (!faults_.empty()) {
      Diagnostic first = std::move(faults_.front());
      first.related.assign(std::make_move_iterator(faults_.begin() + 1), std::make_move_iterator(faults_.end()));
      return first;
    }
    return std::move(testcase_);
  }

 private:
  std::optional<Diagnostic> find_sections() {
    std::vector<size_t> answers, outputs;
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].starts_with("# =======")) continue;
      if (trimmed(lines_[i]) == kAnswerMarker) answers.push_back(i);
      if (trimmed(lines_[i]) == kOutputMarker) outputs.push_back(i);
    }
    const auto wrong = [&](const std::vector<size_t>& found, std::string_view marker, size_t extra) {
      Diagnostic d = error("judge_sections",
                           found.empty() ? "the file has no place for the answer" : "a marker stands where it cannot");
      d.where = where(found.empty() ? lines_.size() : found[extra] + 1);
      d.observed = fmt::format("{} lines `{}`", found.size(), marker);
      d.required = "one line for the answer, then at most one for the output";
      return d;
    };
    if (answers.size() != 1) return wrong(answers, kAnswerMarker, answers.size() > 1);
    if (outputs.size() > 1) return wrong(outputs, kOutputMarker, 1);
    if (outputs.size() == 1 && outputs[0] < answers[0]) return wrong(outputs, kOutputMarker, 0);
    answer_ = answers[0];
    output_begin_ = (outputs.empty() ? answers[0] : outputs[0]) + 1;
    return {};
  }

  // Lines [begin, end) with the line numbers of the file: what stands before them becomes empty lines.
  std::optional<Diagnostic> assemble(size_t begin, size_t end, isa::Program& out) const {
    if (begin >= end) return {};
    const auto from = static_cast<size_t>(lines_[begin].data() - text_.data());
    const auto to = static_cast<size_t>(lines_[end - 1].data() + lines_[end - 1].size() - text_.data());
    std::string padded(begin, '\n');
    padded += text_.substr(from, to - from);
    vsm::AsmResult result = vsm::assemble(padded, testcase_.file);
    if (!result.ok()) {
      if (result.errors.size() > kMaxFaults) result.errors.resize(kMaxFaults);
      return vsm::as_one(result);
    }
    out = std::move(result.program);
    return {};
  }

  SourceRange where(size_t number, size_t column = 0) const {
    SourceRange r;
    r.file = testcase_.file;
    r.line = static_cast<uint32_t>(std::max<size_t>(number, 1));
    if (number >= 1 && number <= lines_.size()) r.text = trimmed(lines_[number - 1]).substr(0, kMaxShown);
    if (column <= kMaxShown) r.column = static_cast<uint32_t>(column);
    return r;
  }

  Diagnostic* fault(std::string_view name, size_t line, size_t column, std::string headline) {
    if (faults_.size() == kMaxFaults) return nullptr;
    faults_.push_back(error(name, std::move(headline), where(line, column)));
    return &faults_.back();
  }

  void check_input(const Line& line) {
    if (line.kind == LineKind::kHostRow || line.kind == LineKind::kDebugSet || line.kind == LineKind::kEmpty) return;
    fault("judge_input", line.source_line, 0, "an input line that sets no memory");
  }

  // The place is named whole, so that the line prints one long word.
  static bool one_long_word(const Line& line) {
    if (line.kind != LineKind::kDebugGet || line.dtype != "d" || line.count != 1 || line.mem.width != isa::Width::kLw)
      return false;
    const isa::DebugMem& m = line.mem;
    const auto named = [&](int levels) {
      const int8_t selectors[] = {m.n, m.c, m.b, m.m, m.p};
      return std::all_of(selectors, selectors + levels, [](int8_t s) { return s >= 0; });
    };
    switch (m.mem) {
      case Mem::kDram:
      case Mem::kPdm: return named(1);
      case Mem::kL2bm: return named(2);
      case Mem::kL1bm: return named(3);
      case Mem::kLm0:
      case Mem::kLm1:
      case Mem::kGrf0:
      case Mem::kGrf1:
      case Mem::kT: return named(5);
      default: return false;
    }
  }

  void read_output() {
    for (size_t i = output_begin_; i < lines_.size() && testcase_.title.empty(); ++i)
      if (lines_[i].starts_with("# =======")) testcase_.title = std::string(trimmed(lines_[i]).substr(0, kMaxShown));
    std::string_view title = testcase_.title;
    while (!title.empty() && (title.front() == '#' || title.front() == '=' || title.front() == ' '))
      title.remove_prefix(1);
    while (!title.empty() && (title.back() == '=' || title.back() == ' ')) title.remove_suffix(1);
    testcase_.title = std::string(title);

    const std::vector<Line>& lines = testcase_.output.lines;
    testcase_.elements.reserve(2 * lines.size());
    Expectation expectation;
    for (size_t i = 0; i < lines.size() && faults_.size() < kMaxFaults; ++i) {
      if (lines[i].kind == LineKind::kEmpty) continue;
      const size_t number = lines[i].source_line;
      if (!one_long_word(lines[i])) {
        if (Diagnostic* d = fault("judge_output", number, 0, "an output line that prints something else"))
          d->required = "d getd of one long word with all its selectors, as in `d getd $lm0n0c0b0m0p0 1`";
        continue;
      }
      if (auto f = read_expectation(lines_[number - 1], expectation)) {
        if (Diagnostic* d = fault(f->diagnostic, number, f->column + 1, std::move(f->headline))) {
          d->observed = std::move(f->observed);
          d->required = std::move(f->required);
        }
        continue;
      }
      take(expectation, i);
    }
    if (faults_.empty() && testcase_.elements.empty())
      fault("judge_sections", lines_.size(), 0, "the file has no output lines");
  }

  void take(const Expectation& e, size_t line) {
    const size_t number = testcase_.output.lines[line].source_line;
    if (testcase_.dtype == nullptr) {
      testcase_.dtype = e.dtype;
      testcase_.rank = e.rank;
      testcase_.tolerance = e.tolerance;
    }
    const bool same_tolerance =
        e.tolerance.absolute == testcase_.tolerance.absolute && e.tolerance.relative == testcase_.tolerance.relative;
    if (e.dtype != testcase_.dtype || e.rank != testcase_.rank || !same_tolerance) {
      const auto text = [](const Dtype& t, int rank, const Tolerance& tolerance) {
        return fmt::format("{} of rank {} atol={} rtol={}", t.name, rank, tolerance.absolute, tolerance.relative);
      };
      if (Diagnostic* d = fault("judge_one_tensor", number, 0, "the line differs from the first output line")) {
        d->observed = text(*e.dtype, e.rank, e.tolerance);
        d->required = text(*testcase_.dtype, testcase_.rank, testcase_.tolerance);
      }
      return;
    }
    for (size_t k = 0; k < e.count(); ++k)
      testcase_.elements.push_back({static_cast<uint32_t>(line), static_cast<uint8_t>(k), e.values[k]});
    testcase_.indices.insert(testcase_.indices.end(), e.indices.begin(),
                             e.indices.begin() + static_cast<std::ptrdiff_t>(e.count()) * e.rank);
  }

  std::string_view text_;
  std::vector<std::string_view> lines_;
  size_t answer_ = 0, output_begin_ = 0;
  Testcase testcase_;
  std::vector<Diagnostic> faults_;
};

}  // namespace

Result<Testcase> read_testcase(std::string_view text, std::string_view file) {
  return TestcaseReader(text, file).run();
}

}  // namespace kumihimo::mncore2::judge
