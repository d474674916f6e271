// dmfma and dmmul in AVX-512: the two rows that are computed, of all four cycles, in one vector.
//
// Fields have 52 bits, products 104, sums of four 106. Each product is cut at a multiple of 2^54, which an fma with
// 1.5 * 2^106 does exactly, and the sum of the upper parts is exact. A lower part, below 2^54, becomes a multiple of
// 2^16 when the truncated multiplier (ISA 8.4, 8.6) leaves out the product of the low 16 bits, so their sum is exact
// too. Where that product is not zero the multiplier adds 2^30: a product of two 2^15.
#include "targets/mncore2/fast/double_sum_avx512.h"
#include "targets/mncore2/fast/mau.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx512::Exact;
using emu::Mab;

constexpr int64_t kExponent = 0x7ff0000000000000;
constexpr double kCut = 0x1.8p106;
constexpr int kUnit = 2 * (1023 + 51);  // a product of two ones is 2^-kUnit before the block exponents

KMH_AVX512_INLINE __m256i row_at(const uint64_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}
KMH_AVX512_INLINE __m512i two_rows(const uint64_t* low, const uint64_t* high) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(row_at(low)), row_at(high), 1);
}
KMH_AVX512_INLINE __mmask8 infinities(__m512i v) { return avx512::infinities(_mm512_castsi512_pd(v)); }

// Signed fields; their low 16 bits; 2^15 where those are not zero.
struct Fields {
  __m512d all, low, root;
};
KMH_AVX512_INLINE __m512d with_sign_of(__m512i v, __m512d magnitude) {
  return _mm512_castsi512_pd(
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(magnitude), v, _mm512_set1_epi64(INT64_MIN), 0xf8));  // a | b & c
}
KMH_AVX512_INLINE Fields fields(__m512i v) {
  const auto finite = static_cast<__mmask8>(~_mm512_fpclass_pd_mask(_mm512_castsi512_pd(v), 0xbf));
  const __m512i m = _mm512_maskz_and_epi64(finite, v, _mm512_set1_epi64(~uint64_t{0} >> 12));
  const __m512i low = _mm512_and_si512(m, _mm512_set1_epi64(0xffff));
  return {with_sign_of(v, _mm512_cvtepi64_pd(m)), with_sign_of(v, _mm512_cvtepi64_pd(low)),
          with_sign_of(v, _mm512_maskz_mov_pd(_mm512_test_epi64_mask(low, low), _mm512_set1_pd(0x1p15)))};
}

KMH_AVX512_INLINE __m512i block_or(__m512i v) {
  v = _mm512_or_si512(v, _mm512_permutex_epi64(v, 0x4e));
  return _mm512_or_si512(v, _mm512_permutex_epi64(v, 0xb1));
}

struct Sources {
  __m512i a, x01, x23;  // the two matrix rows; vectors of two cycles each
};

// Lane 2c + i: row i of the two, cycle c.
KMH_AVX512_INLINE __m512i of_rows(int j) {
  return _mm512_add_epi64(_mm512_setr_epi64(0, 4, 0, 4, 0, 4, 0, 4), _mm512_set1_epi64(j));
}
KMH_AVX512_INLINE __m512i of_cycles(int j) {
  return _mm512_add_epi64(_mm512_setr_epi64(0, 0, 4, 4, 8, 8, 12, 12), _mm512_set1_epi64(j));
}
KMH_AVX512_INLINE __m512d spread(__m512d rows, int j) { return _mm512_permutexvar_pd(of_rows(j), rows); }
KMH_AVX512_INLINE __m512d spread(__m512d x01, __m512d x23, int j) {
  return _mm512_permutex2var_pd(x01, of_cycles(j), x23);
}

KMH_AVX512_INLINE Exact products(const Sources& s) {
  const Fields a = fields(s.a), x01 = fields(s.x01), x23 = fields(s.x23);
  const __m512d cut = _mm512_set1_pd(kCut);
  __m512d upper = _mm512_setzero_pd(), lower = upper;
  for (int j = 0; j < 4; ++j) {
    const __m512d p = spread(a.all, j), q = spread(x01.all, x23.all, j);
    const __m512d high = _mm512_sub_pd(_mm512_fmadd_pd(p, q, cut), cut);
    const __m512d low = _mm512_fnmadd_pd(spread(a.low, j), spread(x01.low, x23.low, j), _mm512_fmsub_pd(p, q, high));
    upper = _mm512_add_pd(upper, high);
    lower = _mm512_add_pd(lower, low);
    lower = _mm512_fmadd_pd(spread(a.root, j), spread(x01.root, x23.root, j), lower);
  }
  Exact sum;
  sum.high = avx512::two_sum(upper, lower, sum.low);
  const __m512i field = _mm512_set1_epi64(kExponent);
  const __m512i ea = _mm512_and_si512(_mm512_permutexvar_epi64(of_rows(0), block_or(s.a)), field);
  const __m512i ex = _mm512_and_si512(_mm512_permutex2var_epi64(block_or(s.x01), of_cycles(0), block_or(s.x23)), field);
  const __m512i e = _mm512_add_epi64(_mm512_srli_epi64(ea, 52), _mm512_srli_epi64(ex, 52));
  const __mmask8 live = _mm512_cmp_pd_mask(sum.high, _mm512_setzero_pd(), _CMP_NEQ_UQ);
  sum.exponent =
      _mm512_mask_cvtepi64_pd(_mm512_set1_pd(avx512::kNone), live, _mm512_sub_epi64(e, _mm512_set1_epi64(kUnit)));
  return sum;
}

