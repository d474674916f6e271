#include "targets/mncore2/target.h"

#include "targets/mncore2/describe.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/functions.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/judge/rows.h"
#include "targets/mncore2/lower/kernel.h"
#include "targets/mncore2/machine.h"
#include "targets/mncore2/num/values.h"
#include "targets/mncore2/sched/schedule.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2 {
namespace {

constexpr int kVersion = 1;

Target row(std::string_view machine) {
  const MachineConfig* config = find_machine(machine);
  Target t{};
  t.name = config->name;
  t.version = kVersion;
  t.tree = &config->tree;
  t.variants = variants::all_variants();
  t.numerics = &num::numerics();
  t.lower = lower::lower;
  t.describe = describe;
  t.diagnostics = {emu::diagnostics(), sched::diagnostics(), judge::diagnostics()};
  isa::diag::register_all();  // rows that stand one by one, for use by name
  return t;
}

// The functions serve both machines; the first target of the process carries them.
std::span<const FunctionDef> functions() {
  static const std::vector<FunctionDef> all = [] {
    std::vector<FunctionDef> out;
    for (auto part : {vsm_functions(), editor_functions(), emulator_functions(), kernel_functions(), judge_functions()})
      out.insert(out.end(), part.begin(), part.end());
    return out;
  }();
  return all;
}

}  // namespace

const Target& target() {
  static const Target t = [] {
    Target with_functions = row("mncore2");
    with_functions.functions = functions();
    return with_functions;
  }();
  return t;
}

const Target& tiny_target() {
  static const Target t = row("mncore2-tiny");
  return t;
}

}  // namespace kumihimo::mncore2
