// Value of linear on half blocks: a chain of fused matrix steps.
//
// Element (m, n) is a sum over blocks of 16 contracted elements. The first block gives round(x . w), every further
// one round(x . w + what was there): one rounding to single per block, products and their sum exact (dot.h). The order
// of the blocks is that of their addresses, which both operands share. Which operand is stationary does not matter.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/layout/algebra.h"
#include "core/ops/walk.h"
#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr int64_t kMembers = 16;

// All blocks of an operand, decoded once: [batch][block in chain order][row], rows padded to a multiple of 16.
struct Decoded {
  int64_t rows, padded_rows, blocks;
  std::vector<HalfBlock> data;
  const HalfBlock* at(int64_t batch, int64_t block, int64_t row) const {
    return data.data() + ((batch * blocks + block) * padded_rows + row);
  }
};

Decoded decode(const Tensor& t, std::span<const int64_t> order) {
  const size_t rank = t.shape.size();
  const int64_t rows = t.shape[rank - 2], extent = t.shape[rank - 1];
  const int64_t batches = element_count(std::span(t.shape).first(rank - 2));
  Decoded out{rows, (rows + kMembers - 1) / kMembers * kMembers, static_cast<int64_t>(order.size()), {}};
  out.data.resize(static_cast<size_t>(batches * out.blocks * out.padded_rows));
  const auto in = t.as<uint16_t>();
  HalfBlock* to = out.data.data();
  for (int64_t b = 0; b < batches; ++b)
    for (const int64_t k : order) {
      for (int64_t r = 0; r < rows; ++r) {
        std::array<uint16_t, kMembers> fields{};  // beyond the extent: 0
        const int64_t here = std::clamp<int64_t>(extent - k * kMembers, 0, kMembers);
        std::copy_n(in.data() + (b * rows + r) * extent + k * kMembers, here, fields.data());
        to[r] = decode_half_block(fields.data());
      }
      to += out.padded_rows;
    }
  return out;
}

}  // namespace

std::vector<int64_t> block_order(const Layout& layout, int dim) {
  const std::vector<Iter>& iters = layout.dims[static_cast<size_t>(dim)];
  std::vector<int64_t> address(static_cast<size_t>(dim_product(iters) / kMembers));
  for (size_t k = 0; k < address.size(); ++k) {
    int64_t left = static_cast<int64_t>(k) * kMembers;
    for (size_t i = iters.size(); i-- > 0;) {
      if (iters[i].axis == kAddressAxis) address[k] += left % iters[i].extent * iters[i].stride;
      left /= iters[i].extent;
    }
  }
  std::vector<int64_t> order(address.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, {}, [&](int64_t k) { return address[static_cast<size_t>(k)]; });
  return order;
}

Result<Tensor> value_linear_half(const OpInstance& instance, TypeRef result, Operands operands) {
  const Type& type = *instance.operands[0];
  const std::vector<int64_t> order = block_order(*type.layout, static_cast<int>(type.shape.size()) - 1);
  const Decoded x = decode(*operands[0], order), w = decode(*operands[1], order);

  const std::span<const int64_t> shape = result->shape;
  const auto batch_of = [](const Tensor& t) { return std::span(t.shape).first(t.shape.size() - 2); };
  const auto batch_shape = shape.first(shape.size() - 2);
  BroadcastIndex x_batch(batch_of(*operands[0]), batch_shape), w_batch(batch_of(*operands[1]), batch_shape);

  Tensor out = Tensor::zeros(result->dtype, {shape.begin(), shape.end()});
  uint32_t* to = out.as<uint32_t>().data();
  for (int64_t b = element_count(batch_shape); b > 0; --b) {
    const auto xb = static_cast<int64_t>(x_batch.next()), wb = static_cast<int64_t>(w_batch.next());
    for (int64_t m = 0; m < x.rows; m += kMembers) {
      const int64_t live = std::min(kMembers, x.rows - m);
      for (int64_t n = 0; n < w.rows; ++n) {
        std::array<uint32_t, kMembers> sum;
        for (int64_t k = 0; k < x.blocks; ++k)
          matvec_half(x.at(xb, k, m), *w.at(wb, k, n), k == 0 ? nullptr : sum.data(), sum.data());
        for (int64_t i = 0; i < live; ++i) to[(m + i) * w.rows + n] = sum[static_cast<size_t>(i)];
      }
    }
    to += x.rows * w.rows;
  }
  return out;
}

}  // namespace kumihimo::mncore2::num
