// What the product knows, as JSON: ops, dtypes, diagnostics, functions, targets and their own tables.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/driver/driver.h"

namespace kumihimo {
namespace {

using nlohmann::json;

std::string_view attr_kind_name(AttrKind k) {
  switch (k) {
    case AttrKind::kInt: return "int";
    case AttrKind::kFloat: return "float";
    case AttrKind::kBool: return "bool";
    case AttrKind::kString: return "str";
    case AttrKind::kInts: return "list[int]";
  }
  return "";
}

json ops_json() {
  json out = json::array();
  for (const OpDef& op : all_ops()) {
    json j{{"name", op.name}, {"category", op.category}, {"doc", op.doc}, {"has_result", op.has_result}};
    j["operands"] = json::array();
    for (const OperandDef& o : op.operands)
      j["operands"].push_back({{"name", o.name}, {"doc", o.doc}, {"immediate", o.allow_immediate}});
    j["attrs"] = json::array();
    for (const AttrDef& a : op.attrs)
      j["attrs"].push_back({{"name", a.name},
                            {"kind", attr_kind_name(a.kind)},
                            {"required", a.required},
                            {"default", a.default_text},
                            {"doc", a.doc}});
    j["variants"] = json::array();
    for (const Target* t : all_targets())
      for (const Variant& v : t->variants)
        if (v.op == op.name) j["variants"].push_back({{"target", t->name}, {"name", v.name}});
    out.push_back(std::move(j));
  }
  return out;
}

json dtypes_json() {
  json out = json::array();
  for (const DtypeDef& d : all_dtypes())
    out.push_back({{"name", d.name}, {"bits", d.bits}, {"float", d.is_float}, {"block", d.is_block}, {"doc", d.doc}});
  return out;
}

json diagnostics_json() {
  json out = json::array();
  for (const DiagDef* d : all_diagnostics()) out.push_back({{"code", d->code}, {"name", d->name}, {"rule", d->rule}});
  return out;
}

json functions_json() {
  json out = json::array();
  for (const FunctionDef* f : all_functions())
    out.push_back({{"name", f->name}, {"signature", f->signature}, {"doc", f->doc}});
  return out;
}

std::string_view axis_kind_name(AxisKind k) {
  return k == AxisKind::kLevel ? "level" : k == AxisKind::kLane ? "lane" : "time";
}

json axes_json(const Target& t) {
  json out = json::array();
  for (const AxisDef& a : t.tree->axes)
    out.push_back({{"name", a.name},
                   {"kind", axis_kind_name(a.kind)},
                   {"extent", a.extent},
                   {"doc", a.doc},
                   {"source", a.source},
                   {"evidence", std::string(1, a.evidence)}});
  return out;
}

json locations_json(const Target& t) {
  json out = json::array();
  for (const LocationDef& l : t.tree->locations)
    out.push_back({{"name", l.name},
                   {"level", t.tree->axes[static_cast<size_t>(l.level)].name},
                   {"capacity_lw", l.capacity_lw},
                   {"class", l.is_class},
                   {"doc", l.doc},
                   {"source", l.source},
                   {"evidence", std::string(1, l.evidence)}});
  return out;
}

json variants_json(const Target& t) {
  json out = json::array();
  for (const Variant& v : t.variants) {
    json j{{"op", v.op},
           {"name", v.name},
           {"doc", v.doc},
           {"value_id", v.value_id},
           {"instructions", v.source},
           {"constraints", json::array()}};
    for (const Constraint* c : v.constraints)
      j["constraints"].push_back({{"code", c->def.code}, {"name", c->def.name}, {"rule", c->def.rule}});
    out.push_back(std::move(j));
  }
  return out;
}

Result<Value> describe(Args a) {
  auto what = arg_string(a, 0);
  if (!what) return what.take_error();
  // Without a name: the first target of the table.
  auto target_name = arg_string_or(a, 1, all_targets().empty() ? std::string_view() : all_targets().front()->name);
  if (!target_name) return target_name.take_error();
  if (*what == "ops") return Value{ops_json().dump()};
  if (*what == "dtypes") return Value{dtypes_json().dump()};
  if (*what == "diagnostics") return Value{diagnostics_json().dump()};
  if (*what == "functions") return Value{functions_json().dump()};
  if (*what == "targets") {
    json out = json::array();
    for (const Target* t : all_targets()) out.push_back({{"name", t->name}, {"version", t->version}});
    return Value{out.dump()};
  }
  auto target = require_target(*target_name);
  if (!target) return target.take_error();
  if (*what == "axes") return Value{axes_json(**target).dump()};
  if (*what == "locations") return Value{locations_json(**target).dump()};
  if (*what == "variants") return Value{variants_json(**target).dump()};
  if ((*target)->describe)
    if (std::string text = (*target)->describe(*what); !text.empty()) return Value{std::move(text)};
  std::vector<std::string> known{"ops",  "dtypes",    "diagnostics", "functions", "targets",
                                 "axes", "locations", "variants",    "insns",     "machine"};
  Diagnostic d = make_error("call_argument", fmt::format("there is nothing to describe under {}", *what));
  d.observed = std::string(*what);
  d.required =
      fmt::format("ops, dtypes, diagnostics, functions, targets, axes, locations, variants or a table of the target{}",
                  did_you_mean(*what, known));
  return d;
}

Result<Value> explain(Args a) {
  auto code = arg_string(a, 0);
  if (!code) return code.take_error();
  const DiagDef* d = find_diagnostic(*code);
  if (!d) {
    std::vector<std::string> names;
    for (const DiagDef* k : all_diagnostics()) names.emplace_back(k->code), names.emplace_back(k->name);
    Diagnostic e = make_error("call_argument", fmt::format("there is no diagnostic {}", *code));
    e.observed = std::string(*code);
    e.required = "a code such as K2008 or its name" + did_you_mean(*code, names);
    return e;
  }
  json j{{"code", d->code}, {"name", d->name}, {"rule", d->rule}, {"variants", json::array()}};
  for (const Target* t : all_targets())
    for (const Variant& v : t->variants)
      for (const Constraint* c : v.constraints)
        // Targets of one family share variants: each is named once.
        if (c->def.code == d->code && std::ranges::find(j["variants"], json(v.name)) == j["variants"].end())
          j["variants"].push_back(v.name);
  return Value{j.dump()};
}

constexpr FunctionDef kFunctions[] = {
    {"describe", "(what: str, target: str = <first>) -> json", "a table of the product or of a target", describe},
    {"explain", "(code: str) -> json", "the rule behind a diagnostic code", explain},
};

}  // namespace

std::span<const FunctionDef> describe_functions() { return kFunctions; }

}  // namespace kumihimo
