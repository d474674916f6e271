// The machine's tree of memories as hops see it: nodes are instances of memories, depth 0 is the whole machine.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/layout.h"

namespace kumihimo::layout_detail {

// Coordinates of an instance on the level axes; on its own level's axis the number of its block of `granule`.
using Node = std::array<int64_t, kMaxAxes>;

// Coordinates that copies of one element take on each level axis. The element stands at every combination.
struct NodeSet {
  std::array<std::vector<int64_t>, kMaxAxes> values;    // ascending
  std::array<std::vector<uint8_t>, kMaxAxes> contains;  // by coordinate

  void set(int axis, int64_t extent, std::vector<int64_t> coordinates) {
    auto& has = contains[static_cast<size_t>(axis)];
    has.assign(static_cast<size_t>(extent), 0);
    std::sort(coordinates.begin(), coordinates.end());
    for (int64_t c : coordinates) has[static_cast<size_t>(c)] = 1;
    values[static_cast<size_t>(axis)] = std::move(coordinates);
  }
  bool has(int axis, int64_t c) const { return contains[static_cast<size_t>(axis)][static_cast<size_t>(c)] != 0; }
};

class HopTree {
 public:
  explicit HopTree(const MachineTree& tree) : tree_(tree) {
    int upper = -1;
    for (size_t h = 0; h < tree.hops.size(); ++h) {
      const HopDef& hop = tree.hops[h];
      if (hop.upper == hop.lower || hop.upper != upper) continue;
      const LocationDef& lower = tree.locations[static_cast<size_t>(hop.lower)];
      stages_.push_back({static_cast<int>(h), lower.level, lower.granule});
      upper = hop.lower;
    }
  }

  int depths() const { return static_cast<int>(stages_.size()); }
  int hop_above(int depth) const { return stages_[static_cast<size_t>(depth - 1)].hop; }
  // The depth of a memory: that of its level; -1 = no hop leads there.
  int depth_of(int location) const {
    const LocationDef& loc = tree_.locations[static_cast<size_t>(location)];
    for (int d = 1; d <= depths(); ++d)
      if (level(d) == loc.level && granule(d) == loc.granule) return d;
    return -1;
  }
  int level(int depth) const { return depth == 0 ? -1 : stages_[static_cast<size_t>(depth - 1)].level; }
  int64_t granule(int depth) const { return depth == 0 ? 1 : stages_[static_cast<size_t>(depth - 1)].granule; }

  int64_t instances(int depth) const {
    int64_t n = 1;
    for (int axis = 0; axis <= level(depth); ++axis) n *= blocks(axis, depth);
    return n;
  }
  int64_t number(const Node& node, int depth) const {
    int64_t n = 0;
    for (int axis = 0; axis <= level(depth); ++axis) n = n * blocks(axis, depth) + node[static_cast<size_t>(axis)];
    return n;
  }
  Node parent(Node node, int depth) const {
    if (level(depth) >= 0) node[static_cast<size_t>(level(depth))] *= granule(depth);
    for (size_t axis = static_cast<size_t>(level(depth - 1) + 1); axis < node.size(); ++axis) node[axis] = 0;
    if (depth > 1) node[static_cast<size_t>(level(depth - 1))] /= granule(depth - 1);
    return node;
  }

  // Does the subtree of a node hold one of the set?
  bool meets(const Node& node, int depth, const NodeSet& set) const {
    const int own = level(depth);
    for (int axis = 0; axis < own; ++axis)
      if (!set.has(axis, node[static_cast<size_t>(axis)])) return false;
    return own < 0 || count_in_block(set, own, node[static_cast<size_t>(own)], granule(depth)) > 0;
  }
  static int64_t count_in_block(const NodeSet& set, int axis, int64_t block, int64_t granule) {
    int64_t n = 0;
    for (int64_t c : set.values[static_cast<size_t>(axis)]) n += c / granule == block ? 1 : 0;
    return n;
  }