// Where some product is infinite, the sign of the first one decides (Q15), whatever the addend.
KMH_AVX512 __attribute__((noinline)) __m512d with_infinities(__m512d r, const Sources& s, bool negate_x) {
  const __m512i fraction = _mm512_set1_epi64(~uint64_t{0} >> 12), field = _mm512_set1_epi64(kExponent);
  __mmask8 found = 0, minus = 0;
  for (int j = 0; j < 4; ++j) {
    const __m512i a = _mm512_permutexvar_epi64(of_rows(j), s.a);
    const __m512i x = _mm512_permutex2var_epi64(s.x01, of_cycles(j), s.x23);
    const __mmask8 a_infinite = infinities(a), x_infinite = infinities(x);
    const __mmask8 a_live = a_infinite | _mm512_mask_test_epi64_mask(_mm512_test_epi64_mask(a, field), a, fraction);
    const __mmask8 x_live = x_infinite | _mm512_mask_test_epi64_mask(_mm512_test_epi64_mask(x, field), x, fraction);
    const auto first = static_cast<__mmask8>((a_infinite | x_infinite) & a_live & x_live & ~found);
    minus |= first & _mm512_movepi64_mask(_mm512_xor_si512(a, x));
    found |= first;
  }
  if (negate_x) minus = static_cast<__mmask8>(~minus);
  const __m512d inf = _mm512_mask_blend_pd(minus, _mm512_set1_pd(__builtin_inf()), _mm512_set1_pd(-__builtin_inf()));
  return _mm512_mask_mov_pd(r, found, inf);
}

KMH_AVX512_INLINE __m128d pair(Mab& mab, Row row, int first) {
  return _mm_load_pd(reinterpret_cast<const double*>(at(mab, row) + first));
}
// Two long words of each cycle.
KMH_AVX512_INLINE __m512d pairs(Mab& mab, const Row* rows, int first, bool negative) {
  __m512d v = _mm512_castpd128_pd512(pair(mab, rows[0], first));
  v = _mm512_insertf64x2(v, pair(mab, rows[1], first), 1);
  v = _mm512_insertf64x2(v, pair(mab, rows[2], first), 2);
  v = _mm512_insertf64x2(v, pair(mab, rows[3], first), 3);
  return _mm512_xor_pd(v, _mm512_set1_pd(negative ? -0.0 : 0.0));
}

template <bool kHasY, bool kNarrow>
KMH_AVX512 void double_matrix(Mab& mab, const Uop& u, Place&) {
  const auto& src = u.op->src;
  const int first = u.op->insn->half_select == 'u' ? 0 : 2;
  const emu::MatrixSide& side = fast::side(mab, u);
  const Sources s = {two_rows(side.raw[first], side.raw[first + 1]), two_rows(at(mab, u.x[0]), at(mab, u.x[1])),
                     two_rows(at(mab, u.x[2]), at(mab, u.x[3]))};
  Exact p = products(s);
  const __m512d sign = _mm512_set1_pd(src[0].negate ? -0.0 : 0.0);
  p.high = _mm512_xor_pd(p.high, sign), p.low = _mm512_xor_pd(p.low, sign);
  __m512d r, other = _mm512_setzero_pd();
  if constexpr (kHasY) {
    const __m512d y = pairs(mab, u.z, first, src[1].negate);
    const __mmask8 addends = avx512::infinities(y);
    r = avx512::rounded<kNarrow>(p, y, static_cast<__mmask8>(~(addends | avx512::zeros(y))));
    r = _mm512_mask_mov_pd(r, addends, avx512::infinity(y));
    // Rows that are not computed still pass through the adder (ISA 8.6 [I]).
    other = pairs(mab, u.z, 2 - first, src[1].negate);
    other = _mm512_mask_mov_pd(other, avx512::infinities(other), avx512::infinity(other));
  } else {
    r = avx512::rounded<kNarrow>(p);
  }
  if ((infinities(s.a) | infinities(s.x01) | infinities(s.x23)) != 0) [[unlikely]]
    r = with_infinities(r, s, src[0].negate);

  const __m512i mine = avx512::long_words<kNarrow>(r), rest = avx512::long_words<kNarrow>(other);
  const __m512i low = first == 0 ? mine : rest, high = first == 0 ? rest : mine;
  const __m512i from = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i c01 = _mm512_permutex2var_epi64(low, from, high);
  const __m512i c23 = _mm512_permutex2var_epi64(low, _mm512_add_epi64(from, _mm512_set1_epi64(4)), high);
  for (int c = 0; c < 4; ++c) {
    const __m512i both = c < 2 ? c01 : c23;
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(to, c % 2 == 0 ? _mm512_castsi512_si256(both) : _mm512_extracti64x4_epi64(both, 1));
    if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
  }
}

template <bool kHasY>
Kernel of(const emu::Op& op) {
  return op.insn->narrow ? double_matrix<kHasY, true> : double_matrix<kHasY, false>;
}

}  // namespace

Kernel double_matrix_avx512(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kD) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kMfma: return of<true>(op);
    case MauForm::kMmul: return of<false>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
