#include "targets/mncore2/variants/contracted.h"

#include <algorithm>

#include "targets/mncore2/variants/common.h"

namespace kumihimo::mncore2::variants {

bool ends_in_half_block(const Layout& layout, const MachineTree& tree, int dim) {
  const Axes axes = axes_of(tree);
  const Iter block[] = {{4, axes.pe, 1}, {4, axes.w, 1}};
  return ends_with(layout, dim, block);
}

namespace {

std::optional<Layout> settled(Layout raw, const MachineTree& tree) {
  constexpr int kBits = 16;
  std::erase_if(raw.tails, [](const Tail& t) { return t.kind == TailKind::kReplica; });
  make_addresses_dense(raw, tree);
  auto normal = normalise(std::move(raw), tree, kBits);
  if (!normal) return std::nullopt;
  return std::move(*normal);
}

// PE and another level change places: (4_MAB:1, 4_W:1) was written where (4_PE:1, 4_W:1) is needed.
std::optional<Layout> swapped(const Layout& layout, const MachineTree& tree, int dim) {
  const Axes axes = axes_of(tree);
  const auto& iters = layout.dims[static_cast<size_t>(dim)];
  int16_t other = axes.pe;
  for (size_t i = iters.size(); i-- > 0 && other == axes.pe;)
    if (iters[i].axis >= 0 && iters[i].axis != axes.w) other = iters[i].axis;
  if (other == axes.pe) return std::nullopt;
  Layout out = layout;
  for (auto& d : out.dims)
    for (Iter& it : d) it.axis = it.axis == other ? axes.pe : it.axis == axes.pe ? other : it.axis;
  auto normal = settled(std::move(out), tree);
  if (!normal || !ends_in_half_block(*normal, tree, dim)) return std::nullopt;
  return normal;
}

// The dim's block is put at its end; digits on PE and lanes of every dim give way to addresses.
std::optional<Layout> rebuilt(const Layout& layout, const MachineTree& tree, int dim) {
  const Axes axes = axes_of(tree);
  Layout out = layout;
  std::erase_if(out.tails, [&](const Tail& t) { return t.iter.axis == axes.pe || t.iter.axis == axes.w; });
  constexpr int64_t kBehind = int64_t{1} << 20;  // strides are made dense later; these keep the order
  int64_t stride = kBehind;
  for (auto& d : out.dims)
    for (Iter& it : d)
      if (it.axis == axes.pe || it.axis == axes.w) it = {it.extent, kAddressAxis, stride++};
  auto& iters = out.dims[static_cast<size_t>(dim)];
  const int64_t extent = layout.shape[static_cast<size_t>(dim)];
  // Inner address digits of the dim make room for the block.
  int64_t room = kHalfBlock;
  while (room > 1) {
    auto it = std::find_if(iters.rbegin(), iters.rend(),
                           [](const Iter& i) { return i.axis == kAddressAxis && i.extent > 1; });
    if (it == iters.rend()) break;
    int64_t n = std::min(it->extent, room);
    while (n > 1 && (it->extent % n != 0 || room % n != 0)) --n;
    if (n <= 1) break;
    it->extent /= n;
    room /= n;
  }
  std::erase_if(iters, [](const Iter& i) { return i.axis == kAddressAxis && i.extent == 1; });
  iters.push_back({4, axes.pe, 1});
  iters.push_back({4, axes.w, 1});
  if (dim_product(iters) > extent && layout.pad == PadKind::kNone) {
    out.pad = PadKind::kValue;
    out.pad_value = 0;
  }
  return settled(std::move(out), tree);
}

}  // namespace

std::vector<Layout> half_block_layouts(const Layout& layout, const MachineTree& tree, int dim) {
  std::vector<Layout> out;
  for (auto make : {swapped, rebuilt})
    if (auto l = make(layout, tree, dim)) out.push_back(std::move(*l));
  return out;
}

}  // namespace kumihimo::mncore2::variants
