// Every element operation of num/alu.h on lanes, under the default switches. See alu_lanes.h.
#pragma once

#include "targets/mncore2/fast/alu_float_lanes.h"
#include "targets/mncore2/fast/alu_lanes.h"
#include "targets/mncore2/num/alu.h"

namespace kumihimo::mncore2::fast {
namespace {

using num::AluOp;
using num::Element;

// flags: all ones where the flag is 1.
template <int kBits>
struct Result {
  U<kBits> value;
  S<kBits> flags;
};

template <int kBits, bool kUnsigned>
KMH_LANES_INLINE Result<kBits> integer(U<kBits> value, S<kBits> no_overflow) {
  if constexpr (kUnsigned) return {value, no_overflow};
  return {value, ~negative<kBits>(value)};
}
template <int kBits>
KMH_LANES_INLINE Result<kBits> bitwise(U<kBits> value) {
  return {value, value == U<kBits>{}};
}

static_assert(num::kDefaultSwitches.wide_shift == num::WideShift::kZero);
template <AluOp kOp, int kBits, bool kUnsigned>
KMH_LANES_INLINE U<kBits> shifted(U<kBits> x, U<kBits> y) {
  using W = Word<kBits>;
  constexpr W kMask = kBits - 1;
  if constexpr (kOp == AluOp::kLsl) return shift_left<kBits>(x, y);
  if constexpr (kOp == AluOp::kLsr && kUnsigned) return shift_right<kBits>(x, y);
  if constexpr (kOp == AluOp::kLsr && !kUnsigned) {
    // Complemented, negative lanes take in zeros; amounts of the width or more give 0 all the same (Q20).
    const auto minus = reinterpret_cast<U<kBits>>(negative<kBits>(x));
    const S<kBits> narrow = (y & static_cast<W>(~kMask)) == U<kBits>{};
    return (shift_right<kBits>(x ^ minus, y) ^ minus) & reinterpret_cast<U<kBits>>(narrow);
  }
  const U<kBits> amount = y & kMask, rest = -amount & kMask;
  if constexpr (kOp == AluOp::kBsl) return shift_left<kBits>(x, amount) | shift_right<kBits>(x, rest);
  return shift_right<kBits>(x, amount) | shift_left<kBits>(x, rest);
}

// x >= y: integers, or floats as sign and magnitude.
template <Element kElement, bool kUnsigned, int kBits = num::element_bits(kElement)>
KMH_LANES_INLINE S<kBits> at_least(U<kBits> x, U<kBits> y) {
  if constexpr (kUnsigned) return x >= y;
  auto sx = reinterpret_cast<S<kBits>>(x), sy = reinterpret_cast<S<kBits>>(y);
  if constexpr (num::is_float(kElement)) {
    constexpr auto kMagnitude = static_cast<std::make_signed_t<Word<kBits>>>(Format<kBits>::kMagnitude);
    sx ^= negative<kBits>(x) & kMagnitude;
    sy ^= negative<kBits>(y) & kMagnitude;
  }
  return sx >= sy;
}
template <int kBits>
KMH_LANES_INLINE S<kBits> both_zero(U<kBits> x, U<kBits> y) {
  return ((x | y) & Format<kBits>::kInf) == U<kBits>{};
}

template <AluOp kOp, Element kElement, bool kUnsigned, int kBits = num::element_bits(kElement)>
KMH_LANES_INLINE Result<kBits> element(U<kBits> x, U<kBits> y) {
  using W = Word<kBits>;
  constexpr W kOne = 1, kTop = kOne << (kBits - 1);
  constexpr U<kBits> kNothing{};
  if constexpr (kOp == AluOp::kPassa) return bitwise<kBits>(x);
  if constexpr (kOp == AluOp::kInc) return integer<kBits, kUnsigned>(x + kOne, ~x != kNothing);
  if constexpr (kOp == AluOp::kDec) return integer<kBits, kUnsigned>(x - kOne, x != kNothing);
  if constexpr (kOp == AluOp::kAdd) return integer<kBits, kUnsigned>(x + y, x + y >= x);
  if constexpr (kOp == AluOp::kSub) return integer<kBits, kUnsigned>(x - y, x >= y);
  if constexpr (kOp == AluOp::kNot) return bitwise<kBits>(~x);
  if constexpr (kOp == AluOp::kLnot) return {reinterpret_cast<U<kBits>>(x == kNothing) & kOne, x != kNothing};
  if constexpr (kOp == AluOp::kAnd) return bitwise<kBits>(x & y);
  if constexpr (kOp == AluOp::kOr) return bitwise<kBits>(x | y);
  if constexpr (kOp == AluOp::kXor) return bitwise<kBits>(x ^ y);
  if constexpr (kOp == AluOp::kLsl || kOp == AluOp::kLsr || kOp == AluOp::kBsl || kOp == AluOp::kBsr)
    return bitwise<kBits>(shifted<kOp, kBits, kUnsigned>(x, y));
  if constexpr (kOp == AluOp::kMax || kOp == AluOp::kMin) {
    S<kBits> keep = kOp == AluOp::kMax ? at_least<kElement, kUnsigned>(x, y) : at_least<kElement, kUnsigned>(y, x);
    if constexpr (num::is_float(kElement)) keep |= both_zero<kBits>(x, y);
    return {keep ? x : y, keep};
  }
  if constexpr (kOp == AluOp::kPackbit) return {(x << 1) | (y >> (kBits - 1)), ~negative<kBits>(y)};
  if constexpr (kOp >= AluOp::kRelu0 && kOp <= AluOp::kRelu3) {
    constexpr int kBit = static_cast<int>(kOp) - static_cast<int>(AluOp::kRelu0);
    const S<kBits> stops = negative<kBits>(x << kBit);
    return {stops ? all<kBits>(kTop) : y, ~stops};
  }
  if constexpr (kOp == AluOp::kLrelud || kOp == AluOp::kLreluo || kOp == AluOp::kIlrelud) {
    constexpr int kStep = kOp == AluOp::kLrelud ? -1 : kOp == AluOp::kLreluo ? -3 : 1;
    const S<kBits> stops = negative<kBits>(x);
    return {stops ? scaled<kBits, kStep>(y) : y, ~stops};
  }
  if constexpr (kOp == AluOp::kRsqrt) return {reciprocal_root<kBits>(x), ~negative<kBits>(x)};
  if constexpr (kOp == AluOp::kFloor) return {floored<kBits>(x), S<kBits>{}};
  if constexpr (kOp == AluOp::kFtoi) return {truncated<kBits, kUnsigned>(x), S<kBits>{}};
}

// Operations that read Y.
constexpr bool has_y(AluOp op) {
  switch (op) {
    case AluOp::kPassa:
    case AluOp::kInc:
    case AluOp::kDec:
    case AluOp::kNot:
    case AluOp::kLnot:
    case AluOp::kRsqrt:
    case AluOp::kFloor:
    case AluOp::kFtoi: return false;
    default: return true;
  }
}

// Values and flags of an instruction on elements; its LSB long words are those of X.
template <AluOp kOp, Element kElement, bool kUnsigned, bool kFlags>
KMH_LANES void element_kernel(emu::Mab& mab, const Uop& u, Place& place) {
  constexpr int kBits = num::element_bits(kElement);
  __m256i flags = _mm256_setzero_si256();
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    const auto x = from<U<kBits>>(load(mab, u.x[c]));
    const auto y = has_y(kOp) ? from<U<kBits>>(load(mab, u.y[c])) : U<kBits>{};
    const Result<kBits> r = element<kOp, kElement, kUnsigned>(x, y);
    store(mab, u.out[c], raw(r.value));
    if constexpr (kFlags) flags = _mm256_or_si256(flags, flags_of(raw(r.flags), c));
  }
  if constexpr (kFlags) store_flags(place, flags);
  if (u.wide) copy_lsb(mab, u);
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
