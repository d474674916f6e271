// The lane law: equal lanes of values of different widths, and the layout that a cast leaves.
//
// Everything here works on slots (address * lanes + lane, unit: one element). `group` is the number of lanes of the
// narrower of two types: elements of one group pass through the machine side by side, so the slot modulo `group` is
// the lane and the slot divided by `group` the row.
#include <algorithm>
#include <optional>

#include "core/layout/digit_math.h"
#include "core/layout/query.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using layout_detail::is_lane;
using layout_detail::is_level;
using layout_detail::lane_axis;

enum class Place : uint8_t { kAxis, kLane, kRow };

// A digit in slots: on a level or time axis, in the lane of a group, or a row of groups.
struct SlotDigit {
  Place place = Place::kAxis;
  int16_t axis = kAddressAxis;  // kAxis only
  int64_t extent = 1, stride = 1;
};

// Splits (extent, slot stride) at the group; false if a row would begin inside a group irregularly.
bool split(int64_t extent, int64_t stride, int64_t group, std::vector<SlotDigit>& out) {
  if (stride % group == 0) {
    out.push_back({Place::kRow, kAddressAxis, extent, stride / group});
    return true;
  }
  if (stride > group || group % stride != 0) return false;
  const int64_t inside = group / stride;
  if (extent <= inside) {
    out.push_back({Place::kLane, kAddressAxis, extent, stride});
    return true;
  }
  if (extent % inside != 0) return false;
  out.push_back({Place::kRow, kAddressAxis, extent / inside, 1});
  out.push_back({Place::kLane, kAddressAxis, inside, stride});
  return true;
}

// One iter in slots of `lanes` per long word, grouped by `group`.
bool to_slots(const Iter& it, const MachineTree& tree, int64_t lanes, int64_t group, std::vector<SlotDigit>& out) {
  if (it.axis == kAddressAxis) return split(it.extent, it.stride * lanes, group, out);
  if (is_lane(tree, it.axis))
    return split(it.extent == 0 ? lanes : it.extent, it.extent == 0 ? 1 : it.stride, group, out);
  out.push_back({Place::kAxis, it.axis, it.extent, it.stride});
  return true;
}

std::string text_of(const SlotDigit& d, const MachineTree& tree) {
  switch (d.place) {
    case Place::kAxis: return print_iter({d.extent, d.axis, d.stride}, tree);
    case Place::kLane: return "lanes " + std::to_string(d.extent) + ":" + std::to_string(d.stride);
    case Place::kRow: return "rows " + std::to_string(d.extent) + ":" + std::to_string(d.stride);
  }
  return {};
}

bool same_place(const SlotDigit& a, const SlotDigit& b) { return a.place == b.place && a.axis == b.axis; }

// The iters of one dim in slots, extent-1 digits dropped, neighbours merged; `cut`: padding beyond the dim's extent
// is left out of the outermost digit.
std::optional<std::vector<SlotDigit>> dim_slots(const Layout& layout, size_t dim, const MachineTree& tree, int bits,
                                                int64_t group, bool cut) {
  std::vector<SlotDigit> all;
  for (const Iter& it : layout_detail::merged(layout.dims[dim], true))
    if (!to_slots(it, tree, lanes_of(bits), group, all)) return std::nullopt;
  std::vector<SlotDigit> out;
  for (const SlotDigit& d : all) {
    if (!out.empty() && same_place(out.back(), d) && out.back().stride == d.extent * d.stride) {
      out.back().extent *= d.extent;
      out.back().stride = d.stride;
    } else {
      out.push_back(d);
    }
  }
  int64_t weight = 1;
  for (size_t i = out.size(); cut && i-- > 0;) {
    const int64_t used = (layout.shape[dim] + weight - 1) / weight;
    weight *= out[i].extent;
    if (used < out[i].extent) out[i].extent = used;
    if (used <= 1) {
      out.erase(out.begin(), out.begin() + static_cast<ptrdiff_t>(i) + 1);
      break;
    }
  }
  return out;
}

struct Compare {
  bool equal = true, rows = true;
  std::string reason;
};

// Pairwise from the innermost digit, cutting the longer one where the other ends.
Compare compare_digits(std::vector<SlotDigit> a, std::vector<SlotDigit> b, const MachineTree& tree) {
  Compare out;
  while (!a.empty() && !b.empty()) {
    SlotDigit &x = a.back(), &y = b.back();
    const int64_t n = std::min(x.extent, y.extent);
    const bool divides = x.extent % n == 0 && y.extent % n == 0;
    if (!same_place(x, y) || !divides || (x.place != Place::kRow && x.stride != y.stride)) {
      out.equal = out.rows = false;
      out.reason = text_of(x, tree) + " against " + text_of(y, tree);
      return out;
    }
    out.rows &= x.stride == y.stride;
    for (auto* side : {&a, &b}) {
      SlotDigit& d = side->back();
      if (d.extent == n) {
        side->pop_back();
      } else {
        d.extent /= n;
        d.stride *= n;
      }
    }
  }
  if (a.size() != b.size()) {
    out.equal = out.rows = false;
    out.reason =
        a.empty() ? "nothing against " + text_of(b.back(), tree) : text_of(a.back(), tree) + " against nothing";
  }
  return out;
}

