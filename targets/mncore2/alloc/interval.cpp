#include "targets/mncore2/alloc/interval.h"

#include <algorithm>
#include <numeric>

namespace kumihimo::mncore2::alloc {

namespace {

bool meet(const Interval& a, const Interval& b) { return a.start <= b.end && b.start <= a.end; }

int64_t round_up(int64_t x, int64_t align) { return (x + align - 1) / align * align; }

// Places in the given order, each at the lowest address that is free for its whole time.
Allocation place_in_order(const std::vector<Interval>& intervals, const std::vector<size_t>& order, int64_t capacity) {
  Allocation out;
  out.addr.assign(intervals.size(), -1);
  std::vector<size_t> placed;
  std::vector<std::pair<int64_t, int64_t>> taken;  // [lo, hi) of intervals that meet the current one
  for (size_t i : order) {
    const Interval& x = intervals[i];
    taken.clear();
    for (size_t j : placed)
      if (intervals[j].size > 0 && meet(x, intervals[j]))
        taken.emplace_back(out.addr[j], out.addr[j] + intervals[j].size);
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    if (x.fixed) {
      at = *x.fixed;
    } else {
      for (const auto& [lo, hi] : taken) {
        if (at + x.size <= lo) break;
        at = std::max(at, round_up(hi, x.align));
      }
    }
    if (at + x.size > capacity) {
      out.failed = static_cast<int32_t>(i);
      for (const auto& [lo, hi] : taken) out.in_use += hi - lo;
      return out;
    }
    out.addr[i] = at;
    out.peak = std::max(out.peak, at + x.size);
    placed.push_back(i);
  }
  return out;
}

}  // namespace

Allocation allocate(const std::vector<Interval>& intervals, int64_t capacity) {
  std::vector<size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), size_t{0});
  auto by = [&](auto key) {
    std::vector<size_t> sorted = order;
    std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
      // Fixed ones cannot yield, so they come first.
      const bool fa = intervals[a].fixed.has_value(), fb = intervals[b].fixed.has_value();
      if (fa != fb) return fa;
      return key(intervals[a]) < key(intervals[b]);
    });
    return place_in_order(intervals, sorted, capacity);
  };
  Allocation best;
  bool first = true;
  for (Allocation trial : {by([](const Interval& x) { return std::make_pair(x.start, -x.size); }),
                           by([](const Interval& x) { return std::make_pair(-x.size, x.start); }),
                           by([](const Interval& x) { return std::make_pair(x.start - x.end, -x.size); })}) {
    const bool better = first || (trial.ok() && (!best.ok() || trial.peak < best.peak));
    if (better) best = std::move(trial);
    first = false;
  }
  return best;
}

}  // namespace kumihimo::mncore2::alloc
