// ALU kernels by path (kernels.h): what KernelSet::alu points to.
//
// The kernels are templates over operation, element and prefix u (num/alu.h), with flags or without, in headers that
// alu_avx512.cpp and alu_avx2.cpp compile once each; see alu_lanes.h.
#pragma once

#include <optional>

#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/num/alu.h"

namespace kumihimo::mncore2::fast {

// The kernel of an instruction of the ALU; null = none.
Kernel alu_avx512(const emu::Op& op);
Kernel alu_avx2(const emu::Op& op);

// What an instruction does with its elements; none where whole rows are made or moved.
std::optional<num::AluOp> alu_element_op(const emu::Op& op);

// The other instructions.
enum class RowForm : uint8_t { kZero, kImm, kImmu, kMsl, kMsr, kBfn, kBfe, kOther };
RowForm alu_row_form(const emu::Op& op);

}  // namespace kumihimo::mncore2::fast
