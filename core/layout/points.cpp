// Reading a layout forwards (index -> points) and backwards (point -> index), counting, and who holds what.
#include <algorithm>

#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/image.h"
#include "core/layout/text.h"

namespace kumihimo {

using layout_detail::axis_def;
using layout_detail::axis_extent;
using layout_detail::is_lane;

int64_t lanes_of(int bits) { return 64 / bits; }

namespace {

bool is_partial(TailKind kind) {
  return kind == TailKind::kPartialSum || kind == TailKind::kPartialMax || kind == TailKind::kPartialMin;
}

// All lanes (extent 0) as a digit of the dtype.
Iter with_lanes(const Iter& it, const MachineTree& tree, int bits) {
  return it.extent == 0 ? Iter{std::max<int64_t>(axis_extent(tree, it.axis, bits), 1), it.axis, 1} : it;
}

int64_t& coordinate(Point& p, int axis) { return axis < 0 ? p.address : p.at[static_cast<size_t>(axis)]; }
int64_t coordinate(const Point& p, int axis) { return axis < 0 ? p.address : p.at[static_cast<size_t>(axis)]; }

Status check_index(const Layout& layout, std::span<const int64_t> index) {
  auto refuse = [&](std::string observed, std::string required) -> Status {
    Diagnostic d = make_error("layout_index", "the index does not fit the shape");
    d.observed = std::move(observed);
    d.required = std::move(required);
    return d;
  };
  if (index.size() != layout.shape.size())
    return refuse(std::to_string(index.size()) + " entries", std::to_string(layout.shape.size()) + " entries");
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] < 0 || index[d] >= layout.shape[d])
      return refuse("dim " + std::to_string(d) + " = " + std::to_string(index[d]),
                    "from 0 to " + std::to_string(layout.shape[d] - 1));
  return Ok{};
}

}  // namespace

std::vector<Digit> digits(const Layout& layout, const MachineTree& tree, int bits) {
  std::vector<Digit> out;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    const size_t first = out.size();
    int64_t weight = 1;
    for (size_t i = layout.dims[d].size(); i-- > 0;) {
      const Iter& it = layout.dims[d][i];
      out.push_back({it.extent, it.axis, it.stride, DigitRole::kDim, static_cast<int>(d), weight, TailKind::kReplica});
      weight *= it.extent;
    }
    std::reverse(out.begin() + static_cast<ptrdiff_t>(first), out.end());
  }
  int partial = 0;
  for (const Tail& t : layout.tails) {
    if (t.kind == TailKind::kOffset) continue;
    const Iter it = with_lanes(t.iter, tree, bits);
    const DigitRole role = is_partial(t.kind)            ? DigitRole::kPartial
                           : t.kind == TailKind::kSingle ? DigitRole::kSingle
                                                         : DigitRole::kReplica;
    out.push_back({it.extent, it.axis, it.stride, role, role == DigitRole::kPartial ? partial++ : -1, 0, t.kind});
  }
  return out;
}

int64_t axis_offset(const Layout& layout, int axis) {
  int64_t sum = 0;
  for (const Tail& t : layout.tails)
    if (t.kind == TailKind::kOffset && t.iter.axis == axis) sum += t.iter.extent;
  return sum;
}

Result<std::vector<Point>> apply(const Layout& layout, const MachineTree& tree, int bits,
                                 std::span<const int64_t> index, std::span<const int64_t> partial) {
  if (Status s = check_index(layout, index); !s) return s.take_error();
  Point base;
  for (const Tail& t : layout.tails)
    if (t.kind == TailKind::kOffset) coordinate(base, t.iter.axis) += t.iter.extent;
  std::vector<Digit> replicas;
  for (const Digit& d : digits(layout, tree, bits)) {
    if (d.role == DigitRole::kDim) {
      coordinate(base, d.axis) += index[static_cast<size_t>(d.dim)] / d.weight % d.extent * d.stride;
    } else if (d.role == DigitRole::kPartial && !partial.empty()) {
      const size_t n = static_cast<size_t>(d.dim);
      if (n >= partial.size() || partial[n] < 0 || partial[n] >= d.extent) {
        Diagnostic e = make_error("layout_index", "the partial copy does not exist");
        e.required = "one entry per partial tail, below " + std::to_string(d.extent);
        return e;
      }
      coordinate(base, d.axis) += partial[n] * d.stride;
    } else if (d.role == DigitRole::kReplica) {
      replicas.push_back(d);
    }
  }
  std::vector<Point> out{base};
  for (const Digit& d : replicas) {
    if (static_cast<int64_t>(out.size()) > (int64_t{1} << 24) / d.extent) {
      Diagnostic e = make_error("layout_size", "the element has too many copies to list");
      e.required = "at most 2^24 copies";
      return e;
    }
    std::vector<Point> next;
    next.reserve(out.size() * static_cast<size_t>(d.extent));
    for (const Point& p : out)
      for (int64_t i = 0; i < d.extent; ++i) {
        next.push_back(p);
        coordinate(next.back(), d.axis) += i * d.stride;
      }
    out = std::move(next);
  }
  return out;
}

