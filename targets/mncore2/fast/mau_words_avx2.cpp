// fmfma, fmmul, gmfma and gmmul in AVX2: see mau_words_avx512.cpp. Eight rows in two vectors of doubles, which stand in
// memory between the cycles.
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx2.h"
#include "targets/mncore2/fast/word_blocks.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx2::Doubles;
using emu::Mab;
using emu::MatrixSide;

struct Variant {
  bool pseudo, has_y, negate_x, negate_y, narrow;
};

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }

// Word k of every row in vector k. Blocks of singles need only the odd ones.
KMH_AVX2_INLINE void turn(const MatrixSide& side, __m256i (&w)[8]) {
  __m256i pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    const __m256i first = load(side.raw[i + 1]), second = load(side.raw[i]);
    pairs[i] = _mm256_unpacklo_epi32(first, second);
    pairs[i + 1] = _mm256_unpackhi_epi32(first, second);
  }
  for (int i = 0; i < 8; i += 4)
    for (int k = 0; k < 2; ++k) {
      fours[i + 2 * k] = _mm256_unpacklo_epi64(pairs[i + k], pairs[i + 2 + k]);
      fours[i + 2 * k + 1] = _mm256_unpackhi_epi64(pairs[i + k], pairs[i + 2 + k]);
    }
  for (int k = 0; k < 4; ++k) {
    w[k] = _mm256_permute2x128_si256(fours[k], fours[4 + k], 0x20);
    w[4 + k] = _mm256_permute2x128_si256(fours[k], fours[4 + k], 0x31);
  }
}

KMH_AVX2_INLINE __m256i no_exponent(__m256i words) {
  return _mm256_cmpeq_epi32(_mm256_and_si256(words, _mm256_set1_epi32(kWordExponent)), _mm256_setzero_si256());
}
KMH_AVX2_INLINE __m256i fraction(__m256i words, bool pseudo) {
  return _mm256_and_si256(words, _mm256_set1_epi32(static_cast<int>(word_fraction(pseudo))));
}

// Numbers by word: a row of eight lanes for the matrix, eight words for a vector. Fields, and for the truncated
// multiplier their low parts, and 16 where those are not zero.
struct alignas(64) Numbers {
  double all[8], low[8], sixteen[8];
};

KMH_AVX2_INLINE void put(__m256i integers, __m256i words, double* to) {
  const __m256 sign = _mm256_and_ps(_mm256_castsi256_ps(words), _mm256_set1_ps(-0.0f));
  const Doubles d = avx2::widened(_mm256_castps_si256(_mm256_or_ps(_mm256_cvtepi32_ps(integers), sign)));
  _mm256_store_pd(to, d.low);
  _mm256_store_pd(to + 4, d.high);
}

template <bool kPseudo>
KMH_AVX2_INLINE void put_numbers(__m256i words, Numbers& to) {
  const __m256i out = _mm256_or_si256(no_exponent(words), avx2::all_ones(words));
  const __m256i m = _mm256_andnot_si256(out, fraction(words, kPseudo));
  put(m, words, to.all);
  if constexpr (kPseudo) return;
  const __m256i low = _mm256_and_si256(m, _mm256_set1_epi32(0x1f));
  put(low, words, to.low);
  put(_mm256_and_si256(_mm256_cmpgt_epi32(low, _mm256_setzero_si256()), _mm256_set1_epi32(16)), words, to.sixteen);
}

// Rows 4h to 4h + 3.
template <bool kPseudo>
KMH_AVX2_INLINE __m256d sum_of(const Numbers (&a)[8], const Numbers& x, int h) {
  __m256d sum = _mm256_setzero_pd(), other = sum;
  for (int w = kPseudo ? 0 : 1; w < 8; w += kPseudo ? 1 : 2) {
    const __m256d all = _mm256_load_pd(a[w].all + 4 * h);
    if (kPseudo && w % 2 == 0) {
      other = _mm256_fmadd_pd(all, _mm256_set1_pd(x.all[w]), other);
      continue;
    }
    sum = _mm256_fmadd_pd(all, _mm256_set1_pd(x.all[w]), sum);
    if constexpr (kPseudo) continue;
    other = _mm256_fnmadd_pd(_mm256_load_pd(a[w].low + 4 * h), _mm256_set1_pd(x.low[w]), other);
    other = _mm256_fmadd_pd(_mm256_load_pd(a[w].sixteen + 4 * h), _mm256_set1_pd(x.sixteen[w]), other);
  }
  return _mm256_add_pd(sum, other);
}

KMH_AVX2_INLINE unsigned bits(__m256i lanes) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(lanes)));
}
struct Bits {
  unsigned infinite, live, negative;
};
KMH_AVX2_INLINE Bits bits_of(__m256i words, bool pseudo) {
  const __m256i inf = avx2::all_ones(words);
  const __m256i no_fraction = _mm256_cmpeq_epi32(fraction(words, pseudo), _mm256_setzero_si256());
  const unsigned zero = bits(_mm256_andnot_si256(inf, _mm256_or_si256(no_exponent(words), no_fraction)));
  return {bits(inf), zero ^ 0xff, bits(words)};
}

template <Variant V>
KMH_AVX2_INLINE BlockMasks matrix_masks(const __m256i (&words)[8]) {
  BlockMasks m{0, 0, 0};
  for (int w = V.pseudo ? 0 : 1; w < 8; w += V.pseudo ? 1 : 2) {
    const Bits b = bits_of(words[w], V.pseudo);
    const int shift = 8 * (w ^ 1);
    m.infinite |= uint64_t{b.infinite} << shift;
    m.live |= uint64_t{b.live} << shift;
    m.negative |= uint64_t{b.negative} << shift;
  }
  return m;
}
template <Variant V>
KMH_AVX2_INLINE BlockMasks vector_masks(__m256i x) {
  const Bits b = bits_of(x, V.pseudo);
  return {spread_words(b.infinite), spread_words(b.live), spread_words(b.negative ^ (V.negate_x ? 0xff : 0))};
}

