// Element types of the contest's testcases, and the values that its judge compares.
//
//   const Dtype* half = find_dtype("Half");
//   Value v = decode(*half, 0x3e00'0000'0000'0000, 0);   // 1.0
//
// Floats are compared as numbers: both zeros are one value, and so are all patterns of infinity. E4M3 and E5M2 are
// storage types of testcases only; the machine has no arithmetic on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kumihimo::mncore2::judge {

enum class ValueKind : uint8_t { kUnsigned, kSigned, kFloat, kChar };

struct Dtype {
  std::string_view name;  // as testcases spell it
  ValueKind kind;
  uint8_t bits;
  uint8_t exponent_bits = 0, mantissa_bits = 0;
  bool subnormals = false;       // exponent field 0 with a fraction is a number; otherwise it is zero
  bool infinity_at_end = false;  // only the last pattern is infinity; otherwise the whole last exponent is
  int per_long_word() const { return 64 / bits; }
};

std::span<const Dtype> dtypes();
const Dtype* find_dtype(std::string_view name);

struct Value {
  ValueKind kind = ValueKind::kUnsigned;
  double real = 0;       // kFloat
  uint64_t integer = 0;  // the others; two's complement for kSigned
};

// Element `i` of a long word, the first one at the MSB side (ISA 2.2).
Value decode(const Dtype& dtype, uint64_t lw, int i);

struct Tolerance {
  double absolute = 0, relative = 0;
};

// A value is wrong when it misses both tolerances; an expected infinity is met by that infinity only. Both values are of
// one kind.
bool agrees(const Value& seen, const Value& expected, Tolerance tolerance);

// Shortest text that reads back as the same value; characters quoted.
std::string print(const Value& value);

}  // namespace kumihimo::mncore2::judge
