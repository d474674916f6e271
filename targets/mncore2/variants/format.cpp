// bf and cast.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/contracted.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

const Type& operand(const OpInstance& instance) { return *instance.operands[0]; }

// --- bf -----------------------------------------------------------------------------------------------------------

std::optional<Violation> check_bf_dtype(const OpInstance& instance) {
  const Type& x = operand(instance);
  if (x.dtype == Dtype::kHalf) return std::nullopt;
  return Violation{0,
                   std::string(dtype_def(x.dtype).name),
                   "half: contractions of other precisions have no variant here, cast it first",
                   {{"dtype", std::string(dtype_def(x.dtype).name)}}};
}

std::optional<Violation> check_bf_block(const OpInstance& instance) {
  const Type& x = operand(instance);
  for (int d = 0; d < static_cast<int>(x.layout->dims.size()); ++d)
    if (ends_in_half_block(*x.layout, *x.tree, d)) return std::nullopt;
  const int last = static_cast<int>(x.layout->dims.size()) - 1;
  return Violation{
      0,
      last < 0 ? print_layout(*x.layout, *x.tree) : dim_text(*x.layout, *x.tree, last),
      "one dim that ends in (4_PE:1, 4_W:1): the 16 halves of a block stand in four lanes of four PEs at one address",
      {{"layout", print_layout(*x.layout, *x.tree)}}};
}
std::vector<Edit> suggest_bf_block(const OpInstance& instance, const Violation&) {
  const Type& x = operand(instance);
  std::vector<Edit> out;
  for (int d = static_cast<int>(x.layout->dims.size()) - 1; d >= 0; --d)
    for (const Layout& l : half_block_layouts(*x.layout, *x.tree, d))
      out.push_back(replace_layout(instance, 0, l, fmt::format("blocks of dim {}", d)));
  return out;
}

std::optional<Violation> check_bf_padding(const OpInstance& instance) {
  const Type& x = operand(instance);
  for (int d = 0; d < static_cast<int>(x.layout->dims.size()); ++d) {
    if (!ends_in_half_block(*x.layout, *x.tree, d) || !dim_padded(*x.layout, d)) continue;
    if (x.layout->pad == PadKind::kValue && x.layout->pad_value == 0) continue;
    return Violation{0,
                     fmt::format("{} with padding that is not 0", dim_text(*x.layout, *x.tree, d)),
                     "pad=0: padding inside a block is 0",
                     {}};
  }
  return std::nullopt;
}
std::vector<Edit> suggest_bf_padding(const OpInstance& instance, const Violation&) {
  Layout l = *operand(instance).layout;
  l.pad = PadKind::kValue;
  l.pad_value = 0;
  return {replace_layout(instance, 0, l, "padding is 0")};
}

Result<TypeRef> place_bf(const OpInstance& instance) {
  const Type& x = operand(instance);
  const Axes axes = axes_of(*x.tree);
  const int block_axes[] = {axes.pe, axes.w};
  return placed_type(instance.result.dtype, x.layout, x.tree, x.location,
                     block_on(*x.layout, *x.tree, bits_of(x), block_axes).text);
}

// --- cast ---------------------------------------------------------------------------------------------------------

template <Dtype kFrom, Dtype kTo>
std::optional<Violation> check_cast_pair(const OpInstance& instance) {
  const Dtype from = operand(instance).dtype, to = instance.result.dtype;
  if (from == kFrom && to == kTo) return std::nullopt;
  return Violation{0,
                   fmt::format("{} to {}", dtype_def(from).name, dtype_def(to).name),
                   fmt::format("{} to {}", dtype_def(kFrom).name, dtype_def(kTo).name),
                   {}};
}

std::optional<Violation> check_cast_lanes(const OpInstance& instance) {
  const Type& x = operand(instance);
  auto layout = recast(*x.layout, *x.tree, bits_of(x), dtype_def(instance.result.dtype).bits);
  if (layout) return std::nullopt;
  const Diagnostic& d = layout.error();
  return Violation{0, d.observed.empty() ? d.headline : d.observed, d.required, d.bound};
}

// Addresses stay as the lane law gives them: a long word of halves against two of singles, whatever its lanes hold.
Result<TypeRef> place_cast(const OpInstance& instance) {
  const Type& x = operand(instance);
  const int bits = dtype_def(instance.result.dtype).bits;
  auto layout = recast(*x.layout, *x.tree, bits_of(x), bits);
  if (!layout) return layout.take_error();
  layout->pad = PadKind::kNone;
  layout->pad_value = 0;
  auto normal = normalise(std::move(*layout), *x.tree, bits);
  if (!normal) return normal.take_error();
  return arithmetic_type(instance, std::move(*normal));
}

const Constraint kBfDtype{{"K8201", "mncore2_bf_dtype", "bf converts halves"}, check_bf_dtype, nullptr};
const Constraint kBfBlock{
    {"K8202", "mncore2_bf_block", "a block of halves is the innermost part of one dim: (4_PE:1, 4_W:1)"},
    check_bf_block,
    suggest_bf_block};
const Constraint kBfPadding{
    {"K8203", "mncore2_bf_padding", "padding inside a block is 0"}, check_bf_padding, suggest_bf_padding};
const Constraint kCastWiden{{"K8204", "mncore2_cast_half_single", "this variant casts half to single"},
                            check_cast_pair<Dtype::kHalf, Dtype::kSingle>,
                            nullptr};
const Constraint kCastNarrow{{"K8205", "mncore2_cast_single_half", "this variant casts single to half"},
                             check_cast_pair<Dtype::kSingle, Dtype::kHalf>,
                             nullptr};
const Constraint kCastLanes{
    {"K8206", "mncore2_cast_lanes", "a cast keeps the lanes: four halves of a long word against four singles of two"},
    check_cast_lanes,
    nullptr};

const std::array kRows = {
    Variant{"bf",
            "mncore2.bf.half",
            "halves to block halves, all nine bits",
            "bf.half.hbfn9/1",
            {&kOperandsInPeMemory, &kOperandsWhole, &kBfDtype, &kBfBlock, &kBfPadding},
            place_bf,
            opaque(emit_bf),
            "hbfn/9"},
    Variant{"cast",
            "mncore2.cast.half_single",
            "exact; a zero becomes +0",
            "cast.half_single.vpassa/1",
            {&kOperandsInPeMemory, &kOperandsWhole, &kCastWiden, &kCastLanes},
            place_cast,
            opaque(emit_cast),
            "hvpassa"},
    Variant{"cast",
            "mncore2.cast.single_half",
            "to nearest even; a zero becomes +0",
            "cast.single_half.vpassa/1",
            {&kOperandsInPeMemory, &kOperandsWhole, &kCastNarrow, &kCastLanes},
            place_cast,
            opaque(emit_cast),
            "hvpassar with source r"},
};

}  // namespace

std::span<const Variant> format_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
