// Sums of singles and halves in the reduction network in AVX2: tree_sum_avx512.cpp explains them. Four elements at a time
// in doubles, eight halves at a time in singles.
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

// --- four singles -----------------------------------------------------------------------------------------------

constexpr int kSingleInf = 0x7f800000, kHalfInf = 63 << 9;

KMH_AVX2_INLINE __m128i magnitude(__m128i v) { return _mm_and_si128(v, _mm_set1_epi32(INT32_MAX)); }
KMH_AVX2_INLINE __m128i infinite(__m128i magnitude) {
  return _mm_cmpgt_epi32(magnitude, _mm_set1_epi32(kSingleInf - 1));
}
KMH_AVX2_INLINE __m128i choose(__m128i no, __m128i yes, __m128i mask) { return _mm_blendv_epi8(no, yes, mask); }

// A double rounded once to half, in the low bits of a word (num/odd_sum.h); a zero is +0.
KMH_AVX2_INLINE __m128i to_half(__m256d v) {
  constexpr int kRebias = (1023 - 31) << 9, kOne = 1 << 9, kDrop = 52 - 9;
  const __m256i bits = _mm256_castpd_si256(v), m = _mm256_and_si256(bits, _mm256_set1_epi64x(INT64_MAX));
  const __m256i even = _mm256_and_si256(_mm256_srli_epi64(m, kDrop), _mm256_set1_epi64x(1));
  __m256i wide = _mm256_add_epi64(_mm256_add_epi64(m, _mm256_set1_epi64x((int64_t{1} << (kDrop - 1)) - 1)), even);
  wide = _mm256_srli_epi64(wide, kDrop);
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi64(bits, 48), _mm256_set1_epi64x(0x8000));
  // What is left has 32 bits.
  const __m256i lower = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  __m128i r = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(wide, lower));
  const __m128i signs = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(sign, lower));
  const __m128i live = _mm_cmpgt_epi32(r, _mm_set1_epi32(kRebias + kOne - 1));
  r = _mm_sub_epi32(_mm_min_epi32(r, _mm_set1_epi32(kRebias + kHalfInf)), _mm_set1_epi32(kRebias));
  return _mm_and_si128(_mm_or_si128(r, signs), live);
}

// The sum as a single, or as a half in the low bits of a word.
template <int kInputs, bool kHalf>
KMH_AVX2_INLINE __m128i node(const __m128i* in) {
  __m128i largest = magnitude(in[0]);
  for (int i = 1; i < kInputs; ++i) largest = _mm_max_epu32(largest, magnitude(in[i]));
  const __m256i exponent = _mm256_and_si256(_mm256_castpd_si256(_mm256_cvtps_pd(_mm_castsi128_ps(largest))),
                                            _mm256_set1_epi64x(int64_t{0x7ff} << 52));
  const __m256d unit = _mm256_castsi256_pd(
      _mm256_or_si256(_mm256_add_epi64(exponent, _mm256_set1_epi64x(int64_t{52 - 23 - kGuard} << 52)),
                      _mm256_set1_epi64x(int64_t{1} << 51)));
  __m256d sum = _mm256_setzero_pd();
  for (int i = 0; i < kInputs; ++i)
    sum = _mm256_add_pd(sum, _mm256_sub_pd(_mm256_add_pd(_mm256_cvtps_pd(_mm_castsi128_ps(in[i])), unit), unit));
  __m128i r;
  if constexpr (kHalf)
    r = to_half(sum);
  else  // a zero is +0 (ISA 8.1)
    r = _mm_castps_si128(_mm_add_ps(_mm256_cvtpd_ps(sum), _mm_setzero_ps()));
  const __m128i found = infinite(largest);
  if (_mm_testz_si128(found, found) != 0) [[likely]]
    return r;
  // The first infinity decides (Q15).
  __m128i first = in[kInputs - 1];
  for (int i = kInputs - 2; i >= 0; --i) first = choose(first, in[i], infinite(magnitude(in[i])));
  first = _mm_and_si128(first, _mm_set1_epi32(INT32_MIN));
  first = kHalf ? _mm_or_si128(_mm_srli_epi32(first, 16), _mm_set1_epi32(kHalfInf))
                : _mm_or_si128(first, _mm_set1_epi32(kSingleInf));
  return choose(r, first, found);
}

