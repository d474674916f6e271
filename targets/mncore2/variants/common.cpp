#include "targets/mncore2/variants/common.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/layout/image.h"
#include "core/layout/text.h"

namespace kumihimo::mncore2::variants {

// --- the tree by name ---------------------------------------------------------------------------------------------

Axes axes_of(const MachineTree& tree) {
  auto axis = [&tree](std::string_view name) { return static_cast<int16_t>(tree.find_axis(name)); };
  return {axis("L2B"), axis("L1B"), axis("MAB"), axis("PE"), axis("W")};
}

bool is_pe_memory(const MachineTree& tree, int location) {
  if (location < 0) return false;
  const LocationDef& l = tree.locations[static_cast<size_t>(location)];
  return l.level == tree.find_axis("PE") && l.name != "LDRAM";  // only loads and stores reach that
}

std::vector<int> crossed_levels(const MachineTree& tree, int from, int to) {
  const LocationDef& a = tree.locations[static_cast<size_t>(from)];
  const LocationDef& b = tree.locations[static_cast<size_t>(to)];
  std::vector<int> out;
  if (a.granule > b.granule && a.level == b.level) out.push_back(a.level);
  if (a.granule > 1 && b.level > a.level) out.push_back(a.level);
  for (int axis = a.level + 1; axis <= b.level; ++axis) out.push_back(axis);
  return out;
}

std::vector<int> named_crossed_levels(const Layout& layout, const MachineTree& tree, int from, int to) {
  std::vector<int> named = named_levels_below(layout, tree, from);
  const std::vector<int> crossed = crossed_levels(tree, from, to);
  std::erase_if(named, [&](int axis) { return std::ranges::find(crossed, axis) == crossed.end(); });
  return named;
}

std::string level_names(const MachineTree& tree, std::span<const int> axes) {
  std::string out;
  for (int axis : axes) (out += out.empty() ? "" : ", ") += tree.axes[static_cast<size_t>(axis)].name;
  return out.empty() ? "none" : out;
}

std::string location_names(const MachineTree& tree, bool (*keep)(const MachineTree&, int)) {
  std::string out;
  for (int i = 0; i < static_cast<int>(tree.locations.size()); ++i)
    if (keep(tree, i)) (out += out.empty() ? "" : ", ") += tree.locations[static_cast<size_t>(i)].name;
  return out;
}

// --- layouts ------------------------------------------------------------------------------------------------------

bool dim_padded(const Layout& layout, int dim) {
  const auto d = static_cast<size_t>(dim);
  return dim_product(layout.dims[d]) != layout.shape[d];
}

std::string dim_text(const Layout& layout, const MachineTree& tree, int dim) {
  std::string iters;
  for (const Iter& it : layout.dims[static_cast<size_t>(dim)])
    (iters += iters.empty() ? "" : ", ") += print_iter(it, tree);
  return fmt::format("dim {}: ({})", dim, iters);
}

void make_addresses_dense(Layout& layout, const MachineTree& tree) {
  const int16_t w = axes_of(tree).w;
  struct Place {
    int64_t stride;
    bool no_lanes;
    size_t dim, iter;
  };
  std::vector<Place> places;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    const bool no_lanes = std::ranges::none_of(layout.dims[d], [w](const Iter& it) { return it.axis == w; });
    for (size_t i = 0; i < layout.dims[d].size(); ++i)
      if (layout.dims[d][i].axis == kAddressAxis) places.push_back({layout.dims[d][i].stride, no_lanes, d, i});
  }
  std::ranges::stable_sort(places, [](const Place& a, const Place& b) {
    return std::tuple(a.stride, a.no_lanes, b.dim, b.iter) < std::tuple(b.stride, b.no_lanes, a.dim, a.iter);
  });
  int64_t next = 1;
  for (const Place& p : places) {
    Iter& it = layout.dims[p.dim][p.iter];
    it.stride = next;
    next *= it.extent;
  }
}

Result<Layout> arithmetic_layout(Layout raw, const MachineTree& tree, int bits) {
  make_addresses_dense(raw, tree);
  std::erase_if(raw.tails, [](const Tail& t) { return t.kind == TailKind::kReplica; });
  raw.pad = PadKind::kNone;  // normal form says pad=any where something is padded
  raw.pad_value = 0;
  return normalise(std::move(raw), tree, bits);
}

