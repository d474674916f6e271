// Layouts: which point of the machine holds which element of a tensor.
//
// A layout relates tensor indices to points. Each tensor dim is written as iters, outer to inner; iter
// `4_PE:1` puts the digit of extent 4 on axis PE with stride 1, iter `4:16` puts it on the address axis
// with a stride of 16 long words. The index of a dim is split into digits by the iters' extents (mixed
// radix, innermost fastest); the coordinate of an axis is the sum of digit * stride over its iters.
//
//   (64,64)/((4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1); B@[MAB])
//   element (i, j): L1B = i/16, PE = j/4 % 4, lane = j % 4, address = i % 16 + 16 * (j / 16), in every MAB.
//
// Axes that no iter names hold copies (B@). Tails say what else is true: S@ only one coordinate holds the
// value, P+ P> P< the copies are partial sums, maxima, minima, O@ a fixed displacement, pad= what stands
// in points whose index lies beyond the extent (a dim's product of extents may exceed its extent).
//
// Read forwards (index -> set of points) a layout is total; read backwards (point -> index) it is partial:
// padding points have no index, and S@ leaves other coordinates empty.
//
// Laws. The digits on one axis nest (the stride of each exceeds the span of the finer ones), so two indices never
// meet and a point is read back digit by digit. An interned layout is in normal form: address and lane digits of
// extent 1 are gone (a level digit of extent 1 stays: it names the level, see image.h), what no iter names stands
// in B@ tails, tails are sorted, padding has its pad=. Two layouts that hold the same elements at the same points
// have one canonical form (algebra.h).
//
//   text.h      parse, print          algebra.h   normal form, apply, inverse, counts, reshaping
//   query.h     what ops ask          image.h     where the words stand in a memory; packing
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag/diagnostic.h"
#include "core/layout/machine_tree.h"

namespace kumihimo {

inline constexpr int16_t kAddressAxis = -1;

struct Iter {
  int64_t extent = 1;
  int16_t axis = kAddressAxis;  // index into MachineTree::axes
  int64_t stride = 1;
  friend bool operator==(const Iter&, const Iter&) = default;
};

enum class TailKind : uint8_t { kReplica, kSingle, kPartialSum, kPartialMax, kPartialMin, kOffset };

struct Tail {
  TailKind kind = TailKind::kReplica;
  Iter iter;  // kOffset: extent = displacement. Lane axis with extent 0: all lanes of a long word
  friend bool operator==(const Tail&, const Tail&) = default;
};

enum class PadKind : uint8_t { kNone, kValue, kAny };

struct Layout {
  std::vector<int64_t> shape;
  std::vector<std::vector<Iter>> dims;  // same length as shape
  std::vector<Tail> tails;              // normalised: every level axis is either named by iters or stands in a tail
  PadKind pad = PadKind::kNone;
  double pad_value = 0;  // kValue: 0 or -inf
  friend bool operator==(const Layout&, const Layout&) = default;
};

// Interned, immutable: equal layouts of one machine have one pointer, which lives as long as the process.
using LayoutRef = const Layout*;

// The layout should be in normal form (what parse_layout and the functions of algebra.h and query.h return).
LayoutRef intern(Layout layout, const MachineTree& tree);

}  // namespace kumihimo
