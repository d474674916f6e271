#include "targets/mncore2/session/session.h"

#include <algorithm>
#include <span>

#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/emu/dump.h"
#include "targets/mncore2/emu/rows.h"

namespace kumihimo::mncore2::session {
namespace {

using Clock = std::chrono::steady_clock;

// Steps of one piece when the caller set a time budget: doubled until a piece takes a good part of it.
constexpr uint64_t kFirstPiece = 64;
// Lines of one piece otherwise: bounds the memory that decoded lines take.
constexpr size_t kLongestPiece = 1 << 16;

}  // namespace

Result<std::unique_ptr<Session>> Session::create(const Options& options) {
  auto machine = emu::Machine::create(*options.machine, options.emu);
  if (!machine) return machine.take_error();
  return std::unique_ptr<Session>(new Session(options, std::move(*machine)));
}

void Session::load(isa::Program program, std::string file) {
  program_ = std::move(program);
  file_ = std::move(file);
  loaded_ = true;
  position_ = {};
  const auto quit = std::ranges::find(program_.lines, isa::LineKind::kQuit, &isa::Line::kind);
  end_line_ = static_cast<size_t>(quit - program_.lines.begin());
}

void Session::reset() {
  machine_->reset();
  position_ = {};
  bases_ = {};
  failed_ = false;
}

void Session::trace(std::optional<Selection> selection, uint64_t limit) {
  selection_ = std::move(selection);
  trace_left_ = limit;
}

bool Session::ended() const { return position_.line >= end_line_; }

SourceRange Session::where(size_t line) const {
  return line < program_.lines.size() ? emu::where_of(program_.lines[line], file_) : SourceRange{};
}

uint64_t Session::steps_of(size_t line) const {
  const isa::Line& l = program_.lines[line];
  if (l.kind != isa::LineKind::kPe) return 0;
  for (const isa::Insn& insn : l.insns)
    if (insn.def->unit == isa::Unit::kNop) return insn.nop_count;
  return 1;
}

uint64_t Session::dump_lines_left(size_t line) const {
  if (program_.lines[line].kind != isa::LineKind::kDebugGet) return 0;
  const uint64_t all = emu::dump_line_count(program_.lines[line], *options_.machine);
  return line == position_.line ? all - std::min(all, position_.dumped) : all;
}

Status Session::execute(size_t first, size_t last, Progress& progress, bool dumps, emu::DumpWindow window) {
  emu::RunOptions options;
  options.file = file_;
  options.first_line = first;
  options.last_line = last;
  options.dump_window = window;
  if (dumps) options.sink = [&](std::string_view line) { progress.dumps.emplace_back(line); };
  auto report = machine_->run(program_, options);
  if (!report) return report.take_error();
  progress.mvs += report->mv_count;
  return Ok{};
}

Status Session::execute_traced(size_t line, const std::vector<Touch>& touches, Progress& progress, bool dumps) {
  const Watched watched(*selection_, touches, *options_.machine);
  const std::vector<uint64_t> before = watched.read(*machine_);
  Status s = execute(line, line + 1, progress, dumps);
  if (!s.ok()) return s;
  const std::vector<uint64_t> after = watched.read(*machine_);
  TraceEvent event{position_.step, line, {}};
  watched.for_each([&](isa::Mem mem, UnitCoord unit, int64_t addr, size_t i) {
    if (before[i] == after[i]) return;
    if (trace_left_ == 0) {
      ++progress.trace_dropped;
      return;
    }
    --trace_left_;
    event.changes.push_back({mem, unit, addr, before[i], after[i]});
  });
  if (!event.changes.empty()) progress.trace.push_back(std::move(event));
  return Ok{};
}

Result<Progress> Session::run(const Limits& limits) {
  if (!loaded_) return emu::error("emu_session", "the session has no program: load one first");
  if (failed_) return emu::error("emu_session", "the last run of this session ended with an error: reset it first");
  Progress progress;
  const auto started = Clock::now();
  uint64_t piece_steps = limits.budget.count() > 0 ? kFirstPiece : UINT64_MAX;
  std::vector<Touch> touches;
  const size_t end_line = std::min(end_line_, limits.line);
  while (position_.line < end_line && progress.steps < limits.steps) {
    // The rest of a nop/N that was cut.
    if (position_.nops > 0) {
      const uint64_t left = steps_of(position_.line) - position_.nops,
                     taken = std::min(left, limits.steps - progress.steps);
      progress.steps += taken;
      position_.step += taken;
      position_.nops = taken == left ? 0 : position_.nops + taken;
      position_.line += taken == left;
      continue;
    }
    // A `d get` that prints more than there is room for, or the rest of one that was cut.
    uint64_t room =
        limits.dumps ? limits.dump_lines - std::min(limits.dump_lines, uint64_t{progress.dumps.size()}) : UINT64_MAX;
    if (const uint64_t left = dump_lines_left(position_.line); position_.dumped > 0 || left > room) {
      if (left > 0 && room == 0) break;
      const uint64_t taken = std::min(left, room);
      Status s = execute(position_.line, position_.line + 1, progress, limits.dumps, {position_.dumped, taken});
      if (!s.ok()) {
        failed_ = true;
        return s.take_error();
      }
      position_.dumped = taken == left ? 0 : position_.dumped + taken;
      position_.line += taken == left;
      continue;
    }
    // A piece: lines that nothing has to be looked at in between.
    const uint64_t allowed = std::min(piece_steps, limits.steps - progress.steps);
    const size_t first = position_.line;
    size_t last = first;
    uint64_t steps = 0, cut_nops = 0;
    bool traced = false;  // the piece is one line that has to be looked at
    while (!traced && last < end_line && last - first < kLongestPiece && steps < allowed) {
      if (const uint64_t lines = dump_lines_left(last); lines > room)
        break;
      else
        room -= lines;
      if (selection_) {
        touches.clear();
        append_touched(program_.lines[last], bases_, touches);
        traced = selection_->step_in(position_.step + steps) && meets(*selection_, touches);
        if (traced && last > first) {
          traced = false;
          break;
        }
      } else {
        note_bases(program_.lines[last], bases_);
      }
      const uint64_t more = steps_of(last++);
      if (more > limits.steps - progress.steps - steps) {
        // nop/N: its word is executed now (its waits end with the first word); the rest only takes time.
        cut_nops = limits.steps - progress.steps - steps;
        steps += cut_nops;
        break;
      }
      steps += more;
    }
    if (traced && writes_through_dar(program_.lines[first])) {
      touches.clear();
      append_through_dar(program_.lines[first], *machine_, touches);
    }
    join(touches);
    Status s =
        traced ? execute_traced(first, touches, progress, limits.dumps) : execute(first, last, progress, limits.dumps);
    if (!s.ok()) {
      failed_ = true;
      return s.take_error();
    }
    progress.steps += steps;
    position_.step += steps;
    position_.line = cut_nops > 0 ? last - 1 : last;
    position_.nops = cut_nops;
    if (limits.budget.count() == 0) continue;
    const auto used = Clock::now() - started;
    if (used >= limits.budget) break;
    if (used < limits.budget / 4) piece_steps = std::min<uint64_t>(piece_steps * 2, uint64_t{1} << 40);
  }
  progress.ended = ended();
  return progress;
}

cost::CostReport Session::statistics() const {
  const std::span<const isa::Line> lines(program_.lines);
  if (position_.nops == 0) return cost::cost(lines.first(std::min(position_.line, end_line_)), *options_.machine);
  std::vector<isa::Line> copy(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(position_.line) + 1);
  for (isa::Insn& insn : copy.back().insns)
    if (insn.def->unit == isa::Unit::kNop) insn.nop_count = static_cast<uint32_t>(position_.nops);
  return cost::cost(std::span<const isa::Line>(copy), *options_.machine);
}

}  // namespace kumihimo::mncore2::session
