// hmfma and hmmul in AVX-512.
//
// The sum of 16 products is eight vpdpwssd; it has at most 22 bits, so it is exact as a single, and so is its product
// with the scale: one fma with the addend is the one rounding (ISA 8.6). A block with extended elements or infinities
// takes `rare`, which is vector code too.
#include "targets/mncore2/fast/half_columns.h"
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/round_avx512.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::HalfColumns;
using emu::Mab;
using emu::MatrixSide;

KMH_AVX512_INLINE __m512i lanes(const uint32_t (&v)[16]) { return _mm512_load_si512(v); }
KMH_AVX512_INLINE __m256i row_at(Mab& mab, Row row) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(at(mab, row)));
}

// E in place in a half.
KMH_AVX512_INLINE unsigned block_exponent(const uint64_t* row) {
  uint64_t any = (row[0] | row[1]) | (row[2] | row[3]);
  any |= any >> 32;
  return static_cast<unsigned>(any | any >> 16) & kHalfExponent;
}

KMH_AVX512_INLINE __m512 addend(Mab& mab, Row row) { return avx512::addend(_mm512_load_ps(at(mab, row))); }

struct Variant {
  bool has_y, negate_x, negate_y, narrow;
};

// sum * 2^(scale) +- y, rounded once; to odd if `narrow`, where one more rounding follows. The product alone never is
// -0 and never leaves the range of a single.
template <Variant V>
KMH_AVX512_INLINE __m512 total(Mab& mab, Row y, __m512i sum, __m512i scale) {
  const __m512 s = _mm512_cvtepi32_ps(sum), f = _mm512_castsi512_ps(scale);
  if constexpr (!V.has_y) {
    return _mm512_mul_ps(s, f);
  } else if constexpr (V.narrow) {
    const __m512 z = addend(mab, y);
    return avx512::odd_fma(s, f, V.negate_y ? _mm512_xor_ps(z, _mm512_set1_ps(-0.0f)) : z);
  } else if constexpr (V.negate_y) {
    return _mm512_fmsub_ps(s, f, addend(mab, y));
  } else {
    return _mm512_fmadd_ps(s, f, addend(mab, y));
  }
}

template <Variant V>
KMH_AVX512_INLINE void put(Mab& mab, const Uop& u, int cycle, __m512 r) {
  auto* to = reinterpret_cast<float*>(at(mab, u.out[cycle]));
  if constexpr (V.narrow) {
    _mm256_store_ps(to, _mm256_castsi256_ps(avx512::four_halves(r)));
    if (u.wide) _mm256_store_ps(to + 8, _mm256_setzero_ps());
  } else if (u.wide) [[likely]] {
    _mm512_store_ps(to, r);
  } else {
    _mm256_store_ps(to, _mm512_castps512_ps256(r));
  }
}

// sum += the products of each lane's pair with the pair at x. The intrinsic would load the broadcast apart (g++ 12),
// which costs a quarter of the kernel's time.
KMH_AVX512_INLINE __m512i dot(__m512i sum, __m512i pairs, const int32_t& x) {
  asm("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(pairs), "m"(x));
  return sum;
}

// A vector's elements as factors, and its infinities.
struct RareVector {
  alignas(64) float factor[16];
  uint32_t exponent;  // E << 23
  bool some_infinite;
  uint32_t infinite, live, negative;
};

KMH_AVX512_INLINE void read_rare(const uint64_t* row, float unit, bool negate, RareVector& to) {
  const __m256i exponent = _mm256_set1_epi16(kHalfExponent), fraction = _mm256_set1_epi16(kHalfFraction);
  const unsigned e = block_exponent(row);
  const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(row));
  const __m256i own = _mm256_and_si256(v, exponent);
  const __mmask16 inf = _mm256_cmpeq_epi16_mask(own, exponent);
  // Without any exponent there are only zeros.
  const auto finite = static_cast<__mmask16>(e == 0 ? 0 : ~inf);
  const __m512i m = _mm512_cvtepu16_epi32(_mm256_maskz_mov_epi16(finite, _mm256_and_si256(v, fraction)));
  const __m512 factor = _mm512_mul_ps(
      _mm512_cvtepi32_ps(m),
      _mm512_mask_blend_ps(_mm256_test_epi16_mask(own, own), _mm512_set1_ps(unit * 0x1p-6f), _mm512_set1_ps(unit)));
  auto minus = static_cast<__mmask16>(_mm256_movepi16_mask(v) ^ (negate ? 0xffff : 0));
  _mm512_store_ps(to.factor, _mm512_mask_sub_ps(factor, minus, _mm512_setzero_ps(), factor));
  to.exponent = e << 14;
  to.some_infinite = inf != 0;
}

