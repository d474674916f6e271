// A cost report as JSON and as a table: what `kumi emu --stats`, `kumi cost` and reports of lowering print.
#pragma once

#include <string>

#include "targets/mncore2/cost/cost.h"

namespace kumihimo::mncore2::cost {

std::string to_json(const CostReport& report, const MachineConfig& machine);

// Lines of text, each ending in a line feed: totals, stalls by cause, use of each unit and of each port.
std::string to_table(const CostReport& report, const MachineConfig& machine);

}  // namespace kumihimo::mncore2::cost
