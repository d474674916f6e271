// Control expressions of a PE line: they act when the line is issued and have no semantic function.
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"

namespace kumihimo::mncore2::isa {
namespace {
using namespace row;

// clang-format off
constexpr InsnDef kRows[] = {
  {.name = "nop", .form = "", .syntax = "nop[/N]", .unit = Unit::kNop,
   .doc = "Does nothing for N steps (default 1); forwarding and turnaround registers keep their contents.",
   .source = "ISA 3.1, 3.2", .evidence = Evidence::kDerived, .example = "nop/2"},
  {.name = "noforward", .form = "", .syntax = "noforward", .unit = Unit::kNoforward,
   .doc = "Keeps the forwarding and turnaround registers unchanged in this step.",
   .source = "ISA 3.2, 5.4", .evidence = Evidence::kVendor, .example = "noforward; linc $lr0 $lr2"},
  {.name = "wait", .form = "", .syntax = "wait iXX", .unit = Unit::kWait,
   .doc = "Holds the instruction stream until the MV with this tag has completed; needs a companion in its step.",
   .source = "ISA 9.3, 12 Q9", .evidence = Evidence::kAssembled, .example = "nop; wait i01", .questions = "Q9",
   .srcs = {other(OperandRole::kTag, "TAG")}},
};
// clang-format on

}  // namespace

std::span<const InsnDef> control_rows() { return kRows; }

}  // namespace kumihimo::mncore2::isa
