#include "targets/mncore2/fast/tree.h"

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {

isa::SemFn tree_avx512(const emu::Op&) { return nullptr; }
isa::SemFn tree_avx2(const emu::Op&) { return nullptr; }

}  // namespace kumihimo::mncore2::fast

#endif
