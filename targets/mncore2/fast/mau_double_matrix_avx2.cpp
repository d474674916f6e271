// dmfma and dmmul in AVX2: see mau_double_matrix_avx512.cpp. The two rows that are computed, of two cycles at a time.
#include "targets/mncore2/fast/double_sum_avx2.h"
#include "targets/mncore2/fast/mau.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx2::Exact;
using emu::Mab;

constexpr double kCut = 0x1.8p106;
constexpr int64_t kUnit = 2 * (1023 + 51);  // a product of two ones is 2^-kUnit before the block exponents

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }

// Exact for integers of up to 52 bits.
KMH_AVX2_INLINE __m256d to_double(__m256i v) {
  const __m256d magic = _mm256_set1_pd(0x1p52);
  return _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(v), magic), magic);
}

// Signed fields; their low 16 bits; 2^15 where those are not zero.
struct Fields {
  __m256d all, low, root;
};
KMH_AVX2_INLINE Fields fields(__m256i v) {
  const __m256d sign = _mm256_and_pd(_mm256_castsi256_pd(v), _mm256_set1_pd(-0.0));
  const __m256i out = _mm256_or_si256(avx2::zeros(v), avx2::infinities(v));
  const __m256i fraction = _mm256_set1_epi64x(static_cast<int64_t>(~uint64_t{0} >> 12));
  const __m256i m = _mm256_andnot_si256(out, _mm256_and_si256(v, fraction));
  const __m256i low = _mm256_and_si256(m, _mm256_set1_epi64x(0xffff));
  const __m256d some = _mm256_castsi256_pd(_mm256_cmpgt_epi64(low, _mm256_setzero_si256()));
  return {_mm256_or_pd(sign, to_double(m)), _mm256_or_pd(sign, to_double(low)),
          _mm256_or_pd(sign, _mm256_and_pd(some, _mm256_set1_pd(0x1p15)))};
}

KMH_AVX2_INLINE __m256i block_or(__m256i v) {
  v = _mm256_or_si256(v, _mm256_permute4x64_epi64(v, 0x4e));
  return _mm256_or_si256(v, _mm256_permute4x64_epi64(v, 0xb1));
}

// Lane 2c + i: member j of row i for both cycles c; member j of the vector of cycle c for both rows.
template <int j>
KMH_AVX2_INLINE __m256d of_rows(__m256d a, __m256d b) {
  const __m256d both = j % 2 == 0 ? _mm256_unpacklo_pd(a, b) : _mm256_unpackhi_pd(a, b);
  return _mm256_permute2f128_pd(both, both, j < 2 ? 0x00 : 0x11);
}
template <int j>
KMH_AVX2_INLINE __m256d of_cycles(__m256d x, __m256d y) {
  const __m256d both = _mm256_permute2f128_pd(x, y, j < 2 ? 0x20 : 0x31);
  return _mm256_permute_pd(both, j % 2 == 0 ? 0x0 : 0xf);
}

struct Sums {
  __m256d upper, lower;
};
template <int j>
KMH_AVX2_INLINE void add_products(const Fields& a, const Fields& b, const Fields& x, const Fields& y, Sums& s) {
  const __m256d cut = _mm256_set1_pd(kCut);
  const __m256d p = of_rows<j>(a.all, b.all), q = of_cycles<j>(x.all, y.all);
  const __m256d high = _mm256_sub_pd(_mm256_fmadd_pd(p, q, cut), cut);
  const __m256d low =
      _mm256_fnmadd_pd(of_rows<j>(a.low, b.low), of_cycles<j>(x.low, y.low), _mm256_fmsub_pd(p, q, high));
  s.upper = _mm256_add_pd(s.upper, high);
  s.lower = _mm256_fmadd_pd(of_rows<j>(a.root, b.root), of_cycles<j>(x.root, y.root), _mm256_add_pd(s.lower, low));
}

// Two matrix rows and two vectors.
struct Sources {
  __m256i a, b, x, y;
};

KMH_AVX2_INLINE Exact products(const Sources& s, const Fields& a, const Fields& b) {
  const Fields x = fields(s.x), y = fields(s.y);
  Sums sums = {_mm256_setzero_pd(), _mm256_setzero_pd()};
  add_products<0>(a, b, x, y, sums);
  add_products<1>(a, b, x, y, sums);
  add_products<2>(a, b, x, y, sums);
  add_products<3>(a, b, x, y, sums);
  Exact sum;
  sum.high = avx2::two_sum(sums.upper, sums.lower, sum.low);
  const __m256i ea = avx2::field(_mm256_unpacklo_epi64(block_or(s.a), block_or(s.b)));
  const __m256i ex = avx2::field(_mm256_permute2x128_si256(block_or(s.x), block_or(s.y), 0x20));
  const __m256i e = _mm256_sub_epi64(_mm256_add_epi64(ea, ex), _mm256_set1_epi64x(kUnit));
  const __m256i zero = _mm256_castpd_si256(_mm256_cmp_pd(sum.high, _mm256_setzero_pd(), _CMP_EQ_OQ));
  sum.exponent = _mm256_blendv_epi8(e, _mm256_set1_epi64x(avx2::kNone), zero);
  return sum;
}

