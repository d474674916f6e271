#include "targets/mncore2/sched/list.h"

#include <algorithm>
#include <cassert>

#include "targets/mncore2/sched/tree_rules.h"

namespace kumihimo::mncore2::sched {

using isa::Unit;

namespace {

constexpr int kPatience = 12;  // empty steps after which a ready instruction is taken for unplaceable
constexpr int32_t kNever = INT32_MAX / 2;

constexpr bool is_mau(Unit u) { return u == Unit::kMauCalc || u == Unit::kMauWrite || u == Unit::kMauRead; }

}  // namespace

ListScheduler::ListScheduler(const Model& model, const MachineConfig& machine, const ListOptions& options)
    : model_(model), machine_(machine), sequential_(options.sequential), lm_steps_(lm_steps()) {
  for (int a = 0; a < kNumTreePorts; ++a)
    for (int b = 0; b < kNumTreePorts; ++b)
      port_steps_[static_cast<size_t>(a)][static_cast<size_t>(b)] =
          static_cast<int8_t>(tree_port_steps(static_cast<TreePort>(a), static_cast<TreePort>(b)));
  web_srcs_.resize(model.webs.size());
  for (size_t k = 0; k < model.srcs.size(); ++k)
    web_srcs_[static_cast<size_t>(model.srcs[k].web)].push_back(static_cast<int32_t>(k));
  const size_t n = model.insns.size();
  group_.resize(n);
  offset_.resize(n);
  members_.resize(n);
  choice_.resize(model.webs.size());
  conflicts_.resize(model.webs.size());
  trial_place_.resize(model.srcs.size());
  rank_depth_first();

  prepare_gates(options.gate_percent);
}

void ListScheduler::reserve_steps(int32_t t) {
  while (static_cast<int32_t>(steps_.size()) <= t) steps_.emplace_back();
}

bool ListScheduler::tree_ports_free(TreePort port, int32_t t) const {
  for (int32_t d = 1; d <= 2; ++d) {
    for (int q = 1; q < kNumTreePorts; ++q) {
      const size_t a = static_cast<size_t>(q), b = static_cast<size_t>(port);
      if (t - d >= 0 && (steps_[static_cast<size_t>(t - d)].tree_ports >> q & 1) && port_steps_[a][b] > d) return false;
      if (t + d < static_cast<int32_t>(steps_.size()) && (steps_[static_cast<size_t>(t + d)].tree_ports >> q & 1) &&
          port_steps_[b][a] > d)
        return false;
    }
  }
  return true;
}

// Chooses latch or bank for source k and those after it.
bool ListScheduler::place_sources(int32_t insn, int32_t t, int32_t k, Step& step) {
  const InsnModel& m = model_.insns[static_cast<size_t>(insn)];
  if (k == m.first_src + m.num_srcs) return true;
  const SrcModel& s = model_.srcs[static_cast<size_t>(k)];
  const Choice& choice = *choice_[static_cast<size_t>(s.web)];

  auto slot2_fits = [&](int64_t source, Step& trial) {
    if (!s.second_slot) return true;
    const int64_t key = source << 8 | s.modifiers;
    int64_t& mine = m.unit == Unit::kMauWrite ? trial.write_slot2 : trial.calc_slot2;
    const int64_t other = m.unit == Unit::kMauWrite ? trial.calc_slot2 : trial.write_slot2;
    if (other >= 0 && other != key) return false;
    mine = key;
    return true;
  };

  if (s.forward_def >= 0 && !sequential_ && timing_.step[static_cast<size_t>(s.forward_def)] == t - 1) {
    const Step saved = step;
    const int64_t latch = 64 + static_cast<int64_t>(model_.insns[static_cast<size_t>(s.forward_def)].unit);
    if (slot2_fits(latch, step)) {
      trial_place_[static_cast<size_t>(k)] = kFromLatch;
      if (place_sources(insn, t, k + 1, step)) return true;
    }
    step = saved;
  }
  bool port_conflict = false;
  for (int c = 0; c < choice.count; ++c) {
    const int bank = choice.bank[static_cast<size_t>(c)];
    const size_t b = static_cast<size_t>(bank);
    const int32_t pattern = bank == bank_index(Bank::kT) ? s.web + model_.num_patterns : s.pattern;
    bool late = false;
    for (int32_t d = s.first_def; d < s.first_def + s.num_defs && !late; ++d) {
      const ReachingDef& def = model_.defs[static_cast<size_t>(d)];
      late = t - timing_.step[static_cast<size_t>(def.insn)] < bank_steps(bank, def.grf_steps);
    }
    if (late) continue;
    port_conflict = true;
    if (step.read[b] >= 0 && step.read[b] != pattern) continue;
    if (is_lm(bank)) {
      if (step.write[b] >= 0 && step.write[b] != pattern) continue;
      if (bank == bank_index(Bank::kLm0) && step.imm) continue;
      bool busy = false;  // a write in the steps before holds the port
      for (int32_t u = std::max(0, t - lm_steps_ + 1); u < t; ++u)
        busy = busy || steps_[static_cast<size_t>(u)].write[b] >= 0;
      if (busy) continue;
    }
    const Step saved = step;
    if (slot2_fits(static_cast<int64_t>(pattern) * 8 * 64 + bank * 64, step)) {
      step.read[b] = pattern;
      trial_place_[static_cast<size_t>(k)] = static_cast<int8_t>(bank);
      if (place_sources(insn, t, k + 1, step)) return true;
    }
    step = saved;
  }
  if (port_conflict) ++conflicts_[static_cast<size_t>(s.web)];
  return false;
}

bool ListScheduler::place(int32_t insn, int32_t t) {
  const InsnModel& m = model_.insns[static_cast<size_t>(insn)];
  Step step = steps_[static_cast<size_t>(t)];
  const uint16_t unit_bit = static_cast<uint16_t>(1u << static_cast<unsigned>(m.unit));
  if (step.units & unit_bit) return false;
  if (is_mau(m.unit)) {
    if (step.mau_count >= 2 || (step.mau_count == 1 && step.mau_prec != m.prec)) return false;
    ++step.mau_count;
    step.mau_prec = m.prec;
  }
  if (step.sides & m.sides) return false;
  if (m.tree_port != TreePort::kNone && !gates_open(insn, t)) return false;
  if (m.mask_key >= 0) {
    if (step.mask_key >= 0 && step.mask_key != m.mask_key) return false;
    step.mask_key = m.mask_key;
  }
  if (m.writes_flags && step.flags) return false;
  step.flags = step.flags || m.writes_flags;
  if (m.is_imm && (step.read[0] >= 0 || step.write[0] >= 0)) return false;
  if (m.tree_port != TreePort::kNone && !tree_ports_free(m.tree_port, t)) return false;
  step.units |= unit_bit;
  step.sides |= m.sides;
  step.imm = step.imm || m.is_imm;
  step.tree_ports = static_cast<uint8_t>(step.tree_ports | 1u << static_cast<unsigned>(m.tree_port));

  for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) {
    const DstModel& d = model_.dsts[static_cast<size_t>(k)];
    const Choice& choice = *choice_[static_cast<size_t>(d.web)];
    for (int c = 0; c < choice.count; ++c) {
      const int bank = choice.bank[static_cast<size_t>(c)];
      const size_t b = static_cast<size_t>(bank);
      const int32_t pattern = bank == bank_index(Bank::kT) ? d.web + model_.num_patterns : d.pattern;
      bool conflict = step.write[b] >= 0;
      if (is_lm(bank)) {
        conflict =
            conflict || (step.read[b] >= 0 && step.read[b] != pattern) || (bank == bank_index(Bank::kLm0) && step.imm);
        for (int32_t u = t + 1; u < t + lm_steps_ && u < static_cast<int32_t>(steps_.size()); ++u)
          conflict = conflict || steps_[static_cast<size_t>(u)].read[b] >= 0;
      }
      if (conflict) {
        ++conflicts_[static_cast<size_t>(d.web)];
        return false;
      }
      step.write[b] = pattern;
    }
  }
  if (!place_sources(insn, t, m.first_src, step)) return false;
  steps_[static_cast<size_t>(t)] = step;
  timing_.step[static_cast<size_t>(insn)] = t;
  for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k)
    timing_.src_place[static_cast<size_t>(k)] = trial_place_[static_cast<size_t>(k)];
  return true;
}

