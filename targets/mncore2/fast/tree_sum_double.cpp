// Sums of doubles in the reduction network, in AVX2: four (a row) at a time, in 64-bit integers as num::fadd_node has
// them.
//
// A significand with three guard bits has 56 bits, the sum of four at most 58 and a sign. It becomes a double by one
// rounding to nearest even, and scaling by powers of two does the rest: the host's overflow gives the infinity, flushing
// to zero (FloatMode) what is too small after rounding.
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree_reduce.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

constexpr int kFraction = 52, kGuard = 3;
constexpr int64_t kField = int64_t{0x7ff} << kFraction, kHidden = int64_t{1} << kFraction;

KMH_AVX2_INLINE __m256i ones(int64_t v) { return _mm256_set1_epi64x(v); }
KMH_AVX2_INLINE __m256i magnitude(__m256i v) { return _mm256_and_si256(v, ones(INT64_MAX)); }
KMH_AVX2_INLINE __m256i larger(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(b, a)); }

// Significand with guard bits, at the largest exponent, rounded to nearest even, with sign (num::shift_right_rne). A
// shift by 64 or more gives 0 on the host too.
KMH_AVX2_INLINE __m256i aligned(__m256i v, __m256i largest_exponent) {
  const __m256i zero = _mm256_setzero_si256(), one = ones(1), m = magnitude(v);
  const __m256i exponent = _mm256_srli_epi64(m, kFraction);
  __m256i s = _mm256_or_si256(_mm256_and_si256(m, ones(kHidden - 1)), ones(kHidden));
  s = _mm256_andnot_si256(_mm256_cmpeq_epi64(exponent, zero), _mm256_slli_epi64(s, kGuard));
  const __m256i shift = _mm256_sub_epi64(largest_exponent, exponent);
  const __m256i even = _mm256_and_si256(_mm256_srlv_epi64(s, shift), one);
  // Half of the last bit that stays, less one, more one when that bit is odd; nothing where there is no shift.
  const __m256i any = _mm256_andnot_si256(_mm256_cmpeq_epi64(shift, zero), one);
  __m256i bias = _mm256_srli_epi64(_mm256_sllv_epi64(one, shift), 1);
  bias = _mm256_add_epi64(_mm256_sub_epi64(bias, any), _mm256_and_si256(even, any));
  s = _mm256_srlv_epi64(_mm256_add_epi64(s, bias), shift);
  const __m256i minus = _mm256_cmpgt_epi64(zero, v);
  return _mm256_sub_epi64(_mm256_xor_si256(s, minus), minus);
}

// RNE of a 64-bit integer: its upper half is a multiple of 2^32 below 2^84 + 2^63, its lower half stands above 2^52;
// both are exact, and the addition rounds.
KMH_AVX2_INLINE __m256d rounded(__m256i v) {
  const __m256i low = _mm256_blend_epi32(ones(0x4330000000000000), v, 0x55);                  // 2^52 + low
  const __m256i high = _mm256_xor_si256(_mm256_srli_epi64(v, 32), ones(0x4530000080000000));  // 2^84 + 2^63 + high
  const __m256d base = _mm256_castsi256_pd(ones(0x4530000080100000));                         // 2^84 + 2^63 + 2^52
  return _mm256_add_pd(_mm256_sub_pd(_mm256_castsi256_pd(high), base), _mm256_castsi256_pd(low));
}

template <int kInputs>
KMH_AVX2_INLINE __m256i node(const __m256i* in) {
  __m256i largest = magnitude(in[0]);
  for (int i = 1; i < kInputs; ++i) largest = larger(largest, magnitude(in[i]));
  const __m256i exponent = _mm256_srli_epi64(largest, kFraction);
  __m256i sum = aligned(in[0], exponent);
  for (int i = 1; i < kInputs; ++i) sum = _mm256_add_epi64(sum, aligned(in[i], exponent));
  const __m256d unit = _mm256_castsi256_pd(_mm256_and_si256(largest, ones(kField)));
  __m256d r = _mm256_mul_pd(rounded(sum), _mm256_set1_pd(0x1p-55));
  r = _mm256_add_pd(_mm256_mul_pd(r, unit), _mm256_setzero_pd());  // a zero is +0 (ISA 8.1)
  const __m256i infinite = _mm256_cmpgt_epi64(largest, ones(kField - 1));
  if (_mm256_testz_si256(infinite, infinite) != 0) [[likely]]
    return _mm256_castpd_si256(r);
  // The first infinity decides (Q15).
  __m256i first = in[kInputs - 1];
  for (int i = kInputs - 2; i >= 0; --i)
    first = _mm256_blendv_epi8(first, in[i], _mm256_cmpgt_epi64(magnitude(in[i]), ones(kField - 1)));
  first = _mm256_or_si256(_mm256_and_si256(first, ones(INT64_MIN)), ones(kField));
  return _mm256_blendv_epi8(_mm256_castpd_si256(r), first, infinite);
}

template <int kInputs>
KMH_AVX2 void sums(const ReduceRows& r) {
  constexpr int kNodes = kInputs <= 4 ? 1 : kInputs / 4, kFirst = kInputs / kNodes;
  for (int row = 0; row < r.rows; ++row) {
    const uint64_t* from = r.in + r.row_step * static_cast<size_t>(row);
    __m256i second[kNodes];
    for (int n = 0; n < kNodes; ++n) {
      __m256i in[kFirst];
      for (int i = 0; i < kFirst; ++i)
        in[i] = _mm256_loadu_si256(
            reinterpret_cast<const __m256i*>(from + r.input_step * static_cast<size_t>(n * kFirst + i)));
      second[n] = node<kFirst>(in);
    }
    __m256i result = second[0];
    if constexpr (kNodes > 1) result = node<kNodes>(second);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + r.out_step * static_cast<size_t>(row)), result);
  }
}

}  // namespace

Reducer double_sum_reducer(const Reduction& r) {
  if (r.op != num::Reduce::kFadd || r.lane != num::Lane::k64 || r.narrow) return nullptr;
  switch (r.inputs) {
    case 2: return sums<2>;
    case 4: return sums<4>;
    case 8: return sums<8>;
    case 16: return sums<16>;
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
