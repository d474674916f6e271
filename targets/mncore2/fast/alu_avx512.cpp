// The ALU kernels in AVX-512.
#include "targets/mncore2/fast/alu.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

#define KMH_LANES KMH_AVX512
#define KMH_LANES_INLINE KMH_AVX512_INLINE
namespace kumihimo::mncore2::fast {
namespace {
constexpr bool kAvx512 = true;
}
}  // namespace kumihimo::mncore2::fast

#include "targets/mncore2/fast/alu_select.h"

namespace kumihimo::mncore2::fast {

Kernel alu_avx512(const emu::Op& op) { return alu_kernel(op); }

}  // namespace kumihimo::mncore2::fast

#endif
