// Fixes of refused applications: edits that are tried on a copy before they are offered.
//
// A constraint suggests edits; often one is not enough (an operand in DRAM that should be block floats in LM
// needs a download and a conversion). So the edits form a search: apply one, check again, take the
// suggestions of what refuses next, until the application passes or the budget ends. An edit that passes
// keeps the reference value (only value-keeping ops are inserted) and the shape and dtype of the result.
#pragma once

#include <optional>

#include "core/dispatch/target.h"

namespace kumihimo {

struct CheckOutcome {
  std::optional<Chosen> chosen;
  std::optional<Diagnostic> error;
  std::vector<Edit> edits;  // not yet verified
};

CheckOutcome check_once(const Target& target, const OpDef& op, std::span<const TypeRef> operands, AttrMap& attrs,
                        std::string_view variant);

// Tries the edits and puts those that hold into outcome.error->fixes, or the reason why none is offered.
void add_verified_fixes(const Module& module, const Target& target, const OpDef& op, std::span<const ValueId> operands,
                        const AttrMap& attrs, std::string_view variant, CheckOutcome& outcome);

}  // namespace kumihimo
