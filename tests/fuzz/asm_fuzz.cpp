// libFuzzer: assembly text. Any bytes are either read or refused with a position. What is read prints, reads back with
// the same meaning and prints the same again; the linter, its advice and mends, and the JSON rendering of errors survive
// all of it.
#include <cstdlib>
#include <string_view>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/isa/print.h"

using namespace kumihimo;
using namespace kumihimo::mncore2;

namespace {
void require(bool ok) {
  if (!ok) std::abort();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const vsm::AsmResult result = vsm::assemble(text, "fuzz.vsm");
  for (const Diagnostic& d : result.errors)
    require(d.where.known() && d.def != nullptr && !render_text(d).empty() && !render_json(d).empty());
  const std::string printed = isa::print(result.program);
  const vsm::AsmResult again = vsm::assemble(printed, "printed.vsm");
  require(again.ok());
  require(isa::same(result.program, again.program));
  require(isa::print(again.program) == printed);
  std::vector<hazard::Finding> findings = hazard::lint(result.program);
  for (hazard::Finding& f : hazard::advise(result.program)) findings.push_back(std::move(f));
  if (findings.size() <= 64) hazard::verify_mends(result.program, findings);
  for (const hazard::Finding& f : findings)
    require(!render_text(hazard::to_diagnostic(f, result.program, "fuzz.vsm")).empty());
  return 0;
}
