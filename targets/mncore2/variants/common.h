// What the families of variants share: axes and memories by name, rules that many ops have, edits of fixes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/target.h"
#include "core/layout/algebra.h"
#include "core/layout/query.h"

namespace kumihimo::mncore2::variants {

// --- the tree by name ---------------------------------------------------------------------------------------------
struct Axes {
  int16_t l2b, l1b, mab, pe, w;
};
Axes axes_of(const MachineTree& tree);
inline int bits_of(const Type& type) { return dtype_def(type.dtype).bits; }
// LM, GRF, their banks and T: one instance for each PE, which arithmetic reads and writes.
bool is_pe_memory(const MachineTree& tree, int location);
inline bool in_pe_memory(const Type& type) { return is_pe_memory(*type.tree, type.location); }
// Levels that a move from one memory down to another crosses, outer to inner. A memory that serves several children
// of its own axis (DRAM: two L2Bs) crosses that axis as well.
std::vector<int> crossed_levels(const MachineTree& tree, int from, int to);
// Crossed levels of which the layout gives each child points of its own.
std::vector<int> named_crossed_levels(const Layout& layout, const MachineTree& tree, int from, int to);
std::string level_names(const MachineTree& tree, std::span<const int> axes);  // "L2B, L1B"; "none"
std::string location_names(const MachineTree& tree, bool (*keep)(const MachineTree&, int));

// --- layouts ------------------------------------------------------------------------------------------------------
bool dim_padded(const Layout& layout, int dim);
// "dim 3: (4:16, 4_PE:1, 4_W:1)"
std::string dim_text(const Layout& layout, const MachineTree& tree, int dim);
// Sorts address digits by their strides (ties: the dim that has lanes first, then inner dims) and makes them dense.
// Unlike pack_addresses it accepts digits that collide, as those of two operands do.
void make_addresses_dense(Layout& layout, const MachineTree& tree);
// The layout of an arithmetic result: dense, padding not meant for use (pad=any), normal.
Result<Layout> arithmetic_layout(Layout raw, const MachineTree& tree, int bits);
// Its type, at GRF or LM; refused where neither has the room.
Result<TypeRef> arithmetic_type(const OpInstance& instance, Layout layout);
// Layouts with the same elements in which address digits moved to levels that hold copies, so that fewer rows are
// needed; the smallest first. Empty when none fits the location.
std::vector<Layout> spread_layouts(const Layout& layout, const MachineTree& tree, int location, int bits);

// --- edits --------------------------------------------------------------------------------------------------------
std::string operand_name(const OpInstance& instance, int operand);
Edit wrap(const OpInstance& instance, int operand, std::string_view op, AttrMap attrs = {});
Edit replace_layout(const OpInstance& instance, int operand, const Layout& layout, std::string_view why);
Edit set_attr(std::string_view attr, std::string text);

// --- rules of many ops --------------------------------------------------------------------------------------------
extern const Constraint kOperandsInPeMemory;  // K8010
extern const Constraint kOperandsWhole;       // K8011: no partial values
extern const Constraint kOperandsSingle;      // K8012

// A rule about one operand, as a loop over the placed ones.
template <class F>
std::optional<Violation> each_placed(const OpInstance& instance, F rule) {
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    const Type& type = *instance.operands[i];
    if (!type.placed()) continue;
    if (std::optional<Violation> v = rule(type)) {
      v->operand = static_cast<int>(i);
      return v;
    }
  }
  return std::nullopt;
}

}  // namespace kumihimo::mncore2::variants
