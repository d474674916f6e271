// Named tensors: how element bits cross the boundary.
#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "core/driver/driver.h"

namespace kumihimo {
namespace {

using nlohmann::json;

Result<const DtypeDef*> dtype_named(std::string_view name) {
  if (const DtypeDef* d = find_dtype(name)) return d;
  Diagnostic e = make_error("op_unknown_dtype", fmt::format("unknown dtype {}", name));
  e.observed = std::string(name);
  std::string known;
  for (const DtypeDef& d : all_dtypes()) known += (known.empty() ? "" : " ") + std::string(d.name);
  e.required = "one of " + known;
  return e;
}

Result<const Tensor*> tensor_named(const TensorsObject& t, std::string_view name) {
  auto it = t.tensors.find(name);
  if (it != t.tensors.end()) return &it->second;
  Diagnostic d = make_error("run_unknown_input", fmt::format("there is no tensor {}", name));
  d.observed = std::string(name);
  std::string known;
  for (const auto& [k, v] : t.tensors) known += (known.empty() ? "" : ", ") + k;
  d.required = known.empty() ? "a tensor of this set, which is empty" : "one of " + known;
  return d;
}

Result<Value> tensors_new(Args) { return Value{std::shared_ptr<Object>(std::make_shared<TensorsObject>())}; }

Result<Value> tensors_set(Args a) {
  auto t = arg_object<TensorsObject>(a, 0);
  if (!t) return t.take_error();
  auto name = arg_string(a, 1);
  if (!name) return name.take_error();
  auto dtype_text = arg_string(a, 2);
  if (!dtype_text) return dtype_text.take_error();
  auto dtype = dtype_named(*dtype_text);
  if (!dtype) return dtype.take_error();
  auto shape_text = arg_string(a, 3);
  if (!shape_text) return shape_text.take_error();
  json shape = json::parse(shape_text->begin(), shape_text->end(), nullptr, false);
  if (!shape.is_array() || !std::all_of(shape.begin(), shape.end(), [](const json& e) {
        return e.is_number_integer() && e.get<int64_t>() > 0 && e.get<int64_t>() < (int64_t{1} << 32);
      }))
    return bad_argument(3, std::string(*shape_text), "a JSON list of extents, each from 1 to 2^32 - 1");
  auto bytes = arg_string(a, 4);
  if (!bytes) return bytes.take_error();
  Tensor tensor;
  tensor.dtype = (*dtype)->dtype;
  tensor.shape = shape.get<std::vector<int64_t>>();
  // Counted with a limit, so that extents cannot overflow.
  uint64_t need = static_cast<uint64_t>((*dtype)->bits / 8);
  for (int64_t e : tensor.shape) {
    need *= static_cast<uint64_t>(e);
    if (need > (uint64_t{1} << 40)) return bad_argument(3, std::string(*shape_text), "at most 2^40 bytes in all");
  }
  if (need != bytes->size()) {
    Diagnostic d = make_error("run_input_shape", fmt::format("the bytes of {} do not fit its shape", *name));
    d.observed = fmt::format("{} bytes", bytes->size());
    d.required = fmt::format("{} bytes for {} {}", need, (*dtype)->name, *shape_text);
    return d;
  }
  tensor.data.assign(bytes->begin(), bytes->end());
  (*t)->tensors.insert_or_assign(std::string(*name), std::move(tensor));
  return Value{};
}

Result<Value> tensors_names(Args a) {
  auto t = arg_object<TensorsObject>(a, 0);
  if (!t) return t.take_error();
  json out = json::array();
  for (const auto& [name, tensor] : (*t)->tensors)
    out.push_back({{"name", name},
                   {"dtype", dtype_def(tensor.dtype).name},
                   {"shape", tensor.shape},
                   {"partial", tensor.partial}});
  // Names are whatever bytes the caller chose.
  return Value{out.dump(-1, ' ', false, json::error_handler_t::replace)};
}

Result<Value> tensors_bytes(Args a) {
  auto t = arg_object<TensorsObject>(a, 0);
  if (!t) return t.take_error();
  auto name = arg_string(a, 1);
  if (!name) return name.take_error();
  auto tensor = tensor_named(**t, *name);
  if (!tensor) return tensor.take_error();
  return Value{std::string((*tensor)->data.begin(), (*tensor)->data.end())};
}

// What both conversions take: target, dtype, data.
struct Conversion {
  const Target* target;
  const DtypeDef* dtype;
  std::string_view bytes;
};
Result<Conversion> conversion(Args a) {
  auto target_name = arg_string(a, 0);
  if (!target_name) return target_name.take_error();
  auto target = require_target(*target_name);
  if (!target) return target.take_error();
  auto dtype_text = arg_string(a, 1);
  if (!dtype_text) return dtype_text.take_error();
  auto dtype = dtype_named(*dtype_text);
  if (!dtype) return dtype.take_error();
  auto bytes = arg_string(a, 2);
  if (!bytes) return bytes.take_error();
  return Conversion{*target, *dtype, *bytes};
}

// Element bits of a dtype from doubles, with the declared rounding of host packing.
Result<Value> dtype_encode(Args a) {
  auto c = conversion(a);
  if (!c) return c.take_error();
  const auto& [target, dtype, bytes] = *c;
  if (bytes.size() % sizeof(double) != 0)
    return bad_argument(2, fmt::format("{} bytes", bytes.size()), "whole float64 values");
  Tensor out = Tensor::zeros(dtype->dtype, {static_cast<int64_t>(bytes.size() / sizeof(double))});
  for (int64_t i = 0; i < out.count(); ++i) {
    double v;
    std::memcpy(&v, bytes.data() + static_cast<size_t>(i) * sizeof v, sizeof v);
    out.set(i, target->numerics->encode(dtype->dtype, v));
  }
  return Value{std::string(out.data.begin(), out.data.end())};
}

Result<Value> dtype_decode(Args a) {
  auto c = conversion(a);
  if (!c) return c.take_error();
  const auto& [target, dtype, bytes] = *c;
  if (dtype->is_block)
    return bad_argument(1, std::string(dtype->name),
                        "a dtype whose elements stand alone; a block float needs its block");
  size_t width = static_cast<size_t>(dtype->bits / 8);
  if (bytes.size() % width != 0)
    return bad_argument(2, fmt::format("{} bytes", bytes.size()), fmt::format("whole elements of {} bytes", width));
  std::string out(bytes.size() / width * sizeof(double), 0);
  for (size_t i = 0; i < bytes.size() / width; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    double v = target->numerics->decode(dtype->dtype, bits);
    std::memcpy(out.data() + i * sizeof v, &v, sizeof v);
  }
  return Value{std::move(out)};
}

constexpr FunctionDef kFunctions[] = {
    {"tensors.new", "() -> tensors", "an empty set of named tensors", tensors_new},
    {"tensors.set", "(tensors, name: str, dtype: str, shape: json, data: bytes) -> None",
     "puts element bits (row-major, little-endian) under a name", tensors_set},
    {"tensors.names", "(tensors) -> json", "names, dtypes, shapes and partial axes", tensors_names},
    {"tensors.bytes", "(tensors, name: str) -> bytes", "element bits, row-major, partial axes first", tensors_bytes},
    {"dtype.encode", "(target: str, dtype: str, float64: bytes) -> bytes",
     "element bits from float64 values, rounded to nearest even", dtype_encode},
    {"dtype.decode", "(target: str, dtype: str, data: bytes) -> bytes", "float64 values of element bits", dtype_decode},
};

}  // namespace

std::span<const FunctionDef> tensor_functions() { return kFunctions; }

}  // namespace kumihimo
