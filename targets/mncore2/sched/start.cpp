#include "targets/mncore2/sched/start.h"

#include <algorithm>

#include "targets/mncore2/sched/random.h"

namespace kumihimo::mncore2::sched {

namespace {

constexpr int kRounds = 2000;

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

// Min-conflicts repair: while some instruction cannot find ports even in an empty step, or uses T (which holds one
// register at a time, a matter for the search), one or two of its webs move to the choices that leave the fewest such
// faults among their users.
void repair_ports(const Model& model, const std::vector<std::vector<int32_t>>& users, std::vector<int16_t>& choice) {
  Random random(0x5eed);
  auto fits = [&](int32_t i) { return operands_fit(model, model.insns[static_cast<size_t>(i)], choice); };
  auto in_t = [&](int32_t web) {
    const Web& w = model.webs[static_cast<size_t>(web)];
    return uses_t(w.choices[static_cast<size_t>(choice[static_cast<size_t>(web)])]);
  };
  auto faulty = [&](int32_t i) {
    const InsnModel& m = model.insns[static_cast<size_t>(i)];
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k)
      if (in_t(model.srcs[static_cast<size_t>(k)].web)) return true;
    return !fits(i);
  };
  // The faulty instructions, and where each stands in that list.
  std::vector<int32_t> bad, position(model.insns.size(), -1);
  auto note = [&](int32_t i) {
    int32_t& at = position[static_cast<size_t>(i)];
    const bool fault = faulty(i);
    if (fault && at < 0) {
      at = static_cast<int32_t>(bad.size());
      bad.push_back(i);
    } else if (!fault && at >= 0) {
      position[static_cast<size_t>(bad.back())] = at;
      bad[static_cast<size_t>(at)] = bad.back();
      bad.pop_back();
      at = -1;
    }
  };
  for (size_t i = 0; i < model.insns.size(); ++i) note(static_cast<int32_t>(i));
  for (int round = 0; round < kRounds && !bad.empty(); ++round) {
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
    for (const size_t web : {a, b})
      for (int32_t i : users[web]) note(i);
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
      if ((choice.forward_only() || uses_t(choice)) && c > 0) continue;
      out.choice[static_cast<size_t>(w)] = static_cast<int16_t>(c);
      int64_t cost = choice_cost(web, choice);
      for (int32_t i : users[static_cast<size_t>(w)])
        if (!operands_fit(model, model.insns[static_cast<size_t>(i)], out.choice)) cost += 100;
      for (int b = 0; b < choice.count; ++b) {
        const int bank = choice.bank[static_cast<size_t>(b)];
        const int64_t over = load[static_cast<size_t>(bank)] + web.rows - bank_capacity(machine, bank);
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

}  // namespace kumihimo::mncore2::sched
