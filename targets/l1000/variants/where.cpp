// where under a mask that has copies in all lanes.
//
// An `l` mask has a bit for each 16 bits of a long word (ISA 3.3). A condition with copies in its four lanes gives four
// equal bits, so one long word of it selects one long word of singles, whatever lanes of that are in use.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/layout/text.h"
#include "targets/l1000/variants/variants.h"
#include "targets/mncore2/variants/common.h"

namespace kumihimo::l1000::variants {
namespace {

using namespace mncore2::variants;

constexpr size_t kCondition = 0;

const Type& condition(const OpInstance& instance) { return *instance.operands[kCondition]; }

std::optional<Violation> check_condition(const OpInstance& instance) {
  const Type& c = condition(instance);
  const int w = c.tree->find_axis("W");
  for (const Tail& t : c.layout->tails)
    if (t.kind == TailKind::kReplica && t.iter.axis == w &&
        (t.iter.extent == 0 || t.iter.extent == lanes_of(bits_of(c))))
      return std::nullopt;
  return Violation{static_cast<int>(kCondition),
                   print_layout(*c.layout, *c.tree),
                   "copies in all four lanes: no digit, S@ or O@ on W",
                   {}};
}

// The condition as its flags select singles: the same addresses, lanes as `like` uses them.
Layout flags(const Type& c, const Layout& like) {
  const auto w = static_cast<int16_t>(c.tree->find_axis("W"));
  Layout out = *c.layout;
  std::erase_if(out.tails, [w](const Tail& t) { return t.iter.axis == w; });
  for (const Tail& t : like.tails)
    if (t.iter.axis == w) out.tails.push_back(t);
  return out;
}

std::optional<Violation> check_rows(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const Type& c = condition(instance);
  const int bits = dtype_def(instance.result.dtype).bits;
  for (size_t i = 1; i < instance.operands.size(); ++i) {
    const Type& v = *instance.operands[i];
    if (!v.placed()) continue;
    for (size_t j = 0; j < i; ++j) {
      const Type& other = *instance.operands[j];
      if (!other.placed()) continue;
      const Layout a = j == kCondition ? flags(c, *v.layout) : *other.layout;
      const LaneRelation relation = lane_equal(a, bits, *v.layout, bits, tree);
      if (relation.lanes) continue;
      return Violation{
          static_cast<int>(i),
          fmt::format("{}{}; {} has {}, {} has {}", relation.dim >= 0 ? fmt::format("dim {}: ", relation.dim) : "",
                      relation.reason, operand_name(instance, static_cast<int>(j)), print_layout(*other.layout, tree),
                      operand_name(instance, static_cast<int>(i)), print_layout(*v.layout, tree)),
          "the same unit for each pair of elements, long word by long word",
          {{"dim", std::to_string(relation.dim)}, {"reason", relation.reason}}};
    }
  }
  return std::nullopt;
}

Result<TypeRef> place_where(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const auto w = static_cast<int16_t>(tree.find_axis("W"));
  const int bits = dtype_def(instance.result.dtype).bits;
  Layout out;
  out.shape = instance.result.shape;
  out.dims.resize(out.shape.size());
  std::vector<bool> found(out.shape.size(), false);
  for (size_t i : {size_t{1}, size_t{2}, kCondition}) {
    const Type& t = *instance.operands[i];
    if (!t.placed()) continue;
    const size_t skip = out.shape.size() - t.shape.size();
    for (size_t d = 0; d < t.shape.size(); ++d)
      if (!found[skip + d] && t.shape[d] == out.shape[skip + d]) {
        out.dims[skip + d] = t.layout->dims[d];
        found[skip + d] = true;
      }
    for (const Tail& tail : t.layout->tails)
      if ((tail.kind == TailKind::kSingle || tail.kind == TailKind::kOffset) &&
          (i != kCondition || tail.iter.axis != w) && std::ranges::find(out.tails, tail) == out.tails.end())
        out.tails.push_back(tail);
  }
  auto dense = arithmetic_layout(std::move(out), tree, bits);
  if (!dense) return dense.take_error();
  return arithmetic_type(instance, std::move(*dense));
}

const Constraint kCopies{
    {"K8911", "l1000_where_copies", "the condition has copies in all lanes"}, check_condition, nullptr};
const Constraint kRowsOfMask{
    {"K8912", "l1000_where_rows", "a long word of the condition selects a long word of singles"}, check_rows, nullptr};

const std::array kVariants = {
    Variant{"where",
            "l1000.where.single.words",
            "a copy of bits under a mask whose long words have copies in all lanes",
            "where.single.select/1",
            {&kOperandsInPeMemory, &kOperandsWhole, &kOperandsSingle, &kCopies, &kRowsOfMask},
            place_where,
            nullptr,
            "spassa to a mask, lpassa under it, long words"},
};

}  // namespace

std::span<const Variant> where_variants() { return kVariants; }

}  // namespace kumihimo::l1000::variants
