// Sums of doubles rounded once (ISA 8.4, 8.6), eight at a time.
//
// A product of the machine's multiplier is exact as two doubles: high + low, where low is at most half a last bit of
// high. With an addend the sum is rounded right by the fused multiply-add of Boldo and Melquiond ("Emulation of FMA and
// correctly rounded sums: proved algorithms using rounding to odd"). Exponents are kept beside, because the range of a
// double ends where the terms of a sum do not: the addend is moved to within reach of the product, where it is in the
// end or far enough away that only its being there counts.
#pragma once

#include "targets/mncore2/fast/round_avx512.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast::avx512 {

// (high + low) * 2^exponent, where not zero between 2^-104 and 2^107 before the exponent. Zeros have the exponent kNone.
struct Exact {
  __m512d high, low, exponent;
};
inline constexpr double kNone = -100000, kFarAbove = 200, kFarBelow = -120;

KMH_AVX512_INLINE __m512d two_sum(__m512d a, __m512d b, __m512d& error) {
  const __m512d sum = _mm512_add_pd(a, b), b_part = _mm512_sub_pd(sum, a);
  error = _mm512_add_pd(_mm512_sub_pd(a, _mm512_sub_pd(sum, b_part)), _mm512_sub_pd(b, b_part));
  return sum;
}

// 1.f with the sign of v.
KMH_AVX512_INLINE __m512d mantissa(__m512d v) {
  return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(v), _mm512_set1_epi64(0x3ff0000000000000),
                                                       _mm512_set1_epi64(0x7ff0000000000000),
                                                       0xd8));  // by bit: c ? b : a
}

KMH_AVX512_INLINE __mmask8 zeros(__m512d v) { return _mm512_fpclass_pd_mask(v, 0x26); }       // and subnormal patterns
KMH_AVX512_INLINE __mmask8 infinities(__m512d v) { return _mm512_fpclass_pd_mask(v, 0x99); }  // and NaN patterns
KMH_AVX512_INLINE __m512d infinity(__m512d sign_from) {
  return _mm512_castsi512_pd(_mm512_ternarylogic_epi64(_mm512_castpd_si512(sign_from), _mm512_set1_epi64(INT64_MIN),
                                                       _mm512_set1_epi64(0x7ff0000000000000), 0xea));  // a & b | c
}

// Rounded to odd if one more rounding follows, else to nearest. Overflow gives infinities, underflow zeros.
template <bool kOdd>
KMH_AVX512_INLINE __m512d rounded(const Exact& p) {
  return _mm512_scalef_pd(kOdd ? odd_sum(p.high, p.low) : _mm512_add_pd(p.high, p.low), p.exponent);
}
// With an addend, of which only the lanes `live` count: neither zeros nor infinities.
template <bool kOdd>
KMH_AVX512_INLINE __m512d rounded(const Exact& p, __m512d c, __mmask8 live) {
  const __m512d c_exponent = _mm512_mask_getexp_pd(_mm512_set1_pd(kNone), live, c);
  const __m512d base = _mm512_max_pd(p.exponent, _mm512_sub_pd(c_exponent, _mm512_set1_pd(kFarAbove)));
  const __m512d distance = _mm512_max_pd(_mm512_sub_pd(c_exponent, base), _mm512_set1_pd(kFarBelow));
  const __m512d near = _mm512_maskz_scalef_pd(live, mantissa(c), distance);
  __m512d t_low, v_low;
  const __m512d t = two_sum(near, p.low, t_low), v = two_sum(p.high, t, v_low);
  const __m512d rest = odd_sum(t_low, v_low);
  return _mm512_scalef_pd(kOdd ? odd_sum(v, rest) : _mm512_add_pd(v, rest), base);
}

// Results of two cycles as rows. A single stands in the MSB word.
template <bool kNarrow>
KMH_AVX512_INLINE __m512i long_words(__m512d r) {
  if constexpr (!kNarrow) return _mm512_castpd_si512(_mm512_add_pd(r, _mm512_setzero_pd()));
  const __m256i singles = _mm256_castps_si256(positive_zero(_mm512_cvtpd_ps(r)));
  return _mm512_slli_epi64(_mm512_cvtepu32_epi64(singles), 32);
}

}  // namespace kumihimo::mncore2::fast::avx512

#endif
