// fmfma, fmmul, gmfma and gmmul in AVX-512: eight rows in a vector of doubles.
//
// Products of fields have at most 46 bits and sums of them 48, so sums are exact in doubles. The truncated multiplier
// of singles (ISA 8.4, 8.6) leaves out the products of the low five bits, which are summed too and taken away, and adds
// 2^8 where neither is zero: a product of two 16s. The addend makes an exact sum rounded to odd, as for vectors.
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx512.h"
#include "targets/mncore2/fast/word_blocks.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::Mab;
using emu::MatrixSide;

struct Variant {
  bool pseudo, has_y, negate_x, negate_y, narrow;
  constexpr int members() const { return pseudo ? 8 : 4; }
};

KMH_AVX512_INLINE __m256i row_at(const uint64_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
KMH_AVX512_INLINE __m512i two_rows(const uint64_t* low, const uint64_t* high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(row_at(low)), row_at(high), 1);
}

// Word k of every row, then word k + 4. Blocks of singles need only k = 1 and 3.
KMH_AVX512_INLINE void turn(const MatrixSide& side, __m512i (&w)[4]) {
  const auto& r = side.raw;
  const __m512i z0 = two_rows(r[1], r[5]), z1 = two_rows(r[0], r[4]);
  const __m512i z2 = two_rows(r[3], r[7]), z3 = two_rows(r[2], r[6]);
  const __m512i a = _mm512_unpacklo_epi32(z0, z1), b = _mm512_unpackhi_epi32(z0, z1);
  const __m512i c = _mm512_unpacklo_epi32(z2, z3), d = _mm512_unpackhi_epi32(z2, z3);
  w[0] = _mm512_unpacklo_epi64(a, c);
  w[1] = _mm512_unpackhi_epi64(a, c);
  w[2] = _mm512_unpacklo_epi64(b, d);
  w[3] = _mm512_unpackhi_epi64(b, d);
  for (__m512i& v : w) v = _mm512_shuffle_i32x4(v, v, 0xd8);
}

KMH_AVX512_INLINE __mmask16 infinite(__m512i words) {
  const __m512i field = _mm512_set1_epi32(kWordExponent);
  return _mm512_cmpeq_epi32_mask(_mm512_and_si512(words, field), field);
}

KMH_AVX512_INLINE __m512 with_sign_of(__m512i words, __m512 v) {
  return _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(v), words, _mm512_set1_epi32(INT32_MIN),
                                                       0xf8));  // v | words & sign
}

// Fields as signed numbers; for the truncated multiplier their low parts, and 16 where those are not zero.
struct Fields {
  __m512 all, low, sixteen;
};
template <bool kPseudo>
KMH_AVX512_INLINE Fields fields(__m512i words) {
  const auto finite = static_cast<__mmask16>(_mm512_test_epi32_mask(words, _mm512_set1_epi32(kWordExponent)) &
                                             static_cast<__mmask16>(~infinite(words)));
  const __m512i m = _mm512_maskz_and_epi32(finite, words, _mm512_set1_epi32(word_fraction(kPseudo)));
  Fields f;
  f.all = with_sign_of(words, _mm512_cvtepi32_ps(m));
  f.low = f.sixteen = f.all;
  if constexpr (!kPseudo) {
    const __m512i low = _mm512_and_si512(m, _mm512_set1_epi32(0x1f));
    f.low = with_sign_of(words, _mm512_cvtepi32_ps(low));
    f.sixteen = with_sign_of(words, _mm512_maskz_mov_ps(_mm512_test_epi32_mask(low, low), _mm512_set1_ps(16)));
  }
  return f;
}

KMH_AVX512_INLINE __m512d low_half(__m512 v) { return _mm512_cvtps_pd(_mm512_castps512_ps256(v)); }
KMH_AVX512_INLINE __m512d high_half(__m512 v) { return _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1)); }

// By word; entries of words that are no members are not used.
struct Columns {
  __m512d all[8], low[8], sixteen[8];
  __m512i scale;  // of each row
};
template <bool kPseudo>
KMH_AVX512_INLINE void make_columns(const __m512i (&w)[4], Columns& to) {
  __m512i any = _mm512_or_si512(w[1], w[3]);
  if constexpr (kPseudo) any = _mm512_ternarylogic_epi32(any, w[0], w[2], 0xfe);
  const __m256i e = _mm256_and_si256(_mm256_or_si256(_mm512_castsi512_si256(any), _mm512_extracti64x4_epi64(any, 1)),
                                     _mm256_set1_epi32(kWordExponent));
  to.scale = _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepu32_epi64(e), 29), _mm512_set1_epi64(kWordScale));
  for (int k = kPseudo ? 0 : 1; k < 4; k += kPseudo ? 1 : 2) {
    const Fields f = fields<kPseudo>(w[k]);
    to.all[k] = low_half(f.all), to.all[k + 4] = high_half(f.all);
    if constexpr (kPseudo) continue;
    to.low[k] = low_half(f.low), to.low[k + 4] = high_half(f.low);
    to.sixteen[k] = low_half(f.sixteen), to.sixteen[k + 4] = high_half(f.sixteen);
  }
}

// Of one cycle, by word.
struct alignas(64) Vector {
  double all[8], low[8], sixteen[8];
};
template <bool kPseudo>
KMH_AVX512_INLINE void put_vectors(const Fields& f, Vector (&x)[2]) {
  _mm512_store_pd(x[0].all, low_half(f.all)), _mm512_store_pd(x[1].all, high_half(f.all));
  if constexpr (kPseudo) return;
  _mm512_store_pd(x[0].low, low_half(f.low)), _mm512_store_pd(x[1].low, high_half(f.low));
  _mm512_store_pd(x[0].sixteen, low_half(f.sixteen)), _mm512_store_pd(x[1].sixteen, high_half(f.sixteen));
}

