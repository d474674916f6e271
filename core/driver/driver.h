// The driver: what the process knows (targets, functions), and the functions that every target shares.
#pragma once

#include <memory>
#include <string_view>

#include "core/dispatch/function.h"
#include "core/dispatch/target.h"

namespace kumihimo {

// Registers the in-tree targets and the core functions, once; cheap to call again.
void initialise();

// In targets.cpp: hands every in-tree target to register_target.
void register_in_tree_targets();

Diagnostic unknown_function(std::string_view name);

// Objects of the boundary.
struct ModuleObject final : Object {
  static constexpr std::string_view kTypeName = "module";
  explicit ModuleObject(Module m) : module(std::move(m)) {}
  std::string_view type_name() const override { return kTypeName; }
  Module module;
};

struct TensorsObject final : Object {
  static constexpr std::string_view kTypeName = "tensors";
  std::string_view type_name() const override { return kTypeName; }
  std::map<std::string, Tensor, std::less<>> tensors;
};

struct LoweredObject final : Object {
  static constexpr std::string_view kTypeName = "lowered";
  std::string_view type_name() const override { return kTypeName; }
  const Target* target = nullptr;
  Lowered lowered;
};

// Function rows, one array per file functions_*.cpp.
std::span<const FunctionDef> module_functions();
std::span<const FunctionDef> tensor_functions();
std::span<const FunctionDef> run_functions();
std::span<const FunctionDef> describe_functions();

}  // namespace kumihimo
