#include <fmt/format.h>

#include <mutex>

#include "core/dispatch/function.h"
#include "core/dispatch/target.h"

namespace kumihimo {
namespace {

// Appended to under a lock while the process starts; read-only afterwards.
struct Registry {
  std::mutex mutex;
  std::vector<const Target*> targets;
  std::vector<const FunctionDef*> functions;
};
Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

void register_target(const Target* target) {
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    for (const Target* t : r.targets)
      if (t->name == target->name) return;
    r.targets.push_back(target);
  }
  for (const Variant& v : target->variants)
    for (const Constraint* c : v.constraints) register_diagnostics(&c->def, 1);
  for (std::span<const DiagDef> rows : target->diagnostics) register_diagnostics(rows.data(), rows.size());
  register_functions(target->functions);
}

const Target* find_target(std::string_view name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (const Target* t : r.targets)
    if (t->name == name) return t;
  return nullptr;
}

std::vector<const Target*> all_targets() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  return r.targets;
}

Result<const Target*> require_target(std::string_view name) {
  if (const Target* t = find_target(name)) return t;
  std::string known;
  for (const Target* t : all_targets()) known += (known.empty() ? "" : ", ") + std::string(t->name);
  Diagnostic d = make_error("target_unknown", fmt::format("there is no target {}", name));
  d.observed = std::string(name);
  d.required = known.empty() ? "a registered target" : "one of " + known;
  return d;
}

void register_functions(std::span<const FunctionDef> rows) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (const FunctionDef& f : rows) r.functions.push_back(&f);
}

const FunctionDef* find_function_def(std::string_view name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (const FunctionDef* f : r.functions)
    if (f->name == name) return f;
  return nullptr;
}

std::vector<const FunctionDef*> all_functions() {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  return r.functions;
}

Diagnostic bad_argument(size_t i, std::string observed, std::string required) {
  Diagnostic d = make_error("call_argument", fmt::format("argument {} has the wrong kind", i));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

namespace {

std::string kind_of(Args args, size_t i) {
  if (i >= args.size()) return "nothing";
  constexpr const char* kNames[] = {"null", "a truth value", "an integer", "a float", "a string", "an object"};
  return kNames[args[i].index()];
}
bool absent(Args args, size_t i) { return i >= args.size() || std::holds_alternative<std::monostate>(args[i]); }

}  // namespace

Result<int64_t> arg_int(Args args, size_t i) {
  if (i < args.size()) {
    if (const auto* v = std::get_if<int64_t>(&args[i])) return *v;
    if (const auto* b = std::get_if<bool>(&args[i])) return static_cast<int64_t>(*b);
  }
  return bad_argument(i, kind_of(args, i), "an integer");
}

Result<double> arg_float(Args args, size_t i) {
  if (i < args.size()) {
    if (const auto* v = std::get_if<double>(&args[i])) return *v;
    if (const auto* n = std::get_if<int64_t>(&args[i])) return static_cast<double>(*n);
  }
  return bad_argument(i, kind_of(args, i), "a number");
}

Result<bool> arg_bool(Args args, size_t i) {
  if (i < args.size())
    if (const auto* v = std::get_if<bool>(&args[i])) return *v;
  return bad_argument(i, kind_of(args, i), "true or false");
}

Result<std::string_view> arg_string(Args args, size_t i) {
  if (i < args.size())
    if (const auto* v = std::get_if<std::string>(&args[i])) return std::string_view(*v);
  return bad_argument(i, kind_of(args, i), "a string");
}

Result<int64_t> arg_int_or(Args args, size_t i, int64_t fallback) {
  if (absent(args, i)) return fallback;
  return arg_int(args, i);
}

Result<std::string_view> arg_string_or(Args args, size_t i, std::string_view fallback) {
  if (absent(args, i)) return fallback;
  return arg_string(args, i);
}

}  // namespace kumihimo
