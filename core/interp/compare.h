// Error classes: how far a result may be from its yardstick.
//
//   E0      equal bits, the two zeros taken for one
//   E1(k)   within k spacings of the output dtype around the float64 value
//   E2(c)   |y - r| <= c n u_acc sum|a b| + u_out |r|     n: length of the longest chain of additions
//   E3      E2 and, for block floats, sum over blocks of 2^-m (max|A| sum|B| + max|B| sum|A|)
// u is half the spacing at 1 of the accumulator's and of the output's dtype; m is the count of significand bits of a
// block element, so 2^-m max|A| bounds what a conversion to block floats changes in an element.
//
// A bound is a tensor like the result. `worst` says how much of it a result uses up: at most 1 means inside.
//
//   worst(to_real(n, scores), reference, bound_e3(reference, e2, blocks)).ratio
#pragma once

#include <cstdint>

#include "core/interp/interp.h"

namespace kumihimo {

// Spacing of an ordinary float dtype, read off the target's encoding.
struct Spacing {
  int fraction_bits = 0;
  double smallest = 0;  // positive normal number; below it only 0 exists, one spacing away
  double largest = 0;   // finite number
  double at(double value) const;
  double unit() const;  // half the spacing at 1
};
Spacing spacing_of(const Numerics& numerics, Dtype dtype);

struct Difference {
  int64_t compared = 0;
  int64_t mismatches = 0;
  int64_t first = -1;  // element number of the first mismatch, partial axes leading
  uint64_t got = 0, want = 0;
};
// E0. Shapes and dtypes must be equal (assert).
Difference compare_bits(const Numerics& numerics, const Tensor& got, const Tensor& want);

struct WorstError {
  int64_t compared = 0;
  double ratio = 0;  // error over bound; infinite where a bound of 0 is missed
  int64_t element = -1;
  double got = 0, want = 0, bound = 0;
};
// Infinities: equal ones have no error, against a finite value the error is infinite.
WorstError worst(const RealTensor& got, const RealTensor& want, const RealTensor& bound);
// E1(k). An infinity stands one spacing above the largest number, so overflow near the end of the range is judged like
// any other rounding.
WorstError worst_e1(const RealTensor& got, const RealTensor& want, const Spacing& spacing, double k);

// Bounds.
RealTensor bound_e2(const RealTensor& want, const RealTensor& sum_abs, double n, double u_acc, double u_out, double c);
RealTensor bound_e3(const RealTensor& e2, const RealTensor& block_term);

// sum|a b| of linear, and its block term for blocks of `block` contracted neighbours with m bits.
RealTensor linear_sum_abs(const RealTensor& x, const RealTensor& w);
RealTensor linear_block_term(const RealTensor& x, const RealTensor& w, int64_t block, int m);
// sum|a| of reduce_sum.
RealTensor reduce_sum_abs(const RealTensor& x, const AttrMap& attrs);

}  // namespace kumihimo
