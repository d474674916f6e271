// The elements of ALU instructions.
#pragma once

#include "targets/mncore2/isa/insn.h"
#include "targets/mncore2/num/alu.h"

namespace kumihimo::mncore2::emu {

// What a long word of an instruction of this precision holds; without precision, one integer.
num::Element element_of(isa::Prec prec);

}  // namespace kumihimo::mncore2::emu
