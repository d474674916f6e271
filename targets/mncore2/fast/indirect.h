// Kernels for operands whose addresses differ between PEs (kernels.h).
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

Kernel gather_avx2(isa::Width width);
Kernel scatter_avx2(isa::Width width);

}  // namespace kumihimo::mncore2::fast
