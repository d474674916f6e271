// From lines to plans: settles everything that does not depend on data.
//
// A Decoded holds pointers into the program; the program must outlive it.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// The mask statement in force (ISA 3.3); carried from run to run.
struct MaskState {
  uint8_t entry = 0;
  bool ll = false;
  uint8_t dsts = 0;
};

struct Item {
  enum class Kind : uint8_t { kStep, kMv, kDar, kGet, kSet, kHost };
  Kind kind;
  uint32_t line;   // index into Program::lines
  uint32_t index;  // kStep: into steps; kMv, kDar: into mvs
};

struct Decoded {
  std::vector<Item> items;  // steps that do nothing (nop) are counted, not listed
  std::vector<StepPlan> steps;
  std::vector<const Op*> mvs;  // also the DAR instructions: what acts on the machine between the units' runs
  std::deque<Op> ops;
  std::deque<std::vector<DstPlan>> dsts;
  std::deque<std::vector<Store>> stores;
  // Waits by position: before items[i] is executed, these tags are complete.
  struct Wait {
    size_t item;
    uint8_t tag;
  };
  std::vector<Wait> waits;
  RunReport counts;
};

// Decodes lines [first, last). `masks` is read and left as the lines leave it. Static out-of-range addresses are added to
// `findings` when that is not null.
Result<Decoded> decode(const isa::Program& program, size_t first, size_t last, const MachineConfig& config,
                       const std::string& file, MaskState& masks, Findings* findings);

SourceRange where_of(const isa::Line& line, const std::string& file);

}  // namespace kumihimo::mncore2::emu