// Bits that only a sum with infinities needs.
KMH_AVX512_INLINE void read_masks(const uint64_t* row, bool negate, RareVector& x) {
  const __m128i swap = _mm_set_epi32(0x09080b0a, 0x0d0c0f0e, 0x01000302, 0x05040706);  // element 0 first
  const __m256i exponent = _mm256_set1_epi16(kHalfExponent);
  const __m256i v =
      _mm256_shuffle_epi8(_mm256_load_si256(reinterpret_cast<const __m256i*>(row)), _mm256_broadcastsi128_si256(swap));
  x.infinite = _mm256_cmpeq_epi16_mask(_mm256_and_si256(v, exponent), exponent);
  x.live = x.exponent == 0 ? 0 : _mm256_test_epi16_mask(v, _mm256_set1_epi16(kHalfFraction)) | x.infinite;
  x.negative = static_cast<uint32_t>(_mm256_movepi16_mask(v)) ^ (negate ? 0xffffu : 0u);
}

// Where some product is infinite, the sign of the first one decides (Q15), whatever the addend.
KMH_AVX512_INLINE __m512 with_infinities(__m512 r, const HalfColumns& a, const RareVector& x) {
  const __m512i infinite = _mm512_or_si512(lanes(a.infinite), _mm512_set1_epi32(static_cast<int>(x.infinite)));
  const __m512i both = _mm512_and_si512(lanes(a.live), _mm512_set1_epi32(static_cast<int>(x.live)));
  const __m512i found = _mm512_and_si512(infinite, both);
  const __m512i first = _mm512_and_si512(found, _mm512_sub_epi32(_mm512_setzero_si512(), found));
  const __m512i sign = _mm512_xor_si512(lanes(a.negative), _mm512_set1_epi32(static_cast<int>(x.negative)));
  const __mmask16 minus = _mm512_test_epi32_mask(first, sign);
  const __m512i inf = _mm512_mask_blend_epi32(minus, _mm512_set1_epi32(0x7f800000), _mm512_set1_epi32(-0x800000));
  return _mm512_castsi512_ps(_mm512_mask_mov_epi32(_mm512_castps_si512(r), _mm512_test_epi32_mask(found, found), inf));
}

