// Sums of singles and halves in the reduction network (num::fadd_node), in AVX-512.
//
// Rounding an input to the guard bits of the largest one is one addition of a large number and its subtraction, in a
// wider format: singles in doubles, halves in singles. What comes out are integers in units of the last guard bit, whose
// sum is exact, and the result takes one more rounding.
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree_reduce.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

constexpr int kGuard = 3;

// Nodes of the first level, and inputs of each.
template <int kInputs>
struct Shape {
  static constexpr int kNodes = kInputs <= 4 ? 1 : kInputs / 4, kMembers = kInputs / kNodes;
  static constexpr bool kTree = kNodes > 1;
};

// --- eight singles ----------------------------------------------------------------------------------------------

constexpr int kSingleInf = 0x7f800000, kHalfInf = 63 << 9;

KMH_AVX512_INLINE __m256i magnitude(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX)); }

// A double rounded once to half, in the low bits of a word (num/odd_sum.h); a zero is +0.
KMH_AVX512_INLINE __m256i to_half(__m512d v) {
  constexpr int64_t kRebias = int64_t{1023 - 31} << 9, kOne = 1 << 9;
  constexpr int kDrop = 52 - 9;
  const __m512i bits = _mm512_castpd_si512(v), m = _mm512_and_si512(bits, _mm512_set1_epi64(INT64_MAX));
  const __m512i even = _mm512_and_si512(_mm512_srli_epi64(m, kDrop), _mm512_set1_epi64(1));
  __m512i r = _mm512_add_epi64(_mm512_add_epi64(m, _mm512_set1_epi64((int64_t{1} << (kDrop - 1)) - 1)), even);
  r = _mm512_srli_epi64(r, kDrop);
  const __mmask8 live = _mm512_cmpge_epi64_mask(r, _mm512_set1_epi64(kRebias + kOne));
  r = _mm512_sub_epi64(_mm512_min_epi64(r, _mm512_set1_epi64(kRebias + kHalfInf)), _mm512_set1_epi64(kRebias));
  const __m512i sign = _mm512_and_si512(_mm512_srli_epi64(bits, 48), _mm512_set1_epi64(0x8000));
  return _mm512_cvtepi64_epi32(_mm512_maskz_or_epi64(live, r, sign));
}

// The sum as a single, or as a half in the low bits of a word.
template <int kInputs, bool kHalf>
KMH_AVX512_INLINE __m256i node(const __m256i* in) {
  __m256i largest = magnitude(in[0]);
  for (int i = 1; i < kInputs; ++i) largest = _mm256_max_epu32(largest, magnitude(in[i]));
  // 1.5 * 2^52 units of the last guard bit of the largest exponent.
  const __m512i exponent = _mm512_and_si512(_mm512_castpd_si512(_mm512_cvtps_pd(_mm256_castsi256_ps(largest))),
                                            _mm512_set1_epi64(int64_t{0x7ff} << 52));
  const __m512d unit = _mm512_castsi512_pd(
      _mm512_or_si512(_mm512_add_epi64(exponent, _mm512_set1_epi64(int64_t{52 - 23 - kGuard} << 52)),
                      _mm512_set1_epi64(int64_t{1} << 51)));
  __m512d sum = _mm512_setzero_pd();
  for (int i = 0; i < kInputs; ++i)
    sum = _mm512_add_pd(sum, _mm512_sub_pd(_mm512_add_pd(_mm512_cvtps_pd(_mm256_castsi256_ps(in[i])), unit), unit));
  __m256i r;
  if constexpr (kHalf)
    r = to_half(sum);
  else  // a zero is +0 (ISA 8.1)
    r = _mm256_castps_si256(_mm256_add_ps(_mm512_cvtpd_ps(sum), _mm256_setzero_ps()));
  const __m256i limit = _mm256_set1_epi32(kSingleInf);
  const __mmask8 infinite = _mm256_cmpge_epu32_mask(largest, limit);
  if (infinite == 0) [[likely]]
    return r;
  // The first infinity decides (Q15).
  __m256i first = in[kInputs - 1];
  for (int i = kInputs - 2; i >= 0; --i)
    first = _mm256_mask_mov_epi32(first, _mm256_cmpge_epu32_mask(magnitude(in[i]), limit), in[i]);
  first = _mm256_and_si256(first, _mm256_set1_epi32(INT32_MIN));
  first = kHalf ? _mm256_or_si256(_mm256_srli_epi32(first, 16), _mm256_set1_epi32(kHalfInf))
                : _mm256_or_si256(first, limit);
  return _mm256_mask_mov_epi32(r, infinite, first);
}

