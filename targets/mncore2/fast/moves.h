// Kernels that move rows (kernels.h): what KernelSet::move and KernelSet::down point to.
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

Kernel move_avx512(Move what, bool wide);
Kernel move_avx2(Move what, bool wide);

Kernel mau_flags_avx2(const emu::Op& op);

// L1BM or turnaround register -> PE (ISA 5.3, 5.4). The kernel finds the place of its MAB by what this call leaves in `u`.
Kernel down_avx2(const emu::Op& op, Uop& u);

}  // namespace kumihimo::mncore2::fast
