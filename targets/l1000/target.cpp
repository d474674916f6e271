#include "targets/l1000/target.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "core/dispatch/function.h"
#include "targets/l1000/machine.h"
#include "targets/l1000/num/blocks.h"
#include "targets/l1000/num/values.h"
#include "targets/l1000/variants/variants.h"

namespace kumihimo::l1000 {
namespace {

// As MN-Core 2's `describe machine`: only what this model adds; the other numbers are that machine's.
std::string describe(std::string_view what) {
  if (what != "machine") return {};
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Assumption& a : assumptions())
    out.push_back(
        {{"machine", "l1000"}, {"name", a.name}, {"value", a.value}, {"source", a.source}, {"evidence", "O"}});
  return out.dump();
}

// Block halves of an input: halves to nearest even, then the conversion of bf on the blocks of the type's layout.
Result<Value> encode_blocks(Args a) {
  auto text = arg_string(a, 0);
  if (!text) return text.take_error();
  auto bytes = arg_string(a, 1);
  if (!bytes) return bytes.take_error();
  auto type = parse_type(*text, &tree());
  if (!type) return type.take_error();
  if (!(*type)->placed() || (*type)->dtype != Dtype::kBlockHalf)
    return bad_argument(0, std::string(*text), "a block_half type with layout and location");
  Tensor halves = Tensor::zeros(Dtype::kHalf, (*type)->shape);
  const auto count = static_cast<size_t>(halves.count());
  if (bytes->size() != count * sizeof(double))
    return bad_argument(1, fmt::format("{} bytes", bytes->size()), fmt::format("{} float64 values", count));
  for (size_t i = 0; i < count; ++i) {
    double v;
    std::memcpy(&v, bytes->data() + i * sizeof v, sizeof v);
    halves.set(static_cast<int64_t>(i), num::numerics().encode(Dtype::kHalf, v));
  }
  const Tensor out = num::halves_to_blocks(**type, halves);
  return Value{std::string(out.data.begin(), out.data.end())};
}

constexpr FunctionDef kFunctions[] = {
    {"l1000.encode_blocks", "(type: str, float64: bytes) -> bytes",
     "block halves of a tensor of this type: host packing of an input that is block floats already", encode_blocks},
};

}  // namespace

const Target& target() {
  static const Target t = [] {
    Target row{};
    row.name = "l1000";
    row.version = 1;
    row.tree = &tree();
    row.variants = variants::all_variants();
    row.numerics = &num::numerics();
    row.functions = kFunctions;
    row.describe = describe;
    return row;
  }();
  return t;
}

}  // namespace kumihimo::l1000
