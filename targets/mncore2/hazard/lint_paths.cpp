#include "targets/mncore2/hazard/lint_paths.h"

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Insn;
using isa::Mem;
using isa::Unit;

int path_of(Mem mem) {
  return mem == Mem::kMauf ? 0 : mem == Mem::kAluf ? 1 : mem == Mem::kLbf ? 2 : mem == Mem::kMreadf ? 3 : -1;
}

int path_of(const Insn& insn) {
  switch (insn.def->unit) {
    case Unit::kMauCalc: return 0;
    case Unit::kAlu: return 1;
    case Unit::kL1bm: return insn.def->l1bm.upload ? -1 : 2;
    case Unit::kL1bmTurnaround: return 2;
    case Unit::kMauRead: return 3;
    default: return -1;
  }
}

bool same_view(isa::Prec a, isa::Prec b) {
  auto single = [](isa::Prec p) { return p == isa::Prec::kF || p == isa::Prec::kG; };  // fm* and gm* are one hardware
  return a == b || (single(a) && single(b));
}

}  // namespace

void PathChecker::read(const Insn& insn) {
  for (const isa::Operand& op : insn.srcs) forwarding(op);
  matrix(insn);
  turnaround(insn);
}

void PathChecker::forwarding(const isa::Operand& op) {
  const int path = path_of(op.mem);
  if (path < 0) return;
  const Path& p = paths_[static_cast<size_t>(path)];
  const std::string_view name = isa::memory(op.mem).letters;
  if (!p.fresh) {
    Finding& f = context_.add(
        diag::kHazardForward, Severity::kWarning, "ISA 3.2", cat("$", name, " holds nothing of use"),
        p.line == Finding::kNoLine
            ? "its unit has not worked yet"
            : cat("its unit last worked in line ", context_.source_line(p.line), " and was idle in the step before"),
        "its unit worked in the last step that is no nop and has no noforward");
    f.mend = "write the result to a register and read it there";
    f.other = p.line;
  } else if (p.step + 1 != context_.now) {
    Finding& f =
        context_.add(diag::kHazardForward, Severity::kNote, "ISA 3.2", cat("$", name, " is kept over nop or noforward"),
                     cat(context_.now - p.step, " steps after line ", context_.source_line(p.line)), "the next step");
    f.evidence = isa::Evidence::kAssembled;
    f.mend = "nothing, where the old value is meant";
    f.other = p.line;
  }
}

void PathChecker::matrix(const Insn& insn) {
  if (!insn.def->reads_matrix()) return;
  const Side& side = sides_[insn.srcs[0].mem == Mem::kMatY];
  const std::string_view name = insn.srcs[0].mem == Mem::kMatY ? "$y" : "$x";
  if (side.line == Finding::kNoLine) {
    context_.add(diag::kLintMatrixPrecision, Severity::kWarning, "ISA 6.2", cat(name, " is read and was never written"))
        .mend = "write the matrix register first";
  } else if (!same_view(side.prec, insn.prec)) {
    Finding& f = context_.add(diag::kLintMatrixPrecision, Severity::kError, "ISA 6.2",
                              cat(name, " is read in another precision than it was written in"), isa::stem_of(insn),
                              cat("precision ", isa::prec_letter(side.prec)));
    f.mend = "write and read it in one precision";
    f.other = side.line;
  }
}

void PathChecker::turnaround(const Insn& insn) {
  if (insn.def->unit != Unit::kL1bmTurnaround) return;
  const bool dlw = insn.srcs[0].width == isa::Width::kDlw;
  const int rate = dlw ? insn.def->l1bm.rate_dlw : insn.def->l1bm.rate_lw;
  if (turn_rate_ == rate && turn_dlw_ == dlw) return;
  Finding& f = context_.add(
      diag::kLintTurnaround, Severity::kWarning, "ISA 5.4", "$lbi holds no data of this type",
      turn_rate_ == 0 ? "no upload before" : cat("the last upload moves ", turn_rate_, " long words per cycle"),
      cat("an upload of ", rate, " long words per cycle"));
  f.mend = "upload in this form first, or read L1BM";
  f.other = turn_line_;
}

void PathChecker::write(const isa::Line& line, bool noforward) {
  for (const Insn& insn : line.insns) {
    if (insn.def->writes_matrix()) sides_[insn.dsts[0].mem == Mem::kMatY] = {insn.prec, context_.at};
    if (insn.def->unit == Unit::kL1bm && insn.def->l1bm.upload) {
      turn_dlw_ = insn.dsts[0].width == isa::Width::kDlw;
      turn_rate_ = turn_dlw_ ? insn.def->l1bm.rate_dlw : insn.def->l1bm.rate_lw;
      turn_line_ = context_.at;
    }
  }
  if (noforward) return;
  for (Path& p : paths_) p.fresh = false;
  for (const Insn& insn : line.insns) {
    const int path = path_of(insn);
    if (path >= 0) paths_[static_cast<size_t>(path)] = {true, context_.now, context_.at};
  }
}

}  // namespace kumihimo::mncore2::hazard
