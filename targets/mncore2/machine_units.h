// Instances of a location: the linear numbers that images count in, and the units of the machine.
#pragma once

#include <cstdint>

#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2 {

// The unit of a location's instance; instances count the outer level slowest (core/layout/image.h). Coordinates below
// the location's level are 0.
UnitCoord unit_of_instance(const MachineConfig& machine, const LocationDef& location, int64_t instance);

}  // namespace kumihimo::mncore2
