#include <array>

#include "core/ops/table.h"

namespace kumihimo::ops {
namespace {

Result<Dtype> dtype_attr(const AttrMap& attrs, std::string_view op) {
  std::string name = attr_string(attrs, "dtype");
  if (const DtypeDef* d = find_dtype(name)) return d->dtype;
  std::string known;
  for (const DtypeDef& d : all_dtypes()) known += (known.empty() ? "" : " ") + std::string(d.name);
  return shape_error("op_unknown_dtype", op, "unknown dtype " + name, name, "one of " + known);
}

Result<ShapeDtype> infer_tensor(std::span<const ShapeDtype>, const AttrMap& attrs) {
  auto dtype = dtype_attr(attrs, "tensor");
  if (!dtype) return dtype.take_error();
  const auto& shape = std::get<std::vector<int64_t>>(attrs.find("shape")->second);
  for (int64_t e : shape)
    if (e < 1 || e > (int64_t{1} << 40))
      return shape_error("shape_extent", "tensor", "extent out of range", std::to_string(e), "extents from 1 to 2^40");
  std::string role = attr_string(attrs, "role");
  if (role != "input" && role != "const" && role != "state")
    return shape_error("op_attr_value", "tensor", "unknown role " + role, role, "input, const or state");
  return ShapeDtype{shape, *dtype, false};
}

Result<ShapeDtype> infer_immediate(std::span<const ShapeDtype>, const AttrMap& attrs) {
  auto dtype = dtype_attr(attrs, "immediate_float");
  if (!dtype) return dtype.take_error();
  if (!dtype_def(*dtype).is_float)
    return shape_error("op_dtype", "immediate_float", "an immediate_float has an ordinary float dtype",
                       std::string(dtype_def(*dtype).name), "half, single or double");
  return ShapeDtype{{}, *dtype, true};
}

RealTensor immediate_reference(std::span<const RealTensor>, const AttrMap& attrs) {
  return {{}, {attr_float(attrs, "value", 0)}};
}

Result<ShapeDtype> infer_output(std::span<const ShapeDtype> x, const AttrMap&) { return x[0]; }

const std::array kOps = {
    OpDef{"tensor",
          "declare",
          "a tensor that comes from outside: an input, a constant or state",
          {},
          {{"dtype", AttrKind::kString, true, "", "dtype name"},
           {"shape", AttrKind::kInts, true, "", "extents"},
           {"layout", AttrKind::kString, true, "", "layout text"},
           {"location", AttrKind::kString, true, "", "memory in which it lies"},
           {"name", AttrKind::kString, true, "", "name under which values are given"},
           {"role", AttrKind::kString, false, "input", "input, const or state"}},
          true,
          false,
          false,
          infer_tensor,
          nullptr},
    OpDef{"immediate_float",
          "declare",
          "a constant of the program text; it has no layout and fits every place",
          {},
          {{"value", AttrKind::kFloat, true, "", "the number"},
           {"dtype", AttrKind::kString, true, "", "half, single or double"}},
          true,
          false,
          false,
          infer_immediate,
          immediate_reference},
    OpDef{"output",
          "declare",
          "names a value as a result of the program",
          {{"x", "the result", false}},
          {{"name", AttrKind::kString, true, "", "name of the result"}},
          false,
          false,
          false,
          infer_output,
          nullptr},
};

}  // namespace

std::span<const OpDef> declare_ops() { return kOps; }

Diagnostic shape_error(std::string_view code, std::string_view op, std::string headline, std::string observed,
                       std::string required) {
  Diagnostic d = make_error(code, std::move(headline));
  d.op = std::string(op);
  d.observed = std::move(observed);
  d.required = std::move(required);
  return d;
}

}  // namespace kumihimo::ops
