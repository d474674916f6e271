// Roundings that the AVX2 kernels share (see num/odd_sum.h): exact sums rounded to odd, then once to the result.
#pragma once

#include <cstdint>

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast::avx2 {

// The eight singles of a row, widened.
struct Doubles {
  __m256d low, high;
};
KMH_AVX2_INLINE Doubles widened(__m256i v) {
  const __m256 s = _mm256_castsi256_ps(v);
  return {_mm256_cvtps_pd(_mm256_castps256_ps128(s)), _mm256_cvtps_pd(_mm256_extractf128_ps(s, 1))};
}

// An infinite sum stays: its error is a NaN, which does not count. Otherwise the error of a sum is exact (Knuth); of
// singles too small for it none is lost, because the other term is then 0 or so large that the sum is that term.
KMH_AVX2_INLINE __m256d odd_sum(__m256d p, __m256d c) {
  const __m256d sum = _mm256_add_pd(p, c);
  const __m256d c_part = _mm256_sub_pd(sum, p);
  const __m256d error = _mm256_add_pd(_mm256_sub_pd(p, _mm256_sub_pd(sum, c_part)), _mm256_sub_pd(c, c_part));
  const __m256i inexact = _mm256_castpd_si256(_mm256_cmp_pd(error, _mm256_setzero_pd(), _CMP_NEQ_OQ));
  const __m256i too_far =
      _mm256_srli_epi64(_mm256_and_si256(_mm256_castpd_si256(_mm256_xor_pd(error, sum)), inexact), 63);
  const __m256i bits = _mm256_sub_epi64(_mm256_castpd_si256(sum), too_far);
  return _mm256_castsi256_pd(_mm256_or_si256(bits, _mm256_srli_epi64(inexact, 63)));
}
KMH_AVX2_INLINE __m256 odd_sum(__m256 p, __m256 c) {
  const __m256 sum = _mm256_add_ps(p, c);
  const __m256 c_part = _mm256_sub_ps(sum, p);
  const __m256 error = _mm256_add_ps(_mm256_sub_ps(p, _mm256_sub_ps(sum, c_part)), _mm256_sub_ps(c, c_part));
  const __m256i inexact = _mm256_castps_si256(_mm256_cmp_ps(error, _mm256_setzero_ps(), _CMP_NEQ_OQ));
  const __m256i too_far =
      _mm256_srli_epi32(_mm256_and_si256(_mm256_castps_si256(_mm256_xor_ps(error, sum)), inexact), 31);
  const __m256i bits = _mm256_sub_epi32(_mm256_castps_si256(sum), too_far);
  return _mm256_castsi256_ps(_mm256_or_si256(bits, _mm256_srli_epi32(inexact, 31)));
}

// Once to half, in the low 16 bits of each lane; zeros are +0.
KMH_AVX2_INLINE __m256i half_bits(__m256d v) {
  constexpr int64_t kRebias = int64_t{1023 - 31} << 9, kInf = 63 << 9, kOne = 1 << 9;
  const __m256i bits = _mm256_castpd_si256(v);
  const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi64x(INT64_MAX));
  const __m256i even = _mm256_and_si256(_mm256_srli_epi64(magnitude, 43), _mm256_set1_epi64x(1));
  __m256i r = _mm256_add_epi64(_mm256_add_epi64(magnitude, _mm256_set1_epi64x((int64_t{1} << 42) - 1)), even);
  r = _mm256_srli_epi64(r, 43);
  const __m256i live = _mm256_cmpgt_epi64(r, _mm256_set1_epi64x(kRebias + kOne - 1));
  const __m256i limit = _mm256_set1_epi64x(kRebias + kInf);
  r = _mm256_sub_epi64(_mm256_blendv_epi8(r, limit, _mm256_cmpgt_epi64(r, limit)), _mm256_set1_epi64x(kRebias));
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi64(bits, 48), _mm256_set1_epi64x(0x8000));
  return _mm256_and_si256(live, _mm256_or_si256(r, sign));
}
KMH_AVX2_INLINE __m256i half_bits(__m256 v) {
  constexpr int kRebias = (127 - 31) << 9, kInf = 63 << 9, kOne = 1 << 9;
  const __m256i bits = _mm256_castps_si256(v);
  const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MAX));
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(magnitude, 14), _mm256_set1_epi32(1));
  __m256i r = _mm256_add_epi32(_mm256_add_epi32(magnitude, _mm256_set1_epi32((1 << 13) - 1)), even);
  r = _mm256_srli_epi32(r, 14);
  const __m256i live = _mm256_cmpgt_epi32(r, _mm256_set1_epi32(kRebias + kOne - 1));
  r = _mm256_sub_epi32(_mm256_min_epi32(r, _mm256_set1_epi32(kRebias + kInf)), _mm256_set1_epi32(kRebias));
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(0x8000));
  return _mm256_and_si256(live, _mm256_or_si256(r, sign));
}

// Eight doubles, two for each long word in host order (its LSB element first), as halves of MSB words.
KMH_AVX2_INLINE __m256i two_halves(const Doubles& v) {
  const __m256i low = half_bits(v.low), high = half_bits(v.high);
  // Even and odd elements of four long words: 0 4 2 6, ordered by 64 bits afterwards.
  const __m256i first = _mm256_unpacklo_epi64(low, high), second = _mm256_unpackhi_epi64(low, high);
  const __m256i words = _mm256_or_si256(_mm256_slli_epi64(second, 48), _mm256_slli_epi64(first, 32));
  return _mm256_permute4x64_epi64(words, 0xd8);
}

// Singles of four double long words, MSB and LSB side, as long words of halves.
KMH_AVX2_INLINE __m256i four_halves(__m256 msb, __m256 lsb) {
  return _mm256_shuffle_epi32(_mm256_packus_epi32(half_bits(lsb), half_bits(msb)), 0xd8);
}

// A zero result is +0 (ISA 8.1).
KMH_AVX2_INLINE __m256 positive_zero(__m256 v) { return _mm256_add_ps(v, _mm256_setzero_ps()); }

KMH_AVX2_INLINE __m256i all_ones(__m256i singles) {
  const __m256i field = _mm256_set1_epi32(0x7f800000);
  return _mm256_cmpeq_epi32(_mm256_and_si256(singles, field), field);
}
KMH_AVX2_INLINE __m256i infinity(__m256i sign_from) {
  const __m256i sign = _mm256_and_si256(sign_from, _mm256_set1_epi32(INT32_MIN));
  return _mm256_or_si256(sign, _mm256_set1_epi32(0x7f800000));
}

}  // namespace kumihimo::mncore2::fast::avx2

#endif