// Where four elements of a row stand; `part` counts fours.
struct Singles {
  KMH_AVX2_INLINE static __m128i load(const uint64_t* row, int part) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row) + part);
  }
};
struct WidenedHalves {
  KMH_AVX2_INLINE static __m128i load(const uint64_t* row, int part) {
    const __m128i h = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + part));
    const __m128i fields =
        _mm_and_si128(_mm_slli_epi32(_mm_cvtepi16_epi32(h), 14), _mm_set1_epi32(static_cast<int>(0x9fffc000)));
    const __m128i v = _mm_castps_si128(_mm_mul_ps(_mm_castsi128_ps(fields), _mm_set1_ps(0x1p96f)));
    const __m128i found = _mm_cmpgt_epi32(magnitude(fields), _mm_set1_epi32((kHalfInf << 14) - 1));
    return _mm_or_si128(v, _mm_and_si128(found, _mm_set1_epi32(kSingleInf)));
  }
};

template <class From, int kInputs, bool kHalf>
KMH_AVX2_INLINE __m128i four(const uint64_t* row, size_t step, int part) {
  constexpr int kNodes = Shape<kInputs>::kNodes, kMembers = Shape<kInputs>::kMembers;
  __m128i second[kNodes];
  for (int n = 0; n < kNodes; ++n) {
    __m128i in[kMembers];
    for (int i = 0; i < kMembers; ++i) in[i] = From::load(row + step * static_cast<size_t>(n * kMembers + i), part);
    second[n] = node < kMembers, kHalf && !Shape<kInputs>::kTree > (in);
  }
  if constexpr (Shape<kInputs>::kTree)
    return node<kNodes, kHalf>(second);
  else
    return second[0];
}

template <int kInputs>
KMH_AVX2 void singles(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row)
    for (int part = 0; part < 2; ++part)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(r.out + r.out_step * static_cast<size_t>(row)) + part,
                       four<Singles, kInputs, false>(r.in + r.row_step * static_cast<size_t>(row), r.input_step, part));
}
template <int kInputs>
KMH_AVX2 void singles_to_halves(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row)
    for (int part = 0; part < 2; ++part) {
      const __m128i h = four<Singles, kInputs, true>(r.in + r.row_step * static_cast<size_t>(row), r.input_step, part);
      // The two of a long word in its upper word; in host order its LSB single comes first.
      _mm_storeu_si128(reinterpret_cast<__m128i*>(r.out + r.out_step * static_cast<size_t>(row)) + part,
                       _mm_or_si128(_mm_slli_epi64(_mm_srli_epi64(h, 32), 48), _mm_slli_epi64(h, 32)));
    }
}
template <int kInputs>
KMH_AVX2 void halves_on_singles(const ReduceRows& r) {
  for (int row = 0; row < r.rows; ++row)
    for (int part = 0; part < 4; ++part) {
      const __m128i h =
          four<WidenedHalves, kInputs, true>(r.in + r.row_step * static_cast<size_t>(row), r.input_step, part);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(r.out + r.out_step * static_cast<size_t>(row) + part),
                       _mm_packus_epi32(h, h));
    }
}

// --- eight halves in the circuit for halves ---------------------------------------------------------------------

KMH_AVX2_INLINE __m256i magnitude(__m256i v) { return _mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX)); }
KMH_AVX2_INLINE __m256 scaled(__m256i fields) {
  return _mm256_mul_ps(_mm256_castsi256_ps(fields), _mm256_set1_ps(0x1p96f));
}
KMH_AVX2_INLINE __m256i fields_of(__m128i halves) {
  return _mm256_and_si256(_mm256_slli_epi32(_mm256_cvtepi16_epi32(halves), 14),
                          _mm256_set1_epi32(static_cast<int>(0x9fffc000)));
}

