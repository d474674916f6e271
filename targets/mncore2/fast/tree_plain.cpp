// Reductions that are no sums of floats, in AVX2: max and min of sign-magnitude words, integer sums, and, or.
//
// They are associative, so the shape of the network does not show, and no result needs care but the halves of a narrowed
// max or min.
#include "targets/mncore2/fast/simd.h"
#include "targets/mncore2/fast/tree_reduce.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using num::Reduce;

// --- element operations by width --------------------------------------------------------------------------------

template <int kBits>
KMH_AVX2_INLINE __m256i equal(__m256i a, __m256i b) {
  if constexpr (kBits == 64) return _mm256_cmpeq_epi64(a, b);
  if constexpr (kBits == 32) return _mm256_cmpeq_epi32(a, b);
  if constexpr (kBits == 16) return _mm256_cmpeq_epi16(a, b);
}
template <int kBits>
KMH_AVX2_INLINE __m256i above(__m256i a, __m256i b) {
  if constexpr (kBits == 64) return _mm256_cmpgt_epi64(a, b);
  if constexpr (kBits == 32) return _mm256_cmpgt_epi32(a, b);
  if constexpr (kBits == 16) return _mm256_cmpgt_epi16(a, b);
}
template <int kBits>
KMH_AVX2_INLINE __m256i sum(__m256i a, __m256i b) {
  if constexpr (kBits == 64) return _mm256_add_epi64(a, b);
  if constexpr (kBits == 32) return _mm256_add_epi32(a, b);
  if constexpr (kBits == 16) return _mm256_add_epi16(a, b);
}
template <int kBits>
KMH_AVX2_INLINE __m256i all(int64_t element) {
  if constexpr (kBits == 64) return _mm256_set1_epi64x(element);
  if constexpr (kBits == 32) return _mm256_set1_epi32(static_cast<int>(element));
  if constexpr (kBits == 16) return _mm256_set1_epi16(static_cast<int16_t>(element));
}
// Turns the order of sign-magnitude words into that of two's complement, and back.
template <int kBits>
KMH_AVX2_INLINE __m256i turned(__m256i v) {
  const __m256i negative = above<kBits>(_mm256_setzero_si256(), v);
  return _mm256_xor_si256(v, _mm256_and_si256(negative, all<kBits>(INT64_MAX >> (64 - kBits))));
}

// first: an input as it enters the fold; next: the fold; last: the result of the fold.
template <Reduce kOp, int kBits>
struct Fold {
  static constexpr bool kOrder = kOp == Reduce::kMax || kOp == Reduce::kMin;
  KMH_AVX2_INLINE static __m256i first(__m256i v) {
    if constexpr (kOrder) return turned<kBits>(v);
    if constexpr (kOp == Reduce::kAnd) return equal<kBits>(v, _mm256_setzero_si256());  // ones where an input is 0
    return v;
  }
  KMH_AVX2_INLINE static __m256i next(__m256i a, __m256i b) {
    if constexpr (kOp == Reduce::kMax) return _mm256_blendv_epi8(a, b, above<kBits>(b, a));
    if constexpr (kOp == Reduce::kMin) return _mm256_blendv_epi8(a, b, above<kBits>(a, b));
    if constexpr (kOp == Reduce::kIadd) return sum<kBits>(a, b);
    if constexpr (kOp == Reduce::kBand) return _mm256_and_si256(a, b);
    return _mm256_or_si256(a, b);
  }
  KMH_AVX2_INLINE static __m256i last(__m256i v) {
    if constexpr (kOrder) return turned<kBits>(v);
    if constexpr (kOp == Reduce::kAnd) return _mm256_andnot_si256(v, all<kBits>(1));  // true is 1 (Q7)
    if constexpr (kOp == Reduce::kOr)
      return _mm256_andnot_si256(equal<kBits>(v, _mm256_setzero_si256()), all<kBits>(1));
    return v;
  }
};

// Singles to halves by one rounding, the sign kept (num::narrow); the two of a long word in its upper word.
KMH_AVX2_INLINE __m256i halves(__m256i v) {
  constexpr int kDrop = 23 - 9, kRebias = (127 - 31) << 9, kInf = 63 << 9;
  const __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi32(INT32_MAX));
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(magnitude, kDrop), _mm256_set1_epi32(1));
  __m256i r = _mm256_add_epi32(magnitude, _mm256_add_epi32(even, _mm256_set1_epi32((1 << (kDrop - 1)) - 1)));
  r = _mm256_srli_epi32(r, kDrop);
  const __m256i live = _mm256_cmpgt_epi32(r, _mm256_set1_epi32(kRebias + (1 << 9) - 1));
  r = _mm256_sub_epi32(_mm256_min_epi32(r, _mm256_set1_epi32(kRebias + kInf)), _mm256_set1_epi32(kRebias));
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(v, 16), _mm256_set1_epi32(0x8000));
  const __m256i h = _mm256_or_si256(_mm256_and_si256(r, live), sign);
  // Host order: the LSB single of a long word comes first.
  return _mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(h, 32), 48), _mm256_slli_epi64(h, 32));
}

template <Reduce kOp, int kBits, int kInputs, bool kNarrow>
KMH_AVX2 void fold(const ReduceRows& r) {
  using F = Fold<kOp, kBits>;
  for (int row = 0; row < r.rows; ++row) {
    const uint64_t* in = r.in + r.row_step * static_cast<size_t>(row);
    __m256i v = F::first(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in)));
    for (size_t i = 1; i < kInputs; ++i)
      v = F::next(v, F::first(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + r.input_step * i))));
    v = F::last(v);
    if constexpr (kNarrow) v = halves(v);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + r.out_step * static_cast<size_t>(row)), v);
  }
}

// --- choice -----------------------------------------------------------------------------------------------------

template <Reduce kOp, int kBits, bool kNarrow>
Reducer by_inputs(int inputs) {
  switch (inputs) {
    case 2: return fold<kOp, kBits, 2, kNarrow>;
    case 4: return fold<kOp, kBits, 4, kNarrow>;
    case 8: return fold<kOp, kBits, 8, kNarrow>;
    case 16: return fold<kOp, kBits, 16, kNarrow>;
    default: return nullptr;
  }
}
template <Reduce kOp>
Reducer by_lane(const Reduction& r) {
  if (r.narrow) {
    if constexpr (Fold<kOp, 32>::kOrder)
      if (r.lane == num::Lane::k32) return by_inputs<kOp, 32, true>(r.inputs);
    return nullptr;
  }
  switch (r.lane) {
    case num::Lane::k64: return by_inputs<kOp, 64, false>(r.inputs);
    case num::Lane::k32: return by_inputs<kOp, 32, false>(r.inputs);
    case num::Lane::k16: return by_inputs<kOp, 16, false>(r.inputs);
  }
  return nullptr;
}

}  // namespace

Reducer plain_reducer(const Reduction& r) {
  switch (r.op) {
    case Reduce::kFadd: return nullptr;
    case Reduce::kMax: return by_lane<Reduce::kMax>(r);
    case Reduce::kMin: return by_lane<Reduce::kMin>(r);
    case Reduce::kIadd: return by_lane<Reduce::kIadd>(r);
    case Reduce::kBand: return by_lane<Reduce::kBand>(r);
    case Reduce::kBor: return by_lane<Reduce::kBor>(r);
    case Reduce::kAnd: return by_lane<Reduce::kAnd>(r);
    case Reduce::kOr: return by_lane<Reduce::kOr>(r);
  }
  return nullptr;
}

}  // namespace kumihimo::mncore2::fast

#endif
