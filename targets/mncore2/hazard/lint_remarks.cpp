#include "targets/mncore2/hazard/lint_remarks.h"

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Insn;
using isa::Mem;
using isa::Unit;

class Remarks {
 public:
  explicit Remarks(LintContext& context) : context_(context) {}

  void on(const Insn& insn) {
    if (insn.def->unit == Unit::kMauCalc) mau_widths(insn);
    open_questions(insn);
    flags(insn);
  }

 private:
  void width(const Insn& insn, const isa::Operand& op, isa::Width natural, bool dst) {
    if (isa::memory(op.mem).cls != isa::MemClass::kPe || op.width == natural) return;
    const bool narrower = isa::width_words(op.width) < isa::width_words(natural);
    // One element per cycle is ordinary use of single vectors (ISA 6.1 [A]).
    if (narrower && insn.prec == isa::Prec::kF && op.width == isa::Width::kW) return;
    Finding& f =
        context_.add(diag::kLintWidth, Severity::kWarning, insn.def->source,
                     narrower ? (dst ? "result is cut" : "source is filled with zeros")
                              : (dst ? "result is written with unspecified low words" : "source is cut"),
                     isa::print(op), cat(isa::width_words(natural), natural == isa::Width::kW ? " word" : " words"));
    f.evidence = insn.def->evidence;
    isa::Operand whole = op;
    whole.width = natural;
    f.mend = cat("use ", isa::print(whole), ", where the whole value is meant");
  }

  void mau_widths(const Insn& insn) {
    auto narrower = [](isa::Width w) { return w == isa::Width::kDlw ? isa::Width::kLw : isa::Width::kW; };
    for (size_t i = 0; i < insn.srcs.size(); ++i) {
      const isa::OperandDef& def = insn.def->srcs[i];
      if (def.role != isa::OperandRole::kPeSrc) continue;
      isa::Width natural = def.width[static_cast<size_t>(insn.prec)];
      if (insn.srcs[i].convert == 'e') natural = narrower(natural);
      if (insn.srcs[i].convert == 'r') natural = isa::Width::kDlw;
      width(insn, insn.srcs[i], natural, false);
    }
    isa::Width natural = insn.def->dst.width[static_cast<size_t>(insn.prec)];
    if (insn.narrow) natural = narrower(natural);
    for (const isa::Operand& op : insn.dsts) width(insn, op, natural, true);
  }

  void open_questions(const Insn& insn) {
    const bool reduction = insn.reduce != nullptr && insn.reduce->evidence == isa::Evidence::kUnknown;
    if (insn.def->evidence != isa::Evidence::kUnknown && !reduction) return;
    Finding& f = context_.add(diag::kLintOpenQuestion, Severity::kWarning,
                              reduction ? insn.reduce->source : insn.def->source, "behaviour is not known for certain",
                              isa::stem_of(insn), std::string(reduction ? insn.reduce->doc : insn.def->doc));
    f.evidence = isa::Evidence::kUnknown;
    f.mend = "an instruction whose behaviour is known, or a trial on the machine";
  }

  void flags(const Insn& insn) {
    if (!insn.def->flags.empty()) return;
    for (const isa::Operand& op : insn.dsts)
      if (op.mem == Mem::kOmr)
        context_
            .add(diag::kLintFlags, Severity::kWarning, "ISA 7, 12 Q31", "the instruction produces no flags",
                 isa::stem_of(insn), "an instruction with flags")
            .mend = "use lpassa of the result";
  }

  LintContext& context_;
};

}  // namespace

void remark(LintContext& context, const isa::Line& line) {
  Remarks remarks(context);
  for (const Insn& insn : line.insns) remarks.on(insn);
}

}  // namespace kumihimo::mncore2::hazard
