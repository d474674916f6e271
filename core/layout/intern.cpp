// The pool of layouts: appended to under a lock; entries never move or die.
#include <bit>
#include <deque>
#include <mutex>
#include <unordered_map>

#include "core/layout/layout.h"

namespace kumihimo {
namespace {

uint64_t hash_of(const Layout& l, const MachineTree* tree) {
  uint64_t h = reinterpret_cast<uintptr_t>(tree);
  auto mix = [&h](uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  };
  auto mix_iter = [&](const Iter& it) {
    mix(static_cast<uint64_t>(it.extent));
    mix(static_cast<uint64_t>(it.stride) * 64 + static_cast<uint64_t>(it.axis + 1));
  };
  for (int64_t e : l.shape) mix(static_cast<uint64_t>(e));
  for (const auto& dim : l.dims) {
    mix(dim.size());
    for (const Iter& it : dim) mix_iter(it);
  }
  for (const Tail& t : l.tails) {
    mix(static_cast<uint64_t>(t.kind) + 100);
    mix_iter(t.iter);
  }
  mix(static_cast<uint64_t>(l.pad));
  mix(std::bit_cast<uint64_t>(l.pad_value));
  return h;
}

struct Pool {
  std::mutex mutex;
  std::deque<Layout> store;
  // Trees are static data of their targets, so the address tells the machine.
  std::unordered_multimap<uint64_t, std::pair<const MachineTree*, LayoutRef>> index;
};
Pool& pool() {
  static Pool* p = new Pool;
  return *p;
}

}  // namespace

LayoutRef intern(Layout layout, const MachineTree& tree) {
  const uint64_t hash = hash_of(layout, &tree);
  Pool& p = pool();
  std::lock_guard lock(p.mutex);
  auto [begin, end] = p.index.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (it->second.first == &tree && *it->second.second == layout) return it->second.second;
  p.store.push_back(std::move(layout));
  LayoutRef ref = &p.store.back();
  p.index.emplace(hash, std::pair{&tree, ref});
  return ref;
}

}  // namespace kumihimo
