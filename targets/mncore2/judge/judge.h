// The judge: a testcase, an answer, a verdict.
//
//   auto testcase = read_testcase(text, "relu.vsm");
//   auto verdict = judge(*testcase, answer, "mine.vsm", {});
//   verdict->accepted(); verdict->score();        // PE lines + MV lines of the answer
//
// The rules are those of the public contest: the answer is assembled alone, with the rules between steps that the
// vendor's assembler enforces; its debug lines are left out; it runs after the inputs, on zeroed memories; every output
// value must equal the expected one or miss it by no more than one of the tolerances. An MV that wraps around its memory
// is refused before anything runs. `strict` asks for more: no
// reading of undefined data, no missing wait, none of the estimated hazards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/cost/cost.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/judge/testcase.h"

namespace kumihimo::mncore2::judge {

struct JudgeOptions {
  const MachineConfig* machine = nullptr;  // null = mncore2
  emu::EmuOptions emu;                     // strict, poison, threads, switches
  std::string profile;                     // of the linter; empty = published, or default when strict
  bool keep_get = false;                   // `d get` lines of the answer print into Verdict::user_dump
  bool keep_set = false;                   // `d set` lines of the answer are run; it can then not be accepted
  size_t max_mismatches = 10;              // that are described; all are counted
};

struct Mismatch {
  size_t element = 0;  // of Testcase::elements
  uint64_t bits = 0;   // the long word that was seen
  Value seen;
};

struct Verdict {
  std::vector<Diagnostic> refusals;  // why the answer does not count although it assembles
  size_t compared = 0, wrong = 0;    // values
  std::vector<Mismatch> mismatches;  // the first ones, in the order of the file
  std::vector<std::string> user_dump;
  int64_t pe_lines = 0, mv_lines = 0;  // j and m of the published score
  int64_t bytes = 0;                   // of the answer without comments and empty lines
  int64_t dropped_debug_lines = 0;
  cost::CostReport cost;  // of the answer
  bool accepted() const { return refusals.empty() && wrong == 0; }
  int64_t score() const { return pe_lines + mv_lines; }
};

// An error says that the answer does not assemble or does not run.
Result<Verdict> judge(const Testcase& testcase, std::string_view answer, std::string_view answer_file,
                      const JudgeOptions& options);

// One value that differs: its index, place, line, what was seen and needed.
Diagnostic describe(const Mismatch& mismatch, const Testcase& testcase);
std::string index_text(const Testcase& testcase, size_t element);  // "[3,15]"

}  // namespace kumihimo::mncore2::judge