struct Infinite {
  __m256i found, minus;
};
template <int j>
KMH_AVX2_INLINE void find_infinite(const Sources& s, Infinite& to) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i fraction = _mm256_set1_epi64x(static_cast<int64_t>(~uint64_t{0} >> 12));
  const __m256i a = _mm256_castpd_si256(of_rows<j>(_mm256_castsi256_pd(s.a), _mm256_castsi256_pd(s.b)));
  const __m256i x = _mm256_castpd_si256(of_cycles<j>(_mm256_castsi256_pd(s.x), _mm256_castsi256_pd(s.y)));
  const __m256i a_infinite = avx2::infinities(a), x_infinite = avx2::infinities(x);
  const __m256i a_zero = _mm256_or_si256(avx2::zeros(a), _mm256_cmpeq_epi64(_mm256_and_si256(a, fraction), zero));
  const __m256i x_zero = _mm256_or_si256(avx2::zeros(x), _mm256_cmpeq_epi64(_mm256_and_si256(x, fraction), zero));
  const __m256i dead =
      _mm256_or_si256(_mm256_andnot_si256(a_infinite, a_zero), _mm256_andnot_si256(x_infinite, x_zero));
  const __m256i first = _mm256_andnot_si256(_mm256_or_si256(dead, to.found), _mm256_or_si256(a_infinite, x_infinite));
  to.minus = _mm256_or_si256(to.minus, _mm256_and_si256(first, _mm256_xor_si256(a, x)));
  to.found = _mm256_or_si256(to.found, first);
}

// Where some product is infinite, the sign of the first one decides (Q15), whatever the addend.
KMH_AVX2 __attribute__((noinline)) __m256d with_infinities(__m256d r, const Sources& s, bool negate_x) {
  Infinite i = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  find_infinite<0>(s, i);
  find_infinite<1>(s, i);
  find_infinite<2>(s, i);
  find_infinite<3>(s, i);
  if (negate_x) i.minus = _mm256_xor_si256(i.minus, _mm256_set1_epi64x(INT64_MIN));
  return avx2::select(i.found, avx2::double_infinity(i.minus), r);
}

// Two long words of two cycles.
KMH_AVX2_INLINE __m256i pairs(Mab& mab, Row c0, Row c1, int first, bool negative) {
  const __m128i low = _mm_load_si128(reinterpret_cast<const __m128i*>(at(mab, c0) + first));
  const __m128i high = _mm_load_si128(reinterpret_cast<const __m128i*>(at(mab, c1) + first));
  return _mm256_xor_si256(_mm256_set_m128i(high, low), _mm256_set1_epi64x(negative ? INT64_MIN : 0));
}

template <bool kHasY, bool kNarrow>
KMH_AVX2 void double_matrix(Mab& mab, const Uop& u, Place&) {
  const auto& src = u.op->src;
  const int first = u.op->insn->half_select == 'u' ? 0 : 2;
  const emu::MatrixSide& side = fast::side(mab, u);
  Sources s;
  s.a = load(side.raw[first]), s.b = load(side.raw[first + 1]);
  const Fields a = fields(s.a), b = fields(s.b);
  const __m256d sign = _mm256_set1_pd(src[0].negate ? -0.0 : 0.0);
  __m256i out[4];
  for (int c = 0; c < 4; c += 2) {
    s.x = load(at(mab, u.x[c])), s.y = load(at(mab, u.x[c + 1]));
    Exact p = products(s, a, b);
    p.high = _mm256_xor_pd(p.high, sign), p.low = _mm256_xor_pd(p.low, sign);
    __m256d r, other = _mm256_setzero_pd();
    if constexpr (kHasY) {
      const __m256i y = pairs(mab, u.z[c], u.z[c + 1], first, src[1].negate);
      const __m256i addends = avx2::infinities(y), dead = _mm256_or_si256(addends, avx2::zeros(y));
      r = avx2::rounded<kNarrow>(p, y, _mm256_andnot_si256(dead, _mm256_set1_epi64x(-1)));
      r = avx2::select(addends, avx2::double_infinity(y), r);
      // Rows that are not computed still pass through the adder (ISA 8.6 [I]).
      const __m256i o = pairs(mab, u.z[c], u.z[c + 1], 2 - first, src[1].negate);
      other = avx2::select(avx2::infinities(o), avx2::double_infinity(o), _mm256_castsi256_pd(o));
    } else {
      r = avx2::rounded<kNarrow>(p);
    }
    const __m256i infinite = _mm256_or_si256(_mm256_or_si256(avx2::infinities(s.a), avx2::infinities(s.b)),
                                             _mm256_or_si256(avx2::infinities(s.x), avx2::infinities(s.y)));
    if (_mm256_testz_si256(infinite, infinite) == 0) [[unlikely]]
      r = with_infinities(r, s, src[0].negate);
    const __m256i mine = avx2::long_words<kNarrow>(r), rest = avx2::long_words<kNarrow>(other);
    const __m256i low = first == 0 ? mine : rest, high = first == 0 ? rest : mine;
    out[c] = _mm256_permute2x128_si256(low, high, 0x20);
    out[c + 1] = _mm256_permute2x128_si256(low, high, 0x31);
  }
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(to, out[c]);
    if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
  }
}

template <bool kHasY>
Kernel of(const emu::Op& op) {
  return op.insn->narrow ? double_matrix<kHasY, true> : double_matrix<kHasY, false>;
}

}  // namespace

Kernel double_matrix_avx2(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kD) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kMfma: return of<true>(op);
    case MauForm::kMmul: return of<false>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