// The copies of a value, as digits that broadcasting uses up.
class Copies {
 public:
  static std::optional<Copies> of(const Layout& layout, const MachineTree& tree, int bits, int64_t group) {
    Copies out;
    for (const Tail& t : layout.tails)
      if (t.kind == TailKind::kReplica && !to_slots(t.iter, tree, lanes_of(bits), group, out.digits_))
        return std::nullopt;
    std::erase_if(out.digits_, [](const SlotDigit& d) { return d.place == Place::kRow; });
    return out;
  }
  // Takes the digit out of the copies; false if there is not one wherever the digit goes.
  bool use(const SlotDigit& d) {
    for (size_t i = 0; i < digits_.size(); ++i) {
      const SlotDigit c = digits_[i];
      if (!same_place(c, d) || d.stride % c.stride != 0) continue;
      const int64_t finer = d.stride / c.stride;
      if (c.extent % finer != 0) continue;
      const int64_t room = c.extent / finer;
      if (d.extent > room) continue;
      digits_.erase(digits_.begin() + static_cast<ptrdiff_t>(i));
      if (finer > 1) digits_.push_back({c.place, c.axis, finer, c.stride});
      // Copies beyond the digit stay copies where they are whole; a remainder is not used by the other side.
      if (room % d.extent == 0 && room / d.extent > 1)
        digits_.push_back({c.place, c.axis, room / d.extent, d.stride * d.extent});
      return true;
    }
    return false;
  }
  std::vector<SlotDigit> settled() const {
    std::vector<SlotDigit> d = digits_;
    std::sort(d.begin(), d.end(), [](const SlotDigit& a, const SlotDigit& b) {
      return std::tuple(a.place, a.axis, -a.stride) < std::tuple(b.place, b.axis, -b.stride);
    });
    std::vector<SlotDigit> out;
    for (const SlotDigit& x : d) {
      if (!out.empty() && same_place(out.back(), x) && out.back().stride == x.extent * x.stride) {
        out.back().extent *= x.extent;
        out.back().stride = x.stride;
      } else {
        out.push_back(x);
      }
    }
    return out;
  }

 private:
  std::vector<SlotDigit> digits_;
};

std::string copies_text(const std::vector<SlotDigit>& digits, const MachineTree& tree) {
  std::string out;
  for (const SlotDigit& d : digits) (out += out.empty() ? "" : ", ") += text_of(d, tree);
  return out.empty() ? "none" : out;
}

std::vector<Digit> partial_digits(const Layout& layout, const MachineTree& tree, int bits) {
  std::vector<Digit> out;
  for (const Digit& d : digits(layout, tree, bits))
    if (d.role == DigitRole::kPartial) out.push_back(d);
  return out;
}

}  // namespace

