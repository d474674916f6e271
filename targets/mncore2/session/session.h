// A session with the emulator: a machine, a program, a position in it.
//
//   auto s = Session::create(options);
//   (*s)->load(program, "kernel.vsm");
//   (*s)->run({.steps = 100});              // 100 steps, then the position stands behind the 100th
//   (*s)->machine().read_lw(...);
//   (*s)->run();                            // to the end
//
// Time is counted in steps (PE instruction words; nop/N counts N). Lines that take no step (MV, d get, d set, r, mask)
// are executed with the step that follows them: after run({.steps = n}) the position stands right behind the n-th PE
// word, and what stands between it and the next PE word has not happened yet.
//
// Law: run({.steps = a}) and run({.steps = b}) leave the machine, the dumps and the findings as run({.steps = a + b}) does,
// wherever the cut is (in a nop/N or a `d get` too), with or without a trace, and so does saving between them and loading into another session.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "targets/mncore2/cost/cost.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/session/options.h"
#include "targets/mncore2/session/selection.h"
#include "targets/mncore2/session/touched.h"

namespace kumihimo::mncore2::session {

struct Position {
  size_t line = 0;      // index into Program::lines of the next line; lines.size() or that of `quit` at the end
  uint64_t nops = 0;    // words of that line's nop/N that are done
  uint64_t step = 0;    // PE instruction words done since load
  uint64_t dumped = 0;  // dump lines of that line's `d get` that are printed
  friend bool operator==(const Position&, const Position&) = default;
};

// A long word that changed in a traced line.
struct Change {
  isa::Mem mem;
  UnitCoord unit;
  int64_t addr_lw;
  uint64_t before, after;
};
struct TraceEvent {
  uint64_t step;  // number of the step, from 0; of a line without a step: of the step that follows
  size_t line;    // index into Program::lines
  std::vector<Change> changes;
};

struct Limits {
  uint64_t steps = UINT64_MAX;
  size_t line = SIZE_MAX;  // stops before this line (index into Program::lines)
  // Stops when this many dump lines are printed, inside a `d get` if need be: a caller that writes them away comes back.
  uint64_t dump_lines = UINT64_MAX;
  bool dumps = true;  // false: `d get` prints nothing
  // Stops at a line boundary when this time is used up (0 = no limit): a caller that has to look at signals comes back.
  std::chrono::milliseconds budget{0};
};

struct Progress {
  uint64_t steps = 0, mvs = 0;
  bool ended = false;
  std::vector<std::string> dumps;  // lines that `d get` printed
  std::vector<TraceEvent> trace;
  uint64_t trace_dropped = 0;  // changes beyond the trace's limit
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> create(const Options& options);

  // The position goes to the first line; memories, registers, masks and findings stay as they are, so that data may be
  // set before, and a program may follow another.
  void load(isa::Program program, std::string file);
  bool has_program() const { return loaded_; }

  // After an error (K40xx) the memories are unspecified until reset().
  Result<Progress> run(const Limits& limits = {});

  // As after create and load: memories poisoned, position at the first line, no findings; the program stays.
  void reset();

  // From here on runs report changes of the selected words, at most `limit` of them; nullopt = no trace.
  void trace(std::optional<Selection> selection, uint64_t limit);

  // Time of the lines before the position (cost.h); a nop/N that is done in part counts in part.
  cost::CostReport statistics() const;

  bool ended() const;
  uint64_t steps_of(size_t line) const;  // PE words of a line: 0, 1, or the N of nop/N
  const Position& position() const { return position_; }
  const isa::Program& program() const { return program_; }
  const std::string& file() const { return file_; }
  const Options& options() const { return options_; }
  SourceRange where(size_t line) const;  // of a line of the program
  emu::Machine& machine() { return *machine_; }
  const emu::Machine& machine() const { return *machine_; }
  // Must be called after base addresses were written from outside.
  void base_addresses_changed() { bases_.written[0] = bases_.written[1] = true; }

  // A copy of the session's state, for load into a session with the same options and the same lines up to the
  // position. Refused (K4020) otherwise and when bytes are missing or changed.
  Result<std::string> save() const;
  Status restore(std::string_view bytes);

 private:
  Session(const Options& options, std::unique_ptr<emu::Machine> machine)
      : options_(options), machine_(std::move(machine)) {}
  Status execute(size_t first, size_t last, Progress& progress, bool dumps, emu::DumpWindow window = {});
  // Lines of the `d get` at `line` that are still to be printed; 0 for other lines.
  uint64_t dump_lines_left(size_t line) const;
  Status execute_traced(size_t line, const std::vector<Touch>& touches, Progress& progress, bool dumps);
  std::string prefix_text() const;  // the lines before the position, in canonical form

  Options options_;
  std::unique_ptr<emu::Machine> machine_;
  isa::Program program_;
  std::string file_;
  bool loaded_ = false, failed_ = false;
  size_t end_line_ = 0;
  Position position_;
  BaseAddresses bases_;
  std::optional<Selection> selection_;
  uint64_t trace_left_ = 0;
};

}  // namespace kumihimo::mncore2::session
