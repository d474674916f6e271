#include "targets/mncore2/sched/search.h"

#include <algorithm>
#include <cmath>

namespace kumihimo::mncore2::sched {

namespace {

constexpr int32_t kRepairEvaluations = 1000;

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

int64_t capacity(const MachineConfig& machine, int bank) {
  if (is_lm(bank)) return machine.lm_words / 2;
  if (is_grf(bank)) return machine.grf_words / 2;
  return machine.t_lw;
}

// Preference between choices that serve all instructions: short latency, few ports. T holds one register at a time,
// which only the list scheduler can arrange, so the start leaves it alone where it can.
int choice_cost(const Web& web, const Choice& choice) {
  if (choice.forward_only()) return 1000;  // only the search may tie instructions together
  int cost = 0;
  for (int c = 0; c < choice.count; ++c) {
    const int bank = choice.bank[static_cast<size_t>(c)];
    if (is_grf(bank))
      cost += web.rows > 32 ? 6 : 2;
    else if (is_lm(bank))
      cost += web.rows > 32 ? 2 : 4;
    else
      cost += 60;
  }
  return cost;
}

bool uses_t(const Choice& choice) {
  return std::find(choice.bank.begin(), choice.bank.end(), bank_index(Bank::kT)) != choice.bank.end();
}

// Whether the register operands of an instruction find ports; webs without a choice yet are ignored.
bool sources_fit(const Model& model, const InsnModel& m, const std::vector<int16_t>& choice, int32_t k,
                 std::array<int32_t, kNumBanks>& port) {
  if (k == m.first_src + m.num_srcs) return true;
  const SrcModel& s = model.srcs[static_cast<size_t>(k)];
  const int16_t c = choice[static_cast<size_t>(s.web)];
  if (c < 0) return sources_fit(model, m, choice, k + 1, port);
  const Choice& banks = model.webs[static_cast<size_t>(s.web)].choices[static_cast<size_t>(c)];
  if (banks.forward_only()) return sources_fit(model, m, choice, k + 1, port);
  for (int b = 0; b < banks.count; ++b) {
    int32_t& p = port[static_cast<size_t>(banks.bank[static_cast<size_t>(b)])];
    if (p >= 0 && p != s.pattern) continue;
    const int32_t saved = p;
    p = s.pattern;
    if (sources_fit(model, m, choice, k + 1, port)) return true;
    p = saved;
  }
  return false;
}

bool operands_fit(const Model& model, const InsnModel& m, const std::vector<int16_t>& choice) {
  std::array<int32_t, kNumBanks> port{-1, -1, -1, -1, -1};
  for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) {
    const DstModel& d = model.dsts[static_cast<size_t>(k)];
    const int16_t c = choice[static_cast<size_t>(d.web)];
    if (c < 0) continue;
    const Choice& banks = model.webs[static_cast<size_t>(d.web)].choices[static_cast<size_t>(c)];
    // An LM has one address for reading and writing.
    for (int b = 0; b < banks.count; ++b)
      if (is_lm(banks.bank[static_cast<size_t>(b)]))
        port[static_cast<size_t>(banks.bank[static_cast<size_t>(b)])] = d.pattern;
  }
  return sources_fit(model, m, choice, m.first_src, port);
}

}  // namespace

namespace {

// Instructions of each web, as source or destination.
std::vector<std::vector<int32_t>> users_of_webs(const Model& model) {
  std::vector<std::vector<int32_t>> users(model.webs.size());
  for (size_t i = 0; i < model.insns.size(); ++i) {
    const InsnModel& m = model.insns[i];
    auto add = [&](int32_t web) {
      auto& u = users[static_cast<size_t>(web)];
      if (u.empty() || u.back() != static_cast<int32_t>(i)) u.push_back(static_cast<int32_t>(i));
    };
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) add(model.srcs[static_cast<size_t>(k)].web);
    for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) add(model.dsts[static_cast<size_t>(k)].web);
  }
  return users;
}

