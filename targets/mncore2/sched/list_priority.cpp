// What the list scheduler knows before it places anything: groups tied by forwarding, and priorities.
#include <algorithm>

#include "targets/mncore2/sched/list.h"

namespace kumihimo::mncore2::sched {

// A topological order that finishes one strand before it begins the next: depth-first from the sinks, each instruction
// after the ones it needs.
void ListScheduler::rank_depth_first() {
  const size_t n = model_.insns.size();
  std::vector<std::vector<int32_t>> preds(n);
  std::vector<bool> is_sink(n, true), seen(n, false);
  for (const Edge& e : model_.edges) {
    preds[static_cast<size_t>(e.succ)].push_back(e.pred);
    is_sink[static_cast<size_t>(e.pred)] = false;
  }
  rank_.assign(n, 0);
  int32_t next = 0;
  std::vector<std::pair<int32_t, size_t>> stack;
  for (size_t sink = 0; sink < n; ++sink) {
    if (!is_sink[sink]) continue;
    stack.assign(1, {static_cast<int32_t>(sink), 0});
    seen[sink] = true;
    while (!stack.empty()) {
      auto& [insn, k] = stack.back();
      const auto& p = preds[static_cast<size_t>(insn)];
      if (k == p.size()) {
        rank_[static_cast<size_t>(insn)] = next++;
        stack.pop_back();
        continue;
      }
      const int32_t pred = p[k++];
      if (seen[static_cast<size_t>(pred)]) continue;
      seen[static_cast<size_t>(pred)] = true;
      stack.emplace_back(pred, 0);
    }
  }
}

// Ties producers and consumers of forward-only webs: offset_ is the distance to the group's first instruction.
bool ListScheduler::build_groups(const Assignment& assignment) {
  const int32_t n = static_cast<int32_t>(model_.insns.size());
  for (int32_t i = 0; i < n; ++i) group_[static_cast<size_t>(i)] = i, offset_[static_cast<size_t>(i)] = 0;
  for (int32_t root : grouped_roots_) members_[static_cast<size_t>(root)].clear();
  grouped_roots_.clear();
  for (size_t w = 0; w < model_.webs.size(); ++w) {
    choice_[w] = &model_.webs[w].choices[static_cast<size_t>(assignment.choice[w])];
    if (!choice_[w]->forward_only()) continue;
    for (int32_t k : web_srcs_[w]) {
      const int32_t def = model_.srcs[static_cast<size_t>(k)].forward_def;
      // The reader of source k: sources are stored in instruction order.
      const auto it = std::upper_bound(model_.insns.begin(), model_.insns.end(), k,
                                       [](int32_t key, const InsnModel& m) { return key < m.first_src; });
      int32_t reader = static_cast<int32_t>(it - model_.insns.begin()) - 1;
      while (model_.insns[static_cast<size_t>(reader)].num_srcs == 0) --reader;
      const int32_t a = group_[static_cast<size_t>(def)], b = group_[static_cast<size_t>(reader)];
      const int32_t shift = offset_[static_cast<size_t>(def)] + 1 - offset_[static_cast<size_t>(reader)];
      if (a == b) {
        if (shift != 0) return false;
        continue;
      }
      auto& into = members_[static_cast<size_t>(a)];
      auto& from = members_[static_cast<size_t>(b)];
      if (into.empty()) into.push_back(a), grouped_roots_.push_back(a);
      if (from.empty()) from.push_back(b);
      for (int32_t m : from)
        group_[static_cast<size_t>(m)] = a, offset_[static_cast<size_t>(m)] += shift, into.push_back(m);
      from.clear();
    }
  }
  for (int32_t root : grouped_roots_) {
    auto& members = members_[static_cast<size_t>(root)];
    if (members.empty()) continue;
    int32_t first = 0;
    for (int32_t m : members) first = std::min(first, offset_[static_cast<size_t>(m)]);
    for (int32_t m : members) offset_[static_cast<size_t>(m)] -= first;
    std::sort(members.begin(), members.end(), [&](int32_t a, int32_t b) {
      return std::make_pair(offset_[static_cast<size_t>(a)], a) < std::make_pair(offset_[static_cast<size_t>(b)], b);
    });
    for (int32_t m : members) {
      const InsnModel& insn = model_.insns[static_cast<size_t>(m)];
      for (int32_t e = insn.first_edge; e < insn.first_edge + insn.num_edges; ++e) {
        const Edge& edge = model_.edges[static_cast<size_t>(e)];
        if (group_[static_cast<size_t>(edge.succ)] != root) continue;
        if (offset_[static_cast<size_t>(edge.succ)] - offset_[static_cast<size_t>(m)] < edge_steps(edge)) return false;
      }
    }
  }
  return true;
}

// Least distance that the assignment allows.
int ListScheduler::edge_steps(const Edge& edge) const {
  if (edge.kind != EdgeKind::kRegister) return edge.steps;
  const Choice& choice = *choice_[static_cast<size_t>(edge.web)];
  if (choice.forward_only() || (edge.forwardable && !sequential_)) return 1;
  int steps = bank_steps(choice.bank[0], edge.steps);
  for (int c = 1; c < choice.count; ++c)
    steps = std::min(steps, bank_steps(choice.bank[static_cast<size_t>(c)], edge.steps));
  return steps;
}

void ListScheduler::compute_priorities(const Assignment& assignment) {
  const size_t n = model_.insns.size();
  length_.assign(n, 0);
  // Edges go forward in program order, so one walk backwards suffices.
  for (size_t i = n; i-- > 0;) {
    const InsnModel& m = model_.insns[i];
    int32_t length = 0;
    for (int32_t e = m.first_edge; e < m.first_edge + m.num_edges; ++e) {
      const Edge& edge = model_.edges[static_cast<size_t>(e)];
      length = std::max(
          length, length_[static_cast<size_t>(edge.succ)] + (edge.kind == EdgeKind::kWait ? 1 : edge_steps(edge)));
    }
    if (m.is_mv) length += (m.port_cycles + m.latency_cycles + 3) / 4;
    length_[i] = length;
  }
  // Path length alone runs equal strands in lockstep, so that one unit works at a time; the depth-first rank sets them
  // one behind the other.
  const int32_t stagger = kStaggers[static_cast<size_t>(assignment.stagger)];
  priority_.assign(n, INT32_MIN);
  for (size_t i = 0; i < n; ++i) {
    int32_t& p = priority_[static_cast<size_t>(group_[i])];
    p = std::max(p,
                 16 * (length_[i] + offset_[i] + assignment.bias[i]) + stagger * (static_cast<int32_t>(n) - rank_[i]));
  }
}

}  // namespace kumihimo::mncore2::sched
