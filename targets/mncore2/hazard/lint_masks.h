// Mask widths: a mask guards the elements that its bits stand for (ISA 3.3).
//
// Bits of an `l` mask stand for the four halves of the MSB long word, those of an `ll` mask for the four words of the
// double long word. A fixed pattern has four equal bits per cycle; a mask register holds what flags made of it.
#pragma once

#include <array>

#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

class MaskChecker {
 public:
  explicit MaskChecker(LintContext& context) : context_(context) {}
  void read(const isa::Insn& insn);
  void write(const isa::Insn& insn);  // after all reads of the step: flags guard from the next step on

 private:
  void guarded(const isa::Insn& insn, const isa::Operand& dst);
  LintContext& context_;
  // By mask register: elements of the long word that its flags tell apart (1, 2 or 4), 0 = not written; and where.
  std::array<int, 16> elements_{};
  std::array<size_t, 16> line_{};
};

}  // namespace kumihimo::mncore2::hazard
