#include "targets/mncore2/cost/cost_json.h"

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

}  // namespace kumihimo::mncore2::cost
