#include "targets/mncore2/session/diverge.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::session {
namespace {

// Joined while steps pass without comparison, so that a long way does not gather much.
constexpr size_t kManyTouches = 256;

Diagnostic refuse(std::string headline, std::string observed, std::string required) {
  Diagnostic d = emu::error("emu_selection", std::move(headline), {});
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

bool covers(const Touch& t, const Difference& d) {
  if (t.mem != d.mem || d.addr_lw < t.first_lw || d.addr_lw >= t.end_lw) return false;
  const int bit = d.mem == isa::Mem::kL2bm                              ? 2 * d.unit.g + d.unit.s
                  : d.mem == isa::Mem::kPdm || d.mem == isa::Mem::kDram ? d.unit.g
                                                                        : 0;
  return (t.instances >> bit & 1) != 0;
}

// The last line before `end` that may have written a word.
std::optional<size_t> writer(const Session& session, size_t end, const Difference& d) {
  BaseAddresses bases{{true, true}};
  std::vector<Touch> touches;
  for (size_t i = std::min(end, session.program().lines.size()); i-- > 0;) {
    touches.clear();
    append_touched(session.program().lines[i], bases, touches);
    for (const Touch& t : touches)
      if (covers(t, d)) return i;
  }
  return std::nullopt;
}

size_t lines_done(const Session& s) { return s.position().line + (s.position().nops > 0 ? 1 : 0); }

class Comparison {
 public:
  Comparison(const Side& a, const Side& b, const DivergeOptions& options)
      : a_(a), b_(b), options_(options), machine_(*a.session->options().machine) {}

  Result<DivergeReport> run() {
    Status s = options_.by_marks ? by_marks() : by_steps();
    if (!s.ok()) return s.take_error();
    report_.steps_a = a_.session->position().step;
    report_.steps_b = b_.session->position().step;
    return std::move(report_);
  }

 private:
  // Runs one session until `limits`, and notes what the lines may have changed.
  Status advance(Session& s, Limits limits) {
    BaseAddresses& bases = &s == a_.session ? bases_a_ : bases_b_;
    const auto& lines = s.program().lines;
    const size_t goal = std::min(limits.line, lines.size());
    while (!s.ended() && s.position().line < goal && limits.steps > 0) {
      // Where a `$di` destination lies is known right before its line.
      const size_t first = s.position().line;
      const bool through_dar = writes_through_dar(lines[first]);
      if (through_dar) append_through_dar(lines[first], s.machine(), pending_);
      size_t next = first + 1;
      while (!through_dar && next < goal && !writes_through_dar(lines[next])) ++next;
      limits.line = next;
      limits.dumps = false;
      auto progress = s.run(limits);
      if (!progress) return progress.take_error();
      limits.steps -= progress->steps;
      for (size_t i = through_dar ? next : first; i < lines_done(s); ++i) {
        append_touched(lines[i], bases, pending_);
        if (pending_.size() > kManyTouches) join(pending_);
      }
    }
    return Ok{};
  }

  // Compares what may have changed since the last comparison. True when something differs.
  bool compare(std::string mark) {
    join(pending_);
    const Watched watched(options_.selection, pending_, machine_);
    pending_.clear();
    if (watched.empty()) return false;
    const std::vector<uint64_t> a = watched.read(a_.session->machine()), b = watched.read(b_.session->machine());
    report_.compared += a.size();
    if (a == b) return false;
    Divergence d;
    watched.for_each([&](isa::Mem mem, UnitCoord unit, int64_t addr, size_t i) {
      if (a[i] == b[i]) return;
      if (d.differing++ < options_.most_words) d.words.push_back({mem, unit, addr, a[i], b[i]});
    });
    d.mark = std::move(mark);
    d.step_a = a_.session->position().step;
    d.step_b = b_.session->position().step;
    if (!options_.by_marks) d.step_a = d.step_b = points_ - 1;
    d.line_a = writer(*a_.session, lines_done(*a_.session), d.words[0]);
    d.line_b = writer(*b_.session, lines_done(*b_.session), d.words[0]);
    report_.first = std::move(d);
    return true;
  }

  Status by_steps() {
    Session &a = *a_.session, &b = *b_.session;
    if (options_.same_machines) {
      Status s = common_beginning();
      if (!s.ok()) return s;
    }
    while (!a.ended() || !b.ended()) {
      // Behind the window nothing is looked at any more.
      if (points_ >= options_.selection.end_step) return Ok{};
      uint64_t steps = std::min(quiet_steps(a, bases_a_), quiet_steps(b, bases_b_));
      if (points_ < options_.selection.first_step) steps = std::max(steps, options_.selection.first_step - points_);
      const bool quiet = steps > 0;
      if (!quiet) steps = 1;
      for (Session* s : {&a, &b}) {
        Status done = advance(*s, {.steps = steps});
        if (!done.ok()) return done;
      }
      points_ += steps;
      if (quiet) continue;
      if (options_.selection.step_in(points_ - 1) && meets(options_.selection, pending_) && compare("")) return Ok{};
    }
    return Ok{};
  }

  // Steps from here in which nothing selected can change.
  uint64_t quiet_steps(const Session& s, BaseAddresses bases) const {
    uint64_t steps = 0;
    size_t i = s.position().line;
    if (s.position().nops > 0) steps = s.steps_of(i) - s.position().nops, ++i;
    std::vector<Touch> touches;
    for (; i < s.program().lines.size(); ++i) {
      touches.clear();
      append_touched(s.program().lines[i], bases, touches);
      if (meets(options_.selection, touches)) return steps;
      steps += s.steps_of(i);
    }
    return UINT64_MAX;
  }

  // Equal lines on equal machines leave equal machines: nothing is compared before the first line that differs.
  Status common_beginning() {
    Session &a = *a_.session, &b = *b_.session;
    const auto &x = a.program().lines, &y = b.program().lines;
    size_t equal = 0;
    while (equal < x.size() && equal < y.size() && isa::same(x[equal], y[equal])) ++equal;
    // A step begins with the lines in front of its PE word.
    while (equal > 0 && x[equal - 1].kind != isa::LineKind::kPe) --equal;
    for (Session* s : {&a, &b}) {
      auto progress = s->run({.line = equal, .dumps = false});
      if (!progress) return progress.take_error();
    }
    for (size_t i = 0; i < equal; ++i) {
      note_bases(x[i], bases_a_);
      note_bases(x[i], bases_b_);
    }
    points_ = a.position().step;
    return Ok{};
  }

  Status by_marks() {
    const std::vector<Mark> a = marks_of(a_.text, a_.session->program()), b = marks_of(b_.text, b_.session->program());
    const auto names = [](const std::vector<Mark>& marks) {
      std::vector<std::string> out;
      for (const Mark& m : marks) out.push_back(m.name);
      return out;
    };
    const std::vector<std::string> left = names(a), right = names(b);
    if (left != right)
      return refuse("the two programs do not have the same marks",
                    fmt::format("[{}] and [{}]", fmt::join(left, " "), fmt::join(right, " ")),
                    "the same names in the same order, each on a line of its own: `# mark NAME`");
    if (left.empty())
      return refuse("the programs have no marks", "no line `# mark NAME`",
                    "marks in both programs, or alignment by steps");
    for (size_t i = 0; i <= a.size(); ++i) {
      const bool end = i == a.size();
      Status s = advance(*a_.session, {.line = end ? SIZE_MAX : a[i].line});
      if (s.ok()) s = advance(*b_.session, {.line = end ? SIZE_MAX : b[i].line});
      if (!s.ok()) return s;
      if (compare(end ? "end" : a[i].name)) return Ok{};
    }
    return Ok{};
  }

  const Side &a_, &b_;
  const DivergeOptions& options_;
  const MachineConfig& machine_;
  DivergeReport report_;
  BaseAddresses bases_a_, bases_b_;
  std::vector<Touch> pending_;
  uint64_t points_ = 0;  // steps that both sides have behind them
};

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

// NAME of a line `# mark NAME`; empty when the line is something else.
std::string_view mark_name(std::string_view line) {
  const auto skip = [&] { line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t"))); };
  skip();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip();
  if (!line.starts_with("mark")) return {};
  line.remove_prefix(4);
  if (line.empty() || (line[0] != ' ' && line[0] != '\t')) return {};
  skip();
  const auto end = std::ranges::find_if_not(line, is_name);
  const std::string_view name(line.data(), static_cast<size_t>(end - line.begin()));
  const bool alone = line.find_first_not_of(" \t\r", name.size()) == std::string_view::npos;
  return alone ? name : std::string_view();
}

}  // namespace

std::vector<Mark> marks_of(std::string_view text, const isa::Program& program) {
  std::vector<Mark> out;
  size_t next = 0;
  for (uint32_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.size(), text.find('\n'));
    if (const std::string_view name = mark_name(text.substr(0, end)); !name.empty()) {
      while (next < program.lines.size() && program.lines[next].source_line < number) ++next;
      out.push_back({std::string(name), next});
    }
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return out;
}

Result<DivergeReport> diverge(const Side& a, const Side& b, const DivergeOptions& options) {
  if (a.session->options().machine != b.session->options().machine)
    return refuse("the two sides run on different machines",
                  fmt::format("{} and {}", a.session->options().machine->name, b.session->options().machine->name),
                  "one machine");
  return Comparison(a, b, options).run();
}

}  // namespace kumihimo::mncore2::session
