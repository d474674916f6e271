// Values of elementwise ops on singles: one machine operation per element, in the operand order of the instruction.
#include <cassert>

#include "core/ops/walk.h"
#include "targets/mncore2/num/alu.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/steps.h"
#include "targets/mncore2/num/values.h"

namespace kumihimo::mncore2::num {
namespace {

// The words of a tensor spread over the result's shape.
template <class Word>
class Spread {
 public:
  Spread(const Tensor& x, std::span<const int64_t> shape) {
    assert(x.partial.empty());
    if (std::ranges::equal(x.shape, shape)) {
      words_ = x.as<Word>();
      return;
    }
    const auto in = x.as<Word>();
    own_.resize(static_cast<size_t>(element_count(shape)));
    BroadcastIndex index(x.shape, shape);
    for (Word& w : own_) w = in[index.next()];
    words_ = own_;
  }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;
  const Word* data() const { return words_.data(); }
  Word operator[](size_t i) const { return words_[i]; }

 private:
  std::span<const Word> words_;
  std::vector<Word> own_;
};

// f(x, y, out, count) on whole arrays.
template <class F>
Tensor binary(TypeRef result, Operands operands, F f) {
  Tensor out = Tensor::zeros(result->dtype, result->shape);
  const Spread<uint32_t> x(*operands[0], result->shape), y(*operands[1], result->shape);
  auto words = out.as<uint32_t>();
  f(x.data(), y.data(), words.data(), words.size());
  return out;
}

}  // namespace

Result<Tensor> value_add(const OpInstance&, TypeRef result, Operands operands) {
  return binary(result, operands, [](auto* x, auto* y, auto* out, size_t n) { add_f32(x, y, out, n); });
}

// x + (-y): the addend's sign is flipped on the way in.
Result<Tensor> value_sub(const OpInstance&, TypeRef result, Operands operands) {
  return binary(result, operands, [](auto* x, auto* y, auto* out, size_t n) {
    add_f32(x, y, out, n, {.a = false, .b = false, .c = true});
  });
}

Result<Tensor> value_mul(const OpInstance&, TypeRef result, Operands operands) {
  return binary(result, operands, [](auto* x, auto* y, auto* out, size_t n) { mul_f32(x, y, out, n); });
}

Result<Tensor> value_max(const OpInstance&, TypeRef result, Operands operands) {
  return binary(result, operands, [](auto* x, auto* y, auto* out, size_t n) {
    for (size_t i = 0; i < n; ++i)
      out[i] = static_cast<uint32_t>(alu(AluOp::kMax, Element::kSingle, false, x[i], y[i]).value);
  });
}

// A copy of bits under a mask: no rounding, no normalisation.
Result<Tensor> value_where(const OpInstance&, TypeRef result, Operands operands) {
  Tensor out = Tensor::zeros(result->dtype, result->shape);
  const Spread<uint16_t> condition(*operands[0], result->shape);
  const Spread<uint32_t> x(*operands[1], result->shape), y(*operands[2], result->shape);
  auto words = out.as<uint32_t>();
  for (size_t i = 0; i < words.size(); ++i) words[i] = condition[i] != 0 ? x[i] : y[i];
  return out;
}

Result<Tensor> value_exp(const OpInstance&, TypeRef result, Operands operands) {
  Tensor out = Tensor::zeros(result->dtype, result->shape);
  auto words = out.as<uint32_t>();
  run_steps(exp_steps(), operands[0]->as<uint32_t>().data(), words.data(), words.size());
  return out;
}

}  // namespace kumihimo::mncore2::num
