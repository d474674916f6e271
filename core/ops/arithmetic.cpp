#include <array>
#include <cmath>

#include "core/ops/table.h"
#include "core/ops/walk.h"

namespace kumihimo::ops {
namespace {

template <class F>
RealTensor zip(std::span<const RealTensor> x, F f) {
  auto shape = broadcast_shapes(x[0].shape, x[1].shape);
  RealTensor out{*shape, {}};
  out.data.resize(static_cast<size_t>(element_count(out.shape)));
  BroadcastIndex a(x[0].shape, out.shape), b(x[1].shape, out.shape);
  for (double& v : out.data) {
    v = f(x[0].data[a.next()], x[1].data[b.next()]);
  }
  return out;
}

RealTensor reference_add(std::span<const RealTensor> x, const AttrMap&) {
  return zip(x, [](double a, double b) { return a + b; });
}
RealTensor reference_sub(std::span<const RealTensor> x, const AttrMap&) {
  return zip(x, [](double a, double b) { return a - b; });
}
RealTensor reference_mul(std::span<const RealTensor> x, const AttrMap&) {
  return zip(x, [](double a, double b) { return a * b; });
}
RealTensor reference_max(std::span<const RealTensor> x, const AttrMap&) {
  return zip(x, [](double a, double b) { return a > b ? a : b; });
}
RealTensor reference_exp(std::span<const RealTensor> x, const AttrMap&) {
  RealTensor out = x[0];
  for (double& v : out.data) v = std::exp(v);
  return out;
}
RealTensor reference_where(std::span<const RealTensor> x, const AttrMap&) {
  auto shape = broadcast_shapes(*broadcast_shapes(x[0].shape, x[1].shape), x[2].shape);
  RealTensor out{*shape, {}};
  out.data.resize(static_cast<size_t>(element_count(out.shape)));
  BroadcastIndex c(x[0].shape, out.shape), a(x[1].shape, out.shape), b(x[2].shape, out.shape);
  for (double& v : out.data) {
    double yes = x[1].data[a.next()], no = x[2].data[b.next()];
    v = x[0].data[c.next()] != 0 ? yes : no;
  }
  return out;
}

std::string name_of(Dtype d) { return std::string(dtype_def(d).name); }

Result<ShapeDtype> binary(std::string_view op, const ShapeDtype& x, const ShapeDtype& y) {
  if (!dtype_def(x.dtype).is_float || !dtype_def(y.dtype).is_float)
    return shape_error("op_dtype", op, std::string(op) + " works on ordinary floats",
                       name_of(x.dtype) + " and " + name_of(y.dtype), "half, single or double");
  if (x.dtype != y.dtype)
    return shape_error("op_dtype", op, std::string(op) + " needs one dtype on both sides",
                       name_of(x.dtype) + " and " + name_of(y.dtype), "equal dtypes; convert one side with cast");
  if (x.immediate && y.immediate)
    return shape_error("op_immediate", op, std::string(op) + " of two immediates has no place", "two immediates",
                       "a placed value on one side");
  auto shape = broadcast_shapes(x.shape, y.shape);
  if (!shape) {
    Diagnostic d = shape.take_error();
    d.op = std::string(op);
    return d;
  }
  return ShapeDtype{*shape, x.dtype, false};
}

Result<ShapeDtype> infer_add(std::span<const ShapeDtype> x, const AttrMap&) { return binary("add", x[0], x[1]); }
Result<ShapeDtype> infer_sub(std::span<const ShapeDtype> x, const AttrMap&) { return binary("sub", x[0], x[1]); }
Result<ShapeDtype> infer_mul(std::span<const ShapeDtype> x, const AttrMap&) { return binary("mul", x[0], x[1]); }
Result<ShapeDtype> infer_max(std::span<const ShapeDtype> x, const AttrMap&) { return binary("max", x[0], x[1]); }

Result<ShapeDtype> infer_exp(std::span<const ShapeDtype> x, const AttrMap&) {
  if (!dtype_def(x[0].dtype).is_float)
    return shape_error("op_dtype", "exp", "exp works on ordinary floats", name_of(x[0].dtype),
                       "half, single or double");
  return ShapeDtype{x[0].shape, x[0].dtype, false};
}

Result<ShapeDtype> infer_where(std::span<const ShapeDtype> x, const AttrMap&) {
  if (x[0].dtype != Dtype::kBool)
    return shape_error("op_dtype", "where", "the condition of where is a bool_", name_of(x[0].dtype), "bool_");
  auto values = binary("where", x[1], x[2]);
  if (!values) return values;
  auto shape = broadcast_shapes(x[0].shape, values->shape);
  if (!shape) {
    Diagnostic d = shape.take_error();
    d.op = "where";
    return d;
  }
  return ShapeDtype{*shape, values->dtype, false};
}

OpDef elementwise(std::string_view name, std::string_view doc,
                  Result<ShapeDtype> (*infer)(std::span<const ShapeDtype>, const AttrMap&),
                  RealTensor (*reference)(std::span<const RealTensor>, const AttrMap&)) {
  return OpDef{name,  "arithmetic", doc,      {{"x", "left side", true}, {"y", "right side", true}}, {}, true, false,
               false, infer,        reference};
}

const std::array kOps = {
    elementwise("add", "x + y, rounded once", infer_add, reference_add),
    elementwise("sub", "x - y, rounded once", infer_sub, reference_sub),
    elementwise("mul", "x * y through the machine's multiplier", infer_mul, reference_mul),
    elementwise("max", "the larger of x and y", infer_max, reference_max),
    OpDef{"where",
          "arithmetic",
          "x where the condition is true, else y",
          {{"condition", "truth values", false}, {"x", "value where true", true}, {"y", "value where false", true}},
          {},
          true,
          false,
          false,
          infer_where,
          reference_where},
    OpDef{"exp",
          "arithmetic",
          "e to the power of x; exp(-inf) = +0",
          {{"x", "exponent", false}},
          {},
          true,
          false,
          false,
          infer_exp,
          reference_exp},
};

}  // namespace

std::span<const OpDef> arithmetic_ops() { return kOps; }

}  // namespace kumihimo::ops
