// Roundings that the AVX-512 kernels share (see num/odd_sum.h): exact sums rounded to odd, then once to the result.
#pragma once

#include <cstdint>

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast::avx512 {

// Of a value rounded towards both sides, the odd one: equal when the value was exact.
KMH_AVX512_INLINE __m512d odd_of(__m512d down, __m512d up) {
  return _mm512_mask_blend_pd(_mm512_test_epi64_mask(_mm512_castpd_si512(down), _mm512_set1_epi64(1)), up, down);
}
KMH_AVX512_INLINE __m512 odd_of(__m512 down, __m512 up) {
  return _mm512_mask_blend_ps(_mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1)), up, down);
}

KMH_AVX512_INLINE __m512d odd_sum(__m512d p, __m512d c) {
  return odd_of(_mm512_add_round_pd(p, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                _mm512_add_round_pd(p, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
}
KMH_AVX512_INLINE __m512 odd_sum(__m512 p, __m512 c) {
  return odd_of(_mm512_add_round_ps(p, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                _mm512_add_round_ps(p, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
}
KMH_AVX512_INLINE __m512 odd_fma(__m512 a, __m512 b, __m512 c) {
  return odd_of(_mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC),
                _mm512_fmadd_round_ps(a, b, c, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC));
}

// Once to half, in the low 16 bits of each lane; zeros are +0.
KMH_AVX512_INLINE __m512i half_bits(__m512d v) {
  constexpr int64_t kRebias = int64_t{1023 - 31} << 9, kInf = 63 << 9, kOne = 1 << 9;
  const __m512i bits = _mm512_castpd_si512(v);
  const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi64(INT64_MAX));
  const __m512i even = _mm512_and_si512(_mm512_srli_epi64(magnitude, 43), _mm512_set1_epi64(1));
  __m512i r = _mm512_add_epi64(_mm512_add_epi64(magnitude, _mm512_set1_epi64((int64_t{1} << 42) - 1)), even);
  r = _mm512_srli_epi64(r, 43);
  const __mmask8 live = _mm512_cmpge_epi64_mask(r, _mm512_set1_epi64(kRebias + kOne));
  r = _mm512_sub_epi64(_mm512_min_epi64(r, _mm512_set1_epi64(kRebias + kInf)), _mm512_set1_epi64(kRebias));
  const __m512i sign = _mm512_and_si512(_mm512_srli_epi64(bits, 48), _mm512_set1_epi64(0x8000));
  return _mm512_maskz_or_epi64(live, r, sign);
}
KMH_AVX512_INLINE __m512i half_bits(__m512 v) {
  constexpr int kRebias = (127 - 31) << 9, kInf = 63 << 9, kOne = 1 << 9;
  const __m512i bits = _mm512_castps_si512(v);
  const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MAX));
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(magnitude, 14), _mm512_set1_epi32(1));
  __m512i r = _mm512_add_epi32(_mm512_add_epi32(magnitude, _mm512_set1_epi32((1 << 13) - 1)), even);
  r = _mm512_srli_epi32(r, 14);
  const __mmask16 live = _mm512_cmpge_epi32_mask(r, _mm512_set1_epi32(kRebias + kOne));
  r = _mm512_sub_epi32(_mm512_min_epi32(r, _mm512_set1_epi32(kRebias + kInf)), _mm512_set1_epi32(kRebias));
  const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(0x8000));
  return _mm512_maskz_or_epi32(live, r, sign);
}

// Eight doubles, two for each long word in host order (its LSB element first), as halves of MSB words.
KMH_AVX512_INLINE __m256i two_halves(__m512d v) {
  const __m256i h = _mm512_cvtepi64_epi32(half_bits(v));
  return _mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(h, 32), 48), _mm256_slli_epi64(h, 32));
}

// Sixteen singles in the order of a double long word (8 of the MSB long words, 8 of the LSB ones) as long words of halves.
KMH_AVX512_INLINE __m256i four_halves(__m512 v) {
  const __m512i order =
      _mm512_castsi256_si512(_mm256_set_epi16(14, 12, 30, 28, 10, 8, 26, 24, 6, 4, 22, 20, 2, 0, 18, 16));
  return _mm512_castsi512_si256(_mm512_permutexvar_epi16(order, half_bits(v)));
}

// A zero result is +0 (ISA 8.1).
KMH_AVX512_INLINE __m256 positive_zero(__m256 v) { return _mm256_add_ps(v, _mm256_setzero_ps()); }
KMH_AVX512_INLINE __m512 positive_zero(__m512 v) { return _mm512_add_ps(v, _mm512_setzero_ps()); }

// NaN patterns become infinities of their sign, zeros and subnormal patterns +0, all else stays. Four bits per class:
// quiet NaN, signalling NaN, zero, one, -inf, +inf, negative, positive.
inline constexpr int kAddendTable = 0x11111866;
KMH_AVX512_INLINE __m256 addend(__m256 y) { return _mm256_fixupimm_ps(y, y, _mm256_set1_epi32(kAddendTable), 0); }
KMH_AVX512_INLINE __m512 addend(__m512 y) { return _mm512_fixupimm_ps(y, y, _mm512_set1_epi32(kAddendTable), 0); }

}  // namespace kumihimo::mncore2::fast::avx512

#endif
