#include "core/interp/interp.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/nearest.h"
#include "core/layout/algebra.h"

namespace kumihimo {
namespace {

// What both runs share: the program, its target and the checks of the inputs.
struct Walk {
  const Module& module;
  const Function& function;
  const Target* target = nullptr;

  static Result<Walk> begin(const Module& module, const Function& function, const TensorMap& inputs) {
    const Target* target = find_target(module.target());
    if (target == nullptr) {
      Diagnostic d = make_error("target_unknown", fmt::format("there is no target {}", module.target()));
      d.observed = module.target();
      d.required = "a registered target";
      return d;
    }
    Walk walk{module, function, target};
    if (Status s = walk.check_inputs(inputs); !s) return s.take_error();
    return walk;
  }

  Status check_inputs(const TensorMap& inputs) const {
    std::vector<std::string> names;
    for (NodeId id : function.body) {
      const Node& n = module.node(id);
      if (n.op != "tensor") continue;
      names.push_back(attr_string(n.attrs, "name"));
      const auto it = inputs.find(names.back());
      if (it == inputs.end()) {
        Diagnostic d = make_error("run_missing_input", fmt::format("input {} has no value", names.back()));
        d.where = n.where;
        d.observed = fmt::format("values for {} inputs", inputs.size());
        d.required = fmt::format("{}: {}", names.back(), to_string(*n.results[0]));
        return d;
      }
      const Tensor& t = it->second;
      const Type& type = *n.results[0];
      const std::vector<int64_t> partial = partial_extents(*type.layout, *type.tree, dtype_def(type.dtype).bits);
      if (t.dtype != type.dtype || t.shape != type.shape || t.partial != partial ||
          t.data.size() != static_cast<size_t>(t.count() * t.bytes())) {
        Diagnostic d = make_error("run_input_shape", fmt::format("input {} has another shape or dtype", names.back()));
        d.where = n.where;
        d.observed = fmt::format("{} ({}){}", dtype_def(t.dtype).name, fmt::join(t.shape, ","),
                                 t.partial.empty() ? "" : fmt::format(", partial ({})", fmt::join(t.partial, ",")));
        d.required = fmt::format("{} ({}){}", dtype_def(type.dtype).name, fmt::join(type.shape, ","),
                                 partial.empty() ? "" : fmt::format(", partial ({})", fmt::join(partial, ",")));
        return d;
      }
    }
    for (const auto& [name, tensor] : inputs)
      if (std::ranges::find(names, name) == names.end()) {
        Diagnostic d = make_error("run_unknown_input", fmt::format("the program has no input {}", name));
        d.observed = name;
        d.required =
            names.empty() ? "no inputs" : fmt::format("one of {}{}", fmt::join(names, ", "), did_you_mean(name, names));
        return d;
      }
    return Ok{};
  }

  Diagnostic interrupted() const {
    Diagnostic d = make_error("run_interrupted", "the run was interrupted");
    d.observed = "an interrupt";
    return d;
  }

