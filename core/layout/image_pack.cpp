// pack and unpack: elements in NumPy order <-> images.
#include "core/layout/image_loops.h"

namespace kumihimo {
namespace {

using namespace layout_detail;

template <class T>
void pack_row(const ImageLoops& loops, const uint8_t* in, uint64_t* image, int64_t slot) {
  if (loops.long_words()) {
    constexpr int64_t kLanes = static_cast<int64_t>(8 / sizeof(T));
    const int64_t base = slot / kLanes, words = loops.run() / kLanes;
    for (int64_t start : loops.run_starts()) {
      uint64_t* out = image + base + start;
      if constexpr (sizeof(T) == 8) {
        std::memcpy(out, in, static_cast<size_t>(words) * 8);
      } else {
        for (int64_t i = 0; i < words; ++i) out[i] = turn<T>(load64(in + i * 8));
      }
      in += words * 8;
    }
    return;
  }
  auto* out = reinterpret_cast<uint8_t*>(image);
  for (int64_t offset : loops.inner()) {
    std::memcpy(out + ((slot + offset) ^ kTurn<T>)*static_cast<int64_t>(sizeof(T)), in, sizeof(T));
    in += sizeof(T);
  }
}

template <class T>
void pack_woven(const ImageLoops& loops, const uint8_t* in, uint64_t* image, int64_t slot) {
  constexpr int64_t kLanes = static_cast<int64_t>(8 / sizeof(T));
  const int64_t apart = loops.woven_stride() * static_cast<int64_t>(sizeof(T));
  for (int64_t offset : loops.inner()) {
    uint64_t word = 0;
    for (int64_t l = 0; l < kLanes; ++l) {
      T value;
      std::memcpy(&value, in + l * apart, sizeof(T));
      word |= static_cast<uint64_t>(value) << (static_cast<int64_t>(8 * sizeof(T)) * (kLanes - 1 - l));
    }
    image[(slot + offset) / kLanes] = word;
    in += sizeof(T);
  }
}

template <class T>
void unpack_woven(const ImageLoops& loops, const uint64_t* image, uint8_t* out, int64_t slot) {
  constexpr int64_t kLanes = static_cast<int64_t>(8 / sizeof(T));
  const int64_t apart = loops.woven_stride() * static_cast<int64_t>(sizeof(T));
  for (int64_t offset : loops.inner()) {
    const uint64_t word = image[(slot + offset) / kLanes];
    for (int64_t l = 0; l < kLanes; ++l) {
      const auto value = static_cast<T>(word >> (static_cast<int64_t>(8 * sizeof(T)) * (kLanes - 1 - l)));
      std::memcpy(out + l * apart, &value, sizeof(T));
    }
    out += sizeof(T);
  }
}

template <class T>
void unpack_row(const ImageLoops& loops, const uint64_t* image, uint8_t* out, int64_t slot) {
  if (loops.long_words()) {
    constexpr int64_t kLanes = static_cast<int64_t>(8 / sizeof(T));
    const int64_t base = slot / kLanes, words = loops.run() / kLanes;
    for (int64_t start : loops.run_starts()) {
      const uint64_t* in = image + base + start;
      for (int64_t i = 0; i < words; ++i) store64(out + i * 8, turn<T>(in[i]));
      out += words * 8;
    }
    return;
  }
  const auto* in = reinterpret_cast<const uint8_t*>(image);
  for (int64_t offset : loops.inner()) {
    std::memcpy(out, in + ((slot + offset) ^ kTurn<T>)*static_cast<int64_t>(sizeof(T)), sizeof(T));
    out += sizeof(T);
  }
}

// Writes the padding points of every copy.
template <class T>
void pack_padding(const ImageLoops& loops, uint64_t* image, T value) {
  const ImageMap& map = loops.map();
  std::vector<int64_t> index(loops.dims().size(), 0);
  // Padding of dim d with all outer dims inside their extents and all inner ones anywhere: each point once.
  for (size_t d = 0; d < index.size(); ++d) {
    if (loops.dims()[d].count == map.shape()[d]) continue;
    std::vector<int64_t> low(index.size(), 0), high(index.size());
    for (size_t k = 0; k < index.size(); ++k) high[k] = k < d ? map.shape()[k] : loops.dims()[k].count;
    low[d] = map.shape()[d];
    index = low;
    bool more = true;
    while (more) {
      for (int64_t p = 0; p < map.partial_count(); ++p)
        for (int64_t c = 0; c < map.copies(); ++c) {
          Point point = loops.offset();
          for (size_t k = 0; k < index.size(); ++k) loops.dims()[k].add(index[k], point);
          int64_t left = p;
          for (size_t k = loops.partials().size(); k-- > 0;) {
            const auto& a = loops.partials()[k];
            a.add(left % a.count, point);
            left /= a.count;
          }
          left = c;
          for (size_t k = loops.replicas().size(); k-- > 0;) {
            const auto& a = loops.replicas()[k];
            a.add(left % a.count, point);
            left /= a.count;
          }
          put<T>(image, loops.slot_of(loops.place_at(point)), value);
        }
      size_t k = index.size();
      while (k > 0 && ++index[k - 1] == high[k - 1]) --k, index[k] = low[k];
      more = k > 0;
    }
    index.assign(index.size(), 0);
  }
}

template <class T>
void pack_as(const ImageMap& map, const uint8_t* elements, uint64_t* image, const PackOptions& options) {
  const ImageLoops loops(map);
  std::fill_n(image, map.total_lw(), options.fill);
  if (loops.pad() != PadKind::kNone && options.pad_bits)
    pack_padding<T>(loops, image, static_cast<T>(*options.pad_bits));
  const int64_t partial_bytes = map.elements() * static_cast<int64_t>(sizeof(T));
  if (!loops.additive()) {
    for (int64_t p = 0; p < map.partial_count(); ++p)
      for (int64_t c = 0; c < map.copies(); ++c)
        for (int64_t e = 0; e < map.elements(); ++e) {
          T value;
          std::memcpy(&value, elements + p * partial_bytes + e * static_cast<int64_t>(sizeof(T)), sizeof(T));
          put<T>(image, loops.slot_at(e, p, c), value);
        }
    return;
  }
  std::vector<const ImageLoops::Addend*> inside, between;
  for (const auto& r : loops.replicas()) (loops.whole_units(r) ? between : inside).push_back(&r);
  ImageLoops::sums(ImageLoops::all(loops.partials()), [&](int64_t p, int64_t partial_slot) {
    ImageLoops::sums(inside, [&](int64_t, int64_t copy_slot) {
      loops.rows(
          loops.offset_slot() + partial_slot + copy_slot,
          [&](int64_t element, int64_t slot) {
            const uint8_t* in = elements + p * partial_bytes + element * static_cast<int64_t>(sizeof(T));
            loops.woven() ? pack_woven<T>(loops, in, image, slot) : pack_row<T>(loops, in, image, slot);
          },
          loops.woven());
    });
  });
  if (between.empty()) return;
  // The units written so far are those that the copies between units do not reach; each is copied to the others.
  const int64_t unit_lw = map.unit_lw(), unit_slots = unit_lw * loops.lanes();
  std::vector<int64_t> reached{0};
  ImageLoops::sums(between, [&](int64_t number, int64_t slot) {
    if (number != 0) reached.push_back(slot / unit_slots);
  });
  std::vector<bool> done(static_cast<size_t>(map.units()), false);
  // A used unit is home when no copy step leads to it from a lower home; copies nest, so lower units come first.
  for (int64_t unit : map.used_units()) {
    if (done[static_cast<size_t>(unit)]) continue;
    for (int64_t step : reached) {
      done[static_cast<size_t>(unit + step)] = true;
      if (step != 0) std::copy_n(image + unit * unit_lw, unit_lw, image + (unit + step) * unit_lw);
    }
  }
}

}  // namespace

void pack(const ImageMap& map, std::span<const uint8_t> elements, std::span<uint64_t> image,
          const PackOptions& options) {
  assert(layout_detail::fits(map, image.size(), elements.size()));
  layout_detail::with_type(map.bits(),
                           [&](auto type) { pack_as<decltype(type)>(map, elements.data(), image.data(), options); });
}

void unpack(const ImageMap& map, std::span<const uint64_t> image, std::span<uint8_t> elements, int64_t copy) {
  assert(layout_detail::fits(map, image.size(), elements.size()) && copy >= 0 && copy < map.copies());
  layout_detail::with_type(map.bits(), [&](auto type) {
    using T = decltype(type);
    const ImageLoops loops(map);
    const int64_t partial_bytes = map.elements() * static_cast<int64_t>(sizeof(T));
    if (!loops.additive()) {
      for (int64_t p = 0; p < map.partial_count(); ++p)
        for (int64_t e = 0; e < map.elements(); ++e) {
          const T value = layout_detail::get<T>(image.data(), loops.slot_at(e, p, copy));
          std::memcpy(elements.data() + p * partial_bytes + e * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
        }
      return;
    }
    const int64_t base = loops.offset_slot() + loops.copy_slot(copy);
    ImageLoops::sums(ImageLoops::all(loops.partials()), [&](int64_t p, int64_t partial_slot) {
      loops.rows(
          base + partial_slot,
          [&](int64_t element, int64_t slot) {
            uint8_t* out = elements.data() + p * partial_bytes + element * static_cast<int64_t>(sizeof(T));
            loops.woven() ? unpack_woven<T>(loops, image.data(), out, slot)
                          : unpack_row<T>(loops, image.data(), out, slot);
          },
          loops.woven());
    });
  });
}

}  // namespace kumihimo
