// The scheduled kernel as instruction-level IR: the same Module and Node as the program it came from.
//
//   %12 = mncore2.hbfn(%9) {insn="hbfn/9 $lbf $nowrite", step=24} : machine ALUF ll [0,0,0,0]
//
// A node is one instruction in its step. Its results are machine values: the memory, the address of each cycle and
// the width of every destination, and the forwarding path of its unit. Its operands are the instructions whose
// writes reach what it reads, so dependences can be walked like those of any other level.
#pragma once

#include "core/ir/module.h"
#include "targets/mncore2/sched/schedule.h"

namespace kumihimo::mncore2::lower {

Module machine_module(const sched::Scheduled& scheduled, const Module& program);

}  // namespace kumihimo::mncore2::lower
