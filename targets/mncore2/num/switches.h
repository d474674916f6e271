// Unknown corners of the machine, one named switch each.
//
// The public descriptions of the machine leave some results open. Wherever the arithmetic (or the emulator above it)
// had to choose, the choice is a field of `Switches` and a row of `switch_rows()`: the question, the default and the
// alternatives. Nothing here is global or mutable: every function that depends on a switch takes `const Switches&`.
//
//   Switches switches;                                        // the defaults
//   set_switch(switches, "block_carry", "fraction_all_ones"); // another reading of Q2
//
// Law: for every row, get(Switches{}) is the default, and set followed by get gives what was set.
// A program whose result changes with a switch uses an unknown corner; tools report "depends on Q<n>".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kumihimo::mncore2::num {

/// Q1: result pattern of rsqrt. Only "about 5 bits" is known [V]; both tables are ours.
enum class RsqrtTable : std::uint8_t { kTable64, kTable32 };
/// Q2: when a block exponent grows by one because of a mantissa of ones (ISA 8.5 [S/I]).
enum class BlockCarry : std::uint8_t { kRoundingOverflow, kFractionAllOnes, kKeptBitsAllOnes };
/// Q3: rounding of a half product with an extended factor (ISA 8.6: declared not bit-exact [S]).
enum class ExtendedProduct : std::uint8_t { kNearestEven, kTruncate, kExact };
/// Q7: element value of "true" in the logical and/or reductions (ISA 8.3 [?]).
enum class LogicalTrue : std::uint8_t { kOne, kAllOnes };
/// Q14: which inputs share a first-level node of a two-level reduction (ISA 8.2 [I]).
enum class ReduceGrouping : std::uint8_t { kConsecutive, kStrided };
/// Q15: sum of infinities of both signs (ISA 8.2, 8.4 [?]).
enum class InfMinusInf : std::uint8_t { kFirst, kPositive, kZero };
/// Q15: elements of a block whose shared exponent is all ones, as matrix inputs (ISA 8.6 [?]).
enum class InfBlock : std::uint8_t { kInfinite, kZero };
/// Q18: which 32 bits of a long word are its first DAR entry, how much of L2BM one l2bmdars reads, how much of the
/// buffer one l2bmdarw writes (ISA 4.5 [?]).
enum class DarPacking : std::uint8_t { kMsbFirst, kLsbFirst };
enum class DarLoad : std::uint8_t { kFourRows, kOneRow };
enum class DarWrite : std::uint8_t { kFourEntries, kWholeBuffer };
/// Q20: shift amount at or above the element width; the amount is read as unsigned (ISA 7 [?]).
enum class WideShift : std::uint8_t { kZero, kModulo, kFill };
/// Q30: a masked write to an OMR keeps the old flags where the mask is 0, or ANDs with them (ISA 3.3).
enum class MaskedOmrWrite : std::uint8_t { kKeep, kAnd };
/// Q31: flags that `imm ... $omrN` writes (ISA 7 says imm makes none).
enum class ImmFlags : std::uint8_t { kZeros, kOnes };
/// Q32: PEs that `j<n>` moves on by one access: p <= n or p >= n (ISA 3.2).
enum class JSelect : std::uint8_t { kAtMost, kAtLeast };
/// Q33: correction constant of the truncated multiplier for block floats: 2^8 / 2^30 in units of the product's last
/// bit, or at the same weight as in the vector multiplier, two bits lower (ISA 8.6 [I]).
enum class BlockCorrection : std::uint8_t { kProductUnits, kSameWeight };
/// Q36 (ours): `r` on an input keeps the sign of a zero that it reads or makes, or drops it. ISA 8.1 speaks of outputs
/// only [I].
enum class NarrowedZero : std::uint8_t { kKeepSign, kPositive };

struct Switches {
  RsqrtTable rsqrt_table = RsqrtTable::kTable64;
  BlockCarry block_carry = BlockCarry::kRoundingOverflow;
  ExtendedProduct extended_product = ExtendedProduct::kNearestEven;
  LogicalTrue logical_true = LogicalTrue::kOne;
  ReduceGrouping l1bm_grouping = ReduceGrouping::kConsecutive;
  ReduceGrouping l2bm_grouping = ReduceGrouping::kConsecutive;
  InfMinusInf inf_minus_inf = InfMinusInf::kFirst;
  InfBlock inf_block = InfBlock::kInfinite;
  DarPacking dar_packing = DarPacking::kMsbFirst;
  DarLoad dar_load = DarLoad::kFourRows;
  DarWrite dar_write = DarWrite::kFourEntries;
  WideShift wide_shift = WideShift::kZero;
  MaskedOmrWrite masked_omr_write = MaskedOmrWrite::kKeep;
  ImmFlags imm_flags = ImmFlags::kZeros;
  JSelect j_select = JSelect::kAtMost;
  BlockCorrection block_correction = BlockCorrection::kProductUnits;
  NarrowedZero narrowed_zero = NarrowedZero::kKeepSign;

  bool operator==(const Switches&) const = default;
};

inline constexpr Switches kDefaultSwitches{};

/// One row of the catalogue. `alternatives` holds every choice; the default is one of them.
struct SwitchRow {
  std::string_view id;    ///< number of the open question, "Q2"
  std::string_view name;  ///< field of Switches, "block_carry"
  std::string_view question;
  std::string_view default_value;
  std::span<const std::string_view> alternatives;
  std::uint8_t (*get)(const Switches&);        ///< index into alternatives
  void (*set)(Switches&, std::uint8_t index);  ///< precondition: index < alternatives.size()
};

[[nodiscard]] std::span<const SwitchRow> switch_rows();
[[nodiscard]] const SwitchRow* find_switch(std::string_view name);
/// False, and no change, when no row has that name or no alternative of it has that value.
[[nodiscard]] bool set_switch(Switches& switches, std::string_view name, std::string_view value);
/// The chosen alternative's text; empty when no row has that name.
[[nodiscard]] std::string_view switch_value(const Switches& switches, std::string_view name);

}  // namespace kumihimo::mncore2::num
