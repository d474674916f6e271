// A cost report as JSON: what `kumi emu --stats`, `kumi cost` and reports of lowering print.
#pragma once

#include <string>

#include "targets/mncore2/cost/cost.h"

namespace kumihimo::mncore2::cost {

std::string to_json(const CostReport& report, const MachineConfig& machine);

}  // namespace kumihimo::mncore2::cost
