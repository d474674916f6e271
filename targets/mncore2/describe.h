// The target's own tables as text, for `kumi describe`: instructions, hazards, machine, the grammar for
// editors.
#pragma once

#include <string>
#include <string_view>

namespace kumihimo::mncore2 {

// "insns", "hazards", "machine", "grammar" as JSON; "insns.markdown", "hazards.markdown" as pages. Empty for anything else.
std::string describe(std::string_view what);

}  // namespace kumihimo::mncore2
