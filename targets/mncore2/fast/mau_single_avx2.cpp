// fvfma, fvmul, fvadd and fvpassa in AVX2: see mau_single_avx512.cpp. Four doubles in a vector; a sum is rounded to odd
// by its exact error (num/odd_sum.h).
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx2.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using avx2::all_ones;
using avx2::Doubles;
using avx2::infinity;
using avx2::widened;
using emu::Mab;

enum class Form : uint8_t { kFma, kMul, kAdd, kPassa };
// Signs of the product and of the addend; `narrow`: the result is rounded to half (opcode modifier r).
struct Variant {
  Form form;
  bool product, addend, narrow;
  constexpr bool has_y() const { return form == Form::kFma || form == Form::kMul; }
  constexpr bool has_z() const { return form == Form::kFma || form == Form::kAdd; }
};

struct Inputs {
  __m256i x, y, z;
};
KMH_AVX2_INLINE __m256i load(Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
}
KMH_AVX2_INLINE __m256i flip(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN)); }
KMH_AVX2_INLINE __m256d bits_of(__m256d v, int64_t mask) {
  return _mm256_and_pd(v, _mm256_castsi256_pd(_mm256_set1_epi64x(mask)));
}

template <Variant V>
KMH_AVX2_INLINE Inputs inputs(Mab& mab, const Uop& u, int c) {
  const __m256i zero = _mm256_setzero_si256();
  Inputs in{load(mab, u.x[c]), V.has_y() ? load(mab, u.y[c]) : zero, V.has_z() ? load(mab, u.z[c]) : zero};
  if (V.product) in.x = flip(in.x);
  if (V.addend) in.z = flip(in.z);
  return in;
}

KMH_AVX2_INLINE __m256d product(__m256d a, __m256d b) {
  constexpr int64_t kLow = int64_t{0x1f} << 29, kSignExponent = INT64_MIN >> 11;
  const __m256d ah = bits_of(a, ~kLow), bh = bits_of(b, ~kLow);
  const __m256d al = _mm256_sub_pd(a, ah), bl = _mm256_sub_pd(b, bh);
  const __m256d both = _mm256_cmp_pd(_mm256_mul_pd(al, bl), _mm256_setzero_pd(), _CMP_NEQ_UQ);
  const __m256d unit = _mm256_mul_pd(_mm256_mul_pd(bits_of(a, kSignExponent), _mm256_set1_pd(0x1p-38)),
                                     _mm256_and_pd(bits_of(b, kSignExponent), both));
  return _mm256_fmadd_pd(a, bh, _mm256_fmadd_pd(ah, bl, unit));
}

template <Variant V>
KMH_AVX2_INLINE Doubles exact(const Inputs& in) {
  Doubles r = widened(in.x);
  if constexpr (V.has_y()) {
    const Doubles y = widened(in.y);
    r = {product(r.low, y.low), product(r.high, y.high)};
  }
  if constexpr (V.has_z()) {
    const Doubles z = widened(in.z);
    r = {avx2::odd_sum(r.low, z.low), avx2::odd_sum(r.high, z.high)};
  }
  return r;
}

// Single results. Sums of two singles are rounded right by the host.
template <Variant V>
KMH_AVX2_INLINE __m256i single(const Inputs& in) {
  if constexpr (V.has_y()) {
    const Doubles r = exact<V>(in);
    return _mm256_castps_si256(avx2::positive_zero(_mm256_set_m128(_mm256_cvtpd_ps(r.high), _mm256_cvtpd_ps(r.low))));
  } else {
    return _mm256_castps_si256(
        avx2::positive_zero(_mm256_add_ps(_mm256_castsi256_ps(in.x), _mm256_castsi256_ps(in.z))));
  }
}

KMH_AVX2_INLINE void put(Mab& mab, const Uop& u, int c, __m256i r) {
  auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
  _mm256_store_si256(to, r);
  if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
}

