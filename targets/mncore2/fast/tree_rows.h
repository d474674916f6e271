// Runs of long words in the memories of the tree, whose addresses wrap (ISA 1.2 [V]): a copy of fixed length where
// nothing wraps.
#pragma once

#include <cstdint>
#include <cstring>

#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::fast {

inline constexpr int kRowLw = 4;  // the long words of the four PEs of a MAB

template <int kCapacity>
constexpr uint32_t wrapped(int64_t at) {
  static_assert((kCapacity & (kCapacity - 1)) == 0);
  return static_cast<uint32_t>(at) & (kCapacity - 1);
}

template <int kCapacity, int kLw>
constexpr bool fits(uint32_t at) {
  return at <= kCapacity - kLw;
}

template <int kCapacity, int kLw>
inline void put_run(uint64_t* memory, int64_t addr, const uint64_t* words) {
  const uint32_t at = wrapped<kCapacity>(addr);
  if (fits<kCapacity, kLw>(at)) [[likely]] {
    std::memcpy(memory + at, words, size_t{kLw} * 8);
    return;
  }
  for (int i = 0; i < kLw; ++i) memory[wrapped<kCapacity>(at + i)] = words[i];
}

template <int kCapacity, int kLw>
inline void get_run(uint64_t* words, const uint64_t* memory, int64_t addr) {
  const uint32_t at = wrapped<kCapacity>(addr);
  if (fits<kCapacity, kLw>(at)) [[likely]] {
    std::memcpy(words, memory + at, size_t{kLw} * 8);
    return;
  }
  for (int i = 0; i < kLw; ++i) words[i] = memory[wrapped<kCapacity>(at + i)];
}

// Leaves the rows of an upload, `kRate` long words per cycle, in the turnaround register and in L1BM (ISA 5.4).
template <int kRate>
inline void finish_upload(emu::StepContext& c, const uint64_t (&rows)[4][kRate]) {
  if (c.step->update_latches) {
    c.l1bm->turn_rate = kRate;
    for (int cycle = 0; cycle < 4; ++cycle) std::memcpy(c.l1bm->turn[cycle], rows[cycle], sizeof rows[cycle]);
  }
  if (c.op->l1bm_addr >= 0) put_run<emu::kL1bmLw, 4 * kRate>(c.l1bm->lw, c.op->l1bm_addr, rows[0]);
}

}  // namespace kumihimo::mncore2::fast
