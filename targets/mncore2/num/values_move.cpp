// Values of moves. Downloads and relayouts keep every bit; an upload of partial values runs the reduction network.
#include <array>
#include <cassert>

#include "core/layout/algebra.h"
#include "core/layout/query.h"
#include "targets/mncore2/num/rrn.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr int kMabs = 16;  // inputs of the network of an L1B (ISA 1.1 [V])

// The partial digits of a layout in the order of the tensor's partial axes.
std::vector<Digit> partial_digits(const Layout& layout, const MachineTree& tree, int bits) {
  std::vector<Digit> out;
  for (const Digit& d : digits(layout, tree, bits))
    if (d.role == DigitRole::kPartial) out.push_back(d);
  return out;
}

// Input m of the network is the copy that MAB m holds. A MAB that is only a plain copy of another one (allowed for
// maxima) holds the copy of its digits.
Tensor upload(const OpInstance& instance, const Tensor& x, Reduce op) {
  const Type& type = *instance.operands[0];
  const MachineTree& tree = *type.tree;
  const int mab = tree.find_axis("MAB");
  const std::vector<Digit> partial = partial_digits(*type.layout, tree, dtype_def(type.dtype).bits);

  // Row-major strides of the partial axes, in tensors of `inner` elements.
  const int64_t inner = element_count(x.shape);
  std::vector<int64_t> stride(partial.size());
  int64_t step = inner;
  for (size_t i = partial.size(); i-- > 0;) {
    stride[i] = step;
    step *= partial[i].extent;
  }
  std::array<int64_t, kMabs> source{};  // displacement of the copy of each MAB
  std::vector<int64_t> kept, kept_stride;
  for (size_t i = 0; i < partial.size(); ++i) {
    if (partial[i].axis == mab) {
      for (int m = 0; m < kMabs; ++m)
        source[static_cast<size_t>(m)] += m / partial[i].stride % partial[i].extent * stride[i];
    } else {
      kept.push_back(partial[i].extent);
      kept_stride.push_back(stride[i]);
    }
  }
  Tensor out = Tensor::zeros(x.dtype, x.shape, kept);
  const auto in = x.as<uint32_t>();
  auto result = out.as<uint32_t>();
  std::vector<int64_t> digit(kept.size(), 0);
  int64_t base = 0;
  for (int64_t block = 0; block < element_count(kept); ++block) {
    for (int64_t e = 0; e < inner; ++e) {
      std::array<uint64_t, kMabs> words;
      for (size_t m = 0; m < kMabs; ++m) words[m] = in[static_cast<size_t>(base + source[m] + e)];
      result[static_cast<size_t>(block * inner + e)] =
          static_cast<uint32_t>(l1bm_reduce(op, Lane::k32, words.data(), kMabs));
    }
    for (size_t i = kept.size(); i-- > 0;) {
      base += kept_stride[i];
      if (++digit[i] < kept[i]) break;
      base -= kept_stride[i] * kept[i];
      digit[i] = 0;
    }
  }
  return out;
}

}  // namespace

Result<Tensor> value_copy(const OpInstance&, TypeRef result, Operands x) {
  assert(result->dtype == x[0]->dtype);
  (void)result;
  return *x[0];
}

Result<Tensor> value_upload_max(const OpInstance& instance, TypeRef, Operands x) {
  return upload(instance, *x[0], Reduce::kMax);
}

Result<Tensor> value_upload_sum(const OpInstance& instance, TypeRef, Operands x) {
  return upload(instance, *x[0], Reduce::kFadd);
}

}  // namespace kumihimo::mncore2::num
