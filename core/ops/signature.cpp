#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/nearest.h"
#include "core/ops/op_def.h"
#include "core/ops/table.h"

namespace kumihimo {
namespace {

std::string_view kind_name(AttrKind k) {
  switch (k) {
    case AttrKind::kInt: return "an integer";
    case AttrKind::kFloat: return "a number";
    case AttrKind::kBool: return "true or false";
    case AttrKind::kString: return "a string";
    case AttrKind::kInts: return "a list of integers";
  }
  return "";
}

// Converts between the spellings that mean the same: 1 for true, 2 for 2.0.
bool accept(AttrKind kind, Attr& a) {
  switch (kind) {
    case AttrKind::kInt: return std::holds_alternative<int64_t>(a);
    case AttrKind::kFloat:
      if (const auto* i = std::get_if<int64_t>(&a)) a = static_cast<double>(*i);
      return std::holds_alternative<double>(a);
    case AttrKind::kBool:
      if (const auto* i = std::get_if<int64_t>(&a); i && (*i == 0 || *i == 1)) a = *i == 1;
      return std::holds_alternative<bool>(a);
    case AttrKind::kString: return std::holds_alternative<std::string>(a);
    case AttrKind::kInts:
      // An empty list prints as [], so it is a list already.
      return std::holds_alternative<std::vector<int64_t>>(a);
  }
  return false;
}

Attr default_attr(const AttrDef& d) {
  switch (d.kind) {
    case AttrKind::kBool: return d.default_text == "true";
    case AttrKind::kInt: return static_cast<int64_t>(std::stoll(std::string(d.default_text)));
    case AttrKind::kFloat: return std::stod(std::string(d.default_text));
    default: return std::string(d.default_text);
  }
}

}  // namespace

std::span<const OpDef> all_ops() {
  static const std::vector<OpDef> table = [] {
    std::vector<OpDef> t;
    for (auto part : {ops::declare_ops(), ops::move_ops(), ops::format_ops(), ops::arithmetic_ops(),
                      ops::contract_ops(), ops::reduce_ops()})
      t.insert(t.end(), part.begin(), part.end());
    return t;
  }();
  return table;
}

const OpDef* find_op(std::string_view name) {
  for (const OpDef& d : all_ops())
    if (d.name == name) return &d;
  return nullptr;
}

Result<std::vector<int64_t>> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b) {
  size_t rank = std::max(a.size(), b.size());
  std::vector<int64_t> out(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (x != y && x != 1 && y != 1) {
      Diagnostic d = make_error("shape_broadcast", fmt::format("shapes do not broadcast at dim {}", i));
      d.observed = fmt::format("({}) and ({})", fmt::join(a, ","), fmt::join(b, ","));
      d.required = "equal extents, or extent 1 on one side, aligned at the last dim";
      d.bound = {{"dim", fmt::format("{}", i)}, {"left", fmt::format("{}", x)}, {"right", fmt::format("{}", y)}};
      return d;
    }
    out[i] = x == 1 ? y : x;
  }
  return out;
}

Status check_signature(const OpDef& op, size_t operand_count, AttrMap& attrs) {
  auto fault = [&op](std::string_view code, std::string headline, std::string observed, std::string required) {
    Diagnostic d = make_error(code, std::move(headline));
    d.op = std::string(op.name);
    d.observed = std::move(observed);
    d.required = std::move(required);
    return d;
  };
  if (operand_count != op.operands.size())
    return fault("op_operand_count",
                 fmt::format("{} takes {} operand{}", op.name, op.operands.size(), op.operands.size() == 1 ? "" : "s"),
                 fmt::format("{}", operand_count), fmt::format("{}", op.operands.size()));
  for (auto& [name, value] : attrs) {
    auto it = std::ranges::find(op.attrs, name, &AttrDef::name);
    if (it == op.attrs.end()) {
      std::vector<std::string> names;
      for (const AttrDef& d : op.attrs) names.emplace_back(d.name);
      return fault("op_unknown_attr", fmt::format("{} has no attribute {}", op.name, name), name,
                   names.empty() ? "no attributes"
                                 : fmt::format("one of {}{}", fmt::join(names, ", "), did_you_mean(name, names)));
    }
    if (!accept(it->kind, value))
      return fault("op_attr_kind", fmt::format("attribute {} of {} has the wrong kind", name, op.name),
                   to_string(value), std::string(kind_name(it->kind)));
  }
  for (const AttrDef& d : op.attrs) {
    if (attrs.contains(d.name)) continue;
    if (d.required)
      return fault("op_missing_attr", fmt::format("{} needs attribute {}", op.name, d.name), "no such attribute",
                   fmt::format("{}: {}", d.name, d.doc));
    if (!d.default_text.empty()) attrs.emplace(std::string(d.name), default_attr(d));
  }
  return Ok{};
}

}  // namespace kumihimo
