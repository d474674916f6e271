// What ops and variants ask of layouts.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/layout.h"

namespace kumihimo {

// --- levels and locations -------------------------------------------------------------------------------------------
// Is the axis named by an iter (of any extent), a partial tail or an offset?
bool names_axis(const Layout& layout, int axis);
// Level axes below the location that the layout names, outer to inner: those whose children have slots of their own
// in the location's image. The axis of the location itself is in the list when it has a granule (two L2Bs share
// the DRAM of a group) and digits lie below it. Includes what image_names_inner adds.
std::vector<int> named_levels_below(const Layout& layout, const MachineTree& tree, int location);
// Level axes at and above the location, and those below it.
bool at_or_above(const MachineTree& tree, int axis, int location);

// --- the lane law ---------------------------------------------------------------------------------------------------
// Elements are counted in slots of one element: slot = address * lanes + lane. A double long word of singles
// (2:1, 2_W:1) and a long word of halves (4_W:1) have the same slots 0..3, so elementwise instructions see them in
// the same lane. Two layouts are compared dim by dim; a dim of extent 1 against a larger one is broadcast: on levels
// and lanes it must have copies wherever the other spreads, on addresses it is read again.
struct LaneRelation {
  bool lanes = false;  // same unit and same lane for each pair of elements
  bool rows = false;   // and the same address, scaled by the widths (broadcast dims apart)
  std::string reason;  // what differs first, with digits: "dim 1: 4_PE:1 against 2_MAB:1"
  int dim = -1;        // the dim it differs in
};
LaneRelation lane_equal(const Layout& a, int bits_a, const Layout& b, int bits_b, const MachineTree& tree);

// The layout that a cast leaves: same slots, other width. single (2:1, 2_W:1) -> half (4_W:1), the other address
// strides halved. Refused where the lanes of the narrower type would be filled irregularly.
Result<Layout> recast(const Layout& layout, const MachineTree& tree, int bits_from, int bits_to);

// --- structure ------------------------------------------------------------------------------------------------------
// The digits on one axis, coarsest stride first (kAddressAxis too). Tails included, see Digit::role.
std::vector<Digit> digits_on(const Layout& layout, const MachineTree& tree, int bits, int axis);
// Does the dim end (innermost) exactly in these iters, up to splitting and merging? "(4_PE:1, 4_W:1)".
bool ends_with(const Layout& layout, int dim, std::span<const Iter> iters);
// The dim's iters without that ending. Call only when ends_with holds.
std::vector<Iter> without_ending(const Layout& layout, int dim, std::span<const Iter> iters);
// The iters of one dim by where they lie.
struct DimParts {
  std::vector<Iter> address, lane, level, time;
};
DimParts dim_parts(const Layout& layout, const MachineTree& tree, int dim);

// A block of elements that share something (an exponent): the digits on the given axes at one address, and which
// dims they belong to. Example: half k, axes {PE, W} -> dim 3: (4_PE:1, 4_W:1), weights 4 and 1.
struct Block {
  std::vector<Digit> digits;  // in the order of the axes given, coarsest first
  int64_t size = 1;           // elements that differ in a block (copies do not count)
  bool single_dim = true;     // all kDim digits belong to one dim
  bool innermost = false;     // and are that dim's innermost digits, in this order
  std::string text;           // "4_PE*4_W"
};
Block block_on(const Layout& layout, const MachineTree& tree, int bits, std::span<const int> axes);

// --- partial values and reductions ----------------------------------------------------------------------------------
// What becomes of lanes that a reduced dim leaves free.
enum class FreedLanes : uint8_t { kReplica, kSingle };
// The layout after a reduction over `dim`: address and lane iters are folded in place, level iters become P@ tails
// of `kind`. keepdims leaves a dim of extent 1. Address strides stay as they are (pack_addresses makes them dense).
Result<Layout> reduce_dim(const Layout& layout, const MachineTree& tree, int bits, int dim, TailKind kind,
                          bool keepdims, FreedLanes lanes);
bool has_partial(const Layout& layout);
// P@ digits on level axes inside the given set become B@ (or S@) ones; the others stay. Empty set = all.
Result<Layout> without_partial(const Layout& layout, const MachineTree& tree, int bits, std::span<const int> axes,
                               TailKind becomes = TailKind::kReplica);
// Copies on an axis become partial ones: B@ or S@ digits of the axis turn into P digits of `kind`.
Result<Layout> with_partial(const Layout& layout, const MachineTree& tree, int bits, int axis, TailKind kind);

}  // namespace kumihimo
