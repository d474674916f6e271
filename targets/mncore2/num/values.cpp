#include "targets/mncore2/num/values.h"

#include <cmath>

#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/steps.h"

namespace kumihimo::mncore2::num {
namespace {

// clang-format off
const ValueFn kFunctions[] = {
    {"move.copy/1",                 value_copy},
    {"upload_max.single.l1bm/1",    value_upload_max},
    {"upload_sum.single.l1bm/1",    value_upload_sum},
    {"bf.half.hbfn9/1",             value_bf_half},
    {"cast.half_single.vpassa/1",   value_half_to_single},
    {"cast.single_half.vpassa/1",   value_single_to_half},
    {"add.single.vadd/1",           value_add},
    {"sub.single.vadd/1",           value_sub},
    {"mul.single.vmul/1",           value_mul},
    {"max.single.fmax/1",           value_max},
    {"where.single.select/1",       value_where},
    {"exp.single.poly6/1",          value_exp},
    {"linear.half.chain/1",         value_linear_half},
    {"reduce_max.single.halving/1", value_reduce_max},
    {"reduce_sum.single.halving/1", value_reduce_sum},
};
// clang-format on

uint64_t encode(Dtype dtype, double value) {
  switch (dtype) {
    case Dtype::kHalf: return from_double(kHalf, value);
    case Dtype::kSingle: return from_double(kSingle, value);
    case Dtype::kDouble: return from_double(kDouble, value);
    case Dtype::kBool: return value != 0 ? 1 : 0;
    case Dtype::kInt16: return static_cast<uint16_t>(std::llrint(value));
    case Dtype::kInt32: return static_cast<uint32_t>(std::llrint(value));
    case Dtype::kInt64: return static_cast<uint64_t>(std::llrint(value));
    // The pattern of a block float depends on its block: only bf makes one.
    case Dtype::kBlockHalf:
    case Dtype::kBlockPseudo:
    case Dtype::kBlockSingle:
    case Dtype::kBlockDouble: break;
  }
  return 0;
}

double decode(Dtype dtype, uint64_t bits) {
  switch (dtype) {
    case Dtype::kHalf: return to_double(kHalf, bits);
    case Dtype::kSingle: return to_double(kSingle, bits);
    case Dtype::kDouble: return to_double(kDouble, bits);
    case Dtype::kBool: return bits != 0 ? 1 : 0;
    case Dtype::kInt16: return static_cast<int16_t>(bits);
    case Dtype::kInt32: return static_cast<int32_t>(bits);
    case Dtype::kInt64: return static_cast<double>(static_cast<int64_t>(bits));
    // Without extension every member but a zero carries the exponent of its block.
    case Dtype::kBlockHalf: return block_value(Block::kHalf, kHalf.exponent(bits), bits);
    case Dtype::kBlockPseudo: return block_value(Block::kPseudo, kSingle.exponent(bits), bits);
    case Dtype::kBlockSingle: return block_value(Block::kSingle, kSingle.exponent(bits), bits);
    case Dtype::kBlockDouble: return block_value(Block::kDouble, kDouble.exponent(bits), bits);
  }
  return 0;
}

const Numerics kNumerics{kFunctions, encode, decode};

}  // namespace

const Numerics& numerics() { return kNumerics; }

}  // namespace kumihimo::mncore2::num
