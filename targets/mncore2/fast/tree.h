// Functions for instructions in which units meet, by path (kernels.h): what KernelSet::tree points to.
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

// In place of the semantic function of a PE -> L1BM or L2BM instruction; null = none.
isa::SemFn tree_avx512(const emu::Op& op);
isa::SemFn tree_avx2(const emu::Op& op);

}  // namespace kumihimo::mncore2::fast
