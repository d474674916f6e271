#include "targets/l1000/num/blocks.h"

#include "core/layout/layout.h"
#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/formats.h"

namespace kumihimo::l1000::num {
namespace {

constexpr size_t kMembers = 16;

}  // namespace

Blocks::Blocks(const Type& type) {
  const Layout& layout = *type.layout;
  const int pe = type.tree->find_axis("PE"), w = type.tree->find_axis("W");
  // Each digit outside PE and W is a digit of the block's number; `addend[d][i]` is what index i of dim d adds.
  std::vector<std::vector<int64_t>> addend(layout.dims.size());
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    addend[d].assign(static_cast<size_t>(layout.shape[d]), 0);
    int64_t weight = 1;  // of the digit in the index
    for (size_t i = layout.dims[d].size(); i-- > 0;) {
      const Iter& it = layout.dims[d][i];
      if (it.axis != pe && it.axis != w) {
        for (int64_t index = 0; index < layout.shape[d]; ++index)
          addend[d][static_cast<size_t>(index)] += index / weight % it.extent * count_;
        count_ *= it.extent;
      }
      weight *= it.extent;
    }
  }
  of_.assign(1, 0);
  for (const std::vector<int64_t>& dim : addend) {
    std::vector<int64_t> next;
    next.reserve(of_.size() * dim.size());
    for (const int64_t before : of_)
      for (const int64_t here : dim) next.push_back(before + here);
    of_ = std::move(next);
  }
}

Tensor halves_to_blocks(const Type& type, const Tensor& halves) {
  const Blocks blocks(type);
  struct Members {
    std::array<uint16_t, kMembers> half{};
    size_t count = 0;
  };
  std::vector<Members> members(static_cast<size_t>(blocks.count()));
  const auto in = halves.as<uint16_t>();
  for (size_t i = 0; i < in.size(); ++i) {
    Members& m = members[static_cast<size_t>(blocks.of()[i])];
    m.half[m.count++] = in[i];
  }
  for (Members& m : members) {
    mncore2::num::hbfn(m.half.data(), m.half.data());
    m.count = 0;
  }
  Tensor out = Tensor::zeros(Dtype::kBlockHalf, halves.shape);
  auto to = out.as<uint16_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    Members& m = members[static_cast<size_t>(blocks.of()[i])];
    to[i] = m.half[m.count++];
  }
  return out;
}

std::vector<uint16_t> block_exponents(const Blocks& blocks, const Tensor& members) {
  std::vector<uint16_t> out(static_cast<size_t>(blocks.count()), 0);
  const auto in = members.as<uint16_t>();
  for (size_t i = 0; i < in.size(); ++i)
    out[static_cast<size_t>(blocks.of()[i])] |= static_cast<uint16_t>(mncore2::num::kHalf.exponent(in[i]));
  return out;
}

}  // namespace kumihimo::l1000::num
