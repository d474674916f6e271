#include "targets/l1000/num/values.h"

#include <algorithm>
#include <map>

#include "core/ops/walk.h"
#include "targets/l1000/num/blocks.h"
#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::l1000::num {
namespace {

using mncore2::num::HalfBlock;

// The contracted indices that stand at one address, addresses ascending. An index beyond the extent is padding: 0.
std::vector<std::vector<int64_t>> by_address(const Type& w) {
  std::map<int64_t, std::vector<int64_t>> rows;
  const std::vector<Iter>& iters = w.layout->dims.back();
  int64_t points = 1;
  for (const Iter& it : iters) points *= it.extent;
  for (int64_t k = 0; k < points; ++k) {
    int64_t left = k, address = 0;
    for (size_t i = iters.size(); i-- > 0;) {
      if (iters[i].axis == kAddressAxis) address += left % iters[i].extent * iters[i].stride;
      left /= iters[i].extent;
    }
    std::vector<int64_t>& row = rows[address];
    if (k < w.shape.back()) row.push_back(k);
  }
  std::vector<std::vector<int64_t>> out;
  for (auto& [address, row] : rows) out.push_back(std::move(row));
  return out;
}

// Four lanes of each row of an operand (its last dim), taken apart once: [row of the tensor][address].
std::vector<HalfBlock> decoded(const Tensor& t, const std::vector<std::vector<int64_t>>& addresses) {
  const int64_t extent = t.shape.back(), rows = t.count() / extent;
  const auto in = t.as<uint16_t>();
  std::vector<HalfBlock> out;
  out.reserve(static_cast<size_t>(rows) * addresses.size());
  for (int64_t r = 0; r < rows; ++r)
    for (const std::vector<int64_t>& row : addresses) {
      std::array<uint16_t, 16> fields{};
      for (size_t i = 0; i < row.size(); ++i) fields[i] = in[static_cast<size_t>(r * extent + row[i])];
      out.push_back(mncore2::num::decode_half_block(fields.data()));
    }
  return out;
}

// A vector of the matrix unit is the whole block: the exponent of the other PEs' members counts for all.
void use_block_exponents(std::vector<HalfBlock>& decoded, const Type& type, const Tensor& t,
                         const std::vector<std::vector<int64_t>>& addresses) {
  const Blocks blocks(type);
  const std::vector<uint16_t> exponents = block_exponents(blocks, t);
  const int64_t extent = t.shape.back();
  for (size_t i = 0; i < decoded.size(); ++i) {
    const std::vector<int64_t>& row = addresses[i % addresses.size()];
    if (row.empty()) continue;
    const auto first = static_cast<int64_t>(i / addresses.size()) * extent + row[0];
    decoded[i].exponent = exponents[static_cast<size_t>(blocks.of()[static_cast<size_t>(first)])];
  }
}

}  // namespace

Result<Tensor> value_bf_address(const OpInstance& instance, TypeRef, Operands x) {
  return halves_to_blocks(*instance.operands[0], *x[0]);
}

Result<Tensor> value_linear_ldram(const OpInstance& instance, TypeRef result, Operands operands) {
  const Type& w_type = *instance.operands[1];
  const std::vector<std::vector<int64_t>> addresses = by_address(w_type);
  const std::vector<HalfBlock> x = decoded(*operands[0], addresses);
  std::vector<HalfBlock> w = decoded(*operands[1], addresses);
  use_block_exponents(w, w_type, *operands[1], addresses);

  const std::span<const int64_t> shape = result->shape;
  const size_t rank = shape.size();
  const int64_t m_rows = shape[rank - 2], n_rows = shape[rank - 1];
  const auto batch_of = [](const Tensor& t) { return std::span(t.shape).first(t.shape.size() - 2); };
  const auto batch = shape.first(rank - 2);
  BroadcastIndex x_batch(batch_of(*operands[0]), batch), w_batch(batch_of(*operands[1]), batch);
  const size_t steps = addresses.size();

  Tensor out = Tensor::zeros(result->dtype, result->shape);
  uint32_t* to = out.as<uint32_t>().data();
  for (int64_t b = element_count(batch); b > 0; --b) {
    const size_t xb = x_batch.next() * static_cast<size_t>(m_rows), wb = w_batch.next() * static_cast<size_t>(n_rows);
    for (size_t m = 0; m < static_cast<size_t>(m_rows); ++m)
      for (size_t n = 0; n < static_cast<size_t>(n_rows); ++n) {
        uint32_t sum = 0;
        for (size_t k = 0; k < steps; ++k)
          sum = mncore2::num::dot_half(x[(xb + m) * steps + k], w[(wb + n) * steps + k], sum);
        *to++ = sum;
      }
  }
  return out;
}

const Numerics& numerics() {
  static const std::vector<ValueFn> functions = [] {
    const auto base = mncore2::num::numerics().functions;
    std::vector<ValueFn> all(base.begin(), base.end());
    all.push_back({"bf.half.address/1", value_bf_address});
    all.push_back({"linear.half.ldram/1", value_linear_ldram});
    return all;
  }();
  static const Numerics n{functions, mncore2::num::numerics().encode, mncore2::num::numerics().decode};
  return n;
}

}  // namespace kumihimo::l1000::num
