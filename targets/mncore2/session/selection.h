// Selections: which memories, addresses, units and steps a trace or a comparison looks at.
//
//   LM0[0:64]@n0c0b0m0-3p0, T, L1BM[128:192]@b0-1, steps[10:20]
//
//   selection = part { "," part }
//   part      = memory [ "[" range "]" ] [ "@" units ]  |  "steps" "[" range "]"  |  "all"
//   memory    = LM0 LM1 GRF0 GRF1 T OMR BAR0 BAR1 MAUF ALUF LBF MREADF MREGX MREGY TURN L1BM L2BM PDM DRAM DAR, the names of
//               the dumps (GREG0, TREG, ...), or the assembly's ($m, $lm, $r, ..., $aluf, $lb, $lc); case does not count
//   units     = { ("n"|"c"|"b"|"m"|"p") number [ "-" number ] }  or  "pe" number [ "-" number ]  (linear, ISA 1.1)
//   range     = number [ ":" [ number ] ]  |  ":" number        half-open; one number alone is one address or step
//
// Addresses count as in dumps: words in LM and GRF, long words elsewhere, cycles in T and the forwarding registers
// (4..7 are the LSB long words), 4 * row + PE in matrix registers. A part is looked at in whole long words.
// Units that are left out are all of them. "all" is every memory, whole. Without `steps`, every step.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::session {

// Inclusive; units by level: group, L2B in the group, L1B, MAB, PE.
struct UnitRange {
  int first = 0, last = 0;
};

struct Part {
  isa::Mem mem = isa::Mem::kNone;
  int64_t first_lw = 0, end_lw = 0;  // long words of one unit
  std::array<UnitRange, 5> units{};
  int64_t first_pe = 0, last_pe = INT64_MAX;  // linear PE numbers; PE memories only
};

struct Selection {
  std::vector<Part> parts;
  uint64_t first_step = 0, end_step = UINT64_MAX;  // steps are numbered from 0
  bool step_in(uint64_t step) const { return step >= first_step && step < end_step; }
};

Result<Selection> parse_selection(std::string_view text, const MachineConfig& machine);

// Every memory, register and forwarding path of the machine.
Selection everything(const MachineConfig& machine);

// f(unit) for every unit of a part, in dump order (group outermost).
template <class F>
void for_each_unit(const Part& part, const MachineConfig& machine, F f) {
  const auto& r = part.units;
  UnitCoord u;
  for (u.g = r[0].first; u.g <= r[0].last; ++u.g)
    for (u.s = r[1].first; u.s <= r[1].last; ++u.s)
      for (u.b = r[2].first; u.b <= r[2].last; ++u.b)
        for (u.m = r[3].first; u.m <= r[3].last; ++u.m)
          for (u.p = r[4].first; u.p <= r[4].last; ++u.p) {
            const int64_t pe =
                (((u.g * machine.l2bs_per_group + u.s) * machine.l1bs_per_l2b + u.b) * machine.mabs_per_l1b + u.m) *
                    machine.pes_per_mab +
                u.p;
            if (pe >= part.first_pe && pe <= part.last_pe) f(u);
          }
}

// A memory by any of its names; null when there is none of that name.
const isa::Mem* find_mem(std::string_view name);
// "n0c0b0m1p2" with exactly the letters that select one instance of the memory.
Result<UnitCoord> parse_unit(std::string_view text, isa::Mem mem, const MachineConfig& machine);
// The place of a long word as dumps print it: "LM0(n0c0b0m1p2,16)".
std::string place_text(isa::Mem mem, UnitCoord unit, int64_t addr_lw);
std::string unit_text(isa::Mem mem, UnitCoord unit);
int64_t printed_address(isa::Mem mem, int64_t addr_lw);

}  // namespace kumihimo::mncore2::session