bool ListScheduler::place_group(int32_t root, int32_t t) {
  const auto& members = members_[static_cast<size_t>(root)];
  if (members.empty()) {
    if (!place(root, t)) return false;
    settle(root);
    return true;
  }
  const int32_t span = offset_[static_cast<size_t>(members.back())];
  reserve_steps(t + span);
  const std::vector<Step> saved(steps_.begin() + t, steps_.begin() + t + span + 1);
  for (size_t k = 0; k < members.size(); ++k) {
    const int32_t m = members[k];
    if (place(m, t + offset_[static_cast<size_t>(m)])) continue;
    for (size_t j = 0; j < k; ++j) timing_.step[static_cast<size_t>(members[j])] = kNever;
    std::copy(saved.begin(), saved.end(), steps_.begin() + t);
    return false;
  }
  for (int32_t m : members) settle(m);
  return true;
}

void ListScheduler::release(int32_t insn, int32_t earliest) {
  const size_t root = static_cast<size_t>(group_[static_cast<size_t>(insn)]);
  earliest_[root] = std::max(earliest_[root], earliest - offset_[static_cast<size_t>(insn)]);
  if (--pending_[root] > 0) return;
  auto& list = model_.insns[root].is_mv ? ready_mvs_ : ready_;
  const int32_t id = static_cast<int32_t>(root);
  const auto before = [&](int32_t a, int32_t b) {
    return std::make_pair(-priority_[static_cast<size_t>(a)], a) <
           std::make_pair(-priority_[static_cast<size_t>(b)], b);
  };
  list.insert(std::upper_bound(list.begin(), list.end(), id, before), id);
  if (!model_.insns[root].is_mv) fresh_.push_back(id);
}

