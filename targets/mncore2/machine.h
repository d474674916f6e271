// Machine rows: what kinds of MN-Core 2 the product knows, in numbers.
//
// A MachineConfig is a row. Every number in it is a Fact: the value, where it comes from and how sure the
// source is (the tags of the ISA notes). The emulator sizes its memories from the row, layouts take their
// axes and locations from `tree`, the cost model its clock and rates; nobody else writes such a number.
//
// mncore2      the chip: 4 groups x 2 L2B x 8 L1B x 16 MAB x 4 PE.
// mncore2-tiny 1 group x 1 L2B x 2 L1B x 16 MAB x 4 PE: the same instructions and memories, for tests that
//              must take milliseconds. Not a product; its counts are ours.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/layout/machine_tree.h"

namespace kumihimo::mncore2 {

struct Fact {
  int64_t value;
  char evidence;            // V S E D X A M I ?, or 'O' = our own choice
  std::string_view source;  // "ISA 1.1"
  constexpr operator int64_t() const { return value; }
};

struct MachineConfig {
  std::string_view name;
  std::string_view doc;

  // The tree: children per parent.
  Fact groups, l2bs_per_group, l1bs_per_l2b, mabs_per_l1b, pes_per_mab;

  // Capacities of one instance. Long words (64 bit) unless the name says otherwise.
  Fact dram_lw, pdm_lw, l2bm_lw, l1bm_lw;
  Fact lm_words, grf_words, t_lw, omr_entries, omr_writable, bar_bits, dar_entries;
  Fact wait_tags;

  // Time: one PE instruction is one step.
  Fact clock_hz, cycles_per_step;

  // Fused multiply-adds per cycle and MAB.
  Fact matrix_fma_d, matrix_fma_f, matrix_fma_g, matrix_fma_h;
  Fact vector_fma_d, vector_fma_f, vector_fma_h;

  // Ports, long words per cycle and instance.
  Fact l2bm_port_lw, l1bm_l2_port_lw, l1bm_pe_port_lw, lm_port_lw, grf_port_lw, t_port_lw;

  // Instruction supply: PE words per MV word in a packed stream (auto-stride mode).
  Fact pe_words_per_mv;

  MachineTree tree;  // the same machine as layouts see it

  constexpr int64_t l2bs() const { return groups * l2bs_per_group; }
  constexpr int64_t l1bs() const { return l2bs() * l1bs_per_l2b; }
  constexpr int64_t mabs() const { return l1bs() * mabs_per_l1b; }
  constexpr int64_t pes() const { return mabs() * pes_per_mab; }
};

// All rows, and the row of a name (null when there is none).
std::span<const MachineConfig> machines();
const MachineConfig* find_machine(std::string_view name);

// One instance of a unit: group, L2B in the group, L1B in the L2B, MAB in the L1B, PE in the MAB. Coordinates
// below the unit's level are ignored.
struct UnitCoord {
  int g = 0, s = 0, b = 0, m = 0, p = 0;
  friend bool operator==(const UnitCoord&, const UnitCoord&) = default;
};

}  // namespace kumihimo::mncore2
