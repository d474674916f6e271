#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "core/ops/table.h"
#include "core/ops/walk.h"

namespace kumihimo::ops {
namespace {

// linear(x, w) = x · wᵀ over the last dim: (…, M, K) and (…, N, K) give (…, M, N); leading dims broadcast.
struct LinearShape {
  std::vector<int64_t> batch;
  int64_t m = 0, n = 0, k = 0;
};

Result<LinearShape> linear_shape(std::span<const int64_t> x, std::span<const int64_t> w) {
  if (x.size() < 2 || w.size() < 2)
    return shape_error("linear_rank", "linear", "linear contracts matrices",
                       fmt::format("({}) and ({})", fmt::join(x, ","), fmt::join(w, ",")),
                       "at least two dims on both sides: (…, M, K) and (…, N, K)");
  if (x.back() != w.back())
    return shape_error("linear_contracted_extent", "linear", "the last dims differ",
                       fmt::format("{} and {}", x.back(), w.back()),
                       "equal extents of the contracted dim, which is the last of both");
  auto batch = broadcast_shapes(x.first(x.size() - 2), w.first(w.size() - 2));
  if (!batch) {
    Diagnostic d = batch.take_error();
    d.op = "linear";
    return d;
  }
  return LinearShape{*batch, x[x.size() - 2], w[w.size() - 2], x.back()};
}

Result<ShapeDtype> infer_linear(std::span<const ShapeDtype> x, const AttrMap& attrs) {
  std::string stationary = attr_string(attrs, "stationary");
  if (stationary != "x" && stationary != "w")
    return shape_error("op_attr_value", "linear", "unknown stationary operand", stationary, "'x' or 'w'");
  auto shape = linear_shape(x[0].shape, x[1].shape);
  if (!shape) return shape.take_error();
  // Whether a dtype can be contracted is a rule of the target, which can offer a conversion.
  std::vector<int64_t> out = shape->batch;
  out.push_back(shape->m);
  out.push_back(shape->n);
  bool is_double = x[0].dtype == Dtype::kBlockDouble || x[0].dtype == Dtype::kDouble;
  return ShapeDtype{std::move(out), is_double ? Dtype::kDouble : Dtype::kSingle, false};
}

RealTensor reference_linear(std::span<const RealTensor> x, const AttrMap&) {
  auto s = linear_shape(x[0].shape, x[1].shape);
  RealTensor out{s->batch, {}};
  out.shape.push_back(s->m);
  out.shape.push_back(s->n);
  out.data.resize(static_cast<size_t>(element_count(out.shape)));
  auto batch_of = [](const RealTensor& t) { return std::span(t.shape).first(t.shape.size() - 2); };
  BroadcastIndex xb(batch_of(x[0]), s->batch), wb(batch_of(x[1]), s->batch);
  double* o = out.data.data();
  for (int64_t b = element_count(s->batch); b > 0; --b) {
    const double* xp = x[0].data.data() + static_cast<int64_t>(xb.next()) * s->m * s->k;
    const double* wp = x[1].data.data() + static_cast<int64_t>(wb.next()) * s->n * s->k;
    for (int64_t i = 0; i < s->m; ++i)
      for (int64_t j = 0; j < s->n; ++j) {
        double sum = 0;
        for (int64_t k = 0; k < s->k; ++k) sum += xp[i * s->k + k] * wp[j * s->k + k];
        *o++ = sum;
      }
  }
  return out;
}

const std::array kOps = {
    OpDef{"linear",
          "contract",
          "x times w transposed, contracted over the last dim of both",
          {{"x", "(…, M, K)", false}, {"w", "(…, N, K)", false}},
          {{"stationary", AttrKind::kString, false, "w", "operand that stays in the matrix unit: 'x' or 'w'"}},
          true,
          false,
          false,
          infer_linear,
          reference_linear},
};

}  // namespace

std::span<const OpDef> contract_ops() { return kOps; }

}  // namespace kumihimo::ops
