// Worker threads for the emulator: run(n, f) calls f(worker, i) for i = 0..n-1 and returns when all are done.
//
// The calling thread is worker 0. Work items are taken from a counter; results must not depend on who takes which.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kumihimo::mncore2::emu {

class Pool {
 public:
  explicit Pool(int threads) {
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
    {
      std::lock_guard lock(mutex_);
      job_ = &f;
      count_ = count;
      next_ = 0;
      busy_ = static_cast<int>(workers_.size());
      ++round_;
    }
    wake_.notify_all();
    take(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    job_ = nullptr;
  }

 private:
  void take(int worker) {
    for (int i; (i = next_.fetch_add(1)) < count_;) (*job_)(worker, i);
  }
  void serve(int worker) {
    uint64_t seen = 0;
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return ending_ || round_ != seen; });
        if (ending_) return;
        seen = round_;
      }
      take(worker);
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* job_ = nullptr;
  std::atomic<int> next_{0};
  int count_ = 0, busy_ = 0;
  uint64_t round_ = 0;
  bool ending_ = false;
};

}  // namespace kumihimo::mncore2::emu
