#include "targets/mncore2/num/alu.h"

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>

#include "targets/mncore2/num/rsqrt_table.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr const FloatFormat& float_format(Element element) {
  return element_bits(element) == 64 ? kDouble : element_bits(element) == 32 ? kSingle : kHalf;
}

constexpr std::uint64_t mask_of(int bits) { return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

constexpr std::int64_t sign_extended(std::uint64_t value, int bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// ISA 7: a shift by the whole of y; amounts at or above the width are switch Q20.
constexpr std::uint64_t shifted(AluOp op, int bits, bool is_unsigned, std::uint64_t x, std::uint64_t y,
                                const Switches& switches) {
  const std::uint64_t width = static_cast<std::uint64_t>(bits);
  const std::uint64_t mask = mask_of(bits);
  const std::uint64_t amount = y & (width - 1);
  if (op == AluOp::kBsl || op == AluOp::kBsr) {
    const std::uint64_t left = op == AluOp::kBsl ? amount : (width - amount) & (width - 1);
    return left == 0 ? x : ((x << left) | (x >> (width - left))) & mask;
  }
  const bool wide = y >= width;
  const std::int64_t value = sign_extended(x, bits);
  if (wide && switches.wide_shift == WideShift::kZero) return 0;
  if (wide && switches.wide_shift == WideShift::kFill) {
    return op == AluOp::kLsr && !is_unsigned && value < 0 ? mask : 0;
  }
  if (op == AluOp::kLsl) return (x << amount) & mask;
  return is_unsigned ? x >> amount : static_cast<std::uint64_t>(value >> amount) & mask;
}

/// Whether max keeps x; ties keep x. Floats compare as sign-magnitude patterns, so equal-sign infinities compare
/// fractions; two zeros keep x whatever their signs (ISA 7).
constexpr bool at_least(Element element, bool is_unsigned, std::uint64_t x, std::uint64_t y) {
  const int bits = element_bits(element);
  if (!is_float(element)) return is_unsigned ? x >= y : sign_extended(x, bits) >= sign_extended(y, bits);
  const FloatFormat& format = float_format(element);
  if (format.is_zero(x) && format.is_zero(y)) return true;
  // Flipping the magnitude of negative patterns turns sign-magnitude order into two's complement order.
  constexpr auto kMagnitude = static_cast<std::int64_t>(~std::uint64_t{0} >> 1);
  const std::int64_t sx = sign_extended(x, bits);
  const std::int64_t sy = sign_extended(y, bits);
  return (sx ^ ((sx >> 63) & kMagnitude)) >= (sy ^ ((sy >> 63) & kMagnitude));
}

/// y scaled by 2^step for the leaky units; zeros and infinities keep their pattern, a scaled exponent field that
/// leaves the normal range gives a zero or an infinity with fraction 0 [I].
constexpr std::uint64_t scaled(const FloatFormat& format, std::uint64_t y, int step) {
  if (format.is_zero(y) || format.is_inf(y)) return y;
  const int exponent = format.exponent(y) + step;
  if (exponent <= 0) return format.fields(format.negative(y), 0, 0);
  if (exponent >= format.exponent_max()) return format.inf(format.negative(y));
  return format.fields(format.negative(y), exponent, format.fraction(y));
}

/// Toward minus infinity; zeros and infinities pass as they are, other zero results have fraction 0 (ISA 7).
constexpr std::uint64_t floored(const FloatFormat& format, std::uint64_t x) {
  if (format.is_zero(x) || format.is_inf(x)) return x;
  const bool negative = format.negative(x);
  const int exponent = format.exponent(x) - format.bias;
  if (exponent < 0) return negative ? format.one() | format.sign_bit() : 0;
  const int lost_bits = format.fraction_bits - exponent;
  if (lost_bits <= 0) return x;
  const std::uint64_t lost = mask_of(lost_bits);
  const std::uint64_t kept = x & ~lost;
  // One more in magnitude; a carry out of the fraction raises the exponent as it should.
  return negative && (x & lost) != 0 ? kept + lost + 1 : kept;
}

/// Truncation to an integer of the same width; u converts |x|; out of range saturates, infinities too (ISA 7).
constexpr std::uint64_t truncated(const FloatFormat& format, bool is_unsigned, std::uint64_t x) {
  if (format.is_zero(x)) return 0;
  const bool negative = format.negative(x) && !is_unsigned;
  const int exponent = format.exponent(x) - format.bias;
  const int room = is_unsigned ? format.width : format.width - 1;
  if (exponent >= room) {
    if (is_unsigned) return format.mask();
    return negative ? format.sign_bit() : format.sign_bit() - 1;
  }
  if (exponent < 0) return 0;
  const std::uint64_t significand = format.hidden_bit() | format.fraction(x);
  const int shift = exponent - format.fraction_bits;
  const std::uint64_t magnitude = shift >= 0 ? significand << shift : significand >> -shift;
  return (negative ? std::uint64_t{0} - magnitude : magnitude) & format.mask();
}

template <int Bits>
constexpr std::uint64_t rsqrt_seed(const FloatFormat& format, std::uint64_t x) {
  constexpr auto kTable = rsqrt_table<Bits>();
  const int exponent = format.exponent(x) - format.bias;
  const int parity = exponent & 1;
  const int half_exponent = (exponent - parity) / 2;
  const auto k = static_cast<std::size_t>(format.fraction(x) >> (format.fraction_bits - Bits));
  const std::uint64_t u = kTable[(static_cast<std::size_t>(parity) << Bits) + k];
  constexpr std::uint64_t kOne = std::uint64_t{2} << Bits;
  if (u == kOne) return format.fields(false, format.bias - half_exponent, 0);
  const std::uint64_t fraction = (u - kOne / 2) << (format.fraction_bits - Bits);
  return format.fields(false, format.bias - half_exponent - 1, fraction);
}

/// 1/sqrt(|x|) to about 5 bits; of zero +inf, of infinity 0 (Q1).
constexpr std::uint64_t rsqrt(const FloatFormat& format, std::uint64_t x, const Switches& switches) {
  if (format.is_zero(x)) return format.inf(false);
  if (format.is_inf(x)) return 0;
  return switches.rsqrt_table == RsqrtTable::kTable64 ? rsqrt_seed<5>(format, x) : rsqrt_seed<4>(format, x);
}

/// ISA 7, one element. Called with constant op, element and is_unsigned, so it folds to the one operation.
[[gnu::always_inline]] inline AluResult element_result(AluOp op, Element element, bool is_unsigned, std::uint64_t x,
                                                       std::uint64_t y, const Switches& switches) {
  const int bits = element_bits(element);
  const std::uint64_t mask = mask_of(bits);
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  const FloatFormat& format = float_format(element);
  const auto integer = [&](std::uint64_t value, bool unsigned_overflow) -> AluResult {
    value &= mask;
    return {value, is_unsigned ? !unsigned_overflow : (value & top) == 0};
  };
  const auto bitwise = [&](std::uint64_t value) -> AluResult { return {value & mask, (value & mask) == 0}; };
  const auto relu = [&](int bit) -> AluResult {
    const bool pass = (x & (top >> bit)) == 0;
    return {pass ? y : top, pass};
  };
  const auto leaky = [&](int step) -> AluResult {
    const bool pass = (x & top) == 0;
    return {pass ? y : scaled(format, y, step), pass};
  };
  switch (op) {
    case AluOp::kPassa: return {x, x == 0};
    case AluOp::kInc: return integer(x + 1, x == mask);
    case AluOp::kDec: return integer(x - 1, x == 0);
    case AluOp::kAdd: return integer(x + y, ((x + y) & mask) < x);
    case AluOp::kSub: return integer(x - y, x < y);
    case AluOp::kNot: return bitwise(~x);
    case AluOp::kLnot: return {x == 0 ? std::uint64_t{1} : 0, x != 0};
    case AluOp::kAnd: return bitwise(x & y);
    case AluOp::kOr: return bitwise(x | y);
    case AluOp::kXor: return bitwise(x ^ y);
    case AluOp::kLsl:
    case AluOp::kLsr:
    case AluOp::kBsl:
    case AluOp::kBsr: return bitwise(shifted(op, bits, is_unsigned, x, y, switches));
    case AluOp::kMax: {
      const bool keep = at_least(element, is_unsigned, x, y);
      return {keep ? x : y, keep};
    }
    case AluOp::kMin: {
      const bool both_zero = is_float(element) && format.is_zero(x) && format.is_zero(y);
      const bool keep = both_zero || at_least(element, is_unsigned, y, x);
      return {keep ? x : y, keep};
    }
    case AluOp::kPackbit: return {((x << 1) | (y >> (bits - 1))) & mask, (y & top) == 0};
    case AluOp::kRelu0: return relu(0);
    case AluOp::kRelu1: return relu(1);
    case AluOp::kRelu2: return relu(2);
    case AluOp::kRelu3: return relu(3);
    case AluOp::kLrelud: return leaky(-1);
    case AluOp::kLreluo: return leaky(-3);
    case AluOp::kIlrelud: return leaky(+1);
    case AluOp::kRsqrt: return {rsqrt(format, x, switches), (x & top) == 0};
    case AluOp::kFloor: return {floored(format, x), false};
    case AluOp::kFtoi: return {truncated(format, is_unsigned, x), false};
  }
  return {};
}

template <AluOp Op, Element E, bool Unsigned>
AluResult one(std::uint64_t x, std::uint64_t y, const Switches& switches) {
  return element_result(Op, E, Unsigned, x, y, switches);
}

template <AluOp Op, Element E, bool Unsigned>
AluWord word(std::uint64_t x, std::uint64_t y, const Switches& switches) {
  constexpr int kBits = element_bits(E);
  constexpr int kFlagBits = kBits / 16;
  AluWord result;
  for (int shift = 0; shift < 64; shift += kBits) {
    const AluResult r =
        element_result(Op, E, Unsigned, (x >> shift) & mask_of(kBits), (y >> shift) & mask_of(kBits), switches);
    result.value |= r.value << shift;
    if (r.flag) result.flags = static_cast<std::uint8_t>(result.flags | (((1 << kFlagBits) - 1) << (shift / 16)));
  }
  return result;
}

struct Entry {
  AluResult (*one)(std::uint64_t, std::uint64_t, const Switches&) = nullptr;
  AluWordFunction word = nullptr;
};

template <std::size_t Index>
constexpr Entry entry() {
  constexpr auto kOp = static_cast<AluOp>(Index / (2 * kElementCount));
  constexpr auto kElement = static_cast<Element>(Index / 2 % kElementCount);
  constexpr bool kUnsigned = Index % 2 != 0;
  if constexpr (alu_defined(kOp, kElement, kUnsigned)) {
    return {&one<kOp, kElement, kUnsigned>, &word<kOp, kElement, kUnsigned>};
  } else {
    return {};
  }
}

template <std::size_t... Index>
constexpr std::array<Entry, sizeof...(Index)> entries(std::index_sequence<Index...>) {
  return {entry<Index>()...};
}
constexpr auto kEntries = entries(std::make_index_sequence<std::size_t{kAluOpCount} * kElementCount * 2>{});

const Entry& entry_of(AluOp op, Element element, bool is_unsigned) {
  return kEntries[(static_cast<std::size_t>(op) * kElementCount + static_cast<std::size_t>(element)) * 2 +
                  (is_unsigned ? 1 : 0)];
}

}  // namespace

bool alu_has_flags(AluOp op) { return op != AluOp::kFloor && op != AluOp::kFtoi; }

AluResult alu(AluOp op, Element element, bool is_unsigned, std::uint64_t x, std::uint64_t y, const Switches& switches) {
  const Entry& e = entry_of(op, element, is_unsigned);
  assert(e.one != nullptr);
  const std::uint64_t mask = mask_of(element_bits(element));
  return e.one(x & mask, y & mask, switches);
}

AluWordFunction alu_word_function(AluOp op, Element element, bool is_unsigned) {
  return entry_of(op, element, is_unsigned).word;
}

}  // namespace kumihimo::mncore2::num
