// The hazard rules as text, printed from the rows.
#pragma once

#include <string>

namespace kumihimo::mncore2::hazard {

std::string describe_rules_json();      // {"schema": "kumihimo/hazards/1", "rules": [...], "profiles": [...]}
std::string describe_rules_markdown();  // docs/reference/hazards.md

}  // namespace kumihimo::mncore2::hazard
