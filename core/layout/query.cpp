// Structure queries and reductions; the lane law is in lanes.cpp.
#include "core/layout/query.h"

#include <algorithm>

#include "core/layout/digit_math.h"
#include "core/layout/text.h"

namespace kumihimo {

using layout_detail::axis_def;
using layout_detail::axis_extent;
using layout_detail::is_lane;
using layout_detail::is_level;

namespace {

bool is_partial(TailKind kind) {
  return kind == TailKind::kPartialSum || kind == TailKind::kPartialMax || kind == TailKind::kPartialMin;
}

// Does some iter, partial tail or offset name the axis below coordinates of `granule`?
bool names_below(const Layout& layout, int axis, int64_t granule) {
  for (const auto& dim : layout.dims)
    for (const Iter& it : dim)
      if (it.axis == axis && (granule == 1 || it.stride % granule != 0)) return true;
  for (const Tail& t : layout.tails) {
    if (t.iter.axis != axis) continue;
    if (is_partial(t.kind) && (granule == 1 || t.iter.stride % granule != 0)) return true;
    if (t.kind == TailKind::kOffset && (granule == 1 || t.iter.extent % granule != 0)) return true;
  }
  return false;
}

}  // namespace

bool names_axis(const Layout& layout, int axis) { return names_below(layout, axis, 1); }

bool at_or_above(const MachineTree& tree, int axis, int location) {
  return is_level(tree, axis) && axis <= tree.locations[static_cast<size_t>(location)].level;
}

std::vector<int> named_levels_below(const Layout& layout, const MachineTree& tree, int location) {
  const LocationDef& loc = tree.locations[static_cast<size_t>(location)];
  std::vector<int> out;
  if (loc.granule > 1 && names_below(layout, loc.level, loc.granule)) out.push_back(loc.level);
  bool forced = false;
  for (int axis = loc.level + 1; axis < static_cast<int>(tree.axes.size()) && is_level(tree, axis); ++axis) {
    const bool named = forced || names_axis(layout, axis);
    if (named) out.push_back(axis);
    forced = named && axis_def(tree, axis)->image_names_inner;
  }
  return out;
}

std::vector<Digit> digits_on(const Layout& layout, const MachineTree& tree, int bits, int axis) {
  std::vector<Digit> out = digits(layout, tree, bits);
  std::erase_if(out, [axis](const Digit& d) { return d.axis != axis; });
  std::stable_sort(out.begin(), out.end(), [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  return out;
}

namespace {

// What is left of a dim when `iters` are taken off its inner end; nothing if they are not there.
std::optional<std::vector<Iter>> take_ending(const std::vector<Iter>& dim, std::span<const Iter> iters) {
  std::vector<Iter> left = layout_detail::merged(dim, true);
  std::vector<Iter> wanted = layout_detail::merged({iters.begin(), iters.end()}, true);
  while (!wanted.empty()) {
    if (left.empty()) return std::nullopt;
    Iter &have = left.back(), &want = wanted.back();
    if (have.axis != want.axis || have.stride != want.stride || have.extent % want.extent != 0) return std::nullopt;
    if (have.extent == want.extent) {
      left.pop_back();
    } else {
      have = {have.extent / want.extent, have.axis, have.stride * want.extent};
    }
    wanted.pop_back();
  }
  return left;
}

}  // namespace

bool ends_with(const Layout& layout, int dim, std::span<const Iter> iters) {
  return dim >= 0 && static_cast<size_t>(dim) < layout.dims.size() &&
         take_ending(layout.dims[static_cast<size_t>(dim)], iters).has_value();
}

std::vector<Iter> without_ending(const Layout& layout, int dim, std::span<const Iter> iters) {
  return take_ending(layout.dims[static_cast<size_t>(dim)], iters).value_or(std::vector<Iter>{});
}

DimParts dim_parts(const Layout& layout, const MachineTree& tree, int dim) {
  DimParts out;
  for (const Iter& it : layout.dims[static_cast<size_t>(dim)]) {
    if (it.axis == kAddressAxis) {
      out.address.push_back(it);
    } else if (is_lane(tree, it.axis)) {
      out.lane.push_back(it);
    } else if (is_level(tree, it.axis)) {
      out.level.push_back(it);
    } else {
      out.time.push_back(it);
    }
  }
  return out;
}

Block block_on(const Layout& layout, const MachineTree& tree, int bits, std::span<const int> axes) {
  Block out;
  const Digit* last = nullptr;
  for (int axis : axes)
    for (const Digit& d : digits_on(layout, tree, bits, axis))
      if (d.extent > 1) out.digits.push_back(d);
  out.innermost = true;
  for (const Digit& d : out.digits) {
    if (d.role != DigitRole::kDim) continue;
    out.size *= d.extent;
    out.text += (out.text.empty() ? "" : "*") + std::to_string(d.extent) + "_" +
                std::string(d.axis < 0 ? "" : axis_def(tree, d.axis)->name);
    if (last != nullptr) {
      out.single_dim &= last->dim == d.dim;
      out.innermost &= last->weight == d.weight * d.extent;
    }
    last = &d;
  }
  out.innermost &= out.single_dim && last != nullptr && last->weight == 1;
  return out;
}

// --- partial values ---------------------------------------------------------------------------------------------------

bool has_partial(const Layout& layout) {
  return std::any_of(layout.tails.begin(), layout.tails.end(), [](const Tail& t) { return is_partial(t.kind); });
}

Result<Layout> reduce_dim(const Layout& layout, const MachineTree& tree, int bits, int dim, TailKind kind,
                          bool keepdims, FreedLanes lanes) {
  if (dim < 0 || static_cast<size_t>(dim) >= layout.dims.size()) {
    Diagnostic d = make_error("layout_rank", "there is no dim " + std::to_string(dim));
    d.required = "a dim from 0 to " + std::to_string(static_cast<int>(layout.dims.size()) - 1);
    return d;
  }
  const DimParts parts = dim_parts(layout, tree, dim);
  Layout out = layout;
  const auto d = static_cast<ptrdiff_t>(dim);
  if (keepdims) {
    out.shape[static_cast<size_t>(dim)] = 1;
    out.dims[static_cast<size_t>(dim)].clear();
  } else {
    out.shape.erase(out.shape.begin() + d);
    out.dims.erase(out.dims.begin() + d);
  }
  for (const Iter& it : parts.level) out.tails.push_back({kind, it});
  for (const Iter& it : parts.lane)
    out.tails.push_back({lanes == FreedLanes::kReplica ? TailKind::kReplica : TailKind::kSingle, it});
  return normalise(std::move(out), tree, bits);
}

Result<Layout> without_partial(const Layout& layout, const MachineTree& tree, int bits, std::span<const int> axes,
                               TailKind becomes) {
  Layout out = layout;
  for (Tail& t : out.tails)
    if (is_partial(t.kind) && (axes.empty() || std::find(axes.begin(), axes.end(), t.iter.axis) != axes.end()))
      t.kind = becomes;
  return normalise(std::move(out), tree, bits);
}

Result<Layout> with_partial(const Layout& layout, const MachineTree& tree, int bits, int axis, TailKind kind) {
  Layout out = layout;
  for (Tail& t : out.tails)
    if (t.iter.axis == axis && (t.kind == TailKind::kReplica || t.kind == TailKind::kSingle)) t.kind = kind;
  return normalise(std::move(out), tree, bits);
}

}  // namespace kumihimo
