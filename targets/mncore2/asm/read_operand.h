// Operands, masks and literals of PE and MV expressions.
#pragma once

#include "targets/mncore2/asm/cursor.h"

namespace kumihimo::mncore2::vsm {

struct ReadOperand {
  isa::Operand op;
  bool has_addr = false;  // $lx0 in contrast to $lx
  bool is_literal = false;
  uint32_t literal = 0;
  size_t begin = 0, end = 0;  // columns, 0-based
};

// Reads one word. On an error it reports, skips the word and returns false.
bool read_operand(Cursor& cursor, const Reporter& reporter, ReadOperand& out);

// A mask after '/': 0111, ll0111, $imr3, $llimr3, with suffix t or p. False without a report when there is none.
bool read_mask(Cursor& cursor, isa::MaskSpec& mask);

}  // namespace kumihimo::mncore2::vsm
