// Statements that stand alone on their line: `d get`, `d set`, mask statements.
#pragma once

#include "targets/mncore2/asm/cursor.h"

namespace kumihimo::mncore2::vsm {

// Each reads the rest of the line behind its first word and fills `line`; false after a report.
bool read_debug(Cursor& cursor, const Reporter& reporter, isa::Line& line);
bool read_mask_statement(Cursor& cursor, const Reporter& reporter, isa::Line& line);

}  // namespace kumihimo::mncore2::vsm