// Where eight elements of a row stand.
struct Singles {
  KMH_AVX512_INLINE static __m256i load(const uint64_t* row, int) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
  }
};
// Halves that are added as singles; `part` counts eights of a row.
struct WidenedHalves {
  KMH_AVX512_INLINE static __m256i load(const uint64_t* row, int part) {
    const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row) + part);
    // The fields of the half as those of a single, which the product moves to their exponent; subnormals become zeros.
    const __m256i fields = _mm256_and_si256(_mm256_slli_epi32(_mm256_cvtepi16_epi32(h), 14),
                                            _mm256_set1_epi32(static_cast<int>(0x9fffc000)));
    const __m256i v =
        _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(fields), _mm256_set1_ps(0x1p96f)));  // 127 - 31
    const __mmask8 infinite = _mm256_cmpge_epu32_mask(magnitude(fields), _mm256_set1_epi32(kHalfInf << 14));
    return _mm256_mask_or_epi32(v, infinite, v, _mm256_set1_epi32(kSingleInf));
  }
};

template <class From, int kInputs, bool kHalf>
KMH_AVX512_INLINE __m256i eight(const uint64_t* row, size_t step, int part) {
  constexpr int kNodes = Shape<kInputs>::kNodes, kMembers = Shape<kInputs>::kMembers;
  __m256i second[kNodes];
  for (int n = 0; n < kNodes; ++n) {
    __m256i in[kMembers];
    for (int i = 0; i < kMembers; ++i) in[i] = From::load(row + step * static_cast<size_t>(n * kMembers + i), part);
    second[n] = node < kMembers, kHalf && !Shape<kInputs>::kTree > (in);
  }
  if constexpr (Shape<kInputs>::kTree)
    return node<kNodes, kHalf>(second);
  else
    return second[0];
}

template <int kInputs>
KMH_AVX512 void singles(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + r.out_step * static_cast<size_t>(row)),
                        eight<Singles, kInputs, false>(r.in + r.row_step * static_cast<size_t>(row), r.input_step, 0));
}
template <int kInputs>
KMH_AVX512 void singles_to_halves(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row) {
    const __m256i h = eight<Singles, kInputs, true>(r.in + r.row_step * static_cast<size_t>(row), r.input_step, 0);
    // The two of a long word in its upper word; in host order its LSB single comes first.
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + r.out_step * static_cast<size_t>(row)),
                        _mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(h, 32), 48), _mm256_slli_epi64(h, 32)));
  }
}
template <int kInputs>
KMH_AVX512 void halves_on_singles(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row)
    for (int part = 0; part < 2; ++part)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(r.out + r.out_step * static_cast<size_t>(row)) + part,
                       _mm256_cvtepi32_epi16(eight<WidenedHalves, kInputs, true>(
                           r.in + r.row_step * static_cast<size_t>(row), r.input_step, part)));
}

// --- sixteen halves in the circuit for halves -------------------------------------------------------------------

// Fields of a half as those of a single of exponent field 0 to 63, value scaled by 2^-96: nothing comes near the ends of
// a single's range but zeros, so sums need no other bias.
KMH_AVX512_INLINE __m512i magnitude(__m512i v) { return _mm512_and_si512(v, _mm512_set1_epi32(INT32_MAX)); }
KMH_AVX512_INLINE __m512 scaled(__m512i fields) {
  return _mm512_mul_ps(_mm512_castsi512_ps(fields), _mm512_set1_ps(0x1p96f));
}
KMH_AVX512_INLINE __m512i fields_of(__m256i halves) {
  return _mm512_and_si512(_mm512_slli_epi32(_mm512_cvtepi16_epi32(halves), 14),
                          _mm512_set1_epi32(static_cast<int>(0x9fffc000)));
}

