#include "targets/mncore2/fast/half_columns.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::HalfColumns;
using emu::MatrixSide;

KMH_AVX2_INLINE __m256i load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
KMH_AVX2_INLINE void store(void* p, __m256i v) { _mm256_store_si256(static_cast<__m256i*>(p), v); }
KMH_AVX2_INLINE __m256i halves(int value) { return _mm256_set1_epi16(static_cast<short>(value)); }

// Pair j of eight rows in vector j; lane i of each is row kRowOfLane[first_lane + i].
KMH_AVX2_INLINE void turn(const MatrixSide& side, int first_lane, __m256i (&p)[8]) {
  __m256i v[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i) v[i] = load(side.raw[kRowOfLane[first_lane + i]]);
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_unpacklo_epi64(pairs[i + k], pairs[i + 2 + k]);
      fours[i + 2 * k + 1] = _mm256_unpackhi_epi64(pairs[i + k], pairs[i + 2 + k]);
    }
  for (int k = 0; k < 4; ++k) {
    p[k] = _mm256_permute2x128_si256(fours[k], fours[4 + k], 0x20);
    p[4 + k] = _mm256_permute2x128_si256(fours[k], fours[4 + k], 0x31);
  }
}

// All bits of the lanes with exponent field 0 and a fraction.
KMH_AVX2_INLINE __m256i small(__m256i v) {
  const __m256i zero = _mm256_setzero_si256();
  return _mm256_andnot_si256(_mm256_cmpeq_epi16(_mm256_and_si256(v, halves(kHalfFraction)), zero),
                             _mm256_cmpeq_epi16(_mm256_and_si256(v, halves(kHalfExponent)), zero));
}

struct Found {
  bool small, infinite;
};

// Eight lanes; `rare` = elements may be extended or infinite, `scaled` as HalfColumns::kScaled.
template <bool kRare>
KMH_AVX2_INLINE Found make_half(MatrixSide& side, int first_lane, bool scaled) {
  HalfColumns& to = side.columns;
  const __m256i exponent = halves(kHalfExponent), fraction = halves(kHalfFraction), zero = _mm256_setzero_si256();
  __m256i p[8];
  turn(side, first_lane, p);
  __m256i any = zero, some_small = zero, infinite = zero;
  for (const __m256i& v : p) any = _mm256_or_si256(any, v);
  __m256i e = _mm256_and_si256(_mm256_or_si256(any, _mm256_srli_epi32(any, 16)), _mm256_set1_epi32(kHalfExponent));
  e = _mm256_slli_epi32(e, 14);
  store(to.scale + first_lane, _mm256_add_epi32(e, _mm256_set1_epi32(kScaleBias << 23)));
  const __m256i no_exponent = _mm256_cmpeq_epi32(e, zero);
  for (int j = 0; j < 8; ++j) {
    const __m256i v = p[j];
    __m256i m = _mm256_and_si256(v, fraction);
    if constexpr (kRare) {
      const __m256i own = _mm256_and_si256(v, exponent), inf = _mm256_cmpeq_epi16(own, exponent);
      infinite = _mm256_or_si256(infinite, inf);
      m = _mm256_andnot_si256(_mm256_or_si256(no_exponent, inf), m);
      if (scaled) m = _mm256_blendv_epi8(_mm256_slli_epi16(m, 6), m, _mm256_cmpeq_epi16(own, zero));
    } else {
      some_small = _mm256_or_si256(some_small, small(v));
    }
    store(to.pairs[j] + first_lane, _mm256_sign_epi16(m, v));
  }
  if constexpr (!kRare) infinite = _mm256_cmpeq_epi32(e, _mm256_set1_epi32(63 << 23));
  return {_mm256_testz_si256(some_small, some_small) == 0, _mm256_testz_si256(infinite, infinite) == 0};
}

KMH_AVX2_INLINE uint16_t bits(__m256i lanes) {
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return static_cast<uint16_t>(_mm_movemask_epi8(bytes));
}

}  // namespace

KMH_AVX2 void refresh_columns_avx2(MatrixSide& side) {
  HalfColumns& to = side.columns;
  const Found first = make_half<false>(side, 0, false), last = make_half<false>(side, 8, false);
  to.groups = 0xf;
  to.kind = 0;
  const bool scaled = first.small || last.small;
  if (!scaled && !first.infinite && !last.infinite) [[likely]]
    return;
  const Found a = make_half<true>(side, 0, scaled), b = make_half<true>(side, 8, scaled);
  if (scaled) to.kind |= HalfColumns::kScaled;
  if (a.infinite || b.infinite) to.kind |= HalfColumns::kInfinite;
}

KMH_AVX2 void make_masks_avx2(MatrixSide& side) {
  HalfColumns& to = side.columns;
  const __m256i in_order = _mm256_broadcastsi128_si256(_mm_set_epi32(0x09080b0a, 0x0d0c0f0e, 0x01000302, 0x05040706));
  const __m256i exponent = halves(kHalfExponent), zero = _mm256_setzero_si256();
  for (int lane = 0; lane < 16; ++lane) {
    const bool some = to.scale[lane] != kScaleBias << 23;  // a row without any exponent is all zeros
    const __m256i v = _mm256_shuffle_epi8(load(side.raw[kRowOfLane[lane]]), in_order);
    const __m256i inf = _mm256_cmpeq_epi16(_mm256_and_si256(v, exponent), exponent);
    const __m256i no_fraction = _mm256_cmpeq_epi16(_mm256_and_si256(v, halves(kHalfFraction)), zero);
    to.infinite[lane] = some ? bits(inf) : 0;
    to.live[lane] = some ? bits(inf) | (bits(no_fraction) ^ 0xffffu) : 0;
    to.negative[lane] = some ? bits(_mm256_srai_epi16(v, 15)) : 0;
  }
  to.kind |= HalfColumns::kMasks;
}

}  // namespace kumihimo::mncore2::fast

#endif
