// Objects that cross the boundary: programs, sets of tensors, lowered programs.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/dispatch/function.h"
#include "core/dispatch/target.h"

namespace kumihimo {

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

}  // namespace kumihimo
