#include "targets/mncore2/hazard/lint.h"

#include "targets/mncore2/hazard/lint_align.h"
#include "targets/mncore2/hazard/lint_defined.h"
#include "targets/mncore2/hazard/lint_distance.h"
#include "targets/mncore2/hazard/lint_masks.h"
#include "targets/mncore2/hazard/lint_mv.h"
#include "targets/mncore2/hazard/lint_paths.h"
#include "targets/mncore2/hazard/lint_remarks.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Unit;

class Linter {
 public:
  Linter(const isa::Program& program, const Profile& profile)
      : context_{program, profile, out_},
        distances_(context_),
        mv_(program, out_),
        paths_(context_),
        masks_(context_),
        align_(context_),
        defined_(context_) {}

  std::vector<Finding> run() {
    const std::vector<isa::Line>& lines = context_.program.lines;
    for (context_.at = 0; context_.at < lines.size(); ++context_.at) {
      const isa::Line& line = lines[context_.at];
      isa::apply_mask_statement(context_.masks, line);
      switch (line.kind) {
        case isa::LineKind::kPe:
          if (is_legal(line)) step(line);
          break;
        case isa::LineKind::kMv:
          if (is_legal(line)) mv(line.insns[0]);
          remark(context_, line);
          break;
        case isa::LineKind::kHostDma:
          mv_.host(line.host_tag);
          defined_.statement(line);
          break;
        default: defined_.statement(line); break;
      }
    }
    return std::move(out_);
  }

 private:
  bool is_legal(const isa::Line& line) {
    violations_.clear();
    isa::check_line(line, context_.masks, violations_);
    for (const isa::Violation& v : violations_)
      context_.add(*v.def, Severity::kError, "ISA 9.3", v.headline, v.observed, v.required).mend =
          line.insns.size() > 1 ? "issue the instructions in steps of their own" : "write the line as the rule asks";
    return violations_.empty();
  }

  void mv(const Insn& insn) {
    if (!insn.def->has_dst()) return;  // mvnop touches nothing
    mv_.issue(insn, context_.at);
    accesses_.clear();
    append_mv_accesses(insn, accesses_);
    distances_.read(accesses_);
    defined_.mv(insn);
  }

  void step(const isa::Line& line) {
    bool nop = false, noforward = false;
    int64_t steps = 1;
    for (const Insn& insn : line.insns) {
      if (insn.def->unit == Unit::kNop) nop = true, steps = insn.nop_count;
      if (insn.def->unit == Unit::kNoforward) noforward = true;
      if (insn.def->unit == Unit::kWait) mv_.wait(insn.tag, context_.at);
    }
    if (!nop) work(line, noforward);
    context_.now += steps;
    distances_.forget();
  }

  void work(const isa::Line& line, bool noforward) {
    accesses_.clear();
    for (const Insn& insn : line.insns) {
      append_accesses(insn, context_.masks, accesses_);
      paths_.read(insn);
      mv_.touch(insn, context_.at);
      masks_.read(insn);
      align_.read(insn);
    }
    distances_.read(accesses_);
    remark(context_, line);
    defined_.step(line, noforward);
    distances_.write(accesses_);
    paths_.write(line, noforward);
    for (const Insn& insn : line.insns) {
      masks_.write(insn);
      align_.write(insn);
    }
  }

  std::vector<Finding> out_;
  LintContext context_;
  DistanceChecker distances_;
  MvTracker mv_;
  PathChecker paths_;
  MaskChecker masks_;
  AlignChecker align_;
  DefinedChecker defined_;
  std::vector<Access> accesses_;
  std::vector<isa::Violation> violations_;
};

}  // namespace

std::vector<Finding> lint(const isa::Program& program, const Profile& profile) {
  return Linter(program, profile).run();
}

}  // namespace kumihimo::mncore2::hazard
