// Operands of PE instructions: from memories to Views, from results to memories (ISA 3.2, 3.3).
#pragma once

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// Reads one source of the MAB in `c`. Addresses, forwarding, constants, widths and the conversions e and r are settled;
// a width below the double long word fills the MSB side, the rest is 0 (and undefined, ISA 12 Q13).
void fetch(StepContext& c, const SrcPlan& source, View& view);

// Clears what a zero-flush mask hides in the result of c.op (ISA 3.3); flags keep their values.
void zero_flush(StepContext& c);

// Writes `out` (or the flags, to an OMR) to one destination of the MAB in `c`, under the mask in force.
void store(StepContext& c, const DstPlan& destination, const Beat& out, const BeatDef* out_def,
           const uint8_t (*flags)[4], const uint8_t (*flags_def)[4]);

}  // namespace kumihimo::mncore2::emu
