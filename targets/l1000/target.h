// The target: the L1000 as this project models it (machine.h). Check and exact; there is no instruction set to lower to.
#pragma once

#include "core/dispatch/target.h"

namespace kumihimo::l1000 {

const Target& target();

}  // namespace kumihimo::l1000
