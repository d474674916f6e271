// Micro-operations without vector code: what is rare, or has no kernel on the path. They run the functions of sem/.
#pragma once

#include "targets/mncore2/emu/segments.h"

namespace kumihimo::mncore2::emu {

// Source u.small of u.op, whatever it is, to scratch u.small.
void fetch_to_scratch(Mab& mab, const fast::Uop& u, fast::Place& place);
// Fetches all sources; the result goes to the Beat at u.out, flags to those of the latch.
void run_semantics(Mab& mab, const fast::Uop& u, fast::Place& place);
// Zero flush of the result at u.out.
void flush_zeros(Mab& mab, const fast::Uop& u, fast::Place& place);
// Flags of the latch to a mask register, without a mask.
void store_flags(Mab& mab, const fast::Uop& u, fast::Place& place);
// The Beat at u.x to destination u.small of u.op.
void store_generic(Mab& mab, const fast::Uop& u, fast::Place& place);
// Mab::latch_now = u.x.
void set_latches(Mab& mab, const fast::Uop& u, fast::Place& place);

}  // namespace kumihimo::mncore2::emu