template <bool kPseudo>
KMH_AVX512_INLINE __m512d sum_of(const Columns& a, const Vector& x) {
  __m512d sum = _mm512_setzero_pd(), other = sum;
  for (int w = kPseudo ? 0 : 1; w < 8; w += kPseudo ? 1 : 2) {
    if (kPseudo && w % 2 == 0) {
      other = _mm512_fmadd_pd(a.all[w], _mm512_set1_pd(x.all[w]), other);
      continue;
    }
    sum = _mm512_fmadd_pd(a.all[w], _mm512_set1_pd(x.all[w]), sum);
    if constexpr (kPseudo) continue;
    other = _mm512_fnmadd_pd(a.low[w], _mm512_set1_pd(x.low[w]), other);
    other = _mm512_fmadd_pd(a.sixteen[w], _mm512_set1_pd(x.sixteen[w]), other);
  }
  return _mm512_add_pd(sum, other);
}

template <Variant V>
KMH_AVX512_INLINE BlockMasks matrix_masks(const __m512i (&w)[4]) {
  BlockMasks m{0, 0, 0};
  for (int k = V.pseudo ? 0 : 1; k < 4; k += V.pseudo ? 1 : 2) {
    const unsigned inf = infinite(w[k]), minus = _mm512_movepi32_mask(w[k]);
    const unsigned live = inf | (_mm512_test_epi32_mask(w[k], _mm512_set1_epi32(word_fraction(V.pseudo))) &
                                 _mm512_test_epi32_mask(w[k], _mm512_set1_epi32(kWordExponent)));
    for (int h = 0; h < 2; ++h) {
      const int shift = 8 * ((k + 4 * h) ^ 1);
      m.infinite |= uint64_t{inf >> 8 * h & 0xff} << shift;
      m.live |= uint64_t{live >> 8 * h & 0xff} << shift;
      m.negative |= uint64_t{minus >> 8 * h & 0xff} << shift;
    }
  }
  return m;
}
template <Variant V>
KMH_AVX512_INLINE BlockMasks vector_masks(__m256i x) {
  const __m256i field = _mm256_set1_epi32(kWordExponent);
  const unsigned inf = _mm256_cmpeq_epi32_mask(_mm256_and_si256(x, field), field);
  const unsigned live =
      inf | (_mm256_test_epi32_mask(x, _mm256_set1_epi32(word_fraction(V.pseudo))) & _mm256_test_epi32_mask(x, field));
  const unsigned minus = static_cast<unsigned>(_mm256_movepi32_mask(x)) ^ (V.negate_x ? 0xff : 0);
  return {spread_words(inf), spread_words(live), spread_words(minus)};
}

template <Variant V>
KMH_AVX512 void word_matrix(Mab& mab, const Uop& u, Place&) {
  __m512i w[4];
  turn(side(mab, u), w);
  Columns a;
  make_columns<V.pseudo>(w, a);
  alignas(64) Vector x[4];
  __mmask16 some_infinite = infinite(w[1]) | infinite(w[3]);
  if (V.pseudo) some_infinite |= infinite(w[0]) | infinite(w[2]);
  for (int c = 0; c < 4; c += 2) {
    __m512i v = two_rows(at(mab, u.x[c]), at(mab, u.x[c + 1]));
    some_infinite |= V.pseudo ? infinite(v) : infinite(v) & 0xaaaa;
    if (V.negate_x) v = _mm512_xor_si512(v, _mm512_set1_epi32(INT32_MIN));
    put_vectors<V.pseudo>(fields<V.pseudo>(v), reinterpret_cast<Vector(&)[2]>(x[c]));
  }
  __m512d r[4];
  for (int c = 0; c < 4; ++c) {
    const auto e = static_cast<int64_t>(word_block_exponent(at(mab, u.x[c]), V.pseudo)) << 29;
    const __m512d scale = _mm512_castsi512_pd(_mm512_add_epi64(a.scale, _mm512_set1_epi64(e)));
    r[c] = _mm512_mul_pd(sum_of<V.pseudo>(a, x[c]), scale);
    if constexpr (V.has_y) {
      __m256i y = row_at(at(mab, u.z[c]));
      if (V.negate_y) y = _mm256_xor_si256(y, _mm256_set1_epi32(INT32_MIN));
      r[c] = avx512::odd_sum(r[c], _mm512_cvtps_pd(avx512::addend(_mm256_castsi256_ps(y))));
    }
  }
  if (some_infinite != 0) [[unlikely]] {
    const BlockMasks masks = matrix_masks<V>(w);
    for (int c = 0; c < 4; ++c) {
      const InfiniteSums sums = infinite_sums(masks, vector_masks<V>(row_at(at(mab, u.x[c]))));
      const __m512d inf = _mm512_mask_blend_pd(static_cast<__mmask8>(sums.negative), _mm512_set1_pd(__builtin_inf()),
                                               _mm512_set1_pd(-__builtin_inf()));
      r[c] = _mm512_mask_mov_pd(r[c], static_cast<__mmask8>(sums.lanes), inf);
    }
  }
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(
        to, V.narrow ? avx512::two_halves(r[c]) : _mm256_castps_si256(avx512::positive_zero(_mm512_cvtpd_ps(r[c]))));
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

Kernel word_matrix_avx512(const emu::Op& op) {
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
