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
inline constexpr int kElementCount = static_cast<int>(Element::kHalf) + 1;
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
inline constexpr int kAluOpCount = static_cast<int>(AluOp::kFtoi) + 1;

struct AluResult {
  std::uint64_t value = 0;
  bool flag = false;  ///< false for operations without flags
};

/// Element kinds and prefix u of each operation (ISA 7).
enum AluKinds : std::uint8_t { kInts = 1, kUnsignedInts = 2, kFloats = 4, kUnsignedFloats = 8 };
[[nodiscard]] constexpr std::uint8_t alu_kinds(AluOp op) {
  switch (op) {
    case AluOp::kPassa:
    case AluOp::kPackbit: return kInts | kFloats;
    case AluOp::kInc:
    case AluOp::kDec:
    case AluOp::kAdd:
    case AluOp::kSub:
    case AluOp::kLsr: return kInts | kUnsignedInts;
    case AluOp::kNot:
    case AluOp::kLnot:
    case AluOp::kAnd:
    case AluOp::kOr:
    case AluOp::kXor:
    case AluOp::kLsl:
    case AluOp::kBsl:
    case AluOp::kBsr: return kInts;
    case AluOp::kMax:
    case AluOp::kMin: return kInts | kUnsignedInts | kFloats;
    case AluOp::kRelu0:
    case AluOp::kRelu1:
    case AluOp::kRelu2:
    case AluOp::kRelu3:
    case AluOp::kLrelud:
    case AluOp::kLreluo:
    case AluOp::kIlrelud:
    case AluOp::kRsqrt:
    case AluOp::kFloor: return kFloats;
    case AluOp::kFtoi: return kFloats | kUnsignedFloats;
  }
  return 0;
}

/// Whether ISA 7 defines op on this element kind, with prefix u or without.
[[nodiscard]] constexpr bool alu_defined(AluOp op, Element element, bool is_unsigned) {
  const std::uint8_t need =
      is_float(element) ? (is_unsigned ? kUnsignedFloats : kFloats) : (is_unsigned ? kUnsignedInts : kInts);
  return (alu_kinds(op) & need) != 0;
}
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
