// Functions of this target for the outside: assembling, linting and emulating VSM, questions of editors,
// emulator sessions, running lowered kernels, judging answers.
#pragma once

#include <span>

#include "core/dispatch/function.h"

namespace kumihimo::mncore2 {

std::span<const FunctionDef> vsm_functions();       // functions_vsm.cpp
std::span<const FunctionDef> editor_functions();    // functions_editor.cpp
std::span<const FunctionDef> emulator_functions();  // functions_emulator.cpp
std::span<const FunctionDef> kernel_functions();    // functions_kernel.cpp
std::span<const FunctionDef> judge_functions();     // functions_judge.cpp

}  // namespace kumihimo::mncore2
