// Text of decoded instructions: canonical spelling, one line per Line.
//
//   law: assemble(print(p)) has the same meaning as p, and print of that is the same text.
//
// Canonical means: /n<size>i<tag> order for MVs, lower-case names, one space between operands, "; " between the
// expressions of a step. Comments and blank lines are not part of a Program.
#pragma once

#include <string>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

std::string print(const Operand& operand);
std::string print(const Insn& insn);
std::string print(const Line& line);        // without line feed
std::string print(const Program& program);  // each line ends in a line feed
std::string print(const MaskSpec& mask);    // "ll0111", "$imr3"; empty when not present
std::string print(const DebugMem& mem);     // "$lm0n0c0b0m0p0", as `d get` echoes it

void append(std::string& out, const Insn& insn);
void append(std::string& out, const Line& line);

// Equality of meaning: source positions, original text and redundant spellings ("v2" for "v" on a long word) do not
// count.
bool same(const Operand& a, const Operand& b);
bool same(const Insn& a, const Insn& b);
bool same(const Line& a, const Line& b);
bool same(const Program& a, const Program& b);

}  // namespace kumihimo::mncore2::isa
