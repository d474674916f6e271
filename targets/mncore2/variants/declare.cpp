// tensor, immediate_float, output.
#include <fmt/format.h>

#include <array>

#include "core/base/nearest.h"
#include "core/layout/image.h"
#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

int dtype_bits_of(std::string_view name) {
  const DtypeDef* d = find_dtype(name);
  return d != nullptr ? d->bits : 0;
}

Result<ParsedLayout> parse_declared(const OpInstance& instance, const std::string& text) {
  LayoutContext context;
  context.tree = instance.target->tree;
  context.bits = dtype_def(instance.result.dtype).bits;
  context.shape = std::span<const int64_t>(instance.result.shape);
  context.dtype_bits = dtype_bits_of;
  return parse_layout(text, context);
}
Result<ParsedLayout> parse_declared(const OpInstance& instance) {
  return parse_declared(instance, attr_string(*instance.attrs, "layout"));
}
int declared_location(const OpInstance& instance) {
  return instance.target->tree->find_location(attr_string(*instance.attrs, "location"));
}

// --- dtype --------------------------------------------------------------------------------------------------------
std::optional<Violation> check_dtype(const OpInstance& instance) {
  const DtypeDef& d = dtype_def(instance.result.dtype);
  if (!d.is_block) return std::nullopt;
  return Violation{-1,
                   std::string(d.name),
                   fmt::format("{}, converted by bf on the machine", dtype_def(d.element).name),
                   {{"dtype", std::string(d.name)}}};
}

// --- axes ---------------------------------------------------------------------------------------------------------
bool unknown_axis(const Diagnostic& d) { return d.def != nullptr && d.def->name == "layout_unknown_axis"; }

Violation violation_of(const Diagnostic& d) {
  Violation v{-1, d.headline, d.required, d.bound};
  if (!d.observed.empty()) v.bound.emplace_back("observed", d.observed);
  if (d.where.known()) v.bound.emplace_back("column", std::to_string(d.where.column));
  return v;
}

std::optional<Violation> check_axes(const OpInstance& instance) {
  auto parsed = parse_declared(instance);
  if (parsed || !unknown_axis(parsed.error())) return std::nullopt;
  return violation_of(parsed.error());
}

// The text with each unknown name replaced: by the nearest axes, or where nothing is near by any axis that fits.
void replaced_axes(const OpInstance& instance, const std::string& text, size_t left, std::vector<std::string>& out) {
  constexpr size_t kMostTexts = 8;
  if (out.size() >= kMostTexts) return;
  auto parsed = parse_declared(instance, text);
  if (parsed) {
    out.push_back(text);
    return;
  }
  const SourceRange& where = parsed.error().where;
  if (!unknown_axis(parsed.error()) || left == 0 || where.line != 1 || where.column == 0) return;
  const size_t begin = where.column - 1, end = where.end_column - 1;
  if (end > text.size() || begin >= end) return;
  std::vector<std::string_view> names;
  for (const AxisDef& a : instance.target->tree->axes) names.push_back(a.name);
  std::vector<std::string> near = nearest_names(std::string_view(text).substr(begin, end - begin), names);
  if (near.empty()) near.assign(names.begin(), names.end());
  for (const std::string& name : near)
    replaced_axes(instance, text.substr(0, begin) + name + text.substr(end), left - 1, out);
}

std::vector<Edit> suggest_axes(const OpInstance& instance, const Violation&) {
  constexpr size_t kMostNames = 4;
  std::vector<std::string> texts;
  replaced_axes(instance, attr_string(*instance.attrs, "layout"), kMostNames, texts);
  std::vector<Edit> out;
  for (std::string& text : texts) {
    Edit e;
    e.kind = Edit::Kind::kReplaceLayout;
    e.summary = fmt::format("use the layout {}", text);
    e.text = std::move(text);
    out.push_back(std::move(e));
  }
  return out;
}

// --- the layout text ----------------------------------------------------------------------------------------------
std::optional<Violation> check_layout(const OpInstance& instance) {
  auto parsed = parse_declared(instance);
  if (!parsed) return violation_of(parsed.error());
  const std::string location = attr_string(*instance.attrs, "location");
  if (parsed->location >= 0 && instance.target->tree->locations[static_cast<size_t>(parsed->location)].name != location)
    return Violation{
        -1,
        fmt::format("the layout says @{}, the tensor {}",
                    instance.target->tree->locations[static_cast<size_t>(parsed->location)].name, location),
        "one location",
        {}};
  const std::string dtype = attr_string(*instance.attrs, "dtype");
  if (!parsed->dtype.empty() && parsed->dtype != dtype)
    return Violation{-1, fmt::format("the layout says /{}, the tensor {}", parsed->dtype, dtype), "one dtype", {}};
  return std::nullopt;
}

