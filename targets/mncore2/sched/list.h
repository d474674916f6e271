// List scheduler: times for one assignment of webs to banks.
//
// It fills one step after the other. In each it takes the ready instructions by priority and places those that fit
// the issue groups, ports and hazards of the step. Priority is the length of the longest dependence path behind an
// instruction, a weighted depth-first rank, and the assignment's nudge. An instruction whose source was computed in the
// step before takes it from the latch; webs of the forward-only choice tie producer and consumers into a group that is
// placed as one. MVs are issued between steps, as early as dependences, room in the tree memories and stream packing
// allow, by the same priority. A wait stands in the first step that begins after its MV is done; when nothing but
// waiting is left to do, the next wait stalls.
//
// What it cannot do: it never undoes a placement, and it knows register pressure only as a sum (search.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "targets/mncore2/sched/model.h"

namespace kumihimo::mncore2::sched {

// Weights of the depth-first rank against the path length (in sixteenths of a step per instruction).
inline constexpr std::array<int32_t, 6> kStaggers{0, 1, 4, 16, 64, 1024};

struct Assignment {
  std::vector<int16_t> choice;  // per web: index in Web::choices
  std::vector<int32_t> bias;    // per instruction: steps added to its priority
  int32_t stagger = 0;          // index in kStaggers
};

inline constexpr int8_t kFromLatch = -1;

struct ListOptions {
  bool sequential = false;  // one instruction after the other, no forwarding
  // A tree memory whose buffers do not fit all at once is gated: a buffer is begun, in program order, only when
  // the sum of live buffers leaves room for it. Percent of the capacity that may be in use; 0 = no gates.
  int32_t gate_percent = 100;
};

struct Timing {
  bool complete = false;
  int32_t unscheduled = 0;
  int32_t num_steps = 0;
  int64_t cycles = 0, stall_cycles = 0;
  int64_t sum_of_steps = 0;        // over instructions: a finer measure than num_steps
  std::vector<int32_t> step;       // per instruction
  std::vector<int32_t> wait_step;  // per instruction; -1
  std::vector<uint8_t> tag;        // per instruction; 0
  std::vector<int8_t> src_place;   // per SrcModel: bank, or kFromLatch
};

class ListScheduler {
 public:
  ListScheduler(const Model& model, const MachineConfig& machine, const ListOptions& options);
  const Timing& run(const Assignment& assignment);
  // How often a web was in the way of a placement in the last run.
  const std::vector<int32_t>& conflicts() const { return conflicts_; }

 private:
  // What one step has used so far.
  struct Step {
    uint16_t units = 0;
    uint8_t sides = 0, tree_ports = 0, mau_count = 0;
    bool imm = false, flags = false;
    isa::Prec mau_prec = isa::Prec::kNone;
    int16_t mask_key = -1;
    int64_t calc_slot2 = -1, write_slot2 = -1;
    std::array<int32_t, kNumBanks> read{-1, -1, -1, -1, -1}, write{-1, -1, -1, -1, -1};
  };

  bool build_groups(const Assignment& assignment);
  void compute_priorities(const Assignment& assignment);
  void rank_depth_first();
  int edge_steps(const Edge& edge) const;
  int bank_steps(int bank, int grf_steps) const { return is_lm(bank) ? lm_steps_ : grf_steps; }
  bool place_group(int32_t group, int32_t t);
  bool place(int32_t insn, int32_t t);
  bool place_sources(int32_t insn, int32_t t, int32_t k, Step& step);
  bool tree_ports_free(TreePort port, int32_t t) const;
  void settle(int32_t insn);
  void prepare_gates(int32_t gate_percent);
  bool gates_open(int32_t insn, int32_t t);
  void enter_gates(int32_t insn);
  void leave_gates(int32_t insn, int32_t t);
  void release(int32_t insn, int32_t earliest);
  void reserve_steps(int32_t t);
  void issue_mv(int32_t t, int64_t clock);
  bool fill_step(int32_t t);

  const Model& model_;
  const MachineConfig& machine_;
  const bool sequential_;
  const int32_t lm_steps_;  // from a write to an LM to any read of it
  std::array<std::array<int8_t, kNumTreePorts>, kNumTreePorts> port_steps_{};
  std::vector<std::vector<int32_t>> web_srcs_;
  std::vector<int32_t> rank_;  // per instruction: position in a depth-first order from the last results

  // One run.
  // Tree memories that need a gate.
  struct Gate {
    bool active = false;
    int64_t room = 0, live = 0;
    std::vector<int32_t> order;                        // buffers by first access
    size_t next = 0;                                   // the one that may be begun
    std::vector<std::pair<int32_t, int64_t>> leaving;  // step from which the words are free
  };
  std::array<Gate, 2> gates_;                             // L1BM, L2BM
  std::vector<int32_t> buf_gate_, buf_left_, buf_total_;  // per buffer: gate or -1; accesses still to come; all
  std::vector<bool> buf_open_;

  Timing timing_;
  std::vector<const Choice*> choice_;
  std::vector<Step> steps_;
  std::vector<int32_t> group_, offset_;        // per instruction
  std::vector<std::vector<int32_t>> members_;  // per group root with several members, by offset
  std::vector<int32_t> grouped_roots_;
  std::vector<int32_t> pending_, earliest_, priority_, length_;
  std::vector<int32_t> ready_, ready_mvs_;  // by priority
  std::vector<int32_t> trial_, fresh_;      // tried in this step; became ready during it
  std::vector<int32_t> in_flight_;          // MVs issued and not waited for
  std::vector<int64_t> done_cycle_;
  std::vector<uint8_t> free_tags_;
  std::array<int64_t, 16> port_free_{};
  std::vector<int32_t> conflicts_;
  int32_t last_mv_step_ = -1, placed_ = 0, next_ = 0;
  std::vector<int8_t> trial_place_;
};

}  // namespace kumihimo::mncore2::sched
