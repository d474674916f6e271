#include "targets/mncore2/emu/run_text.h"

#include "targets/mncore2/asm/assemble.h"

namespace kumihimo::mncore2::emu {

Result<TextRun> run_text(const MachineConfig& config, std::string_view text, const EmuOptions& options,
                         std::string_view file) {
  const vsm::AsmResult assembled = vsm::assemble(text, file);
  if (!assembled.ok()) return vsm::as_one(assembled);
  auto machine = Machine::create(config, options);
  if (!machine.ok()) return machine.take_error();
  TextRun run;
  RunOptions run_options;
  run_options.file = std::string(file);
  run_options.sink = [&](std::string_view line) { run.dumps.emplace_back(line); };
  auto report = (*machine)->run(assembled.program, run_options);
  if (!report.ok()) return report.take_error();
  run.report = *report;
  run.findings = (*machine)->findings();
  run.machine = std::move(*machine);
  return run;
}

}  // namespace kumihimo::mncore2::emu
