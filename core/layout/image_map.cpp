// Building image maps: the slot rules of the levels below a location, and the tables that make packing a sum.
#include <algorithm>
#include <set>

#include "core/layout/digit_math.h"
#include "core/layout/image.h"
#include "core/layout/query.h"
#include "core/layout/text.h"

namespace kumihimo {
namespace {

using layout_detail::axis_def;
using layout_detail::is_level;

constexpr int64_t kMaxImageLw = int64_t{1} << 40;

int64_t align_up(int64_t n, int64_t to) { return to > 1 ? (n + to - 1) / to * to : n; }

int64_t slots_of(const MachineTree& tree, const LocationDef& loc, int axis) {
  return axis == loc.level ? loc.granule : axis_def(tree, axis)->slots();
}

// Sizes from inside out. named: outer to inner; sizes[i]: long words of the image that level named[i] puts into slots.
Result<int64_t> sizes_of(const Layout& layout, const MachineTree& tree, int location, const std::vector<int>& named,
                         std::vector<std::pair<int, int64_t>>* inside_out) {
  const LocationDef& loc = tree.locations[static_cast<size_t>(location)];
  int64_t size = rows(layout);
  for (size_t i = named.size(); i-- > 0;) {
    const int axis = named[i];
    const int64_t q = axis_def(tree, axis)->image_quantum;
    size = align_up(size, q == 0 ? loc.align_lw : q);
    if (inside_out != nullptr) inside_out->emplace_back(axis, size);
    if (size <= kMaxImageLw) size *= slots_of(tree, loc, axis);
  }
  size = align_up(size, loc.align_lw);
  if (size > kMaxImageLw) {
    Diagnostic d = make_error("layout_image", "the image is too large to be laid out");
    d.observed = std::to_string(size) + " long words per instance of " + std::string(loc.name);
    d.required = "at most 2^40 long words";
    return d;
  }
  return size;
}

Status check_request(const Layout& layout, const MachineTree& tree, int location, int bits) {
  auto refuse = [](std::string headline, std::string observed, std::string required) -> Status {
    Diagnostic d = make_error("layout_image", std::move(headline));
    d.observed = std::move(observed);
    d.required = std::move(required);
    return d;
  };
  if (location < 0 || static_cast<size_t>(location) >= tree.locations.size())
    return refuse("the value has no location", "location number " + std::to_string(location),
                  "a location of " + std::string(tree.name));
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return refuse("elements of this width have no image", std::to_string(bits) + " bits", "8, 16, 32 or 64 bits");
  for (size_t d = 0; d < layout.dims.size(); ++d)
    for (const Iter& it : layout.dims[d])
      if (it.axis >= 0 && axis_def(tree, it.axis)->kind == AxisKind::kTime)
        return refuse("a value that changes with time has one image per time",
                      print_iter(it, tree) + " in dim " + std::to_string(d), "a layout without time iters");
  for (const Tail& t : layout.tails)
    if (t.iter.axis >= 0 && axis_def(tree, t.iter.axis)->kind == AxisKind::kTime)
      return refuse("a value that changes with time has one image per time", "a tail on time",
                    "a layout without time tails");
  return Ok{};
}

}  // namespace

Result<int64_t> image_lw(const Layout& layout, const MachineTree& tree, int location, int bits) {
  if (Status s = check_request(layout, tree, location, bits); !s) return s.take_error();
  return sizes_of(layout, tree, location, named_levels_below(layout, tree, location), nullptr);
}

void ImageMap::Addend::add(int64_t entry, Point& point) const {
  const int64_t value = values.empty() ? entry : values[static_cast<size_t>(entry)];
  for (const Digit& d : digits) {
    const int64_t digit = value / d.weight % d.extent;
    (d.axis < 0 ? point.address : point.at[static_cast<size_t>(d.axis)]) += digit * d.stride;
  }
}

// The rule itself: children into slots, from the innermost named level to the outermost.
Place ImageMap::place_of(const Point& point) const {
  const LocationDef& loc = tree_->locations[static_cast<size_t>(location_)];
  Place out;
  for (int axis = 0; axis <= loc.level; ++axis) {
    const int64_t c = point.at[static_cast<size_t>(axis)];
    const int64_t extent = axis_def(*tree_, axis)->extent;
    out.unit = axis == loc.level ? out.unit * ((extent + loc.granule - 1) / loc.granule) + c / loc.granule
                                 : out.unit * extent + c;
  }
  int64_t a = point.address;
  for (auto [axis, size] : named_) {
    const int64_t c = point.at[static_cast<size_t>(axis)];
    const int64_t child = axis == loc.level ? c % loc.granule : c;
    const int64_t q = axis_def(*tree_, axis)->image_quantum;
    a = q == 0 ? child * size + a : a / q * q * slots_of(*tree_, loc, axis) + child * q + a % q;
  }
  out.address = a;
  out.lane = lane_axis_ < 0 ? 0 : point.at[static_cast<size_t>(lane_axis_)];
  return out;
}

Place ImageMap::place(int64_t element, int64_t partial, int64_t copy) const {
  Point point = offset_;
  for (size_t d = dims_.size(); d-- > 0;) {
    dims_[d].add(element % shape_[d], point);
    element /= shape_[d];
  }
  for (size_t i = partials_.size(); i-- > 0;) {
    partials_[i].add(partial % partials_[i].count, point);
    partial /= partials_[i].count;
  }
  for (size_t i = replicas_.size(); i-- > 0;) {
    replicas_[i].add(copy % replicas_[i].count, point);
    copy /= replicas_[i].count;
  }
  return place_of(point);
}

class ImageBuilder {
 public:
  ImageBuilder(const Layout& layout, const MachineTree& tree, int location, int bits)
      : layout_(layout), tree_(tree), loc_(tree.locations[static_cast<size_t>(location)]) {
    map_.tree_ = &tree;
    map_.location_ = location;
    map_.lane_axis_ = layout_detail::lane_axis(tree);
    map_.bits_ = bits;
    map_.lanes_ = lanes_of(bits);
    map_.shape_ = layout.shape;
    map_.pad_ = layout.pad;
  }

