// Which long words a line may change: what a trace or a comparison has to look at after it.
//
// A superset of what changes, from the program text alone: masks are not considered, addresses that are known at run
// time only (T-indirect, j, base addresses other than 0) stand for the whole memory, and every unit of the machine is
// meant unless `instances` says otherwise. A word outside of it keeps its value.
#pragma once

#include <cstdint>
#include <vector>

#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/session/selection.h"

namespace kumihimo::mncore2::session {

// Long words [first, end) of a memory. instances: bit g for DRAM and PDM, bit 2g+s for L2BM; others all.
struct Touch {
  isa::Mem mem = isa::Mem::kNone;
  int64_t first_lw = 0, end_lw = 0;
  uint8_t instances = 0xff;
};

// What the base addresses may hold while lines are read in order: 0 until a line writes them.
struct BaseAddresses {
  bool written[2] = {false, false};
};

void note_bases(const isa::Line& line, BaseAddresses& bases);
// A line whose destination in DRAM lies where DAR says (`$di`): append_touched gives the whole DRAM for it.
bool writes_through_dar(const isa::Line& line);
// The same as it stands now: right before the line is executed, the words that it will write.
void append_through_dar(const isa::Line& line, const emu::Machine& machine, std::vector<Touch>& out);

void append_touched(const isa::Line& line, BaseAddresses& bases, std::vector<Touch>& out);

// Joins ranges of one memory that meet, so that no word stands twice.
void join(std::vector<Touch>& touches);

// The long words that a selection and touches have in common, and their values.
class Watched {
 public:
  Watched(const Selection& selection, const std::vector<Touch>& touches, const MachineConfig& machine);
  bool empty() const { return runs_.empty(); }
  int64_t words() const { return words_; }
  // Values of all words, in the order of for_each.
  std::vector<uint64_t> read(const emu::Machine& machine) const;
  // f(memory, unit, address, index into the values).
  template <class F>
  void for_each(F f) const {
    size_t i = 0;
    for (const Run& r : runs_)
      for (int64_t a = 0; a < r.count; ++a) f(r.mem, r.unit, r.first_lw + a, i++);
  }

 private:
  struct Run {
    isa::Mem mem;
    UnitCoord unit;
    int64_t first_lw, count;
  };
  std::vector<Run> runs_;
  int64_t words_ = 0;
};

// Whether a Watched of them would hold any word, without building it.
bool meets(const Selection& selection, const std::vector<Touch>& touches);

}  // namespace kumihimo::mncore2::session
