// Assemble and run in one call: what tests, the command line and the agent kit do with a piece of VSM.
//
//   auto r = run_text(*find_machine("mncore2-tiny"), "imm i\"4\" $lr0v\nd get $lr0n0c0b0m0p0 1\n");
//   r->dumps == {"DEBUG-GREG0(n0c0b0m0p0,0):(f:0, i:{{0x0,0x4},{0x0,0x4}}, v:0x400000004) #d get $lr0n0c0b0m0p0 1"}
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/emu/machine.h"

namespace kumihimo::mncore2::emu {

struct TextRun {
  std::vector<std::string> dumps;
  RunReport report;
  std::vector<Diagnostic> findings;
  std::unique_ptr<Machine> machine;  // as the program left it
};

// An assembly error is the error of the run, with the others as related.
Result<TextRun> run_text(const MachineConfig& config, std::string_view text, const EmuOptions& options = {},
                         std::string_view file = "program.vsm");

}  // namespace kumihimo::mncore2::emu