// Every product apart, rounded to an integer of the ordinary product's last bit (Q3): an fma whose addend's last bit
// is 1 does it, and the patterns of such singles add up as integers.
template <Variant V>
KMH_AVX512 __attribute__((noinline)) void rare(Mab& mab, const Uop& u) {
  constexpr uint32_t kRounder = 0x4b400000;  // 1.5 * 2^23
  MatrixSide& side = fast::side(mab, u);
  HalfColumns& a = side.columns;
  RareVector x[4];
  const float unit = a.kind & HalfColumns::kScaled ? 0x1p-6f : 1.0f;
  bool infinite = (a.kind & HalfColumns::kInfinite) != 0;
  for (int c = 0; c < 4; ++c) {
    read_rare(at(mab, u.x[c]), unit, V.negate_x, x[c]);
    infinite |= x[c].some_infinite;
  }
  const __m512 rounder = _mm512_castsi512_ps(_mm512_set1_epi32(kRounder));
  __m512i sum[4];
  for (__m512i& s : sum) s = _mm512_set1_epi32(static_cast<int>(0u - 16 * kRounder));
  for (int j = 0; j < 16; j += 2) {
    const __m512i pair = lanes(a.pairs[j / 2]);
    const __m512 even = _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_slli_epi32(pair, 16), 16));
    const __m512 odd = _mm512_cvtepi32_ps(_mm512_srai_epi32(pair, 16));
    for (int c = 0; c < 4; ++c) {
      const __m512 p = _mm512_fmadd_ps(even, _mm512_set1_ps(x[c].factor[j]), rounder);
      const __m512 q = _mm512_fmadd_ps(odd, _mm512_set1_ps(x[c].factor[j + 1]), rounder);
      sum[c] = _mm512_add_epi32(sum[c], _mm512_add_epi32(_mm512_castps_si512(p), _mm512_castps_si512(q)));
    }
  }
  if (infinite) {
    if ((a.kind & HalfColumns::kMasks) == 0) make_masks_avx512(side);
    for (int c = 0; c < 4; ++c) read_masks(at(mab, u.x[c]), V.negate_x, x[c]);
  }
  for (int c = 0; c < 4; ++c) {
    const __m512i scale = _mm512_add_epi32(lanes(a.scale), _mm512_set1_epi32(static_cast<int>(x[c].exponent)));
    __m512 r = total<V>(mab, u.z[c], sum[c], scale);
    if (infinite) r = with_infinities(r, a, x[c]);
    put<V>(mab, u, c, r);
  }
}

KMH_AVX512_INLINE __m512i two_rows(Mab& mab, const Row* rows) {
  return _mm512_inserti64x4(_mm512_castsi256_si512(row_at(mab, rows[0])), row_at(mab, rows[1]), 1);
}
template <Variant V>
KMH_AVX512_INLINE void put_pairs(__m512i halves, __m512i fractions, int32_t (&to)[8]) {
  __mmask32 minus = _mm512_movepi16_mask(halves);
  if (V.negate_x) minus = ~minus;
  _mm512_store_si512(to, _mm512_mask_sub_epi16(fractions, minus, _mm512_setzero_si512(), fractions));
}

// Sums of products where every one counts in full. Two chains for each cycle: one alone would be as long as all the
// work.
KMH_AVX512_INLINE void sums(const HalfColumns& a, const int32_t (&x)[4][8], __m512i (&sum)[4]) {
  __m512i low[4], high[4];
  for (int c = 0; c < 4; ++c) low[c] = high[c] = _mm512_setzero_si512();
  for (int j = 0; j < 4; ++j) {
    const __m512i p = lanes(a.pairs[j]), q = lanes(a.pairs[j + 4]);
    for (int c = 0; c < 4; ++c) {
      low[c] = dot(low[c], p, x[c][j]);
      high[c] = dot(high[c], q, x[c][j + 4]);
    }
  }
  for (int c = 0; c < 4; ++c) sum[c] = _mm512_add_epi32(low[c], high[c]);
}

// Infinities among ordinary elements: they count as zeros in the sums, and then as what they are.
template <Variant V>
KMH_AVX512 __attribute__((noinline)) void infinite(Mab& mab, const Uop& u) {
  MatrixSide& side = fast::side(mab, u);
  HalfColumns& a = side.columns;
  if ((a.kind & HalfColumns::kMasks) == 0) make_masks_avx512(side);
  const __m512i exponent_field = _mm512_set1_epi16(kHalfExponent), fraction = _mm512_set1_epi16(kHalfFraction);
  alignas(64) int32_t x[4][8];  // pairs of signed fractions
  uint32_t exponent[4];
  for (int c = 0; c < 4; c += 2) {
    const __m512i v = two_rows(mab, u.x + c);
    const __mmask32 inf = _mm512_cmpeq_epi16_mask(_mm512_and_si512(v, exponent_field), exponent_field);
    put_pairs<V>(v, _mm512_maskz_mov_epi16(~inf, _mm512_and_si512(v, fraction)), x[c]);
  }
  __m512i sum[4];
  for (int c = 0; c < 4; ++c) exponent[c] = block_exponent(at(mab, u.x[c])) << 14;
  asm("" : "+m"(x), "+m"(exponent));
  sums(a, x, sum);
  for (int c = 0; c < 4; ++c) {
    RareVector r;
    r.exponent = exponent[c];
    read_masks(at(mab, u.x[c]), V.negate_x, r);
    const __m512i scale = _mm512_add_epi32(lanes(a.scale), _mm512_set1_epi32(static_cast<int>(r.exponent)));
    put<V>(mab, u, c, with_infinities(total<V>(mab, u.z[c], sum[c], scale), a, r));
  }
}

