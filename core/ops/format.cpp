#include <array>

#include "core/ops/table.h"

namespace kumihimo::ops {
namespace {

Result<ShapeDtype> infer_cast(std::span<const ShapeDtype> x, const AttrMap& attrs) {
  std::string name = attr_string(attrs, "dtype");
  const DtypeDef* to = find_dtype(name);
  if (!to || !to->is_float)
    return shape_error("op_dtype", "cast", "cast goes to an ordinary float dtype", name, "half, single or double");
  if (!dtype_def(x[0].dtype).is_float)
    return shape_error("op_dtype", "cast", "cast reads an ordinary float dtype",
                       std::string(dtype_def(x[0].dtype).name), "half, single or double");
  return ShapeDtype{x[0].shape, to->dtype, x[0].immediate};
}

Result<ShapeDtype> infer_bf(std::span<const ShapeDtype> x, const AttrMap&) {
  switch (x[0].dtype) {
    case Dtype::kHalf: return ShapeDtype{x[0].shape, Dtype::kBlockHalf, false};
    case Dtype::kSingle: return ShapeDtype{x[0].shape, Dtype::kBlockSingle, false};
    case Dtype::kDouble: return ShapeDtype{x[0].shape, Dtype::kBlockDouble, false};
    default: break;
  }
  return shape_error("op_dtype", "bf", "bf converts ordinary floats", std::string(dtype_def(x[0].dtype).name),
                     "half, single or double");
}

// The reference knows no rounding: class E3 has a term for the block conversion.
RealTensor same_values(std::span<const RealTensor> x, const AttrMap&) { return x[0]; }

const std::array kOps = {
    OpDef{"cast",
          "format",
          "converts between ordinary float dtypes, rounding to nearest even",
          {{"x", "the value to convert", false}},
          {{"dtype", AttrKind::kString, true, "", "dtype of the result"}},
          true,
          false,
          true,
          infer_cast,
          same_values},
    OpDef{"bf",
          "format",
          "converts to block floats: the elements of a block share the largest exponent",
          {{"x", "ordinary floats", false}},
          {},
          true,
          false,
          true,
          infer_bf,
          same_values},
};

}  // namespace

std::span<const OpDef> format_ops() { return kOps; }

}  // namespace kumihimo::ops
