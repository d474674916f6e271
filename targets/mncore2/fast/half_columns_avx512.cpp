#include "targets/mncore2/fast/half_columns.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::HalfColumns;
using emu::MatrixSide;

KMH_AVX512_INLINE __m512i lanes(const uint32_t (&v)[16]) { return _mm512_load_si512(v); }

// Pair j of every row in vector j.
KMH_AVX512_INLINE void turn(const MatrixSide& side, __m512i (&p)[8]) {
  const __m512i first = _mm512_setr_epi32(8, 0, 24, 16, 9, 1, 25, 17, 10, 2, 26, 18, 11, 3, 27, 19);
  const __m512i last = _mm512_add_epi32(first, _mm512_set1_epi32(4));
  // Four rows, one pair of each in 128 bits: rows with w = 0 of PEs 0 and 1, of PEs 2 and 3, then those with w = 1.
  constexpr int kRow[4] = {0, 8, 2, 10};
  __m512i half[2][4];
  for (int i = 0; i < 4; ++i) {
    const __m512i v = _mm512_load_si512(side.raw[kRow[i]]), w = _mm512_load_si512(side.raw[kRow[i] + 4]);
    half[0][i] = _mm512_permutex2var_epi32(v, first, w);
    half[1][i] = _mm512_permutex2var_epi32(v, last, w);
  }
  for (int h = 0; h < 2; ++h) {
    const __m512i(&v)[4] = half[h];
    const __m512i u0 = _mm512_shuffle_i32x4(v[0], v[1], 0x44), u1 = _mm512_shuffle_i32x4(v[0], v[1], 0xee);
    const __m512i w0 = _mm512_shuffle_i32x4(v[2], v[3], 0x44), w1 = _mm512_shuffle_i32x4(v[2], v[3], 0xee);
    p[4 * h + 0] = _mm512_shuffle_i32x4(u0, w0, 0x88);
    p[4 * h + 1] = _mm512_shuffle_i32x4(u0, w0, 0xdd);
    p[4 * h + 2] = _mm512_shuffle_i32x4(u1, w1, 0x88);
    p[4 * h + 3] = _mm512_shuffle_i32x4(u1, w1, 0xdd);
  }
}

KMH_AVX512_INLINE __m512i negated_where(__mmask32 minus, __m512i m) {
  return _mm512_mask_sub_epi16(m, minus, _mm512_setzero_si512(), m);
}

// OR of the exponent fields in both halves of a lane, at the place of a single's exponent.
KMH_AVX512_INLINE __m512i exponent_lanes(__m512i halves) {
  const __m512i both = _mm512_ternarylogic_epi32(halves, _mm512_srli_epi32(halves, 16),
                                                 _mm512_set1_epi32(kHalfExponent), 0xa8);  // (a | b) & c
  return _mm512_slli_epi32(both, 14);
}

// Elements with exponent field 0 and a fraction: extended, or zeros where the whole row has no exponent.
KMH_AVX512_INLINE __mmask32 small(__m512i v) {
  return _mm512_mask_test_epi16_mask(_mm512_testn_epi16_mask(v, _mm512_set1_epi16(kHalfExponent)), v,
                                     _mm512_set1_epi16(kHalfFraction));
}

KMH_AVX512_INLINE __m512i scale_of(__m512i exponents) {
  return _mm512_add_epi32(exponents, _mm512_set1_epi32(kScaleBias << 23));
}
KMH_AVX512_INLINE __mmask16 all_ones(__m512i exponents) {
  return _mm512_cmpeq_epi32_mask(exponents, _mm512_set1_epi32(63 << 23));
}

// Bits by row to lanes; rows without any exponent have none.
KMH_AVX512_INLINE void put_bits(const uint16_t (&from)[16], __mmask16 rows, uint32_t (&to)[16]) {
  const __m512i wide = _mm512_cvtepu16_epi32(_mm256_load_si256(reinterpret_cast<const __m256i*>(from)));
  _mm512_store_si512(to, _mm512_maskz_permutexvar_epi32(rows, _mm512_load_si512(kRowOfLane), wide));
}

KMH_AVX512 __attribute__((noinline)) void make_columns(MatrixSide& side) {
  HalfColumns& to = side.columns;
  const __m512i exponent = _mm512_set1_epi16(kHalfExponent), fraction = _mm512_set1_epi16(kHalfFraction);
  __m512i p[8];
  turn(side, p);
  __m512i any = _mm512_ternarylogic_epi32(p[0], p[1], p[2], 0xfe);
  any = _mm512_ternarylogic_epi32(any, p[3], p[4], 0xfe);
  any = _mm512_ternarylogic_epi32(any, p[5], p[6], 0xfe);
  const __m512i e = exponent_lanes(_mm512_or_si512(any, p[7]));
  _mm512_store_si512(to.scale, scale_of(e));
  __mmask32 some_small = 0;
  for (const __m512i& v : p) some_small |= small(v);
  to.groups = 0xf;
  to.kind = 0;
  if ((all_ones(e) | some_small) == 0) [[likely]] {
    for (int j = 0; j < 8; ++j)
      _mm512_store_si512(to.pairs[j], negated_where(_mm512_movepi16_mask(p[j]), _mm512_and_si512(p[j], fraction)));
    return;
  }
  const __mmask16 rows = _mm512_test_epi32_mask(e, e);
  __mmask32 infinite = 0;
  for (int j = 0; j < 8; ++j) {
    const __m512i own = _mm512_and_si512(p[j], exponent);
    const __mmask32 inf = _mm512_cmpeq_epi16_mask(own, exponent);
    infinite |= inf;
    __m512i m = _mm512_maskz_and_epi32(rows, p[j], fraction);
    m = _mm512_maskz_mov_epi16(~inf, m);
    if (some_small != 0) m = _mm512_mask_slli_epi16(m, _mm512_test_epi16_mask(own, own), m, 6);
    _mm512_store_si512(to.pairs[j], negated_where(_mm512_movepi16_mask(p[j]), m));
  }
  if (some_small != 0) to.kind |= HalfColumns::kScaled;
  if (infinite != 0) to.kind |= HalfColumns::kInfinite;
}

