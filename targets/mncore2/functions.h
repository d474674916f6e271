// Functions of this target for the outside: assembling, linting and emulating VSM, running lowered kernels, judging answers.
#pragma once

#include <span>
#include <string_view>

#include "core/dispatch/function.h"
#include "targets/mncore2/emu/machine.h"

namespace kumihimo::mncore2 {

std::span<const FunctionDef> vsm_functions();     // functions_vsm.cpp
std::span<const FunctionDef> kernel_functions();  // functions_kernel.cpp
std::span<const FunctionDef> judge_functions();   // functions_judge.cpp

// Options of a run as a JSON object: machine, strict, threads, poison, switches. `argument` is named in errors.
struct EmulateOptions {
  const MachineConfig* machine = nullptr;
  emu::EmuOptions emu;
};
Result<EmulateOptions> emulate_options(std::string_view text, size_t argument);  // functions_vsm.cpp

}  // namespace kumihimo::mncore2