Inverse inverse(const Layout& layout, const MachineTree& tree, int bits, const Point& point) {
  Inverse out;
  std::vector<Digit> all = digits(layout, tree, bits);
  std::stable_sort(all.begin(), all.end(), [](const Digit& a, const Digit& b) { return a.stride > b.stride; });
  std::vector<int64_t> index(layout.shape.size(), 0), partial;
  for (const Digit& d : all)
    if (d.role == DigitRole::kPartial) partial.push_back(0);
  // Digits on one axis nest, so the coarsest is a plain division.
  for (int axis = kAddressAxis; axis < static_cast<int>(tree.axes.size()); ++axis) {
    int64_t left = coordinate(point, axis) - axis_offset(layout, axis);
    const int64_t extent = axis_extent(tree, axis, bits);
    if (left < 0 || (extent != 0 && coordinate(point, axis) >= extent)) return out;
    bool any = false;
    for (const Digit& d : all) {
      if (d.axis != axis || d.extent <= 1) continue;
      any = true;
      const int64_t value = left / d.stride;
      if (value >= d.extent || (d.role == DigitRole::kSingle && value != 0)) return out;
      left -= value * d.stride;
      if (d.role == DigitRole::kDim) index[static_cast<size_t>(d.dim)] += value * d.weight;
      if (d.role == DigitRole::kPartial) partial[static_cast<size_t>(d.dim)] = value;
    }
    // A value that does not mention time stands at all times.
    if (left != 0 && (any || axis < 0 || axis_def(tree, axis)->kind != AxisKind::kTime)) return out;
  }
  out.holds = Holds::kElement;
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] >= layout.shape[d]) out.holds = Holds::kPadding;
  out.index = std::move(index);
  out.partial = std::move(partial);
  return out;
}

// --- equality -------------------------------------------------------------------------------------------------------

Layout canonical(const Layout& layout, const MachineTree& tree, int bits) {
  Layout out;
  out.shape = layout.shape;
  out.pad = layout.pad;
  out.pad_value = layout.pad_value;
  for (const auto& dim : layout.dims) out.dims.push_back(layout_detail::merged(dim, true));
  std::vector<Tail> replicas;
  for (const Tail& t : layout.tails) {
    if (t.kind == TailKind::kSingle) continue;  // says where nothing stands
    Tail tail = t;
    if (t.kind != TailKind::kOffset) {
      if (bits != 0) tail.iter = with_lanes(t.iter, tree, bits);
      if (tail.iter.extent == 1) {
        if (!is_partial(t.kind)) continue;
        tail.iter.stride = 1;  // a partial digit is an array axis, of whatever extent
      }
    }
    Tail* last = out.tails.empty() ? nullptr : &out.tails.back();
    if (tail.kind == TailKind::kReplica && last != nullptr && last->kind == tail.kind &&
        last->iter.axis == tail.iter.axis && tail.iter.extent != 0 &&
        last->iter.stride == tail.iter.extent * tail.iter.stride) {
      last->iter.extent *= tail.iter.extent;
      last->iter.stride = tail.iter.stride;
    } else {
      out.tails.push_back(tail);
    }
  }
  return out;
}

bool same_meaning(const Layout& a, const Layout& b, const MachineTree& tree, int bits) {
  return &a == &b || canonical(a, tree, bits) == canonical(b, tree, bits);
}

// --- counting -------------------------------------------------------------------------------------------------------

int64_t dim_product(const std::vector<Iter>& dim) {
  int64_t product = 1;
  for (const Iter& it : dim) product *= it.extent;
  return product;
}

int64_t elements(const Layout& layout) {
  int64_t product = 1;
  for (int64_t e : layout.shape) product *= e;
  return product;
}

int64_t padded_elements(const Layout& layout) {
  int64_t product = 1;
  for (const auto& dim : layout.dims) product *= dim_product(dim);
  return product;
}

int64_t copies(const Layout& layout, const MachineTree& tree, int bits) {
  int64_t product = 1;
  for (const Tail& t : layout.tails)
    if (t.kind == TailKind::kReplica) product *= with_lanes(t.iter, tree, bits).extent;
  return product;
}

std::vector<int64_t> partial_extents(const Layout& layout, const MachineTree& tree, int bits) {
  std::vector<int64_t> out;
  for (const Tail& t : layout.tails)
    if (is_partial(t.kind)) out.push_back(with_lanes(t.iter, tree, bits).extent);
  return out;
}

namespace {
int64_t points_per_element(const Layout& layout, const MachineTree& tree, int bits) {
  int64_t product = copies(layout, tree, bits);
  for (int64_t e : partial_extents(layout, tree, bits)) product *= e;
  return product;
}
}  // namespace

int64_t live_points(const Layout& layout, const MachineTree& tree, int bits) {
  return elements(layout) * points_per_element(layout, tree, bits);
}

