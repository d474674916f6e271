// Distances: a read that follows its write too closely, by the rules of the profile (rules.h).
#pragma once

#include <deque>
#include <vector>

#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

class DistanceChecker {
 public:
  explicit DistanceChecker(LintContext& context) : context_(context), window_(max_gap_steps(context.profile) + 1) {}
  // Reads of the line against what earlier steps wrote.
  void read(const std::vector<Access>& accesses);
  // What the step leaves behind; call after its reads.
  void write(const std::vector<Access>& accesses);
  // After the clock moved on.
  void forget();

 private:
  struct PastWrite {
    int64_t step;
    size_t line;
    Access access;
  };
  LintContext& context_;
  const int window_;
  std::deque<PastWrite> past_;
};

}  // namespace kumihimo::mncore2::hazard
