#include "targets/mncore2/num/round.h"

#include <cassert>
#include <utility>

namespace kumihimo::mncore2::num {

std::uint64_t round_to(const FloatFormat& out, bool negative, UInt128 magnitude, int lsb_exponent, bool sticky) {
  if (magnitude == 0) return 0;
  const int top = bit_length(magnitude) - 1;
  const int drop = top - out.fraction_bits;
  assert(!sticky || drop >= 2);
  UInt128 significand;
  if (drop <= 0) {
    significand = magnitude << -drop;
  } else {
    const UInt128 kept = magnitude >> drop;
    const UInt128 rest = magnitude - (kept << drop);
    const UInt128 half = UInt128{1} << (drop - 1);
    const bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
    significand = kept + (up ? 1 : 0);
  }
  int exponent_field = top + lsb_exponent + out.bias;
  if (significand >> (out.fraction_bits + 1) != 0) {
    significand >>= 1;
    ++exponent_field;
  }
  // Tiny is judged after rounding, and a tiny result is +0: ISA 8.4 [S], 8.1.
  if (exponent_field <= 0) return 0;
  if (exponent_field >= out.exponent_max()) return out.inf(negative);
  return out.fields(negative, exponent_field, static_cast<std::uint64_t>(significand) & out.fraction_mask());
}

std::uint64_t add_and_round(const FloatFormat& out, const Term& x, const Term& y) {
  if (x.magnitude == 0) return round_to(out, y.negative, y.magnitude, y.lsb_exponent);
  if (y.magnitude == 0) return round_to(out, x.negative, x.magnitude, x.lsb_exponent);
  // The larger term is pushed up to bit 125 of the window: with terms of at most 110 bits, whatever the smaller one
  // loses at the lower end lies more than 100 bits below the leading bit of the sum.
  constexpr int kTop = 125;
  Term big = x;
  Term small = y;
  int big_length = bit_length(big.magnitude);
  int small_length = bit_length(small.magnitude);
  assert(big_length <= 110 && small_length <= 110);
  if (big_length + big.lsb_exponent < small_length + small.lsb_exponent) {
    std::swap(big, small);
    std::swap(big_length, small_length);
  }
  const int up = kTop + 1 - big_length;
  UInt128 sum = big.magnitude << up;
  const int lsb = big.lsb_exponent - up;
  const int shift = small.lsb_exponent - lsb;
  UInt128 aligned;
  bool lost = false;
  if (shift >= 0) {
    aligned = small.magnitude << shift;
  } else if (-shift >= 128) {
    aligned = 0;
    lost = true;
  } else {
    aligned = small.magnitude >> -shift;
    lost = (aligned << -shift) != small.magnitude;
  }
  if (big.negative == small.negative) {
    sum += aligned;
    return round_to(out, big.negative, sum, lsb, lost);
  }
  if (sum >= aligned) {
    // The lost part is subtracted too: borrow one unit, the rest of it stays as a positive sticky part.
    sum -= aligned;
    if (lost) --sum;
    return round_to(out, big.negative, sum, lsb, lost);
  }
  // Equal leading positions: nothing was lost, and the sign is that of the other term.
  assert(!lost);
  return round_to(out, small.negative, aligned - sum, lsb);
}

}  // namespace kumihimo::mncore2::num