LaneRelation lane_equal(const Layout& a, int bits_a, const Layout& b, int bits_b, const MachineTree& tree) {
  LaneRelation out;
  if (&a == &b && bits_a == bits_b) {
    out.lanes = out.rows = true;
    return out;
  }
  auto differ = [&](int dim, std::string reason) {
    out.lanes = out.rows = false;
    out.dim = dim;
    out.reason = std::move(reason);
    return out;
  };
  const int64_t group = std::max(lanes_of(bits_a), lanes_of(bits_b));
  std::optional<Copies> copies_a = Copies::of(a, tree, bits_a, group), copies_b = Copies::of(b, tree, bits_b, group);
  if (!copies_a || !copies_b) return differ(-1, "copies lie irregularly in the lanes");
  for (int axis = 0; axis < static_cast<int>(tree.axes.size()); ++axis)
    if (axis_offset(a, axis) != axis_offset(b, axis))
      return differ(-1, "displaced by " + std::to_string(axis_offset(a, axis)) + " and " +
                            std::to_string(axis_offset(b, axis)) + " on " +
                            std::string(tree.axes[static_cast<size_t>(axis)].name));
  if (partial_digits(a, tree, bits_a) != partial_digits(b, tree, bits_b)) return differ(-1, "different partial tails");
  out.lanes = out.rows = true;
  // Dims are aligned at the right; a missing one is a broadcast one.
  const size_t rank = std::max(a.shape.size(), b.shape.size());
  for (size_t d = 0; d < rank; ++d) {
    const bool in_a = d + a.shape.size() >= rank, in_b = d + b.shape.size() >= rank;
    const size_t da = d + a.shape.size() - rank, db = d + b.shape.size() - rank;
    const int64_t ea = in_a ? a.shape[da] : 1, eb = in_b ? b.shape[db] : 1;
    const int number = static_cast<int>(d);
    if (ea != eb && ea != 1 && eb != 1)
      return differ(number, "extent " + std::to_string(ea) + " against " + std::to_string(eb));
    std::optional<std::vector<SlotDigit>> xa, xb;
    if (ea > 1 && !(xa = dim_slots(a, da, tree, bits_a, group, eb > 1)))
      return differ(number, "lanes are filled irregularly: " + print_dims(a, tree));
    if (eb > 1 && !(xb = dim_slots(b, db, tree, bits_b, group, ea > 1)))
      return differ(number, "lanes are filled irregularly: " + print_dims(b, tree));
    if (xa && xb) {
      const Compare c = compare_digits(*xa, *xb, tree);
      if (!c.equal) return differ(number, c.reason);
      out.rows &= c.rows;
    } else if (xa || xb) {
      Copies& copies = xa ? *copies_b : *copies_a;
      for (const SlotDigit& digit : xa ? *xa : *xb)
        if (digit.place != Place::kRow && !copies.use(digit))
          return differ(number, "the broadcast value has no copies over " + text_of(digit, tree));
    }
  }
  const auto left_a = copies_a->settled(), left_b = copies_b->settled();
  const bool same = std::equal(left_a.begin(), left_a.end(), left_b.begin(), left_b.end(), [](auto& x, auto& y) {
    return same_place(x, y) && x.extent == y.extent && x.stride == y.stride;
  });
  if (!same) return differ(-1, "copies over " + copies_text(left_a, tree) + " against " + copies_text(left_b, tree));
  return out;
}

// --- recast -----------------------------------------------------------------------------------------------------------

Result<Layout> recast(const Layout& layout, const MachineTree& tree, int bits_from, int bits_to) {
  if (bits_from == bits_to) return layout;
  const int64_t from = lanes_of(bits_from), to = lanes_of(bits_to);
  const int lane = lane_axis(tree);
  auto irregular = [&](const Iter& it) {
    Diagnostic d =
        make_error("layout_lane_pattern", "a value of " + std::to_string(bits_from) + " bits cannot become one of " +
                                              std::to_string(bits_to) + " bits here");
    d.observed = print_iter(it, tree) + " in " + print_dims(layout, tree);
    d.required =
        "address and lane digits that fill whole groups of " + std::to_string(std::max(from, to)) + " elements";
    return d;
  };
  // A slot digit of the new type as an iter.
  auto to_iters = [&](const Iter& it, std::vector<Iter>& out) {
    std::vector<SlotDigit> parts;
    if (!to_slots(it, tree, from, to, parts)) return false;
    for (const SlotDigit& p : parts) {
      const int16_t axis = p.place == Place::kAxis   ? p.axis
                           : p.place == Place::kLane ? static_cast<int16_t>(lane)
                                                     : kAddressAxis;
      out.push_back({p.extent, axis, p.stride});
    }
    return true;
  };
  Layout out = layout;
  for (auto& dim : out.dims) {
    std::vector<Iter> iters;
    for (const Iter& it : dim)
      if (!to_iters(it, iters)) return irregular(it);
    dim = layout_detail::merged(iters, false);
  }
  out.tails.clear();
  for (const Tail& t : layout.tails) {
    if (t.kind == TailKind::kOffset) {
      if (is_lane(tree, t.iter.axis) && t.iter.extent >= to) return irregular(t.iter);
      out.tails.push_back(t);
    } else if (t.kind == TailKind::kSingle && is_lane(tree, t.iter.axis)) {
      continue;  // the empty lanes are found again below
    } else {
      std::vector<Iter> iters;
      if (!to_iters(t.iter, iters)) return irregular(t.iter);
      for (const Iter& it : iters) out.tails.push_back({t.kind, it});
    }
  }
  // Lanes that the wider type did not have, or had empty, hold nothing.
  std::vector<layout_detail::AxisDigit> used;
  for (const auto& dim : out.dims)
    for (const Iter& it : dim)
      if (it.axis == lane) used.push_back({it.extent, it.stride});
  for (const Tail& t : out.tails)
    if (t.iter.axis == lane && t.kind != TailKind::kOffset) used.push_back({t.iter.extent, t.iter.stride});
  for (const auto& rest : layout_detail::complement(used, to))
    out.tails.push_back({TailKind::kSingle, {rest.extent, static_cast<int16_t>(lane), rest.stride}});
  return normalise(std::move(out), tree, bits_to);
}

}  // namespace kumihimo
