// Functions of this target for the outside: assembling, linting and emulating VSM, running lowered kernels.
#pragma once

#include <span>

#include "core/dispatch/function.h"

namespace kumihimo::mncore2 {

std::span<const FunctionDef> vsm_functions();     // functions_vsm.cpp
std::span<const FunctionDef> kernel_functions();  // functions_kernel.cpp

}  // namespace kumihimo::mncore2
