// Dead writes: see advice.h.
#pragma once

#include <vector>

#include "targets/mncore2/hazard/lint.h"

namespace kumihimo::mncore2::hazard {

void find_dead_writes(const isa::Program& program, std::vector<Finding>& out);

}  // namespace kumihimo::mncore2::hazard
