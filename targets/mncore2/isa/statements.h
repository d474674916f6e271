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
// The row whose statement `text` begins, whether or not the rest of it can be read; null when it begins none.
const StatementDef* statement_begun(std::string_view text);
// Letters may follow the name without a blank: the type of `d getf`, the destinations of `maskrs`.
bool takes_letters(const StatementDef& def);

}  // namespace kumihimo::mncore2::isa
