// Emission of written sequences (num/steps.h): every row of the sequence is one instruction per four rows.
#pragma once

#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/num/steps.h"

namespace kumihimo::mncore2::lower {

// Operations per element of a sequence on the matrix arithmetic unit and on the ALU.
struct StepCounts {
  int mau = 0, alu = 0;
};
StepCounts count_steps(const num::StepSequence& sequence);

// Emits the sequence for the value of a node with one operand and holds its result.
Status emit_sequence(EmitContext& c, const Node& node, const num::StepSequence& sequence);

}  // namespace kumihimo::mncore2::lower
