// Block-float conversion: bfn of doubles, singles and pseudo-singles, hbfn/n and hbfe/n (ISA 8.5 [S]).
//
// All members get one exponent E: the largest of the block, one more if its owner's mantissa would round past the
// field; each significand is shifted to E and rounded once to the field, whose top bit weighs 2^0 (no hidden bit).
//
//   bfn(kSingle, {1.0, 0.5, -0.25, 3.0}):  E = 128, fields 0x200000 0x100000 0x080000(-) 0x600000
//
// hbfn/n keeps n = 6..9 mantissa bits by raising E by 9 - n. hbfe/n stores small members with exponent field 0 and a
// field scaled by 2^6 (see dot.h). A block of zeros stays zero; a block that overflows becomes infinities.
// What raises E is switch Q2.
#pragma once

#include <cstdint>

#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

/// in, out: block_format(kind).elements patterns; out may be in. `kept_bits` is n of hbfn/n (6..9), `extended`
/// selects hbfe; both belong to halves only.
void bfn(Block kind, const std::uint64_t* in, std::uint64_t* out, const Switches& switches = kDefaultSwitches);
void hbfn(const std::uint16_t* in, std::uint16_t* out, int kept_bits = 9, bool extended = false,
          const Switches& switches = kDefaultSwitches);

/// Exact value of one member as a host double, given the block exponent E (biased). Extended halves are understood.
[[nodiscard]] double block_value(Block kind, int block_exponent, std::uint64_t field);
/// OR of the exponent fields of a block: E.
[[nodiscard]] int block_exponent(Block kind, const std::uint64_t* fields);

}  // namespace kumihimo::mncore2::num
