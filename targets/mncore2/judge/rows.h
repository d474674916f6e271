// The judge's diagnostics (K61xx).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/diag/diagnostic.h"

namespace kumihimo::mncore2::judge {

// Registered by the target together with its other rows.
std::span<const DiagDef> diagnostics();

// `name` is one of the rows.
Diagnostic error(std::string_view name, std::string headline, SourceRange where = {});

}  // namespace kumihimo::mncore2::judge
