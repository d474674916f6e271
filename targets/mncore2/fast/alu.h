// ALU kernels by path (kernels.h): what KernelSet::alu points to.
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

// The kernel of an instruction of the ALU; null = none.
Kernel alu_avx512(const emu::Op& op);
Kernel alu_avx2(const emu::Op& op);

}  // namespace kumihimo::mncore2::fast
