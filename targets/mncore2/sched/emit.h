// The program of a schedule: operands with addresses, steps, waits, MV tags, notes.
#pragma once

#include "targets/mncore2/sched/places.h"
#include "targets/mncore2/sched/schedule.h"

namespace kumihimo::mncore2::sched {

// Fills program, notes and line_nodes of `out`.
void emit_program(const Model& model, const Timing& timing, const Places& places, Scheduled& out);

}  // namespace kumihimo::mncore2::sched