  Result<ImageMap> build() {
    const std::vector<int> named = named_levels_below(layout_, tree_, map_.location_);
    Result<int64_t> size = sizes_of(layout_, tree_, map_.location_, named, &map_.named_);
    if (!size) return size.take_error();
    map_.unit_lw_ = *size;
    for (int axis = 0; axis <= loc_.level; ++axis) {
      const int64_t extent = axis_def(tree_, axis)->extent;
      map_.units_ *= axis == loc_.level ? (extent + loc_.granule - 1) / loc_.granule : extent;
    }
    if (map_.units_ > (int64_t{1} << 52) / map_.unit_lw_) {
      Diagnostic d = make_error("layout_image", "the image is too large to be laid out");
      d.observed =
          std::to_string(map_.unit_lw_) + " long words in each of " + std::to_string(map_.units_) + " instances";
      d.required = "at most 2^52 long words";
      return d;
    }
    for (const Tail& t : layout_.tails)
      if (t.kind == TailKind::kOffset) map_.offset_.at[static_cast<size_t>(t.iter.axis)] += t.iter.extent;
    add_digits(named);
    map_.elements_ = ::kumihimo::elements(layout_);
    for (const auto& p : map_.partials_) map_.partial_.push_back(p.count), map_.partial_count_ *= p.count;
    for (const auto& r : map_.replicas_) map_.copies_ *= r.count;
    int64_t table = 0;
    each_addend([&](const ImageMap::Addend& a) { table += std::min(a.count, kMaxTable + 1); });
    if (table > kMaxTable) return too_many(table, "entries of its dims, copies and partial copies together");
    check_sums();
    if (!map_.additive_ && (map_.elements_ > kMaxTable / map_.copies_ / map_.partial_count_))
      return too_many(map_.elements_, "elements times copies, where digits cross rows of slots");
    fill_tables();
    find_units();
    return std::move(map_);
  }

 private:
  void add_digits(const std::vector<int>& named) {
    map_.dims_.resize(layout_.shape.size());
    for (size_t d = 0; d < layout_.dims.size(); ++d) map_.dims_[d].count = dim_product(layout_.dims[d]);
    for (Digit d : digits(layout_, tree_, map_.bits_)) {
      if (d.role == DigitRole::kDim) {
        map_.dims_[static_cast<size_t>(d.dim)].digits.push_back(d);
        continue;
      }
      if (d.role == DigitRole::kSingle) continue;
      d.weight = 1;
      ImageMap::Addend addend;
      addend.digits = {d};
      addend.count = d.extent;
      if (d.role == DigitRole::kPartial) {
        map_.partials_.push_back(std::move(addend));
      } else if (distinct_copies(d, named, addend)) {
        map_.replicas_.push_back(std::move(addend));
      }
    }
  }

  // Copies in children without a slot stand in one and the same word of the image: only those that differ count.
  bool distinct_copies(const Digit& d, const std::vector<int>& named, ImageMap::Addend& addend) const {
    if (d.axis < 0 || !is_level(tree_, d.axis) || d.axis < loc_.level) return true;
    if (std::find(named.begin(), named.end(), d.axis) != named.end()) return true;
    if (d.axis > loc_.level) return false;
    if (loc_.granule == 1) return true;
    std::vector<int64_t> first;
    int64_t last = -1;
    for (int64_t i = 0; i < d.extent; ++i)
      if (const int64_t instance = i * d.stride / loc_.granule; instance != last) first.push_back(i), last = instance;
    addend.count = static_cast<int64_t>(first.size());
    addend.values = std::move(first);
    return addend.count > 1;
  }

  template <class F>
  void each_addend(F f) {
    for (auto* list : {&map_.dims_, &map_.replicas_, &map_.partials_})
      for (ImageMap::Addend& a : *list) f(a);
  }

