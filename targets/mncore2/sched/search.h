// Search over assignments: which bank or banks each web lives in, and nudges of the priorities.
//
// A greedy start gives every web the choice that lets the most instructions find distinct ports for their
// sources. From there a seeded walk changes one or two choices or priorities at a time, preferring webs that
// stood in the way of placements, and keeps what the list scheduler finds no slower (with a little patience
// for worse, which shrinks to none). It is measured in evaluations, so results do not depend on the host.
#pragma once

#include "targets/mncore2/sched/list.h"

namespace kumihimo::mncore2::sched {

struct SearchResult {
  Assignment assignment;
  Timing timing;
  int64_t score = 0;  // lower is better
  int32_t evaluations = 0;
  int64_t first_cycles = 0;  // of the start
};

// Long words of each bank that are in use at the busiest moment under this timing.
std::array<int64_t, kNumBanks> bank_pressure(const Model& model, const Assignment& assignment, const Timing& timing);

// The greedy start under the best stagger.
SearchResult search_start(const Model& model, const MachineConfig& machine, const ListOptions& options);

// Goes on from a start for some evaluations; more when the start is not even complete.
SearchResult search(const Model& model, const MachineConfig& machine, SearchResult start, uint64_t seed,
                    int32_t evaluations, const ListOptions& options);

}  // namespace kumihimo::mncore2::sched
