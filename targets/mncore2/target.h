// The target: MN-Core 2, and the same machine cut down for tests.
//
// One row each, sharing variants, arithmetic, lowering and functions; they differ in the tree.
#pragma once

#include "core/dispatch/target.h"

namespace kumihimo::mncore2 {

const Target& target();       // "mncore2"
const Target& tiny_target();  // "mncore2-tiny"

}  // namespace kumihimo::mncore2
