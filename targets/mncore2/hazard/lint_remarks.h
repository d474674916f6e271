// Remarks on single instructions: widths of operands, flags, open questions.
#pragma once

#include "targets/mncore2/hazard/lint_context.h"

namespace kumihimo::mncore2::hazard {

// Precondition: the line passes check_line.
void remark(LintContext& context, const isa::Line& line);

}  // namespace kumihimo::mncore2::hazard
