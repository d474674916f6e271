// Checks of applications: signature, shapes, variants in table order; refusals with reasons.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest.h"
#include "core/dispatch/fix.h"
#include "core/dispatch/target.h"

namespace kumihimo {
namespace {

ShapeDtype shape_of(TypeRef t) { return {t->shape, t->dtype, t->immediate()}; }

struct Refusal {
  const Variant* variant = nullptr;
  size_t passed = 0;                       // constraints that held before the first that did not
  const Constraint* constraint = nullptr;  // null when `place` refused
  Violation violation;
  std::optional<Diagnostic> place_error;
};

Diagnostic refusal_diagnostic(const OpDef& op, const Refusal& r) {
  if (r.place_error) {
    Diagnostic d = *r.place_error;
    if (d.op.empty()) d.op = std::string(op.name);
    d.bound.emplace_back("variant", std::string(r.variant->name));
    return d;
  }
  Diagnostic d;
  d.def = find_diagnostic(r.constraint->def.code);
  d.op = std::string(op.name);
  if (r.violation.operand >= 0 && static_cast<size_t>(r.violation.operand) < op.operands.size())
    d.operand = std::string(op.operands[static_cast<size_t>(r.violation.operand)].name);
  d.headline = fmt::format("{}{}: {}", op.name, d.operand.empty() ? "" : fmt::format(", operand {}", d.operand),
                           r.constraint->def.rule);
  d.observed = r.violation.observed;
  d.required = r.violation.required;
  d.bound = r.violation.bound;
  d.bound.emplace_back("variant", std::string(r.variant->name));
  return d;
}

// Operands of different float dtypes: each may be cast to the other's. The wider dtype first: it loses nothing.
std::vector<Edit> casts_to_one_dtype(const OpDef& op, std::span<const ShapeDtype> shapes, const Diagnostic& error) {
  std::vector<Edit> out;
  if (error.def == nullptr || error.def->name != "op_dtype") return out;
  std::vector<std::pair<int, Edit>> found;
  for (size_t i = 0; i < shapes.size(); ++i)
    for (size_t j = 0; j < shapes.size(); ++j) {
      const DtypeDef &from = dtype_def(shapes[i].dtype), &to = dtype_def(shapes[j].dtype);
      if (from.dtype == to.dtype || !from.is_float || !to.is_float || shapes[i].immediate) continue;
      Edit e;
      e.operand = static_cast<int>(i);
      e.op = "cast";
      e.attrs = {{"dtype", std::string(to.name)}};
      e.summary = fmt::format("cast {} to {} first", op.operands[i].name, to.name);
      found.emplace_back(-to.bits, std::move(e));
    }
  std::ranges::stable_sort(found, {}, [](const auto& f) { return f.first; });
  for (auto& [order, edit] : found) out.push_back(std::move(edit));
  return out;
}

}  // namespace

CheckOutcome check_once(const Target& target, const OpDef& op, std::span<const TypeRef> operands, AttrMap& attrs,
                        std::string_view variant) {
  CheckOutcome out;
  if (auto s = check_signature(op, operands.size(), attrs); !s) {
    out.error = s.take_error();
    return out;
  }
  std::vector<ShapeDtype> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    TypeRef t = operands[i];
    if (t->level != TypeLevel::kPlaced || (t->immediate() && !op.operands[i].allow_immediate)) {
      Diagnostic d = make_error(t->immediate() ? "op_immediate" : "op_level",
                                fmt::format("{} takes a placed value as {}", op.name, op.operands[i].name));
      d.op = std::string(op.name);
      d.operand = std::string(op.operands[i].name);
      d.observed = to_string(*t);
      d.required = "a value with a layout and a location";
      out.error = std::move(d);
      return out;
    }
    shapes.push_back(shape_of(t));
  }
  auto inferred = op.infer(shapes, attrs);
  if (!inferred) {
    out.error = inferred.take_error();
    out.edits = casts_to_one_dtype(op, shapes, *out.error);
    return out;
  }
  OpInstance instance{&target, &op, operands, &attrs, *inferred};
  std::vector<Refusal> refusals;
  bool named = false;
  for (const Variant& v : target.variants) {
    if (v.op != op.name || (!variant.empty() && v.name != variant)) continue;
    named = true;
    Refusal r{&v, 0, nullptr, {}, std::nullopt};
    for (const Constraint* c : v.constraints) {
      if (auto violation = c->check(instance)) {
        r.constraint = c;
        r.violation = std::move(*violation);
        break;
      }
      ++r.passed;
    }
    if (!r.constraint) {
      if (!op.has_result) {
        out.chosen = Chosen{&v, nullptr};
        return out;
      }
      auto type = v.place(instance);
      if (type) {
        out.chosen = Chosen{&v, *type};
        return out;
      }
      r.place_error = type.take_error();
    }
    refusals.push_back(std::move(r));
  }
  if (refusals.empty()) {
    Diagnostic d =
        make_error(variant.empty() || named ? "op_no_variant" : "op_unknown_variant",
                   variant.empty() ? fmt::format("{} has no variant on {}", op.name, target.name)
                                   : fmt::format("{} has no variant {} on {}", op.name, variant, target.name));
    d.op = std::string(op.name);
    d.observed = variant.empty() ? std::string(op.name) : std::string(variant);
    std::string known;
    for (const Variant& v : target.variants)
      if (v.op == op.name) known += (known.empty() ? "" : ", ") + std::string(v.name);
    d.required = known.empty() ? "an op that the target implements" : known;
    out.error = std::move(d);
    return out;
  }
  // The variant that came furthest is the one that was most likely meant.
  auto best = std::ranges::max_element(refusals, {}, &Refusal::passed);
  out.error = refusal_diagnostic(op, *best);
  for (const Refusal& r : refusals)
    if (&r != &*best) out.error->related.push_back(refusal_diagnostic(op, r));
  if (best->constraint && best->constraint->suggest) out.edits = best->constraint->suggest(instance, best->violation);
  for (const Refusal& r : refusals) {
    if (&r == &*best || !r.constraint || !r.constraint->suggest) continue;
    std::vector<Edit> more = r.constraint->suggest(instance, r.violation);
    out.edits.insert(out.edits.end(), more.begin(), more.end());
  }
  return out;
}

