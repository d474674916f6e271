#include "core/interp/compare.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/ops/walk.h"

namespace kumihimo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RealTensor absolute(RealTensor t) {
  for (double& v : t.data) v = std::abs(v);
  return t;
}

void note(WorstError& worst, size_t element, double ratio, double got, double want, double bound) {
  ++worst.compared;
  if (worst.element >= 0 && !(ratio > worst.ratio)) return;
  worst = {worst.compared, ratio, static_cast<int64_t>(element), got, want, bound};
}

}  // namespace

double Spacing::at(double value) const {
  const double magnitude = std::min(std::abs(value), largest);
  if (magnitude < smallest) return smallest;
  return std::ldexp(1.0, std::ilogb(magnitude) - fraction_bits);
}

double Spacing::unit() const { return std::ldexp(1.0, -fraction_bits - 1); }

Spacing spacing_of(const Numerics& numerics, Dtype dtype) {
  assert(dtype_def(dtype).is_float);
  Spacing s;
  const uint64_t one = numerics.encode(dtype, 1);
  s.fraction_bits = -std::ilogb(numerics.decode(dtype, one + 1) - 1);
  s.smallest = numerics.decode(dtype, uint64_t{1} << s.fraction_bits);
  s.largest = numerics.decode(dtype, numerics.encode(dtype, kInfinity) - 1);
  return s;
}

Difference compare_bits(const Numerics& numerics, const Tensor& got, const Tensor& want) {
  assert(got.dtype == want.dtype && got.shape == want.shape && got.partial == want.partial);
  const bool is_float = dtype_def(got.dtype).is_float;
  Difference d;
  for (int64_t i = 0; i < got.count(); ++i) {
    ++d.compared;
    const uint64_t a = got.get(i), b = want.get(i);
    if (a == b || (is_float && numerics.decode(got.dtype, a) == numerics.decode(got.dtype, b))) continue;
    if (d.mismatches++ == 0) d.first = i, d.got = a, d.want = b;
  }
  return d;
}

WorstError worst(const RealTensor& got, const RealTensor& want, const RealTensor& bound) {
  assert(got.data.size() == want.data.size() && want.data.size() == bound.data.size());
  WorstError out;
  for (size_t i = 0; i < got.data.size(); ++i) {
    const double g = got.data[i], w = want.data[i], b = bound.data[i];
    double ratio = 0;
    if (g != w) {
      const double error = std::isinf(g) || std::isinf(w) ? kInfinity : std::abs(g - w);
      ratio = b > 0 && std::isfinite(error) ? error / b : kInfinity;
    }
    note(out, i, ratio, g, w, b);
  }
  return out;
}

WorstError worst_e1(const RealTensor& got, const RealTensor& want, const Spacing& spacing, double k) {
  assert(got.data.size() == want.data.size());
  const double beyond = spacing.largest + spacing.at(spacing.largest);
  WorstError out;
  for (size_t i = 0; i < got.data.size(); ++i) {
    const double g = std::clamp(got.data[i], -beyond, beyond), w = std::clamp(want.data[i], -beyond, beyond);
    const double b = k * spacing.at(w);
    note(out, i, std::abs(g - w) / b, got.data[i], want.data[i], b);
  }
  return out;
}

RealTensor bound_e2(const RealTensor& want, const RealTensor& sum_abs, double n, double u_acc, double u_out, double c) {
  assert(want.data.size() == sum_abs.data.size());
  RealTensor out = want;
  for (size_t i = 0; i < out.data.size(); ++i)
    out.data[i] = c * n * u_acc * sum_abs.data[i] + u_out * std::abs(want.data[i]);
  return out;
}

RealTensor bound_e3(const RealTensor& e2, const RealTensor& block_term) {
  assert(e2.data.size() == block_term.data.size());
  RealTensor out = e2;
  for (size_t i = 0; i < out.data.size(); ++i) out.data[i] += block_term.data[i];
  return out;
}

RealTensor linear_sum_abs(const RealTensor& x, const RealTensor& w) {
  const std::array operands{absolute(x), absolute(w)};
  return find_op("linear")->reference(operands, {});
}

RealTensor linear_block_term(const RealTensor& x, const RealTensor& w, int64_t block, int m) {
  // Per block: 2^-m (max|A| sum|B| + max|B| sum|A|) = one contraction of two-element rows over the count of blocks.
  const auto rows = [block](const RealTensor& t, bool maximum_first) {
    const int64_t extent = t.shape.back(), blocks = (extent + block - 1) / block;
    RealTensor out = t;
    out.shape.back() = 2 * blocks;
    out.data.clear();
    for (size_t row = 0; row < t.data.size(); row += static_cast<size_t>(extent))
      for (int64_t b = 0; b < blocks; ++b) {
        double largest = 0, sum = 0;
        for (int64_t k = b * block; k < std::min(extent, (b + 1) * block); ++k) {
          const double v = std::abs(t.data[row + static_cast<size_t>(k)]);
          largest = std::max(largest, v);
          sum += v;
        }
        out.data.push_back(maximum_first ? largest : sum);
        out.data.push_back(maximum_first ? sum : largest);
      }
    return out;
  };
  const std::array operands{rows(x, true), rows(w, false)};
  RealTensor out = find_op("linear")->reference(operands, {});
  for (double& v : out.data) v = std::ldexp(v, -m);
  return out;
}

RealTensor reduce_sum_abs(const RealTensor& x, const AttrMap& attrs) {
  const std::array operands{absolute(x)};
  return find_op("reduce_sum")->reference(operands, attrs);
}

}  // namespace kumihimo
