// The algebra of layouts: normal form, reading forwards and backwards, equality, counting, reshaping.
//
// `bits` is the width of an element; a long word has 64 / bits lanes. Functions that change a layout return a
// normal one (not interned). Fault of the input is a Diagnostic; a layout handed on must be normal.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/layout/layout.h"

namespace kumihimo {

inline constexpr int kMaxAxes = 8;  // axes a tree may have
inline constexpr size_t kMaxLayoutDims = 16;
inline constexpr size_t kMaxLayoutIters = 128;

// Normal form of a layout written by hand or by a rule (see layout.h). Checks everything that does not need a
// location: axes, ranges, collisions, counts. bits 0 = not known yet: lanes are checked against 64 / 8.
Result<Layout> normalise(Layout raw, const MachineTree& tree, int bits);
Status check_capacity(const Layout& layout, const MachineTree& tree, int location, int bits);

// --- digits: the layout as a flat list ------------------------------------------------------------------------
enum class DigitRole : uint8_t { kDim, kReplica, kSingle, kPartial };
struct Digit {
  int64_t extent = 1;
  int16_t axis = kAddressAxis;
  int64_t stride = 1;  // on the axis
  DigitRole role = DigitRole::kDim;
  int dim = -1;        // kDim: the dim. kPartial: number of the partial axis
  int64_t weight = 0;  // kDim: index stride inside the dim (4:16 left of 4_PE:1, 4_W:1 has weight 16)
  TailKind kind = TailKind::kReplica;
  friend bool operator==(const Digit&, const Digit&) = default;
};
// Dims first to last, iters outer to inner, then tails in their order. Offsets are not digits.
std::vector<Digit> digits(const Layout& layout, const MachineTree& tree, int bits);
int64_t lanes_of(int bits);                           // 64 / bits
int64_t axis_offset(const Layout& layout, int axis);  // sum of O@ on the axis

// --- points -----------------------------------------------------------------------------------------------------
struct Point {
  int64_t address = 0;                 // long words
  std::array<int64_t, kMaxAxes> at{};  // coordinate on each axis of the tree
  friend bool operator==(const Point&, const Point&) = default;
};
// All points of one element, copies in the order of the B@ digits (last fastest). `partial` picks the partial copy
// (one entry per P digit, empty = all zero).
Result<std::vector<Point>> apply(const Layout& layout, const MachineTree& tree, int bits,
                                 std::span<const int64_t> index, std::span<const int64_t> partial = {});

enum class Holds : uint8_t { kElement, kPadding, kNothing };
struct Inverse {
  Holds holds = Holds::kNothing;
  std::vector<int64_t> index;  // kElement; kPadding: some entry lies beyond the extent
  std::vector<int64_t> partial;
};
Inverse inverse(const Layout& layout, const MachineTree& tree, int bits, const Point& point);

// --- equality -----------------------------------------------------------------------------------------------------
// Adjacent iters that continue each other are merged, extent-1 digits dropped. Two layouts of one dtype place the
// same elements (and the same padding) at the same points exactly when their canonical forms are equal.
Layout canonical(const Layout& layout, const MachineTree& tree, int bits);
bool same_meaning(const Layout& a, const Layout& b, const MachineTree& tree, int bits);

// --- counting -----------------------------------------------------------------------------------------------------
int64_t elements(const Layout& layout);                                   // product of the shape
int64_t padded_elements(const Layout& layout);                            // product of all dim iters
int64_t copies(const Layout& layout, const MachineTree& tree, int bits);  // product of B@ digits
std::vector<int64_t> partial_extents(const Layout& layout, const MachineTree& tree, int bits);
// Elements times copies times partial copies: the words that a bit-for-bit comparison must see.
int64_t live_points(const Layout& layout, const MachineTree& tree, int bits);
int64_t padding_points(const Layout& layout, const MachineTree& tree, int bits);
int64_t dim_product(const std::vector<Iter>& dim);
// Largest minus smallest address, plus one (addresses start at 0): rows of long words per unit.
int64_t rows(const Layout& layout);
// Largest minus smallest coordinate on an axis, plus one.
int64_t span_on(const Layout& layout, const MachineTree& tree, int bits, int axis);

// What the points (padding included) lie on. points = units * long_words * lanes * times.
struct Footprint {
  int64_t units = 1;       // leaves of the tree of levels that hold something
  int64_t long_words = 1;  // different long words of one unit that hold something
  int64_t lanes = 1;       // lanes of such a long word that hold something
  int64_t times = 1;
  int64_t rows = 1;  // from address 0 to the last one, gaps included
  int64_t points() const { return units * long_words * lanes * times; }
};
Footprint footprint(const Layout& layout, const MachineTree& tree, int bits);

// --- reshaping: no data moves ---------------------------------------------------------------------------------------
Result<Layout> transpose(const Layout& layout, const MachineTree& tree, std::span<const int> order);
// Row-major regrouping (split, merge, insert or drop extents of 1). A padded dim stays as it is, or its padding stays
// in the outermost dim of its group.
Result<Layout> reshape(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> shape);
// One dim becomes several, outer to inner; `count` dims from `first` on become one.
Result<Layout> split(const Layout& layout, const MachineTree& tree, int bits, int dim,
                     std::span<const int64_t> extents);
Result<Layout> merge(const Layout& layout, const MachineTree& tree, int bits, int first, int count);
// Every dim into whole tiles: dims (n0/t0, n1/t1, ..., t0, t1, ...), the grid of tiles first.
Result<Layout> tile(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> extents);
// `inner` names no axis: its addresses are row-major element numbers of `outer`. Element i of the result stands where
// element number inner(i) of `outer` stands; associative. What inner leaves out of a level or of lanes becomes S@.
Result<Layout> compose(const Layout& outer, const Layout& inner, const MachineTree& tree, int bits);
// The digits beside the layout: a point of the layout plus a point of its complement (one dim, outermost axis first)
// is each point with an address below `rows` exactly once.
Result<Layout> complement(const Layout& layout, const MachineTree& tree, int bits, int64_t rows);
struct Sliced {
  Layout layout;
  int64_t address = 0;  // the slice stands this many long words further
};
// Elements [begin, begin + extent) of a dim, where that is a block of whole digits. A cut through a level or lane
// digit puts the displacement into O@ and leaves the rest of the axis S@.
Result<Sliced> slice(const Layout& layout, const MachineTree& tree, int bits, int dim, int64_t begin, int64_t extent);
// Address digits dense, in the order of their strides: what remains after a dim is gone.
Layout pack_addresses(const Layout& layout, const MachineTree& tree);

// --- who holds ------------------------------------------------------------------------------------------------------
// "element (0,5): L2B 0,2,4,6, L1B 3, MAB 0..15, PE 2, address 5, lane 1 (64 copies)"
Result<std::string> who_holds(const Layout& layout, const MachineTree& tree, int bits, std::span<const int64_t> index);

}  // namespace kumihimo
