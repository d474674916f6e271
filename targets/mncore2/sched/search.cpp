#include "targets/mncore2/sched/search.h"

#include <algorithm>

#include "targets/mncore2/sched/random.h"
#include "targets/mncore2/sched/start.h"

namespace kumihimo::mncore2::sched {

namespace {

constexpr int32_t kRepairEvaluations = 1000;

}  // namespace

std::array<int64_t, kNumBanks> bank_pressure(const Model& model, const Assignment& assignment, const Timing& timing) {
  const size_t n = model.webs.size();
  std::vector<int32_t> first(n, INT32_MAX), last(n, -1);
  for (size_t i = 0; i < model.insns.size(); ++i) {
    const InsnModel& m = model.insns[i];
    const int32_t t = timing.step[i];
    auto touch = [&](int32_t web) {
      first[static_cast<size_t>(web)] = std::min(first[static_cast<size_t>(web)], t);
      last[static_cast<size_t>(web)] = std::max(last[static_cast<size_t>(web)], t);
    };
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) touch(model.srcs[static_cast<size_t>(k)].web);
    for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) touch(model.dsts[static_cast<size_t>(k)].web);
  }
  std::array<int64_t, kNumBanks> peak{};
  std::vector<int64_t> delta(static_cast<size_t>(timing.num_steps) + 2);
  for (int bank = 0; bank < kNumBanks; ++bank) {
    std::fill(delta.begin(), delta.end(), 0);
    for (size_t w = 0; w < n; ++w) {
      if (last[w] < 0) continue;
      const Web& web = model.webs[w];
      const Choice& choice = web.choices[static_cast<size_t>(assignment.choice[w])];
      for (int c = 0; c < choice.count; ++c) {
        if (choice.bank[static_cast<size_t>(c)] != bank) continue;
        const int64_t rows = bank == bank_index(Bank::kT) ? 8 : web.rows;
        delta[static_cast<size_t>(first[w])] += rows;
        if (!web.output) delta[static_cast<size_t>(last[w]) + 1] -= rows;
      }
    }
    int64_t in_use = 0;
    for (int64_t d : delta) peak[static_cast<size_t>(bank)] = std::max(peak[static_cast<size_t>(bank)], in_use += d);
  }
  return peak;
}

namespace {

int64_t score_of(const Model& model, const MachineConfig& machine, const Assignment& a, const Timing& t) {
  if (!t.complete) return 1'000'000'000'000 + static_cast<int64_t>(t.unscheduled) * 1'000'000;
  int64_t over = 0;
  const auto peak = bank_pressure(model, a, t);
  for (int bank = 0; bank < kNumBanks; ++bank)
    over += std::max<int64_t>(0, peak[static_cast<size_t>(bank)] - bank_capacity(machine, bank));
  // Cycles decide. Among equals the mean step of an instruction: progress before a stall counts a little.
  const int64_t mean_step = t.sum_of_steps / std::max<int64_t>(1, static_cast<int64_t>(model.insns.size()));
  return over * 100'000'000 + t.cycles * 1000 + std::min<int64_t>(900, mean_step);
}

}  // namespace

SearchResult search_start(const Model& model, const MachineConfig& machine, const ListOptions& options) {
  ListScheduler scheduler(model, machine, options);
  SearchResult best;
  Assignment trial = greedy_assignment(model, machine);
  for (size_t k = 0; k < (options.sequential ? 1 : kStaggers.size()); ++k) {
    trial.stagger = static_cast<int32_t>(k);
    const Timing& timing = scheduler.run(trial);
    const int64_t score = score_of(model, machine, trial, timing);
    if (k == 0) best.first_cycles = timing.cycles;
    if (k == 0 || score < best.score) {
      best.assignment = trial;
      best.timing = timing;
      best.score = score;
    }
    ++best.evaluations;
  }
  return best;
}

SearchResult search(const Model& model, const MachineConfig& machine, SearchResult start, uint64_t seed,
                    int32_t evaluations, const ListOptions& options) {
  ListScheduler scheduler(model, machine, options);
  SearchResult best = std::move(start);
  Random random(seed);
  Assignment current = best.assignment;
  int64_t current_score = best.score;
  std::vector<int32_t> conflicts(model.webs.size(), 0);

  std::vector<int32_t> movable, mvs;
  for (size_t w = 0; w < model.webs.size(); ++w)
    if (model.webs[w].num_searched > 1) movable.push_back(static_cast<int32_t>(w));
  for (size_t i = 0; i < model.insns.size(); ++i)
    if (model.insns[i].is_mv) mvs.push_back(static_cast<int32_t>(i));
  if (movable.empty()) return best;

  Assignment trial;
  // A start that does not work is repaired even when the budget is used up.
  for (int32_t e = 0; e < evaluations || (!best.timing.complete && e < evaluations + kRepairEvaluations); ++e) {
    trial = current;
    const int changes = random.chance_16(0x6000) ? 2 : 1;
    for (int c = 0; c < changes; ++c) {
      const int64_t kind = random.below(100);
      if (kind < 70 && !movable.empty()) {
        int32_t web = movable[static_cast<size_t>(random.below(static_cast<int64_t>(movable.size())))];
        // The better of two draws by conflicts, half of the time.
        if (random.chance_16(0x8000)) {
          const int32_t other = movable[static_cast<size_t>(random.below(static_cast<int64_t>(movable.size())))];
          if (conflicts[static_cast<size_t>(other)] > conflicts[static_cast<size_t>(web)]) web = other;
        }
        const Web& moved = model.webs[static_cast<size_t>(web)];
        trial.choice[static_cast<size_t>(web)] = static_cast<int16_t>(random.below(moved.num_searched));
        // Forward-only pays most where it applies, and is one choice of many.
        if (moved.forward_choice >= 0 && random.chance_16(0x4000))
          trial.choice[static_cast<size_t>(web)] = static_cast<int16_t>(moved.forward_choice);
      } else if (kind == 99) {
        trial.stagger = static_cast<int32_t>(random.below(static_cast<int64_t>(kStaggers.size())));
      } else if (kind < 96 || mvs.size() < 2) {
        const int64_t i = random.below(static_cast<int64_t>(model.insns.size()));
        trial.bias[static_cast<size_t>(i)] = static_cast<int32_t>(random.below(25)) - 12;
      } else {
        // Changes the order of MVs.
        const int32_t i = mvs[static_cast<size_t>(random.below(static_cast<int64_t>(mvs.size())))];
        trial.bias[static_cast<size_t>(i)] = (static_cast<int32_t>(random.below(17)) - 8) * 16;
      }
    }
    const Timing& timing = scheduler.run(trial);
    ++best.evaluations;
    const int64_t s = score_of(model, machine, trial, timing);
    // Patience: up to 2 steps worse at first, falling to 0 over the first three quarters.
    const int64_t slack =
        std::max<int64_t>(0, 8000 - static_cast<int64_t>(e) * 8000 * 4 / (3 * std::max(1, evaluations)));
    const bool accept = s <= current_score || (s < current_score + slack && random.chance_16(0x2000));
    if (!accept) continue;
    current = trial;
    current_score = s;
    conflicts = scheduler.conflicts();
    if (s < best.score) {
      best.score = s;
      best.assignment = trial;
      best.timing = timing;
    }
  }
  return best;
}

}  // namespace kumihimo::mncore2::sched
