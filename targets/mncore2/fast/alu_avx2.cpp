// The ALU kernels in AVX2.
#include "targets/mncore2/fast/alu.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

#define KMH_LANES KMH_AVX2
#define KMH_LANES_INLINE KMH_AVX2_INLINE
namespace kumihimo::mncore2::fast {
namespace {
constexpr bool kAvx512 = false;
}
}  // namespace kumihimo::mncore2::fast

#include "targets/mncore2/fast/alu_select.h"

namespace kumihimo::mncore2::fast {

Kernel alu_avx2(const emu::Op& op) { return alu_kernel(op); }

}  // namespace kumihimo::mncore2::fast

#endif