// The sum of halves, as a half in the fields of a single.
template <int kInputs>
KMH_AVX2_INLINE __m256i half_node(const __m256i* in) {
  constexpr int kDrop = 23 - 9, kRebias = (127 - 31) << 9, kOne = 1 << 9;
  __m256i largest = magnitude(in[0]);
  for (int i = 1; i < kInputs; ++i) largest = _mm256_max_epu32(largest, magnitude(in[i]));
  const __m256i exponent = _mm256_and_si256(_mm256_castps_si256(scaled(largest)), _mm256_set1_epi32(kSingleInf));
  const __m256 unit = _mm256_castsi256_ps(_mm256_or_si256(
      _mm256_add_epi32(exponent, _mm256_set1_epi32((23 - 9 - kGuard) << 23)), _mm256_set1_epi32(1 << 22)));
  __m256 sum = _mm256_setzero_ps();
  for (int i = 0; i < kInputs; ++i) sum = _mm256_add_ps(sum, _mm256_sub_ps(_mm256_add_ps(scaled(in[i]), unit), unit));
  const __m256i bits = _mm256_castps_si256(sum), m = magnitude(bits);
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(m, kDrop), _mm256_set1_epi32(1));
  __m256i r = _mm256_add_epi32(_mm256_add_epi32(m, _mm256_set1_epi32((1 << (kDrop - 1)) - 1)), even);
  r = _mm256_srli_epi32(r, kDrop);
  const __m256i live = _mm256_cmpgt_epi32(r, _mm256_set1_epi32(kRebias + kOne - 1));
  r = _mm256_sub_epi32(_mm256_min_epi32(r, _mm256_set1_epi32(kRebias + kHalfInf)), _mm256_set1_epi32(kRebias));
  const __m256i sign = _mm256_and_si256(bits, _mm256_set1_epi32(INT32_MIN));
  r = _mm256_and_si256(live, _mm256_or_si256(_mm256_slli_epi32(r, kDrop), sign));
  const __m256i limit = _mm256_set1_epi32((kHalfInf << kDrop) - 1);
  const __m256i found = _mm256_cmpgt_epi32(largest, limit);
  if (_mm256_testz_si256(found, found) != 0) [[likely]]
    return r;
  __m256i first = in[kInputs - 1];
  for (int i = kInputs - 2; i >= 0; --i)
    first = _mm256_blendv_epi8(first, in[i], _mm256_cmpgt_epi32(magnitude(in[i]), limit));
  first = _mm256_or_si256(_mm256_and_si256(first, _mm256_set1_epi32(INT32_MIN)), _mm256_set1_epi32(kHalfInf << kDrop));
  return _mm256_blendv_epi8(r, first, found);
}

template <int kInputs>
KMH_AVX2 void halves(const ReduceRows& r) {
  constexpr int kNodes = Shape<kInputs>::kNodes, kMembers = Shape<kInputs>::kMembers;
  for (int row = 0; row < r.rows; ++row)
    for (int part = 0; part < 2; ++part) {
      const uint64_t* from = r.in + r.row_step * static_cast<size_t>(row) + 2 * part;
      __m256i second[kNodes];
      for (int n = 0; n < kNodes; ++n) {
        __m256i in[kMembers];
        for (int i = 0; i < kMembers; ++i)
          in[i] = fields_of(_mm_loadu_si128(
              reinterpret_cast<const __m128i*>(from + r.input_step * static_cast<size_t>(n * kMembers + i))));
        second[n] = half_node<kMembers>(in);
      }
      __m256i v = second[0];
      if constexpr (Shape<kInputs>::kTree) v = half_node<kNodes>(second);
      v = _mm256_or_si256(_mm256_srli_epi32(magnitude(v), 14),
                          _mm256_srli_epi32(_mm256_andnot_si256(_mm256_set1_epi32(INT32_MAX), v), 16));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(r.out + r.out_step * static_cast<size_t>(row)) + part,
                       _mm_packus_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1)));
    }
}

template <int kInputs>
Reducer by_kind(const Reduction& r) {
  if (r.lane == num::Lane::k32) return r.narrow ? singles_to_halves<kInputs> : singles<kInputs>;
  if (r.lane != num::Lane::k16 || r.narrow) return nullptr;
  return r.l1bm ? halves_on_singles<kInputs> : halves<kInputs>;
}

}  // namespace

Reducer sum_reducer_avx2(const Reduction& r) {
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
