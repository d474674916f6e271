// Text of layouts: what people write and what the product prints.
//
//   layout = [shape "/"] "(" dim {"," dim} {";" tail} ")" ["@" LOCATION] ["/" DTYPE]
//   dim    = "(" [ iter {"," iter} ] ")"
//   iter   = INT ["_" AXIS] [":" INT] | AXIS
//   tail   = ("B" | "S" | "P+" | "P>" | "P<") "@[" ext {"," ext} "]" | "O@[" INT "_" AXIS {"," INT "_" AXIS} "]"
//          | "pad=" (NUMBER | "any")
//   ext    = AXIS | INT "_" AXIS ":" INT | INT ":" INT
//
// A stride left out is 1, or dense after the iters already written to its right on that axis. AXIS alone is the
// whole axis (in a tail: what the iters leave of it). Spaces and line breaks are free. The printer leaves nothing
// out; reading its text gives the same layout back.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/layout/layout.h"

namespace kumihimo {

struct LayoutContext {
  const MachineTree* tree = nullptr;
  int bits = 0;                                        // of an element; 0 = not known
  std::optional<std::span<const int64_t>> shape;       // of the tensor, when known
  int (*dtype_bits)(std::string_view name) = nullptr;  // 0 = no such dtype; null: a /DTYPE is returned unread
};

struct ParsedLayout {
  LayoutRef layout = nullptr;
  int location = -1;  // index into tree->locations; -1 = not written
  std::string dtype;  // as written; empty = not written
};

// Errors point into the text (file "<layout>").
Result<ParsedLayout> parse_layout(std::string_view text, const LayoutContext& context);

// "(256,16)/((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1); B@[MAB])"
std::string print_layout(const Layout& layout, const MachineTree& tree);
// The same without "(256,16)/".
std::string print_dims(const Layout& layout, const MachineTree& tree);
// One iter or tail digit: "4_PE:1", "16:1".
std::string print_iter(const Iter& iter, const MachineTree& tree);

}  // namespace kumihimo
