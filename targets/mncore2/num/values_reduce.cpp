// Values of reductions over a dim: address points are folded in a stated tree, level digits stay apart as partial
// values.
//
// The points of one (level coordinates) group are ordered by index: x[0] .. x[n-1]. With h = ceil(n / 2) every x[i],
// i < n - h, becomes op(x[i], x[i + h]); the first h points go on until one is left. docs/numerics/reduce.md shows it.
#include <algorithm>

#include "core/layout/algebra.h"
#include "targets/mncore2/num/alu.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::mncore2::num {
namespace {

// Where each index of the reduced dim goes, padding included: its partial copy and, implied by ascending order, its
// address point.
std::vector<std::vector<int64_t>> groups(const Type& operand, size_t dim, const Type& result) {
  const MachineTree& tree = *operand.tree;
  const int bits = dtype_def(operand.dtype).bits;
  std::vector<Digit> partial;
  for (const Digit& d : digits(*result.layout, tree, bits))
    if (d.role == DigitRole::kPartial) partial.push_back(d);
  int64_t copies = 1;
  for (const Digit& d : partial) copies *= d.extent;

  std::vector<std::vector<int64_t>> out(static_cast<size_t>(copies));
  const std::vector<Iter>& iters = operand.layout->dims[dim];
  for (int64_t index = 0; index < dim_product(iters); ++index) {
    std::array<int64_t, kMaxAxes> at{};
    int64_t left = index;
    for (size_t i = iters.size(); i-- > 0;) {
      if (iters[i].axis >= 0) at[static_cast<size_t>(iters[i].axis)] += left % iters[i].extent * iters[i].stride;
      left /= iters[i].extent;
    }
    int64_t copy = 0;
    for (const Digit& d : partial) copy = copy * d.extent + at[static_cast<size_t>(d.axis)] / d.stride % d.extent;
    out[static_cast<size_t>(copy)].push_back(index);
  }
  return out;
}

template <class Op>
Tensor reduce(const OpInstance& instance, TypeRef result, const Tensor& x, uint32_t identity, Op op) {
  const auto rank = static_cast<int64_t>(x.shape.size());
  int64_t axis = attr_int(*instance.attrs, "axis", 0);
  if (axis < 0) axis += rank;
  const auto dim = static_cast<size_t>(axis);
  const int64_t outer = element_count(std::span(x.shape).first(dim));
  const int64_t extent = x.shape[dim];
  const int64_t inner = element_count(std::span(x.shape).subspan(dim + 1));

  const std::vector<std::vector<int64_t>> members = groups(*instance.operands[0], dim, *result);
  std::vector<int64_t> partial = partial_extents(*result->layout, *result->tree, dtype_def(result->dtype).bits);
  Tensor out = Tensor::zeros(x.dtype, result->shape, std::move(partial));
  const auto in = x.as<uint32_t>();
  uint32_t* to = out.as<uint32_t>().data();
  // Folded side by side over the inner elements.
  std::vector<uint32_t> rows;
  const auto width = static_cast<size_t>(inner);
  for (const std::vector<int64_t>& group : members)
    for (int64_t o = 0; o < outer; ++o) {
      // Padding holds the identity: the check asks for it.
      rows.assign(group.size() * width, identity);
      for (size_t i = 0; i < group.size(); ++i)
        if (group[i] < extent) std::copy_n(in.data() + (o * extent + group[i]) * inner, inner, rows.data() + i * width);
      for (size_t n = group.size(); n > 1;) {
        const size_t h = (n + 1) / 2;
        op(rows.data(), rows.data() + h * width, rows.data(), (n - h) * width);
        n = h;
      }
      to = std::copy_n(rows.data(), width, to);
    }
  return out;
}

}  // namespace

Result<Tensor> value_reduce_max(const OpInstance& instance, TypeRef result, Operands x) {
  return reduce(instance, result, *x[0], 0xff800000u, [](auto* a, auto* b, auto* out, size_t n) {
    for (size_t i = 0; i < n; ++i)
      out[i] = static_cast<uint32_t>(alu(AluOp::kMax, Element::kSingle, false, a[i], b[i]).value);
  });
}

Result<Tensor> value_reduce_sum(const OpInstance& instance, TypeRef result, Operands x) {
  return reduce(instance, result, *x[0], 0, [](auto* a, auto* b, auto* out, size_t n) { add_f32(a, b, out, n); });
}

}  // namespace kumihimo::mncore2::num
