// The target: the machine that the compiler runs on. Check and exact; lowering comes later.
#pragma once

#include "core/dispatch/target.h"

namespace kumihimo::host {

const Target& target();

}  // namespace kumihimo::host
