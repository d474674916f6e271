// What a virtual MV costs: the ports it holds and for how long, from the columns of its row (ISA 4.4).
#pragma once

#include "targets/mncore2/sched/vprogram.h"

namespace kumihimo::mncore2::sched {

struct MvTime {
  isa::MvPorts ports = 0;
  int32_t port_cycles = 0;     // the ports are busy
  int32_t latency_cycles = 0;  // from the last word on the port to the tag's notification
};

MvTime mv_time(const VInsn& insn);

}  // namespace kumihimo::mncore2::sched
