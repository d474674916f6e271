// Words from outside the program: payloads, and the lines of the host, `r` and `c` (ISA 10.1).
#pragma once

#include <vector>

#include "targets/mncore2/asm/cursor.h"

namespace kumihimo::mncore2::vsm {

// Hexadecimal digits, 16 to a long word; either every long word has an `l` before it or none has. Words may be separated
// by spaces. False after a report.
bool read_payload(Cursor& cursor, const Reporter& reporter, uint64_t count, std::vector<uint64_t>& out, const char* op);

// Each reads the rest of the line behind its letter and fills `line`; false after a report.
bool read_host_row(Cursor& cursor, const Reporter& reporter, isa::Line& line);
bool read_host_dma(Cursor& cursor, const Reporter& reporter, isa::Line& line);

}  // namespace kumihimo::mncore2::vsm
