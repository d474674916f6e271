// Block-float conversion of rows (ISA 8.5, num/bf.cpp) on lanes, under the default switches. See alu_lanes.h.
//
// A mantissa that rounds up past the kept bits is one whose fraction carries into the exponent when half a unit of the
// last kept bit is added. So the block exponent is the exponent of the largest magnitude, after that addition.
#pragma once

#include "targets/mncore2/fast/alu_float_lanes.h"
#include "targets/mncore2/fast/alu_lanes.h"
#include "targets/mncore2/num/dot.h"

namespace kumihimo::mncore2::fast {
namespace {

static_assert(num::kDefaultSwitches.block_carry == num::BlockCarry::kRoundingOverflow);

// The conversions of a row: 4 doubles, 8 pseudo-singles, twice 4 singles, 16 halves with their `kept` bits.
struct BlockForm {
  num::Block kind;
  int kept;
  bool extended;
  constexpr const num::BlockFormat& of() const { return num::block_format(kind); }
  constexpr int bits() const { return num::format_of(of().element).width; }
};

template <int kBits>
KMH_LANES_INLINE U<kBits> larger(U<kBits> v, __m256i other) {
  const auto w = from<U<kBits>>(other);
  return v > w ? v : w;
}

// The largest lane of each block, in all its lanes.
template <BlockForm kForm, int kBits = kForm.bits()>
KMH_LANES_INLINE U<kBits> largest(U<kBits> v) {
  v = larger<kBits>(v, _mm256_permute4x64_epi64(raw(v), 0x4e));
  v = larger<kBits>(v, _mm256_shuffle_epi32(raw(v), 0x4e));
  if constexpr (kForm.kind == num::Block::kHalf || kForm.kind == num::Block::kPseudo)
    v = larger<kBits>(v, _mm256_shuffle_epi32(raw(v), 0xb1));
  if constexpr (kForm.kind == num::Block::kHalf)
    v = larger<kBits>(v, _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(raw(v), 0xb1), 0xb1));
  return v;
}

// significand / 2^n to nearest, ties to even; n >= 1.
template <int kBits>
KMH_LANES_INLINE U<kBits> rounded_shift(U<kBits> significand, U<kBits> n) {
  constexpr Word<kBits> kOne = 1;
  if constexpr (kBits == 16 && !kAvx512) {
    // As a product with 2^(16 - n), whose lower half is the rest. Ten bits shifted by 11 are less than a half.
    // A byte of the power is looked up by n, the upper one by n + 8, modulo 16.
    const __m256i shift = _mm256_min_epu16(raw(n), _mm256_set1_epi16(11));
    const __m256i powers = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, 0, 0, 0, 0, 0, 0, 0, 0, static_cast<char>(0x80), 0x40, 0x20, 0x10, 8, 4, 2));
    const __m256i index =
        _mm256_add_epi16(_mm256_or_si256(shift, _mm256_slli_epi16(shift, 8)), _mm256_set1_epi16(0x800));
    const __m256i power = _mm256_shuffle_epi8(powers, _mm256_and_si256(index, _mm256_set1_epi8(15)));
    const auto q = from<U<16>>(_mm256_mulhi_epu16(raw(significand), power));
    const auto rest = from<U<16>>(_mm256_mullo_epi16(raw(significand), power));
    const S<16> up = reinterpret_cast<S<16>>((rest + (q & kOne)) ^ uint16_t{0x8000}) > S<16>{};
    return q - reinterpret_cast<U<16>>(up);
  } else {
    const U<kBits> below_half = shift_left<kBits>(all<kBits>(kOne), n - kOne) - kOne;
    const U<kBits> odd = shift_right<kBits>(significand, n) & kOne;
    return shift_right<kBits>(significand + below_half + odd, n);
  }
}

template <BlockForm kForm, int kBits = kForm.bits()>
KMH_LANES_INLINE __m256i converted(__m256i row) {
  using F = Format<kBits>;
  using W = Word<kBits>;
  constexpr num::BlockFormat kBlock = kForm.of();
  constexpr int kUnused = F::kFraction - kBlock.mantissa_bits;  // of the field, at its low end
  constexpr W kHeadroom = kBlock.mantissa_bits - kForm.kept;
  constexpr W kHalfUnit = W{1} << (F::kFraction - kForm.kept);
  constexpr W kExtension = 6, kFieldShift = F::kFraction + 1 - kBlock.mantissa_bits;

  const auto x = from<U<kBits>>(row);
  const U<kBits> sign = x & F::kSign, magnitude = x & F::kMagnitude;
  const U<kBits> most = largest<kForm>(magnitude);
  const U<kBits> block = ((most + kHalfUnit) >> F::kFraction) + kHeadroom;  // E

  const U<kBits> own = magnitude >> F::kFraction;
  const U<kBits> significand = (x & F::kFractionMask) | F::kHidden;
  U<kBits> shift = block - own + kFieldShift;
  U<kBits> stored = block << F::kFraction;
  if constexpr (kForm.extended) {
    // A member whose own mantissa rounds up counts as one nearer to E.
    const U<kBits> nearest = (magnitude + kHalfUnit) >> F::kFraction;
    const S<kBits> flagged = block - nearest >= all<kBits>(kExtension + kHeadroom);
    shift -= reinterpret_cast<U<kBits>>(flagged) & kExtension;
    stored &= ~reinterpret_cast<U<kBits>>(flagged);
  }
  U<kBits> field = rounded_shift<kBits>(significand, shift) << kUnused;
  field &= reinterpret_cast<U<kBits>>(own != U<kBits>{});
  // Halves mark zeros with exponent field 0.
  if constexpr (kForm.kind == num::Block::kHalf) stored &= reinterpret_cast<U<kBits>>(field != U<kBits>{});

  const S<kBits> zeros = most < all<kBits>(F::kHidden), infinite = block >= all<kBits>(F::kAllOnes);
  U<kBits> r = stored | field;
  r = infinite ? all<kBits>(F::kInf) : r;
  r &= ~reinterpret_cast<U<kBits>>(zeros);
  return raw(r | sign);
}

// In half the LSB long words are a block of their own, else they are those of X.
template <BlockForm kForm, bool kFlags>
KMH_LANES void block_kernel(emu::Mab& mab, const Uop& u, Place& place) {
  constexpr bool kHalf = kForm.kind == num::Block::kHalf;
  for (int c = 0; c < 4; ++c) {
    const __m256i x = load(mab, u.x[c]);
    if (kHalf && u.wide)
      store_lsb(mab, u.out[c], u.x_wide ? converted<kForm>(load_lsb(mab, u.x[c])) : _mm256_setzero_si256());
    store(mab, u.out[c], converted<kForm>(x));
  }
  if (!kHalf && u.wide) copy_lsb(mab, u);
  if constexpr (kFlags) store_flags(place, _mm256_setzero_si256());
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
