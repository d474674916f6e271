#include "targets/mncore2/machine_units.h"

namespace kumihimo::mncore2 {

UnitCoord unit_of_instance(const MachineConfig& m, const LocationDef& location, int64_t instance) {
  UnitCoord u;
  const std::string_view axis = m.tree.axes[static_cast<size_t>(location.level)].name;
  const int depth = axis == "L2B" ? 0 : axis == "L1B" ? 1 : axis == "MAB" ? 2 : 3;
  auto take = [&instance](int64_t extent) {
    const int64_t digit = instance % extent;
    instance /= extent;
    return static_cast<int>(digit);
  };
  if (depth >= 3) u.p = take(m.pes_per_mab);
  if (depth >= 2) u.m = take(m.mabs_per_l1b);
  if (depth >= 1) u.b = take(m.l1bs_per_l2b);
  if (location.granule == 1) u.s = take(m.l2bs_per_group);
  u.g = static_cast<int>(instance);
  return u;
}

}  // namespace kumihimo::mncore2
