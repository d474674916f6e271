// The instruction table as text: JSON for programs, one page for people. Printed from the rows; nothing is written twice.
#pragma once

#include <string>

namespace kumihimo::mncore2::isa {

// {"schema": "kumihimo/insns/1", "instructions": [...], "reductions": [...], "memories": [...]}
std::string describe_insns_json();

// docs/reference/instructions.md
std::string describe_insns_markdown();

}  // namespace kumihimo::mncore2::isa
