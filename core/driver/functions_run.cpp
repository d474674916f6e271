// Functions that run and lower programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/driver/driver.h"
#include "core/interp/interp.h"

namespace kumihimo {
namespace {

using nlohmann::json;

struct RunCall {
  std::shared_ptr<ModuleObject> module;
  std::shared_ptr<TensorsObject> inputs;
  const Function* function = nullptr;
  RunOptions options;
};

Result<RunCall> run_call(Args a) {
  RunCall c;
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  auto inputs = arg_object<TensorsObject>(a, 1);
  if (!inputs) return inputs.take_error();
  auto keep = arg_int_or(a, 2, 0);
  if (!keep) return keep.take_error();
  c.module = *m;
  c.inputs = *inputs;
  c.options.keep_values = *keep != 0;
  auto f = entry_function(c.module->module);
  if (!f) return f.take_error();
  c.function = *f;
  return c;
}

// Names of values beside those of outputs: % and the node's id.
std::string value_name(ValueId v) { return fmt::format("%{}", v.node); }

Result<Value> module_exact(Args a) {
  auto c = run_call(a);
  if (!c) return c.take_error();
  auto run = run_exact(c->module->module, *c->function, c->inputs->tensors, c->options);
  if (!run) return run.take_error();
  auto out = std::make_shared<TensorsObject>();
  for (auto& [name, t] : run->outputs) out->tensors.emplace(name, std::move(t));
  for (const auto& [v, t] : run->values) out->tensors.emplace(value_name(v), *t);
  return Value{std::shared_ptr<Object>(out)};
}

Tensor as_double(const RealTensor& r) {
  Tensor t = Tensor::zeros(Dtype::kDouble, r.shape);
  std::memcpy(t.data.data(), r.data.data(), t.data.size());
  return t;
}

Result<Value> module_reference(Args a) {
  auto c = run_call(a);
  if (!c) return c.take_error();
  auto run = run_reference(c->module->module, *c->function, c->inputs->tensors, c->options);
  if (!run) return run.take_error();
  auto out = std::make_shared<TensorsObject>();
  for (const auto& [name, r] : run->outputs) out->tensors.emplace(name, as_double(r));
  for (const auto& [v, r] : run->values) out->tensors.emplace(value_name(v), as_double(*r));
  return Value{std::shared_ptr<Object>(out)};
}

Result<Value> module_lower(Args a) {
  auto m = arg_object<ModuleObject>(a, 0);
  if (!m) return m.take_error();
  auto text = arg_string_or(a, 1, "{}");
  if (!text) return text.take_error();
  json options = json::parse(text->begin(), text->end(), nullptr, false);
  if (!options.is_object()) return bad_argument(1, std::string(text->substr(0, 80)), "a JSON object of options");
  const Target* target = find_target((*m)->module.target());
  LowerOptions o;
  for (const auto& [key, value] : options.items())
    o.options[key] = value.is_string() ? value.get<std::string>() : value.dump();
  if (target->lower == nullptr) {
    Diagnostic d = make_error("target_no_lowering", fmt::format("{} has no instructions to lower to", target->name));
    d.observed = fmt::format("target {}", target->name);
    std::string known;
    for (const Target* t : all_targets())
      if (t->lower != nullptr) known += (known.empty() ? "" : ", ") + std::string(t->name);
    d.required = "one of " + known + "; check, exact and reference work on every target";
    return d;
  }
  auto lowered = target->lower((*m)->module, o);
  if (!lowered) return lowered.take_error();
  auto object = std::make_shared<LoweredObject>();
  object->target = target;
  object->lowered = std::move(*lowered);
  return Value{std::shared_ptr<Object>(object)};
}

Result<Value> lowered_text(Args a) {
  auto l = arg_object<LoweredObject>(a, 0);
  if (!l) return l.take_error();
  return Value{(*l)->lowered.text};
}

Result<Value> lowered_report(Args a) {
  auto l = arg_object<LoweredObject>(a, 0);
  if (!l) return l.take_error();
  return Value{(*l)->lowered.report_json};
}

// The code as a program of instruction-level nodes.
Result<Value> lowered_module(Args a) {
  auto l = arg_object<LoweredObject>(a, 0);
  if (!l) return l.take_error();
  if (!(*l)->lowered.instructions) return Value{};
  return Value{std::shared_ptr<Object>(std::make_shared<ModuleObject>((*l)->lowered.instructions->clone()))};
}

constexpr FunctionDef kFunctions[] = {
    {"module.exact", "(module, inputs: tensors, keep_values: bool = False) -> tensors",
     "runs the exact interpreter: the bits of the target, op by op", module_exact},
    {"module.reference", "(module, inputs: tensors, keep_values: bool = False) -> tensors",
     "runs the float64 reference on the quantised inputs", module_reference},
    {"module.lower", "(module, options: json = '{}') -> lowered", "lowers a program to instructions of its target",
     module_lower},
    {"lowered.text", "(lowered) -> str", "the assembly text", lowered_text},
    {"lowered.report", "(lowered) -> json", "steps, cycles, bound, places of inputs and outputs", lowered_report},
    {"lowered.module", "(lowered) -> module | None", "the code as instruction-level IR", lowered_module},
};

}  // namespace

std::span<const FunctionDef> run_functions() { return kFunctions; }

}  // namespace kumihimo
