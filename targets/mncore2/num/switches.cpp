#include "targets/mncore2/num/switches.h"

#include <array>
#include <cassert>

namespace kumihimo::mncore2::num {
namespace {

template <auto Member>
std::uint8_t get_field(const Switches& switches) {
  return static_cast<std::uint8_t>(switches.*Member);
}

template <auto Member>
void set_field(Switches& switches, std::uint8_t index) {
  using Field = std::remove_reference_t<decltype(switches.*Member)>;
  switches.*Member = static_cast<Field>(index);
}

using Names = std::string_view;
constexpr Names kRsqrt[] = {"table64", "table32"};
constexpr Names kCarry[] = {"rounding_overflow", "fraction_all_ones", "kept_bits_all_ones"};
constexpr Names kExtended[] = {"nearest_even", "truncate", "exact"};
constexpr Names kTrue[] = {"one", "all_ones"};
constexpr Names kGrouping[] = {"consecutive", "strided"};
constexpr Names kInf[] = {"first", "positive", "zero"};
constexpr Names kBlock[] = {"infinite", "zero"};
constexpr Names kDarPacking[] = {"msb_first", "lsb_first"};
constexpr Names kDarLoad[] = {"four_rows", "one_row"};
constexpr Names kDarWrite[] = {"four_entries", "whole_buffer"};
constexpr Names kShift[] = {"zero", "modulo", "fill"};
constexpr Names kOmr[] = {"keep", "and"};
constexpr Names kImm[] = {"zeros", "ones"};
constexpr Names kJ[] = {"at_most", "at_least"};
constexpr Names kCorrection[] = {"product_units", "same_weight"};
constexpr Names kZero[] = {"keep_sign", "positive"};

template <auto Member>
constexpr SwitchRow row(Names id, Names name, Names question, std::span<const Names> alternatives) {
  return {id,
          name,
          question,
          alternatives[static_cast<std::size_t>(kDefaultSwitches.*Member)],
          alternatives,
          &get_field<Member>,
          &set_field<Member>};
}

constexpr std::array kRows = {
    row<&Switches::rsqrt_table>("Q1", "rsqrt_table", "bit pattern of rsqrt", kRsqrt),
    row<&Switches::block_carry>("Q2", "block_carry", "when bfn raises the block exponent by one", kCarry),
    row<&Switches::extended_product>("Q3", "extended_product", "rounding of half products with extended factors",
                                     kExtended),
    row<&Switches::logical_true>("Q7", "logical_true", "value of true in logical and/or reductions", kTrue),
    row<&Switches::l1bm_grouping>("Q14", "l1bm_grouping", "first-level grouping of a 16-input reduction", kGrouping),
    row<&Switches::l2bm_grouping>("Q14", "l2bm_grouping", "first-level grouping of an 8-input reduction", kGrouping),
    row<&Switches::inf_minus_inf>("Q15", "inf_minus_inf", "sum of infinities of both signs", kInf),
    row<&Switches::inf_block>("Q15", "inf_block", "matrix input whose block exponent is all ones", kBlock),
    row<&Switches::dar_packing>("Q18", "dar_packing", "order of the two DAR entries in a long word", kDarPacking),
    row<&Switches::dar_load>("Q18", "dar_load", "rows of 64 long words that one l2bmdars reads", kDarLoad),
    row<&Switches::dar_write>("Q18", "dar_write", "entries that one l2bmdarw writes", kDarWrite),
    row<&Switches::wide_shift>("Q20", "wide_shift", "shift amount at or above the element width", kShift),
    row<&Switches::masked_omr_write>("Q30", "masked_omr_write", "masked write to a mask register", kOmr),
    row<&Switches::imm_flags>("Q31", "imm_flags", "flags written by imm", kImm),
    row<&Switches::j_select>("Q32", "j_select", "PEs moved on by the j address modifier", kJ),
    row<&Switches::block_correction>("Q33", "block_correction",
                                     "weight of the truncated multiplier's constant for block floats", kCorrection),
    row<&Switches::narrowed_zero>("Q36", "narrowed_zero", "sign of a zero made or kept by r on an input", kZero),
};

}  // namespace

std::span<const SwitchRow> switch_rows() { return kRows; }

const SwitchRow* find_switch(std::string_view name) {
  for (const SwitchRow& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

bool set_switch(Switches& switches, std::string_view name, std::string_view value) {
  const SwitchRow* row = find_switch(name);
  if (row == nullptr) return false;
  for (std::size_t i = 0; i < row->alternatives.size(); ++i) {
    if (row->alternatives[i] != value) continue;
    row->set(switches, static_cast<std::uint8_t>(i));
    return true;
  }
  return false;
}

std::string_view switch_value(const Switches& switches, std::string_view name) {
  const SwitchRow* row = find_switch(name);
  if (row == nullptr) return {};
  const std::uint8_t index = row->get(switches);
  assert(index < row->alternatives.size());
  return row->alternatives[index];
}

}  // namespace kumihimo::mncore2::num
