#include "targets/mncore2/isa/memories.h"

#include <array>
#include <cassert>

#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::isa {
namespace {

// In the order of enum Mem.
constexpr MemDef kMemories[] = {
    {Mem::kNone, "", "nothing", MemClass::kNone, false, false},
    {Mem::kLm0, "m", "LM0", MemClass::kPe, true, true},
    {Mem::kLm1, "n", "LM1", MemClass::kPe, true, true},
    {Mem::kGrf0, "r", "GRF0", MemClass::kPe, true, true},
    {Mem::kGrf1, "s", "GRF1", MemClass::kPe, true, true},
    {Mem::kT, "t", "T", MemClass::kT, true, false},
    {Mem::kOmr, "omr", "OMR", MemClass::kOmr, false, true},
    {Mem::kBar0, "mb", "LM0 base address", MemClass::kBar, true, false},
    {Mem::kBar1, "nb", "LM1 base address", MemClass::kBar, true, false},
    {Mem::kMauf, "mauf", "MAU forwarding", MemClass::kForward, false, false},
    {Mem::kAluf, "aluf", "ALU forwarding", MemClass::kForward, false, false},
    {Mem::kLbf, "lbf", "L1BM forwarding", MemClass::kForward, false, false},
    {Mem::kMreadf, "mreadf", "matrix read forwarding", MemClass::kForward, false, false},
    {Mem::kL2bid, "l2bid", "number of the L2B", MemClass::kConstant, false, false},
    {Mem::kL1bid, "l1bid", "number of the L1B in its L2B", MemClass::kConstant, false, false},
    {Mem::kMabid, "mabid", "number of the MAB in its L1B", MemClass::kConstant, false, false},
    {Mem::kPeid, "peid", "number of the PE in its L1B", MemClass::kConstant, false, false},
    {Mem::kSubpeid, "subpeid", "number of the PE in its MAB", MemClass::kConstant, false, false},
    {Mem::kMsb1, "msb1", "only the MSB set", MemClass::kConstant, false, false},
    {Mem::kNowrite, "nowrite", "no destination", MemClass::kNowrite, false, false},
    {Mem::kMatX, "x", "matrix register x", MemClass::kMatrix, true, true},
    {Mem::kMatY, "y", "matrix register y", MemClass::kMatrix, true, true},
    {Mem::kL1bm, "b", "L1BM", MemClass::kTree, true, true},
    {Mem::kTurnaround, "bi", "turnaround register", MemClass::kTurnaround, true, false},
    {Mem::kL2bm, "c", "L2BM", MemClass::kTree, true, true},
    {Mem::kPdm, "p", "PDM", MemClass::kMv, false, true},
    {Mem::kDram, "d", "DRAM", MemClass::kMv, false, true},
    {Mem::kDramIndirect, "di", "DRAM through DAR", MemClass::kMv, false, true},
    {Mem::kDar, "dar", "DAR", MemClass::kMv, false, true},
    {Mem::kImm, "", "literal", MemClass::kNone, false, false},
};
constexpr size_t kCount = sizeof(kMemories) / sizeof(kMemories[0]);
constexpr bool in_order() {
  for (size_t i = 0; i < kCount; ++i)
    if (static_cast<size_t>(kMemories[i].mem) != i) return false;
  return kCount == static_cast<size_t>(Mem::kImm) + 1;
}
static_assert(in_order());

std::array<int64_t, kCount> address_counts() {
  const MachineConfig* machine = find_machine("mncore2");
  assert(machine != nullptr);
  std::array<int64_t, kCount> count{};
  auto set = [&](Mem mem, int64_t n) { count[static_cast<size_t>(mem)] = n; };
  set(Mem::kLm0, machine->lm_words);
  set(Mem::kLm1, machine->lm_words);
  set(Mem::kGrf0, machine->grf_words);
  set(Mem::kGrf1, machine->grf_words);
  set(Mem::kOmr, machine->omr_entries);
  set(Mem::kMatX, 16);  // rows of the half view; the checker knows the smaller views (ISA 6.2)
  set(Mem::kMatY, 16);
  set(Mem::kL1bm, machine->l1bm_lw);
  set(Mem::kL2bm, machine->l2bm_lw);
  set(Mem::kPdm, machine->pdm_lw);
  set(Mem::kDram, machine->dram_lw);
  set(Mem::kDramIndirect, machine->dar_entries);
  set(Mem::kDar, machine->dar_entries);
  return count;
}

}  // namespace

std::span<const MemDef> memories() { return kMemories; }
const MemDef& memory(Mem mem) { return kMemories[static_cast<size_t>(mem)]; }

int64_t address_count(Mem mem) {
  static const std::array<int64_t, kCount> counts = address_counts();
  return counts[static_cast<size_t>(mem)];
}

}  // namespace kumihimo::mncore2::isa
