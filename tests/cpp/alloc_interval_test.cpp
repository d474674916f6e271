// Interval allocation: laws checked on random inputs, small cases by hand.
#include <gtest/gtest.h>

#include <random>

#include "targets/mncore2/alloc/interval.h"

namespace kumihimo::mncore2::alloc {
namespace {

TEST(Interval, ReusesWhatHasEnded) {
  const Allocation r = allocate({{0, 3, 6, 1, {}}, {4, 9, 6, 1, {}}, {2, 5, 2, 1, {}}}, 8);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r.addr[0], r.addr[1]);
  EXPECT_EQ(r.peak, 8);
}

// Both ends belong to an interval: what ends at 4 and what starts at 4 are alive together.
TEST(Interval, EndsAreInclusive) {
  const Allocation r = allocate({{0, 4, 5, 1, {}}, {4, 9, 5, 1, {}}}, 9);
  EXPECT_FALSE(r.ok());
  EXPECT_EQ(r.in_use, 5);
}

TEST(Interval, FixedStaysAndOthersAvoidIt) {
  const Allocation r = allocate({{0, 9, 4, 4, {}}, {0, 9, 4, 1, int64_t{2}}}, 16);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r.addr[1], 2);
  EXPECT_EQ(r.addr[0], 8);
}

TEST(Interval, LawsOnRandomInputs) {
  std::mt19937 rng(5);
  auto below = [&](uint32_t n) { return static_cast<int64_t>(rng() % n); };
  int fitted = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Interval> xs;
    const int64_t n = 1 + below(40);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t start = below(60);
      xs.push_back({start, start + below(20), 1 + below(12), int64_t{1} << below(3), {}});
    }
    const Allocation r = allocate(xs, 96);
    if (!r.ok()) {
      EXPECT_GE(r.failed, 0);
      continue;
    }
    ++fitted;
    int64_t highest = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      EXPECT_GE(r.addr[i], 0);
      EXPECT_EQ(r.addr[i] % xs[i].align, 0);
      EXPECT_LE(r.addr[i] + xs[i].size, 96);
      highest = std::max(highest, r.addr[i] + xs[i].size);
      for (size_t j = 0; j < i; ++j) {
        const bool together = xs[i].start <= xs[j].end && xs[j].start <= xs[i].end;
        const bool apart = r.addr[i] + xs[i].size <= r.addr[j] || r.addr[j] + xs[j].size <= r.addr[i];
        EXPECT_TRUE(!together || apart);
      }
    }
    EXPECT_EQ(r.peak, highest);
  }
  EXPECT_GT(fitted, 100);
}

}  // namespace
}  // namespace kumihimo::mncore2::alloc
