// Words that nothing has written: where they reach a dump, an address, or meet written ones in a block conversion, a
// contraction or a reduction. Moving or adding them is no fault, for padded places of a tensor hold anything.
//
// What is reported is certain, for any data and in every unit; strict mode of the emulator reports it too when the program
// runs, and more: what depends on data or on single units (defined_lanes.h).
#pragma once

#include "targets/mncore2/hazard/defined_tree.h"
#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

// What a program says about the memories that it finds.
struct StartingState {
  // Whether there is anything to judge. Text without input lines and dumps is a part of something, a kernel or the answer
  // to a testcase: the memories hold what came before. Debug and input lines alone are the frame of such a part.
  bool judged = false;
  bool inputs = false;   // d set, r or c: what is not set there is not set
  bool outside = false;  // r or c: DRAM and PDM are said as well; else the host has filled them
};
StartingState starting_state(const isa::Program& program);

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
  const StartingState start_;
  DefinedMemory memory_;
  std::vector<Harm> harms_;
};

}  // namespace kumihimo::mncore2::hazard
