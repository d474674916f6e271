// The rows that the registry starts with. Code asks find_diagnostic and all_diagnostics instead.
#pragma once

#include <span>

#include "core/diag/diagnostic.h"

namespace kumihimo::diag {

std::span<const DiagDef> core_kinds();

}  // namespace kumihimo::diag