Result<Chosen> check(const Target& target, const OpDef& op, std::span<const TypeRef> operands, AttrMap& attrs,
                     std::string_view variant) {
  CheckOutcome out = check_once(target, op, operands, attrs, variant);
  if (out.chosen) return *out.chosen;
  return std::move(*out.error);
}

namespace {

Result<const OpDef*> op_named(std::string_view name) {
  if (const OpDef* op = find_op(name)) return op;
  std::vector<std::string> names;
  for (const OpDef& d : all_ops()) names.emplace_back(d.name);
  Diagnostic d = make_error("op_unknown", fmt::format("there is no op {}", name));
  d.op = std::string(name);
  d.observed = std::string(name);
  d.required = "an op of the table" + did_you_mean(name, names);
  return d;
}

// Two inputs (or two outputs) of one name could not be told apart from outside. `body` holds the nodes before this one.
Status check_unique_name(const Module& module, std::span<const NodeId> body, std::string_view op,
                         const AttrMap& attrs) {
  if (op != "tensor" && op != "output") return Ok{};
  std::string name = attr_string(attrs, "name");
  for (NodeId id : body)
    if (module.node(id).op == op && attr_string(module.node(id).attrs, "name") == name) {
      Diagnostic d = make_error("op_duplicate_name", fmt::format("there are two {}s with the name {}", op, name));
      d.op = std::string(op);
      d.observed = name;
      d.required = "distinct names";
      d.where = module.node(id).where;
      return d;
    }
  return Ok{};
}

}  // namespace

