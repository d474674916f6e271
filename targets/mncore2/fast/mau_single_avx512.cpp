// fvfma, fvmul, fvadd and fvpassa in AVX-512, eight singles (a cycle) at a time.
//
// Products are formed in doubles, where the truncated multiplier (ISA 8.4, num/fma.h) is exact: with al, bl the low
// five bits, a*b - al*bl = a*bh + ah*bl, and the constant is added where neither low part is zero. The sum with the
// addend is rounded to odd, by two directed additions of which one is odd when they differ, and then once to single or
// half. Infinities and NaN patterns show up in the result, and are then put right.
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx512.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

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

KMH_AVX512_INLINE __m256i load(Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
}
KMH_AVX512_INLINE __m256i flip(__m256i v) { return _mm256_xor_si256(v, _mm256_set1_epi32(INT32_MIN)); }
KMH_AVX512_INLINE __m512d widened(__m256i v) { return _mm512_cvtps_pd(_mm256_castsi256_ps(v)); }
KMH_AVX512_INLINE __m512d bits_of(__m512d v, int64_t mask) {
  return _mm512_and_pd(v, _mm512_castsi512_pd(_mm512_set1_epi64(mask)));
}

template <Variant V>
KMH_AVX512_INLINE Inputs inputs(Mab& mab, const Uop& u, int c) {
  const __m256i zero = _mm256_setzero_si256();
  Inputs in{load(mab, u.x[c]), V.has_y() ? load(mab, u.y[c]) : zero, V.has_z() ? load(mab, u.z[c]) : zero};
  if (V.product) in.x = flip(in.x);
  if (V.addend) in.z = flip(in.z);
  return in;
}

KMH_AVX512_INLINE __m512d product(__m512d a, __m512d b) {
  constexpr int64_t kLow = int64_t{0x1f} << 29, kSignExponent = INT64_MIN >> 11;
  const __m512i low = _mm512_set1_epi64(kLow);
  const __mmask8 both =
      _mm512_mask_test_epi64_mask(_mm512_test_epi64_mask(_mm512_castpd_si512(a), low), _mm512_castpd_si512(b), low);
  const __m512d ah = bits_of(a, ~kLow), bh = bits_of(b, ~kLow);
  __m512d rest = _mm512_mul_pd(ah, _mm512_sub_pd(b, bh));
  const __m512d unit = _mm512_mul_pd(bits_of(a, kSignExponent), bits_of(b, kSignExponent));
  rest = _mm512_mask3_fmadd_pd(unit, _mm512_set1_pd(0x1p-38), rest, both);
  return _mm512_fmadd_pd(a, bh, rest);
}

KMH_AVX512_INLINE __m256i infinity(__m256i sign_from) {
  const __m256i sign = _mm256_and_si256(sign_from, _mm256_set1_epi32(INT32_MIN));
  return _mm256_or_si256(sign, _mm256_set1_epi32(0x7f800000));
}

// The result of a cycle in doubles, ready for the last rounding; without infinities.
template <Variant V>
KMH_AVX512_INLINE __m512d exact(const Inputs& in) {
  const __m512d p = V.has_y() ? product(widened(in.x), widened(in.y)) : widened(in.x);
  return V.has_z() ? avx512::odd_sum(p, widened(in.z)) : p;
}

// Single results. Sums of two singles are rounded right by the host.
template <Variant V>
KMH_AVX512_INLINE __m256i single(const Inputs& in) {
  if constexpr (V.has_y())
    return _mm256_castps_si256(avx512::positive_zero(_mm512_cvtpd_ps(exact<V>(in))));
  else
    return _mm256_castps_si256(
        avx512::positive_zero(_mm256_add_ps(_mm256_castsi256_ps(in.x), _mm256_castsi256_ps(in.z))));
}

KMH_AVX512_INLINE void put(Mab& mab, const Uop& u, int c, __m256i r) {
  auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[c]));
  _mm256_store_si256(to, r);
  if (u.wide) _mm256_store_si256(to + 1, _mm256_setzero_si256());
}

KMH_AVX512_INLINE __mmask8 all_ones(__m256i v) {
  const __m256i field = _mm256_set1_epi32(0x7f800000);
  return _mm256_cmpeq_epi32_mask(_mm256_and_si256(v, field), field);
}

// What stands in a result where an input is an infinity: the product's sign, else the addend's (Q15). A product with a
// zero is none, and leaves the addend.
struct Infinities {
  __mmask8 lanes;
  __m256i value;
};
template <Variant V>
KMH_AVX512_INLINE Infinities infinities(const Inputs& in) {
  const __m256i field = _mm256_set1_epi32(0x7f800000);
  __mmask8 factors = all_ones(in.x), products = factors;
  __m256i sign = in.x;
  if constexpr (V.has_y()) {
    factors |= all_ones(in.y);
    products = _mm256_mask_test_epi32_mask(_mm256_mask_test_epi32_mask(factors, in.x, field), in.y, field);
    sign = _mm256_xor_si256(in.x, in.y);
  }
  const auto lanes = static_cast<__mmask8>(factors | (V.has_z() ? all_ones(in.z) : 0));
  const __m256i addend = _mm256_castps_si256(avx512::addend(_mm256_castsi256_ps(in.z)));
  return {lanes, _mm256_mask_mov_epi32(addend, products, infinity(sign))};
}

template <Variant V>
KMH_AVX512 void vector(Mab& mab, const Uop& u, Place&) {
  __mmask8 special = 0;
  if constexpr (V.narrow) {
    // Infinities are seen before the last rounding: a half has too small a range to tell them from large values.
    __m512d r[4];
    for (int c = 0; c < 4; ++c) {
      r[c] = exact<V>(inputs<V>(mab, u, c));
      special |= _mm512_fpclass_pd_mask(r[c], 0x99);  // NaNs and infinities
    }
    if (special != 0) [[unlikely]]
      for (int c = 0; c < 4; ++c) {
        const Infinities i = infinities<V>(inputs<V>(mab, u, c));
        r[c] = _mm512_mask_mov_pd(r[c], i.lanes, widened(i.value));
      }
    for (int c = 0; c < 4; ++c) put(mab, u, c, avx512::two_halves(r[c]));
  } else {
    __m256i r[4];
    for (int c = 0; c < 4; ++c) {
      r[c] = single<V>(inputs<V>(mab, u, c));
      special |= _mm256_fpclass_ps_mask(_mm256_castsi256_ps(r[c]), 0x99);
    }
    if (special != 0) [[unlikely]]
      for (int c = 0; c < 4; ++c) {
        const Infinities i = infinities<V>(inputs<V>(mab, u, c));
        r[c] = _mm256_mask_mov_epi32(r[c], i.lanes, i.value);
      }
    for (int c = 0; c < 4; ++c) put(mab, u, c, r[c]);
  }
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

Kernel single_vector_avx512(const emu::Op& op) {
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
