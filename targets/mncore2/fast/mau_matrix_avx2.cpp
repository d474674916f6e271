// hmfma and hmmul in AVX2: see mau_matrix_avx512.cpp. Sums by vpmaddwd, eight rows in a vector.
#include "targets/mncore2/fast/half_columns.h"
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx2.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::HalfColumns;
using emu::Mab;
using emu::MatrixSide;

KMH_AVX2_INLINE __m256i load(const void* p) { return _mm256_load_si256(static_cast<const __m256i*>(p)); }
KMH_AVX2_INLINE __m256i halves(int value) { return _mm256_set1_epi16(static_cast<short>(value)); }

KMH_AVX2_INLINE unsigned block_exponent(const uint64_t* row) {
  uint64_t any = (row[0] | row[1]) | (row[2] | row[3]);
  any |= any >> 32;
  return static_cast<unsigned>(any | any >> 16) & kHalfExponent;
}

struct Variant {
  bool has_y, negate_x, negate_y, narrow;
};

// sum * 2^(scale) +- y, rounded once; NaN patterns of y come out as NaNs. If `narrow`, rounded to odd, because one more
// rounding follows; infinities and NaN patterns of y come out as infinities.
template <Variant V>
KMH_AVX2_INLINE __m256 total(__m256i sum, __m256i scale, __m256 y) {
  const __m256 s = _mm256_cvtepi32_ps(sum), f = _mm256_castsi256_ps(scale);
  if constexpr (!V.has_y) {
    return _mm256_mul_ps(s, f);
  } else if constexpr (V.narrow) {
    __m256i z = _mm256_castps_si256(y);
    if (V.negate_y) z = _mm256_xor_si256(z, _mm256_set1_epi32(INT32_MIN));
    const __m256i infinite = avx2::all_ones(z);
    const __m256 r = avx2::odd_sum(_mm256_mul_ps(s, f), _mm256_castsi256_ps(_mm256_andnot_si256(infinite, z)));
    return _mm256_blendv_ps(r, _mm256_castsi256_ps(avx2::infinity(z)), _mm256_castsi256_ps(infinite));
  } else if constexpr (V.negate_y) {
    return _mm256_fmsub_ps(s, f, y);
  } else {
    return _mm256_fmadd_ps(s, f, y);
  }
}

KMH_AVX2_INLINE __m256 addend(Mab& mab, const Uop& u, int cycle, int w) {
  return _mm256_load_ps(reinterpret_cast<const float*>(at(mab, u.z[cycle])) + 8 * w);
}

// NaN patterns of the addend are infinities of its sign.
template <Variant V>
KMH_AVX2_INLINE __m256 without_nan(__m256 r, __m256 y) {
  __m256i inf = _mm256_and_si256(_mm256_castps_si256(y), _mm256_set1_epi32(INT32_MIN | 0x7f800000));
  if (V.negate_y) inf = _mm256_xor_si256(inf, _mm256_set1_epi32(INT32_MIN));
  return _mm256_blendv_ps(r, _mm256_castsi256_ps(inf), _mm256_cmp_ps(r, r, _CMP_UNORD_Q));
}

// After everything is read: an output row may be a row of the addend.
template <Variant V>
KMH_AVX2_INLINE void put_all(Mab& mab, const Uop& u, const __m256 (&r)[2][4]) {
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<float*>(at(mab, u.out[c]));
    if constexpr (V.narrow) {
      _mm256_store_ps(to, _mm256_castsi256_ps(avx2::four_halves(r[0][c], r[1][c])));
      if (u.wide) _mm256_store_ps(to + 8, _mm256_setzero_ps());
      continue;
    }
    _mm256_store_ps(to, r[0][c]);
    if (u.wide) _mm256_store_ps(to + 8, r[1][c]);
  }
}

// A vector's elements as factors, and its infinities.
struct RareVector {
  alignas(32) float factor[16];
  uint32_t exponent;  // E << 23
  uint32_t infinite, live, negative;
};

KMH_AVX2_INLINE uint32_t bits(__m256i lanes) {
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
  return static_cast<uint32_t>(_mm_movemask_epi8(bytes));
}