// Four rows of a side whose other rows are up to date and ordinary.
KMH_AVX512 __attribute__((noinline)) void update_columns(MatrixSide& side, int group) {
  HalfColumns& to = side.columns;
  const __m512i fraction = _mm512_set1_epi16(kHalfFraction);
  const __m512i v = _mm512_load_si512(side.raw[4 * group]), w = _mm512_load_si512(side.raw[4 * group + 2]);
  // Rows 0 and 2 in 64 bits each, then 1 and 3; OR'ed together until every dword has its row's exponent.
  __m512i e = _mm512_or_si512(_mm512_unpacklo_epi64(v, w), _mm512_unpackhi_epi64(v, w));
  e = _mm512_or_si512(e, _mm512_permutex_epi64(e, 0x4e));
  e = exponent_lanes(_mm512_or_si512(e, _mm512_rol_epi64(e, 32)));
  if ((small(v) | small(w) | all_ones(e)) != 0) [[unlikely]] {
    make_columns(side);
    return;
  }
  to.groups = 0xf;
  to.kind = 0;
  const auto mine = static_cast<__mmask16>(0x0303u << 2 * group);
  const __m512i from_e = _mm512_setr_epi32(8, 0, 8, 0, 8, 0, 8, 0, 10, 2, 10, 2, 10, 2, 10, 2);
  const __m512i scale = scale_of(_mm512_permutexvar_epi32(from_e, e));
  _mm512_store_si512(to.scale, _mm512_mask_mov_epi32(lanes(to.scale), mine, scale));
  const __m512i a = negated_where(_mm512_movepi16_mask(v), _mm512_and_si512(v, fraction));
  const __m512i b = negated_where(_mm512_movepi16_mask(w), _mm512_and_si512(w, fraction));
  __m512i from = _mm512_setr_epi32(8, 0, 8, 0, 8, 0, 8, 0, 24, 16, 24, 16, 24, 16, 24, 16);
  for (auto& pair : to.pairs) {
    _mm512_store_si512(pair, _mm512_mask_mov_epi32(lanes(pair), mine, _mm512_permutex2var_epi32(a, from, b)));
    from = _mm512_add_epi32(from, _mm512_set1_epi32(1));
  }
}

}  // namespace

void refresh_columns_avx512(MatrixSide& side) {
  const unsigned stale = side.columns.groups ^ 0xfu;
  constexpr uint8_t kRare = HalfColumns::kScaled | HalfColumns::kInfinite;
  if ((stale & (stale - 1)) == 0 && (side.columns.kind & kRare) == 0)
    update_columns(side, __builtin_ctz(stale));
  else
    make_columns(side);
}

KMH_AVX512 void make_masks_avx512(MatrixSide& side) {
  alignas(32) uint16_t infinite[16], live[16], negative[16];
  // Element 0 is the MSB half of a long word.
  const __m512i in_order = _mm512_broadcast_i32x4(_mm_set_epi32(0x09080b0a, 0x0d0c0f0e, 0x01000302, 0x05040706));
  const __m512i exponent = _mm512_set1_epi16(kHalfExponent);
  for (int r = 0; r < 16; r += 2) {
    const __m512i v = _mm512_shuffle_epi8(_mm512_load_si512(side.raw[r]), in_order);
    const __mmask32 inf = _mm512_cmpeq_epi16_mask(_mm512_and_si512(v, exponent), exponent);
    const __mmask32 nonzero = inf | _mm512_test_epi16_mask(v, _mm512_set1_epi16(kHalfFraction));
    const __mmask32 minus = _mm512_movepi16_mask(v);
    infinite[r] = static_cast<uint16_t>(inf), infinite[r + 1] = static_cast<uint16_t>(inf >> 16);
    live[r] = static_cast<uint16_t>(nonzero), live[r + 1] = static_cast<uint16_t>(nonzero >> 16);
    negative[r] = static_cast<uint16_t>(minus), negative[r + 1] = static_cast<uint16_t>(minus >> 16);
  }
  HalfColumns& to = side.columns;
  const __mmask16 rows = _mm512_cmpneq_epi32_mask(lanes(to.scale), _mm512_set1_epi32(kScaleBias << 23));
  put_bits(infinite, rows, to.infinite);
  put_bits(live, rows, to.live);
  put_bits(negative, rows, to.negative);
  to.kind |= HalfColumns::kMasks;
}

}  // namespace kumihimo::mncore2::fast

#endif
