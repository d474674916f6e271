// floor, ftoi, rsqrt and the leaky units on lanes: num/alu.cpp without branches. See alu_lanes.h.
#pragma once

#include "targets/mncore2/fast/alu_lanes.h"
#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/rsqrt_table.h"

namespace kumihimo::mncore2::fast {
namespace {

// num::FloatFormat of the floats of this width, in lanes.
template <int kBits>
struct Format {
  static constexpr const num::FloatFormat& kOf = kBits == 64 ? num::kDouble : kBits == 32 ? num::kSingle : num::kHalf;
  static constexpr int kFraction = kOf.fraction_bits;
  static constexpr auto kBias = static_cast<Word<kBits>>(kOf.bias);
  static constexpr auto kSign = static_cast<Word<kBits>>(kOf.sign_bit());
  static constexpr auto kMagnitude = static_cast<Word<kBits>>(kOf.sign_bit() - 1);
  static constexpr auto kInf = static_cast<Word<kBits>>(kOf.inf(false));
  static constexpr auto kFractionMask = static_cast<Word<kBits>>(kOf.fraction_mask());
  static constexpr auto kHidden = static_cast<Word<kBits>>(kOf.hidden_bit());
  static constexpr auto kAllOnes = static_cast<Word<kBits>>(kOf.exponent_max());
};

// Exponent fields.
template <int kBits>
KMH_LANES_INLINE U<kBits> exponents(U<kBits> v) {
  return (v & Format<kBits>::kMagnitude) >> Format<kBits>::kFraction;
}

// y * 2^step; zeros and infinities stay, what leaves the range is a zero or an infinity.
template <int kBits, int kStep>
KMH_LANES_INLINE U<kBits> scaled(U<kBits> y) {
  using F = Format<kBits>;
  using W = Word<kBits>;
  constexpr auto kChange = static_cast<W>((kStep < 0 ? -kStep : kStep) * W{1}) << F::kFraction;
  const U<kBits> sign = y & F::kSign, exponent = exponents<kBits>(y);
  U<kBits> r;
  if constexpr (kStep < 0)
    r = exponent > all<kBits>(-kStep) ? y - static_cast<W>(kChange) : sign;
  else
    r = exponent < all<kBits>(F::kAllOnes - kStep) ? y + static_cast<W>(kChange) : (sign | F::kInf);
  const S<kBits> stays = (exponent == U<kBits>{}) | (exponent == all<kBits>(F::kAllOnes));
  return stays ? y : r;
}

template <int kBits>
KMH_LANES_INLINE U<kBits> floored(U<kBits> x) {
  using F = Format<kBits>;
  const U<kBits> exponent = exponents<kBits>(x);
  const S<kBits> minus = negative<kBits>(x);
  // The fraction bits below the point. Adding them carries into the bits above where one is set.
  const U<kBits> lost = ~shift_left<kBits>(~U<kBits>{}, all<kBits>(F::kBias + F::kFraction) - exponent);
  const U<kBits> kept = (x + (reinterpret_cast<U<kBits>>(minus) & lost)) & ~lost;
  const U<kBits> small = reinterpret_cast<U<kBits>>(minus) & static_cast<Word<kBits>>(F::kOf.one() | F::kSign);
  const S<kBits> passes = (exponent == U<kBits>{}) | (exponent >= all<kBits>(F::kBias + F::kFraction));
  const U<kBits> r = exponent < all<kBits>(F::kBias) ? small : kept;
  return passes ? x : r;
}

template <int kBits, bool kUnsigned>
KMH_LANES_INLINE U<kBits> truncated(U<kBits> x) {
  using F = Format<kBits>;
  using W = Word<kBits>;
  // A significand at the top of the lane has the exponent width - 1. Below 1, zeros too, all bits are shifted out.
  const U<kBits> exponent = exponents<kBits>(x);
  const U<kBits> significand = ((x & F::kFractionMask) | F::kHidden) << (kBits - 1 - F::kFraction);
  const U<kBits> magnitude = shift_right<kBits>(significand, all<kBits>(F::kBias + kBits - 1) - exponent);
  if constexpr (kUnsigned) return exponent > all<kBits>(F::kBias + kBits - 1) ? ~U<kBits>{} : magnitude;
  const auto minus = reinterpret_cast<U<kBits>>(negative<kBits>(x));
  const U<kBits> limit = all<kBits>(F::kMagnitude) - minus;
  // -m = ~m + 1, where `minus` is all ones and thus -1.
  const U<kBits> value = (magnitude ^ minus) - minus;
  return exponent >= all<kBits>(static_cast<W>(F::kBias + kBits - 1)) ? limit : value;
}

// Table values are 32 to 64: 32 + the leading fraction bits, or 64 for the next power of two.
static_assert(num::kDefaultSwitches.rsqrt_table == num::RsqrtTable::kTable64);
struct RsqrtBytes {
  alignas(64) uint8_t at[64];
};
// By the lowest bit of the exponent field and the leading five of the fraction. Biases are odd, so the field is even
// where the exponent is odd.
constexpr RsqrtBytes rsqrt_bytes() {
  constexpr auto kTable = num::rsqrt_table<5>();
  RsqrtBytes bytes{};
  for (size_t i = 0; i < 64; ++i) bytes.at[i] = static_cast<uint8_t>(kTable[i ^ 32] - 32);
  return bytes;
}
constexpr RsqrtBytes kRsqrtBytes = rsqrt_bytes();

// Bytes of the table by bytes 0 to 63.
KMH_LANES_INLINE __m256i rsqrt_lookup(__m256i index) {
  if constexpr (kAvx512) {
    const auto* halves = reinterpret_cast<const __m256i*>(kRsqrtBytes.at);
    return _mm256_permutex2var_epi8(_mm256_load_si256(halves), index, _mm256_load_si256(halves + 1));
  } else {
    const auto* quarters = reinterpret_cast<const __m128i*>(kRsqrtBytes.at);
    __m256i r = _mm256_setzero_si256();
    for (int q = 0; q < 4; ++q) {
      // Bytes of another quarter get their top bit set, which looks up 0.
      const __m256i own = _mm256_adds_epu8(_mm256_xor_si256(index, _mm256_set1_epi8(static_cast<char>(16 * q))),
                                           _mm256_set1_epi8(0x70));
      r = _mm256_or_si256(r, _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(quarters + q)), own));
    }
    return r;
  }
}

template <int kBits>
KMH_LANES_INLINE U<kBits> reciprocal_root(U<kBits> x) {
  using F = Format<kBits>;
  using W = Word<kBits>;
  constexpr int kTableBits = 5;
  const U<kBits> exponent = exponents<kBits>(x);
  const U<kBits> index = (x >> (F::kFraction - kTableBits)) & W{63};
  const U<kBits> seed = from<U<kBits>>(rsqrt_lookup(raw(index)));
  // 2^-(e - parity)/2, one less because the seed has its leading bit below 1; seed 32 carries into the exponent.
  const U<kBits> field = all<kBits>((3 * F::kBias - 1) / 2) - ((exponent + W{1}) >> 1);
  const U<kBits> r = (field << F::kFraction) + ((seed & W{63}) << (F::kFraction - kTableBits));
  const U<kBits> finite = exponent == all<kBits>(F::kAllOnes) ? U<kBits>{} : r;
  return exponent == U<kBits>{} ? all<kBits>(F::kInf) : finite;
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
