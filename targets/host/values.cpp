#include "targets/host/values.h"

#include <bit>
#include <cmath>

namespace kumihimo::host {
namespace {

// The integer nearest to a number, modulo 2^bits; a NaN or an infinity has none and gives 0.
uint64_t wrapped(double value, int bits) {
  if (!std::isfinite(value)) return 0;
  const double whole = std::nearbyint(value), range = std::ldexp(1.0, bits);
  double inside = std::fmod(whole, range);
  if (inside < 0) inside += range;
  return inside >= range ? 0 : static_cast<uint64_t>(inside);
}

// Formats of other machines have no host value: the check refuses them.
uint64_t encode(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::kSingle: return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Dtype::kDouble: return std::bit_cast<uint64_t>(value);
    case Dtype::kBool: return value != 0 ? 1 : 0;
    case Dtype::kInt16: return wrapped(value, 16);
    case Dtype::kInt32: return wrapped(value, 32);
    case Dtype::kInt64: return wrapped(value, 64);
    case Dtype::kHalf:
    case Dtype::kBlockHalf:
    case Dtype::kBlockPseudo:
    case Dtype::kBlockSingle:
    case Dtype::kBlockDouble: break;
  }
  return 0;
}

double decode(Dtype dtype, uint64_t bits) {
  switch (dtype) {
    case Dtype::kSingle: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Dtype::kDouble: return std::bit_cast<double>(bits);
    case Dtype::kBool: return bits != 0 ? 1 : 0;
    case Dtype::kInt16: return static_cast<int16_t>(bits);
    case Dtype::kInt32: return static_cast<int32_t>(bits);
    case Dtype::kInt64: return static_cast<double>(static_cast<int64_t>(bits));
    case Dtype::kHalf:
    case Dtype::kBlockHalf:
    case Dtype::kBlockPseudo:
    case Dtype::kBlockSingle:
    case Dtype::kBlockDouble: break;
  }
  return 0;
}

Result<Tensor> rounded_reference(const OpInstance& instance, TypeRef result, std::span<const Tensor* const> operands) {
  std::vector<RealTensor> real;
  for (const Tensor* t : operands) {
    RealTensor r{t->shape, {}};
    r.data.resize(static_cast<size_t>(t->count()));
    for (size_t i = 0; i < r.data.size(); ++i) r.data[i] = decode(t->dtype, t->get(static_cast<int64_t>(i)));
    real.push_back(std::move(r));
  }
  const RealTensor value = instance.op->reference(real, *instance.attrs);
  Tensor out = Tensor::zeros(result->dtype, result->shape);
  for (size_t i = 0; i < value.data.size(); ++i) out.set(static_cast<int64_t>(i), encode(result->dtype, value.data[i]));
  return out;
}

Result<Tensor> copy(const OpInstance&, TypeRef, std::span<const Tensor* const> operands) { return *operands[0]; }

constexpr ValueFn kFunctions[] = {{kRoundedReference, rounded_reference}, {kCopy, copy}};
const Numerics kNumerics{kFunctions, encode, decode};

}  // namespace

const Numerics& numerics() { return kNumerics; }

}  // namespace kumihimo::host