// A PE instruction has its step: successors learn of it.
void ListScheduler::settle(int32_t insn) {
  ++placed_;
  timing_.sum_of_steps += timing_.step[static_cast<size_t>(insn)];
  enter_gates(insn);
  leave_gates(insn, timing_.step[static_cast<size_t>(insn)]);
  const InsnModel& m = model_.insns[static_cast<size_t>(insn)];
  const int32_t group = group_[static_cast<size_t>(insn)];
  for (int32_t e = m.first_edge; e < m.first_edge + m.num_edges; ++e) {
    const Edge& edge = model_.edges[static_cast<size_t>(e)];
    if (group_[static_cast<size_t>(edge.succ)] != group)
      release(edge.succ, timing_.step[static_cast<size_t>(insn)] + edge_steps(edge));
  }
}

// Issues at most one MV before step t. The stream holds one MV word per `pe_words_per_mv` PE words.
void ListScheduler::issue_mv(int32_t t, int64_t clock) {
  if (free_tags_.empty()) return;
  if (last_mv_step_ >= 0 && t - last_mv_step_ < machine_.pe_words_per_mv) return;
  for (size_t k = 0; k < ready_mvs_.size(); ++k) {
    const int32_t i = ready_mvs_[k];
    if (earliest_[static_cast<size_t>(i)] > t || (sequential_ && i != next_) || !gates_open(i, t)) continue;
    enter_gates(i);
    const InsnModel& m = model_.insns[static_cast<size_t>(i)];
    int64_t start = clock;
    for (size_t p = 0; p < port_free_.size(); ++p)
      if (m.ports >> p & 1) start = std::max(start, port_free_[p]);
    const int64_t end = start + m.port_cycles;
    for (size_t p = 0; p < port_free_.size(); ++p)
      if (m.ports >> p & 1) port_free_[p] = end;
    timing_.step[static_cast<size_t>(i)] = t;
    timing_.tag[static_cast<size_t>(i)] = free_tags_.back();
    free_tags_.pop_back();
    done_cycle_[static_cast<size_t>(i)] = end + m.latency_cycles;
    last_mv_step_ = t;
    ready_mvs_.erase(ready_mvs_.begin() + static_cast<std::ptrdiff_t>(k));
    in_flight_.push_back(i);
    ++placed_;
    return;
  }
}

// Places what fits into step t, by priority; instructions that become ready for this very step get their turn after
// the others.
bool ListScheduler::fill_step(int32_t t) {
  bool placed_any = false;
  trial_.clear();
  for (int32_t root : ready_)
    if (earliest_[static_cast<size_t>(root)] <= t && (!sequential_ || root == next_)) trial_.push_back(root);
  while (!trial_.empty()) {
    fresh_.clear();
    for (int32_t root : trial_) {
      if (!place_group(root, t)) continue;
      ready_.erase(std::find(ready_.begin(), ready_.end(), root));
      placed_any = true;
      if (sequential_) return ++next_, true;
    }
    trial_.clear();
    for (int32_t root : fresh_)
      if (earliest_[static_cast<size_t>(root)] <= t) trial_.push_back(root);
  }
  return placed_any;
}

