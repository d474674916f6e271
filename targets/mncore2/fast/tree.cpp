#include "targets/mncore2/fast/tree.h"

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {

isa::SemFn tree_avx512(const emu::Op& op) {
  const isa::SemFn copy = tree_copy(op);
  return copy != nullptr ? copy : tree_reduce_avx512(op);
}
isa::SemFn tree_avx2(const emu::Op& op) {
  const isa::SemFn copy = tree_copy(op);
  return copy != nullptr ? copy : tree_reduce_avx2(op);
}

}  // namespace kumihimo::mncore2::fast

#endif
