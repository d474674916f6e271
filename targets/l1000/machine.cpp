#include "targets/l1000/machine.h"

#include <vector>

#include "targets/mncore2/machine.h"

namespace kumihimo::l1000 {
namespace {

constexpr int64_t kMi = 1024 * 1024;

constexpr Assumption kLdramLw = {"ldram_lw", 4 * kMi, "assumed: 32 MiB a PE, 128 GiB a chip"};
constexpr Assumption kAssumptions[] = {
    kLdramLw,
    {"ldram_port_lw", 1, "assumed: one load or store a cycle; 4096 PEs at 750 MHz move 24.6 TB/s, the announced 50x"},
    {"ldram_tags", 63, "assumed: tags of loads and stores, as many as those of MV instructions"},
};

}  // namespace

std::span<const Assumption> assumptions() { return kAssumptions; }

const MachineTree& tree() {
  static const MachineTree t = [] {
    const MachineTree& base = mncore2::find_machine("mncore2")->tree;
    static const std::vector<LocationDef> locations = [&base] {
      std::vector<LocationDef> all(base.locations.begin(), base.locations.end());
      all.push_back({"LDRAM", base.find_axis("PE"), 1, kLdramLw.value, 1, -1, false, "stacked DRAM of a PE, 32 MiB",
                     kLdramLw.source, 'O'});
      return all;
    }();
    return MachineTree{"l1000", base.axes, locations, base.word_bits};
  }();
  return t;
}

}  // namespace kumihimo::l1000