const Timing& ListScheduler::run(const Assignment& assignment) {
  const size_t n = model_.insns.size();
  timing_.complete = false;
  timing_.unscheduled = static_cast<int32_t>(n);
  timing_.num_steps = 0;
  timing_.cycles = timing_.stall_cycles = timing_.sum_of_steps = 0;
  timing_.step.assign(n, kNever);
  timing_.wait_step.assign(n, -1);
  timing_.tag.assign(n, 0);
  timing_.src_place.assign(model_.srcs.size(), kFromLatch);
  std::fill(conflicts_.begin(), conflicts_.end(), 0);
  if (!build_groups(assignment)) return timing_;
  compute_priorities(assignment);

  steps_.clear();
  reserve_steps(8);
  pending_.assign(n, 0);
  earliest_.assign(n, 0);
  ready_.clear();
  ready_mvs_.clear();
  done_cycle_.assign(n, 0);
  port_free_.fill(0);
  free_tags_.clear();
  for (int64_t tag = machine_.wait_tags; tag >= 1; --tag) free_tags_.push_back(static_cast<uint8_t>(tag));
  last_mv_step_ = -1;
  placed_ = 0;
  buf_left_ = buf_total_;
  buf_open_.assign(buf_open_.size(), false);
  for (Gate& gate : gates_) {
    gate.live = 0;
    gate.next = 0;
    gate.leaving.clear();
  }
  next_ = 0;
  for (const Edge& e : model_.edges)
    if (group_[static_cast<size_t>(e.pred)] != group_[static_cast<size_t>(e.succ)])
      ++pending_[static_cast<size_t>(group_[static_cast<size_t>(e.succ)])];
  for (size_t i = 0; i < n; ++i) {
    if (group_[i] != static_cast<int32_t>(i) || pending_[i] != 0) continue;
    ++pending_[i];
    release(static_cast<int32_t>(i), 0);
  }

  in_flight_.clear();
  int64_t clock = 0;
  int idle = 0;
  int32_t t = 0;
  for (;; ++t) {
    reserve_steps(t + 4);
    issue_mv(t, clock);
    const bool placed_here = fill_step(t);

    // One wait per step. Done MVs cost nothing; otherwise stall only when nothing else can move.
    int32_t chosen = -1;
    const bool more_to_issue =
        !free_tags_.empty() && !sequential_ && std::any_of(ready_mvs_.begin(), ready_mvs_.end(), [&](int32_t i) {
          return earliest_[static_cast<size_t>(i)] <= t + 1 && gates_open(i, t + 1);
        });
    const bool step_used = placed_here || steps_[static_cast<size_t>(t)].units != 0;
    idle = step_used ? 0 : idle + 1;
    const bool blocked =
        !step_used && (ready_.empty() || idle > kPatience || sequential_) && (!more_to_issue || idle > kPatience);
    for (int32_t i : in_flight_) {
      if (done_cycle_[static_cast<size_t>(i)] > clock && !blocked) continue;
      if (chosen >= 0) {
        const bool done_a = done_cycle_[static_cast<size_t>(i)] <= clock,
                   done_b = done_cycle_[static_cast<size_t>(chosen)] <= clock;
        const auto key = [&](int32_t x, bool done) {
          return std::make_tuple(
              !done,
              done ? -static_cast<int64_t>(priority_[static_cast<size_t>(x)]) : done_cycle_[static_cast<size_t>(x)], x);
        };
        if (key(chosen, done_b) < key(i, done_a)) continue;
      }
      chosen = i;
    }
    if (chosen >= 0) {
      const int64_t stall = std::max<int64_t>(0, done_cycle_[static_cast<size_t>(chosen)] - clock);
      clock += stall;
      timing_.stall_cycles += stall;
      timing_.wait_step[static_cast<size_t>(chosen)] = t;
      free_tags_.push_back(timing_.tag[static_cast<size_t>(chosen)]);
      leave_gates(chosen, t);
      in_flight_.erase(std::find(in_flight_.begin(), in_flight_.end(), chosen));
      const InsnModel& m = model_.insns[static_cast<size_t>(chosen)];
      for (int32_t e = m.first_edge; e < m.first_edge + m.num_edges; ++e)
        release(model_.edges[static_cast<size_t>(e)].succ, t + 1);
      if (sequential_ && next_ == chosen) ++next_;
      idle = 0;
    }
    clock += 4;
    if (placed_ == static_cast<int32_t>(n) && in_flight_.empty()) break;
    if (chosen < 0 && idle > 2 * kPatience) {
      timing_.unscheduled = static_cast<int32_t>(n) - placed_;
      return timing_;
    }
  }
  // Groups may have reserved steps behind the last placement.
  for (size_t i = 0; i < n; ++i)
    if (!model_.insns[i].is_mv && timing_.step[i] > t) {
      clock += 4 * static_cast<int64_t>(timing_.step[i] - t);
      t = timing_.step[i];
    }
  timing_.complete = true;
  timing_.unscheduled = 0;
  timing_.num_steps = t + 1;
  timing_.cycles = clock;
  return timing_;
}

}  // namespace kumihimo::mncore2::sched
