// Spellings of operands: every memory row with every width prefix, address form and suffix, as far as the assembler reads
// them. Which of them fit a place is found by assembling them there.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::editor {

struct Spelling {
  std::string text;                  // "$lr0v", "$lc0@0.1", "f\"1.0\""
  std::string letters;               // between '$' and the address: "lr"; empty for literals
  std::string snippet;               // "\\$lr${1:0}v"
  std::string detail;                // "GRF0, LW, the next words in each cycle"
  const isa::MemDef* mem = nullptr;  // null for literals
};

std::span<const Spelling> operand_spellings();

// What may follow an operand that is complete so far.
struct Suffix {
  std::string_view text, detail;
};
std::span<const Suffix> operand_suffixes();

// Snippet text that inserts `text` as it is.
std::string escaped(std::string_view text);

}  // namespace kumihimo::mncore2::editor
