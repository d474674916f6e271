// reduce_max, reduce_sum over a dim of singles.
//
// Rows of one PE are folded in the tree of docs/numerics/reduce.md. What lies on levels stays apart: each MAB, L1B or
// PE has the maximum or the sum of what it holds, a partial value (P> or P+), which reduce_upload brings together.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

const Type& operand(const OpInstance& instance) { return *instance.operands[0]; }
bool is_max(const OpInstance& instance) { return instance.op->name == "reduce_max"; }
int reduced_dim(const OpInstance& instance) {
  const auto rank = static_cast<int64_t>(operand(instance).shape.size());
  const int64_t axis = attr_int(*instance.attrs, "axis", 0);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::optional<Violation> check_lanes(const OpInstance& instance) {
  const Type& x = operand(instance);
  const int dim = reduced_dim(instance);
  for (const Iter& it : dim_parts(*x.layout, *x.tree, dim).lane)
    if (it.extent > 1)
      return Violation{0,
                       fmt::format("{} of {}", print_iter(it, *x.tree), dim_text(*x.layout, *x.tree, dim)),
                       "the reduced dim on addresses and levels: no variant adds up the lanes of a long word yet",
                       {{"dim", std::to_string(dim)}}};
  return std::nullopt;
}

std::optional<Violation> check_padding(const OpInstance& instance) {
  const Type& x = operand(instance);
  const int dim = reduced_dim(instance);
  if (!dim_padded(*x.layout, dim)) return std::nullopt;
  const double identity = is_max(instance) ? -std::numeric_limits<double>::infinity() : 0;
  if (x.layout->pad == PadKind::kValue && x.layout->pad_value == identity) return std::nullopt;
  return Violation{
      0,
      fmt::format("{} with padding that is not {}", dim_text(*x.layout, *x.tree, dim), is_max(instance) ? "-inf" : "0"),
      fmt::format("no padding in the reduced dim, or pad={}", is_max(instance) ? "-inf" : "0"),
      {{"dim", std::to_string(dim)}}};
}
std::vector<Edit> suggest_padding(const OpInstance& instance, const Violation&) {
  Layout l = *operand(instance).layout;
  l.pad = PadKind::kValue;
  l.pad_value = is_max(instance) ? -std::numeric_limits<double>::infinity() : 0;
  return {replace_layout(instance, 0, l, "padding is the identity")};
}

// Copies on an axis that also holds elements of the dim would be added again when the axis is reduced.
std::optional<Violation> check_sum_copies(const OpInstance& instance) {
  const Type& x = operand(instance);
  const int dim = reduced_dim(instance);
  for (const Iter& it : dim_parts(*x.layout, *x.tree, dim).level)
    for (const Tail& t : x.layout->tails)
      if (it.extent > 1 && t.kind == TailKind::kReplica && t.iter.axis == it.axis)
        return Violation{
            0,
            fmt::format("{} and copies over {}", print_iter(it, *x.tree), print_iter(t.iter, *x.tree)),
            fmt::format("all of {} in the dim, or S@ where it is not", x.tree->axes[static_cast<size_t>(it.axis)].name),
            {{"dim", std::to_string(dim)}}};
  return std::nullopt;
}

Result<TypeRef> place_reduce(const OpInstance& instance) {
  const Type& x = operand(instance);
  const TailKind kind = is_max(instance) ? TailKind::kPartialMax : TailKind::kPartialSum;
  auto reduced = reduce_dim(*x.layout, *x.tree, bits_of(x), reduced_dim(instance), kind,
                            attr_int(*instance.attrs, "keepdims", 0) != 0, FreedLanes::kReplica);
  if (!reduced) return reduced.take_error();
  auto dense = arithmetic_layout(std::move(*reduced), *x.tree, bits_of(x));
  if (!dense) return dense.take_error();
  return arithmetic_type(instance, std::move(*dense));
}

const Constraint kReduceLanes{
    {"K8501", "mncore2_reduce_lanes", "the reduced dim has no digits in the lanes"}, check_lanes, nullptr};
const Constraint kReducePadding{
    {"K8502", "mncore2_reduce_padding", "padding of the reduced dim does not change the result"},
    check_padding,
    suggest_padding};
const Constraint kReduceSumCopies{
    {"K8503", "mncore2_reduce_sum_copies", "a sum over an axis counts every element once"}, check_sum_copies, nullptr};

const std::array kRows = {
    Variant{"reduce_max",
            "mncore2.reduce_max.single",
            "fmax in halves of the rows",
            "reduce_max.single.halving/1",
            {&kOperandsInPeMemory, &kOperandsWhole, &kOperandsSingle, &kReduceLanes, &kReducePadding},
            place_reduce,
            opaque(emit_reduce),
            "fmax"},
    Variant{
        "reduce_sum",
        "mncore2.reduce_sum.single",
        "fvadd in halves of the rows",
        "reduce_sum.single.halving/1",
        {&kOperandsInPeMemory, &kOperandsWhole, &kOperandsSingle, &kReduceLanes, &kReducePadding, &kReduceSumCopies},
        place_reduce,
        opaque(emit_reduce),
        "fvadd"},
};

}  // namespace

std::span<const Variant> reduce_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
