// Images: where the words of a value stand in a memory, and moving them between NumPy order and machine order.
//
// A location has one instance per coordinate of the levels at and above it (unit). A layout may name levels below
// its location; then the unit's words stand in the image that the hardware's distribute reads: starting from the
// address in the innermost memory, each named level from inside out puts its children into slots (rules are
// columns of the axis, machine_tree.h). Levels that are not named have no slot. For MN-Core 2:
//   L1BM, PE named:            row r of PE p             at 4r + p
//   L1BM, MAB (and PE) named:  row r of PE p of MAB m    at 64r + 4m + p
//   L2BM, L1B named:           word a of L1B b           at 64(a/8) + 8b + a%8
//   DRAM, L2B named:           word a of the group's L2B s at s * (size of an L2B's image) + a
//
// The image of one unit is an array of 64-bit long words in host order; lane 0 is the most significant part.
// Elements are bit patterns of 16, 32 or 64 bits in row-major order, with one leading axis per P@ digit.
//
// An element's place is a sum of one table entry per dim, as long as no carry crosses a slot row (true for every
// layout with power-of-two extents); otherwise each place is computed by the rule, slower, with the same result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/layout/algebra.h"
#include "core/layout/layout.h"

namespace kumihimo {

struct Place {
  int64_t unit = 0;     // instance of the location, linear, outer level slowest
  int64_t address = 0;  // long word inside the unit's image
  int64_t lane = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

class ImageMap {
 public:
  int64_t units() const { return units_; }      // instances of the location
  int64_t unit_lw() const { return unit_lw_; }  // long words of one unit's image, aligned for the location
  int64_t total_lw() const { return units_ * unit_lw_; }
  int bits() const { return bits_; }
  int64_t elements() const { return elements_; }  // without partial axes
  int64_t copies() const { return copies_; }
  const std::vector<int64_t>& partial() const { return partial_; }
  int64_t partial_count() const { return partial_count_; }
  // Elements x copies x partial copies, from the layout's own numbers.
  int64_t words() const { return elements_ * copies_ * partial_count_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  // Units that hold at least one point of the value.
  const std::vector<int64_t>& used_units() const { return used_units_; }

  // The place of one element (row-major number), by the rule.
  Place place(int64_t element, int64_t partial = 0, int64_t copy = 0) const;

 private:
  friend class ImageBuilder;
  friend class ImageLoops;
  // One addend of every place: the index of a dim, a copy, a partial copy. Entry i puts value(i) on its digits.
  struct Addend {
    std::vector<Digit> digits;
    std::vector<int64_t> values;  // empty: 0, 1, 2, ...
    int64_t count = 1;
    std::vector<int64_t> slots;  // (unit * unit_lw + address) * lanes + lane of each entry alone
    void add(int64_t entry, Point& point) const;
  };
  Place place_of(const Point& point) const;
  int64_t slot_of(const Place& place) const { return (place.unit * unit_lw_ + place.address) * lanes_ + place.lane; }

  const MachineTree* tree_ = nullptr;
  int location_ = -1, lane_axis_ = -1, bits_ = 0;
  int64_t lanes_ = 1, units_ = 1, unit_lw_ = 0, elements_ = 1, copies_ = 1, partial_count_ = 1;
  std::vector<int64_t> shape_, partial_;
  // Levels with slots, inside out: {axis, long words of one child's image (quantum 0 only)}.
  std::vector<std::pair<int, int64_t>> named_;
  Point offset_;
  int64_t offset_slot_ = 0;
  std::vector<Addend> dims_, replicas_, partials_;  // dims_ run over the padded extents
  std::vector<int64_t> used_units_;
  bool additive_ = true;
  PadKind pad_ = PadKind::kNone;
};

// bits: 8, 16, 32 or 64. Refused when the location is no memory of the tree or the image exceeds 2^40 long words;
// capacity is check_capacity's matter.
Result<ImageMap> image_map(const Layout& layout, const MachineTree& tree, int location, int bits);
// Long words of one unit's image, without building the map.
Result<int64_t> image_lw(const Layout& layout, const MachineTree& tree, int location, int bits);

struct PackOptions {
  uint64_t fill = 0;                 // long words that hold nothing, and pad=any
  std::optional<uint64_t> pad_bits;  // element pattern of padding points; unset: they keep `fill`
};
// elements: partial_count * elements * bits/8 bytes, host byte order. image: total_lw() long words, written whole.
void pack(const ImageMap& map, std::span<const uint8_t> elements, std::span<uint64_t> image,
          const PackOptions& options = {});
// Reads one copy back.
void unpack(const ImageMap& map, std::span<const uint64_t> image, std::span<uint8_t> elements, int64_t copy = 0);

struct Mismatch {
  int64_t element = 0, partial = 0, copy = 0;
  std::vector<int64_t> index;
  Place place;
  uint64_t expected = 0, found = 0;  // element bits
};
struct Comparison {
  int64_t words_compared = 0;
  int64_t mismatches = 0;
  std::optional<Mismatch> first;  // smallest (partial, copy, element)
};
// Every non-padding point of every copy, partial copies one by one. words_compared is counted while comparing; it
// must equal map.words().
Comparison compare_all_copies(const ImageMap& map, std::span<const uint64_t> image, std::span<const uint8_t> elements);

}  // namespace kumihimo
