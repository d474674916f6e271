// The emulator's worker threads: every item once, whoever takes it, whatever state the threads are in when a run begins.
#include "targets/mncore2/emu/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace kumihimo::mncore2::emu {
namespace {

using std::chrono::microseconds;

// Threads: fewer than processors on most hosts, and more than on any.
class EmuPool : public ::testing::TestWithParam<int> {};

// Items write plain integers: a run that returned too early, or gave an item twice, loses counts (or races, which the
// thread sanitizer sees).
void check(Pool& pool, int items, microseconds work = microseconds(0)) {
  std::vector<int> done(static_cast<size_t>(items));
  std::atomic<bool> strange{false};
  pool.run(items, [&](int worker, int i) {
    if (worker < 0 || worker >= pool.threads()) strange = true;
    const auto end = std::chrono::steady_clock::now() + work;
    while (std::chrono::steady_clock::now() < end) {}
    ++done[static_cast<size_t>(i)];
  });
  EXPECT_EQ(done, std::vector<int>(static_cast<size_t>(items), 1));
  EXPECT_FALSE(strange);
}

TEST_P(EmuPool, ShortRuns) {
  Pool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  for (int n = 0; n < 3000; ++n) check(pool, n % 10);
}

// Items long enough that the caller waits for others, and falls asleep.
TEST_P(EmuPool, LongItems) {
  Pool pool(GetParam());
  for (int n = 0; n < 20; ++n) check(pool, 5, microseconds(300));
}

// Pauses around the time after which waiting threads go to sleep.
TEST_P(EmuPool, SleepersWake) {
  Pool pool(GetParam());
  for (int n = 0; n < 200; ++n) {
    std::this_thread::sleep_for(microseconds(n % 20 * 10));
    check(pool, 8, microseconds(n % 3 * 20));
  }
}

TEST_P(EmuPool, EndsInEveryState) {
  for (int n = 0; n < 50; ++n) {
    Pool pool(GetParam());
    if (n % 2 != 0) check(pool, 4);
    if (n % 5 == 0) std::this_thread::sleep_for(microseconds(200));
  }
}

// Idle threads sleep: processor time stands still.
TEST_P(EmuPool, IdleThreadsCostNothing) {
  Pool pool(GetParam());
  check(pool, 8);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Threads, EmuPool, ::testing::Values(1, 2, 9));

}  // namespace
}  // namespace kumihimo::mncore2::emu
