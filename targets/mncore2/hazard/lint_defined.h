// Words that nothing has written: where they reach a dump, an address, or meet written ones in a block conversion, a
// contraction or a reduction. Moving or adding them is no fault, for padded places of a tensor hold anything.
//
// What is reported is certain, for any data and in every unit; strict mode of the emulator reports it too when the program
// runs, and more: what depends on data or on single units (defined_lanes.h).
#pragma once

#include "targets/mncore2/hazard/defined_tree.h"
#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

class DefinedChecker {
 public:
  explicit DefinedChecker(LintContext& context);
  void step(const isa::Line& line, bool noforward);
  void mv(const isa::Insn& insn);
  void statement(const isa::Line& line);  // debug and input lines

 private:
  void set(const isa::Line& line);
  void get(const isa::Line& line);
  void report();

  LintContext& context_;
  // Debug and input lines alone are a frame around a program that is not here (a testcase): its dumps print results.
  const bool frame_;
  DefinedMemory memory_;
  std::vector<Harm> harms_;
};

}  // namespace kumihimo::mncore2::hazard
