// Values of format conversions.
#include <algorithm>
#include <array>

#include "core/layout/query.h"
#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::mncore2::num {
namespace {

constexpr int64_t kMembers = 16;  // halves of a block (ISA 2.4 [V])

}  // namespace

// The check holds that (4_PE:1, 4_W:1) is the innermost part of one dim: a block is 16 neighbours of that dim, and what
// lies beyond the extent is 0.
Result<Tensor> value_bf_half(const OpInstance& instance, TypeRef result, Operands x) {
  const Type& type = *instance.operands[0];
  const int axes[] = {type.tree->find_axis("PE"), type.tree->find_axis("W")};
  const auto dim = static_cast<size_t>(block_on(*type.layout, *type.tree, 16, axes).digits[0].dim);
  const std::span<const int64_t> shape = type.shape;
  const int64_t outer = element_count(x[0]->partial) * element_count(shape.first(dim));
  const int64_t extent = shape[dim];
  const int64_t inner = element_count(shape.subspan(dim + 1));

  Tensor out = Tensor::zeros(result->dtype, x[0]->shape, x[0]->partial);
  const auto in = x[0]->as<uint16_t>();
  auto to = out.as<uint16_t>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t begin = 0; begin < extent; begin += kMembers)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t here = std::min(kMembers, extent - begin);
        const auto at = [&](int64_t j) { return static_cast<size_t>((o * extent + begin + j) * inner + i); };
        std::array<uint16_t, kMembers> block{};
        for (int64_t j = 0; j < here; ++j) block[static_cast<size_t>(j)] = in[at(j)];
        hbfn(block.data(), block.data());
        for (int64_t j = 0; j < here; ++j) to[at(j)] = block[static_cast<size_t>(j)];
      }
  return out;
}

// Through multiplier and adder: exact, and a zero becomes +0.
Result<Tensor> value_half_to_single(const OpInstance&, TypeRef result, Operands x) {
  Tensor out = Tensor::zeros(result->dtype, x[0]->shape, x[0]->partial);
  const auto in = x[0]->as<uint16_t>();
  passa_f16(in.data(), out.as<uint32_t>().data(), in.size());
  return out;
}

// Four singles become four halves on the way in (source modifier r, to nearest even), pass multiplier and adder
// exactly and leave as halves: one rounding, and a zero becomes +0 whatever the conversion did with its sign.
Result<Tensor> value_single_to_half(const OpInstance&, TypeRef result, Operands x) {
  Tensor out = Tensor::zeros(result->dtype, x[0]->shape, x[0]->partial);
  const auto in = x[0]->as<uint32_t>();
  auto to = out.as<uint16_t>();
  for (size_t i = 0; i < in.size(); ++i) {
    const std::uint16_t half = narrow_f32_to_f16(in[i]);
    to[i] = static_cast<uint16_t>(passa(Float::kHalf, half, Float::kHalf));
  }
  return out;
}

}  // namespace kumihimo::mncore2::num
