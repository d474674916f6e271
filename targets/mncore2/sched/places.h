// Addresses of a finished schedule: which copies are really written, how long everything lives, where it lies.
#pragma once

#include <array>
#include <vector>

#include "core/diag/diagnostic.h"
#include "targets/mncore2/sched/list.h"

namespace kumihimo::mncore2::sched {

struct Places {
  std::vector<uint8_t> written;                          // per DstModel: banks (bit per bank) that a later read needs
  std::vector<std::array<int32_t, kNumBanks>> web_addr;  // long words; -1 = no copy there
  std::vector<std::array<int32_t, 2>> web_life;          // first write, last read (steps)
  std::vector<int64_t> buf_addr;
  std::array<int64_t, kNumBanks> peak{};
  int64_t peak_l1bm = 0, peak_l2bm = 0;
};

// A failure names the web that did not fit, so that the caller can move it.
struct PlaceFailure {
  int32_t web = -1;  // -1: a buffer
  int bank = 0;
  Diagnostic diagnostic;
};

// `failure.web` is set when a bank overflows; otherwise the result or a diagnostic about a tree memory.
Result<Places> find_places(const Model& model, const MachineConfig& machine, const Assignment& assignment,
                           const Timing& timing, PlaceFailure& failure);

}  // namespace kumihimo::mncore2::sched