Result<TypeRef> arithmetic_type(const OpInstance& instance, Layout layout) {
  const MachineTree& tree = *instance.target->tree;
  // Half of a register file: other values live at the same time.
  constexpr int64_t kMostGrfRows = 128;
  const int location = tree.find_location(rows(layout) <= kMostGrfRows ? "GRF" : "LM");
  if (Status s = check_capacity(layout, tree, location, dtype_def(instance.result.dtype).bits); !s)
    return s.take_error();
  return placed_type(instance.result.dtype, intern(std::move(layout), tree), &tree, location);
}

namespace {

// Moves the outer part of an address digit onto a level digit: 64:1 and 16_MAB:1 -> (16_MAB:1, 4:1).
std::optional<Layout> moved_to_level(const Layout& layout, const MachineTree& tree, int bits, size_t dim, size_t iter,
                                     const Iter& level) {
  Layout out = layout;
  std::vector<Iter>& iters = out.dims[dim];
  iters[iter].extent /= level.extent;
  iters.insert(iters.begin() + static_cast<ptrdiff_t>(iter), level);
  std::erase_if(out.tails, [](const Tail& t) { return t.kind == TailKind::kReplica; });
  std::erase_if(iters, [](const Iter& i) { return i.axis == kAddressAxis && i.extent == 1; });
  make_addresses_dense(out, tree);
  Result<Layout> normal = normalise(std::move(out), tree, bits);
  if (!normal) return std::nullopt;
  return std::move(*normal);
}

// The digits that copies can give to a digit of `extent`: all of them, or a part at the inner or outer end.
std::vector<Iter> parts_of(const Iter& copies, int64_t extent) {
  std::vector<Iter> out;
  for (int64_t n = std::min(copies.extent, extent); n > 1; --n) {
    if (copies.extent % n != 0 || extent % n != 0) continue;
    out.push_back({n, copies.axis, copies.stride});
    if (n < copies.extent) out.push_back({n, copies.axis, copies.stride * (copies.extent / n)});
  }
  return out;
}

}  // namespace

std::vector<Layout> spread_layouts(const Layout& layout, const MachineTree& tree, int location, int bits) {
  constexpr size_t kMostCandidates = 8, kMostRounds = 4, kBeam = 16;
  const LocationDef& loc = tree.locations[static_cast<size_t>(location)];
  auto size = [&](const Layout& l) {
    Result<int64_t> lw = image_lw(l, tree, location, bits);
    return lw ? *lw : INT64_MAX;
  };
  std::vector<std::pair<int64_t, Layout>> open{{size(layout), layout}};
  std::vector<Layout> out;
  for (size_t round = 0; round < kMostRounds && out.empty() && !open.empty(); ++round) {
    std::vector<std::pair<int64_t, Layout>> next;
    for (const auto& [before, l] : open)
      for (const Tail& t : l.tails) {
        // Levels below the location have slots in its image: naming them saves nothing there.
        if (t.kind != TailKind::kReplica || !at_or_above(tree, t.iter.axis, location)) continue;
        if (t.iter.axis == loc.level && t.iter.stride % loc.granule != 0) continue;
        for (size_t d = 0; d < l.dims.size(); ++d)
          for (size_t i = 0; i < l.dims[d].size(); ++i) {
            if (l.dims[d][i].axis != kAddressAxis) continue;
            for (const Iter& level : parts_of(t.iter, l.dims[d][i].extent)) {
              auto moved = moved_to_level(l, tree, bits, d, i, level);
              if (moved && size(*moved) < before) next.emplace_back(size(*moved), std::move(*moved));
            }
          }
      }
    // A good half-way point is the smallest; among equal ones, the inner axes come first: transfers stay short.
    std::ranges::stable_sort(next, {}, [](const auto& p) { return p.first; });
    if (next.size() > kBeam) next.resize(kBeam);
    for (const auto& [lw, l] : next)
      if (lw <= loc.capacity_lw && out.size() < kMostCandidates) out.push_back(l);
    open = std::move(next);
  }
  return out;
}

