// Counting the difference of two layouts: elements that stand in the same instances before and after go the same way,
// so classes of elements are routed, not elements.
#include "core/layout/difference.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/layout/hop_tree.h"
#include "core/layout/query.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using namespace layout_detail;

constexpr int64_t kMostCombinations = int64_t{1} << 24;

Diagnostic refuse(std::string headline, std::string observed, std::string required) {
  Diagnostic d = make_error("layout_difference", std::move(headline));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

// One side of the comparison: where the digits of the elements lead, and the copies on each axis.
struct Side {
  const Layout* layout;
  int location, level;
  int64_t granule;
  bool granule_named;      // children of the granule have images of their own
  std::vector<int> named;  // levels below the memory with slots of their own
  std::vector<Digit> digits;
  std::array<std::vector<int64_t>, kMaxAxes> copies;  // sums of the B@ digits
  std::vector<int64_t> address_copies;
};

void spread(std::vector<int64_t>& sums, const Digit& d) {
  const size_t n = sums.size();
  for (int64_t i = 1; i < d.extent; ++i)
    for (size_t k = 0; k < n; ++k) sums.push_back(sums[k] + i * d.stride);
}

Result<Side> side_of(const Placed& placed, const MachineTree& tree, int bits) {
  if (placed.location < 0) return refuse("a layout has no memory", print_layout(*placed.layout, tree), "...@LOCATION");
  const LocationDef& loc = tree.locations[static_cast<size_t>(placed.location)];
  Side out{placed.layout, placed.location, loc.level, loc.granule, false, {}, {}, {}, {0}};
  out.named = named_levels_below(*placed.layout, tree, placed.location);
  if (!out.named.empty() && out.named.front() == loc.level) {
    out.granule_named = loc.granule > 1;
    out.named.erase(out.named.begin());
  }
  for (auto& sums : out.copies) sums = {0};
  for (const Digit& d : digits(*placed.layout, tree, bits)) {
    if (d.axis >= 0 && axis_def(tree, d.axis)->kind == AxisKind::kTime)
      return refuse("a value that changes with time", print_layout(*placed.layout, tree), "a layout without time");
    if (d.role == DigitRole::kSingle || d.extent == 1) continue;
    // Children without a slot of their own share the words of one image.
    if (is_level(tree, d.axis) && d.axis > loc.level && d.role == DigitRole::kReplica &&
        std::find(out.named.begin(), out.named.end(), d.axis) == out.named.end())
      continue;
    if (d.role == DigitRole::kReplica) {
      if (d.extent > kMostCombinations)
        return refuse("too many copies to compare", print_iter({d.extent, d.axis, d.stride}, tree), "at most 2^24");
      spread(d.axis < 0 ? out.address_copies : out.copies[static_cast<size_t>(d.axis)], d);
    } else {
      out.digits.push_back(d);
    }
  }
  return out;
}

// How many positions of one axis two sets of copies share when one is displaced against the other.
class Overlap {
 public:
  Overlap(const std::vector<int64_t>& from, const std::vector<int64_t>& to) : from_(from), to_(to) {
    std::sort(from_.begin(), from_.end());
  }
  int64_t at(int64_t delta) {  // to - from
    if (from_.size() == 1 && to_.size() == 1) return delta == 0 ? 1 : 0;
    auto [it, fresh] = known_.try_emplace(delta, 0);
    if (fresh)
      for (int64_t t : to_) it->second += std::binary_search(from_.begin(), from_.end(), t + delta) ? 1 : 0;
    return it->second;
  }

 private:
  std::vector<int64_t> from_, to_;
  std::unordered_map<int64_t, int64_t> known_;
};

// What an index of one dim adds to where its element stands.
struct Step {
  int64_t from = 0, to = 0;    // level coordinates, mixed radix
  std::vector<int64_t> local;  // to - from on the axes below the memory, lanes and addresses
  friend auto operator<=>(const Step&, const Step&) = default;
};

class Comparer {
 public:
  Comparer(Side from, Side to, const MachineTree& tree, int bits)
      : from_(std::move(from)), to_(std::move(to)), tree_(tree), bits_(bits), hops_(tree) {}

  Status prepare() {
    if (tree_.hops.empty()) return refuse("the machine states no hops", std::string(tree_.name), "a machine with hops");
    from_depth_ = hops_.depth_of(from_.location);
    to_depth_ = hops_.depth_of(to_.location);
    for (const Side* s : {&from_, &to_})
      if (hops_.depth_of(s->location) < 0)
        return refuse("no hop leads to the memory", std::string(tree_.locations[static_cast<size_t>(s->location)].name),
                      "a memory of the tree of hops");
    if (from_.layout->shape != to_.layout->shape)
      return refuse("the layouts have different shapes", print_layout(*to_.layout, tree_),
                    print_layout(*from_.layout, tree_));
    std::vector<Tail> parts[2];
    for (int i = 0; i < 2; ++i)
      for (const Tail& t : (i == 0 ? from_ : to_).layout->tails)
        if (t.kind == TailKind::kPartialSum || t.kind == TailKind::kPartialMax || t.kind == TailKind::kPartialMin)
          parts[i].push_back(t);
    bool same = parts[0].size() == parts[1].size();
    for (size_t i = 0; same && i < parts[0].size(); ++i)
      same = parts[0][i].kind == parts[1][i].kind && parts[0][i].iter.extent == parts[1][i].iter.extent;
    if (!same)
      return refuse("partial copies would have to be reduced or made", print_layout(*to_.layout, tree_),
                    "the same partial tails, as in " + print_layout(*from_.layout, tree_));
    in_place_ = from_depth_ == to_depth_ && tree_.locations[static_cast<size_t>(from_.location)].level ==
                                                tree_.locations[static_cast<size_t>(to_.location)].level;
    same_slots_ =
        from_.named == to_.named && from_.granule_named == to_.granule_named && from_.location == to_.location;
    extents_ = from_.layout->shape;
    for (int64_t e : partial_extents(*from_.layout, tree_, bits_)) extents_.push_back(e);
    return Ok{};
  }

  Result<Difference> count() {
    std::vector<std::vector<std::pair<Step, int64_t>>> dims;
    int64_t combinations = 1;
    for (size_t d = 0; d < extents_.size(); ++d) {
      if (extents_[d] > kMostCombinations) return too_many(extents_[d]);
      std::map<Step, int64_t> classes;
      for (int64_t i = 0; i < extents_[d]; ++i) ++classes[step(static_cast<int>(d), i)];
      dims.emplace_back(classes.begin(), classes.end());
      if (__builtin_mul_overflow(combinations, static_cast<int64_t>(classes.size()), &combinations) ||
          combinations > kMostCombinations)
        return too_many(elements(*from_.layout));
    }
    add_up(dims);
    const auto loads = [&](int depth) { return std::vector<int64_t>(static_cast<size_t>(hops_.instances(depth)), 0); };
    for (int d = 0; d <= hops_.depths(); ++d) {
      if (hops_.instances(d) > kMostCombinations) return too_many(hops_.instances(d));
      flows_.push_back({0, 0, 0, loads(d), loads(d), loads(d), loads(d), true, true});
    }
    local_ = loads(to_depth_);
    for (const auto& [key, total] : totals_) {
      count_ = total.elements;
      overlap_ = total.overlap;
      const NodeSet f = nodes(from_, key.first), t = nodes(to_, key.second);
      f_ = &f, t_ = &t;
      Router<Comparer>(hops_, from_depth_, to_depth_, f, t, *this).run();
    }
    return result();
  }

  Result<std::vector<Carry>> route_of(std::span<const int64_t> index, std::span<const int64_t> partial) {
    Result<std::vector<Point>> check = apply(*from_.layout, tree_, bits_, index, partial);
    if (!check) return check.take_error();
    int64_t from = offset_key(from_), to = offset_key(to_);
    for (size_t d = 0; d < extents_.size(); ++d) {
      const bool is_index = d < index.size();
      const int64_t i = is_index ? index[d] : partial.empty() ? 0 : partial[d - index.size()];
      const Step s = step(static_cast<int>(d), i);
      from += s.from, to += s.to;
    }
    struct Sink {
      const HopTree& hops;
      std::vector<Carry> out;
      void carry(const Node& child, int depth, bool up) {
        out.push_back(
            {hops.hop_above(depth), up, hops.number(hops.parent(child, depth), depth - 1), hops.number(child, depth)});
      }
      void up(const Node& child, int depth) { carry(child, depth, true); }
      void down(const Node& child, int depth) { carry(child, depth, false); }
      void read(const Node&, int, int64_t) {}
      void holds(const Node&) {}
    } sink{hops_, {}};
    const NodeSet f = nodes(from_, from), t = nodes(to_, to);
    Router<Sink>(hops_, from_depth_, to_depth_, f, t, sink).run();
    return std::move(sink.out);
  }

  // --- what the router reports, for `count_` elements at once ---
  void up(const Node& child, int depth) {
    Flow& flow = flows_[static_cast<size_t>(depth)];
    flow.up += count_;
    flow.up_lower[static_cast<size_t>(hops_.number(child, depth))] += count_;
    flow.up_upper[static_cast<size_t>(hops_.number(hops_.parent(child, depth), depth - 1))] += count_;
  }
  void read(const Node& parent, int depth, int64_t children) {
    Flow& flow = flows_[static_cast<size_t>(depth + 1)];
    flow.read += count_;
    flow.down_upper[static_cast<size_t>(hops_.number(parent, depth))] += count_;
    flow.copies = flow.copies && children == hops_.children_count(depth);
    flow.own = flow.own && children == 1;
  }
  void down(const Node& child, int depth) {
    Flow& flow = flows_[static_cast<size_t>(depth)];
    flow.down += count_;
    flow.down_lower[static_cast<size_t>(hops_.number(child, depth))] += count_;
    if (depth == to_depth_) place(child, count_ * (points_in(to_, *t_, child) - 1));  // further copies beside the first
  }
  void holds(const Node& node) {
    const int64_t wanted = count_ * points_in(to_, *t_, node);
    int64_t shared = 0;
    if (same_slots_) {
      shared = overlap_;
      if (to_.granule_named) {
        int64_t both = 0;
        for (int64_t c : t_->values[static_cast<size_t>(to_.level)])
          both += c / to_.granule == node[static_cast<size_t>(to_.level)] && f_->has(to_.level, c) ? 1 : 0;
        shared *= both;
      }
    }
    stay_ += shared;
    place(node, wanted - shared);
  }

 private:
  struct Flow {
    int64_t up = 0, down = 0, read = 0;
    std::vector<int64_t> up_upper, up_lower, down_upper, down_lower;
    bool copies = true, own = true;
  };
  struct Total {
    int64_t elements = 0, overlap = 0;
  };

  static Diagnostic too_many(int64_t n) {
    return refuse("the layouts differ in too many ways to be compared", std::to_string(n),
                  "at most 2^24 different ways");
  }
  void place(const Node& node, int64_t points) {
    in_place_points_ += points;
    local_[static_cast<size_t>(hops_.number(node, to_depth_))] += points;
  }
  // Points of one element inside one instance.
  int64_t points_in(const Side& side, const NodeSet& set, const Node& node) const {
    int64_t n = static_cast<int64_t>(side.address_copies.size());
    for (size_t a = 0; a < tree_.axes.size(); ++a)
      if (!is_level(tree_, static_cast<int>(a)) || static_cast<int>(a) > side.level)
        n *= static_cast<int64_t>(side.copies[a].size());
    if (side.granule_named)
      n *= HopTree::count_in_block(set, side.level, node[static_cast<size_t>(side.level)], side.granule);
    return n;
  }

  int64_t radix(const Side& side, int axis) const {
    int64_t r = 1;
    for (int a = axis + 1; a <= side.level; ++a) r *= axis_def(tree_, a)->extent;
    return r;
  }
  int64_t offset_key(const Side& side) const {
    int64_t key = 0;
    for (int a = 0; a <= side.level; ++a) key += axis_offset(*side.layout, a) * radix(side, a);
    return key;
  }
  // Dims first, then the partial axes.
  Step step(int dim, int64_t i) const {
    Step out;
    out.local.assign(tree_.axes.size() + 1, 0);
    const int rank = static_cast<int>(from_.layout->shape.size());
    for (const Side* side : {&from_, &to_})
      for (const Digit& d : side->digits) {
        const bool mine = d.role == DigitRole::kDim ? d.dim == dim : d.dim + rank == dim;
        if (!mine) continue;
        const int64_t value = (d.role == DigitRole::kDim ? i / d.weight % d.extent : i) * d.stride;
        if (is_level(tree_, d.axis) && d.axis <= side->level) {
          (side == &from_ ? out.from : out.to) += value * radix(*side, d.axis);
        } else {
          out.local[static_cast<size_t>(d.axis + 1)] += side == &from_ ? -value : value;
        }
      }
    if (!in_place_) out.local.clear();
    return out;
  }

  // All combinations of the dims' steps: how many elements stand where, and how many of their points stay.
  void add_up(const std::vector<std::vector<std::pair<Step, int64_t>>>& dims) {
    std::vector<Overlap> overlaps;
    overlaps.emplace_back(from_.address_copies, to_.address_copies);
    for (size_t a = 0; a < tree_.axes.size(); ++a) overlaps.emplace_back(from_.copies[a], to_.copies[a]);
    std::vector<int64_t> base(tree_.axes.size() + 1, 0);
    for (size_t a = 0; a < tree_.axes.size(); ++a)
      base[a + 1] = axis_offset(*to_.layout, static_cast<int>(a)) - axis_offset(*from_.layout, static_cast<int>(a));
    std::vector<size_t> at(dims.size(), 0);
    while (true) {
      int64_t from = offset_key(from_), to = offset_key(to_), n = 1;
      std::vector<int64_t> local = base;
      for (size_t d = 0; d < dims.size(); ++d) {
        const auto& [s, count] = dims[d][at[d]];
        from += s.from, to += s.to, n *= count;
        for (size_t a = 0; a < s.local.size(); ++a) local[a] += s.local[a];
      }
      Total& total = totals_[{from, to}];
      total.elements += n;
      if (in_place_ && same_slots_) {
        int64_t shared = n * overlaps[0].at(local[0]);
        for (size_t a = 0; a < tree_.axes.size() && shared != 0; ++a)
          if (!is_level(tree_, static_cast<int>(a)) || static_cast<int>(a) > to_.level)
            shared *= overlaps[a + 1].at(local[a + 1]);
        total.overlap += shared;
      }
      size_t d = dims.size();
      while (d > 0 && ++at[d - 1] == dims[d - 1].size()) at[--d] = 0;
      if (d == 0) return;
    }
  }

  NodeSet nodes(const Side& side, int64_t key) const {
    NodeSet out;
    for (int a = side.level; a >= 0; --a) {
      const int64_t extent = axis_def(tree_, a)->extent, base = key % extent;
      key /= extent;
      std::vector<int64_t> values;
      for (int64_t c : side.copies[static_cast<size_t>(a)]) values.push_back(base + c);
      out.set(a, extent, std::move(values));
    }
    return out;
  }

  int64_t packed(int64_t words) const { return (words * bits_ + 63) / 64; }
  static int64_t most(const std::vector<int64_t>& loads) {
    return loads.empty() ? 0 : *std::max_element(loads.begin(), loads.end());
  }

  Difference result() {
    Difference out;
    auto add = [&](Transfer t, const std::vector<int64_t>& upper, const std::vector<int64_t>& lower) {
      t.long_words = packed(t.arrived);
      t.busiest_upper = packed(most(upper));
      t.busiest_lower = packed(most(lower));
      if (t.hop >= 0) {
        const HopDef& hop = tree_.hops[static_cast<size_t>(t.hop)];
        t.cycles = std::max((t.busiest_upper + hop.upper_rate - 1) / hop.upper_rate,
                            (t.busiest_lower + hop.lower_rate - 1) / hop.lower_rate);
        // The machine as a whole is no stop: the way through it is counted on the way down.
        if (t.way == Transfer::Way::kUp && hop.upper < 0) t.cycles = 0;
      }
      out.cycles += t.cycles;
      if (t.way == Transfer::Way::kUp || t.way == Transfer::Way::kDown) out.carried += t.arrived;
      out.transfers.push_back(t);
    };
    for (int d = hops_.depths(); d > 0; --d) {
      const Flow& f = flows_[static_cast<size_t>(d)];
      if (f.up != 0) add({Transfer::Way::kUp, hops_.hop_above(d), f.up, f.up}, f.up_upper, f.up_lower);
    }
    for (int d = 1; d <= hops_.depths(); ++d) {
      const Flow& f = flows_[static_cast<size_t>(d)];
      if (f.down == 0) continue;
      Transfer t{Transfer::Way::kDown, hops_.hop_above(d), f.read, f.down};
      t.copies = f.copies;
      t.own = f.own;
      add(t, f.down_upper, f.down_lower);
    }
    if (in_place_points_ != 0) {
      Transfer t{Transfer::Way::kInPlace, -1, in_place_points_, in_place_points_};
      for (size_t h = 0; h < tree_.hops.size(); ++h)
        if (tree_.hops[h].upper == tree_.hops[h].lower && hops_.depth_of(tree_.hops[h].lower) == to_depth_)
          t.hop = static_cast<int>(h);
      add(t, local_, local_);
    }
    if (to_.layout->pad == PadKind::kValue &&
        !(in_place_ && same_slots_ && same_meaning(*from_.layout, *to_.layout, tree_, bits_))) {
      const int64_t n = padding_points(*to_.layout, tree_, bits_);
      add({Transfer::Way::kFill, -1, n, n}, {}, {});
    }
    out.stay = stay_;
    return out;
  }

  Side from_, to_;
  const MachineTree& tree_;
  int bits_;
  HopTree hops_;
  int from_depth_ = 0, to_depth_ = 0;
  bool in_place_ = false, same_slots_ = false;
  std::vector<int64_t> extents_;
  std::map<std::pair<int64_t, int64_t>, Total> totals_;
  std::vector<Flow> flows_;
  std::vector<int64_t> local_;
  int64_t count_ = 0, overlap_ = 0, stay_ = 0, in_place_points_ = 0;
  const NodeSet *f_ = nullptr, *t_ = nullptr;
};

Result<Comparer> comparer(const Placed& from, const Placed& to, const MachineTree& tree, int bits) {
  if (bits == 0) return refuse("the width of an element is not known", "0 bits", "a known dtype");
  Result<Side> f = side_of(from, tree, bits);
  if (!f) return f.take_error();
  Result<Side> t = side_of(to, tree, bits);
  if (!t) return t.take_error();
  Comparer out(std::move(*f), std::move(*t), tree, bits);
  if (Status s = out.prepare(); !s) return s.take_error();
  return out;
}

}  // namespace

Result<Difference> difference(Placed from, Placed to, const MachineTree& tree, int bits) {
  auto c = comparer(from, to, tree, bits);
  if (!c) return c.take_error();
  return c->count();
}

Result<std::vector<Carry>> route(Placed from, Placed to, const MachineTree& tree, int bits,
                                 std::span<const int64_t> index, std::span<const int64_t> partial) {
  auto c = comparer(from, to, tree, bits);
  if (!c) return c.take_error();
  return c->route_of(index, partial);
}

std::string_view way_name(Transfer::Way way) {
  switch (way) {
    case Transfer::Way::kUp: return "up";
    case Transfer::Way::kDown: return "down";
    case Transfer::Way::kInPlace: return "in place";
    case Transfer::Way::kFill: return "fill";
  }
  return "";
}

}  // namespace kumihimo
