#include "targets/mncore2/fast/tree.h"

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {

namespace {

using Family = isa::SemFn (*)(const emu::Op& op);

isa::SemFn first_of(std::initializer_list<Family> families, const emu::Op& op) {
  for (const Family family : families)
    if (const isa::SemFn f = family(op)) return f;
  return nullptr;
}

}  // namespace

isa::SemFn tree_avx512(const emu::Op& op) { return first_of({tree_copy, tree_reduce_avx512, tree_mv_avx512}, op); }
isa::SemFn tree_avx2(const emu::Op& op) { return first_of({tree_copy, tree_reduce_avx2, tree_mv_avx2}, op); }

}  // namespace kumihimo::mncore2::fast

#endif
