// Relabelling: the words stay where they are, other indices point at them.
#include <algorithm>

#include "core/layout/algebra.h"
#include "core/layout/digit_math.h"
#include "core/layout/text.h"

namespace kumihimo {

using layout_detail::is_level;
using layout_detail::lane_axis;

namespace {

std::string shape_text(std::span<const int64_t> shape) {
  std::string s = "(";
  for (size_t i = 0; i < shape.size(); ++i) s += (i != 0 ? "," : "") + std::to_string(shape[i]);
  return s + ")";
}

Diagnostic refuse(std::string_view kind, std::string headline, std::string observed, std::string required) {
  Diagnostic d = make_error(kind, std::move(headline));
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

}  // namespace

Result<Layout> transpose(const Layout& layout, const MachineTree& tree, std::span<const int> order) {
  std::vector<int> sorted(order.begin(), order.end());
  std::sort(sorted.begin(), sorted.end());
  bool permutation = sorted.size() == layout.shape.size();
  for (size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == static_cast<int>(i);
  if (!permutation)
    return refuse("layout_rank", "the order of dims is no permutation", std::to_string(order.size()) + " entries",
                  "each of the " + std::to_string(layout.shape.size()) + " dims once");
  Layout out = layout;
  for (size_t i = 0; i < order.size(); ++i) {
    out.shape[i] = layout.shape[static_cast<size_t>(order[i])];
    out.dims[i] = layout.dims[static_cast<size_t>(order[i])];
  }
  (void)tree;
  return out;
}

Result<Layout> reshape(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t e : shape)
    if (e < 1 || __builtin_mul_overflow(count, e, &count))
      return refuse("layout_reshape", "the new shape is out of range", shape_text(shape), "extents of at least 1");
  if (count != elements(layout) || shape.size() > kMaxLayoutDims)
    return refuse("layout_reshape", "the new shape has another count of elements", shape_text(shape),
                  std::to_string(elements(layout)) + " elements, as " + shape_text(layout.shape));
  Layout out = layout;
  out.shape.assign(shape.begin(), shape.end());
  out.dims.assign(shape.size(), {});
  // Groups of old dims [i, ie) and new dims [j, je) with equal products are regrouped each for itself, so that a
  // padded dim that stays as it is does no harm.
  size_t i = 0, j = 0;
  const size_t old_rank = layout.shape.size(), new_rank = shape.size();
  while (i < old_rank || j < new_rank) {
    size_t ie = i, je = j;
    int64_t a = 1, b = 1;
    if (ie < old_rank) a *= layout.shape[ie++];
    if (je < new_rank) b *= shape[je++];
    while (a != b) {
      if (a < b) {
        a *= layout.shape[ie++];
      } else {
        b *= shape[je++];
      }
    }
    if (ie - i == 1 && je - j == 1) {
      out.dims[j] = layout.dims[i];
    } else {
      // Padding beyond the outermost dim of a group is padding beyond the outermost new one: `rest` takes it.
      std::vector<Iter> flat;
      int64_t outer = 1;
      for (size_t d = i; d < ie; ++d) {
        const int64_t product = dim_product(layout.dims[d]);
        if (product != layout.shape[d] && (outer != 1 || j == je))
          return refuse("layout_reshape", "dim " + std::to_string(d) + " is padded", print_dims(layout, tree),
                        "padding in the outermost dim of those that are regrouped, or a dim that stays as it is");
        outer *= product;
        flat.insert(flat.end(), layout.dims[d].begin(), layout.dims[d].end());
      }
      size_t rest = j;
      while (rest + 1 < je && shape[rest] == 1) ++rest;
      // From the innermost new dim outwards; an iter that is too large for its dim is cut at a whole factor.
      for (size_t d = je; d-- > j;) {
        int64_t need = shape[d];
        std::vector<Iter>& dim = out.dims[d];
        if (d == rest) {
          dim = std::move(flat);
          flat.clear();
          break;
        }
        while (!flat.empty() && need > 1) {
          Iter& it = flat.back();
          if (it.extent <= need) {
            if (need % it.extent != 0)
              return refuse("layout_reshape", "an iter does not fit the new shape", print_iter(it, tree),
                            "a factor of " + std::to_string(need));
            need /= it.extent;
            dim.push_back(it);
            flat.pop_back();
          } else {
            if (it.extent % need != 0)
              return refuse("layout_reshape", "an iter does not fit the new shape", print_iter(it, tree),
                            "a multiple of " + std::to_string(need));
            dim.push_back({need, it.axis, it.stride});
            it = {it.extent / need, it.axis, it.stride * need};
            need = 1;
          }
        }
        std::reverse(dim.begin(), dim.end());
      }
    }
    i = ie;
    j = je;
  }
  return normalise(std::move(out), tree, bits);
}

namespace {
Diagnostic no_dim(const Layout& layout, int dim) {
  return refuse("layout_rank", "there is no dim " + std::to_string(dim), "dim " + std::to_string(dim),
                "from 0 to " + std::to_string(static_cast<int>(layout.shape.size()) - 1));
}
}  // namespace

Result<Layout> split(const Layout& layout, const MachineTree& tree, int bits, int dim,
                     std::span<const int64_t> extents) {
  if (dim < 0 || dim >= static_cast<int>(layout.shape.size())) return no_dim(layout, dim);
  std::vector<int64_t> shape = layout.shape;
  const auto at = shape.erase(shape.begin() + dim);
  shape.insert(at, extents.begin(), extents.end());
  return reshape(layout, tree, bits, shape);
}

Result<Layout> merge(const Layout& layout, const MachineTree& tree, int bits, int first, int count) {
  const int rank = static_cast<int>(layout.shape.size());
  if (first < 0 || first >= rank) return no_dim(layout, first);
  if (count < 1 || count > rank - first) return no_dim(layout, count < 1 ? first : rank);
  std::vector<int64_t> shape = layout.shape;
  for (int k = 1; k < count; ++k) shape[static_cast<size_t>(first)] *= shape[static_cast<size_t>(first + k)];
  shape.erase(shape.begin() + first + 1, shape.begin() + first + count);
  return reshape(layout, tree, bits, shape);
}

Result<Layout> tile(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> extents) {
  const size_t rank = layout.shape.size();
  if (extents.size() != rank || 2 * rank > kMaxLayoutDims)
    return refuse("layout_rank", "a tile has one extent for each dim", std::to_string(extents.size()) + " extents",
                  std::to_string(rank) + " extents, of at most " + std::to_string(kMaxLayoutDims / 2) + " dims");
  std::vector<int64_t> shape;
  std::vector<int> order(2 * rank);
  for (size_t d = 0; d < rank; ++d) {
    if (extents[d] < 1 || layout.shape[d] % extents[d] != 0)
      return refuse("layout_reshape", "the tile does not divide dim " + std::to_string(d), std::to_string(extents[d]),
                    "a divisor of " + std::to_string(layout.shape[d]));
    shape.insert(shape.end(), {layout.shape[d] / extents[d], extents[d]});
    order[d] = static_cast<int>(2 * d);
    order[rank + d] = static_cast<int>(2 * d + 1);
  }
  Result<Layout> cut = reshape(layout, tree, bits, shape);
  if (!cut) return cut;
  return transpose(*cut, tree, order);
}

Result<Sliced> slice(const Layout& layout, const MachineTree& tree, int bits, int dim, int64_t begin, int64_t extent) {
  if (dim < 0 || dim >= static_cast<int>(layout.shape.size())) return no_dim(layout, dim);
  const size_t d = static_cast<size_t>(dim);
  if (begin < 0 || extent < 1 || begin > layout.shape[d] || extent > layout.shape[d] - begin)
    return refuse("layout_slice", "the slice leaves the dim", std::to_string(begin) + " + " + std::to_string(extent),
                  "inside 0.." + std::to_string(layout.shape[d] - 1));
  if (begin == 0 && extent == layout.shape[d]) return Sliced{layout, 0};
  const auto& iters = layout.dims[d];
  // The digit that is cut: everything to its right is whole.
  size_t cut = iters.size();
  int64_t inner = 1;
  while (cut > 0 && extent % (inner * iters[cut - 1].extent) == 0) inner *= iters[--cut].extent;
  const int64_t part = extent / inner;
  bool fits = begin % inner == 0;
  if (cut == 0) {
    fits = fits && part == 1 && begin == 0;
  } else {
    const int64_t first = begin / inner % iters[cut - 1].extent;
    fits = fits && first + part <= iters[cut - 1].extent;
  }
  if (!fits) {
    Diagnostic e = refuse("layout_slice", "the slice cuts through a digit",
                          std::to_string(begin) + ".." + std::to_string(begin + extent - 1),
                          "a block of whole digits of " + print_dims(layout, tree));
    e.bound = {{"dim", std::to_string(dim)}, {"inner", std::to_string(inner)}};
    return e;
  }
  Sliced out{layout, 0};
  out.layout.shape[d] = extent;
  auto& kept = out.layout.dims[d];
  kept.assign(iters.begin() + static_cast<ptrdiff_t>(cut), iters.end());
  std::vector<bool> emptied(tree.axes.size(), false);
  auto displace = [&](const Iter& it, int64_t value) {
    if (it.axis < 0) {
      out.address += value * it.stride;
    } else {
      emptied[static_cast<size_t>(it.axis)] = true;
      if (value != 0) out.layout.tails.push_back({TailKind::kOffset, {value * it.stride, it.axis, 1}});
    }
  };
  int64_t weight = inner;
  for (size_t k = cut; k-- > 0;) {
    const int64_t value = begin / weight % iters[k].extent;
    displace(iters[k], value);
    if (k + 1 == cut && part > 1) kept.insert(kept.begin(), Iter{part, iters[k].axis, iters[k].stride});
    weight *= iters[k].extent;
  }
  // Where the other elements stood, nothing of the slice stands.
  Result<Layout> normal = [&] {
    for (size_t a = 0; a < emptied.size(); ++a) {
      if (!emptied[a]) continue;
      std::vector<layout_detail::AxisDigit> used;
      for (const Digit& g : digits(out.layout, tree, bits))
        if (g.axis == static_cast<int>(a)) used.push_back({g.extent, g.stride});
      const int64_t whole = layout_detail::axis_extent(tree, static_cast<int>(a), bits);
      if (whole == 0) continue;
      for (const auto& rest : layout_detail::complement(used, whole))
        out.layout.tails.push_back({TailKind::kSingle, {rest.extent, static_cast<int16_t>(a), rest.stride}});
    }
    return normalise(out.layout, tree, bits);
  }();
  if (!normal) return normal.take_error();
  out.layout = std::move(*normal);
  return out;
}

Layout pack_addresses(const Layout& layout, const MachineTree& tree) {
  (void)tree;
  Layout out = layout;
  std::vector<Iter*> on_address;
  for (auto& dim : out.dims)
    for (Iter& it : dim)
      if (it.axis == kAddressAxis) on_address.push_back(&it);
  for (Tail& t : out.tails)
    if (t.iter.axis == kAddressAxis && t.kind != TailKind::kOffset) on_address.push_back(&t.iter);
  std::stable_sort(on_address.begin(), on_address.end(),
                   [](const Iter* a, const Iter* b) { return a->stride < b->stride; });
  int64_t next = 1;
  for (Iter* it : on_address) {
    it->stride = next;
    next *= it->extent;
  }
  return out;
}

}  // namespace kumihimo
