// The instruction table as text: JSON for programs, one page for people. Printed from the rows; nothing is written twice.
#pragma once

#include <string>
#include <string_view>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

std::string_view unit_text(Unit unit);         // "MAU calculation"
std::string_view evidence_text(Evidence tag);  // "vendor's manual"
std::string_view width_text(Width width);      // "W", "LW", "DLW"
// One row as on the page, without its heading: syntax, sentence, operands, addresses, example, source.
std::string describe_row_markdown(const InsnDef& def);
// One operand position as on the page: "- `X`: LM, GRF, T, ...; LW\n".
std::string describe_operand_markdown(const OperandDef& op, uint16_t prec_mask);

// {"schema": "kumihimo/insns/1", "instructions": [...], "reductions": [...], "memories": [...]}
std::string describe_insns_json();

// docs/reference/instructions.md
std::string describe_insns_markdown();

}  // namespace kumihimo::mncore2::isa
