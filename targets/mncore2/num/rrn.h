// The reduction network (RRN): 4-input nodes, and the trees made of them (ISA 8.2, 8.3).
//
// A float node aligns its four inputs to the largest exponent with three guard bits, rounding each input that loses
// bits, adds the integers and rounds the sum (two roundings). It is therefore neither an exact sum nor a chain of
// additions, and the tree shape is part of the value: 16 inputs are {4q..4q+3} then the four results, each a proper
// float in between [S, grouping I].
// max and min compare whole words as sign-magnitude integers and never normalise; iadd wraps; band/bor are bitwise;
// and/or are logical on elements. Inputs that do not take part contribute the identity.
#pragma once

#include <cstdint>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/switches.h"

namespace kumihimo::mncore2::num {

enum class Reduce : std::uint8_t { kFadd, kMax, kMin, kIadd, kBand, kBor, kAnd, kOr };

/// Element of a reduction: width and, for kFadd, the float format of that width.
enum class Lane : std::uint8_t { k64, k32, k16 };
[[nodiscard]] constexpr int lane_bits(Lane lane) { return lane == Lane::k64 ? 64 : lane == Lane::k32 ? 32 : 16; }
[[nodiscard]] constexpr Float lane_float(Lane lane) {
  return lane == Lane::k64 ? Float::kDouble : lane == Lane::k32 ? Float::kSingle : Float::kHalf;
}

/// ISA 4.3 [V], 8.3 [S]: fadd, iadd, bor, or -> 0; max, band, and -> all ones; min -> largest signed integer.
[[nodiscard]] std::uint64_t reduce_identity(Reduce op, Lane lane);

/// One 4-input fadd node in `work`, rounded to `out` (equal or one lower: modifier r). ISA 8.2 [S].
[[nodiscard]] std::uint64_t fadd_node(Float work, const std::uint64_t in[4], Float out,
                                      const Switches& switches = kDefaultSwitches);

/// op over count = 1..4 inputs (one node), 5..8 (two first-level nodes) or 9..16 (four); missing inputs are
/// identities, so a child that takes no part may equally be passed as reduce_identity. Element patterns of `lane`;
/// halves really add in half: this is the network of L2BM and MV.
/// `narrow` (modifier r; fadd, max and min of doubles and singles): the last level rounds to the next lower format.
[[nodiscard]] std::uint64_t reduce(Reduce op, Lane lane, const std::uint64_t* in, int count, bool narrow = false,
                                   const Switches& switches = kDefaultSwitches);

/// The L1BM network (count 4 or 16): like `reduce`, but half additions run on the single circuit, so that
/// l1bmrhfadd is l1bmrffaddr with an e source (ISA 5.5 [V/S], 8.2). `widen` (modifier e; singles): inputs are halves.
[[nodiscard]] std::uint64_t l1bm_reduce(Reduce op, Lane lane, const std::uint64_t* in, int count, bool widen = false,
                                        bool narrow = false, const Switches& switches = kDefaultSwitches);

/// Both on long words, element by element (MSB element first), without modifiers.
[[nodiscard]] std::uint64_t reduce_words(Reduce op, Lane lane, const std::uint64_t* in, int count,
                                         const Switches& switches = kDefaultSwitches);
[[nodiscard]] std::uint64_t l1bm_reduce_words(Reduce op, Lane lane, const std::uint64_t* in, int count,
                                              const Switches& switches = kDefaultSwitches);

}  // namespace kumihimo::mncore2::num
