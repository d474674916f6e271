// What the checkers of the linter share: where the walk stands, and how a finding is made.
//
// The linter (lint.cpp) walks the lines of a program once and hands each to checkers, one idea each:
//   lint_distance   a read too early after a write
//   lint_mv         MVs in flight and their tags
//   lint_paths      forwarding, matrix registers, turnaround
//   lint_masks      mask widths
//   lint_align      addresses made at run time, L1BM addresses
//   lint_defined    words that nothing has written
//   lint_remarks    widths, flags, open questions of single instructions
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "targets/mncore2/hazard/lint.h"

namespace kumihimo::mncore2::hazard {

struct LintContext {
  const isa::Program& program;
  const Profile& profile;
  std::vector<Finding>& out;
  isa::MaskState masks{};  // the mask statement in force
  size_t at = 0;           // index of the line
  int64_t now = 0;         // its step

  uint32_t source_line(size_t index) const { return program.lines[index].source_line; }
  // A finding at this line. The reference that is returned lives until the next one.
  Finding& add(const DiagDef& def, Severity severity, std::string_view source, std::string headline,
               std::string observed = {}, std::string required = {}) {
    Finding f;
    f.def = &def;
    f.severity = severity;
    f.rule = def.name;
    f.source = source;
    f.line = at;
    f.headline = std::move(headline);
    f.observed = std::move(observed);
    f.required = std::move(required);
    out.push_back(std::move(f));
    return out.back();
  }
};

}  // namespace kumihimo::mncore2::hazard
