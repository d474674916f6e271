// The host's floating-point mode in which kernels run: round to nearest even, exceptions masked, subnormal inputs and
// results are zeros, as on the machine. Set once around a run of many micro-operations; restored at the end of the scope.
//
// The scalar arithmetic of num/ gives the same bits in this mode: it meets no subnormal double.
#pragma once

#include "targets/mncore2/fast/simd.h"

namespace kumihimo::mncore2::fast {

#ifdef KMH_X86
class FloatMode {
 public:
  FloatMode() : saved_(_mm_getcsr()) { _mm_setcsr(kMasked | kFlushToZero | kSubnormalsAreZero); }
  ~FloatMode() { _mm_setcsr(saved_); }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  static constexpr unsigned kMasked = 0x1f80, kFlushToZero = 0x8000, kSubnormalsAreZero = 0x0040;
  unsigned saved_;
};
#else
class FloatMode {
 public:
  FloatMode() {}
};
#endif

}  // namespace kumihimo::mncore2::fast
