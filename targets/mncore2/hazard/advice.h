// Advice: what a correct program could do without. Notes only; lint.h says what is wrong.
//
//   dead writes   a result that is overwritten everywhere before anything reads it
//   pairs         two lines in a row that could be issued in one step
//
// Each piece of advice is given for the program as it stands: after one has been followed, ask again.
#pragma once

#include <vector>

#include "targets/mncore2/hazard/lint.h"

namespace kumihimo::mncore2::hazard {

// In the order of lines. Addresses made at run time count as the whole memory, and what stands in a memory when the
// program ends counts as read: the host or the next program may want it.
std::vector<Finding> advise(const isa::Program& program, const Profile& profile = default_profile());

}  // namespace kumihimo::mncore2::hazard
