// ALU element functions: result and flag of every operation on one element (ISA 7).
//
// Elements are l/i/s integers or d/f/h floats of 64, 32 or 16 bits; u (unsigned) changes the operations marked below.
// ALU floats are bit patterns: nothing is normalised except where a function says so (ISA 8.7).
// The SIMD form works on a long word: 1, 2 or 4 elements, MSB element first. Operations that act on the whole double
// long word or across PEs (imm, zero, the LSB half of passa, msl, msr) are data movement and live in the emulator;
// block-float conversion lives in bf.h.
//
//   alu(AluOp::kAdd, Element::kInt, false, 0x7fffffff, 1)  ==  {0x80000000, flag 0}
#pragma once

#include <cstdint>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

enum class Element : std::uint8_t { kLong, kInt, kShort, kDouble, kSingle, kHalf };
[[nodiscard]] constexpr int element_bits(Element element) {
  switch (element) {
    case Element::kLong:
    case Element::kDouble: return 64;
    case Element::kInt:
    case Element::kSingle: return 32;
    case Element::kShort:
    case Element::kHalf: return 16;
  }
  return 0;
}
[[nodiscard]] constexpr bool is_float(Element element) { return element >= Element::kDouble; }

enum class AluOp : std::uint8_t {
  kPassa,
  kInc,
  kDec,
  kAdd,
  kSub,
  kNot,
  kLnot,
  kAnd,
  kOr,
  kXor,
  kLsl,
  kLsr,
  kBsl,
  kBsr,
  kMax,
  kMin,
  kPackbit,
  kRelu0,
  kRelu1,
  kRelu2,
  kRelu3,
  kLrelud,
  kLreluo,
  kIlrelud,
  kRsqrt,
  kFloor,
  kFtoi,
};

struct AluResult {
  std::uint64_t value = 0;
  bool flag = false;  ///< false for operations without flags
};

/// Whether ISA 7 defines op on this element kind, with prefix u or without.
[[nodiscard]] bool alu_defined(AluOp op, Element element, bool is_unsigned);
/// Whether the operation produces flags (ISA 7: floor, ftoi do not).
[[nodiscard]] bool alu_has_flags(AluOp op);

/// One element; y is ignored by one-input operations. Precondition: alu_defined.
[[nodiscard]] AluResult alu(AluOp op, Element element, bool is_unsigned, std::uint64_t x, std::uint64_t y,
                            const Switches& switches = kDefaultSwitches);

/// A long word of elements. flags: bit 3 belongs to half 0 (MSB) ... bit 0 to half 3; a 64-bit element's flag fills
/// all four, a 32-bit element's two (ISA 7).
struct AluWord {
  std::uint64_t value = 0;
  std::uint8_t flags = 0;
};
using AluWordFunction = AluWord (*)(std::uint64_t x, std::uint64_t y, const Switches& switches);

/// The function for one decoded operation, looked up once. Null when not defined.
[[nodiscard]] AluWordFunction alu_word_function(AluOp op, Element element, bool is_unsigned);

}  // namespace kumihimo::mncore2::num