// Min-conflicts repair: while some instruction cannot find ports even in an empty step, one or two of its webs move to
// the choices that leave the fewest such instructions among their users.
void repair_ports(const Model& model, const std::vector<std::vector<int32_t>>& users, std::vector<int16_t>& choice) {
  Random random(0x5eed);
  auto fits = [&](int32_t i) { return operands_fit(model, model.insns[static_cast<size_t>(i)], choice); };
  for (int round = 0; round < kRepairEvaluations; ++round) {
    std::vector<int32_t> bad;
    for (size_t i = 0; i < model.insns.size(); ++i)
      if (!fits(static_cast<int32_t>(i))) bad.push_back(static_cast<int32_t>(i));
    if (bad.empty()) return;
    const InsnModel& m =
        model.insns[static_cast<size_t>(bad[static_cast<size_t>(random.below(static_cast<int64_t>(bad.size())))])];
    std::vector<int32_t> webs;
    auto add = [&](int32_t web) {
      if (std::find(webs.begin(), webs.end(), web) == webs.end()) webs.push_back(web);
    };
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) add(model.srcs[static_cast<size_t>(k)].web);
    for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) add(model.dsts[static_cast<size_t>(k)].web);
    const size_t a = static_cast<size_t>(webs[static_cast<size_t>(random.below(static_cast<int64_t>(webs.size())))]);
    const size_t b = static_cast<size_t>(webs[static_cast<size_t>(random.below(static_cast<int64_t>(webs.size())))]);
    int best_cost = INT32_MAX, ties = 0;
    int16_t best_a = choice[a], best_b = choice[b];
    for (size_t ca = 0; ca < model.webs[a].choices.size(); ++ca) {
      for (size_t cb = 0; cb < model.webs[b].choices.size(); ++cb) {
        choice[a] = static_cast<int16_t>(ca);
        if (a == b && ca != cb) continue;
        choice[b] = static_cast<int16_t>(cb);
        if (model.webs[a].choices[ca].forward_only() || model.webs[b].choices[cb].forward_only()) continue;
        int cost = (uses_t(model.webs[a].choices[ca]) ? 1 : 0) + (a != b && uses_t(model.webs[b].choices[cb]) ? 1 : 0);
        for (int32_t i : users[a]) cost += fits(i) ? 0 : 4;
        if (a != b)
          for (int32_t i : users[b]) cost += fits(i) ? 0 : 4;
        ties = cost < best_cost ? 1 : ties + (cost == best_cost);
        if (cost < best_cost || (cost == best_cost && random.below(ties) == 0))
          best_cost = cost, best_a = static_cast<int16_t>(ca), best_b = static_cast<int16_t>(cb);
      }
    }
    choice[a] = best_a;
    choice[b] = best_b;
  }
}

}  // namespace

Assignment greedy_assignment(const Model& model, const MachineConfig& machine) {
  const size_t n = model.webs.size();
  const std::vector<std::vector<int32_t>> users = users_of_webs(model);
  // Webs with the most users first: they are hardest to please. Big ones claim room in the LMs before small ones.
  std::vector<int32_t> order(n);
  for (size_t w = 0; w < n; ++w) order[w] = static_cast<int32_t>(w);
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return users[static_cast<size_t>(a)].size() > users[static_cast<size_t>(b)].size();
  });

  Assignment out;
  out.choice.assign(n, -1);
  out.bias.assign(model.insns.size(), 0);
  std::array<int64_t, kNumBanks> load{};
  for (int32_t w : order) {
    const Web& web = model.webs[static_cast<size_t>(w)];
    int64_t best_cost = INT64_MAX;
    int16_t best = 0;
    for (size_t c = 0; c < web.choices.size(); ++c) {
      const Choice& choice = web.choices[c];
      if (choice.forward_only() && web.choices.size() > 1) continue;
      out.choice[static_cast<size_t>(w)] = static_cast<int16_t>(c);
      int64_t cost = choice_cost(web, choice);
      for (int32_t i : users[static_cast<size_t>(w)])
        if (!operands_fit(model, model.insns[static_cast<size_t>(i)], out.choice)) cost += 100;
      for (int b = 0; b < choice.count; ++b) {
        const int bank = choice.bank[static_cast<size_t>(b)];
        const int64_t over = load[static_cast<size_t>(bank)] + web.rows - capacity(machine, bank);
        if (over > 0) cost += 50;
        // Spread: the fuller bank of a kind loses.
        if (bank != bank_index(Bank::kT))
          cost += load[static_cast<size_t>(bank)] > load[static_cast<size_t>(bank ^ 1)] ? 1 : 0;
      }
      if (cost < best_cost) best_cost = cost, best = static_cast<int16_t>(c);
    }
    out.choice[static_cast<size_t>(w)] = best;
    const Choice& chosen = web.choices[static_cast<size_t>(best)];
    for (int b = 0; b < chosen.count; ++b) load[static_cast<size_t>(chosen.bank[static_cast<size_t>(b)])] += web.rows;
  }
  repair_ports(model, users, out.choice);
  return out;
}

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

