// The generator of the search.
#pragma once

#include <cstdint>

namespace kumihimo::mncore2::sched {

// splitmix64: the same stream on every platform, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(next() % static_cast<uint64_t>(n)); }
  // Fixed point with 16 bits, so that decisions do not hang on the host's libm.
  bool chance_16(int64_t numerator) { return static_cast<int64_t>(next() & 0xffff) < numerator; }

 private:
  uint64_t state_;
};

}  // namespace kumihimo::mncore2::sched