  // Is the place of a sum the sum of the places? It is when no quantum is ever carried over: the largest remainders of
  // all addends together stay below it.
  void check_sums() {
    struct State {
      std::vector<int64_t> address;
      std::vector<Point> points;
    };
    std::vector<State> states;
    auto state_of = [](const std::vector<Point>& points) {
      State s;
      s.points = points;
      for (const Point& p : points) s.address.push_back(p.address);
      return s;
    };
    // A dim whose digits do not straddle a quantum has few distinct remainders, but a table per entry is simplest;
    // very long dims are checked by their digits instead.
    each_addend([&](const ImageMap::Addend& a) {
      if (a.digits.size() <= 1 || a.count > kSmall) {
        for (const Digit& d : a.digits) states.push_back(state_of(points_of(d, a)));
        return;
      }
      std::vector<Point> points(static_cast<size_t>(a.count));
      for (int64_t i = 0; i < a.count; ++i) a.add(i, points[static_cast<size_t>(i)]);
      states.push_back(state_of(points));
    });
    states.push_back(state_of({map_.offset_}));
    auto carries = [&](int64_t quantum, auto value) {
      int64_t sum = 0;
      for (const State& s : states) {
        int64_t most = 0;
        for (size_t i = 0; i < s.address.size(); ++i) most = std::max(most, value(s, i) % quantum);
        sum += most;
      }
      return sum >= quantum;
    };
    if (loc_.granule > 1)
      map_.additive_ &= !carries(
          loc_.granule, [&](const State& s, size_t i) { return s.points[i].at[static_cast<size_t>(loc_.level)]; });
    for (auto [axis, size] : map_.named_) {
      const int64_t q = axis_def(tree_, axis)->image_quantum, slots = slots_of(tree_, loc_, axis);
      if (q > 1) map_.additive_ &= !carries(q, [](const State& s, size_t i) { return s.address[i]; });
      for (State& s : states)
        for (size_t i = 0; i < s.address.size(); ++i) {
          const int64_t c = s.points[i].at[static_cast<size_t>(axis)];
          const int64_t child = axis == loc_.level ? c % loc_.granule : c;
          int64_t& a = s.address[i];
          a = q == 0 ? child * size + a : a / q * q * slots + child * q + a % q;
        }
    }
  }

  static Diagnostic too_many(int64_t count, std::string_view of_what) {
    Diagnostic d = make_error("layout_image", "the value is too large for an image in memory");
    d.observed = std::to_string(count) + " or more";
    d.required = "at most 2^28 " + std::string(of_what);
    return d;
  }

  static constexpr int64_t kSmall = 4096;
  static constexpr int64_t kMaxTable = int64_t{1} << 28;

  // The values of one digit; of a long one enough to see every remainder (quanta and granules are small).
  std::vector<Point> points_of(const Digit& d, const ImageMap::Addend& a) const {
    const int64_t count = std::min<int64_t>(d.extent, kSmall);
    std::vector<Point> points(static_cast<size_t>(count));
    ImageMap::Addend one;
    one.digits = {d};
    one.digits[0].weight = 1;
    if (a.digits.size() == 1 && !a.values.empty()) one.values = a.values, points.resize(a.values.size());
    for (size_t i = 0; i < points.size(); ++i) one.add(static_cast<int64_t>(i), points[i]);
    return points;
  }

  void fill_tables() {
    map_.offset_slot_ = map_.slot_of(map_.place_of(map_.offset_));
    if (!map_.additive_) return;
    each_addend([&](ImageMap::Addend& a) {
      a.slots.resize(static_cast<size_t>(a.count));
      for (int64_t i = 0; i < a.count; ++i) {
        Point p;
        a.add(i, p);
        a.slots[static_cast<size_t>(i)] = map_.slot_of(map_.place_of(p));
      }
    });
  }

  void find_units() {
    std::set<int64_t> units;
    if (map_.additive_) {
      const int64_t unit_slots = map_.unit_lw_ * map_.lanes_;
      units.insert(map_.offset_slot_ / unit_slots);
      auto spread = [&](const ImageMap::Addend& a, int64_t used) {
        std::set<int64_t> own, sums;
        for (int64_t i = 0; i < used; ++i) own.insert(a.slots[static_cast<size_t>(i)] / unit_slots);
        if (own.size() == 1 && *own.begin() == 0) return;
        for (int64_t u : units)
          for (int64_t o : own) sums.insert(u + o);
        units = std::move(sums);
      };
      for (size_t d = 0; d < map_.dims_.size(); ++d) spread(map_.dims_[d], map_.shape_[d]);
      for (const auto& r : map_.replicas_) spread(r, r.count);
      for (const auto& p : map_.partials_) spread(p, p.count);
    } else {
      for (int64_t p = 0; p < map_.partial_count_; ++p)
        for (int64_t c = 0; c < map_.copies_; ++c)
          for (int64_t e = 0; e < map_.elements_; ++e) units.insert(map_.place(e, p, c).unit);
    }
    map_.used_units_.assign(units.begin(), units.end());
  }

  const Layout& layout_;
  const MachineTree& tree_;
  const LocationDef& loc_;
  ImageMap map_;
};

Result<ImageMap> image_map(const Layout& layout, const MachineTree& tree, int location, int bits) {
  if (Status s = check_request(layout, tree, location, bits); !s) return s.take_error();
  return ImageBuilder(layout, tree, location, bits).build();
}

}  // namespace kumihimo