KMH_AVX2_INLINE void read_rare(const uint64_t* row, float unit, bool negate, RareVector& to) {
  const __m256i exponent = halves(kHalfExponent), zero = _mm256_setzero_si256();
  const unsigned e = block_exponent(row);
  __m256i v = load(row);
  if (negate) v = _mm256_xor_si256(v, halves(0x8000));
  const __m256i own = _mm256_and_si256(v, exponent), inf = _mm256_cmpeq_epi16(own, exponent);
  __m256i m = _mm256_andnot_si256(inf, _mm256_and_si256(v, halves(kHalfFraction)));
  // Without any exponent there are only zeros.
  m = e == 0 ? zero : _mm256_sign_epi16(m, v);
  const __m256i ordinary = _mm256_xor_si256(_mm256_cmpeq_epi16(own, zero), _mm256_set1_epi16(-1));
  for (int w = 0; w < 2; ++w) {
    const __m128i part = w == 0 ? _mm256_castsi256_si128(m) : _mm256_extracti128_si256(m, 1);
    const __m128i part_ordinary = w == 0 ? _mm256_castsi256_si128(ordinary) : _mm256_extracti128_si256(ordinary, 1);
    const __m256 unit_of = _mm256_blendv_ps(_mm256_set1_ps(unit * 0x1p-6f), _mm256_set1_ps(unit),
                                            _mm256_castsi256_ps(_mm256_cvtepi16_epi32(part_ordinary)));
    _mm256_store_ps(to.factor + 8 * w, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(part)), unit_of));
  }
  to.exponent = e << 14;
  // Masks by element: element 0 is the MSB half of a long word.
  const __m256i in_order = _mm256_broadcastsi128_si256(_mm_set_epi32(0x09080b0a, 0x0d0c0f0e, 0x01000302, 0x05040706));
  to.infinite = bits(_mm256_shuffle_epi8(inf, in_order));
  const __m256i no_fraction = _mm256_cmpeq_epi16(_mm256_and_si256(v, halves(kHalfFraction)), zero);
  to.live = e == 0 ? 0 : to.infinite | (bits(_mm256_shuffle_epi8(no_fraction, in_order)) ^ 0xffffu);
  to.negative = bits(_mm256_shuffle_epi8(_mm256_srai_epi16(v, 15), in_order));
}

// Where some product is infinite, the sign of the first one decides (Q15), whatever the addend.
KMH_AVX2_INLINE __m256 with_infinities(__m256 r, const HalfColumns& a, int w, const RareVector& x) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i infinite = _mm256_or_si256(load(a.infinite + 8 * w), _mm256_set1_epi32(static_cast<int>(x.infinite)));
  const __m256i both = _mm256_and_si256(load(a.live + 8 * w), _mm256_set1_epi32(static_cast<int>(x.live)));
  const __m256i found = _mm256_and_si256(infinite, both);
  const __m256i first = _mm256_and_si256(found, _mm256_sub_epi32(zero, found));
  const __m256i sign = _mm256_xor_si256(load(a.negative + 8 * w), _mm256_set1_epi32(static_cast<int>(x.negative)));
  const __m256i plus = _mm256_cmpeq_epi32(_mm256_and_si256(first, sign), zero);
  const __m256i inf =
      _mm256_blendv_epi8(_mm256_set1_epi32(INT32_MIN | 0x7f800000), _mm256_set1_epi32(0x7f800000), plus);
  return _mm256_blendv_ps(_mm256_castsi256_ps(inf), r, _mm256_castsi256_ps(_mm256_cmpeq_epi32(found, zero)));
}

// As `rare` in mau_matrix_avx512.cpp.
template <Variant V>
KMH_AVX2 __attribute__((noinline)) void rare(Mab& mab, const Uop& u) {
  constexpr uint32_t kRounder = 0x4b400000;  // 1.5 * 2^23
  MatrixSide& side = fast::side(mab, u);
  HalfColumns& a = side.columns;
  RareVector x[4];
  const float unit = a.kind & HalfColumns::kScaled ? 0x1p-6f : 1.0f;
  bool infinite = (a.kind & HalfColumns::kInfinite) != 0;
  for (int c = 0; c < 4; ++c) {
    read_rare(at(mab, u.x[c]), unit, V.negate_x, x[c]);
    infinite |= x[c].infinite != 0;
  }
  if (infinite && (a.kind & HalfColumns::kMasks) == 0) make_masks_avx2(side);
  const __m256 rounder = _mm256_castsi256_ps(_mm256_set1_epi32(kRounder));
  __m256 r[2][4];
  for (int w = 0; w < 2; ++w) {
    __m256i sum[4];
    for (__m256i& s : sum) s = _mm256_set1_epi32(static_cast<int>(0u - 16 * kRounder));
    for (int j = 0; j < 16; j += 2) {
      const __m256i pair = load(a.pairs[j / 2] + 8 * w);
      const __m256 even = _mm256_cvtepi32_ps(_mm256_srai_epi32(_mm256_slli_epi32(pair, 16), 16));
      const __m256 odd = _mm256_cvtepi32_ps(_mm256_srai_epi32(pair, 16));
      for (int c = 0; c < 4; ++c) {
        const __m256 p = _mm256_fmadd_ps(even, _mm256_set1_ps(x[c].factor[j]), rounder);
        const __m256 q = _mm256_fmadd_ps(odd, _mm256_set1_ps(x[c].factor[j + 1]), rounder);
        sum[c] = _mm256_add_epi32(sum[c], _mm256_add_epi32(_mm256_castps_si256(p), _mm256_castps_si256(q)));
      }
    }
    for (int c = 0; c < 4; ++c) {
      const __m256i scale = _mm256_add_epi32(load(a.scale + 8 * w), _mm256_set1_epi32(static_cast<int>(x[c].exponent)));
      const __m256 y = V.has_y ? addend(mab, u, c, w) : _mm256_setzero_ps();
      r[w][c] = without_nan<V>(total<V>(sum[c], scale, y), y);
      if (infinite) r[w][c] = with_infinities(r[w][c], a, w, x[c]);
    }
  }
  put_all<V>(mab, u, r);
}

