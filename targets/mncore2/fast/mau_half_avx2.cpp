// hvfma, hvmul, hvadd and hvpassa in AVX2: see mau_half_avx512.cpp. The elements of the MSB words, then those of the LSB
// words; infinite addends take `rare` too.
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx2.h"

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

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }

// Each half of side w at the upper end of the lane of its single.
KMH_AVX2_INLINE __m256i in_lanes(__m256i v, int w) {
  const __m128i msb = _mm_set_epi8(15, 14, -1, -1, 13, 12, -1, -1, 7, 6, -1, -1, 5, 4, -1, -1);
  const __m128i lsb = _mm_set_epi8(11, 10, -1, -1, 9, 8, -1, -1, 3, 2, -1, -1, 1, 0, -1, -1);
  return _mm256_shuffle_epi8(v, _mm256_broadcastsi128_si256(w == 0 ? msb : lsb));
}

// As singles. The fields of a half, moved down, are those of a single 2^96 times smaller; with exponent field 0 the
// host takes it for a zero, as it should. Precondition: no infinities.
KMH_AVX2_INLINE __m256 widened(__m256i lanes, bool negative) {
  const __m256i fields = _mm256_and_si256(_mm256_srai_epi32(lanes, 2), _mm256_set1_epi32(static_cast<int>(0x9fffc000)));
  return _mm256_mul_ps(_mm256_castsi256_ps(fields), _mm256_set1_ps(negative ? -0x1p96f : 0x1p96f));
}

template <Variant V>
KMH_AVX2_INLINE __m256i addend_at(Mab& mab, const Uop& u, int c, int w) {
  if constexpr (!V.has_z()) return _mm256_setzero_si256();
  const __m256i z = load(at(mab, u.z[c]) + 4 * w);
  return V.addend ? _mm256_xor_si256(z, _mm256_set1_epi32(INT32_MIN)) : z;
}

// The result in singles; rounded to odd if one more rounding follows.
template <Variant V>
KMH_AVX2_INLINE __m256 result(__m256i x_lanes, __m256i y_lanes, __m256i z_bits) {
  const __m256 x = widened(x_lanes, V.product), z = _mm256_castsi256_ps(z_bits);
  __m256 r = x;
  if constexpr (V.form == Form::kFma) {
    const __m256 y = widened(y_lanes, false);
    r = V.narrow ? avx2::odd_sum(_mm256_mul_ps(x, y), z) : _mm256_fmadd_ps(x, y, z);
  } else if constexpr (V.form == Form::kMul) {
    r = _mm256_mul_ps(x, widened(y_lanes, false));
  } else if constexpr (V.form == Form::kAdd) {
    r = V.narrow ? avx2::odd_sum(x, z) : _mm256_add_ps(x, z);
  }
  return V.narrow ? r : avx2::positive_zero(r);
}

template <Variant V>
KMH_AVX2_INLINE void put(Mab& mab, const Uop& u, int c, __m256 msb, __m256 lsb) {
  auto* to = reinterpret_cast<float*>(at(mab, u.out[c]));
  if constexpr (V.narrow) {
    msb = _mm256_castsi256_ps(avx2::four_halves(msb, lsb));
    lsb = _mm256_setzero_ps();
  }
  _mm256_store_ps(to, msb);
  if (u.wide) _mm256_store_ps(to + 8, lsb);
}

KMH_AVX2_INLINE __m256i equal(__m256i lanes, __m256i field) {
  return _mm256_cmpeq_epi32(_mm256_and_si256(lanes, _mm256_set1_epi32(0x7e000000)), field);
}

// An infinite product takes its sign and wins over the addend (Q15); with a zero factor it is a zero.
template <Variant V>
KMH_AVX2 __attribute__((noinline)) void rare(Mab& mab, const Uop& u) {
  const __m256i field = _mm256_set1_epi32(0x7e000000), zero = _mm256_setzero_si256();
  for (int c = 0; c < 4; ++c) {
    __m256 r[2];
    for (int w = 0; w < 2; ++w) {
      __m256i x = in_lanes(load(at(mab, u.x[c])), w), y = x, sign = x;
      __m256i factors = equal(x, field), products = factors;
      if constexpr (V.has_y()) {
        y = in_lanes(load(at(mab, u.y[c])), w);
        factors = _mm256_or_si256(factors, equal(y, field));
        products = _mm256_andnot_si256(_mm256_or_si256(equal(x, zero), equal(y, zero)), factors);
        sign = _mm256_xor_si256(x, y);
        y = _mm256_andnot_si256(factors, y);
      }
      x = _mm256_andnot_si256(factors, x);
      if (V.product) sign = _mm256_xor_si256(sign, _mm256_set1_epi32(INT32_MIN));
      const __m256i z = addend_at<V>(mab, u, c, w), addends = avx2::all_ones(z);
      const __m256i inf = avx2::infinity(_mm256_blendv_epi8(z, sign, products));
      r[w] = _mm256_blendv_ps(result<V>(x, y, _mm256_andnot_si256(addends, z)), _mm256_castsi256_ps(inf),
                              _mm256_castsi256_ps(_mm256_or_si256(products, addends)));
    }
    put<V>(mab, u, c, r[0], r[1]);
  }
}

template <Variant V>
KMH_AVX2 void vector(Mab& mab, const Uop& u, Place&) {
  const __m256i field = _mm256_set1_epi16(0x7e00);
  __m256 r[4][2];
  __m256i special = _mm256_setzero_si256();
  for (int c = 0; c < 4; ++c) {
    const __m256i x = load(at(mab, u.x[c])), y = V.has_y() ? load(at(mab, u.y[c])) : x;
    special = _mm256_or_si256(special, _mm256_cmpeq_epi16(_mm256_and_si256(x, field), field));
    if constexpr (V.has_y()) special = _mm256_or_si256(special, _mm256_cmpeq_epi16(_mm256_and_si256(y, field), field));
    for (int w = 0; w < 2; ++w) {
      const __m256i z = addend_at<V>(mab, u, c, w);
      if constexpr (V.has_z()) special = _mm256_or_si256(special, avx2::all_ones(z));
      r[c][w] = result<V>(in_lanes(x, w), in_lanes(y, w), z);
    }
  }
  if (_mm256_testz_si256(special, special) == 0) [[unlikely]]
    return rare<V>(mab, u);
  for (int c = 0; c < 4; ++c) put<V>(mab, u, c, r[c][0], r[c][1]);
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

Kernel half_vector_avx2(const emu::Op& op) {
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
