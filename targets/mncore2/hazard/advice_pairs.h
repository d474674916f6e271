// Pairs of lines for one step: see advice.h.
#pragma once

#include <vector>

#include "targets/mncore2/hazard/lint.h"

namespace kumihimo::mncore2::hazard {

void find_pairs(const isa::Program& program, const Profile& profile, std::vector<Finding>& out);

}  // namespace kumihimo::mncore2::hazard
