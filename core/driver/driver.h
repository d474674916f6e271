// The driver: what the process knows (targets, functions), and the functions that every target shares.
#pragma once

#include <memory>
#include <string_view>

#include "core/dispatch/function.h"
#include "core/dispatch/objects.h"
#include "core/dispatch/target.h"

namespace kumihimo {

// Registers the in-tree targets and the core functions, once; cheap to call again.
void initialise();

// In targets.cpp: hands every in-tree target to register_target.
void register_in_tree_targets();

Diagnostic unknown_function(std::string_view name);

// Function rows, one array per file functions_*.cpp.
std::span<const FunctionDef> module_functions();
std::span<const FunctionDef> layout_functions();
std::span<const FunctionDef> tensor_functions();
std::span<const FunctionDef> run_functions();
std::span<const FunctionDef> describe_functions();

}  // namespace kumihimo
