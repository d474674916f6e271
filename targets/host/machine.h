// The host as layouts see it: cores that share one memory, and lanes in a long word of 64 bits.
//
// `core` says which core computes an element; a layout that names it gives each core a stretch of memory of its own.
// Nothing here describes a particular processor: 64 cores are more than layouts will want, and the memory is as large
// as addresses of layouts go.
#pragma once

#include "core/layout/machine_tree.h"

namespace kumihimo::host {

const MachineTree& tree();

}  // namespace kumihimo::host
