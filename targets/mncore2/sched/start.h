// Where the search begins: a bank for every web.
#pragma once

#include "targets/mncore2/sched/list.h"

namespace kumihimo::mncore2::sched {

// Long words of a bank.
inline int64_t bank_capacity(const MachineConfig& machine, int bank) {
  if (is_lm(bank)) return machine.lm_words / 2;
  if (is_grf(bank)) return machine.grf_words / 2;
  return machine.t_lw;
}

// Web by web, the choice that lets the most instructions find distinct ports for their operands; then a repair of what is
// left. Priorities are not touched.
Assignment greedy_assignment(const Model& model, const MachineConfig& machine);

}  // namespace kumihimo::mncore2::sched
