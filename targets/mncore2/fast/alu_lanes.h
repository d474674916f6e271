// A row of four long words as 4, 8 or 16 lanes of a vector, for the ALU kernels.
//
// The kernels of both paths are the same text: operations are written with the compiler's vector types, and where the
// instruction sets differ, `kAvx512` chooses. Whoever includes this has defined kAvx512 and the attributes KMH_LANES
// (of a kernel) and KMH_LANES_INLINE (of its helpers). Everything is local to the including file.
//
// Lane 0 holds the least significant bits of PE 0: elements stand in host order, which no operation here looks at.
#pragma once

#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/fast/simd.h"

namespace kumihimo::mncore2::fast {
namespace {

template <int kBits>
struct LaneTypes;
template <>
struct LaneTypes<16> {
  using Word = uint16_t;
  typedef uint16_t U __attribute__((vector_size(32)));
  typedef int16_t S __attribute__((vector_size(32)));
};
template <>
struct LaneTypes<32> {
  using Word = uint32_t;
  typedef uint32_t U __attribute__((vector_size(32)));
  typedef int32_t S __attribute__((vector_size(32)));
};
template <>
struct LaneTypes<64> {
  using Word = uint64_t;
  typedef uint64_t U __attribute__((vector_size(32)));
  typedef int64_t S __attribute__((vector_size(32)));
};

// Unsigned lanes; signed lanes, which also are what comparisons give: all ones where true.
template <int kBits>
using U = typename LaneTypes<kBits>::U;
template <int kBits>
using S = typename LaneTypes<kBits>::S;
template <int kBits>
using Word = typename LaneTypes<kBits>::Word;

template <class Lanes>
KMH_LANES_INLINE Lanes from(__m256i v) {
  return reinterpret_cast<Lanes>(v);
}
template <class Lanes>
KMH_LANES_INLINE __m256i raw(Lanes v) {
  return reinterpret_cast<__m256i>(v);
}
template <int kBits>
KMH_LANES_INLINE U<kBits> all(Word<kBits> value) {
  return U<kBits>{} + value;
}
// Lanes whose top bit is set.
template <int kBits>
KMH_LANES_INLINE S<kBits> negative(U<kBits> v) {
  return reinterpret_cast<S<kBits>>(v) < S<kBits>{};
}

// Words or halves at odd places, the others from `even`.
template <int kBits>
KMH_LANES_INLINE U<kBits> interleaved(__m256i even, __m256i odd) {
  if constexpr (kBits == 16)
    return from<U<16>>(_mm256_blend_epi16(even, odd, 0xaa));
  else
    return from<U<32>>(_mm256_blend_epi32(even, odd, 0xaa));
}

// Shifts by lanes of amounts; an amount of the width or more, read as unsigned, gives 0. AVX2 has none for halves, which
// are shifted as the upper and the lower part of words.
template <int kBits>
KMH_LANES_INLINE U<kBits> shift_left(U<kBits> v, U<kBits> n) {
  if constexpr (kBits == 64) return from<U<64>>(_mm256_sllv_epi64(raw(v), raw(n)));
  if constexpr (kBits == 32) return from<U<32>>(_mm256_sllv_epi32(raw(v), raw(n)));
  if constexpr (kBits == 16 && kAvx512) return from<U<16>>(_mm256_sllv_epi16(raw(v), raw(n)));
  if constexpr (kBits == 16 && !kAvx512) {
    const __m256i low = _mm256_set1_epi32(0xffff);
    return interleaved<16>(_mm256_sllv_epi32(raw(v), _mm256_and_si256(raw(n), low)),
                           _mm256_sllv_epi32(_mm256_andnot_si256(low, raw(v)), _mm256_srli_epi32(raw(n), 16)));
  }
}
template <int kBits>
KMH_LANES_INLINE U<kBits> shift_right(U<kBits> v, U<kBits> n) {
  if constexpr (kBits == 64) return from<U<64>>(_mm256_srlv_epi64(raw(v), raw(n)));
  if constexpr (kBits == 32) return from<U<32>>(_mm256_srlv_epi32(raw(v), raw(n)));
  if constexpr (kBits == 16 && kAvx512) return from<U<16>>(_mm256_srlv_epi16(raw(v), raw(n)));
  if constexpr (kBits == 16 && !kAvx512) {
    const __m256i low = _mm256_set1_epi32(0xffff);
    return interleaved<16>(_mm256_srlv_epi32(_mm256_and_si256(raw(v), low), _mm256_and_si256(raw(n), low)),
                           _mm256_srlv_epi32(raw(v), _mm256_srli_epi32(raw(n), 16)));
  }
}

KMH_LANES_INLINE __m256i load(emu::Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
}
KMH_LANES_INLINE __m256i load_lsb(emu::Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row) + 4));
}
KMH_LANES_INLINE void store(emu::Mab& mab, Row row, __m256i msb) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(at(mab, row)), msb);
}
KMH_LANES_INLINE void store_lsb(emu::Mab& mab, Row row, __m256i lsb) {
  _mm256_store_si256(reinterpret_cast<__m256i*>(at(mab, row) + 4), lsb);
}

// The LSB long words of a result: those of X, or 0. To be called after the MSB long words are written, which stand in the
// way of no LSB long word of X. Apart from them, because a branch in every cycle makes g++ load its constants again.
KMH_LANES __attribute__((noinline)) void copy_lsb(emu::Mab& mab, const Uop& u) {
  for (int c = 0; c < 4; ++c) store_lsb(mab, u.out[c], u.x_wide ? load_lsb(mab, u.x[c]) : _mm256_setzero_si256());
}

// Flags of the four cycles. A true lane sets the bits of the halves that it covers, so that four nibbles of a cycle stand
// in the low bytes of the four long words; cycle c goes to byte c.
KMH_LANES_INLINE __m256i flags_of(__m256i lanes, int cycle) {
  const __m256i halves = _mm256_set1_epi64x(0x0008'0004'0002'0001);
  const __m256i nibbles = _mm256_sad_epu8(_mm256_and_si256(lanes, halves), _mm256_setzero_si256());
  return _mm256_slli_epi64(nibbles, 8 * cycle);
}
// From byte c of long word pe to [c][pe].
KMH_LANES_INLINE void store_flags(Place& place, __m256i flags) {
  const __m128i words =
      _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(flags, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
  const __m128i turn = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(place.flags), _mm_shuffle_epi8(words, turn));
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