template <Variant V>
KMH_AVX512 void half_matrix(Mab& mab, const Uop& u, Place&) {
  MatrixSide& side = fast::side(mab, u);
  HalfColumns& a = side.columns;
  if (a.groups != 0xf) refresh_columns_avx512(side);

  alignas(64) int32_t x[4][8];  // pairs of signed fractions
  uint32_t exponent[4];
  const __m512i exponent_field = _mm512_set1_epi16(kHalfExponent), fraction = _mm512_set1_epi16(kHalfFraction);
  unsigned all_ones = a.kind & (HalfColumns::kScaled | HalfColumns::kInfinite);
  __mmask32 small = 0;
  for (int c = 0; c < 4; ++c) {
    const unsigned e = block_exponent(at(mab, u.x[c]));
    all_ones |= (e + 0x200) & 0x8000;
    exponent[c] = e << 14;
  }
  for (int c = 0; c < 4; c += 2) {
    const __m512i v = two_rows(mab, u.x + c);
    small |= _mm512_mask_test_epi16_mask(_mm512_testn_epi16_mask(v, exponent_field), v, fraction);
    put_pairs<V>(v, _mm512_and_si512(v, fraction), x[c]);
  }
  // From memory each dword is a broadcast for free; the compiler would take it out of a register by two shuffles.
  asm("" : "+m"(x), "+m"(exponent));
  if ((all_ones | small) != 0) [[unlikely]]
    return small != 0 || (a.kind & HalfColumns::kScaled) != 0 ? rare<V>(mab, u) : infinite<V>(mab, u);

  __m512i sum[4];
  sums(a, x, sum);
  const __m512i scale = lanes(a.scale);
  __m512 r[4];
  for (int c = 0; c < 4; ++c)
    r[c] = total<V>(mab, u.z[c], sum[c], _mm512_add_epi32(scale, _mm512_set1_epi32(static_cast<int>(exponent[c]))));
  for (int c = 0; c < 4; ++c) put<V>(mab, u, c, r[c]);
}

template <bool kHasY, bool kNarrow>
Kernel by_signs(bool x, bool y) {
  if constexpr (!kHasY)
    return x ? half_matrix<Variant{false, true, false, kNarrow}> : half_matrix<Variant{false, false, false, kNarrow}>;
  if (y) return x ? half_matrix<Variant{true, true, true, kNarrow}> : half_matrix<Variant{true, false, true, kNarrow}>;
  return x ? half_matrix<Variant{true, true, false, kNarrow}> : half_matrix<Variant{true, false, false, kNarrow}>;
}

template <bool kHasY>
Kernel of(const emu::Op& op) {
  const bool x = op.src[0].negate, y = kHasY && op.src[1].negate;
  return op.insn->narrow ? by_signs<kHasY, true>(x, y) : by_signs<kHasY, false>(x, y);
}

}  // namespace

Kernel half_matrix_avx512(const emu::Op& op) {
  if (op.insn->prec != isa::Prec::kH) return nullptr;
  switch (mau_form(op)) {
    case MauForm::kMfma: return of<true>(op);
    case MauForm::kMmul: return of<false>(op);
    default: return nullptr;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
