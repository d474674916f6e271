// Legality of decoded lines: operand rules of each row and the rules of parallel issue (ISA 9.3).
//
// The assembler and every code generator use this one function, so a line that was built is legal exactly when its text
// would assemble. Rules about time (hazards) are in targets/mncore2/hazard.
//
//   Line line = step({make("vfma", Prec::kF, {lm0(0, kLw, 2), lm1(0, kLw, 2), grf0(0, kLw, 2)}, {grf1(0, kLw, 2)})});
//   Status s = check_line(line);
#pragma once

#include <string>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

// The mask statement in force: it decides which destinations of a step are masked (ISA 3.3).
struct MaskState {
  uint8_t entry = 0;
  bool ll = false;
  uint8_t dsts = 0;  // bits as Line::mask_dsts
};

// The mask that guards a destination: its own, else the statement's. Entry 0 = none; 31 is the same as 0.
struct EffectiveMask {
  uint8_t entry = 0;
  bool ll = false;
};
EffectiveMask effective_mask(const Operand& dst, const MaskState& state);
void apply_mask_statement(MaskState& state, const Line& line);  // no-op for other lines

struct Violation {
  const DiagDef* def = nullptr;
  std::string headline, observed, required;
  int insn = -1;     // index in Line::insns
  int operand = -1;  // sources first, then destinations; -1 = the instruction itself
};

void check_insn(const Insn& insn, int index, std::vector<Violation>& out);
void check_step(const std::vector<Insn>& insns, const MaskState& state, std::vector<Violation>& out);
// Both, for any kind of line.
void check_line(const Line& line, const MaskState& state, std::vector<Violation>& out);
Status check_line(const Line& line, const MaskState& state = {});

}  // namespace kumihimo::mncore2::isa
