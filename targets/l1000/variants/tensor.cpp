// tensor: a value that stands in a memory before the program begins, put there by the host or by the step before.
#include <fmt/format.h>

#include <algorithm>

#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/l1000/variants/variants.h"
#include "targets/mncore2/variants/common.h"

namespace kumihimo::l1000::variants {
namespace {

using mncore2::variants::set_attr;

std::optional<Violation> check_dtype(const OpInstance& instance) {
  const DtypeDef& d = dtype_def(instance.result.dtype);
  if (!d.is_block || d.dtype == Dtype::kBlockHalf) return std::nullopt;
  return Violation{-1,
                   std::string(d.name),
                   "block_half: contractions of other precisions have no variant here",
                   {{"dtype", std::string(d.name)}}};
}

std::optional<Violation> check_location(const OpInstance& instance) {
  const std::string name = attr_string(*instance.attrs, "location");
  if (name != "T") return std::nullopt;
  return Violation{-1, name, "a memory with addresses: T is chosen by lowering", {{"location", name}}};
}
std::vector<Edit> suggest_location(const OpInstance&, const Violation&) { return {set_attr("location", "LM")}; }

// The layout of a tensor is read by the row's own placement, once the rules before have passed its text.
Result<TypeRef> (*place_base)(const OpInstance&) = nullptr;

std::optional<Violation> check_blocks(const OpInstance& instance) {
  if (!dtype_def(instance.result.dtype).is_block) return std::nullopt;
  auto type = place_base(instance);
  if (!type) return std::nullopt;  // said by the rules of the text
  return block_violation(**type);
}
std::vector<Edit> suggest_padding(const OpInstance& instance, const Violation&) {
  auto type = place_base(instance);
  if (!type || (*type)->layout->pad == PadKind::kNone) return {};
  Layout l = *(*type)->layout;
  l.pad = PadKind::kValue;
  l.pad_value = 0;
  return {mncore2::variants::replace_layout(instance, 0, l, "padding is 0")};
}

const Constraint kDtype{
    {"K8901", "l1000_tensor_dtype", "block floats that come from outside are block halves"}, check_dtype, nullptr};
const Constraint kLocation{{"K8902", "l1000_tensor_location", "a tensor that comes from outside has addresses"},
                           check_location,
                           suggest_location};
const Constraint kBlocks{
    {"K8903", "l1000_tensor_blocks", "the four lanes of the four PEs at one address hold a whole block, padded with 0"},
    check_blocks,
    suggest_padding};

Result<TypeRef> place_tensor(const OpInstance& instance) {
  auto type = place_base(instance);
  if (!type || !dtype_def(instance.result.dtype).is_block) return type;
  const MachineTree& tree = *(*type)->tree;
  const int axes[] = {tree.find_axis("PE"), tree.find_axis("W")};
  const Block block = block_on(*(*type)->layout, tree, dtype_def(instance.result.dtype).bits, axes);
  return placed_type((*type)->dtype, (*type)->layout, &tree, (*type)->location, block.text);
}

}  // namespace

std::optional<Violation> block_violation(const Type& type) {
  const Layout& layout = *type.layout;
  const MachineTree& tree = *type.tree;
  const int pe = tree.find_axis("PE"), w = tree.find_axis("W");
  const auto inside = [pe, w](const Iter& it) { return it.axis == pe || it.axis == w; };
  for (const Tail& t : layout.tails)
    if (inside(t.iter) && t.kind != TailKind::kReplica)
      return Violation{0,
                       print_layout(layout, tree),
                       "no S@ and O@ on PE and W: what stands in the empty lanes would be part of the block",
                       {{"digit", print_iter(t.iter, tree)}}};
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    if (std::ranges::none_of(layout.dims[d], inside) || !mncore2::variants::dim_padded(layout, static_cast<int>(d)))
      continue;
    if (layout.pad == PadKind::kValue && layout.pad_value == 0) continue;
    return Violation{
        0,
        fmt::format("{} with padding that is not 0", mncore2::variants::dim_text(layout, tree, static_cast<int>(d))),
        "pad=0: padding inside a block is 0",
        {}};
  }
  return std::nullopt;
}

Variant tensor_variant(const Variant& base) {
  place_base = base.place;
  Variant v = base;
  v.doc = "stands in its memory before the program begins; block halves in the blocks of the layout";
  // Of MN-Core 2's rules, those of the layout text stay; that a tensor begins in DRAM and as ordinary numbers goes.
  std::erase_if(v.constraints, [](const Constraint* c) {
    return c->def.name == "mncore2_tensor_dtype" || c->def.name == "mncore2_tensor_dram";
  });
  v.constraints.insert(v.constraints.begin(), &kDtype);
  v.constraints.insert(v.constraints.end(), {&kLocation, &kBlocks});
  v.place = place_tensor;
  return v;
}

}  // namespace kumihimo::l1000::variants
