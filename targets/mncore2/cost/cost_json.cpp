#include "targets/mncore2/cost/cost_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kumihimo::mncore2::cost {
namespace {

struct UnitText {
  isa::Unit unit;
  const char* name;
};
// Units that do work, in the order of a report.
constexpr UnitText kUnits[] = {
    {isa::Unit::kMauCalc, "MAU"},         {isa::Unit::kAlu, "ALU"},   {isa::Unit::kMauWrite, "matrix write"},
    {isa::Unit::kMauRead, "matrix read"}, {isa::Unit::kL1bm, "L1BM"}, {isa::Unit::kL1bmTurnaround, "turnaround"},
    {isa::Unit::kL2bm, "L2BM"},
};

}  // namespace

std::string to_json(const CostReport& r, const MachineConfig& machine) {
  nlohmann::ordered_json j;
  j["steps"] = r.steps;
  j["mv"] = r.mv_words;
  j["instruction_words"] = r.instruction_words();
  j["packing_steps"] = r.packing_steps;
  j["cycles"] = r.cycles;
  j["microseconds"] = r.microseconds(machine);
  j["stall_cycles"] = r.stalls();
  j["stalls"] = {{"transfer", r.stall_transfer}, {"port", r.stall_port}, {"drain", r.stall_drain}};
  for (const UnitText& u : kUnits)
    if (int64_t steps = r.unit_steps[static_cast<size_t>(u.unit)]; steps != 0)
      j["units"][u.name] = {{"steps", steps}, {"share", r.unit_share(u.unit)}};
  if (!j.contains("units")) j["units"] = nlohmann::ordered_json::object();
  for (int p = 0; p < kNumPorts; ++p)
    if (r.port_cycles[static_cast<size_t>(p)] != 0)
      j["ports"][port_name(p)] = {{"cycles", r.port_cycles[static_cast<size_t>(p)]}, {"share", r.port_share(p)}};
  return j.dump();
}

std::string to_table(const CostReport& r, const MachineConfig& machine) {
  std::string out = fmt::format("steps {}  MV {}  instruction words {}  cycles {}  stalls {}  {:.3f} us\n", r.steps,
                                r.mv_words, r.instruction_words(), r.cycles, r.stalls(), r.microseconds(machine));
  const auto line = [&](std::string_view what, int64_t n, std::string_view unit, double share) {
    out += fmt::format("  {:<14} {:>10} {:<6} {:5.1f} %\n", what, n, unit, 100 * share);
  };
  const double cycles = r.cycles == 0 ? 1 : static_cast<double>(r.cycles);
  if (r.packing_steps != 0)
    line("packing", r.packing_steps, "steps", static_cast<double>(machine.cycles_per_step * r.packing_steps) / cycles);
  const std::pair<const char*, int64_t> stalls[] = {
      {"stall transfer", r.stall_transfer}, {"stall port", r.stall_port}, {"stall drain", r.stall_drain}};
  for (const auto& [what, n] : stalls)
    if (n != 0) line(what, n, "cycles", static_cast<double>(n) / cycles);
  if (r.unmatched_waits != 0) out += fmt::format("  waits for a tag that no MV carries: {}\n", r.unmatched_waits);
  for (const UnitText& u : kUnits)
    if (int64_t steps = r.unit_steps[static_cast<size_t>(u.unit)]; steps != 0)
      line(u.name, steps, "steps", r.unit_share(u.unit));
  for (int p = 0; p < kNumPorts; ++p)
    if (int64_t held = r.port_cycles[static_cast<size_t>(p)]; held != 0)
      line(port_name(p), held, "cycles", r.port_share(p));
  return out;
}

}  // namespace kumihimo::mncore2::cost
