// The linter: everything that can be said about a program without running it.
//
//   for (const Finding& f : lint(program)) std::cout << render_text(to_diagnostic(f, program, "kernel.vsm"));
//
// It walks the lines once, counting steps (nop/N counts N), and reports
//   hazards        a read too early after a write, by the rules of the profile (rules.h)
//   MV             touching words of an MV before its wait, untagged MVs, tags waited for in vain or used twice
//   issue          the rules of parallel issue and operand legality (isa/check.h), for programs that were built
//   forwarding     a forwarding path read when its unit was idle in the last step that updates paths
//   matrix         a register written in one precision and read in another
//   turnaround     `$lbi` without an upload of the same type before it
//   width, flags, alignment, masks, open questions
//   undefined      words that nothing has written, where they matter (lint_defined.h)
// MVs are in order per port (the time model's assumption, ISA 4.6 [I]): a wait for a tagged MV also completes earlier
// MVs that share a port with it.
// Addresses that are known at run time only (T-indirect, j, base addresses) count as written; `j` and T as the whole LM.
// What a correct program could do without is said by advise (advice.h); what changes mend a finding, by mend.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/hazard/rules.h"
#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::hazard {

// One change of the text. Several are applied together; none changes what the program computes.
struct Edit {
  enum class Kind : uint8_t { kInsertBefore, kReplace, kErase };
  Kind kind = Kind::kInsertBefore;
  size_t line = 0;   // index into Program::lines
  std::string text;  // the new line; empty when one is erased
};

struct Finding {
  const DiagDef* def = nullptr;  // K31xx, K32xx
  Severity severity = Severity::kError;
  std::string_view rule;    // id of the hazard rule, or the name of the diagnostic
  std::string_view source;  // "ISA 9.1"
  isa::Evidence evidence = isa::Evidence::kVendor;
  size_t line = 0;         // index into Program::lines: where it goes wrong
  size_t other = kNoLine;  // the earlier line that it depends on
  std::string headline, observed, required;
  std::string mend;         // for people; never empty
  std::vector<Edit> edits;  // what `mend` says, for a machine; empty where only the author can know
  bool verified = false;    // the edits were tried: see mend.h
  static constexpr size_t kNoLine = static_cast<size_t>(-1);
};

std::vector<Finding> lint(const isa::Program& program, const Profile& profile = default_profile());

// The statement that mends a finding when it stands on a line of its own before it; empty when that is not the mend.
std::string_view inserted_before(const Finding& finding);

// Edits become a fix when they were verified; otherwise the mend is said as advice.
Diagnostic to_diagnostic(const Finding& finding, const isa::Program& program, std::string_view filename = {});

}  // namespace kumihimo::mncore2::hazard
