// Functions that the outside may call: the rows behind the one generic call of the C ABI.
//
// A row has a name ("layout.parse", "mncore2.emulate"), a signature for people and stubs, one sentence, and
// the function. Core, driver and targets hand arrays of rows to register_functions; the boundary looks
// names up and converts cells. Registration ends when the first call comes in.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/diag/diagnostic.h"

namespace kumihimo {

// Base of everything that crosses the boundary by reference.
struct Object {
  virtual ~Object() = default;
  virtual std::string_view type_name() const = 0;
};

using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::shared_ptr<Object>>;
using Args = std::span<const Value>;

struct FunctionDef {
  std::string_view name;
  std::string_view signature;  // "(text: str, bits: int = 64) -> str"
  std::string_view doc;
  Result<Value> (*call)(Args);
};

void register_functions(std::span<const FunctionDef> rows);
const FunctionDef* find_function_def(std::string_view name);
std::vector<const FunctionDef*> all_functions();

// Typed access to arguments; an error names the function, the position, what was seen and what is needed.
Result<int64_t> arg_int(Args args, size_t i);
Result<double> arg_float(Args args, size_t i);
Result<bool> arg_bool(Args args, size_t i);
Result<std::string_view> arg_string(Args args, size_t i);
// A missing or null argument gives the fallback.
Result<int64_t> arg_int_or(Args args, size_t i, int64_t fallback);
Result<std::string_view> arg_string_or(Args args, size_t i, std::string_view fallback);

Diagnostic bad_argument(size_t i, std::string observed, std::string required);

template <class T>
Result<std::shared_ptr<T>> arg_object(Args args, size_t i) {
  if (i < args.size())
    if (auto* p = std::get_if<std::shared_ptr<Object>>(&args[i]))
      if (auto t = std::dynamic_pointer_cast<T>(*p)) return t;
  return bad_argument(i, i < args.size() ? "another kind of value" : "nothing", std::string(T::kTypeName));
}

}  // namespace kumihimo
