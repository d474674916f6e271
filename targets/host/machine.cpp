#include "targets/host/machine.h"

namespace kumihimo::host {
namespace {

constexpr int64_t kCores = 64, kMemoryLw = int64_t{1} << 37;

constexpr AxisDef kAxes[] = {
    {"core", AxisKind::kLevel, kCores, 0, "cores that share the memory", "this project's choice", 'O'},
    {"lane", AxisKind::kLane, 0, 0, "element in 64 bits, first in the most significant place", "this project's choice",
     'O'},
    {"Time", AxisKind::kTime, 0, 0, "order of execution", "", 'O'},
};
constexpr LocationDef kLocations[] = {
    {"DRAM", 0, kCores, kMemoryLw, 1, -1, false, "memory of the process, shared by the cores", "this project's choice",
     'O'},
};
constexpr MachineTree kTree{"host", kAxes, kLocations, 64};

}  // namespace

const MachineTree& tree() { return kTree; }

}  // namespace kumihimo::host
