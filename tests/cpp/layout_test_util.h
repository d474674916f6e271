// Shared by the layout tests: a small machine, parsing that must succeed, and random layouts.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/layout/algebra.h"
#include "core/layout/layout.h"
#include "core/layout/text.h"

namespace kumihimo::test {

// Two levels of 4 and 6 children, so that not everything is a power of two.
inline constexpr AxisDef kSmallAxes[] = {
    {"A", AxisKind::kLevel, 4, 0, "", "", 'O'},
    {"B", AxisKind::kLevel, 6, 3, "", "", 'O'},
    {"W", AxisKind::kLane, 0, 0, "", "", 'O'},
    {"Time", AxisKind::kTime, 0, 0, "", "", 'O'},
};
inline constexpr LocationDef kSmallLocations[] = {
    {"UP", 0, 2, 4096, 8, -1, false, "", "", 'O'},
    {"MID", 0, 1, 4096, 4, -1, false, "", "", 'O'},
    {"LOW", 1, 1, 64, 1, -1, false, "", "", 'O'},
};
inline constexpr HopDef kSmallHops[] = {
    {-1, 0, 2, 2, "", "", "", "", "", "", "", 'O'},
    {0, 1, 4, 2, "", "", "", "", "", "", "", 'O'},
    {1, 2, 6, 1, "", "", "", "", "", "", "", 'O'},
    {2, 2, 1, 1, "", "", "", "", "", "", "", 'O'},
};
inline constexpr MachineTree kSmall{"small", kSmallAxes, kSmallLocations, 64, kSmallHops};

inline int bits_of_name(std::string_view name) {
  if (name == "half" || name == "bool_" || name == "Half") return 16;
  if (name == "single" || name == "Float" || name == "UInt") return 32;
  if (name == "double" || name == "ULong") return 64;
  return 0;
}

inline ParsedLayout parsed(std::string_view text, const MachineTree& tree, int bits = 0) {
  Result<ParsedLayout> r = parse_layout(text, {&tree, bits, {}, bits_of_name});
  EXPECT_TRUE(r.ok()) << text << "\n" << (r.ok() ? "" : render_text(r.error()));
  return r.ok() ? *r : ParsedLayout{intern(Layout{}, tree), -1, ""};
}
inline const Layout& layout_of(std::string_view text, const MachineTree& tree, int bits = 0) {
  return *parsed(text, tree, bits).layout;
}
inline Diagnostic refusal(std::string_view text, const MachineTree& tree, int bits = 0) {
  Result<ParsedLayout> r = parse_layout(text, {&tree, bits, {}, bits_of_name});
  EXPECT_FALSE(r.ok()) << text << " was read as " << (r.ok() ? print_layout(*r->layout, tree) : "");
  return r.ok() ? Diagnostic{} : r.error();
}

// A random layout in normal form: digits are dealt to dims, copies, partial copies and nobody, axis by axis.
inline Layout random_layout(std::mt19937& rng, const MachineTree& tree, int bits, bool allow_partial = true,
                            int64_t max_points = 1 << 14) {
  auto pick = [&](int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); };
  while (true) {
    Layout l;
    const int rank = 1 + pick(3);
    l.dims.resize(static_cast<size_t>(rank));
    for (int axis = kAddressAxis; axis < static_cast<int>(tree.axes.size()); ++axis) {
      if (axis >= 0 && tree.axes[static_cast<size_t>(axis)].kind == AxisKind::kTime) continue;
      const bool lane = axis >= 0 && tree.axes[static_cast<size_t>(axis)].kind == AxisKind::kLane;
      int64_t left = axis < 0 ? 1 + pick(40)
                     : lane   ? tree.word_bits / bits
                              : tree.axes[static_cast<size_t>(axis)].extent;
      int64_t stride = 1;
      bool leave = axis >= 0 && pick(4) == 0;  // an axis nobody names
      while (left > 1 && !leave) {
        int64_t extent = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(left));
        if (pick(3) != 0)
          while (left % extent != 0) --extent;
        const Iter it{extent, static_cast<int16_t>(axis), stride};
        switch (pick(6)) {
          case 0:
            if (axis >= 0) {
              l.tails.push_back({TailKind::kReplica, it});
              break;
            }
            [[fallthrough]];
          case 1:
            if (allow_partial && extent > 1) {
              l.tails.push_back({static_cast<TailKind>(2 + pick(3)), it});
              break;
            }
            [[fallthrough]];
          case 2: break;  // a gap: normalise fills it with copies where it can
          default: {
            auto& dim = l.dims[static_cast<size_t>(pick(rank))];
            dim.insert(dim.begin() + pick(static_cast<int>(dim.size()) + 1), it);
          }
        }
        stride *= extent;
        left /= extent;
      }
    }
    for (const auto& dim : l.dims) {
      int64_t extent = dim_product(dim);
      if (pick(3) == 0) extent = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(extent));
      l.shape.push_back(extent);
    }
    const int pad = pick(3);
    l.pad = pad == 0 ? PadKind::kNone : pad == 1 ? PadKind::kValue : PadKind::kAny;
    if (l.pad == PadKind::kValue && pick(2) == 0) l.pad_value = -std::numeric_limits<double>::infinity();
    Result<Layout> normal = normalise(std::move(l), tree, bits);
    EXPECT_TRUE(normal.ok()) << render_text(normal.error());
    if (normal.ok() && live_points(*normal, tree, bits) + padding_points(*normal, tree, bits) <= max_points)
      return std::move(*normal);
  }
}

