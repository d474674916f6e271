// Webs: the pieces of virtual registers that must share one place.
//
// A use of a row takes the value of the definitions that reach it; all of them, and all rows that one
// access touches, must lie in one register of the machine. The classes of this relation are the webs. Two
// halves of a register that are never used by one access are two webs; a register that is overwritten holds
// a new web afterwards. So variants may reuse a scratch register without tying the scheduler's hands.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "targets/mncore2/sched/model.h"

namespace kumihimo::mncore2::sched {

// Replaces literal registers by an imm at the head of the program; their uses read row 0.
VProgram materialise_literals(const VProgram& program);

// Cuts MVs of more than `chunk_lw` long words (counted as in the statement) into several, so that what arrives first can
// be used first. The pieces move the same words; chunk_lw = 0 leaves everything as it is.
VProgram split_mvs(const VProgram& program, uint32_t chunk_lw);

// Rows [first, last] that a register access touches, over all cycles.
std::array<int32_t, 2> touched_rows(const VUse& use);

// Whether the write leaves part of the old content: masked, or one word of a long word.
bool keeps_old_content(const VInsn& insn, const VUse& dst);

// Fills model.webs (without choices) and model.operand_webs from model.program.
void split_into_webs(Model& model);

// Fills model.webs[].choices; needs srcs, dsts and defs.
void enumerate_choices(Model& model, const MachineConfig& machine);

}  // namespace kumihimo::mncore2::sched
