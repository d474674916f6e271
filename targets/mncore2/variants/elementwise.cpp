// Elementwise ops on singles: add, sub, mul, max, where, exp.
//
// Operands meet word by word, so they must be lane-equal (query.h): the same unit and lane for each pair of elements.
// Addresses may differ, each operand is read row by row. A dim of extent 1 is read again and again; an immediate is a
// register full of one literal. The condition of where is a bool_, 16 bits wide: its long word of four lies in the
// lanes of a double long word of singles, which is how an `ll` mask reads it (ISA 3.3).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

int result_bits(const OpInstance& instance) { return dtype_def(instance.result.dtype).bits; }

// Placed operands, those with the result's width first.
std::vector<int> by_width(const OpInstance& instance) {
  std::vector<int> out;
  for (const bool same : {true, false})
    for (int i = 0; i < static_cast<int>(instance.operands.size()); ++i) {
      const Type& t = *instance.operands[static_cast<size_t>(i)];
      if (t.placed() && (bits_of(t) == result_bits(instance)) == same) out.push_back(i);
    }
  return out;
}

Result<Layout> in_result_width(const OpInstance& instance, int operand) {
  const Type& t = *instance.operands[static_cast<size_t>(operand)];
  return recast(*t.layout, *t.tree, bits_of(t), result_bits(instance));
}

// --- lanes --------------------------------------------------------------------------------------------------------

std::optional<Violation> check_lanes(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const std::vector<int> placed = by_width(instance);
  for (size_t i = 0; i < placed.size(); ++i) {
    const Type& a = *instance.operands[static_cast<size_t>(placed[i])];
    if (auto wide = in_result_width(instance, placed[i]); !wide)
      return Violation{placed[i], print_layout(*a.layout, tree), wide.error().required, {}};
    for (size_t j = i + 1; j < placed.size(); ++j) {
      const Type& b = *instance.operands[static_cast<size_t>(placed[j])];
      const LaneRelation relation = lane_equal(*a.layout, bits_of(a), *b.layout, bits_of(b), tree);
      if (relation.lanes) continue;
      return Violation{
          placed[j],
          fmt::format("{}{}; {} has {}, {} has {}", relation.dim >= 0 ? fmt::format("dim {}: ", relation.dim) : "",
                      relation.reason, operand_name(instance, placed[i]), print_layout(*a.layout, tree),
                      operand_name(instance, placed[j]), print_layout(*b.layout, tree)),
          "lane-equal layouts: the same unit and lane for each pair of elements, copies where a dim is broadcast",
          {{"dim", std::to_string(relation.dim)}, {"reason", relation.reason}}};
    }
  }
  return std::nullopt;
}

// The layout that `like` would have with the shape and width of `t`: extent-1 dims have no iters.
std::optional<Layout> laid_out_like(const OpInstance& instance, const Type& like, const Type& t) {
  const MachineTree& tree = *instance.target->tree;
  auto wide = recast(*like.layout, tree, bits_of(like), bits_of(t));
  if (!wide || like.shape.size() < t.shape.size()) return std::nullopt;
  const size_t skip = like.shape.size() - t.shape.size();
  Layout out;
  out.shape = t.shape;
  out.pad = t.layout->pad;
  out.pad_value = t.layout->pad_value;
  for (size_t d = 0; d < t.shape.size(); ++d) {
    if (t.shape[d] == 1) {
      out.dims.emplace_back();
    } else if (t.shape[d] == like.shape[skip + d]) {
      out.dims.push_back(wide->dims[skip + d]);
    } else {
      return std::nullopt;
    }
  }
  for (const Tail& tail : wide->tails)
    if (tail.kind == TailKind::kSingle) out.tails.push_back(tail);
  make_addresses_dense(out, tree);
  auto normal = normalise(std::move(out), tree, bits_of(t));
  if (!normal) return std::nullopt;
  return std::move(*normal);
}

std::vector<Edit> suggest_lanes(const OpInstance& instance, const Violation& v) {
  std::vector<Edit> out;
  const std::vector<int> placed = by_width(instance);
  auto offer = [&](int like, int changed) {
    const Type& t = *instance.operands[static_cast<size_t>(changed)];
    auto l = laid_out_like(instance, *instance.operands[static_cast<size_t>(like)], t);
    if (l && !same_meaning(*l, *t.layout, *t.tree, bits_of(t)))
      out.push_back(replace_layout(instance, changed, *l, fmt::format("lanes of {}", operand_name(instance, like))));
  };
  for (int like : placed)
    if (like != v.operand) offer(like, v.operand);
  for (int changed : placed)
    if (changed != v.operand) offer(v.operand, changed);
  return out;
}

// --- the result ---------------------------------------------------------------------------------------------------

Result<TypeRef> place_elementwise(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  Layout out;
  out.shape = instance.result.shape;
  out.dims.resize(out.shape.size());
  std::vector<bool> found(out.shape.size(), false);
  for (int i : by_width(instance)) {
    auto wide = in_result_width(instance, i);
    if (!wide) return wide.take_error();
    const size_t skip = out.shape.size() - wide->shape.size();
    for (size_t d = 0; d < wide->shape.size(); ++d)
      if (!found[skip + d] && wide->shape[d] == out.shape[skip + d]) {
        out.dims[skip + d] = wide->dims[d];
        found[skip + d] = true;
      }
    for (const Tail& t : wide->tails)
      if ((t.kind == TailKind::kSingle || t.kind == TailKind::kOffset) &&
          std::ranges::find(out.tails, t) == out.tails.end())
        out.tails.push_back(t);
  }
  auto dense = arithmetic_layout(std::move(out), tree, result_bits(instance));
  if (!dense) return dense.take_error();
  return arithmetic_type(instance, std::move(*dense));
}

const Constraint kLanes{
    {"K8401", "mncore2_elementwise_lanes", "operands of an elementwise op are lane-equal"}, check_lanes, suggest_lanes};

const std::vector<const Constraint*> kRules = {&kOperandsInPeMemory, &kOperandsWhole, &kOperandsSingle, &kLanes};

const std::array kRows = {
    Variant{"add", "mncore2.add.single", "x + y, one rounding", "add.single.vadd/1", kRules, place_elementwise,
            opaque(emit_binary), "fvadd"},
    Variant{"sub", "mncore2.sub.single", "x + (-y), one rounding", "sub.single.vadd/1", kRules, place_elementwise,
            opaque(emit_binary), "fvadd with -y"},
    Variant{"mul", "mncore2.mul.single", "through the machine's multiplier; a zero is +0", "mul.single.vmul/1", kRules,
            place_elementwise, opaque(emit_binary), "fvmul"},
    Variant{"max", "mncore2.max.single", "the larger pattern, x when both are zeros", "max.single.fmax/1", kRules,
            place_elementwise, opaque(emit_binary), "fmax"},
    Variant{"where", "mncore2.where.single", "a copy of bits under a mask of the condition", "where.single.select/1",
            kRules, place_elementwise, opaque(emit_where), "spassa to a mask, lpassa under it"},
    Variant{"exp", "mncore2.exp.single", "the sequence of docs/numerics/exp.md", "exp.single.poly6/1", kRules,
            place_elementwise, opaque(emit_exp), "fmax fmin fvfma ffloor fftoi ilsl iadd fvpassa"},
};

}  // namespace

std::span<const Variant> elementwise_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
