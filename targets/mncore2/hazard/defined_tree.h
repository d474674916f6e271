// How L1BM, L2BM and MV instructions move definedness (ISA 4, 5); see defined_lanes.h.
#pragma once

#include <vector>

#include "targets/mncore2/hazard/defined_memory.h"

namespace kumihimo::mncore2::hazard {

// L1BM or turnaround register to the PEs.
Beat l1bm_down(const isa::Insn& insn, const DefinedMemory& memory);
// PEs to L1BM and the turnaround register; `latch` = no noforward in the step.
void l1bm_up(const isa::Insn& insn, const Beat& in, bool latch, DefinedMemory& memory);

// Reads of a step come before its writes: what an L2BM instruction moves is collected first.
struct TreeMove {
  struct Word {
    int instance;  // of L2BM; -1 = L1BM
    int64_t at;
    Lanes lanes;
    bool everywhere;  // hits the word in every unit
  };
  std::vector<Word> words;
  void write(DefinedMemory& memory) const;
};
TreeMove l2bm_move(const isa::Insn& insn, const DefinedMemory& memory);

void mv_move(const isa::Insn& insn, DefinedMemory& memory, std::vector<Harm>& harms);

}  // namespace kumihimo::mncore2::hazard
