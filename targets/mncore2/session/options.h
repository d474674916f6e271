// Options of an emulator session as JSON: what the boundary, the command line and Python hand over.
#pragma once

#include <string>
#include <string_view>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/emu/machine.h"

namespace kumihimo::mncore2::session {

struct Options {
  const MachineConfig* machine = nullptr;
  emu::EmuOptions emu;
};

// {"machine": "mncore2-tiny", "strict": true, "poison": "5a5a", "threads": 2, "path": "avx2", "switches": {"block_carry": "..."}}
// An unknown key, machine, switch or value is a refusal that names the choices. `argument` is the position for errors.
Result<Options> parse_options(std::string_view text, size_t argument);

// The options that decide results, in a fixed order: equal texts = equal behaviour. Threads and path are not among them.
std::string identity(const Options& options);

}  // namespace kumihimo::mncore2::session
