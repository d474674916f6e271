// What vector and matrix instructions of the MAU share.
#pragma once

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// Flags of the result in c.out: NOT the sign bit of each element (ISA 6.1), spread over the four bits of a cycle.
void mau_flags(StepContext& c, isa::Prec prec, bool narrow);

// Definedness of the result and its flags from one bit per element: `elements` has 1 (double), 2 (single, each bit
// doubled as in a long word) or 4 (half) elements in its four bits.
void mau_result_defined(StepContext& c, int cycle, int pe, isa::Prec prec, bool narrow, uint8_t elements);

}  // namespace kumihimo::mncore2::emu
