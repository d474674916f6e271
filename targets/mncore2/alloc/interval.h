// Addresses for things that live for a while: one memory, intervals of time, no two at one place at one time.
//
//   Interval a{.start = 0, .end = 9, .size = 4, .align = 2};
//   Allocation r = allocate({a, b, c}, 256);
//   r.ok(), r.addr[i], r.peak
//
// Law: intervals whose times intersect (both ends belong to an interval) get disjoint address ranges; every
// address is a multiple of its alignment. Fixed intervals get theirs, even when two of them overlap: that is
// the caller's wish. Some orders of placement are tried, each
// by lowest fit, and the one with the lowest peak is kept; the result depends on nothing but the input.
// Finding the least peak is NP-hard; this is a heuristic, and may fail where a perfect packing would fit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kumihimo::mncore2::alloc {

struct Interval {
  int64_t start = 0, end = 0;  // inclusive
  int64_t size = 0, align = 1;
  std::optional<int64_t> fixed;  // address given
};

struct Allocation {
  std::vector<int64_t> addr;  // -1 where not placed
  int64_t peak = 0;           // highest address in use + 1
  int32_t failed = -1;        // interval that did not fit
  int64_t in_use = 0;         // sizes of the others that live at the same time as the failed one
  bool ok() const { return failed < 0; }
};

Allocation allocate(const std::vector<Interval>& intervals, int64_t capacity);

}  // namespace kumihimo::mncore2::alloc
