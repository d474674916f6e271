#include "targets/mncore2/hazard/lint_masks.h"

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Mem;

int elements_of(isa::Prec prec) {
  switch (prec) {
    case isa::Prec::kF:
    case isa::Prec::kG:
    case isa::Prec::kI: return 2;
    case isa::Prec::kH:
    case isa::Prec::kS: return 4;
    default: return 1;
  }
}

}  // namespace

void MaskChecker::read(const isa::Insn& insn) {
  for (const isa::Operand& dst : insn.dsts)
    if (isa::memory(dst.mem).cls == isa::MemClass::kPe) guarded(insn, dst);
}

void MaskChecker::guarded(const isa::Insn& insn, const isa::Operand& dst) {
  const isa::EffectiveMask mask = isa::effective_mask(dst, context_.masks);
  if (mask.entry == 0) return;
  const bool dlw = dst.width == isa::Width::kDlw;
  // The LSB long word of a wider write is then written always (ISA 12 Q22).
  if (dlw && !mask.ll) {
    Finding& f =
        context_.add(diag::kLintMaskWidth, Severity::kWarning, "ISA 3.3, 12 Q22",
                     "the mask guards half of the write only", isa::print(dst), "an ll mask on a double long word");
    f.evidence = isa::Evidence::kInferred;
    f.mend = "write /ll... or maskll";
    return;
  }
  if (mask.entry >= 16) return;  // equal bits mean the same in both widths
  if (!dlw && mask.ll) {
    Finding& f =
        context_.add(diag::kLintMaskWidth, Severity::kWarning, "ISA 3.3", "half of the mask's bits guard nothing",
                     isa::print(dst), "an l mask, or a double long word");
    f.evidence = isa::Evidence::kInferred;
    f.mend = "write the mask without ll";
    return;
  }
  // Flags of smaller elements than the result has: parts of one element could be written and others kept.
  const int told_apart = elements_[mask.entry], written = elements_of(insn.prec);
  const bool float_result = insn.def->unit == isa::Unit::kMauCalc;
  if (!float_result || told_apart == 0 || mask.ll || told_apart <= written) return;
  Finding& f = context_.add(diag::kLintMaskWidth, Severity::kWarning, "ISA 3.3, 7",
                            "the mask's flags are those of smaller elements than it guards",
                            cat(told_apart, " flags per long word, ", written, written == 1 ? " result" : " results"),
                            "flags of the width of the result");
  f.evidence = isa::Evidence::kInferred;
  f.mend = "make the flags with an instruction of the result's width";
  f.other = line_[mask.entry];
}

void MaskChecker::write(const isa::Insn& insn) {
  for (const isa::Operand& dst : insn.dsts) {
    if (dst.mem != Mem::kOmr || dst.addr[0] > 15) continue;
    elements_[static_cast<size_t>(dst.addr[0])] = elements_of(insn.prec);
    line_[static_cast<size_t>(dst.addr[0])] = context_.at;
  }
}

}  // namespace kumihimo::mncore2::hazard
