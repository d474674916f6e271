// Layouts put together: one read through another, and what one leaves free.
#include <algorithm>

#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/text.h"

namespace kumihimo {

using layout_detail::axis_extent;
using layout_detail::AxisDigit;
using layout_detail::is_lane;

namespace {

Diagnostic refuse(std::string_view kind, std::string headline, std::string observed, std::string required) {
  Diagnostic d = make_error(kind, std::move(headline));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

// The digits of a row-major element number, finest first.
struct NumberDigit {
  Iter iter;
  int64_t weight;
  int64_t used = 0;  // largest value that the inner layout's digits add up to here
};

// Cuts digits of element numbers into digits of the outer layout.
class NumberSplitter {
 public:
  explicit NumberSplitter(const Layout& outer) {
    int64_t weight = 1;
    for (size_t d = outer.dims.size(); d-- > 0;)
      for (size_t i = outer.dims[d].size(); i-- > 0;) {
        const Iter& it = outer.dims[d][i];
        if (it.extent == 1) continue;
        digits_.push_back({it, weight});
        weight *= it.extent;
      }
  }

  // Appends the places of one digit, outer to inner; false: it falls on no whole digits.
  bool split(int64_t extent, int64_t stride, std::vector<Iter>& out) {
    std::vector<Iter> inner_first;
    while (extent > 1) {
      NumberDigit* at = nullptr;
      for (NumberDigit& d : digits_)
        if (d.weight <= stride) at = &d;
      if (at == nullptr || stride % at->weight != 0) return false;
      const int64_t step = stride / at->weight;
      if (step >= at->iter.extent) return false;  // beyond the last element
      int64_t part = extent;
      if ((extent - 1) * step >= at->iter.extent) {
        if (at->iter.extent % step != 0) return false;
        part = at->iter.extent / step;
        if (extent % part != 0) return false;
      }
      at->used += (part - 1) * step;
      inner_first.push_back({part, at->iter.axis, at->iter.stride * step});
      stride = at->weight * at->iter.extent;
      extent /= part;
    }
    out.insert(out.end(), inner_first.rbegin(), inner_first.rend());
    return true;
  }

  // No sum of digits may carry into the next digit.
  bool carries() const {
    return std::any_of(digits_.begin(), digits_.end(), [](const NumberDigit& d) { return d.used >= d.iter.extent; });
  }

 private:
  std::vector<NumberDigit> digits_;
};

// The largest element number that the inner layout's elements (padding apart) reach.
int64_t last_number(const Layout& inner) {
  int64_t last = 0;
  for (size_t d = 0; d < inner.dims.size(); ++d) {
    // Digits of a dim need not grow with the index: 2:1 outside of 2:2. The largest sum is at an index that keeps the
    // outer digits of the last one down to some digit, lowers that one and fills the finer ones.
    const auto& dim = inner.dims[d];
    int64_t best = 0, kept = 0, weight = dim_product(dim);
    const int64_t end = inner.shape[d] - 1;
    auto full = [&](size_t from) {
      int64_t sum = 0;
      for (size_t i = from; i < dim.size(); ++i) sum += (dim[i].extent - 1) * dim[i].stride;
      return sum;
    };
    for (size_t i = 0; i < dim.size(); ++i) {
      weight /= dim[i].extent;
      const int64_t value = end / weight % dim[i].extent;
      if (value > 0) best = std::max(best, kept + (value - 1) * dim[i].stride + full(i + 1));
      kept += value * dim[i].stride;
    }
    last += std::max(best, kept);
  }
  for (const Tail& t : inner.tails)
    if (t.iter.axis == kAddressAxis) last += (t.iter.extent - 1) * t.iter.stride;
  return last;
}

// What the level and lane axes have left becomes S@.
void leave_rest_single(Layout& layout, const MachineTree& tree, int bits) {
  for (size_t a = 0; a < tree.axes.size(); ++a) {
    const int64_t whole = axis_extent(tree, static_cast<int>(a), bits);
    if (whole == 0) continue;
    std::vector<AxisDigit> used;
    for (const Digit& g : digits(layout, tree, bits))
      if (g.axis == static_cast<int>(a)) used.push_back({g.extent, g.stride});
    for (const AxisDigit& rest : layout_detail::complement(used, whole))
      layout.tails.push_back({TailKind::kSingle, {rest.extent, static_cast<int16_t>(a), rest.stride}});
  }
}

}  // namespace

Result<Layout> compose(const Layout& outer, const Layout& inner, const MachineTree& tree, int bits) {
  auto no = [&](std::string headline, std::string required) {
    return refuse("layout_compose", std::move(headline), print_layout(inner, tree), std::move(required));
  };
  int64_t before = 1;
  for (size_t d = 0; d < outer.dims.size(); ++d) {
    if (dim_product(outer.dims[d]) != outer.shape[d] && before != 1)
      return refuse("layout_compose", "the elements of the outer layout are not numbered without gaps",
                    print_layout(outer, tree), "padding in the outermost dim only");
    before *= dim_product(outer.dims[d]);
  }
  for (const auto& dim : inner.dims)
    for (const Iter& it : dim)
      if (it.axis >= 0) return no("the inner layout names an axis: " + print_iter(it, tree), "addresses only");
  if (last_number(inner) >= elements(outer))
    return no("the inner layout reaches element " + std::to_string(last_number(inner)),
              "elements below " + std::to_string(elements(outer)));
  Layout out;
  out.shape = inner.shape;
  out.pad = inner.pad;
  out.pad_value = inner.pad_value;
  NumberSplitter splitter(outer);
  bool fits = true;
  for (const auto& dim : inner.dims) {
    out.dims.emplace_back();
    for (const Iter& it : dim) fits = fits && splitter.split(it.extent, it.stride, out.dims.back());
  }
  out.tails = outer.tails;
  for (const Tail& t : inner.tails) {
    if (t.iter.axis >= 0) {
      if (t.kind == TailKind::kReplica) continue;  // levels that addresses do not know
      return no("the inner layout has a tail on an axis", "addresses only");
    }
    std::vector<Iter> places;
    fits = fits && splitter.split(t.iter.extent, t.iter.stride, places);
    for (const Iter& it : places) out.tails.push_back({t.kind, it});
  }
  if (!fits || splitter.carries())
    return no("a digit of the inner layout falls on no whole digits of the outer one",
              "digits whose extents and strides divide those of " + print_dims(outer, tree));
  leave_rest_single(out, tree, bits);
  return normalise(std::move(out), tree, bits);
}

Result<Layout> complement(const Layout& layout, const MachineTree& tree, int bits, int64_t rows) {
  auto no = [&](std::string headline, std::string required) {
    return refuse("layout_complement", std::move(headline), print_layout(layout, tree), std::move(required));
  };
  if (rows < 1 || rows > layout_detail::kMaxNumber)
    return refuse("layout_complement", "the count of rows is out of range", std::to_string(rows), "from 1 to 2^40");
  for (const Tail& t : layout.tails)
    if (t.kind == TailKind::kOffset) return no("a displaced layout has no complement of digits", "no O@ tail");
  Layout out;
  out.dims.emplace_back();
  out.shape = {1};
  auto add = [&](int axis, int64_t extent) {
    std::vector<AxisDigit> used;
    int64_t product = 1;
    for (const Digit& g : digits(layout, tree, bits))
      if (g.axis == axis && g.role != DigitRole::kSingle) used.push_back({g.extent, g.stride}), product *= g.extent;
    std::vector<AxisDigit> rest = layout_detail::complement(used, extent);
    for (auto it = rest.rbegin(); it != rest.rend(); ++it) {
      out.dims[0].push_back({it->extent, static_cast<int16_t>(axis), it->stride});
      out.shape[0] *= it->extent;
      product *= it->extent;
    }
    if (axis >= 0)
      for (const AxisDigit& d : used)
        if (d.extent > 1) out.tails.push_back({TailKind::kSingle, {d.extent, static_cast<int16_t>(axis), d.stride}});
    return product == extent;
  };
  for (size_t a = 0; a < tree.axes.size(); ++a) {
    const int64_t extent = axis_extent(tree, static_cast<int>(a), bits);
    if (extent == 0) {
      if (is_lane(tree, static_cast<int>(a))) return no("the lanes of the value are not known", "a known dtype");
      continue;
    }
    if (!add(static_cast<int>(a), extent))
      return no("whole digits do not fill " + std::string(tree.axes[a].name), "extents and strides that divide it");
  }
  if (!add(kAddressAxis, rows))
    return no("whole digits do not fill " + std::to_string(rows) + " rows", "extents and strides that divide them");
  return normalise(std::move(out), tree, bits);
}

}  // namespace kumihimo