// A random layout of a given shape: factors of the dims on axes that have room.
inline Layout random_layout_of_shape(std::mt19937& rng, const MachineTree& tree, int bits,
                                     const std::vector<int64_t>& shape) {
  auto pick = [&](int64_t n) { return static_cast<int64_t>(rng() % static_cast<uint64_t>(n)); };
  while (true) {
    Layout l;
    l.shape = shape;
    std::vector<int64_t> next(tree.axes.size() + 1, 1);
    for (size_t d = 0; d < shape.size(); ++d) {
      l.dims.emplace_back();
      int64_t left = pick(4) == 0 ? shape[d] + pick(3) : shape[d];
      while (left > 1) {
        int64_t extent = 2 + pick(left - 1);
        while (left % extent != 0) --extent;
        const int64_t axis = pick(static_cast<int64_t>(tree.axes.size()) + 1) - 1;
        if (axis >= 0 && tree.axes[static_cast<size_t>(axis)].kind == AxisKind::kTime) continue;
        int64_t& stride = next[static_cast<size_t>(axis + 1)];
        if (pick(5) == 0) stride *= 1 + pick(3);
        l.dims[d].insert(l.dims[d].begin() + pick(static_cast<int64_t>(l.dims[d].size()) + 1),
                         {extent, static_cast<int16_t>(axis), stride});
        stride *= extent;
        left /= extent;
        if (stride > 64) break;
      }
      if (left > 1) break;
    }
    if (l.dims.size() != shape.size()) continue;
    for (size_t a = 0; a < tree.axes.size(); ++a)
      if (tree.axes[a].kind == AxisKind::kLevel && next[a + 1] == 1 && pick(3) == 0) {
        l.tails.push_back({TailKind::kSingle, {0, static_cast<int16_t>(a), 1}});
        if (const int64_t at = pick(tree.axes[a].extent); at != 0)
          l.tails.push_back({TailKind::kOffset, {at, static_cast<int16_t>(a), 1}});
      }
    if (pick(4) == 0) l.tails.push_back({TailKind::kReplica, {2, kAddressAxis, next[0]}});
    Result<Layout> normal = normalise(std::move(l), tree, bits);
    if (normal.ok()) return std::move(*normal);
  }
}

// Calls f with every index of a shape, row-major.
template <class F>
void each_index(std::span<const int64_t> shape, F f) {
  std::vector<int64_t> index(shape.size(), 0);
  while (true) {
    f(std::as_const(index));
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace kumihimo::test
