// Printing of layouts.
#include <cmath>
#include <cstdio>

#include "core/layout/digit_math.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using layout_detail::axis_def;

std::string_view tail_name(TailKind kind) {
  switch (kind) {
    case TailKind::kReplica: return "B";
    case TailKind::kSingle: return "S";
    case TailKind::kPartialSum: return "P+";
    case TailKind::kPartialMax: return "P>";
    case TailKind::kPartialMin: return "P<";
    case TailKind::kOffset: return "O";
  }
  return "B";
}

std::string print_number(double v) {
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  // The shortest of the two precisions that reads back as the same number.
  char text[40];
  std::snprintf(text, sizeof text, "%.15g", v);
  double back = 0;
  std::sscanf(text, "%lf", &back);
  if (back != v) std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

std::string print_tail_digit(const Tail& tail, const MachineTree& tree) {
  const Iter& it = tail.iter;
  const AxisDef* axis = axis_def(tree, it.axis);
  if (tail.kind == TailKind::kOffset) return std::to_string(it.extent) + "_" + std::string(axis->name);
  const bool whole =
      axis != nullptr &&
      (it.extent == 0 || (axis->kind == AxisKind::kLevel && it.extent == axis->extent && it.stride == 1));
  return whole ? std::string(axis->name) : print_iter(it, tree);
}

}  // namespace

std::string print_iter(const Iter& it, const MachineTree& tree) {
  std::string out = std::to_string(it.extent);
  if (it.axis >= 0) (out += '_') += axis_def(tree, it.axis)->name;
  return out + ":" + std::to_string(it.stride);
}

std::string print_dims(const Layout& layout, const MachineTree& tree) {
  std::string out = "(";
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    out += d == 0 ? "(" : ", (";
    for (size_t i = 0; i < layout.dims[d].size(); ++i) {
      if (i != 0) out += ", ";
      out += print_iter(layout.dims[d][i], tree);
    }
    out += ')';
  }
  for (size_t t = 0; t < layout.tails.size(); ++t) {
    const Tail& tail = layout.tails[t];
    if (t != 0 && layout.tails[t - 1].kind == tail.kind) {
      out += ", ";
    } else {
      if (t != 0) out += ']';
      ((out += "; ") += tail_name(tail.kind)) += "@[";
    }
    out += print_tail_digit(tail, tree);
  }
  if (!layout.tails.empty()) out += ']';
  if (layout.pad == PadKind::kAny) out += "; pad=any";
  if (layout.pad == PadKind::kValue) out += "; pad=" + print_number(layout.pad_value);
  return out + ")";
}

std::string print_layout(const Layout& layout, const MachineTree& tree) {
  std::string out = "(";
  for (size_t d = 0; d < layout.shape.size(); ++d) {
    if (d != 0) out += ',';
    out += std::to_string(layout.shape[d]);
  }
  return out + ")/" + print_dims(layout, tree);
}

}  // namespace kumihimo
