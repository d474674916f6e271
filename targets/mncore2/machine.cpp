#include "targets/mncore2/machine.h"

#include <array>

namespace kumihimo::mncore2 {
namespace {

constexpr int64_t kKi = 1024, kMi = 1024 * 1024;

// Level axes, outer to inner. The image columns say how a parent's memory holds the parts of its children
// before a distribute: whole images per L2B (one mvp each), 8 long words per L1B in a row of 64 (l2bmd),
// 4 per MAB in a row of 64 (l1bmd) and 1 per PE in a row of 4 (l1bmd, l1bmm). l1bmd always writes the four PE slots
// of a MAB, so naming MAB names PE. The row of an L2BM has its 8 slots whatever the number of L1Bs.
constexpr AxisDef axis_l2b(int64_t extent) {
  return {"L2B", AxisKind::kLevel, extent, 0, "second-level blocks, 2 per group: group g = L2B / 2", "ISA 1.1", 'V'};
}
constexpr AxisDef axis_l1b(int64_t extent) {
  return {"L1B", AxisKind::kLevel, extent, 8, "first-level blocks of an L2B", "ISA 1.1, 5.2 l2bmd", 'V', 8};
}
constexpr AxisDef kAxisMab = {"MAB", AxisKind::kLevel, 16, 4, "matrix blocks of an L1B", "ISA 1.1, 5.3 l1bmd", 'V', 16,
                              true};
constexpr AxisDef kAxisPe = {"PE", AxisKind::kLevel, 4, 1, "processing elements of a MAB", "ISA 1.1, 5.3", 'V'};
constexpr AxisDef kAxisW = {"W", AxisKind::kLane, 0, 0, "lane in a long word, most significant first", "ISA 2.2", 'V'};
constexpr AxisDef kAxisTime = {"Time", AxisKind::kTime, 0, 0, "order of execution", "", 'O'};

constexpr AxisDef kFullAxes[] = {axis_l2b(8), axis_l1b(8), kAxisMab, kAxisPe, kAxisW, kAxisTime};
constexpr AxisDef kTinyAxes[] = {axis_l2b(1), axis_l1b(2), kAxisMab, kAxisPe, kAxisW, kAxisTime};

// Levels by index into the axes above.
enum Level : int { kL2b = 0, kL1b = 1, kMab = 2, kPe = 3 };
constexpr int kClassLm = 6, kClassGrf = 9;

// A group's memories serve `per_group` L2Bs.
constexpr std::array<LocationDef, 11> locations(int64_t per_group) {
  return {{
      {"DRAM", kL2b, per_group, 512 * kMi, 64, -1, false, "memory of a group, 4 GiB", "ISA 1.2, 4.2", 'V'},
      {"PDM", kL2b, per_group, 512 * kKi, 64, -1, false, "staging memory of a group; the host reaches group 0's",
       "ISA 1.2, 1.4", 'V'},
      {"L2BM", kL2b, 1, 32 * kKi, 64, -1, false, "memory of an L2B", "ISA 1.2", 'V'},
      {"L1BM", kL1b, 1, 8 * kKi, 64, -1, false, "memory of an L1B", "ISA 1.2", 'V'},
      {"LM0", kPe, 1, 2 * kKi, 1, kClassLm, false, "local memory 0 of a PE", "ISA 1.2", 'V'},
      {"LM1", kPe, 1, 2 * kKi, 1, kClassLm, false, "local memory 1 of a PE", "ISA 1.2", 'V'},
      {"LM", kPe, 1, 2 * kKi, 1, -1, true, "LM0 or LM1, chosen by lowering", "ISA 1.2", 'V'},
      {"GRF0", kPe, 1, 256, 1, kClassGrf, false, "register file 0 of a PE", "ISA 1.2", 'V'},
      {"GRF1", kPe, 1, 256, 1, kClassGrf, false, "register file 1 of a PE", "ISA 1.2", 'V'},
      {"GRF", kPe, 1, 256, 1, -1, true, "GRF0 or GRF1, chosen by lowering", "ISA 1.2", 'V'},
      {"T", kPe, 1, 8, 8, -1, false, "the T register of a PE: one double long word per cycle", "ISA 1.2", 'V'},
  }};
}
constexpr std::array kLocations = locations(2), kTinyLocations = locations(1);
static_assert(kLocations[kClassLm].is_class && kLocations[kClassGrf].is_class);

// Where words pass on their way through the tree. A PE takes a double long word a cycle; what l1bmd gives it is one.
constexpr int kDram = 0, kL2bm = 2, kL1bm = 3;
constexpr HopDef kHops[] = {
    {-1, kDram, 8, 8, "", "", "", "mvp through PDM", "mvp through PDM", "mvp through PDM", "ISA 4.4", 'V'},
    {kDram, kL2bm, 16, 16, "broadcast_download", "distribute_download", "", "mvb2", "mvp", "mvp", "ISA 4.4", 'V'},
    {kL2bm, kL1bm, 64, 16, "broadcast_download", "distribute_download", "", "l2bmb", "l2bmd", "l2bmd", "ISA 5.2", 'E'},
    {kL1bm, kClassLm, 64, 2, "broadcast_download", "distribute_download", "", "l1bmp, l1bmm", "l1bmd", "l1bmd, l1bmm@",
     "ISA 5.3", 'E'},
    {kClassLm, kClassLm, 2, 2, "relayout", "relayout", "", "lpassa", "lpassa", "", "ISA 1.2", 'V'},
};

constexpr MachineConfig full() {
  MachineConfig m{};
  m.name = "mncore2";
  m.doc = "MN-Core 2: one chip, 4096 PEs";
  m.groups = {4, 'V', "ISA 1.1"};
  m.l2bs_per_group = {2, 'V', "ISA 1.1"};
  m.l1bs_per_l2b = {8, 'V', "ISA 1.1"};
  m.mabs_per_l1b = {16, 'V', "ISA 1.1"};
  m.pes_per_mab = {4, 'V', "ISA 1.1"};
  m.dram_lw = {512 * kMi, 'V', "ISA 1.2"};
  m.pdm_lw = {512 * kKi, 'V', "ISA 1.2"};
  m.l2bm_lw = {32 * kKi, 'V', "ISA 1.2"};
  m.l1bm_lw = {8 * kKi, 'V', "ISA 1.2"};
  m.lm_words = {4096, 'V', "ISA 1.2"};
  m.grf_words = {512, 'V', "ISA 1.2"};
  m.t_lw = {8, 'V', "ISA 1.2"};
  m.omr_entries = {32, 'V', "ISA 3.3"};
  m.omr_writable = {15, 'V', "ISA 3.3"};
  m.bar_bits = {12, 'V', "ISA 1.2"};
  m.dar_entries = {1024, 'V', "ISA 1.2"};
  m.wait_tags = {63, 'D', "ISA 4.1: i01..i3f"};
  m.clock_hz = {750'000'000, 'V', "ISA 1.3"};
  m.cycles_per_step = {4, 'V', "ISA 1.3"};
  m.matrix_fma_d = {8, 'V', "ISA 1.3"};
  m.matrix_fma_f = {32, 'V', "ISA 1.3"};
  m.matrix_fma_g = {64, 'V', "ISA 1.3"};
  m.matrix_fma_h = {256, 'V', "ISA 1.3"};
  m.vector_fma_d = {2, 'V', "ISA 1.3"};
  m.vector_fma_f = {8, 'V', "ISA 1.3"};
  m.vector_fma_h = {16, 'V', "ISA 1.3"};
  m.l2bm_port_lw = {64, 'V', "ISA 1.2"};
  m.l1bm_l2_port_lw = {16, 'V', "ISA 1.2"};
  m.l1bm_pe_port_lw = {64, 'V', "ISA 1.2"};
  m.lm_port_lw = {2, 'V', "ISA 1.2: one access, read or write"};
  m.grf_port_lw = {2, 'V', "ISA 1.2: one read and one write"};
  m.t_port_lw = {2, 'V', "ISA 1.2: one read and one write"};
  m.pe_words_per_mv = {3, 'V', "ISA 1.5"};
  m.tree = {"mncore2", kFullAxes, kLocations, 64, kHops};
  return m;
}

constexpr MachineConfig tiny() {
  MachineConfig m = full();
  m.name = "mncore2-tiny";
  m.doc = "a small MN-Core 2 for tests: 1 group, 1 L2B, 2 L1B, 128 PEs";
  m.groups = {1, 'O', "test machine"};
  m.l2bs_per_group = {1, 'O', "test machine"};
  m.l1bs_per_l2b = {2, 'O', "test machine"};
  m.tree = {"mncore2-tiny", kTinyAxes, kTinyLocations, 64, kHops};
  return m;
}

constexpr MachineConfig kMachines[] = {full(), tiny()};

}  // namespace

std::span<const MachineConfig> machines() { return kMachines; }

const MachineConfig* find_machine(std::string_view name) {
  for (const MachineConfig& m : kMachines)
    if (m.name == name) return &m;
  return nullptr;
}

}  // namespace kumihimo::mncore2
