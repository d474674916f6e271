// The row catalogues, one per unit; rows.cpp joins them in this order.
#pragma once

#include <span>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

std::span<const InsnDef> control_rows();
std::span<const InsnDef> mv_rows();
std::span<const InsnDef> l2bm_rows();
std::span<const InsnDef> l1bm_rows();
std::span<const InsnDef> mau_rows();
std::span<const InsnDef> alu_rows();

}  // namespace kumihimo::mncore2::isa
