// What a semantic function works on.
//
// A semantic function (isa::SemFn) performs one instruction of one step for one unit: a MAB for MAU, ALU and L1BM->PE
// instructions, an L1B for PE->L1BM and L2BM->L1BM, an L2B for L1BM->L2BM, the machine for MV. It reads operands through
// Views, writes its result into `out` (PE-side instructions) or straight into tree memories, and in strict mode moves
// definedness along: everything one instruction does stands in one function.
//
// The engine fetches operands, applies zero flush, stores `out` under masks, and swaps latches; a semantic function
// never sees an address mode or a mask.
#pragma once

#include <cstdint>
#include <string>

#include "targets/mncore2/machine.h"
#include "targets/mncore2/num/switches.h"
#include "targets/mncore2/sem/plan.h"
#include "targets/mncore2/sem/state.h"

namespace kumihimo::mncore2::emu {

// One source of a step: per cycle a row of the four PEs' MSB long words and one of their LSB long words. Rows point
// into a memory when nothing stands between (no copy), else into `copy`.
struct View {
  const uint64_t* hi[4];
  const uint64_t* lo[4];
  const uint8_t* hi_def[4];  // strict mode only
  const uint8_t* lo_def[4];
  Beat copy;
  BeatDef copy_def;
};

enum class FindingKind : uint8_t {
  kUndefinedAddress,
  kUndefinedConversion,
  kUndefinedContraction,
  kUndefinedReduction,
  kUndefinedDump,
  kOutOfRange,
  kMisaligned,
  kInFlight,
  kMatrixPrecision,
};

// Where findings go. One object per worker; merged in program order later.
class Findings {
 public:
  virtual ~Findings() = default;
  // `line` indexes Program::lines. `operand`: index among the sources, 8 + index for destinations, -1 = none.
  // `detail`: the address, cycle or row that the kind speaks of.
  virtual void add(FindingKind kind, uint32_t line, const isa::Insn* insn, int operand, UnitCoord where,
                   int64_t detail) = 0;
};

struct StepContext {
  const MachineState* machine = nullptr;
  const num::Switches* switches = &num::kDefaultSwitches;
  Findings* findings = nullptr;  // null unless strict
  const StepPlan* step = nullptr;
  const Op* op = nullptr;
  UnitCoord where;  // the unit that executes

  Mab* mab = nullptr;  // MAB level
  MabDef* mab_def = nullptr;
  L1bm* l1bm = nullptr;  // MAB and L1B level
  L1bmDef* l1bm_def = nullptr;
  L2bm* l2bm = nullptr;  // L1B and L2B level
  L2bmDef* l2bm_def = nullptr;
  L1bm* l1bms = nullptr;  // L2B level: its children
  L1bmDef* l1bm_defs = nullptr;
  int l1b_count = 0;

  View in[3];
  Beat* out = nullptr;
  BeatDef* out_def = nullptr;
  uint8_t (*flags)[4] = nullptr;  // [cycle][pe], bit 3 = word-bit 0
  uint8_t (*flags_def)[4] = nullptr;

  // PE -> L1BM: what each MAB of the L1B sent, in MAB order.
  const Beat* gathered = nullptr;
  const BeatDef* gathered_def = nullptr;

  bool strict() const { return findings != nullptr; }
  void find(FindingKind kind, int operand, UnitCoord at, int64_t detail) const {
    findings->add(kind, op->line, op->insn, operand, at, detail);
  }
};

}  // namespace kumihimo::mncore2::emu
