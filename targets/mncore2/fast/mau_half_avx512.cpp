// hvfma, hvmul, hvadd and hvpassa in AVX-512, the sixteen elements of a cycle at a time.
//
// A product of two halves is exact in a single, so the host's fma with the addend is the one rounding (ISA 8.4). With
// opcode modifier r the fma is rounded to odd first and then once to half. Factors that are infinities take `rare`;
// infinite addends do not.
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx512.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::Mab;

enum class Form : uint8_t { kFma, kMul, kAdd, kPassa };
// Signs of the product and of the addend; `narrow`: the result is rounded to half.
struct Variant {
  Form form;
  bool product, addend, narrow;
  constexpr bool has_y() const { return form == Form::kFma || form == Form::kMul; }
  constexpr bool has_z() const { return form == Form::kFma || form == Form::kAdd; }
};

KMH_AVX512_INLINE __m256i load(Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
}
KMH_AVX512_INLINE __mmask16 infinite(__m256i v) {
  const __m256i field = _mm256_set1_epi16(0x7e00);
  return _mm256_cmpeq_epi16_mask(_mm256_and_si256(v, field), field);
}

// Each half at the upper end of the lane of its single: those of the MSB words in lanes 0 to 7.
KMH_AVX512_INLINE __m512i in_lanes(__m256i v) {
  const __m512i from = _mm512_set_epi32(13 << 16, 12 << 16, 9 << 16, 8 << 16, 5 << 16, 4 << 16, 1 << 16, 0, 15 << 16,
                                        14 << 16, 11 << 16, 10 << 16, 7 << 16, 6 << 16, 3 << 16, 2 << 16);
  return _mm512_maskz_permutexvar_epi16(0xaaaaaaaau, from, _mm512_castsi256_si512(v));
}

// As singles. The fields of a half, moved down, are those of a single 2^96 times smaller; with exponent field 0 the
// host takes it for a zero, as it should. Precondition: no infinities.
KMH_AVX512_INLINE __m512 widened(__m512i lanes, bool negative) {
  const __m512i fields = _mm512_and_si512(_mm512_srai_epi32(lanes, 2), _mm512_set1_epi32(static_cast<int>(0x9fffc000)));
  return _mm512_mul_ps(_mm512_castsi512_ps(fields), _mm512_set1_ps(negative ? -0x1p96f : 0x1p96f));
}

template <Variant V>
KMH_AVX512_INLINE __m512 addend_at(Mab& mab, const Uop& u, int c) {
  __m512i z = _mm512_load_si512(at(mab, u.z[c]));
  if (V.addend) z = _mm512_xor_si512(z, _mm512_set1_epi32(INT32_MIN));
  return avx512::addend(_mm512_castsi512_ps(z));
}

// The result in singles; rounded to odd if one more rounding follows. Only zeros of products can be -0 here.
template <Variant V>
KMH_AVX512_INLINE __m512 result(Mab& mab, const Uop& u, int c, __m512i x_lanes, __m512i y_lanes) {
  const __m512 x = widened(x_lanes, V.product);
  if constexpr (V.form == Form::kFma) {
    const __m512 y = widened(y_lanes, false), z = addend_at<V>(mab, u, c);
    return V.narrow ? avx512::odd_fma(x, y, z) : _mm512_fmadd_ps(x, y, z);
  } else if constexpr (V.form == Form::kMul) {
    const __m512 p = _mm512_mul_ps(x, widened(y_lanes, false));
    return V.narrow ? p : avx512::positive_zero(p);
  } else if constexpr (V.form == Form::kAdd) {
    const __m512 z = addend_at<V>(mab, u, c);
    return V.narrow ? avx512::odd_sum(x, z) : _mm512_add_ps(x, z);
  } else {
    return V.narrow ? x : avx512::positive_zero(x);
  }
}

template <Variant V>
KMH_AVX512_INLINE void put(Mab& mab, const Uop& u, int c, __m512 r) {
  uint64_t* to = at(mab, u.out[c]);
  if constexpr (V.narrow) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), avx512::four_halves(r));
    if (u.wide) _mm256_store_si256(reinterpret_cast<__m256i*>(to + 4), _mm256_setzero_si256());
  } else if (u.wide) {
    _mm512_store_ps(to, r);
  } else {
    _mm256_store_ps(reinterpret_cast<float*>(to), _mm512_castps512_ps256(r));
  }
}

// An infinite product takes its sign and wins over the addend (Q15); with a zero factor it is a zero.
template <Variant V>
KMH_AVX512 __attribute__((noinline)) void rare(Mab& mab, const Uop& u) {
  const __m512i field = _mm512_set1_epi32(0x7e000000);
  for (int c = 0; c < 4; ++c) {
    __m512i x = in_lanes(load(mab, u.x[c])), y = x, sign = x;
    __mmask16 factors = _mm512_cmpeq_epi32_mask(_mm512_and_si512(x, field), field), products = factors;
    if constexpr (V.has_y()) {
      y = in_lanes(load(mab, u.y[c]));
      factors |= _mm512_cmpeq_epi32_mask(_mm512_and_si512(y, field), field);
      products = _mm512_mask_test_epi32_mask(_mm512_mask_test_epi32_mask(factors, x, field), y, field);
      sign = _mm512_xor_si512(x, y);
      y = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~factors), y);
    }
    x = _mm512_maskz_mov_epi32(static_cast<__mmask16>(~factors), x);
    const __m512i inf = _mm512_set1_epi32(0x7f800000), minus = _mm512_set1_epi32(INT32_MIN);
    if (V.product) sign = _mm512_xor_si512(sign, minus);
    const __m512i r = _mm512_castps_si512(result<V>(mab, u, c, x, y));
    put<V>(mab, u, c, _mm512_castsi512_ps(_mm512_mask_or_epi32(r, products, inf, _mm512_and_si512(sign, minus))));
  }
}

template <Variant V>
KMH_AVX512 void vector(Mab& mab, const Uop& u, Place&) {
  __m512 r[4];
  __mmask16 special = 0;
  for (int c = 0; c < 4; ++c) {
    const __m256i x = load(mab, u.x[c]), y = V.has_y() ? load(mab, u.y[c]) : x;
    special |= infinite(x);
    if constexpr (V.has_y()) special |= infinite(y);
    r[c] = result<V>(mab, u, c, in_lanes(x), in_lanes(y));
  }
  if (special != 0) [[unlikely]]
    return rare<V>(mab, u);
  for (int c = 0; c < 4; ++c) put<V>(mab, u, c, r[c]);
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

Kernel half_vector_avx512(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kH) return nullptr;
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
