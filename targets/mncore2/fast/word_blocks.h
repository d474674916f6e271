// Blocks of singles and pseudo-singles as the kernels of fmfma and gmfma see them (ISA 2.4, 8.6).
//
// The matrix is turned: a vector holds one word of every row, row i in the lane where result element i stands in host
// order, i ^ 1. A block of singles uses only the MSB word of each long word; words count in host order too, so those
// are the odd ones.
#pragma once

#include <cstdint>

namespace kumihimo::mncore2::fast {

inline constexpr uint32_t kWordExponent = 0x7f800000;
// The bits of a member that count: all 23 of the fraction field, or its top 18.
constexpr uint32_t word_fraction(bool pseudo) { return pseudo ? 0x007fffe0 : 0x007fffff; }
// Sums count units of 2^(Ea + Ex - 2 * (127 + 22)): with both exponents added in place, a double's scale.
inline constexpr int64_t kWordScale = int64_t{1023 - 2 * (127 + 22)} << 52;

// E of a vector, in place in a single.
inline uint32_t word_block_exponent(const uint64_t* row, bool pseudo) {
  const uint64_t any = row[0] | row[1] | row[2] | row[3];
  return static_cast<uint32_t>(any >> 32 | (pseudo ? any : 0)) & kWordExponent;
}

// What a sum with infinities needs. Of the matrix: a byte for each member in the order of elements, a bit for each
// lane. Of a vector: the same with all bits of a byte equal.
struct BlockMasks {
  uint64_t infinite, live, negative;  // live: not zero
};

// One bit for each word, to the bytes of the members.
inline uint64_t spread_words(unsigned bits) {
  constexpr uint64_t kEach = 0x0101010101010101, kBit = 0x4080102004080102;  // word w is element w ^ 1
  const uint64_t found = ((bits * kEach & kBit) + 0x7f * kEach) >> 7 & kEach;
  return found * 0xff;
}

struct InfiniteSums {
  unsigned lanes, negative;
};

// Where some product is infinite, the sign of the first one decides (Q15), whatever the addend.
inline InfiniteSums infinite_sums(const BlockMasks& a, const BlockMasks& x) {
  const uint64_t found = (a.infinite | x.infinite) & a.live & x.live;
  uint64_t until = found | found << 8;  // in each byte: this member or one before
  until |= until << 16;
  until |= until << 32;
  uint64_t minus = found & ~(until << 8) & (a.negative ^ x.negative);
  minus |= minus >> 32;
  minus |= minus >> 16;
  return {static_cast<unsigned>(until >> 56), static_cast<unsigned>(minus | minus >> 8) & 0xff};
}

}  // namespace kumihimo::mncore2::fast