// Only what stands inside the text can be mended without a guess: a shape that is not the tensor's.
std::vector<Edit> suggest_layout(const OpInstance& instance, const Violation&) {
  const std::string text = attr_string(*instance.attrs, "layout");
  const size_t slash = text.find("/((");
  if (slash == std::string::npos || text.empty() || text[0] != '(') return {};
  std::string without = text.substr(slash + 1);
  auto parsed = parse_declared(instance, without);
  if (!parsed) return {};
  return {replace_layout(instance, 0, *parsed->layout, "the shape is the tensor's")};
}

std::vector<Edit> suggest_dram(const OpInstance&, const Violation&) { return {set_attr("location", "DRAM")}; }

// --- location -----------------------------------------------------------------------------------------------------
std::optional<Violation> check_location(const OpInstance& instance) {
  if (declared_location(instance) >= 0) return std::nullopt;
  const std::string name = attr_string(*instance.attrs, "location");
  return Violation{-1,
                   name,
                   "one of " + location_names(*instance.target->tree, [](const MachineTree&, int) { return true; }),
                   {{"location", name}}};
}
std::vector<Edit> suggest_location(const OpInstance& instance, const Violation&) {
  std::vector<std::string> names;
  for (const LocationDef& l : instance.target->tree->locations) names.emplace_back(l.name);
  std::vector<Edit> out;
  for (std::string& name : nearest_names(attr_string(*instance.attrs, "location"), std::span<const std::string>(names)))
    out.push_back(set_attr("location", std::move(name)));
  if (out.empty()) out = suggest_dram(instance, {});
  return out;
}

// The host writes DRAM before the program begins; nothing outside the program fills the memories further down.
std::optional<Violation> check_begins_in_dram(const OpInstance& instance) {
  const std::string name = attr_string(*instance.attrs, "location");
  if (name == "DRAM") return std::nullopt;
  return Violation{-1, name, "DRAM, and a download to " + name, {{"location", name}}};
}

// --- size ---------------------------------------------------------------------------------------------------------
std::optional<Violation> check_fits(const OpInstance& instance) {
  auto parsed = parse_declared(instance);
  if (!parsed) return std::nullopt;
  const MachineTree& tree = *instance.target->tree;
  const int location = declared_location(instance), bits = dtype_def(instance.result.dtype).bits;
  Status s = check_capacity(*parsed->layout, tree, location, bits);
  if (s) return std::nullopt;
  return violation_of(s.error());
}
std::vector<Edit> suggest_fits(const OpInstance& instance, const Violation&) {
  auto parsed = parse_declared(instance);
  if (!parsed) return {};
  std::vector<Edit> out;
  for (const Layout& l : spread_layouts(*parsed->layout, *instance.target->tree, declared_location(instance),
                                        dtype_def(instance.result.dtype).bits))
    out.push_back(replace_layout(instance, 0, l, "it fits"));
  return out;
}

const Constraint kTensorDtype{
    {"K8001", "mncore2_tensor_dtype",
     "a tensor that comes from outside holds ordinary numbers: block floats are made on the machine"},
    check_dtype,
    nullptr};
const Constraint kTensorAxes{
    {"K8002", "mncore2_tensor_axes", "a layout names axes that the machine has"}, check_axes, suggest_axes};
const Constraint kTensorLocation{
    {"K8003", "mncore2_tensor_location", "a tensor lies in a memory of the machine"}, check_location, suggest_location};
const Constraint kTensorDram{{"K8006", "mncore2_tensor_dram", "a tensor that comes from outside begins in DRAM"},
                             check_begins_in_dram,
                             suggest_dram};
const Constraint kTensorLayout{
    {"K8004", "mncore2_tensor_layout", "the layout text is right for the tensor's shape and dtype"},
    check_layout,
    suggest_layout};
const Constraint kTensorFits{
    {"K8005", "mncore2_tensor_fits", "a tensor fits into one instance of its memory"}, check_fits, suggest_fits};

Result<TypeRef> place_tensor(const OpInstance& instance) {
  auto parsed = parse_declared(instance);
  if (!parsed) return parsed.take_error();
  return placed_type(instance.result.dtype, parsed->layout, instance.target->tree, declared_location(instance));
}

Result<TypeRef> place_immediate(const OpInstance& instance) { return immediate_type(instance.result.dtype); }

const std::array kRows = {
    Variant{"tensor",
            "mncore2.tensor",
            "an image in its memory, written by the host",
            "",
            {&kTensorDtype, &kTensorAxes, &kTensorLocation, &kTensorDram, &kTensorLayout, &kTensorFits},
            place_tensor,
            opaque(emit_tensor),
            ""},
    Variant{"immediate_float",
            "mncore2.immediate_float",
            "a literal of imm",
            "",
            {},
            place_immediate,
            opaque(emit_immediate),
            "imm"},
    Variant{"output",
            "mncore2.output",
            "a value that stays readable where it lies",
            "",
            {},
            nullptr,
            opaque(emit_output),
            ""},
};

}  // namespace

std::span<const Variant> declare_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
