#include "targets/mncore2/hazard/lint_distance.h"

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::hazard {
namespace {

std::string steps(int n) { return isa::cat(n, n == 1 ? " step" : " steps"); }

}  // namespace

void DistanceChecker::read(const std::vector<Access>& accesses) {
  for (const Access& read : accesses) {
    if (is_write(read.kind)) continue;
    const PastWrite* worst = nullptr;
    const Rule* rule = nullptr;
    int missing = 0, needed = 0;
    for (const PastWrite& write : past_) {
      const Rule* why = nullptr;
      const int gap = min_gap_steps(write.access, read, context_.profile, &why);
      const int lacks = gap - static_cast<int>(context_.now - write.step - 1);
      if (lacks <= missing) continue;
      worst = &write, rule = why, missing = lacks, needed = gap;
    }
    if (worst == nullptr) continue;
    Finding& f =
        context_.add(rule->form == RuleForm::kPort ? isa::diag::kHazardPort : isa::diag::kHazardData, Severity::kError,
                     rule->source, isa::cat(isa::memory(read.mem).name, " is read too early"),
                     isa::cat(steps(needed - missing), " after the write in line ", context_.source_line(worst->line)),
                     isa::cat(steps(needed), " between"));
    const std::string nops = missing == 1 ? "nop" : isa::cat("nop/", missing);
    f.edits.push_back({Edit::Kind::kInsertBefore, context_.at, nops});
    f.mend = isa::cat(nops, " before line ", context_.source_line(context_.at));
    f.rule = rule->id;
    f.evidence = rule->evidence;
    f.other = worst->line;
  }
}

void DistanceChecker::write(const std::vector<Access>& accesses) {
  for (const Access& access : accesses)
    if (is_write(access.kind)) past_.push_back({context_.now, context_.at, access});
}

void DistanceChecker::forget() {
  while (!past_.empty() && context_.now - past_.front().step > window_) past_.pop_front();
}

}  // namespace kumihimo::mncore2::hazard
