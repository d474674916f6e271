// Two-poison mode: a program runs twice, with memories that hold different patterns before the first write. What `d get`
// prints differently depends on words that were never written.
//
// Strict mode says where an undefined value comes in; two poisons say whether it reaches the output. Values that
// arithmetic or masks make independent of it are no findings here.
#pragma once

#include <string>
#include <vector>

#include "targets/mncore2/session/session.h"

namespace kumihimo::mncore2::session {

// Every bit differs between the two.
inline constexpr uint64_t kPoisons[2] = {0x5a5a5a5a5a5a5a5a, 0xa5a5a5a5a5a5a5a5};

// One finding (K4019) per `d get` whose lines differ, with the first pair of lines.
Result<std::vector<Diagnostic>> two_poisons(const Options& options, const isa::Program& program,
                                            const std::string& file);

}  // namespace kumihimo::mncore2::session
