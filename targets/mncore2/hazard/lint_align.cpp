#include "targets/mncore2/hazard/lint_align.h"

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Mem;
using isa::Unit;

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }

}  // namespace

void AlignChecker::read(const isa::Insn& insn) {
  l1bm(insn);
  for (const auto* list : {&insn.srcs, &insn.dsts})
    for (const isa::Operand& op : *list)
      if (is_lm(op.mem)) lm(op);
}

void AlignChecker::l1bm(const isa::Insn& insn) {
  if (insn.def->unit != Unit::kL1bm) return;
  const isa::L1bmColumns& columns = insn.def->l1bm;
  const isa::Operand& op = columns.upload ? insn.dsts[0] : insn.srcs[0];
  if (op.mem != Mem::kL1bm) return;
  const int safe = op.width == isa::Width::kDlw ? columns.safe_align_dlw : columns.safe_align_lw;
  if (op.addr[0] % safe == 0) return;
  Finding& f = context_.add(diag::kLintAlignment, Severity::kNote, insn.def->source,
                            "L1BM address is not aligned as all known code aligns it", std::to_string(op.addr[0]),
                            cat("a multiple of ", safe));
  f.evidence = columns.align_evidence;
  f.mend = cat("an address that is a multiple of ", safe);
}

// The low bits of a sum that is not a multiple of the width are dropped (ISA 3.2).
void AlignChecker::lm(const isa::Operand& op) {
  const Known& bar = bar_[op.mem == Mem::kLm1];
  if (!bar.known || (op.t_indirect && !t_.known)) return;
  const int64_t sum = bar.value + (op.t_indirect ? t_.value : 0);
  const int width = isa::width_words(op.width);
  if (sum % width == 0) return;
  Finding& f = context_.add(diag::kLintAlignment, Severity::kWarning, "ISA 3.2",
                            "the address of every cycle is cut to a multiple of the width", isa::print(op),
                            cat("T and base address add up to a multiple of ", width, ", not to ", sum));
  f.mend = "another literal, or a narrower access";
  f.other = op.t_indirect && t_.value % width != 0 ? t_.line : bar.line;
}

void AlignChecker::write(const isa::Insn& insn) {
  const bool literal = insn.def->srcs[0].role == isa::OperandRole::kLiteral && !insn.zero_flush.present;
  for (const isa::Operand& dst : insn.dsts) {
    if (dst.mem != Mem::kT && dst.mem != Mem::kBar0 && dst.mem != Mem::kBar1) continue;
    const bool whole = isa::effective_mask(dst, context_.masks).entry == 0;
    // The low 12 bits of the MSB word of a base address. T: the low bits of its long word, whose LSB word immu clears.
    const bool repeated = insn.def->name == "imm";
    const int64_t value =
        dst.mem == Mem::kT ? (repeated ? insn.literal & 0xfff : 0) : static_cast<int64_t>(insn.literal & 0xfff);
    (dst.mem == Mem::kT ? t_ : bar_[dst.mem == Mem::kBar1]) = {literal && whole, value, context_.at};
  }
}

}  // namespace kumihimo::mncore2::hazard