  const Variant* variant_of(const Node& node) const {
    for (const Variant& v : target->variants)
      if (v.name == node.variant) return &v;
    return nullptr;
  }
  const ValueFn* function_of(const Variant& variant) const {
    for (const ValueFn& f : target->numerics->functions)
      if (f.value_id == variant.value_id) return &f;
    return nullptr;
  }
  uint64_t immediate_bits(const Node& n) const {
    return target->numerics->encode(n.results[0]->dtype, attr_float(n.attrs, "value", 0));
  }
};

Result<Tensor> run_node(const Walk& walk, const Node& n,
                        const std::map<ValueId, std::shared_ptr<const Tensor>>& values) {
  const Variant* variant = walk.variant_of(n);
  const ValueFn* f = variant != nullptr ? walk.function_of(*variant) : nullptr;
  if (f == nullptr) {
    Diagnostic d = make_error("run_unknown_value_id", fmt::format("{} has no exact value here", n.op));
    d.op = n.op;
    d.observed =
        variant != nullptr ? fmt::format("value id {}", variant->value_id) : fmt::format("variant \"{}\"", n.variant);
    d.required = "a value id of the target's numerics";
    return d;
  }
  std::vector<TypeRef> types;
  std::vector<const Tensor*> operands;
  for (ValueId v : n.operands) {
    types.push_back(walk.module.type(v));
    operands.push_back(values.at(v).get());
  }
  const Type& result = *n.results[0];
  const OpInstance instance{walk.target, find_op(n.op), types, &n.attrs, {result.shape, result.dtype, false}};
  return f->run(instance, &result, operands);
}

}  // namespace

Result<ExactRun> run_exact(const Module& module, const Function& function, const TensorMap& inputs,
                           const RunOptions& options) {
  auto walk = Walk::begin(module, function, inputs);
  if (!walk) return walk.take_error();
  ExactRun out;
  for (NodeId id : function.body) {
    if (options.interrupt && options.interrupt()) return walk->interrupted();
    const Node& n = module.node(id);
    if (n.op == "output") {
      out.outputs.emplace(attr_string(n.attrs, "name"), *out.values.at(n.operands[0]));
      continue;
    }
    std::shared_ptr<const Tensor> value;
    if (n.op == "tensor") {
      // The caller's tensor outlives the run, but not the values that it may keep.
      const Tensor& given = inputs.find(attr_string(n.attrs, "name"))->second;
      value = options.keep_values ? std::make_shared<const Tensor>(given)
                                  : std::shared_ptr<const Tensor>(&given, [](const Tensor*) {});
    } else if (n.op == "immediate_float") {
      Tensor t = Tensor::zeros(n.results[0]->dtype, {});
      t.set(0, walk->immediate_bits(n));
      value = std::make_shared<const Tensor>(std::move(t));
    } else {
      auto t = run_node(*walk, n, out.values);
      if (!t) {
        Diagnostic d = t.take_error();
        if (!d.where.known()) d.where = n.where;
        return d;
      }
      value = std::make_shared<const Tensor>(std::move(*t));
    }
    out.values.emplace(ValueId{id, 0}, std::move(value));
  }
  if (!options.keep_values) out.values.clear();
  return out;
}

Result<ReferenceRun> run_reference(const Module& module, const Function& function, const TensorMap& inputs,
                                   const RunOptions& options) {
  auto walk = Walk::begin(module, function, inputs);
  if (!walk) return walk.take_error();
  const Numerics& numerics = *walk->target->numerics;
  ReferenceRun out;
  for (NodeId id : function.body) {
    if (options.interrupt && options.interrupt()) return walk->interrupted();
    const Node& n = module.node(id);
    if (n.op == "output") {
      out.outputs.emplace(attr_string(n.attrs, "name"), *out.values.at(n.operands[0]));
      continue;
    }
    RealTensor value;
    if (n.op == "tensor") {
      value = to_real(numerics, inputs.find(attr_string(n.attrs, "name"))->second);
    } else if (n.op == "immediate_float") {
      value = {{}, {numerics.decode(n.results[0]->dtype, walk->immediate_bits(n))}};
    } else {
      std::vector<RealTensor> operands;
      for (ValueId v : n.operands) operands.push_back(*out.values.at(v));
      value = find_op(n.op)->reference(operands, n.attrs);
    }
    out.values.emplace(ValueId{id, 0}, std::make_shared<const RealTensor>(std::move(value)));
  }
  if (!options.keep_values) out.values.clear();
  return out;
}

RealTensor to_real(const Numerics& numerics, const Tensor& tensor) {
  RealTensor out{tensor.partial, {}};
  out.shape.insert(out.shape.end(), tensor.shape.begin(), tensor.shape.end());
  out.data.resize(static_cast<size_t>(tensor.count()));
  for (size_t i = 0; i < out.data.size(); ++i)
    out.data[i] = numerics.decode(tensor.dtype, tensor.get(static_cast<int64_t>(i)));
  return out;
}

Tensor from_real(const Numerics& numerics, Dtype dtype, const RealTensor& real) {
  Tensor out = Tensor::zeros(dtype, real.shape);
  for (size_t i = 0; i < real.data.size(); ++i) out.set(static_cast<int64_t>(i), numerics.encode(dtype, real.data[i]));
  return out;
}

}  // namespace kumihimo