KMH_AVX2_INLINE __m256i all_zeros(__m256i v) {
  return _mm256_cmpeq_epi32(_mm256_and_si256(v, _mm256_set1_epi32(0x7f800000)), _mm256_setzero_si256());
}

// Infinities taken out before and put back after: the product's sign, else the addend's (Q15); none in a product with
// a zero.
template <Variant V>
KMH_AVX2 __attribute__((noinline)) void rare(Mab& mab, const Uop& u) {
  for (int c = 0; c < 4; ++c) {
    Inputs in = inputs<V>(mab, u, c);
    __m256i factors = all_ones(in.x), products = factors, sign = in.x;
    if constexpr (V.has_y()) {
      factors = _mm256_or_si256(factors, all_ones(in.y));
      products = _mm256_andnot_si256(_mm256_or_si256(all_zeros(in.x), all_zeros(in.y)), factors);
      sign = _mm256_xor_si256(in.x, in.y);
      in.y = _mm256_andnot_si256(factors, in.y);
    }
    const __m256i addends = V.has_z() ? all_ones(in.z) : _mm256_setzero_si256();
    const __m256i inf = _mm256_blendv_epi8(infinity(in.z), infinity(sign), products);
    in.x = _mm256_andnot_si256(factors, in.x);
    in.z = _mm256_andnot_si256(addends, in.z);
    const __m256i found = _mm256_or_si256(products, addends);
    if constexpr (V.narrow) {
      const __m128i low = _mm256_castsi256_si128(found), high = _mm256_extracti128_si256(found, 1);
      const Doubles r = exact<V>(in), d = widened(inf);
      put(mab, u, c,
          avx2::two_halves({_mm256_blendv_pd(r.low, d.low, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(low))),
                            _mm256_blendv_pd(r.high, d.high, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(high)))}));
    } else {
      put(mab, u, c, _mm256_blendv_epi8(single<V>(in), inf, found));
    }
  }
}

template <Variant V>
KMH_AVX2 void vector(Mab& mab, const Uop& u, Place&) {
  // Infinities and NaNs in any input.
  __m256i special = _mm256_setzero_si256();
  __m256i r[4];
  for (int c = 0; c < 4; ++c) {
    const Inputs in = inputs<V>(mab, u, c);
    if constexpr (V.narrow) {
      special = _mm256_or_si256(special, all_ones(in.x));
      if constexpr (V.has_y()) special = _mm256_or_si256(special, all_ones(in.y));
      if constexpr (V.has_z()) special = _mm256_or_si256(special, all_ones(in.z));
      r[c] = avx2::two_halves(exact<V>(in));
    } else {
      r[c] = single<V>(in);
      special = _mm256_or_si256(special, all_ones(r[c]));  // an infinity or NaN makes one
    }
  }
  if (_mm256_testz_si256(special, special) == 0) [[unlikely]]
    return rare<V>(mab, u);
  for (int c = 0; c < 4; ++c) put(mab, u, c, r[c]);
}

template <Form F, bool kNarrow>
Kernel by_signs(bool product, bool addend) {
  if (product) return addend ? vector<Variant{F, true, true, kNarrow}> : vector<Variant{F, true, false, kNarrow}>;
  return addend ? vector<Variant{F, false, true, kNarrow}> : vector<Variant{F, false, false, kNarrow}>;
}

template <Form F>
Kernel of(const emu::Op& op, bool product, bool addend) {
  return op.insn->narrow ? by_signs<F, true>(product, addend) : by_signs<F, false>(product, addend);
}

}  // namespace

Kernel single_vector_avx2(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kF) return nullptr;
  const bool a = op.src[0].negate, b = op.src[1].negate, c = op.src[2].negate;
  switch (mau_form(op)) {
    case MauForm::kVfma: return of<Form::kFma>(op, a != b, c);
    case MauForm::kVmul: return of<Form::kMul>(op, a != b, false);
    case MauForm::kVadd: return of<Form::kAdd>(op, a, b);
    case MauForm::kVpassa: return of<Form::kPassa>(op, a, false);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
