// Definedness of all memories of the machine, one unit for all of its kind (defined_lanes.h); L2BM, PDM and DRAM by
// instance, for MVs and input lines tell them apart.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "targets/mncore2/hazard/defined_units.h"
#include "targets/mncore2/isa/check.h"

namespace kumihimo::mncore2::hazard {

// A memory of long words of which few are touched.
class SparseLanes {
 public:
  explicit SparseLanes(Lanes fresh = kNever) : fresh_(fresh) {}
  Lanes get(int64_t at) const;
  void set(int64_t at, Lanes lanes);
  // Any word may have been overwritten by anything.
  void blur() { blurred_ = true; }

 private:
  static constexpr int64_t kPage = 256;
  using Page = std::array<Lanes, kPage>;
  Lanes fresh_;
  bool blurred_ = false;
  std::unordered_map<int64_t, std::unique_ptr<Page>> pages_;
};

class DefinedMemory {
 public:
  // `outside`: what DRAM and PDM hold before the program writes them.
  explicit DefinedMemory(Lanes outside);

  // Sources of PE instructions, with their modifiers. An address of unwritten bits is a harm.
  Beat fetch(const isa::Operand& op, isa::Prec prec, std::vector<Harm>& harms) const;
  // Destinations, under the mask in force.
  void store(const isa::Operand& op, const isa::MaskState& masks, const UnitResult& result, std::vector<Harm>& harms);
  void zero_flush(const isa::MaskSpec& mask, Beat& beat) const;

  std::vector<Row>* rows(isa::Mem mem);  // LM, GRF by long word; null for others
  Lanes l1bm(int64_t at) const { return l1bm_[static_cast<size_t>(at) & (l1bm_.size() - 1)]; }
  void set_l1bm(int64_t at, Lanes lanes) { l1bm_[static_cast<size_t>(at) & (l1bm_.size() - 1)] = lanes; }
  // Instances: 2g + s for L2BM, g for PDM and DRAM.
  Lanes tree(isa::Mem mem, int instance, int64_t at) const;
  void set_tree(isa::Mem mem, int instance, int64_t at, Lanes lanes);
  void blur_dram(int group) { dram_[static_cast<size_t>(group)].blur(); }

  Beat t;
  std::array<Beat, 4> latch;                          // mauf, aluf, lbf, mreadf
  std::array<std::array<Row, 16>, 2> matrix{};        // by side and row
  std::array<Flags, 16> omr{};                        // by entry and cycle
  std::array<std::array<Lanes, 64>, 4> turnaround{};  // by cycle and place
  int turnaround_rate = 0;

 private:
  struct Guard {  // of one cycle and PE: lanes that are surely and possibly written, and whether their mask bits are
    std::array<Lanes, 2> on, known;
  };
  Guard guard(uint8_t entry, bool ll, size_t cycle, size_t pe) const;
  static Lanes merged(Lanes old, Lanes value, Lanes on, Lanes known);
  void store_row(const isa::Operand& op, const isa::EffectiveMask& mask, const Beat& beat, std::vector<Harm>& harms);
  bool unknown_address(const isa::Operand& op) const;
  void check_address(const isa::Operand& op, std::vector<Harm>& harms) const;

  std::array<std::vector<Row>, 4> pe_;  // LM0, LM1, GRF0, GRF1
  std::vector<Lanes> l1bm_;
  std::array<SparseLanes, 8> l2bm_;
  std::array<SparseLanes, 4> pdm_, dram_;
  std::array<std::array<Lanes, 4>, 2> bar_;  // by LM and PE: the lane that holds it, spread over all four
  std::array<bool, 2> bar_written_{};
};

}  // namespace kumihimo::mncore2::hazard
