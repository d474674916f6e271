// What is known of 16-bit lanes before a program runs: written, not written, or one cannot say.
//
// Strict mode of the emulator knows, for each lane of each memory of each unit, whether it is defined, and moves that along
// with the data. Here one unit stands for all of its kind, and data are not known. So a lane has two bits:
//   must  it is defined in every unit, whatever the data
//   may   it is defined in some unit, for some data
// must <= may; neither = nothing has written it anywhere; both = written everywhere; may alone = one cannot say. Rules of
// propagation that are monotone are applied to both bits alike, so the two enclose what strict mode will find.
#pragma once

#include <array>
#include <cstdint>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::hazard {

// The four lanes of a long word, most significant first (bit 3 = first 16 bits).
struct Lanes {
  uint8_t must = 0, may = 0;
  friend bool operator==(const Lanes&, const Lanes&) = default;
};
inline constexpr uint8_t kAllLanes = 0xf;
inline constexpr Lanes kNever{0, 0}, kDefined{kAllLanes, kAllLanes}, kUnknown{0, kAllLanes};

constexpr Lanes both(Lanes a, Lanes b) {
  return {static_cast<uint8_t>(a.must & b.must), static_cast<uint8_t>(a.may & b.may)};
}
// One or the other, nobody knows which.
constexpr Lanes either(Lanes a, Lanes b) {
  return {static_cast<uint8_t>(a.must & b.must), static_cast<uint8_t>(a.may | b.may)};
}
template <class F>
constexpr Lanes apply(F f, Lanes a) {
  return {static_cast<uint8_t>(f(a.must)), static_cast<uint8_t>(f(a.may))};
}

// Lanes of elements of `bits` width that are defined as a whole, and of those whose first lane is.
constexpr uint8_t whole(uint8_t lanes, int bits) {
  if (bits == 16) return lanes;
  if (bits == 32) return static_cast<uint8_t>(((lanes & 0xc) == 0xc ? 0xc : 0) | ((lanes & 3) == 3 ? 3 : 0));
  return lanes == kAllLanes ? kAllLanes : 0;
}
constexpr uint8_t first_lane(uint8_t lanes, int bits) {
  if (bits == 16) return lanes;
  if (bits == 32) return static_cast<uint8_t>(((lanes & 8) != 0 ? 0xc : 0) | ((lanes & 2) != 0 ? 3 : 0));
  return (lanes & 8) != 0 ? kAllLanes : 0;
}
constexpr Lanes whole(Lanes a, int bits) {
  return apply([bits](uint8_t l) { return whole(l, bits); }, a);
}
constexpr int element_bits(isa::Prec prec) {
  switch (prec) {
    case isa::Prec::kF:
    case isa::Prec::kG:
    case isa::Prec::kI: return 32;
    case isa::Prec::kH:
    case isa::Prec::kS: return 16;
    default: return 64;
  }
}

// A long word of each of the four PEs of a MAB.
using Row = std::array<Lanes, 4>;
inline constexpr Row kNeverRow{}, kDefinedRow{kDefined, kDefined, kDefined, kDefined},
    kUnknownRow{kUnknown, kUnknown, kUnknown, kUnknown};

// What moves in one step: by cycle, MSB and LSB long word. And the flags, one bit per mask bit.
struct Beat {
  std::array<std::array<Row, 2>, 4> v{};
};
using Flags = std::array<Row, 4>;

// Members that one operation combines. A mixture of written and unwritten ones is what strict mode reports; here it is
// certain only when some member is surely written and some other surely not.
class Group {
 public:
  constexpr void add(Lanes element, uint8_t lanes) {
    const bool must = (element.must & lanes) == lanes, may = (element.may & lanes) == lanes;
    any_written_ |= must;
    any_unwritten_ |= !may;
    all_must_ &= must;
    all_may_ &= may;
  }
  constexpr bool mixed() const { return any_written_ && any_unwritten_; }
  constexpr bool written() const { return any_written_; }
  constexpr Lanes result(uint8_t lanes) const {
    return {all_must_ ? lanes : uint8_t{0}, all_may_ ? lanes : uint8_t{0}};
  }

 private:
  bool any_written_ = false, any_unwritten_ = false, all_must_ = true, all_may_ = true;
};

}  // namespace kumihimo::mncore2::hazard
