// A second arithmetic for the tests of targets/mncore2/num: fixed-point integers wide enough that nothing is ever
// aligned, lost or sticky, and generators biased towards the places where roundings differ.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

namespace num_test {

/// Two's complement integer of N words, in units of 2^-kUnit.
template <int N, int kUnit>
class Fixed {
 public:
  /// Adds or subtracts magnitude * 2^exponent.
  void add(bool negative, std::uint64_t high, std::uint64_t low, int exponent) {
    Fixed term;
    const int position = exponent + kUnit;
    for (int bit = 0; bit < 128; ++bit) {
      const std::uint64_t word = bit < 64 ? low : high;
      if (((word >> (bit % 64)) & 1) == 0) continue;
      const auto at = static_cast<std::size_t>(position + bit);
      term.words_.at(at / 64) |= std::uint64_t{1} << (at % 64);
    }
    if (negative) term.negate();
    std::uint64_t carry = 0;
    for (int i = 0; i < N; ++i) {
      const std::uint64_t partial = words_[i] + carry;
      const std::uint64_t total = partial + term.words_[i];
      carry = (partial < carry || total < partial) ? 1 : 0;
      words_[i] = total;
    }
  }
  void add(bool negative, unsigned __int128 magnitude, int exponent) {
    add(negative, static_cast<std::uint64_t>(magnitude >> 64), static_cast<std::uint64_t>(magnitude), exponent);
  }

  /// Pattern of the value in a format with a hidden bit: RNE, field <= 0 -> +0, field at all ones -> infinity.
  [[nodiscard]] std::uint64_t rounded(int exponent_bits, int fraction_bits, int bias) const {
    Fixed magnitude = *this;
    const bool negative = (words_[N - 1] >> 63) != 0;
    if (negative) magnitude.negate();
    int top = 64 * N - 1;
    while (top >= 0 && !magnitude.bit(top)) --top;
    if (top < 0) return 0;
    std::uint64_t significand = 0;
    for (int i = 0; i <= fraction_bits; ++i) significand = (significand << 1) | (magnitude.bit(top - i) ? 1 : 0);
    const int next = top - fraction_bits - 1;
    bool rest = false;
    for (int i = next - 1; i >= 0 && !rest; --i) rest = magnitude.bit(i);
    if (magnitude.bit(next) && (rest || (significand & 1) != 0)) ++significand;
    int field = top - kUnit + bias;
    if ((significand >> (fraction_bits + 1)) != 0) {
      significand >>= 1;
      ++field;
    }
    const std::uint64_t sign = negative ? std::uint64_t{1} << (exponent_bits + fraction_bits) : 0;
    const int all_ones = (1 << exponent_bits) - 1;
    if (field <= 0) return 0;
    if (field >= all_ones) return sign | (static_cast<std::uint64_t>(all_ones) << fraction_bits);
    return sign | (static_cast<std::uint64_t>(field) << fraction_bits) |
           (significand & ((std::uint64_t{1} << fraction_bits) - 1));
  }

 private:
  [[nodiscard]] bool bit(int at) const { return at >= 0 && ((words_[at / 64] >> (at % 64)) & 1) != 0; }
  void negate() {
    std::uint64_t carry = 1;
    for (int i = 0; i < N; ++i) {
      words_[i] = ~words_[i] + carry;
      carry = carry != 0 && words_[i] == 0 ? 1 : 0;
    }
  }
  std::array<std::uint64_t, N> words_{};
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }

  /// A fraction field: uniform, sparse, dense, only top bits, only low bits.
  std::uint64_t fraction(int width) {
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    switch (below(8)) {
      case 0: return 0;
      case 1: return mask;
      case 2: return mask & ~(std::uint64_t{1} << below(width));
      case 3: return std::uint64_t{1} << below(width);
      case 4: return bits() & mask & ~((std::uint64_t{1} << below(width)) - 1);
      case 5: return bits() & ((std::uint64_t{1} << (1 + below(width))) - 1);
      default: return bits() & mask;
    }
  }
  /// A pattern of any kind: borders of the exponent range, the middle, zeros and infinities with junk in the fraction.
  std::uint64_t pattern(int exponent_bits, int fraction_bits, int special_one_in = 24) {
    const int all_ones = (1 << exponent_bits) - 1;
    int field = 1 + below(all_ones - 1);
    switch (below(6)) {
      case 0: field = 1 + below(4); break;
      case 1: field = all_ones - 1 - below(4); break;
      case 2:
      case 3: field = all_ones / 2 - 3 + below(7); break;
      default: break;
    }
    if (chance(special_one_in)) field = 0;
    if (chance(special_one_in)) field = all_ones;
    return ((bits() & 1) << (exponent_bits + fraction_bits)) | (static_cast<std::uint64_t>(field) << fraction_bits) |
           fraction(fraction_bits);
  }
  std::uint32_t single(int special_one_in = 24) { return static_cast<std::uint32_t>(pattern(8, 23, special_one_in)); }
  std::uint16_t half(int special_one_in = 24) { return static_cast<std::uint16_t>(pattern(6, 9, special_one_in)); }
  std::uint64_t dbl(int special_one_in = 24) { return pattern(11, 52, special_one_in); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace num_test
