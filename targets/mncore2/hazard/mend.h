// Mends: the edits of findings, applied and tried.
//
//   std::vector<Finding> found = lint(program);
//   verify_mends(program, found);              // found[i].verified
//   apply_edits(program, found[0].edits);      // the mended program
//
// An edit is offered when it was tried: the changed lines assemble, the finding is gone, and no error or warning is there
// that was not there before. The trial lints the neighbourhood of the lines concerned, or the whole program where the
// finding does not show in it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "targets/mncore2/hazard/lint.h"

namespace kumihimo::mncore2::hazard {

// Empty when a changed line does not assemble. Source lines of untouched lines stay.
std::optional<isa::Program> apply_edits(const isa::Program& program, std::span<const Edit> edits);

void verify_mends(const isa::Program& program, std::vector<Finding>& findings,
                  const Profile& profile = default_profile());

// Errors alone, with their mends: what refuses a program that is about to run.
std::vector<Finding> lint_errors(const isa::Program& program, const Profile& profile = default_profile());

}  // namespace kumihimo::mncore2::hazard
