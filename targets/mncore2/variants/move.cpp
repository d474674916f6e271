// Moves: broadcast_download, distribute_download, unicast_download, reduce_upload, relayout.
//
// The layout decides what a hop does: children of a level that it names get their own points out of the image, children
// of the others get copies. The three downloads differ in what they promise, not in how they are carried out.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/nearest.h"
#include "core/layout/image.h"
#include "core/layout/text.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/variants/common.h"
#include "targets/mncore2/variants/variants.h"

namespace kumihimo::mncore2::variants {
namespace {

using namespace lower;  // emission functions

const Type& moved(const OpInstance& instance) { return *instance.operands[0]; }

// --- where to -----------------------------------------------------------------------------------------------------

// T is one double long word per cycle without addresses: lowering keeps values there, authors do not.
bool is_download_goal(const MachineTree& tree, int location) {
  return tree.locations[static_cast<size_t>(location)].name != "T" &&
         crossed_levels(tree, tree.find_location("DRAM"), location).size() > 0;
}

int goal(const OpInstance& instance) {
  std::string_view usual =
      instance.op->name == "broadcast_download" || instance.op->name == "reduce_upload" ? "L1BM" : "LM";
  if (instance.op->name == "relayout") usual = moved(instance).location_name();
  return instance.target->tree->find_location(attr_string(*instance.attrs, "to", usual));
}

std::optional<Violation> check_to(const OpInstance& instance) {
  const MachineTree& tree = *instance.target->tree;
  const int to = goal(instance);
  const std::string name = attr_string(*instance.attrs, "to");
  std::string allowed;
  bool ok = false;
  if (instance.op->name == "reduce_upload") {
    allowed = "L1BM";
    ok = to == tree.find_location("L1BM");
  } else if (instance.op->name == "relayout") {
    for (int i = 0; i < static_cast<int>(tree.locations.size()); ++i)
      if (is_pe_memory(tree, i) && tree.locations[static_cast<size_t>(i)].name != "T")
        (allowed += allowed.empty() ? "" : ", ") += tree.locations[static_cast<size_t>(i)].name;
    ok = is_pe_memory(tree, to) && tree.locations[static_cast<size_t>(to)].name != "T";
  } else {
    allowed = location_names(tree, is_download_goal);
    ok = to >= 0 && is_download_goal(tree, to);
  }
  if (ok) return std::nullopt;
  return Violation{-1, fmt::format("to=\"{}\"", name), "one of " + allowed, {{"to", name}}};
}
std::vector<Edit> suggest_to(const OpInstance& instance, const Violation&) {
  std::vector<std::string> names;
  for (const LocationDef& l : instance.target->tree->locations) names.emplace_back(l.name);
  std::vector<Edit> out;
  for (std::string& n : nearest_names(attr_string(*instance.attrs, "to"), std::span<const std::string>(names)))
    out.push_back(set_attr("to", std::move(n)));
  return out;
}

std::optional<Violation> check_down(const OpInstance& instance) {
  const Type& x = moved(instance);
  const MachineTree& tree = *x.tree;
  const int to = goal(instance);
  if (!is_pe_memory(tree, x.location) && !crossed_levels(tree, x.location, to).empty()) return std::nullopt;
  return Violation{0,
                   fmt::format("from {} to {}", x.location_name(), tree.locations[static_cast<size_t>(to)].name),
                   "a way down: DRAM or PDM, L2BM, L1BM, PE memory",
                   {{"from", std::string(x.location_name())}}};
}
// A value that is above PE memory can go all the way.
std::vector<Edit> suggest_down(const OpInstance& instance, const Violation&) {
  if (in_pe_memory(moved(instance))) return {};
  return {set_attr("to", "LM")};
}

// --- what is crossed ----------------------------------------------------------------------------------------------

std::optional<Violation> check_unnamed(const OpInstance& instance) {
  const Type& x = moved(instance);
  const std::vector<int> named = named_crossed_levels(*x.layout, *x.tree, x.location, goal(instance));
  if (named.empty()) return std::nullopt;
  const std::string names = level_names(*x.tree, named);
  return Violation{
      0,
      fmt::format("the layout gives each child of {} points of its own: {}", names, print_layout(*x.layout, *x.tree)),
      "a layout that names none of the levels on the way; distribute_download crosses named ones",
      {{"named", names}}};
}
// Stop above the first named level: what is named there is distributed further down.
std::vector<Edit> suggest_unnamed(const OpInstance& instance, const Violation&) {
  const Type& x = moved(instance);
  std::vector<Edit> out;
  for (std::string_view name : {"L1BM", "L2BM"}) {
    const int to = x.tree->find_location(name);
    if (!crossed_levels(*x.tree, x.location, to).empty() &&
        named_crossed_levels(*x.layout, *x.tree, x.location, to).empty())
      out.push_back(set_attr("to", std::string(name)));
  }
  return out;
}

// A level that the layout names in part has a full image, with copies: every child still reads a slot of its own.
std::optional<Violation> check_no_copies(const OpInstance& instance) {
  const Type& x = moved(instance);
  const std::vector<int> crossed = crossed_levels(*x.tree, x.location, goal(instance));
  const std::vector<int> named = named_crossed_levels(*x.layout, *x.tree, x.location, goal(instance));
  const int64_t granule = x.tree->locations[static_cast<size_t>(x.location)].granule;
  for (const Tail& t : x.layout->tails) {
    if (t.kind != TailKind::kReplica || std::ranges::find(crossed, t.iter.axis) == crossed.end()) continue;
    if (t.iter.axis == crossed[0] && granule > 1 && t.iter.stride % granule == 0)
      continue;  // copies in other instances
    if (std::ranges::find(named, t.iter.axis) != named.end()) continue;
    return Violation{0,
                     fmt::format("copies over {}", print_iter(t.iter, *x.tree)),
                     fmt::format("each child of {} names a slot of its own; distribute_download makes copies",
                                 level_names(*x.tree, crossed)),
                     {{"copies", print_iter(t.iter, *x.tree)}}};
  }
  return std::nullopt;
}

// The first memory on the way, the last one included, that has not the room for the value.
int too_small(const OpInstance& instance) {
  const Type& x = moved(instance);
  const int to = goal(instance);
  for (int hop : {x.tree->find_location("L2BM"), x.tree->find_location("L1BM"), to}) {
    const bool on_the_way =
        hop == to || (!crossed_levels(*x.tree, x.location, hop).empty() && !crossed_levels(*x.tree, hop, to).empty());
    if (on_the_way && !check_capacity(*x.layout, *x.tree, hop, bits_of(x))) return hop;
  }
  return -1;
}

std::optional<Violation> check_move_fits(const OpInstance& instance) {
  const Type& x = moved(instance);
  const int hop = too_small(instance);
  if (hop < 0) return std::nullopt;
  const auto lw = image_lw(*x.layout, *x.tree, hop, bits_of(x));
  const LocationDef& memory = x.tree->locations[static_cast<size_t>(hop)];
  const std::string size = lw ? std::to_string(*lw) : "more than 2^40";
  return Violation{
      0,
      fmt::format("{} long words in each {}", size, memory.name),
      fmt::format("at most {}", memory.capacity_lw),
      {{"location", std::string(memory.name)}, {"size_lw", size}, {"capacity_lw", std::to_string(memory.capacity_lw)}}};
}
std::vector<Edit> suggest_move_fits(const OpInstance& instance, const Violation&) {
  const Type& x = moved(instance);
  std::vector<Edit> out;
  for (const Layout& l : spread_layouts(*x.layout, *x.tree, too_small(instance), bits_of(x)))
    out.push_back(replace_layout(instance, 0, l, "it fits"));
  return out;
}

// --- reduce_upload ------------------------------------------------------------------------------------------------

std::optional<Violation> check_upload_dtype(const OpInstance& instance) {
  const Type& x = moved(instance);
  if (x.dtype == Dtype::kSingle) return std::nullopt;
  return Violation{0, std::string(dtype_def(x.dtype).name), "single", {}};
}

bool is_partial_tail(const Tail& t) {
  return t.kind == TailKind::kPartialSum || t.kind == TailKind::kPartialMax || t.kind == TailKind::kPartialMin;
}

template <TailKind kKind>
std::optional<Violation> check_upload_kind(const OpInstance& instance) {
  const Type& x = moved(instance);
  const Axes axes = axes_of(*x.tree);
  bool found = false;
  for (const Tail& t : x.layout->tails)
    if (is_partial_tail(t) && t.iter.axis == axes.mab) {
      found = true;
      if (t.kind != kKind)
        return Violation{0,
                         print_layout(*x.layout, *x.tree),
                         kKind == TailKind::kPartialMax ? "a P>@ tail on MAB" : "a P+@ tail on MAB",
                         {}};
    }
  if (found) return std::nullopt;
  return Violation{
      0,
      print_layout(*x.layout, *x.tree),
      kKind == TailKind::kPartialMax ? "a P>@ tail on MAB: partial maxima" : "a P+@ tail on MAB: partial sums",
      {}};
}

// The network of an L1B adds up its 16 MABs, PE by PE.
template <TailKind kKind>
std::optional<Violation> check_upload_axes(const OpInstance& instance) {
  const Type& x = moved(instance);
  const Axes axes = axes_of(*x.tree);
  for (const Tail& t : x.layout->tails) {
    if (is_partial_tail(t) && t.iter.axis == axes.pe)
      return Violation{0,
                       fmt::format("partial values over {}", print_iter(t.iter, *x.tree)),
                       "partial values over MAB only: no network adds up the PEs of a MAB",
                       {}};
    if (t.iter.axis != axes.mab || is_partial_tail(t)) continue;
    if (t.kind == TailKind::kOffset || t.kind == TailKind::kSingle)
      return Violation{0, "MABs without a value", "all 16 MABs hold a partial value", {}};
    // A copy would be added twice; among maxima it changes nothing.
    if (kKind != TailKind::kPartialMax && t.kind == TailKind::kReplica)
      return Violation{0,
                       fmt::format("plain copies over {}", print_iter(t.iter, *x.tree)),
                       "every MAB holds a part of its own: a sum counts copies twice",
                       {}};
  }
  for (const auto& dim : x.layout->dims)
    for (const Iter& it : dim)
      if (it.axis == axes.mab && it.extent > 1)
        return Violation{0,
                         fmt::format("elements over {}", print_iter(it, *x.tree)),
                         "all of MAB is partial: the network reduces 16 MABs at once",
                         {}};
  return std::nullopt;
}

std::optional<Violation> check_upload_pe(const OpInstance& instance) {
  const Type& x = moved(instance);
  if (names_axis(*x.layout, axes_of(*x.tree).pe)) return std::nullopt;
  return Violation{0, "copies over PE", "PE is named: the network writes one slot for each PE", {}};
}

Result<TypeRef> place_upload(const OpInstance& instance) {
  const Type& x = moved(instance);
  const int mab[] = {axes_of(*x.tree).mab};
  auto layout = without_partial(*x.layout, *x.tree, bits_of(x), mab);
  if (!layout) return layout.take_error();
  const int to = goal(instance);
  if (Status s = check_capacity(*layout, *x.tree, to, bits_of(x)); !s) return s.take_error();
  return placed_type(x.dtype, intern(std::move(*layout), *x.tree), x.tree, to, x.block);
}

// --- relayout -----------------------------------------------------------------------------------------------------

Result<ParsedLayout> wanted_layout(const OpInstance& instance) {
  const Type& x = moved(instance);
  LayoutContext context;
  context.tree = x.tree;
  context.bits = bits_of(x);
  context.shape = std::span<const int64_t>(x.shape);
  return parse_layout(attr_string(*instance.attrs, "layout"), context);
}

std::optional<Violation> check_relayout_text(const OpInstance& instance) {
  auto parsed = wanted_layout(instance);
  if (parsed) return std::nullopt;
  const Diagnostic& d = parsed.error();
  Violation v{-1, d.headline, d.required, d.bound};
  if (d.where.known()) v.bound.emplace_back("column", std::to_string(d.where.column));
  return v;
}

std::optional<Violation> check_relayout_units(const OpInstance& instance) {
  const Type& x = moved(instance);
  auto parsed = wanted_layout(instance);
  if (!parsed) return std::nullopt;
  const LaneRelation relation = lane_equal(*x.layout, bits_of(x), *parsed->layout, bits_of(x), *x.tree);
  std::string differs = relation.lanes ? "" : relation.reason;
  // Address copies are rows of their own.
  for (const Layout* l : {x.layout, parsed->layout})
    for (const Tail& t : l->tails)
      if (t.iter.axis == kAddressAxis) differs = "copies on addresses";
  if (x.layout->pad != parsed->layout->pad || x.layout->pad_value != parsed->layout->pad_value)
    differs = "another padding";
  for (size_t d = 0; differs.empty() && d < x.layout->dims.size(); ++d)
    if (dim_product(x.layout->dims[d]) != dim_product(parsed->layout->dims[d]))
      differs = "another count of padding points";
  if (differs.empty()) return std::nullopt;
  return Violation{
      0,
      fmt::format("{}: {} to {}", differs, print_dims(*x.layout, *x.tree), print_dims(*parsed->layout, *x.tree)),
      "the same levels and lanes; only addresses change inside a PE",
      {}};
}

std::optional<Violation> check_relayout_fits(const OpInstance& instance) {
  const Type& x = moved(instance);
  auto parsed = wanted_layout(instance);
  if (!parsed) return std::nullopt;
  Status s = check_capacity(*parsed->layout, *x.tree, goal(instance), bits_of(x));
  if (s) return std::nullopt;
  return Violation{-1, s.error().observed.empty() ? s.error().headline : s.error().observed, s.error().required,
                   s.error().bound};
}
std::vector<Edit> suggest_dense(const OpInstance& instance, const Violation&) {
  auto parsed = wanted_layout(instance);
  if (!parsed) return {};
  Edit e =
      set_attr("layout", print_layout(pack_addresses(*parsed->layout, *moved(instance).tree), *moved(instance).tree));
  return {e};
}

Result<TypeRef> place_download(const OpInstance& instance) {
  const Type& x = moved(instance);
  return placed_type(x.dtype, x.layout, x.tree, goal(instance), x.block);
}
Result<TypeRef> place_relayout(const OpInstance& instance) {
  const Type& x = moved(instance);
  auto parsed = wanted_layout(instance);
  if (!parsed) return parsed.take_error();
  return placed_type(x.dtype, parsed->layout, x.tree, goal(instance), x.block);
}

const Constraint kMoveTo{
    {"K8101", "mncore2_move_to", "a move goes to a memory that it can reach"}, check_to, suggest_to};
const Constraint kMoveDown{
    {"K8102", "mncore2_move_down", "a download goes down the tree of memories"}, check_down, suggest_down};
const Constraint kBroadcastUnnamed{
    {"K8103", "mncore2_broadcast_unnamed", "broadcast_download crosses only levels that the layout does not name"},
    check_unnamed,
    suggest_unnamed};
const Constraint kUnicastSlots{
    {"K8104", "mncore2_unicast_slots",
     "unicast_download reads one slot for each child: the layout names every level on the way"},
    check_no_copies,
    nullptr};
const Constraint kMoveFits{
    {"K8105", "mncore2_move_fits", "a value fits into every memory on its way"}, check_move_fits, suggest_move_fits};
const Constraint kUploadDtype{
    {"K8106", "mncore2_upload_dtype", "reduce_upload works on singles"}, check_upload_dtype, nullptr};
const Constraint kUploadMax{{"K8107", "mncore2_upload_partial_max", "the value is partial over MAB: maxima"},
                            check_upload_kind<TailKind::kPartialMax>,
                            nullptr};
const Constraint kUploadSum{{"K8108", "mncore2_upload_partial_sum", "the value is partial over MAB: sums"},
                            check_upload_kind<TailKind::kPartialSum>,
                            nullptr};
const Constraint kUploadMaxAxes{
    {"K8109", "mncore2_upload_max_axes", "reduce_upload takes the maximum over all 16 MABs of an L1B"},
    check_upload_axes<TailKind::kPartialMax>,
    nullptr};
const Constraint kUploadSumAxes{{"K8110", "mncore2_upload_sum_axes", "reduce_upload adds up the 16 MABs of an L1B"},
                                check_upload_axes<TailKind::kPartialSum>,
                                nullptr};
const Constraint kUploadPe{
    {"K8111", "mncore2_upload_pe", "reduce_upload keeps the PEs apart"}, check_upload_pe, nullptr};
const Constraint kRelayoutText{
    {"K8112", "mncore2_relayout_text", "the layout text is right for the value's shape and dtype"},
    check_relayout_text,
    nullptr};
const Constraint kRelayoutUnits{
    {"K8113", "mncore2_relayout_units", "relayout changes the order of addresses inside a PE, nothing else"},
    check_relayout_units,
    nullptr};
const Constraint kRelayoutFits{
    {"K8114", "mncore2_relayout_fits", "the new layout fits into its memory"}, check_relayout_fits, suggest_dense};

const std::array kRows = {
    Variant{"broadcast_download",
            "mncore2.broadcast_download",
            "copies over all levels on the way",
            "move.copy/1",
            {&kMoveTo, &kMoveDown, &kBroadcastUnnamed, &kMoveFits},
            place_download,
            opaque(emit_download),
            "mvp mvb2 l2bmb l1bmp"},
    Variant{"distribute_download",
            "mncore2.distribute_download",
            "slots of the image to named levels, copies over the others",
            "move.copy/1",
            {&kMoveTo, &kMoveDown, &kMoveFits},
            place_download,
            opaque(emit_download),
            "mvp mvb2 l2bmb l2bmd l1bmp l1bmm l1bmd"},
    Variant{"unicast_download",
            "mncore2.unicast_download",
            "one slot of the image to each child",
            "move.copy/1",
            {&kMoveTo, &kMoveDown, &kUnicastSlots, &kMoveFits},
            place_download,
            opaque(emit_download),
            "mvp l2bmd l1bmm l1bmd"},
    Variant{"reduce_upload",
            "mncore2.reduce_upload.max",
            "maxima of 16 MABs through the network of an L1B",
            "upload_max.single.l1bm/1",
            {&kMoveTo, &kOperandsInPeMemory, &kUploadDtype, &kUploadMax, &kUploadMaxAxes, &kUploadPe},
            place_upload,
            opaque(emit_reduce_upload),
            "l1bmrfmax"},
    Variant{"reduce_upload",
            "mncore2.reduce_upload.sum",
            "sums of 16 MABs through the network of an L1B",
            "upload_sum.single.l1bm/1",
            {&kMoveTo, &kOperandsInPeMemory, &kUploadDtype, &kUploadSum, &kUploadSumAxes, &kUploadPe},
            place_upload,
            opaque(emit_reduce_upload),
            "l1bmrffadd"},
    Variant{"relayout",
            "mncore2.relayout",
            "copies rows inside each PE",
            "move.copy/1",
            {&kMoveTo, &kOperandsInPeMemory, &kRelayoutText, &kRelayoutUnits, &kRelayoutFits},
            place_relayout,
            opaque(emit_relayout),
            "lpassa"},
};

}  // namespace

std::span<const Variant> move_variants() { return kRows; }

}  // namespace kumihimo::mncore2::variants