template <Variant V>
KMH_AVX2 void half_matrix(Mab& mab, const Uop& u, Place&) {
  MatrixSide& side = fast::side(mab, u);
  HalfColumns& a = side.columns;
  if (a.groups != 0xf) refresh_columns_avx2(side);

  alignas(32) int32_t x[4][8];  // pairs of signed fractions
  uint32_t exponent[4];
  const __m256i zero = _mm256_setzero_si256();
  unsigned all_ones = a.kind & (HalfColumns::kScaled | HalfColumns::kInfinite);
  __m256i small = zero;
  for (int c = 0; c < 4; ++c) {
    const unsigned e = block_exponent(at(mab, u.x[c]));
    all_ones |= (e + 0x200) & 0x8000;
    exponent[c] = e << 14;
    __m256i v = load(at(mab, u.x[c]));
    const __m256i m = _mm256_and_si256(v, halves(kHalfFraction));
    const __m256i no_exponent = _mm256_cmpeq_epi16(_mm256_and_si256(v, halves(kHalfExponent)), zero);
    small = _mm256_or_si256(small, _mm256_and_si256(no_exponent, m));
    if (V.negate_x) v = _mm256_xor_si256(v, halves(0x8000));
    _mm256_store_si256(reinterpret_cast<__m256i*>(x[c]), _mm256_sign_epi16(m, v));
  }
  if (all_ones != 0 || _mm256_testz_si256(small, small) == 0) [[unlikely]]
    return rare<V>(mab, u);

  __m256 r[2][4];
  for (int w = 0; w < 2; ++w) {
    __m256i sum[4] = {zero, zero, zero, zero};
    for (int j = 0; j < 8; ++j) {
      const __m256i pair = load(a.pairs[j] + 8 * w);
      for (int c = 0; c < 4; ++c)
        sum[c] = _mm256_add_epi32(sum[c], _mm256_madd_epi16(pair, _mm256_set1_epi32(x[c][j])));
    }
    const __m256i scale = load(a.scale + 8 * w);
    for (int c = 0; c < 4; ++c)
      r[w][c] = total<V>(sum[c], _mm256_add_epi32(scale, _mm256_set1_epi32(static_cast<int>(exponent[c]))),
                         V.has_y ? addend(mab, u, c, w) : _mm256_setzero_ps());
  }
  if constexpr (V.has_y && !V.narrow) {
    __m256 nan = _mm256_setzero_ps();
    for (int c = 0; c < 4; ++c) nan = _mm256_or_ps(nan, _mm256_cmp_ps(r[0][c], r[1][c], _CMP_UNORD_Q));
    if (_mm256_movemask_ps(nan) != 0) [[unlikely]]
      for (int w = 0; w < 2; ++w)
        for (int c = 0; c < 4; ++c) r[w][c] = without_nan<V>(r[w][c], addend(mab, u, c, w));
  }
  put_all<V>(mab, u, r);
}

template <bool kHasY, bool kNarrow>
Kernel by_signs(bool x, bool y) {
  if constexpr (!kHasY)
    return x ? half_matrix<Variant{false, true, false, kNarrow}> : half_matrix<Variant{false, false, false, kNarrow}>;
  if (y) return x ? half_matrix<Variant{true, true, true, kNarrow}> : half_matrix<Variant{true, false, true, kNarrow}>;
  return x ? half_matrix<Variant{true, true, false, kNarrow}> : half_matrix<Variant{true, false, false, kNarrow}>;
}

template <bool kHasY>
Kernel of(const emu::Op& op) {
  const bool x = op.src[0].negate, y = kHasY && op.src[1].negate;
  return op.insn->narrow ? by_signs<kHasY, true>(x, y) : by_signs<kHasY, false>(x, y);
}

}  // namespace

Kernel half_matrix_avx2(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kH) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kMfma: return of<true>(op);
    case MauForm::kMmul: return of<false>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