SearchResult search(const Model& model, const MachineConfig& machine, uint64_t seed, int32_t evaluations,
                    bool sequential) {
  ListScheduler scheduler(model, machine, sequential);
  SearchResult best;
  Random random(seed);
  const int64_t num_webs = static_cast<int64_t>(model.webs.size()),
                num_insns = static_cast<int64_t>(model.insns.size());

  auto score = [&](const Assignment& a, const Timing& t) -> int64_t {
    if (!t.complete) return 1'000'000'000'000 + static_cast<int64_t>(t.unscheduled) * 1'000'000;
    int64_t over = 0;
    const auto peak = bank_pressure(model, a, t);
    for (int bank = 0; bank < kNumBanks; ++bank)
      over += std::max<int64_t>(0, peak[static_cast<size_t>(bank)] - capacity(machine, bank));
    // Cycles decide; the mean step of an instruction breaks ties, so that progress before a stall counts a little.
    return over * 100'000'000 + t.cycles * 1000 +
           std::min<int64_t>(900, t.sum_of_steps * 100 / std::max<int64_t>(1, num_insns) / 100);
  };

  Assignment current = greedy_assignment(model, machine);
  best.assignment = current;
  best.timing = scheduler.run(current);
  best.evaluations = 1;
  best.first_cycles = best.timing.cycles;
  int64_t best_score = score(current, best.timing), current_score = best_score;
  std::vector<int32_t> conflicts = scheduler.conflicts();

  std::vector<int32_t> movable, mvs;
  for (size_t w = 0; w < model.webs.size(); ++w)
    if (model.webs[w].num_searched > 1) movable.push_back(static_cast<int32_t>(w));
  for (size_t i = 0; i < model.insns.size(); ++i)
    if (model.insns[i].is_mv) mvs.push_back(static_cast<int32_t>(i));
  if (num_webs == 0 || movable.empty()) return best;
  if (sequential) evaluations = 0;

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
      } else if (kind < 96 || mvs.size() < 2) {
        const int64_t i = random.below(num_insns);
        trial.bias[static_cast<size_t>(i)] = static_cast<int32_t>(random.below(25)) - 12;
      } else {
        // Changes the order of MVs.
        const int32_t i = mvs[static_cast<size_t>(random.below(static_cast<int64_t>(mvs.size())))];
        trial.bias[static_cast<size_t>(i)] = (static_cast<int32_t>(random.below(17)) - 8) * 16;
      }
    }
    const Timing& timing = scheduler.run(trial);
    ++best.evaluations;
    const int64_t s = score(trial, timing);
    // Patience: up to 2 steps worse at first, falling to 0 over the first three quarters.
    const int64_t slack =
        std::max<int64_t>(0, 8000 - static_cast<int64_t>(e) * 8000 * 4 / (3 * std::max(1, evaluations)));
    const bool accept = s <= current_score || (s < current_score + slack && random.chance_16(0x2000));
    if (!accept) continue;
    current = trial;
    current_score = s;
    conflicts = scheduler.conflicts();
    if (s < best_score) {
      best_score = s;
      best.assignment = trial;
      best.timing = timing;
    }
  }
  return best;
}

}  // namespace kumihimo::mncore2::sched
