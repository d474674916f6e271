// libFuzzer: program texts. Any bytes are either read or refused with a position, by the IR's reader alone and with the
// checks of a target. What is read prints, and reads back as the same program; it runs on the exact interpreter or is
// refused; errors render.
#include <cstdlib>
#include <string_view>

#include "core/dispatch/target.h"
#include "core/driver/driver.h"
#include "core/ir/module.h"

using namespace kumihimo;

namespace {

void require(bool ok) {
  if (!ok) std::abort();
}

void check_error(const Diagnostic& d) {
  require(d.def != nullptr && d.where.known());
  require(!render_text(d).empty() && !render_json(d).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  initialise();
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  // The reader alone: types as stated, any op.
  const FindTargetFn any = [](std::string_view, int version) -> Result<TargetTree> {
    return TargetTree{find_target("mncore2")->tree, version};
  };
  auto raw = parse_module(text, "fuzz.leir", any, {});
  if (raw) {
    require(verify_structure(*raw).empty());
    require(!print_json(*raw).empty());
    auto again = parse_module(print(*raw, {.full = true}), "again.leir", any, {});
    require(again.ok() && !first_mismatch(*raw, *again));
    require(structural_hash(*raw) == structural_hash(*again));
  } else {
    check_error(raw.error());
  }

  auto checked = parse_program(text, "fuzz.leir");
  if (!checked) {
    check_error(checked.error());
    return 0;
  }
  for (bool full : {false, true}) {
    auto again = parse_program(print(*checked, {.full = full}), "again.leir");
    require(again.ok() && !first_mismatch(*checked, *again));
  }
  return 0;
}
