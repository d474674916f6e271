// Definedness of elements: how four lane bits (one per 16 bits of a long word, MSB first) become element bits.
#pragma once

#include <cstdint>

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// Lanes of the elements of `bits` width that are defined as a whole: 0b1011 -> 0b1011 (16), 0b1000 -> 0 (32) ...
constexpr uint8_t whole_elements(uint8_t lanes, int bits) {
  if (bits == 16) return lanes;
  if (bits == 32) return static_cast<uint8_t>(((lanes & 0xc) == 0xc ? 0xc : 0) | ((lanes & 0x3) == 0x3 ? 0x3 : 0));
  return lanes == kAllDefined ? kAllDefined : 0;
}

// Lanes of elements whose first lane (the one with the most significant bit) is defined.
constexpr uint8_t first_lane_elements(uint8_t lanes, int bits) {
  if (bits == 16) return lanes;
  if (bits == 32) return static_cast<uint8_t>(((lanes & 0x8) ? 0xc : 0) | ((lanes & 0x2) ? 0x3 : 0));
  return (lanes & 0x8) ? kAllDefined : 0;
}

// A group of members that one operation combines: what is known of it as a whole.
enum class GroupDef : uint8_t { kNone, kAll, kMixed };

class GroupCount {
 public:
  constexpr void add(bool defined) { (defined ? defined_ : undefined_) = true; }
  constexpr GroupDef get() const {
    return !defined_ ? GroupDef::kNone : undefined_ ? GroupDef::kMixed : GroupDef::kAll;
  }

 private:
  bool defined_ = false, undefined_ = false;
};

// True when the result is defined; a mixture is reported.
inline bool combine(StepContext& c, GroupDef group, FindingKind kind, int operand, UnitCoord where, int64_t detail) {
  if (group == GroupDef::kMixed) c.find(kind, operand, where, detail);
  return group == GroupDef::kAll;
}

}  // namespace kumihimo::mncore2::emu
