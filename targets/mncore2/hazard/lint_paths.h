// Results that are not kept in an addressed memory: forwarding paths, matrix registers, the turnaround register.
#pragma once

#include <array>

#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

class PathChecker {
 public:
  explicit PathChecker(LintContext& context) : context_(context) {}
  void read(const isa::Insn& insn);
  // What the step leaves behind; call after its reads. A step with noforward leaves the forwarding paths as they were.
  void write(const isa::Line& line, bool noforward);

 private:
  struct Path {
    bool fresh = false;  // its unit worked in the last step that updates paths
    int64_t step = 0;
    size_t line = Finding::kNoLine;
  };
  struct Side {
    isa::Prec prec = isa::Prec::kNone;
    size_t line = Finding::kNoLine;
  };
  void forwarding(const isa::Operand& op);
  void matrix(const isa::Insn& insn);
  void turnaround(const isa::Insn& insn);

  LintContext& context_;
  std::array<Path, 4> paths_;  // mauf, aluf, lbf, mreadf
  std::array<Side, 2> sides_;  // $x, $y
  int turn_rate_ = 0;          // long words per cycle of the last upload, 0 = none
  bool turn_dlw_ = false;
  size_t turn_line_ = Finding::kNoLine;
};

}  // namespace kumihimo::mncore2::hazard
