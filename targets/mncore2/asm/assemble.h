// The assembler: text of the VSM language to decoded lines, with every error of a run.
//
//   AsmResult r = assemble("l1bmm $lb0 $lr0v\nfvmul $lr0v $ls0v $lm0v\n", "kernel.vsm");
//   if (!r.ok()) for (const Diagnostic& d : r.errors) ... render_text(d)
//
// Grammar: ISA notes 3.1 to 3.5. Comments (# and !) and blank lines leave no trace in the program; `quit` ends reading.
// A statement with an error is left out of the program, reading goes on behind the next ';' or line. Legality is
// isa/check.h: what assembles is exactly what check_line accepts under the mask statement in force.
// Any bytes are accepted as input; nothing here recurses or depends on their meaning.
#pragma once

#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::vsm {

struct AsmResult {
  isa::Program program;
  std::vector<Diagnostic> errors;
  size_t suppressed = 0;  // errors beyond kMaxErrors, counted only
  bool ok() const { return errors.empty(); }
};

inline constexpr size_t kMaxErrors = 1000;

AsmResult assemble(std::string_view text, std::string_view filename = {});

// One error object for a whole run: the first error with the others as related. Precondition: !result.ok().
Diagnostic as_one(const AsmResult& result);

}  // namespace kumihimo::mncore2::vsm