KMH_AVX2_INLINE __m256i lanes_of(unsigned bits) {
  const __m256i each = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), each), each);
}

// `inf` where `found`.
KMH_AVX2_INLINE Doubles with_infinities(const Doubles& r, __m256i inf, __m256i found) {
  const Doubles d = avx2::widened(inf);
  const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(found));
  const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(found, 1));
  return {_mm256_blendv_pd(r.low, d.low, _mm256_castsi256_pd(low)),
          _mm256_blendv_pd(r.high, d.high, _mm256_castsi256_pd(high))};
}

template <Variant V>
KMH_AVX2 void word_matrix(Mab& mab, const Uop& u, Place&) {
  __m256i w[8];
  turn(side(mab, u), w);
  Numbers a[8], x[4];
  __m256i any = _mm256_setzero_si256(), special = any;
  for (int k = V.pseudo ? 0 : 1; k < 8; k += V.pseudo ? 1 : 2) {
    any = _mm256_or_si256(any, w[k]);
    special = _mm256_or_si256(special, avx2::all_ones(w[k]));
    put_numbers<V.pseudo>(w[k], a[k]);
  }
  const __m256i exponents = _mm256_and_si256(any, _mm256_set1_epi32(kWordExponent));
  const __m256i bias = _mm256_set1_epi64x(kWordScale);
  const __m256i row_scale[2] = {
      _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(exponents)), 29), bias),
      _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_extracti128_si256(exponents, 1)), 29), bias)};
  for (int c = 0; c < 4; ++c) {
    __m256i v = load(at(mab, u.x[c]));
    const __m256i inf = avx2::all_ones(v);
    special = _mm256_or_si256(special, V.pseudo ? inf : _mm256_srli_epi64(inf, 32));
    if (V.negate_x) v = _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN));
    put_numbers<V.pseudo>(v, x[c]);
  }
  const bool infinite = _mm256_testz_si256(special, special) == 0;
  BlockMasks masks{0, 0, 0};
  if (infinite) [[unlikely]]
    masks = matrix_masks<V>(w);
  __m256i out[4];
  for (int c = 0; c < 4; ++c) {
    const __m256i e = _mm256_set1_epi64x(static_cast<int64_t>(word_block_exponent(at(mab, u.x[c]), V.pseudo)) << 29);
    Doubles r = {_mm256_mul_pd(sum_of<V.pseudo>(a, x[c], 0), _mm256_castsi256_pd(_mm256_add_epi64(row_scale[0], e))),
                 _mm256_mul_pd(sum_of<V.pseudo>(a, x[c], 1), _mm256_castsi256_pd(_mm256_add_epi64(row_scale[1], e)))};
    if constexpr (V.has_y) {
      __m256i y = load(at(mab, u.z[c]));
      if (V.negate_y) y = _mm256_xor_si256(y, _mm256_set1_epi32(INT32_MIN));
      const __m256i y_infinite = avx2::all_ones(y);
      const Doubles z = avx2::widened(_mm256_andnot_si256(y_infinite, y));
      r = {avx2::odd_sum(r.low, z.low), avx2::odd_sum(r.high, z.high)};
      r = with_infinities(r, avx2::infinity(y), y_infinite);
    }
    if (infinite) [[unlikely]] {
      const InfiniteSums sums = infinite_sums(masks, vector_masks<V>(load(at(mab, u.x[c]))));
      r = with_infinities(r, avx2::infinity(lanes_of(sums.negative)), lanes_of(sums.lanes));
    }
    out[c] = V.narrow ? avx2::two_halves(r)
                      : _mm256_castps_si256(
                            avx2::positive_zero(_mm256_set_m128(_mm256_cvtpd_ps(r.high), _mm256_cvtpd_ps(r.low))));
  }
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(to, out[c]);
    if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
  }
}

template <bool kPseudo, bool kHasY, bool kNarrow>
Kernel by_signs(bool x, bool y) {
  if constexpr (!kHasY)
    return x ? word_matrix<Variant{kPseudo, false, true, false, kNarrow}>
             : word_matrix<Variant{kPseudo, false, false, false, kNarrow}>;
  if (y)
    return x ? word_matrix<Variant{kPseudo, true, true, true, kNarrow}>
             : word_matrix<Variant{kPseudo, true, false, true, kNarrow}>;
  return x ? word_matrix<Variant{kPseudo, true, true, false, kNarrow}>
           : word_matrix<Variant{kPseudo, true, false, false, kNarrow}>;
}

template <bool kPseudo, bool kHasY>
Kernel of(const emu::Op& op) {
  const bool x = op.src[0].negate, y = kHasY && op.src[1].negate;
  return op.insn->narrow ? by_signs<kPseudo, kHasY, true>(x, y) : by_signs<kPseudo, kHasY, false>(x, y);
}

}  // namespace

Kernel word_matrix_avx2(const emu::Op& op) {
  const bool pseudo = op.insn->prec == isa::Prec::kG;
  if (!pseudo && op.insn->prec != isa::Prec::kF) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kMfma: return pseudo ? of<true, true>(op) : of<false, true>(op);
    case MauForm::kMmul: return pseudo ? of<true, false>(op) : of<false, false>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