Result<ValueId> apply(Module& module, Function& function, std::string_view op_name, std::vector<ValueId> operands,
                      AttrMap attrs, SourceRange where, std::string_view variant) {
  auto located = [&where](Diagnostic d) {
    if (where.known()) d.where = where;
    return d;
  };
  auto target = require_target(module.target());
  if (!target) return located(target.take_error());
  auto op = op_named(op_name);
  if (!op) return located(op.take_error());
  std::vector<TypeRef> types;
  for (ValueId v : operands) {
    auto node = module.find_node(v.node);
    if (!node) return located(node.take_error());
    if (v.result >= (*node)->results.size()) {
      Diagnostic d = make_error("op_level", fmt::format("{} gives no value", (*node)->op));
      d.op = std::string(op_name);
      d.observed = (*node)->op;
      d.required = "an op with a result";
      return located(std::move(d));
    }
    types.push_back((*node)->results[v.result]);
  }
  if (auto s = check_unique_name(module, function.body, op_name, attrs); !s) return located(s.take_error());
  AttrMap given = attrs;
  CheckOutcome outcome = check_once(**target, **op, types, attrs, variant);
  if (outcome.error) {
    add_verified_fixes(module, **target, **op, operands, given, variant, outcome);
    return located(std::move(*outcome.error));
  }
  Node n;
  n.op = std::string(op_name);
  n.operands = std::move(operands);
  n.attrs = std::move(attrs);
  if (outcome.chosen->type) n.results.push_back(outcome.chosen->type);
  n.variant = std::string(outcome.chosen->variant->name);
  n.explicit_variant = !variant.empty();
  n.where = std::move(where);
  NodeId id = module.add_node(std::move(n));
  function.body.push_back(id);
  return ValueId{id, 0};
}

Status infer_node(const Module& module, Node& node) {
  auto target = require_target(module.target());
  if (!target) return target.take_error();
  // Instructions of a target are named "target.mnemonic"; their types say where they read and write.
  if (node.op.starts_with(std::string((*target)->name) + ".") && !node.results.empty()) return Ok{};
  auto op = op_named(node.op);
  if (!op) return op.take_error();
  if (!node.regions.empty()) {
    Diagnostic d = make_error("ir_structure", fmt::format("{} has no regions", node.op));
    d.op = node.op;
    d.observed = fmt::format("{} regions", node.regions.size());
    d.required = "none";
    d.where = node.where;
    return d;
  }
  std::vector<TypeRef> types;
  for (ValueId v : node.operands) types.push_back(module.type(v));
  auto chosen = check(**target, **op, types, node.attrs,
                      node.explicit_variant ? std::string_view(node.variant) : std::string_view{});
  if (!chosen) {
    Diagnostic d = chosen.take_error();
    d.where = node.where;
    return d;
  }
  node.variant = std::string(chosen->variant->name);
  node.results.clear();
  if (chosen->type) node.results.push_back(chosen->type);
  return Ok{};
}

Result<Module> parse_program(std::string_view text, std::string_view file) {
  FindTargetFn find = [](std::string_view name, int version) -> Result<TargetTree> {
    const Target* t = find_target(name);
    if (t && version >= 1 && version <= t->version) return TargetTree{t->tree, version};
    Diagnostic d = make_error("target_unknown", t ? fmt::format("target {} is version {}, this program reads up to {}",
                                                                name, version, t->version)
                                                  : fmt::format("there is no target {}", name));
    d.observed = fmt::format("{}/{}", name, version);
    std::string known;
    for (const Target* k : all_targets())
      known += fmt::format("{}{}/{}", known.empty() ? "" : ", ", k->name, k->version);
    d.required = known;
    return d;
  };
  // A refusal of a program's text carries fixes as one of a call does.
  InferFn infer = [](const Module& module, Node& node) -> Status {
    AttrMap given = node.attrs;
    auto inferred = infer_node(module, node);
    if (inferred.ok()) return inferred;
    const Target* target = find_target(module.target());
    const OpDef* op = find_op(node.op);
    if (!target || !op || !node.regions.empty()) return inferred;
    std::vector<TypeRef> types;
    for (ValueId v : node.operands) types.push_back(module.type(v));
    const std::string_view variant = node.explicit_variant ? std::string_view(node.variant) : std::string_view{};
    AttrMap attrs = given;
    CheckOutcome outcome = check_once(*target, *op, types, attrs, variant);
    if (!outcome.error) return inferred;
    add_verified_fixes(module, *target, *op, node.operands, given, variant, outcome);
    outcome.error->where = node.where;
    return std::move(*outcome.error);
  };
  auto module = parse_module(text, file, find, infer);
  if (!module) return module;
  for (const Function& f : module->functions())
    for (size_t i = 0; i < f.body.size(); ++i) {
      const Node& n = module->node(f.body[i]);
      if (auto s = check_unique_name(*module, std::span(f.body).first(i), n.op, n.attrs); !s) {
        Diagnostic d = s.take_error();
        d.where = n.where;
        return d;
      }
    }
  return module;
}

}  // namespace kumihimo
