// Statements that are no instructions: debug lines, mask statements, lines of the host, quit. One row each says what an
// instruction row says of an instruction; the reading itself is in targets/mncore2/asm.
#pragma once

#include <span>
#include <string_view>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

struct StatementDef {
  LineKind kind;
  std::string_view name;    // the fixed words it begins with, without what may be attached: "d get", "mask"
  std::string_view syntax;  // for people: "d get[TYPE] MEM COUNT"
  std::string_view doc;     // one sentence
  std::string_view source;
  Evidence evidence;
  std::string_view example;  // one assembling line
};

std::span<const StatementDef> statements();
// The row of a kind of line; null for kEmpty, kPe and kMv.
const StatementDef* statement(LineKind kind);

}  // namespace kumihimo::mncore2::isa
