// The first point where two programs leave different values in chosen memories.
//
//   diverge(a, b, {.selection = ...})                    after every step, both counted from 0
//   diverge(a, b, {.selection = ..., .by_marks = true})  at marks: comments of the form `# mark NAME`, and at the end
//
// Both sides run with their own options, so one program can be held against itself on another path of the emulator, with
// other switches or another poison. Every step counts, also when a difference vanishes later; only words that a line
// may have changed are compared, and lines that both programs begin with are run without comparing when the options
// agree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "targets/mncore2/session/session.h"

namespace kumihimo::mncore2::session {

// A named place: before the first line that follows it.
struct Mark {
  std::string name;
  size_t line;
};
// `# mark NAME` on lines of their own, in order. NAME: letters, digits, _ . -
std::vector<Mark> marks_of(std::string_view text, const isa::Program& program);

struct DivergeOptions {
  Selection selection;
  bool by_marks = false;
  bool same_machines = true;  // equal lines leave equal machines: the common beginning need not be compared
  size_t most_words = 16;     // differing words that are listed
};

struct Side {
  Session* session = nullptr;
  std::string_view text;  // source, for marks
};

struct Difference {
  isa::Mem mem;
  UnitCoord unit;
  int64_t addr_lw;
  uint64_t a, b;
};
struct Divergence {
  // Step number from 0, or the mark: the first point at which the selected memories differ.
  uint64_t step_a = 0, step_b = 0;
  std::string mark;                      // by marks; "end" = both have ended
  std::optional<size_t> line_a, line_b;  // last line before that point that may have written the first word
  std::vector<Difference> words;
  uint64_t differing = 0;  // all of them
};
struct DivergeReport {
  std::optional<Divergence> first;
  uint64_t steps_a = 0, steps_b = 0;  // executed
  uint64_t compared = 0;              // words that were compared, over all points
};

// Preconditions: both sessions are loaded and stand at the first line.
Result<DivergeReport> diverge(const Side& a, const Side& b, const DivergeOptions& options);

}  // namespace kumihimo::mncore2::session
