// Worker threads for the emulator: run(n, f) calls f(worker, i) for i = 0..n-1 and returns when all are done.
//
// The calling thread is worker 0. Work items are taken from a counter; results must not depend on who takes which.
//
// Runs follow each other within microseconds, and waking a thread costs as much as a short run. So whoever waits spins
// for a moment before it sleeps, and a run does not wait for sleepers: it ends when the caller finds no more items and
// everybody who took part has left. A worker that wakes later finds the door closed. Where threads share processors,
// nobody spins.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kumihimo::mncore2::emu {

class Pool {
 public:
  explicit Pool(int threads) : spins_(threads <= static_cast<int>(std::thread::hardware_concurrency())) {
    for (int w = 1; w < threads; ++w) workers_.emplace_back([this, w] { serve(w); });
  }
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : workers_) t.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  void run(int count, const std::function<void(int, int)>& f) {
    if (workers_.empty() || count <= 1) {
      for (int i = 0; i < count; ++i) f(0, i);
      return;
    }
    // Nobody is inside, so nobody reads these.
    job_ = &f;
    count_ = count;
    next_.store(0, std::memory_order_relaxed);
    inside_.store(0, std::memory_order_release);
    // Either this sees the sleeper, or the sleeper sees the round before it sleeps: both are sequentially consistent.
    round_.fetch_add(1);
    if (sleeping_.load() > 0) {
      { std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
    take(0);
    inside_.fetch_or(kClosed, std::memory_order_acq_rel);
    const auto left = [this] { return inside_.load(std::memory_order_acquire) == kClosed; };
    if (spin_until(left)) return;
    std::unique_lock lock(mutex_);
    done_.wait(lock, left);
  }

 private:
  static constexpr uint32_t kClosed = uint32_t{1} << 31;
  static constexpr std::chrono::microseconds kSpin{40};

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }
  // False when the time was over before.
  template <class Condition>
  bool spin_until(Condition condition) const {
    if (condition()) return true;
    if (!spins_) return false;
    const auto end = std::chrono::steady_clock::now() + kSpin;
    do {
      for (int i = 0; i < 16; ++i) {
        pause();
        if (condition()) return true;
      }
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  void take(int worker) {
    for (int i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) (*job_)(worker, i);
  }
  bool enter() {
    uint32_t inside = inside_.load(std::memory_order_relaxed);
    while ((inside & kClosed) == 0)
      if (inside_.compare_exchange_weak(inside, inside + 1, std::memory_order_acq_rel, std::memory_order_relaxed))
        return true;
    return false;
  }
  void leave() {
    if (inside_.fetch_sub(1, std::memory_order_acq_rel) != (kClosed | 1)) return;
    // The last one out; the caller may be asleep.
    { std::lock_guard lock(mutex_); }
    done_.notify_one();
  }

  void serve(int worker) {
    uint64_t seen = 0;
    for (;;) {
      const auto called = [&] { return round_.load() != seen || ending_; };
      if (!spin_until(called)) {
        std::unique_lock lock(mutex_);
        sleeping_.fetch_add(1);
        wake_.wait(lock, called);
        sleeping_.fetch_sub(1);
      }
      if (ending_) return;
      seen = round_.load();
      if (!enter()) continue;
      take(worker);
      leave();
    }
  }

  const bool spins_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* job_ = nullptr;
  int count_ = 0;
  std::atomic<int> next_{0}, sleeping_{0};
  std::atomic<uint32_t> inside_{kClosed};  // workers at work; kClosed: no one may enter
  std::atomic<uint64_t> round_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> workers_;  // last: they use what stands above
};

}  // namespace kumihimo::mncore2::emu