// The sum of halves, as a half in the fields of a single.
template <int kInputs>
KMH_AVX512_INLINE __m512i half_node(const __m512i* in) {
  constexpr int kDrop = 23 - 9, kRebias = (127 - 31) << 9, kOne = 1 << 9;
  __m512i largest = magnitude(in[0]);
  for (int i = 1; i < kInputs; ++i) largest = _mm512_max_epu32(largest, magnitude(in[i]));
  const __m512i exponent = _mm512_and_si512(_mm512_castps_si512(scaled(largest)), _mm512_set1_epi32(kSingleInf));
  // 1.5 * 2^23 units of the last guard bit.
  const __m512 unit = _mm512_castsi512_ps(_mm512_or_si512(
      _mm512_add_epi32(exponent, _mm512_set1_epi32((23 - 9 - kGuard) << 23)), _mm512_set1_epi32(1 << 22)));
  __m512 sum = _mm512_setzero_ps();
  for (int i = 0; i < kInputs; ++i) sum = _mm512_add_ps(sum, _mm512_sub_ps(_mm512_add_ps(scaled(in[i]), unit), unit));
  const __m512i bits = _mm512_castps_si512(sum), m = magnitude(bits);
  const __m512i even = _mm512_and_si512(_mm512_srli_epi32(m, kDrop), _mm512_set1_epi32(1));
  __m512i r = _mm512_add_epi32(_mm512_add_epi32(m, _mm512_set1_epi32((1 << (kDrop - 1)) - 1)), even);
  r = _mm512_srli_epi32(r, kDrop);
  const __mmask16 live = _mm512_cmpge_epi32_mask(r, _mm512_set1_epi32(kRebias + kOne));
  r = _mm512_sub_epi32(_mm512_min_epi32(r, _mm512_set1_epi32(kRebias + kHalfInf)), _mm512_set1_epi32(kRebias));
  const __m512i sign = _mm512_and_si512(bits, _mm512_set1_epi32(INT32_MIN));
  r = _mm512_maskz_or_epi32(live, _mm512_slli_epi32(r, kDrop), sign);
  const __m512i limit = _mm512_set1_epi32(kHalfInf << kDrop);
  const __mmask16 infinite = _mm512_cmpge_epu32_mask(largest, limit);
  if (infinite == 0) [[likely]]
    return r;
  __m512i first = in[kInputs - 1];
  for (int i = kInputs - 2; i >= 0; --i)
    first = _mm512_mask_mov_epi32(first, _mm512_cmpge_epu32_mask(magnitude(in[i]), limit), in[i]);
  first = _mm512_or_si512(_mm512_and_si512(first, _mm512_set1_epi32(INT32_MIN)), limit);
  return _mm512_mask_mov_epi32(r, infinite, first);
}

template <int kInputs>
KMH_AVX512 void halves(const ReduceRows& r) {
  constexpr int kNodes = Shape<kInputs>::kNodes, kMembers = Shape<kInputs>::kMembers;
  for (int row = 0; row < r.rows; ++row) {
    const uint64_t* from = r.in + r.row_step * static_cast<size_t>(row);
    __m512i second[kNodes];
    for (int n = 0; n < kNodes; ++n) {
      __m512i in[kMembers];
      for (int i = 0; i < kMembers; ++i)
        in[i] = fields_of(_mm256_loadu_si256(
            reinterpret_cast<const __m256i*>(from + r.input_step * static_cast<size_t>(n * kMembers + i))));
      second[n] = half_node<kMembers>(in);
    }
    __m512i v = second[0];
    if constexpr (Shape<kInputs>::kTree) v = half_node<kNodes>(second);
    v = _mm512_or_si512(_mm512_srli_epi32(magnitude(v), 14),
                        _mm512_srli_epi32(_mm512_and_si512(v, _mm512_set1_epi32(INT32_MIN)), 16));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + r.out_step * static_cast<size_t>(row)),
                        _mm512_cvtepi32_epi16(v));
  }
}

template <int kInputs>
Reducer by_kind(const Reduction& r) {
  if (r.lane == num::Lane::k32) return r.narrow ? singles_to_halves<kInputs> : singles<kInputs>;
  if (r.lane != num::Lane::k16 || r.narrow) return nullptr;
  return r.l1bm ? halves_on_singles<kInputs> : halves<kInputs>;
}

}  // namespace

Reducer sum_reducer_avx512(const Reduction& r) {
  if (r.op != num::Reduce::kFadd) return nullptr;
  switch (r.inputs) {
    case 2: return by_kind<2>(r);
    case 4: return by_kind<4>(r);
    case 8: return by_kind<8>(r);
    case 16: return by_kind<16>(r);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