// --- edits --------------------------------------------------------------------------------------------------------

std::string operand_name(const OpInstance& instance, int operand) {
  const auto& names = instance.op->operands;
  return operand >= 0 && static_cast<size_t>(operand) < names.size()
             ? std::string(names[static_cast<size_t>(operand)].name)
             : std::string("it");
}

Edit wrap(const OpInstance& instance, int operand, std::string_view op, AttrMap attrs) {
  Edit e;
  e.kind = Edit::Kind::kWrapOperand;
  e.operand = operand;
  e.op = std::string(op);
  std::string arguments = operand_name(instance, operand);
  for (const auto& [name, value] : attrs) arguments += fmt::format(", {}={}", name, to_string(value));
  e.attrs = std::move(attrs);
  e.summary = fmt::format("pass {}({}) to {}", op, arguments, instance.op->name);
  return e;
}

Edit replace_layout(const OpInstance& instance, int operand, const Layout& layout, std::string_view why) {
  Edit e;
  e.kind = Edit::Kind::kReplaceLayout;
  e.operand = operand;
  e.text = print_layout(layout, *instance.target->tree);
  const bool declared = instance.operands.empty();
  e.summary = fmt::format(
      "{} {}: {}", declared ? "use the layout" : "declare " + operand_name(instance, operand) + " with", e.text, why);
  return e;
}

Edit set_attr(std::string_view attr, std::string text) {
  Edit e;
  e.kind = Edit::Kind::kSetAttr;
  e.attr = std::string(attr);
  e.summary = fmt::format("set {}=\"{}\"", attr, text);
  e.text = std::move(text);
  return e;
}

// --- rules of many ops --------------------------------------------------------------------------------------------

namespace {

std::optional<Violation> check_pe_memory(const OpInstance& instance) {
  return each_placed(instance, [&](const Type& t) -> std::optional<Violation> {
    if (in_pe_memory(t)) return std::nullopt;
    return Violation{-1,
                     fmt::format("location {}", t.location_name()),
                     fmt::format("a memory of the PEs: {}", location_names(*t.tree, is_pe_memory)),
                     {{"location", std::string(t.location_name())}}};
  });
}
std::vector<Edit> suggest_download(const OpInstance& instance, const Violation& v) {
  return {wrap(instance, v.operand, "distribute_download")};
}

std::optional<Violation> check_whole(const OpInstance& instance) {
  return each_placed(instance, [](const Type& t) -> std::optional<Violation> {
    if (!has_partial(*t.layout)) return std::nullopt;
    return Violation{-1,
                     print_layout(*t.layout, *t.tree),
                     "a value without P@ tails: reduce_upload it, then bring it back down",
                     {}};
  });
}
std::vector<Edit> suggest_upload(const OpInstance& instance, const Violation& v) {
  return {wrap(instance, v.operand, "reduce_upload")};
}

std::optional<Violation> check_single(const OpInstance& instance) {
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    const Type& t = *instance.operands[i];
    if (t.dtype == Dtype::kSingle || t.dtype == Dtype::kBool) continue;
    return Violation{static_cast<int>(i),
                     std::string(dtype_def(t.dtype).name),
                     t.dtype == Dtype::kHalf ? "single: cast it first" : "single",
                     {{"dtype", std::string(dtype_def(t.dtype).name)}}};
  }
  return std::nullopt;
}
// Wrapping every operand in a cast changes the dtype of the result: whether that is meant only the author knows, so
// the error says it and no edit is offered.

}  // namespace

const Constraint kOperandsInPeMemory{
    {"K8010", "mncore2_operands_in_pe_memory", "operands lie in a memory of the PEs: LM or GRF"},
    check_pe_memory,
    suggest_download};
const Constraint kOperandsWhole{
    {"K8011", "mncore2_operands_whole", "operands are whole values: partial ones are reduced first"},
    check_whole,
    suggest_upload};
const Constraint kOperandsSingle{
    {"K8012", "mncore2_operands_single", "the operation works on singles"}, check_single, nullptr};

}  // namespace kumihimo::mncore2::variants
