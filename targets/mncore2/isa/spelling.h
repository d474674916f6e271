// Mnemonics: from a row and its options to text and back.
//
// The text of an instruction begins with a stem that fuses unsigned prefix, precision, name, reduction, half select and
// rounding ("uilsr", "dvfmaur", "l1bmrffaddr"). All stems are enumerated once from the rows by the same function that
// prints them, so reading and writing cannot disagree; options after the stem (@, /, +n) stand apart.
//
//   find_stem("dvmulu")->rows[0]->name == "vmul", prec kD, half_select 'u'
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

struct Stem {
  std::string text;
  std::vector<const InsnDef*> rows;  // rows of this name: the operands decide among them
  Prec prec = Prec::kNone;
  bool is_unsigned = false;
  char half_select = 0;
  bool narrow = false;
  const InsnDef* reduce = nullptr;
};

// Null when no instruction is spelled so.
const Stem* find_stem(std::string_view text);
std::span<const Stem> all_stems();
// Stems closest in spelling, best first, for "did you mean".
std::vector<std::string_view> nearest_stems(std::string_view text, size_t count);

std::string stem_of(const Insn& insn);

char prec_letter(Prec prec);  // 0 for kNone
Prec prec_of_letter(char c);  // kNone when it is none
bool is_integer(Prec prec);

}  // namespace kumihimo::mncore2::isa
