// Alignment beyond what the assembler refuses: addresses that are made at run time from literals, and L1BM addresses that
// no known code uses.
#pragma once

#include <array>

#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

class AlignChecker {
 public:
  explicit AlignChecker(LintContext& context) : context_(context) {}
  void read(const isa::Insn& insn);
  void write(const isa::Insn& insn);  // after all accesses of the step

 private:
  // What T or a base address holds when a literal was the last thing written there.
  struct Known {
    bool known = false;
    int64_t value = 0;
    size_t line = Finding::kNoLine;
  };
  void l1bm(const isa::Insn& insn);
  void lm(const isa::Operand& op);

  LintContext& context_;
  std::array<Known, 2> bar_{{{true}, {true}}};  // 0 until they are written
  Known t_;
};

}  // namespace kumihimo::mncore2::hazard
