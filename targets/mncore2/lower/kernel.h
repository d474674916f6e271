// What lowering makes of a program on this machine: code, places of inputs and outputs, cost and bound.
#pragma once

#include <string>
#include <vector>

#include "core/dispatch/target.h"
#include "targets/mncore2/lower/bound.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/sched/schedule.h"

namespace kumihimo::mncore2::lower {

// Where an output lies when the program has ended.
struct OutputPlace {
  std::string name;
  TypeRef type = nullptr;
  isa::Mem mem = isa::Mem::kNone;
  int64_t addr_lw = 0;
};

struct Kernel {
  const MachineConfig* machine = nullptr;
  sched::Scheduled scheduled;
  std::vector<InputPlace> inputs;
  std::vector<OutputPlace> outputs;
  Bound bound;
};

// Lowers the function `main`, or the only one.
Result<std::shared_ptr<Kernel>> lower_kernel(const Module& module, const LowerOptions& options);

// The Target's entry: text and report of lower_kernel. With option with_data the text ends in `d get` lines of
// the outputs.
Result<Lowered> lower(const Module& module, const LowerOptions& options);

// VSM text of a kernel: a comment per line says what it computes.
std::string kernel_text(const Kernel& kernel, bool with_outputs);

}  // namespace kumihimo::mncore2::lower