int64_t padding_points(const Layout& layout, const MachineTree& tree, int bits) {
  return (padded_elements(layout) - elements(layout)) * points_per_element(layout, tree, bits);
}

int64_t rows(const Layout& layout) {
  int64_t last = 0;
  for (const auto& dim : layout.dims)
    for (const Iter& it : dim)
      if (it.axis == kAddressAxis) last += (it.extent - 1) * it.stride;
  for (const Tail& t : layout.tails)
    if (t.iter.axis == kAddressAxis && t.kind != TailKind::kOffset) last += (t.iter.extent - 1) * t.iter.stride;
  return last + 1;
}

int64_t span_on(const Layout& layout, const MachineTree& tree, int bits, int axis) {
  int64_t last = 0;
  for (const Digit& d : digits(layout, tree, bits))
    if (d.axis == axis && d.role != DigitRole::kSingle) last += (d.extent - 1) * d.stride;
  return last + 1;
}

Footprint footprint(const Layout& layout, const MachineTree& tree, int bits) {
  Footprint out;
  out.rows = rows(layout);
  // Digits on one axis nest, so their coordinates are all different.
  for (const Digit& d : digits(layout, tree, bits)) {
    if (d.role == DigitRole::kSingle) continue;
    if (d.axis < 0) {
      out.long_words *= d.extent;
    } else {
      switch (axis_def(tree, d.axis)->kind) {
        case AxisKind::kLevel: out.units *= d.extent; break;
        case AxisKind::kLane: out.lanes *= d.extent; break;
        case AxisKind::kTime: out.times *= d.extent; break;
      }
    }
  }
  return out;
}

Status check_capacity(const Layout& layout, const MachineTree& tree, int location, int bits) {
  Result<int64_t> size = image_lw(layout, tree, location, bits);
  if (!size) return size.take_error();
  const LocationDef& loc = tree.locations[static_cast<size_t>(location)];
  if (*size <= loc.capacity_lw) return Ok{};
  Diagnostic d = make_error("layout_capacity", "the value does not fit into " + std::string(loc.name));
  d.observed = std::to_string(*size) + " long words per instance";
  d.required = "at most " + std::to_string(loc.capacity_lw) + " long words";
  d.bound = {{"long_words", std::to_string(*size)},
             {"capacity", std::to_string(loc.capacity_lw)},
             {"rows", std::to_string(rows(layout))}};
  return d;
}

// --- who holds ------------------------------------------------------------------------------------------------------

namespace {

// "3", "0..15", "0,2,4,6", "0,2,...,62 (32)".
std::string set_text(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  const int64_t first = values.front(), last = values.back();
  if (values.size() == 1) return std::to_string(first);
  if (last - first + 1 == static_cast<int64_t>(values.size()))
    return std::to_string(first) + (values.size() == 2 ? "," : "..") + std::to_string(last);
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values.size() > 8 && i == 4) {
      out += "...,";
      i = values.size() - 1;
    }
    out += std::to_string(values[i]) + (i + 1 < values.size() ? "," : "");
  }
  if (values.size() > 8) out += " (" + std::to_string(values.size()) + ")";
  return out;
}

}  // namespace

Result<std::string> who_holds(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> index) {
  if (Status s = check_index(layout, index); !s) return s.take_error();
  std::string out = "element (";
  for (size_t d = 0; d < index.size(); ++d) out += (d != 0 ? "," : "") + std::to_string(index[d]);
  out += "):";
  const std::vector<Digit> all = digits(layout, tree, bits);
  auto on_axis = [&](int axis, std::string_view name) {
    std::vector<int64_t> values{axis_offset(layout, axis)};
    bool partial = false, mentioned = false;
    for (const Digit& d : all) {
      if (d.axis != axis) continue;
      mentioned = true;
      if (d.role == DigitRole::kDim) {
        for (int64_t& v : values) v += index[static_cast<size_t>(d.dim)] / d.weight % d.extent * d.stride;
      } else if (d.role != DigitRole::kSingle) {
        partial |= d.role == DigitRole::kPartial;
        const size_t n = values.size();
        if (d.extent > 4096 || n > 4096) continue;  // only addresses and time can be that long
        for (int64_t i = 1; i < d.extent; ++i)
          for (size_t k = 0; k < n; ++k) values.push_back(values[k] + i * d.stride);
      }
    }
    if (!mentioned && axis >= 0 && axis_def(tree, axis)->kind == AxisKind::kTime) return;
    ((((out += ' ') += name) += ' ') += set_text(values)) += partial ? " (partial)," : ",";
  };
  for (size_t a = 0; a < tree.axes.size(); ++a)
    if (!is_lane(tree, static_cast<int>(a))) on_axis(static_cast<int>(a), tree.axes[a].name);
  on_axis(kAddressAxis, "address");
  if (const int lane = layout_detail::lane_axis(tree); lane >= 0) on_axis(lane, "lane");
  out.pop_back();
  const int64_t count = copies(layout, tree, bits);
  return out + " (" + std::to_string(count) + (count == 1 ? " copy)" : " copies)");
}

}  // namespace kumihimo
