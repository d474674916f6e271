// Shared by check_operands.cpp and check_step.cpp.
#pragma once

#include <initializer_list>
#include <string>

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/diagnostics.h"

namespace kumihimo::mncore2::isa {

inline void report(std::vector<Violation>& out, const DiagDef& def, int insn, int operand, std::string headline,
                   std::string observed = {}, std::string required = {}) {
  out.push_back({&def, std::move(headline), std::move(observed), std::move(required), insn, operand});
}

}  // namespace kumihimo::mncore2::isa
