#include "core/driver/driver.h"

#include <fmt/format.h>

#include <mutex>

#include "core/base/nearest.h"

namespace kumihimo {

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_in_tree_targets();
    for (auto rows :
         {module_functions(), layout_functions(), tensor_functions(), run_functions(), describe_functions()})
      register_functions(rows);
  });
}

Diagnostic unknown_function(std::string_view name) {
  std::vector<std::string> names;
  for (const FunctionDef* f : all_functions()) names.emplace_back(f->name);
  Diagnostic d = make_error("call_unknown_function", fmt::format("there is no function {}", name));
  d.observed = std::string(name);
  d.required = "a registered function" + did_you_mean(name, names) + "; functions.list names them";
  return d;
}

}  // namespace kumihimo
