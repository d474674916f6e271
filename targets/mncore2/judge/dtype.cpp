#include "targets/mncore2/judge/dtype.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace kumihimo::mncore2::judge {
namespace {

using K = ValueKind;

constexpr Dtype kDtypes[] = {
    {"ULong", K::kUnsigned, 64},
    {"UInt", K::kUnsigned, 32},
    {"UShort", K::kUnsigned, 16},
    {"UByte", K::kUnsigned, 8},
    {"Long", K::kSigned, 64},
    {"Int", K::kSigned, 32},
    {"Short", K::kSigned, 16},
    {"Byte", K::kSigned, 8},
    {"Double", K::kFloat, 64, 11, 52},
    {"Float", K::kFloat, 32, 8, 23},
    {"Half", K::kFloat, 16, 6, 9},
    {"E4M3", K::kFloat, 8, 4, 3, true, true},
    {"E5M2", K::kFloat, 8, 5, 2, true, false},
    {"String", K::kChar, 8},
};

double decode_float(const Dtype& t, uint64_t bits) {
  const uint64_t fraction = bits & ((uint64_t{1} << t.mantissa_bits) - 1);
  const uint64_t last = (uint64_t{1} << t.exponent_bits) - 1;
  const uint64_t exponent = bits >> t.mantissa_bits & last;
  const double sign = bits >> (t.bits - 1) & 1 ? -1.0 : 1.0;
  const int bias = (1 << (t.exponent_bits - 1)) - 1;
  const bool ends = fraction + 1 == uint64_t{1} << t.mantissa_bits;
  if (exponent == last && (!t.infinity_at_end || ends)) return sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) {
    if (!t.subnormals) return sign * 0.0;
    return sign * std::ldexp(static_cast<double>(fraction), 1 - bias - t.mantissa_bits);
  }
  const double significand = static_cast<double>(fraction | uint64_t{1} << t.mantissa_bits);
  return sign * std::ldexp(significand, static_cast<int>(exponent) - bias - t.mantissa_bits);
}

}  // namespace

std::span<const Dtype> dtypes() { return kDtypes; }

const Dtype* find_dtype(std::string_view name) {
  for (const Dtype& t : kDtypes)
    if (t.name == name) return &t;
  return nullptr;
}

Value decode(const Dtype& t, uint64_t lw, int i) {
  const uint64_t bits = t.bits == 64 ? lw : lw >> (64 - t.bits * (i + 1)) & ((uint64_t{1} << t.bits) - 1);
  Value v{t.kind};
  if (t.kind == K::kFloat) {
    v.real = decode_float(t, bits);
  } else {
    v.integer = bits;
    if (t.kind == K::kSigned && t.bits < 64 && (bits >> (t.bits - 1) & 1) != 0) v.integer |= ~uint64_t{0} << t.bits;
  }
  return v;
}

bool agrees(const Value& seen, const Value& expected, Tolerance tolerance) {
  if (seen.kind == K::kFloat) {
    if (seen.real == expected.real) return true;
    if (std::isinf(expected.real)) return false;  // infinity - infinity and 0 * infinity order nothing
    const double error = std::fabs(seen.real - expected.real);
    return error <= tolerance.absolute || error <= tolerance.relative * std::fabs(expected.real);
  }
  if (seen.integer == expected.integer) return true;
  if (seen.kind == K::kChar) return false;
  const auto below = [&](uint64_t a, uint64_t b) {
    return seen.kind == K::kSigned ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
  };
  const bool less = below(seen.integer, expected.integer);
  const uint64_t gap = less ? expected.integer - seen.integer : seen.integer - expected.integer;
  const bool negative = seen.kind == K::kSigned && static_cast<int64_t>(expected.integer) < 0;
  const uint64_t size = negative ? -expected.integer : expected.integer;
  // A long double holds every 64-bit integer of the hosts that we build for.
  const auto error = static_cast<long double>(gap);
  return error <= tolerance.absolute ||
         error <= static_cast<long double>(tolerance.relative) * static_cast<long double>(size);
}

std::string print(const Value& value) {
  switch (value.kind) {
    case K::kFloat: return fmt::format("{}", value.real);
    case K::kSigned: return fmt::format("{}", static_cast<int64_t>(value.integer));
    case K::kUnsigned: return fmt::format("{}", value.integer);
    case K::kChar: break;
  }
  if (value.integer >= 0x20 && value.integer < 0x7f) return fmt::format("'{}'", static_cast<char>(value.integer));
  return fmt::format("'\\x{:02x}'", value.integer);
}

}  // namespace kumihimo::mncore2::judge
