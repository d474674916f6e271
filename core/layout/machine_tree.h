// The machine as layouts see it: a tree of axes, and the memories that hang on it.
//
// An axis is a named dimension of the machine (L2B, L1B, MAB, PE), the lane inside a long word (W) or
// Time. Level axes form a chain from the outermost to the innermost; the address axis of a memory is not
// listed: an iter without an axis name lies on it. A location is a memory; it has one instance for each
// coordinate of the level axes at and above its own level. A memory that serves several children of an
// axis (the DRAM of a group serves two L2Bs) sits on that axis with a granule: instance = coordinate / granule.
//
// A layout may name axes below its location: those points are destined for a child, and stand in the
// image that the hardware's distribute reads. The rule of the image is a column of the axis:
//   a child's image address a becomes (a / quantum) * quantum * extent + child * quantum + a % quantum,
// quantum 0 = whole images one after the other. Example: 8 long words of each L1B in a row of 64.
// `extent` above is the number of slots of a row, which is the axis's extent unless the row says otherwise (a
// cut-down machine keeps the row of the full one). A level that is not named has no slot: one image serves all
// its children. Where the hardware's distribute to a level always writes the slots of the next inner one as
// well, naming the level names that one too (image_names_inner).
// Hops say how words go from one memory to the next and how many pass in a cycle; the difference of two layouts is
// counted along them (difference.h).
// Targets declare a tree; core lists no axis of its own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kumihimo {

enum class AxisKind : uint8_t { kLevel, kLane, kTime };

struct AxisDef {
  std::string_view name;  // "L1B"
  AxisKind kind;
  int64_t extent;         // children per parent instance; lane: 0 (64 / bits of the dtype); time: 0 (free)
  int64_t image_quantum;  // long words; see above. Unused for lanes and time
  std::string_view doc;
  std::string_view source;
  char evidence;
  int64_t image_slots = 0;         // slots of an image row; 0 = extent
  bool image_names_inner = false;  // naming this level in an image also gives the next inner level its slots

  int64_t slots() const { return image_slots != 0 ? image_slots : extent; }
};

struct LocationDef {
  std::string_view name;  // "L1BM"
  int level;              // index of its level axis in MachineTree::axes (level axes stand first, outer to inner)
  int64_t granule;        // coordinates of that axis per instance (1; 2 for a group's DRAM on axis L2B)
  int64_t capacity_lw;    // of one instance, long words
  int64_t align_lw;       // base addresses and image sizes are multiples of this
  int32_t member_of;      // index of the location class it belongs to (LM0 -> LM), -1 = none
  bool is_class;          // LM, GRF: one of the members, chosen by lowering
  std::string_view doc;
  std::string_view source;
  char evidence;
};

// A way between two memories of the tree. Ports: what leaves or enters one instance of the upper and of the lower memory.
struct HopDef {
  int upper;  // location; -1: the machine as a whole, which joins the instances of `lower` and has no memory of its own
  int lower;  // location; equal to upper: inside one memory
  int64_t upper_rate, lower_rate;           // long words a cycle through a port
  std::string_view copy_op, own_op, up_op;  // ops that make the hop: the same for all children, one's own, upwards
  std::string_view copy_by, own_by, up_by;  // the target's instructions
  std::string_view source;
  char evidence;
};

struct MachineTree {
  std::string_view name;
  std::span<const AxisDef> axes;  // level axes outer to inner, then lane, then time
  std::span<const LocationDef> locations;
  int64_t word_bits;  // bits of one address unit: 64
  // From the outermost inwards, each hop's lower memory the next one's upper; then those inside one memory.
  std::span<const HopDef> hops = {};
  int find_axis(std::string_view n) const {
    for (size_t i = 0; i < axes.size(); ++i)
      if (axes[i].name == n) return static_cast<int>(i);
    return -1;
  }
  int find_location(std::string_view n) const {
    for (size_t i = 0; i < locations.size(); ++i)
      if (locations[i].name == n) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace kumihimo
