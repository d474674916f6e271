// Sums of doubles rounded once, four at a time: see double_sum_avx512.h. Exponents are integers here.
#pragma once

#include "targets/mncore2/fast/round_avx2.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast::avx2 {

inline constexpr int64_t kDoubleExponent = 0x7ff0000000000000;

// (high + low) * 2^exponent, where not zero between 2^-104 and 2^107 before the exponent. Zeros have the exponent kNone.
struct Exact {
  __m256d high, low;
  __m256i exponent;
};
inline constexpr int64_t kNone = -100000, kFarAbove = 200, kFarBelow = -120;

KMH_AVX2_INLINE __m256d two_sum(__m256d a, __m256d b, __m256d& error) {
  const __m256d sum = _mm256_add_pd(a, b), b_part = _mm256_sub_pd(sum, a);
  error = _mm256_add_pd(_mm256_sub_pd(a, _mm256_sub_pd(sum, b_part)), _mm256_sub_pd(b, b_part));
  return sum;
}

KMH_AVX2_INLINE __m256i field(__m256i v) {
  return _mm256_srli_epi64(_mm256_and_si256(v, _mm256_set1_epi64x(kDoubleExponent)), 52);
}
// The exponent field of v replaced.
KMH_AVX2_INLINE __m256i with_field(__m256i v, __m256i field) {
  return _mm256_or_si256(_mm256_andnot_si256(_mm256_set1_epi64x(kDoubleExponent), v), _mm256_slli_epi64(field, 52));
}
KMH_AVX2_INLINE __m256i zeros(__m256i v) { return _mm256_cmpeq_epi64(field(v), _mm256_setzero_si256()); }
KMH_AVX2_INLINE __m256i infinities(__m256i v) { return _mm256_cmpeq_epi64(field(v), _mm256_set1_epi64x(0x7ff)); }
KMH_AVX2_INLINE __m256d double_infinity(__m256i sign_from) {
  return _mm256_castsi256_pd(
      _mm256_or_si256(_mm256_and_si256(sign_from, _mm256_set1_epi64x(INT64_MIN)), _mm256_set1_epi64x(kDoubleExponent)));
}
KMH_AVX2_INLINE __m256d select(__m256i mask, __m256d yes, __m256d no) {
  return _mm256_blendv_pd(no, yes, _mm256_castsi256_pd(mask));
}
KMH_AVX2_INLINE __m256i max(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(b, a)); }

// r * 2^exponent: overflow gives infinities, underflow +0.
KMH_AVX2_INLINE __m256d scaled(__m256d r, __m256i exponent) {
  const __m256i bits = _mm256_castpd_si256(r), own = field(bits), e = _mm256_add_epi64(own, exponent);
  const __m256i zero = _mm256_setzero_si256();
  const __m256d in_range = _mm256_castsi256_pd(with_field(bits, e));
  const __m256d v = select(_mm256_cmpgt_epi64(e, _mm256_set1_epi64x(0x7fe)), double_infinity(bits), in_range);
  const __m256i live = _mm256_and_si256(_mm256_cmpgt_epi64(e, zero), _mm256_cmpgt_epi64(own, zero));
  return _mm256_and_pd(v, _mm256_castsi256_pd(live));
}

// Rounded to odd if one more rounding follows, else to nearest.
template <bool kOdd>
KMH_AVX2_INLINE __m256d rounded(const Exact& p) {
  return scaled(kOdd ? odd_sum(p.high, p.low) : _mm256_add_pd(p.high, p.low), p.exponent);
}
// With an addend, of which only the lanes `live` count: neither zeros nor infinities.
template <bool kOdd>
KMH_AVX2_INLINE __m256d rounded(const Exact& p, __m256i c, __m256i live) {
  const __m256i bias = _mm256_set1_epi64x(1023);
  const __m256i c_exponent = _mm256_blendv_epi8(_mm256_set1_epi64x(kNone), _mm256_sub_epi64(field(c), bias), live);
  const __m256i base = max(p.exponent, _mm256_sub_epi64(c_exponent, _mm256_set1_epi64x(kFarAbove)));
  const __m256i distance = max(_mm256_sub_epi64(c_exponent, base), _mm256_set1_epi64x(kFarBelow));
  const __m256d near = _mm256_castsi256_pd(_mm256_and_si256(live, with_field(c, _mm256_add_epi64(distance, bias))));
  __m256d t_low, v_low;
  const __m256d t = two_sum(near, p.low, t_low), v = two_sum(p.high, t, v_low);
  const __m256d rest = odd_sum(t_low, v_low);
  return scaled(kOdd ? odd_sum(v, rest) : _mm256_add_pd(v, rest), base);
}

// Results as a row. A single stands in the MSB word.
template <bool kNarrow>
KMH_AVX2_INLINE __m256i long_words(__m256d r) {
  if constexpr (!kNarrow) return _mm256_castpd_si256(_mm256_add_pd(r, _mm256_setzero_pd()));
  const __m128 singles = _mm_add_ps(_mm256_cvtpd_ps(r), _mm_setzero_ps());
  return _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm_castps_si128(singles)), 32);
}

}  // namespace kumihimo::mncore2::fast::avx2

#endif
