#include "targets/mncore2/fast/indirect.h"

#include <cstring>

#include "targets/mncore2/fast/masks.h"
#include "targets/mncore2/fast/simd.h"

namespace kumihimo::mncore2::fast {
namespace {

// What the fields of the Uop hold: z the addresses; for a gather x, for a scatter out: memory, size, base register, T.
// `side` is the mask register entry, y[0] a fixed pattern, y[1] whether bits stand for words.
void put_place(const Indirect& o, Row (&to)[4]) {
  to[0] = o.memory;
  to[1] = o.words_mask;
  to[2] = o.base;
  to[3] = o.t;
}

}  // namespace

void put_indirect(const Indirect& o, Uop& u, bool scatter) {
  put_place(o, scatter ? u.out : u.x);
  std::memcpy(u.z, o.address, sizeof u.z);
  u.number = o.j;
  u.x_rows = u.out_rows = false;
  u.side = o.mask;
  u.y[0] = o.pattern;
  u.y[1] = o.mask_words;
}

#ifdef KMH_X86

namespace {

using emu::Mab;
using isa::Width;

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }
KMH_AVX2_INLINE void put(uint64_t* to, __m256i v) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), v); }

constexpr int64_t unit_of(Width width) { return isa::width_words(width); }

// Word addresses of the four PEs, one a lane.
template <Width W>
struct Addresses {
  __m256i fixed, wrap;  // the part that is the same in every cycle
  const uint64_t* t;

  KMH_AVX2_INLINE static Addresses of(Mab& mab, const Row (&place)[4], uint32_t j) {
    Addresses a;
    const __m256i lane = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i mine = _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_set1_epi64x(j), lane), lane);
    a.fixed = _mm256_and_si256(mine, _mm256_set1_epi64x(unit_of(W)));
    if (place[2] != Indirect::kNoRow)
      a.fixed = _mm256_add_epi64(
          a.fixed, _mm256_cvtepu16_epi64(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at(mab, place[2])))));
    // The low bits below the unit are dropped.
    a.wrap = _mm256_set1_epi64x(place[1] & ~(unit_of(W) - 1));
    a.t = place[3] == Indirect::kNoRow ? nullptr : at(mab, place[3]);
    return a;
  }
  KMH_AVX2_INLINE __m256i cycle(Row address, int c) const {
    __m256i a = _mm256_add_epi64(fixed, _mm256_set1_epi64x(address));
    if (t != nullptr)
      a = _mm256_add_epi64(a, _mm256_and_si256(load(t + 8 * c), _mm256_set1_epi64x(2 * emu::kLmRows - 1)));
    return _mm256_and_si256(a, wrap);
  }
};

// Where the long word of each PE lies, in long words from the memory's first row.
KMH_AVX2_INLINE __m256i places(__m256i word_addresses) {
  return _mm256_add_epi64(_mm256_slli_epi64(_mm256_srli_epi64(word_addresses, 1), 2), _mm256_setr_epi64x(0, 1, 2, 3));
}
// All ones where a word address is the LSB word of its long word.
KMH_AVX2_INLINE __m256i low_words(__m256i word_addresses) {
  return _mm256_cmpeq_epi64(_mm256_and_si256(word_addresses, _mm256_set1_epi64x(1)), _mm256_set1_epi64x(1));
}
KMH_AVX2_INLINE __m256i gathered(const uint64_t* memory, __m256i place) {
  return _mm256_i64gather_epi64(reinterpret_cast<const long long*>(memory), place, 8);
}

template <Width W>
KMH_AVX2 void gather(Mab& mab, const Uop& u, Place&) {
  const auto a = Addresses<W>::of(mab, u.x, u.number);
  const uint64_t* memory = at(mab, u.x[0]);
  for (int c = 0; c < 4; ++c) {
    const __m256i address = a.cycle(u.z[c], c), place = places(address);
    uint64_t* to = at(mab, u.out[c]);
    __m256i high = gathered(memory, place);
    if (W == Width::kW)
      high = _mm256_blendv_epi8(_mm256_and_si256(high, _mm256_set1_epi64x(int64_t{-1} << 32)),
                                _mm256_slli_epi64(high, 32), low_words(address));
    put(to, high);
    put(to + 4, W == Width::kDlw ? gathered(memory + 4, place) : _mm256_setzero_si256());
  }
}

KMH_AVX2_INLINE void scattered(uint64_t* memory, const uint64_t (&place)[4], __m256i v) {
  alignas(32) uint64_t lane[4];
  put(lane, v);
  for (int pe = 0; pe < 4; ++pe) memory[place[pe]] = lane[pe];
}

// A fixed pattern (one bit a cycle) as an entry.
KMH_AVX2_INLINE uint64_t entry_of(Mab& mab, const Uop& u) {
  uint64_t entry = ~uint64_t{0};
  if (u.side != Indirect::kNoRow)
    std::memcpy(&entry, at(mab, u.side), sizeof entry);
  else if (u.y[0] != Indirect::kNoRow)
    entry = _pdep_u64(u.y[0] & 0xfu, 0x1111) * 0xf * 0x0001000100010001u;
  return entry;
}

template <Width W>
KMH_AVX2 void scatter(Mab& mab, const Uop& u, Place&) {
  const auto a = Addresses<W>::of(mab, u.out, u.number);
  uint64_t* memory = at(mab, u.out[0]);
  const uint64_t entry = entry_of(mab, u);
  const bool masked = entry != ~uint64_t{0}, words = u.y[1] != 0;
  for (int c = 0; c < 4; ++c) {
    const __m256i address = a.cycle(u.z[c], c), at_pe = places(address);
    alignas(32) uint64_t place[4];
    put(place, at_pe);
    const uint64_t* from = at(mab, u.x[c]);
    __m256i high = load(from);
    if (W == Width::kW || masked) {
      const __m256i old = gathered(memory, at_pe);
      __m256i on = words ? spread_words(word_bits(entry, c, false)) : spread_halves(half_bits(entry, c));
      if (W == Width::kW) {
        const __m256i low = low_words(address), top = _mm256_set1_epi64x(int64_t{-1} << 32);
        high = _mm256_blendv_epi8(high, _mm256_srli_epi64(high, 32), low);
        on = _mm256_and_si256(on, top);
        on = _mm256_blendv_epi8(on, _mm256_srli_epi64(on, 32), low);
      }
      high = _mm256_blendv_epi8(old, high, on);
    }
    scattered(memory, place, high);
    if (W != Width::kDlw) continue;
    __m256i low = load(from + 4);
    if (masked && words)
      low = _mm256_blendv_epi8(gathered(memory + 4, at_pe), low, spread_words(word_bits(entry, c, true)));
    scattered(memory + 4, place, low);
  }
}

}  // namespace

Kernel gather_avx2(Width width) {
  switch (width) {
    case Width::kW: return gather<Width::kW>;
    case Width::kLw: return gather<Width::kLw>;
    case Width::kDlw: return gather<Width::kDlw>;
  }
  return nullptr;
}

Kernel scatter_avx2(Width width) {
  switch (width) {
    case Width::kW: return scatter<Width::kW>;
    case Width::kLw: return scatter<Width::kLw>;
    case Width::kDlw: return scatter<Width::kDlw>;
  }
  return nullptr;
}

#endif

}  // namespace kumihimo::mncore2::fast
