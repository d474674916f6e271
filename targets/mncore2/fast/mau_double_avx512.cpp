// dvfma, dvmul, dvadd and dvpassa in AVX-512, two cycles at a time.
//
// The truncated multiplier (ISA 8.4) leaves out the product of the low 16 bits of both significands and adds 2^30 of
// its last bits where that is not zero. Both fit into the low part of the exact product of two mantissas.
#include "targets/mncore2/fast/double_sum_avx512.h"
#include "targets/mncore2/fast/mau.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx512::Exact;
using emu::Mab;

enum class Form : uint8_t { kFma, kMul, kAdd, kPassa };

KMH_AVX512_INLINE __m512d two_rows(Mab& mab, const Row* rows, bool negative) {
  const __m512d v =
      _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(reinterpret_cast<const double*>(at(mab, rows[0])))),
                         _mm256_load_pd(reinterpret_cast<const double*>(at(mab, rows[1]))), 1);
  return _mm512_xor_pd(v, _mm512_set1_pd(negative ? -0.0 : 0.0));
}

// Where not `live` there is no product.
KMH_AVX512_INLINE Exact product(__m512d x, __m512d y, __mmask8 live) {
  const __m512i low16 = _mm512_set1_epi64(0xffff);
  const __m512d a = avx512::mantissa(x), b = avx512::mantissa(y);
  const __m512d a_low = _mm512_sub_pd(a, _mm512_castsi512_pd(_mm512_andnot_si512(low16, _mm512_castpd_si512(a))));
  const __m512d b_low = _mm512_sub_pd(b, _mm512_castsi512_pd(_mm512_andnot_si512(low16, _mm512_castpd_si512(b))));
  const __mmask8 both =
      _mm512_mask_test_epi64_mask(_mm512_test_epi64_mask(_mm512_castpd_si512(a), low16), _mm512_castpd_si512(b), low16);
  const __m512d high = _mm512_mul_pd(a, b);
  __m512d low = _mm512_fnmadd_pd(a_low, b_low, _mm512_fmsub_pd(a, b, high));
  const __m512d unit = _mm512_castsi512_pd(_mm512_ternarylogic_epi64(
      _mm512_castpd_si512(high), _mm512_set1_epi64(INT64_MIN), _mm512_castpd_si512(_mm512_set1_pd(0x1p-74)), 0xea));
  low = _mm512_mask_add_pd(low, both, low, unit);
  Exact p;
  p.high = _mm512_maskz_add_pd(live, high, low);
  p.low = _mm512_maskz_sub_pd(live, low, _mm512_sub_pd(p.high, high));
  p.exponent = _mm512_mask_add_pd(_mm512_set1_pd(avx512::kNone), live, _mm512_getexp_pd(x), _mm512_getexp_pd(y));
  return p;
}

// x * y + z. An infinite product takes its sign and wins over the addend (Q15); with a zero factor it is a zero.
template <bool kHasZ, bool kOdd>
KMH_AVX512_INLINE __m512d fma(__m512d x, __m512d y, __m512d z, __mmask8 enabled) {
  const auto factors = static_cast<__mmask8>(enabled & ~(avx512::zeros(x) | avx512::zeros(y)));
  const auto products = static_cast<__mmask8>(factors & (avx512::infinities(x) | avx512::infinities(y)));
  const Exact p = product(x, y, static_cast<__mmask8>(factors & ~products));
  __m512d r;
  if constexpr (kHasZ) {
    const __mmask8 addends = avx512::infinities(z);
    r = avx512::rounded<kOdd>(p, z, static_cast<__mmask8>(~(addends | avx512::zeros(z))));
    r = _mm512_mask_mov_pd(r, addends, avx512::infinity(z));
  } else {
    r = avx512::rounded<kOdd>(p);
  }
  return _mm512_mask_mov_pd(r, products, avx512::infinity(_mm512_xor_pd(x, y)));
}

template <bool kOdd>
KMH_AVX512_INLINE __m512d sum(__m512d x, __m512d z) {
  const __mmask8 x_infinite = avx512::infinities(x), z_infinite = avx512::infinities(z);
  __m512d r = kOdd ? avx512::odd_sum(x, z) : _mm512_add_pd(x, z);
  r = _mm512_mask_mov_pd(r, z_infinite, avx512::infinity(z));
  return _mm512_mask_mov_pd(r, x_infinite, avx512::infinity(x));
}

template <Form F, bool kNarrow>
KMH_AVX512 void vector(Mab& mab, const Uop& u, Place&) {
  const auto& src = u.op->src;
  const auto enabled = static_cast<__mmask8>(u.op->insn->half_select == 'u' ? 0x33 : 0xcc);
  __m512i r[2];
  for (int h = 0; h < 2; ++h) {
    const __m512d x = two_rows(mab, u.x + 2 * h, src[0].negate);
    __m512d sum_of;
    if constexpr (F == Form::kFma)
      sum_of = fma<true, kNarrow>(x, two_rows(mab, u.y + 2 * h, src[1].negate),
                                  two_rows(mab, u.z + 2 * h, src[2].negate), enabled);
    else if constexpr (F == Form::kMul)
      sum_of = fma<false, kNarrow>(x, two_rows(mab, u.y + 2 * h, src[1].negate), x, enabled);
    else if constexpr (F == Form::kAdd)
      sum_of = sum<kNarrow>(x, two_rows(mab, u.z + 2 * h, src[1].negate));
    else
      sum_of = sum<kNarrow>(x, _mm512_setzero_pd());
    r[h] = avx512::long_words<kNarrow>(sum_of);
  }
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(to, c % 2 == 0 ? _mm512_castsi512_si256(r[c / 2]) : _mm512_extracti64x4_epi64(r[c / 2], 1));
    if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
  }
}

template <Form F>
Kernel of(const emu::Op& op) {
  return op.insn->narrow ? vector<F, true> : vector<F, false>;
}

}  // namespace

Kernel double_vector_avx512(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kD) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kVfma: return of<Form::kFma>(op);
    case MauForm::kVmul: return of<Form::kMul>(op);
    case MauForm::kVadd: return of<Form::kAdd>(op);
    case MauForm::kVpassa: return of<Form::kPassa>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
