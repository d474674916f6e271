#include "targets/mncore2/fast/alu.h"

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {

Kernel alu_avx512(const emu::Op&) { return nullptr; }
Kernel alu_avx2(const emu::Op&) { return nullptr; }

}  // namespace kumihimo::mncore2::fast

#endif
