// MAU vector arithmetic: out = a*b + c with the machine's truncated multiplier (ISA 8.4 [S]).
//
// The multiplier of singles leaves out the product of the two low 5-bit parts of the significands (doubles: low 16
// bits) and adds a constant instead when that product is not zero:
//   P = a*b - al*bl + (al*bl != 0 ? 2^8 : 0)      in units of the product's last bit (double: 2^30)
// The sum P + c is exact and is rounded once. The deviation from an IEEE fma shows only when the sum cancels; with the
// low bits of one factor zero there is none, so add (b = 1) and passa (b = 1, c = 0) are plain roundings.
//
// Formats: half factors take a single addend and give a single; single and double stay in their format. `out` may be
// one format lower (opcode modifier r): still one rounding.
// A zero exponent field in a factor makes the product 0 even against an infinity [E].
// All functions are pure. `fma` is the reference for the arrays below, which give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/round.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

/// The - modifier of each source: flips the sign bit before use (ISA 8.4).
/// Four bytes wide, so that it passes in a register without a partial store.
struct alignas(4) FmaSigns {
  bool a = false;
  bool b = false;
  bool c = false;
};

/// Format of the addend and of the unnarrowed result: single for half and single, double for double (ISA 6.1).
[[nodiscard]] constexpr Float sum_format(Float factors) {
  return factors == Float::kDouble ? Float::kDouble : Float::kSingle;
}

/// What the multiplier of a precision leaves out: the product of the low parts of both significands; and the constant
/// it adds instead, in units of the product's last bit (ISA 8.4 [S]). low_bits 0: the product is exact.
struct Multiplier {
  int low_bits;
  int constant_log2;
};
[[nodiscard]] constexpr Multiplier multiplier_of(Float factors) {
  switch (factors) {
    case Float::kHalf: return {0, 0};
    case Float::kSingle: return {5, 8};
    case Float::kDouble: return {16, 30};
  }
  return {};
}
/// Product of two significands as the multiplier forms it.
[[nodiscard]] constexpr UInt128 truncated_product(Multiplier multiplier, std::uint64_t a, std::uint64_t b) {
  const std::uint64_t low_mask = (std::uint64_t{1} << multiplier.low_bits) - 1;
  const UInt128 low = UInt128{a & low_mask} * (b & low_mask);
  return UInt128{a} * b - low + (low != 0 ? UInt128{1} << multiplier.constant_log2 : 0);
}

/// The generic integer path, any precision. a, b in `factors`; c in sum_format(factors); result in `out`.
[[nodiscard]] std::uint64_t fma(Float factors, std::uint64_t a, std::uint64_t b, std::uint64_t c, Float out,
                                FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);
/// a * b (c = 0).
[[nodiscard]] std::uint64_t mul(Float factors, std::uint64_t a, std::uint64_t b, Float out, FmaSigns signs = {},
                                const Switches& switches = kDefaultSwitches);
/// a + c (b = 1, exact).
[[nodiscard]] std::uint64_t add(Float factors, std::uint64_t a, std::uint64_t c, Float out, FmaSigns signs = {},
                                const Switches& switches = kDefaultSwitches);
/// a through multiplier and adder (b = 1, c = 0): normalises, or rounds to `out`.
[[nodiscard]] std::uint64_t passa(Float factors, std::uint64_t a, Float out, FmaSigns signs = {},
                                  const Switches& switches = kDefaultSwitches);

/// Fast single fma, same bits as fma(kSingle, ..., kSingle).
[[nodiscard]] std::uint32_t fma_f32(std::uint32_t a, std::uint32_t b, std::uint32_t c, FmaSigns signs = {},
                                    const Switches& switches = kDefaultSwitches);
/// Fast half fma with single addend and result, same bits as fma(kHalf, ..., kSingle).
[[nodiscard]] std::uint32_t fma_f16(std::uint16_t a, std::uint16_t b, std::uint32_t c, FmaSigns signs = {},
                                    const Switches& switches = kDefaultSwitches);

// Array forms, element by element the same bits as the functions above. `out` may be one of the inputs; it must not
// overlap one in another way. The `_to_f16` forms are the opcode modifier r.
void fma_f32(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint32_t* out,
             std::size_t count, FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);
void mul_f32(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
             const Switches& switches = kDefaultSwitches);
void add_f32(const std::uint32_t* a, const std::uint32_t* c, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
             const Switches& switches = kDefaultSwitches);
void passa_f32(const std::uint32_t* a, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
               const Switches& switches = kDefaultSwitches);
void fma_f32_to_f16(const std::uint32_t* a, const std::uint32_t* b, const std::uint32_t* c, std::uint16_t* out,
                    std::size_t count, FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);

void fma_f16(const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint32_t* out,
             std::size_t count, FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);
void mul_f16(const std::uint16_t* a, const std::uint16_t* b, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
             const Switches& switches = kDefaultSwitches);
void add_f16(const std::uint16_t* a, const std::uint32_t* c, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
             const Switches& switches = kDefaultSwitches);
void passa_f16(const std::uint16_t* a, std::uint32_t* out, std::size_t count, FmaSigns signs = {},
               const Switches& switches = kDefaultSwitches);
void fma_f16_to_f16(const std::uint16_t* a, const std::uint16_t* b, const std::uint32_t* c, std::uint16_t* out,
                    std::size_t count, FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);

void fma_f64(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::uint64_t* out,
             std::size_t count, FmaSigns signs = {}, const Switches& switches = kDefaultSwitches);

}  // namespace kumihimo::mncore2::num
