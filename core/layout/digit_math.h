// Small steps on digits that several files of this folder share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/layout.h"

namespace kumihimo::layout_detail {

inline constexpr int64_t kMaxNumber = int64_t{1} << 40;

// Extents, strides and lanes of one axis, finest first, as the complement and the nesting rule see them.
struct AxisDigit {
  int64_t extent, stride;
};

inline const AxisDef* axis_def(const MachineTree& tree, int axis) {
  return axis < 0 ? nullptr : &tree.axes[static_cast<size_t>(axis)];
}
inline bool is_level(const MachineTree& tree, int axis) {
  return axis >= 0 && axis_def(tree, axis)->kind == AxisKind::kLevel;
}
inline bool is_lane(const MachineTree& tree, int axis) {
  return axis >= 0 && axis_def(tree, axis)->kind == AxisKind::kLane;
}
inline int lane_axis(const MachineTree& tree) {
  for (size_t i = 0; i < tree.axes.size(); ++i)
    if (tree.axes[i].kind == AxisKind::kLane) return static_cast<int>(i);
  return -1;
}
// Coordinates an axis has; 0 = no fixed number (addresses, time, lanes of an unknown dtype).
inline int64_t axis_extent(const MachineTree& tree, int axis, int bits) {
  if (axis < 0) return 0;
  const AxisDef& def = *axis_def(tree, axis);
  if (def.kind == AxisKind::kLevel) return def.extent;
  if (def.kind == AxisKind::kLane) return bits == 0 ? 0 : tree.word_bits / bits;
  return 0;
}

// Digits that cover what `used` (nesting, any order) leaves of 0..extent-1, finest first. A part that no whole digit
// covers is left out: nothing stands there.
inline std::vector<AxisDigit> complement(std::vector<AxisDigit> used, int64_t extent) {
  std::sort(used.begin(), used.end(), [](auto& a, auto& b) { return a.stride < b.stride; });
  std::vector<AxisDigit> rest;
  int64_t covered = 1, reach = 0;
  for (const AxisDigit& d : used) reach += (d.extent - 1) * d.stride;
  for (const AxisDigit& d : used) {
    if (d.extent <= 1) continue;
    if (d.stride % covered == 0 && d.stride / covered > 1 && reach + d.stride - covered < extent) {
      rest.push_back({d.stride / covered, covered});
      reach += d.stride - covered;
    }
    covered = d.stride * d.extent;
  }
  if (extent % covered == 0 && extent / covered > 1) rest.push_back({extent / covered, covered});
  return rest;
}

// Merges neighbours (outer first) where the outer one continues the inner one on the same axis.
inline std::vector<Iter> merged(const std::vector<Iter>& iters, bool drop_units) {
  std::vector<Iter> out;
  for (const Iter& it : iters) {
    if (it.extent == 1 && drop_units) continue;
    if (!out.empty() && out.back().axis == it.axis && it.extent > 1 && out.back().extent > 1 &&
        out.back().stride == it.extent * it.stride) {
      out.back().extent *= it.extent;
      out.back().stride = it.stride;
    } else {
      out.push_back(it);
    }
  }
  return out;
}

}  // namespace kumihimo::layout_detail
