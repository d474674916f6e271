#include <fmt/format.h>

#include <array>
#include <limits>

#include "core/ops/table.h"

namespace kumihimo::ops {
namespace {

template <bool kMax>
Result<ShapeDtype> infer(std::span<const ShapeDtype> x, const AttrMap& attrs) {
  std::string_view op = kMax ? "reduce_max" : "reduce_sum";
  int64_t rank = static_cast<int64_t>(x[0].shape.size());
  int64_t axis = attr_int(attrs, "axis", 0);
  if (axis < -rank || axis >= rank)
    return shape_error("op_attr_value", op, "axis out of range", fmt::format("axis {}", axis),
                       fmt::format("{} to {}", -rank, rank - 1));
  if (!dtype_def(x[0].dtype).is_float)
    return shape_error("op_dtype", op, std::string(op) + " works on ordinary floats",
                       std::string(dtype_def(x[0].dtype).name), "half, single or double");
  ShapeDtype out = x[0];
  auto at = out.shape.begin() + (axis < 0 ? axis + rank : axis);
  if (attr_int(attrs, "keepdims", 0) != 0) {
    *at = 1;
  } else {
    out.shape.erase(at);
  }
  return out;
}

template <bool kMax>
RealTensor reference(std::span<const RealTensor> x, const AttrMap& attrs) {
  const RealTensor& in = x[0];
  int64_t rank = static_cast<int64_t>(in.shape.size());
  int64_t axis = attr_int(attrs, "axis", 0);
  if (axis < 0) axis += rank;
  int64_t outer = element_count(std::span(in.shape).first(static_cast<size_t>(axis)));
  int64_t extent = in.shape[static_cast<size_t>(axis)];
  int64_t inner = element_count(std::span(in.shape).subspan(static_cast<size_t>(axis) + 1));
  RealTensor out{in.shape, {}};
  auto at = out.shape.begin() + axis;
  if (attr_int(attrs, "keepdims", 0) != 0) {
    *at = 1;
  } else {
    out.shape.erase(at);
  }
  out.data.assign(static_cast<size_t>(outer * inner), kMax ? -std::numeric_limits<double>::infinity() : 0.0);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t e = 0; e < extent; ++e)
      for (int64_t i = 0; i < inner; ++i) {
        double v = in.data[static_cast<size_t>((o * extent + e) * inner + i)];
        double& r = out.data[static_cast<size_t>(o * inner + i)];
        r = kMax ? (v > r ? v : r) : r + v;
      }
  return out;
}

template <bool kMax>
OpDef reduction(std::string_view name, std::string_view doc) {
  return OpDef{name,
               "reduce",
               doc,
               {{"x", "the value to reduce", false}},
               {{"axis", AttrKind::kInt, true, "", "dim to reduce; negative counts from the end"},
                {"keepdims", AttrKind::kBool, false, "false", "keep the reduced dim with extent 1"}},
               true,
               false,
               false,
               infer<kMax>,
               reference<kMax>};
}

const std::array kOps = {
    reduction<true>("reduce_max", "largest element along a dim; digits on machine axes leave partial maxima"),
    reduction<false>("reduce_sum",
                     "sum along a dim in the stated tree order; digits on machine axes leave partial sums"),
};

}  // namespace

std::span<const OpDef> reduce_ops() { return kOps; }

}  // namespace kumihimo::ops
