// dvfma, dvmul, dvadd and dvpassa in AVX2, a cycle at a time: see mau_double_avx512.cpp.
#include "targets/mncore2/fast/double_sum_avx2.h"
#include "targets/mncore2/fast/mau.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx2::Exact;
using emu::Mab;

enum class Form : uint8_t { kFma, kMul, kAdd, kPassa };

KMH_AVX2_INLINE __m256i load(Mab& mab, Row row, bool negative) {
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
  return _mm256_xor_si256(v, _mm256_set1_epi64x(negative ? INT64_MIN : 0));
}

// Where not `live` there is no product.
KMH_AVX2_INLINE Exact product(__m256i x, __m256i y, __m256i live) {
  const __m256i low16 = _mm256_set1_epi64x(0xffff), bias = _mm256_set1_epi64x(1023);
  const __m256i a_bits = avx2::with_field(x, bias), b_bits = avx2::with_field(y, bias);
  const __m256d a = _mm256_castsi256_pd(a_bits), b = _mm256_castsi256_pd(b_bits);
  const __m256d a_low = _mm256_sub_pd(a, _mm256_castsi256_pd(_mm256_andnot_si256(low16, a_bits)));
  const __m256d b_low = _mm256_sub_pd(b, _mm256_castsi256_pd(_mm256_andnot_si256(low16, b_bits)));
  const __m256d low_product = _mm256_mul_pd(a_low, b_low);
  const __m256d both = _mm256_cmp_pd(low_product, _mm256_setzero_pd(), _CMP_NEQ_UQ);
  const __m256d high = _mm256_mul_pd(a, b);
  const __m256d unit = _mm256_or_pd(_mm256_and_pd(high, _mm256_set1_pd(-0.0)), _mm256_set1_pd(0x1p-74));
  __m256d low = _mm256_sub_pd(_mm256_fmsub_pd(a, b, high), low_product);
  low = _mm256_add_pd(low, _mm256_and_pd(unit, both));
  const __m256d sum = _mm256_add_pd(high, low), on = _mm256_castsi256_pd(live);
  const __m256i exponent = _mm256_sub_epi64(_mm256_add_epi64(avx2::field(x), avx2::field(y)), _mm256_set1_epi64x(2046));
  return {_mm256_and_pd(sum, on), _mm256_and_pd(_mm256_sub_pd(low, _mm256_sub_pd(sum, high)), on),
          _mm256_blendv_epi8(_mm256_set1_epi64x(avx2::kNone), exponent, live)};
}

// x * y + z. An infinite product takes its sign and wins over the addend (Q15); with a zero factor it is a zero.
template <bool kHasZ, bool kOdd>
KMH_AVX2_INLINE __m256d fma(__m256i x, __m256i y, __m256i z, __m256i enabled) {
  const __m256i factors = _mm256_andnot_si256(_mm256_or_si256(avx2::zeros(x), avx2::zeros(y)), enabled);
  const __m256i products = _mm256_and_si256(factors, _mm256_or_si256(avx2::infinities(x), avx2::infinities(y)));
  const Exact p = product(x, y, _mm256_andnot_si256(products, factors));
  __m256d r;
  if constexpr (kHasZ) {
    const __m256i addends = avx2::infinities(z), out = _mm256_or_si256(addends, avx2::zeros(z));
    r = avx2::rounded<kOdd>(p, z, _mm256_andnot_si256(out, _mm256_set1_epi64x(-1)));
    r = avx2::select(addends, avx2::double_infinity(z), r);
  } else {
    r = avx2::rounded<kOdd>(p);
  }
  return avx2::select(products, avx2::double_infinity(_mm256_xor_si256(x, y)), r);
}

template <bool kOdd>
KMH_AVX2_INLINE __m256d sum(__m256i x, __m256i z) {
  const __m256i x_infinite = avx2::infinities(x), z_infinite = avx2::infinities(z);
  const __m256d a = _mm256_castsi256_pd(_mm256_andnot_si256(x_infinite, x));
  const __m256d b = _mm256_castsi256_pd(_mm256_andnot_si256(z_infinite, z));
  const __m256d r = kOdd ? avx2::odd_sum(a, b) : _mm256_add_pd(a, b);
  return avx2::select(x_infinite, avx2::double_infinity(x), avx2::select(z_infinite, avx2::double_infinity(z), r));
}

template <Form F, bool kNarrow>
KMH_AVX2 void vector(Mab& mab, const Uop& u, Place&) {
  const auto& src = u.op->src;
  const __m256i enabled =
      u.op->insn->half_select == 'u' ? _mm256_set_epi64x(0, 0, -1, -1) : _mm256_set_epi64x(-1, -1, 0, 0);
  __m256i r[4];
  for (int c = 0; c < 4; ++c) {
    const __m256i x = load(mab, u.x[c], src[0].negate);
    __m256d sum_of;
    if constexpr (F == Form::kFma)
      sum_of = fma<true, kNarrow>(x, load(mab, u.y[c], src[1].negate), load(mab, u.z[c], src[2].negate), enabled);
    else if constexpr (F == Form::kMul)
      sum_of = fma<false, kNarrow>(x, load(mab, u.y[c], src[1].negate), x, enabled);
    else if constexpr (F == Form::kAdd)
      sum_of = sum<kNarrow>(x, load(mab, u.z[c], src[1].negate));
    else
      sum_of = sum<kNarrow>(x, _mm256_setzero_si256());
    r[c] = avx2::long_words<kNarrow>(sum_of);
  }
  for (int c = 0; c < 4; ++c) {
    auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
    _mm256_store_si256(to, r[c]);
    if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
  }
}

template <Form F>
Kernel of(const emu::Op& op) {
  return op.insn->narrow ? vector<F, true> : vector<F, false>;
}

}  // namespace

Kernel double_vector_avx2(const emu::Op& op) {
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
