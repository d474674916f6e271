// Functions on lowered kernels: run on the emulator, compare with expected bits, give the data lines.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/dispatch/objects.h"
#include "targets/mncore2/functions.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/object/object.h"
#include "targets/mncore2/run/run.h"

namespace kumihimo::mncore2 {
namespace {

using nlohmann::json;

struct RunObject final : Object {
  static constexpr std::string_view kTypeName = "mncore2.run";
  std::string_view type_name() const override { return kTypeName; }
  KernelRun run;
};

Result<std::shared_ptr<lower::Kernel>> kernel_of(Args a) {
  auto l = arg_object<LoweredObject>(a, 0);
  if (!l) return l.take_error();
  if ((*l)->target == nullptr || (*l)->target->lower != &lower::lower)
    return bad_argument(0, "a program lowered for another machine", "one lowered for mncore2");
  return std::static_pointer_cast<lower::Kernel>((*l)->lowered.target_data);
}

Result<json> options_json(Args a, size_t i) {
  auto text = arg_string_or(a, i, "{}");
  if (!text) return text.take_error();
  json j = json::parse(text->begin(), text->end(), nullptr, false);
  if (!j.is_object()) return bad_argument(i, std::string(text->substr(0, 80)), "a JSON object of options");
  return j;
}

Result<KernelRunOptions> run_options(Args a, size_t i) {
  auto options = options_json(a, i);
  if (!options) return options.take_error();
  KernelRunOptions o;
  for (const auto& [key, value] : options->items()) {
    if (key == "strict" && value.is_boolean())
      o.strict = value.get<bool>();
    else if (key == "threads" && value.is_number_integer())
      o.threads = value.get<int>();
    else if (key == "poison" && value.is_number_unsigned())
      o.poison = value.get<uint64_t>();
    else
      return bad_argument(i, fmt::format("{}: {}", key, value.dump()),
                          "strict (true, false), threads (integer), poison (64-bit integer)");
  }
  return o;
}

Result<Value> run_as_object(const lower::Kernel& kernel, const TensorsObject& inputs, const KernelRunOptions& options) {
  auto run = run_kernel(kernel, inputs.tensors, options);
  if (!run) return run.take_error();
  auto object = std::make_shared<RunObject>();
  object->run = std::move(*run);
  return Value{std::shared_ptr<Object>(object)};
}

Result<Value> run_call(Args a) {
  auto kernel = kernel_of(a);
  if (!kernel) return kernel.take_error();
  auto inputs = arg_object<TensorsObject>(a, 1);
  if (!inputs) return inputs.take_error();
  auto options = run_options(a, 2);
  if (!options) return options.take_error();
  return run_as_object(**kernel, **inputs, *options);
}

Result<Value> run_text_call(Args a) {
  auto kernel = kernel_of(a);
  if (!kernel) return kernel.take_error();
  auto text = arg_string(a, 1);
  if (!text) return text.take_error();
  auto inputs = arg_object<TensorsObject>(a, 2);
  if (!inputs) return inputs.take_error();
  auto options = run_options(a, 3);
  if (!options) return options.take_error();
  auto program = object::read_program(*text, "<program>");
  if (!program) return program.take_error();
  options->program = &*program;
  auto run = run_as_object(**kernel, **inputs, *options);
  if (!run || !options->strict) return run;
  // As in mncore2.emulate: what a real machine would read too early is the linter's to say.
  auto& object = static_cast<RunObject&>(*std::get<std::shared_ptr<Object>>(*run));
  for (const hazard::Finding& f : hazard::lint_errors(*program))
    object.run.findings.push_back(hazard::to_diagnostic(f, *program, "<program>"));
  return run;
}

Result<Value> run_outputs(Args a) {
  auto r = arg_object<RunObject>(a, 0);
  if (!r) return r.take_error();
  auto out = std::make_shared<TensorsObject>();
  for (const OutputImage& o : (*r)->run.outputs) out->tensors.emplace(o.name, output_tensor(o));
  return Value{std::shared_ptr<Object>(out)};
}

Result<Value> run_compare(Args a) {
  auto r = arg_object<RunObject>(a, 0);
  if (!r) return r.take_error();
  auto expected = arg_object<TensorsObject>(a, 1);
  if (!expected) return expected.take_error();
  json out = json::object();
  int64_t words = 0, required = 0, mismatches = 0;
  json per_output = json::array();
  for (const OutputImage& o : (*r)->run.outputs) {
    auto it = (*expected)->tensors.find(o.name);
    if (it == (*expected)->tensors.end()) {
      Diagnostic d = make_error("run_missing_input", fmt::format("output {} has no expected value", o.name));
      d.observed = "no tensor of that name";
      d.required = to_string(*o.type);
      return d;
    }
    const Tensor& t = it->second;
    if (t.dtype != o.type->dtype || t.shape != o.type->shape || t.partial != o.map.partial()) {
      Diagnostic d = make_error("run_input_shape", fmt::format("the expected value of {} does not fit", o.name));
      d.observed = to_string(*logical_type(t.dtype, t.shape));
      d.required = to_string(*o.type);
      return d;
    }
    Comparison c = compare_all_copies(o.map, o.image, t.data);
    words += c.words_compared;
    required += o.map.words();
    mismatches += c.mismatches;
    json j{{"name", o.name},
           {"words", c.words_compared},
           {"required", o.map.words()},
           {"mismatches", c.mismatches},
           {"undefined_words", o.undefined_words}};
    if (c.first)
      j["first"] = {{"index", c.first->index},
                    {"partial", c.first->partial},
                    {"copy", c.first->copy},
                    {"unit", c.first->place.unit},
                    {"address_lw", c.first->place.address},
                    {"lane", c.first->place.lane},
                    {"expected", fmt::format("0x{:0{}x}", c.first->expected, o.map.bits() / 4)},
                    {"found", fmt::format("0x{:0{}x}", c.first->found, o.map.bits() / 4)}};
    per_output.push_back(std::move(j));
  }
  out["words_compared"] = words;
  out["words_required"] = required;
  out["mismatches"] = mismatches;
  // Equal bits in every word, and every word that the layouts have.
  out["bit_identical"] = mismatches == 0 && words == required && words > 0;
  out["outputs"] = std::move(per_output);
  return Value{out.dump()};
}

Result<Value> run_report(Args a) {
  auto r = arg_object<RunObject>(a, 0);
  if (!r) return r.take_error();
  const KernelRun& run = (*r)->run;
  json j{{"steps", run.report.steps},
         {"mv", run.report.mv_count},
         {"pack_ms", run.pack_ms},
         {"emulate_ms", run.emulate_ms},
         {"read_ms", run.read_ms}};
  j["findings"] = json::array();
  for (const Diagnostic& d : run.findings) j["findings"].push_back(json::parse(render_json(d)));
  int64_t undefined = 0;
  for (const OutputImage& o : run.outputs) undefined += o.undefined_words;
  j["undefined_words"] = undefined;
  return Value{j.dump()};
}

Result<Value> kernel_input_lines(Args a) {
  auto kernel = kernel_of(a);
  if (!kernel) return kernel.take_error();
  auto inputs = arg_object<TensorsObject>(a, 1);
  if (!inputs) return inputs.take_error();
  auto lines = input_lines(**kernel, (*inputs)->tensors);
  if (!lines) return lines.take_error();
  return Value{std::move(*lines)};
}

constexpr FunctionDef kFunctions[] = {
    {"mncore2.run", "(lowered, inputs: tensors, options: json = '{}') -> mncore2.run",
     "packs the inputs, emulates the kernel, reads its outputs", run_call},
    {"mncore2.run_text", "(lowered, text: str, inputs: tensors, options: json = '{}') -> mncore2.run",
     "runs other VSM text in place of the kernel's own, with its inputs and outputs; strict adds the linter's errors",
     run_text_call},
    {"mncore2.run_outputs", "(run) -> tensors", "outputs of a run, first copy", run_outputs},
    {"mncore2.run_compare", "(run, expected: tensors) -> json",
     "compares every word of every copy of every output with expected bits", run_compare},
    {"mncore2.run_report", "(run) -> json", "steps, times and strict findings of a run", run_report},
    {"mncore2.input_lines", "(lowered, inputs: tensors) -> str", "r lines that put the inputs into DRAM",
     kernel_input_lines},
};

}  // namespace

std::span<const FunctionDef> kernel_functions() { return kFunctions; }

}  // namespace kumihimo::mncore2
