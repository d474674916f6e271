// Functions on layout texts.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/nearest.h"
#include "core/driver/driver.h"
#include "core/layout/algebra.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using nlohmann::json;

int dtype_bits(std::string_view name) {
  const DtypeDef* d = find_dtype(name);
  return d ? d->bits : 0;
}

// Fixes of a layout text that names an axis which the machine does not have: each of the nearest names in its place,
// offered when the whole text then reads. Names do not change which values a program computes, only where they lie.
void add_axis_fixes(Diagnostic& d, std::string_view text, const LayoutContext& context) {
  constexpr size_t kMostNames = 4, kMostFixes = 3;
  struct Open {
    std::string text;
    json edits;
    std::string summary;
  };
  auto unknown = [&](const std::string& t) -> std::optional<Diagnostic> {
    auto parsed = parse_layout(t, context);
    if (parsed) return std::nullopt;
    return parsed.take_error();
  };
  std::vector<Open> queue{{std::string(text), json::array(), ""}};
  std::vector<std::string_view> names;
  for (const AxisDef& axis : context.tree->axes) names.push_back(axis.name);
  for (size_t q = 0; q < queue.size() && d.fixes.size() < kMostFixes; ++q) {
    auto error = unknown(queue[q].text);
    if (!error) {
      Fix fix;
      fix.summary = queue[q].summary;
      fix.edit_json = json{{"edits", queue[q].edits}}.dump();
      fix.verified = true;
      d.fixes.push_back(std::move(fix));
      continue;
    }
    const SourceRange& where = error->where;
    if (error->def == nullptr || error->def->name != "layout_unknown_axis" || where.line != 1 || where.column == 0 ||
        queue[q].edits.size() >= kMostNames)
      continue;
    // Texts of layouts are one line of ASCII up to the fault: columns are bytes.
    const size_t begin = where.column - 1, end = where.end_column - 1;
    if (begin >= end || end > queue[q].text.size()) continue;
    const std::string wrong = queue[q].text.substr(begin, end - begin);
    for (const std::string& name : nearest_names(wrong, names)) {
      Open next{queue[q].text.substr(0, begin) + name + queue[q].text.substr(end), queue[q].edits, queue[q].summary};
      next.edits.push_back({{"kind", "replace_text"}, {"from", wrong}, {"to", name}});
      next.summary += fmt::format("{}write {} for {}", next.summary.empty() ? "" : ", ", name, wrong);
      queue.push_back(std::move(next));
    }
  }
  if (d.fixes.empty()) d.no_fix_reason = "no axis of the machine in its place gives a layout that reads";
}

// What both functions take first: text, target, bits.
struct LayoutCall {
  std::string_view text;
  LayoutContext context;
};
Result<LayoutCall> layout_call(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto target_name = arg_string(a, 1);
  if (!target_name) return target_name.take_error();
  auto target = require_target(*target_name);
  if (!target) return target.take_error();
  auto bits = arg_int_or(a, 2, 0);
  if (!bits) return bits.take_error();
  LayoutCall call{*text, {}};
  call.context.tree = (*target)->tree;
  call.context.bits = static_cast<int>(*bits);
  call.context.dtype_bits = dtype_bits;
  return call;
}

Result<Value> layout_parse(Args a) {
  auto call = layout_call(a);
  if (!call) return call.take_error();
  const auto& [text, context] = *call;
  auto parsed = parse_layout(text, context);
  if (!parsed) {
    Diagnostic d = parsed.take_error();
    if (d.def != nullptr && d.def->name == "layout_unknown_axis") add_axis_fixes(d, text, context);
    return d;
  }
  const Layout& l = *parsed->layout;
  json j{{"text", print_layout(l, *context.tree)}, {"shape", l.shape}, {"rows", rows(l)}, {"dtype", parsed->dtype}};
  j["location"] =
      parsed->location < 0 ? json() : json(context.tree->locations[static_cast<size_t>(parsed->location)].name);
  int known_bits = context.bits != 0 ? context.bits : dtype_bits(parsed->dtype);
  if (known_bits != 0) j["copies"] = copies(l, *context.tree, known_bits);
  return Value{j.dump()};
}

Result<Value> layout_who_holds(Args a) {
  auto call = layout_call(a);
  if (!call) return call.take_error();
  const auto& [text, context] = *call;
  auto parsed = parse_layout(text, context);
  if (!parsed) return parsed.take_error();
  std::vector<int64_t> index;
  for (size_t i = 3; i < a.size(); ++i) {
    auto v = arg_int(a, i);
    if (!v) return v.take_error();
    index.push_back(*v);
  }
  auto held = who_holds(*parsed->layout, *context.tree, context.bits, index);
  if (!held) return held.take_error();
  return Value{*held};
}

constexpr FunctionDef kFunctions[] = {
    {"layout.parse", "(text: str, target: str, bits: int = 0) -> json",
     "reads a layout; its normal text, shape, rows and copies", layout_parse},
    {"layout.who_holds", "(text: str, target: str, bits: int, *index: int) -> str", "where one element lies",
     layout_who_holds},
};

}  // namespace

std::span<const FunctionDef> layout_functions() { return kFunctions; }

}  // namespace kumihimo
