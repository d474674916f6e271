// Moving elements between NumPy order and images.
//
// The place of an element is a sum of table entries, so the loops run over partial copies, copies and outer dims and
// add one inner table, made of the trailing dims. Where the inner table runs through whole long words, the words are
// moved whole (a rotation of the lanes: lane 0 is the most significant part, element 0 the first in memory). Where the
// lanes of a long word are neighbours in an outer dim (a transposed matrix), as many rows are woven together.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <numeric>
#include <vector>

#include "core/layout/image.h"

namespace kumihimo {
namespace layout_detail {

static_assert(std::endian::native == std::endian::little,
              "lane numbering of pack and unpack assumes a little-endian host");

// Turns lanes round: elements in memory order <-> lane 0 most significant.
template <class T>
uint64_t turn(uint64_t v) {
  if constexpr (sizeof(T) == 8) return v;
  v = (v << 32) | (v >> 32);
  if constexpr (sizeof(T) <= 2) v = ((v & 0x0000ffff0000ffffull) << 16) | ((v >> 16) & 0x0000ffff0000ffffull);
  if constexpr (sizeof(T) == 1) v = ((v & 0x00ff00ff00ff00ffull) << 8) | ((v >> 8) & 0x00ff00ff00ff00ffull);
  return v;
}

inline uint64_t load64(const uint8_t* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}
inline void store64(uint8_t* p, uint64_t v) { std::memcpy(p, &v, 8); }

template <class F>
void with_type(int bits, F f) {
  switch (bits) {
    case 8: return f(uint8_t{});
    case 16: return f(uint16_t{});
    case 32: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

// Lane l of a long word is element lanes-1-l of the word in memory.
template <class T>
constexpr int64_t kTurn = static_cast<int64_t>(8 / sizeof(T)) - 1;

template <class T>
void put(uint64_t* image, int64_t slot, T value) {
  std::memcpy(reinterpret_cast<uint8_t*>(image) + (slot ^ kTurn<T>)*static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}
template <class T>
T get(const uint64_t* image, int64_t slot) {
  T value;
  std::memcpy(&value, reinterpret_cast<const uint8_t*>(image) + (slot ^ kTurn<T>)*static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

[[maybe_unused]] inline bool fits(const ImageMap& map, size_t image, size_t elements) {
  return image >= static_cast<size_t>(map.total_lw()) &&
         elements >= static_cast<size_t>(map.elements() * map.partial_count() * (map.bits() / 8));
}

}  // namespace layout_detail

class ImageLoops {
 public:
  using Addend = ImageMap::Addend;
  explicit ImageLoops(const ImageMap& map) : map_(map) {
    for (size_t d = 0; d < map.dims_.size(); ++d) extents_.push_back(map.shape_[d]);
    if (!map.additive_) return;
    // Trailing dims joined into one table, until a row of it is worth a loop.
    inner_ = {0};
    size_t d = map.dims_.size();
    while (d > 0 && (inner_.size() < 256 || extents_[d - 1] == 1)) {
      --d;
      const auto& slots = map.dims_[d].slots;
      std::vector<int64_t> next;
      next.reserve(inner_.size() * static_cast<size_t>(extents_[d]));
      for (int64_t i = 0; i < extents_[d]; ++i)
        for (int64_t s : inner_) next.push_back(slots[static_cast<size_t>(i)] + s);
      inner_ = std::move(next);
    }
    outer_ = d;
    strides_.assign(outer_, 1);
    int64_t stride = static_cast<int64_t>(inner_.size());
    for (size_t k = outer_; k-- > 0; stride *= extents_[k]) strides_[k] = stride;
    find_runs();
    if (!long_words_) find_woven_dim();
  }

  // One row of consecutive elements: f(first element within this partial copy, slot that the inner table is added to).
  // `woven`: rows of the woven dim come `lanes` at a time, woven_stride() elements apart.
  template <class F>
  void rows(int64_t base, F f, bool woven = false) const {
    std::vector<int64_t> index(outer_, 0);
    while (true) {
      int64_t slot = base, element = 0;
      for (size_t d = 0; d < outer_; ++d) {
        slot += map_.dims_[d].slots[static_cast<size_t>(index[d])];
        element += index[d] * strides_[d];
      }
      f(element, slot);
      size_t d = outer_;
      while (d > 0) {
        index[d - 1] += woven && static_cast<int>(d - 1) == woven_dim_ ? map_.lanes_ : 1;
        if (index[d - 1] < extents_[d - 1]) break;
        index[--d] = 0;
      }
      if (d == 0) return;
    }
  }
  bool woven() const { return woven_dim_ >= 0; }
  int64_t woven_stride() const { return strides_[static_cast<size_t>(woven_dim_)]; }

  // Sums of one entry of each addend of the list, last fastest: f(number, sum).
  template <class F>
  static void sums(const std::vector<const Addend*>& list, F f) {
    std::vector<int64_t> index(list.size(), 0);
    for (int64_t number = 0;; ++number) {
      int64_t sum = 0;
      for (size_t i = 0; i < list.size(); ++i) sum += list[i]->slots[static_cast<size_t>(index[i])];
      f(number, sum);
      size_t i = list.size();
      while (i > 0 && ++index[i - 1] == list[i - 1]->count) index[--i] = 0;
      if (i == 0) return;
    }
  }
  static std::vector<const Addend*> all(const std::vector<Addend>& list) {
    std::vector<const Addend*> out;
    for (const auto& a : list) out.push_back(&a);
    return out;
  }
  int64_t copy_slot(int64_t copy) const {
    int64_t sum = 0;
    for (size_t i = map_.replicas_.size(); i-- > 0;) {
      const auto& r = map_.replicas_[i];
      sum += r.slots[static_cast<size_t>(copy % r.count)];
      copy /= r.count;
    }
    return sum;
  }

  // Copies that repeat whole units (several groups hold the same image) are made by copying units.
  bool whole_units(const Addend& a) const {
    const int64_t unit_slots = map_.unit_lw_ * map_.lanes_;
    return std::all_of(a.slots.begin(), a.slots.end(), [&](int64_t s) { return s % unit_slots == 0; });
  }

  const std::vector<int64_t>& inner() const { return inner_; }
  bool long_words() const { return long_words_; }
  const std::vector<int64_t>& run_starts() const { return run_starts_; }
  int64_t run() const { return run_; }
  const ImageMap& map() const { return map_; }
  const std::vector<Addend>& dims() const { return map_.dims_; }
  const std::vector<Addend>& replicas() const { return map_.replicas_; }
  const std::vector<Addend>& partials() const { return map_.partials_; }
  bool additive() const { return map_.additive_; }
  int64_t offset_slot() const { return map_.offset_slot_; }
  int64_t lanes() const { return map_.lanes_; }
  PadKind pad() const { return map_.pad_; }
  int64_t slot_at(int64_t element, int64_t partial, int64_t copy) const {
    return map_.slot_of(map_.place(element, partial, copy));
  }
  Place place_at(Point point) const { return map_.place_of(point); }
  int64_t slot_of(const Place& p) const { return map_.slot_of(p); }
  const Point& offset() const { return map_.offset_; }

 private:
  void find_runs() {
    // Runs of consecutive slots; all are cut to their common length.
    int64_t common = 0, length = 1;
    for (size_t j = 1; j <= inner_.size(); ++j) {
      if (j < inner_.size() && inner_[j] == inner_[j - 1] + 1) {
        ++length;
      } else {
        common = std::gcd(common, length);
        length = 1;
      }
    }
    const int64_t lanes = map_.lanes_;
    run_ = common;
    long_words_ = run_ % lanes == 0 && map_.offset_slot_ % lanes == 0;
    for (size_t j = 0; j < inner_.size() && long_words_; j += static_cast<size_t>(run_))
      long_words_ = inner_[j] % lanes == 0;
    auto aligned = [&](const Addend& a) {
      return std::all_of(a.slots.begin(), a.slots.end(), [&](int64_t s) { return s % lanes == 0; });
    };
    for (size_t d = 0; d < outer_; ++d) long_words_ = long_words_ && aligned(map_.dims_[d]);
    for (const auto& r : map_.replicas_) long_words_ = long_words_ && aligned(r);
    for (const auto& p : map_.partials_) long_words_ = long_words_ && aligned(p);
    if (!long_words_) return;
    for (size_t j = 0; j < inner_.size(); j += static_cast<size_t>(run_)) run_starts_.push_back(inner_[j] / lanes);
  }

  // An outer dim whose entries fill the lanes of long words in order, everything else standing on whole long words.
  void find_woven_dim() {
    const int64_t lanes = map_.lanes_;
    auto aligned = [&](const std::vector<int64_t>& slots) {
      return std::all_of(slots.begin(), slots.end(), [&](int64_t s) { return s % lanes == 0; });
    };
    if (lanes == 1 || map_.offset_slot_ % lanes != 0 || !aligned(inner_)) return;
    for (const auto* list : {&map_.replicas_, &map_.partials_})
      for (const Addend& a : *list)
        if (!aligned(a.slots)) return;
    for (size_t d = 0; d < outer_; ++d) {
      const std::vector<int64_t>& slots = map_.dims_[d].slots;
      if (aligned(slots)) continue;
      if (woven_dim_ >= 0 || extents_[d] % lanes != 0) {
        woven_dim_ = -1;
        return;
      }
      for (int64_t i = 0; i < extents_[d]; ++i)
        if (slots[static_cast<size_t>(i)] != slots[static_cast<size_t>(i / lanes * lanes)] + i % lanes ||
            slots[static_cast<size_t>(i / lanes * lanes)] % lanes != 0)
          return;
      woven_dim_ = static_cast<int>(d);
    }
  }

  const ImageMap& map_;
  std::vector<int64_t> extents_, strides_, inner_, run_starts_;
  size_t outer_ = 0;
  int woven_dim_ = -1;
  int64_t run_ = 1;
  bool long_words_ = false;
};

}  // namespace kumihimo
