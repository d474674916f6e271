// `d get` and `d set` (ISA 3.5): text of dumps, byte for byte as the vendor's emulator prints it where that is known.
#pragma once

#include <functional>

#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/emu/machine.h"

namespace kumihimo::mncore2::emu {

// Calls f for every unit that the statement selects, in nested order (group outermost).
void for_each_unit(const isa::DebugMem& mem, Level level, const MachineConfig& config,
                   const std::function<void(UnitCoord)>& f);

// Lines that the `d get` prints on this machine.
uint64_t dump_line_count(const isa::Line& line, const MachineConfig& config);

struct DumpContext {
  const MachineState& state;
  const MachineConfig& config;
  const DumpSink& sink;
  uint64_t* lines;
  Findings* findings;  // null = undefined bits are not reported
  DumpWindow window;
};

Status dump(const DumpContext& context, const isa::Line& line, uint32_t index, const std::string& file);
Status debug_set(const MachineState& state, const MachineConfig& config, const isa::Line& line,
                 const std::string& file);

}  // namespace kumihimo::mncore2::emu
