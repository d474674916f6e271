// The difference of two layouts of one value: which words must go where, by which hops of the machine's tree.
//
// An element stands in a set of instances of its memory (its copies) and shall stand in another set. Words travel along
// the hops of the tree (machine_tree.h). Every subtree that needs the element and does not hold it takes it from its
// parent once; the data climbs from the nearest holder to the lowest instance under which somebody lacks it, and what
// has climbed already is taken from there. No list has fewer words on hops: copies of one element never share a hop
// with another element, and each of the rules above gives one that every list must contain.
//
// What stays in its instance and changes its address or lane is moved in place; padding with a value is written in
// place and is not carried. Long words are counted as if packed densely. Cycles are those of the busiest port of each
// hop, one hop after another: a bound of what the list costs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/layout.h"

namespace kumihimo {

struct Transfer {
  enum class Way : uint8_t { kUp, kDown, kInPlace, kFill };
  Way way = Way::kDown;
  int hop = -1;               // index into tree.hops; kFill: -1
  int64_t read = 0;           // words that leave memories: a word for several children counts once
  int64_t arrived = 0;        // words that arrive, one for each child
  int64_t long_words = 0;     // the arrived ones, packed
  int64_t busiest_upper = 0;  // long words at the busiest instance of the upper and of the lower memory
  int64_t busiest_lower = 0;
  int64_t cycles = 0;
  bool copies = false;  // kDown: every word goes to all children of its instance
  bool own = false;     // kDown: no word goes to two children
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

struct Difference {
  std::vector<Transfer> transfers;  // in an order in which they can be carried out
  int64_t stay = 0;                 // points of `to` that hold their element already
  int64_t carried = 0;              // words on hops: the sum of `arrived` over ways up and down
  int64_t cycles = 0;
};

// A layout in a memory.
struct Placed {
  const Layout* layout = nullptr;
  int location = -1;
};

Result<Difference> difference(Placed from, Placed to, const MachineTree& tree, int bits);

// The route of one element, word by word in order; what difference() adds up. Instances are numbered as in image.h.
struct Carry {
  int hop = -1;
  bool up = false;
  int64_t upper = 0, lower = 0;
  friend bool operator==(const Carry&, const Carry&) = default;
};
Result<std::vector<Carry>> route(Placed from, Placed to, const MachineTree& tree, int bits,
                                 std::span<const int64_t> index, std::span<const int64_t> partial = {});

std::string_view way_name(Transfer::Way way);  // "up", "down", "in place", "fill"

}  // namespace kumihimo
