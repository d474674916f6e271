// The emulator's diagnostics as it makes them.
#pragma once

#include <string>
#include <string_view>

#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

const DiagDef& diagnostic_of(FindingKind kind);

// `name` is one of the rows.
Diagnostic error(std::string_view name, std::string headline, SourceRange where = {});

}  // namespace kumihimo::mncore2::emu
