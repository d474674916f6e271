// bf of halves in the blocks that stand at one address.
#include <array>

#include "core/layout/query.h"
#include "targets/l1000/variants/variants.h"
#include "targets/mncore2/variants/common.h"

namespace kumihimo::l1000::variants {
namespace {

const Type& operand(const OpInstance& instance) { return *instance.operands[0]; }

std::optional<Violation> check_dtype(const OpInstance& instance) {
  const Type& x = operand(instance);
  if (x.dtype == Dtype::kHalf) return std::nullopt;
  return Violation{0,
                   std::string(dtype_def(x.dtype).name),
                   "half: contractions of other precisions have no variant here, cast it first",
                   {{"dtype", std::string(dtype_def(x.dtype).name)}}};
}

std::optional<Violation> check_block(const OpInstance& instance) { return block_violation(operand(instance)); }
std::vector<Edit> suggest_padding(const OpInstance& instance, const Violation&) {
  Layout l = *operand(instance).layout;
  if (l.pad == PadKind::kNone) return {};
  l.pad = PadKind::kValue;
  l.pad_value = 0;
  return {mncore2::variants::replace_layout(instance, 0, l, "padding is 0")};
}

Result<TypeRef> place_bf(const OpInstance& instance) {
  const Type& x = operand(instance);
  const int axes[] = {x.tree->find_axis("PE"), x.tree->find_axis("W")};
  return placed_type(instance.result.dtype, x.layout, x.tree, x.location,
                     block_on(*x.layout, *x.tree, mncore2::variants::bits_of(x), axes).text);
}

const Constraint kDtype{{"K8904", "l1000_bf_dtype", "bf converts halves"}, check_dtype, nullptr};
const Constraint kBlock{
    {"K8905", "l1000_bf_block", "the lanes of a block hold elements, copies or zeros"}, check_block, suggest_padding};

const std::array kRows = {
    Variant{"bf",
            "l1000.bf.half.address",
            "halves to block halves, all nine bits, in the blocks of the layout",
            "bf.half.address/1",
            {&mncore2::variants::kOperandsInPeMemory, &mncore2::variants::kOperandsWhole, &kDtype, &kBlock},
            place_bf,
            nullptr,
            "hbfn/9"},
};

}  // namespace

std::span<const Variant> format_variants() { return kRows; }

}  // namespace kumihimo::l1000::variants
