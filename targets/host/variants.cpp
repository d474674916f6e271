#include "targets/host/variants.h"

#include <fmt/format.h>

#include <array>
#include <deque>
#include <string>

#include "core/base/nearest.h"
#include "core/layout/algebra.h"
#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/host/machine.h"
#include "targets/host/values.h"

namespace kumihimo::host {
namespace {

int bits_of(Dtype dtype) { return dtype_def(dtype).bits; }

// --- dtypes -------------------------------------------------------------------------------------------------------

bool is_host_dtype(Dtype d) { return d != Dtype::kHalf && !dtype_def(d).is_block; }

std::optional<Violation> check_dtypes(const OpInstance& instance) {
  const auto refuse = [](int operand, Dtype d) {
    const std::string name(dtype_def(d).name);
    return Violation{operand, name, "single, double, int16, int32, int64 or bool_", {{"dtype", name}}};
  };
  for (size_t i = 0; i < instance.operands.size(); ++i)
    if (const Dtype d = instance.operands[i]->dtype; !is_host_dtype(d)) return refuse(static_cast<int>(i), d);
  if (!is_host_dtype(instance.result.dtype)) return refuse(-1, instance.result.dtype);
  return std::nullopt;
}

std::optional<Violation> check_width(const OpInstance& instance) {
  const auto refuse = [](int operand) {
    return Violation{operand, "int64", "a dtype whose values float64 holds: int16, int32, single or double", {}};
  };
  for (size_t i = 0; i < instance.operands.size(); ++i)
    if (instance.operands[i]->dtype == Dtype::kInt64) return refuse(static_cast<int>(i));
  if (instance.result.dtype == Dtype::kInt64) return refuse(-1);
  return std::nullopt;
}

// --- texts of layouts, of tensors and of relayout -----------------------------------------------------------------

std::string layout_attr(const OpInstance& instance) { return attr_string(*instance.attrs, "layout"); }

Result<ParsedLayout> parse(const OpInstance& instance, const std::string& text) {
  LayoutContext context;
  context.tree = instance.target->tree;
  context.bits = bits_of(instance.result.dtype);
  context.shape = std::span<const int64_t>(instance.result.shape);
  return parse_layout(text, context);
}

std::optional<Violation> check_location(const OpInstance& instance) {
  for (std::string_view attr : {"location", "to"}) {
    const std::string name = attr_string(*instance.attrs, attr, "DRAM");
    if (name != "DRAM") return Violation{-1, fmt::format("{}=\"{}\"", attr, name), "DRAM", {{"location", name}}};
  }
  return std::nullopt;
}
std::vector<Edit> suggest_location(const OpInstance& instance, const Violation&) {
  Edit e;
  e.kind = Edit::Kind::kSetAttr;
  e.attr = instance.operands.empty() ? "location" : "to";
  e.text = "DRAM";
  e.summary = fmt::format("set {}=\"DRAM\"", e.attr);
  return {e};
}

std::optional<Violation> check_text(const OpInstance& instance) {
  auto parsed = parse(instance, layout_attr(instance));
  if (parsed) {
    if (!has_partial(*parsed->layout)) return std::nullopt;
    return Violation{-1, print_layout(*parsed->layout, *instance.target->tree), "no P@ tail: values are whole", {}};
  }
  const Diagnostic& d = parsed.error();
  Violation v{-1, d.headline, d.required, d.bound};
  if (!d.observed.empty()) v.bound.emplace_back("observed", d.observed);
  if (d.where.known()) v.bound.emplace_back("column", std::to_string(d.where.column));
  return v;
}
// Row-major needs nothing but the shape.
std::vector<Edit> suggest_row_major(const OpInstance& instance, const Violation&) {
  auto layout = row_major(instance.result.shape, bits_of(instance.result.dtype));
  if (!layout) return {};
  Edit e;
  e.kind = instance.operands.empty() ? Edit::Kind::kReplaceLayout : Edit::Kind::kSetAttr;
  e.attr = "layout";
  e.text = print_layout(*layout, *instance.target->tree);
  e.summary = fmt::format("use the layout {}: row-major", e.text);
  return {e};
}

std::optional<Violation> check_fits(const OpInstance& instance) {
  auto parsed = parse(instance, layout_attr(instance));
  if (!parsed) return std::nullopt;
  Status s = check_capacity(*parsed->layout, *instance.target->tree, 0, bits_of(instance.result.dtype));
  if (s) return std::nullopt;
  return Violation{-1, s.error().observed.empty() ? s.error().headline : s.error().observed, s.error().required,
                   s.error().bound};
}

Result<TypeRef> place_text(const OpInstance& instance) {
  auto parsed = parse(instance, layout_attr(instance));
  if (!parsed) return parsed.take_error();
  return placed_type(instance.result.dtype, parsed->layout, instance.target->tree, 0);
}

// --- results ------------------------------------------------------------------------------------------------------

Result<TypeRef> place_immediate(const OpInstance& instance) { return immediate_type(instance.result.dtype); }

Result<TypeRef> place_result(const OpInstance& instance) {
  const int bits = bits_of(instance.result.dtype);
  for (TypeRef t : instance.operands)
    if (t->placed() && t->shape == instance.result.shape && bits_of(t->dtype) == bits &&
        (t->layout->pad == PadKind::kNone || t->layout->pad == PadKind::kAny))
      return placed_type(instance.result.dtype, t->layout, t->tree, 0);
  auto layout = row_major(instance.result.shape, bits);
  if (!layout) return layout.take_error();
  return placed_type(instance.result.dtype, intern(std::move(*layout), *instance.target->tree), instance.target->tree,
                     0);
}

const Constraint kDtypes{
    {"K8951", "host_dtypes", "values of the host are IEEE floats, integers and truth values"}, check_dtypes, nullptr};
const Constraint kWidth{
    {"K8952", "host_int64", "integers of 64 bits are moved, not computed with"}, check_width, nullptr};
const Constraint kLocation{
    {"K8953", "host_location", "the host has one memory, DRAM"}, check_location, suggest_location};
const Constraint kText{{"K8954", "host_layout", "the layout text is right for the shape, and holds a whole value"},
                       check_text,
                       suggest_row_major};
const Constraint kFits{{"K8955", "host_fits", "a value fits into the memory"}, check_fits, suggest_row_major};

// A variant keeps views of its name.
std::string_view own_name(std::string_view op) {
  static std::deque<std::string> names;
  return names.emplace_back("host." + std::string(op));
}

std::optional<Variant> variant_of(const OpDef& op) {
  const std::string_view name = own_name(op.name);
  if (op.name == "tensor")
    return Variant{op.name, name, "an array of the process", "", {&kDtypes, &kLocation, &kText, &kFits}, place_text,
                   nullptr, ""};
  if (op.name == "output") return Variant{op.name, name, "a value that stays readable", "", {}, nullptr, nullptr, ""};
  if (op.name == "immediate_float")
    return Variant{op.name, name, "a literal", "", {&kDtypes}, place_immediate, nullptr, ""};
  if (op.name == "relayout")
    return Variant{
        op.name, name, "copies the elements to other places", kCopy, {&kDtypes, &kLocation, &kText, &kFits}, place_text,
        nullptr, ""};
  // One memory: no other moves. Block floats are formats of matrix units: nothing converts to them.
  if (op.move || !op.has_result || op.reference == nullptr || op.operands.empty() || op.name == "bf" ||
      op.name == "unbf")
    return std::nullopt;
  return Variant{op.name,
                 name,
                 "its float64 meaning, rounded once to the dtype of the result",
                 kRoundedReference,
                 {&kDtypes, &kWidth},
                 place_result,
                 nullptr,
                 ""};
}

}  // namespace

Result<Layout> row_major(std::span<const int64_t> shape, int bits) {
  const auto lane = static_cast<int16_t>(tree().find_axis("lane"));
  Layout out;
  out.shape.assign(shape.begin(), shape.end());
  out.dims.resize(shape.size());
  int64_t lanes = lanes_of(bits), lane_stride = 1, next = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t extent = shape[d];
    std::vector<Iter> inner;
    if (lanes > 1 && extent > 1) {
      // A dim that neither fills the lanes left nor divides them is padded to whole long words.
      const int64_t here = lanes % extent == 0 ? extent : lanes;
      inner.push_back({here, lane, lane_stride});
      extent = (extent + here - 1) / here;
      lane_stride *= here;
      lanes /= here;
    }
    if (extent > 1) {
      out.dims[d].push_back({extent, kAddressAxis, next});
      next *= extent;
    }
    out.dims[d].insert(out.dims[d].end(), inner.begin(), inner.end());
  }
  if (lanes > 1) out.tails.push_back({TailKind::kSingle, {lanes, lane, lane_stride}});
  return normalise(std::move(out), tree(), bits);
}

std::span<const Variant> all_variants() {
  static const std::vector<Variant> table = [] {
    std::vector<Variant> t;
    for (const OpDef& op : all_ops())
      if (auto v = variant_of(op)) t.push_back(std::move(*v));
    return t;
  }();
  return table;
}

}  // namespace kumihimo::host