  // Children of a node whose subtrees hold one of the set, in order.
  std::vector<Node> children(const Node& node, int depth, const NodeSet& set) const {
    std::vector<Node> out{node};
    const int below = depth + 1, own = level(depth);
    const int64_t block = own < 0 ? 0 : node[static_cast<size_t>(own)];
    const int first = granule(depth) > 1 || level(below) == own ? own : own + 1;
    for (int axis = first; axis <= level(below); ++axis) {
      std::vector<int64_t> choices;
      for (int64_t c : set.values[static_cast<size_t>(axis)]) {
        if (axis == own && c / granule(depth) != block) continue;
        const int64_t choice = axis == level(below) ? c / granule(below) : c;
        if (choices.empty() || choices.back() != choice) choices.push_back(choice);
      }
      std::vector<Node> next;
      next.reserve(out.size() * choices.size());
      for (const Node& n : out)
        for (int64_t c : choices) {
          next.push_back(n);
          next.back()[static_cast<size_t>(axis)] = c;
        }
      out = std::move(next);
    }
    return out;
  }
  // All children that an instance of the depth has.
  int64_t children_count(int depth) const { return instances(depth + 1) / instances(depth); }

 private:
  struct Stage {
    int hop, level;
    int64_t granule;
  };
  int64_t blocks(int axis, int depth) const {
    const int64_t extent = axis_def(tree_, axis)->extent;
    return axis == level(depth) ? (extent + granule(depth) - 1) / granule(depth) : extent;
  }
  const MachineTree& tree_;
  std::vector<Stage> stages_;
};

// The shortest route of one element: calls sink.up(child, depth), sink.read(parent, depth, children), sink.down(child,
// depth) in order, and sink.holds(node) for each instance of `to` that holds the element already.
template <class Sink>
class Router {
 public:
  Router(const HopTree& tree, int from_depth, int to_depth, const NodeSet& from, const NodeSet& to, Sink& sink)
      : tree_(tree), from_depth_(from_depth), to_depth_(to_depth), from_(from), to_(to), sink_(sink) {}
  void run() { visit(Node{}, 0); }

 private:
  struct Holder {
    Node node;
    int depth;
  };
  // The node's subtree holds the element. The outermost holder that is known afterwards; none = only original ones.
  std::optional<Holder> visit(const Node& node, int depth) {
    std::vector<Node> lacking;
    std::optional<Holder> best;
    if (depth < to_depth_)
      for (const Node& child : tree_.children(node, depth, to_)) {
        if (depth >= from_depth_ || !tree_.meets(child, depth + 1, from_)) {
          lacking.push_back(child);
        } else if (auto holder = visit(child, depth + 1); holder && (!best || holder->depth < best->depth)) {
          best = holder;
        }
      }
    if (depth == from_depth_) {
      if (depth == to_depth_) sink_.holds(node);
      best = Holder{node, depth};
    } else if (depth == to_depth_ || !lacking.empty()) {
      if (!best) best = original(node, depth);
      Node at = best->node;
      for (int d = best->depth; d > depth; --d) {
        sink_.up(at, d);
        at = tree_.parent(at, d);
      }
      best = Holder{node, depth};
    }
    hand_down(node, depth, lacking);
    return best;
  }
  Holder original(Node node, int depth) const {
    for (; depth < from_depth_; ++depth) node = tree_.children(node, depth, from_).front();
    return {node, depth};
  }
  void hand_down(const Node& node, int depth, const std::vector<Node>& children) {
    if (children.empty()) return;
    sink_.read(node, depth, static_cast<int64_t>(children.size()));
    for (const Node& child : children) {
      sink_.down(child, depth + 1);
      if (depth + 1 < to_depth_) hand_down(child, depth + 1, tree_.children(child, depth + 1, to_));
    }
  }

  const HopTree& tree_;
  const int from_depth_, to_depth_;
  const NodeSet &from_, &to_;
  Sink& sink_;
};

}  // namespace kumihimo::layout_detail
