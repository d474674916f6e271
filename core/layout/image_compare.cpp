// The bit-for-bit comparison of an image with the elements that it should hold: all copies, one by one.
#include "core/layout/image_loops.h"

namespace kumihimo {
namespace {

using namespace layout_detail;

template <class T>
void compare_as(const ImageMap& map, const uint64_t* image, const uint8_t* elements, Comparison& out) {
  const ImageLoops loops(map);
  const int64_t partial_bytes = map.elements() * static_cast<int64_t>(sizeof(T));
  auto one = [&](int64_t e, int64_t p, int64_t c, T expected, T found) {
    ++out.words_compared;
    if (expected == found) return;
    ++out.mismatches;
    if (out.first) return;
    Mismatch m{e, p, c, std::vector<int64_t>(map.shape().size()), map.place(e, p, c), expected, found};
    int64_t left = e;
    for (size_t d = m.index.size(); d-- > 0;) {
      m.index[d] = left % map.shape()[d];
      left /= map.shape()[d];
    }
    out.first = std::move(m);
  };
  auto element_at = [&](int64_t e, int64_t p) {
    T value;
    std::memcpy(&value, elements + p * partial_bytes + e * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  };
  if (!loops.additive()) {
    for (int64_t p = 0; p < map.partial_count(); ++p)
      for (int64_t c = 0; c < map.copies(); ++c)
        for (int64_t e = 0; e < map.elements(); ++e)
          one(e, p, c, element_at(e, p), get<T>(image, loops.slot_at(e, p, c)));
    return;
  }
  constexpr int64_t kLanes = static_cast<int64_t>(8 / sizeof(T));
  ImageLoops::sums(ImageLoops::all(loops.partials()), [&](int64_t p, int64_t partial_slot) {
    ImageLoops::sums(ImageLoops::all(loops.replicas()), [&](int64_t c, int64_t copy_slot) {
      loops.rows(loops.offset_slot() + partial_slot + copy_slot, [&](int64_t element, int64_t slot) {
        int64_t e = element;
        if (loops.long_words()) {
          const int64_t words = loops.run() / kLanes;
          for (int64_t start : loops.run_starts()) {
            const int64_t at = slot / kLanes + start;
            for (int64_t i = 0; i < words; ++i, e += kLanes) {
              const uint64_t expected =
                  turn<T>(load64(elements + p * partial_bytes + e * static_cast<int64_t>(sizeof(T))));
              if (expected == image[at + i]) {
                out.words_compared += kLanes;
              } else {
                for (int64_t l = 0; l < kLanes; ++l)
                  one(e + l, p, c, element_at(e + l, p), get<T>(image, (at + i) * kLanes + l));
              }
            }
          }
          return;
        }
        for (int64_t offset : loops.inner()) {
          one(e, p, c, element_at(e, p), get<T>(image, slot + offset));
          ++e;
        }
      });
    });
  });
}

}  // namespace

Comparison compare_all_copies(const ImageMap& map, std::span<const uint64_t> image, std::span<const uint8_t> elements) {
  assert(layout_detail::fits(map, image.size(), elements.size()));
  Comparison out;
  layout_detail::with_type(map.bits(),
                           [&](auto type) { compare_as<decltype(type)>(map, image.data(), elements.data(), out); });
  return out;
}

}  // namespace kumihimo
