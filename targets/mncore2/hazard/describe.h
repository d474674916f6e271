// The hazard rules as text, printed from the rows.
#pragma once

#include <string>

#include "targets/mncore2/hazard/rules.h"

namespace kumihimo::mncore2::hazard {

// "GRF write, then GRF read: same address, 6 cycles between (grf_data, ISA 9.1 [V])"
std::string describe_rule_line(const Rule& rule);

std::string describe_rules_json();      // {"schema": "kumihimo/hazards/1", "rules": [...], "profiles": [...]}
std::string describe_rules_markdown();  // docs/reference/hazards.md

}  // namespace kumihimo::mncore2::hazard
