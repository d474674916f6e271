// Executes decoded steps on the state, unit by unit.
//
// Between two instructions through which an L2B's children meet (L1BM -> L2BM), every L1B runs alone; inside an L1B,
// between two instructions that change its L1BM (PE -> L1BM, L2BM -> L1BM), every MAB runs alone. L1BM -> PE only reads,
// so it is part of the MAB's own run. Inside a step the parts are ordered so that everybody reads before anybody
// writes: L1BM -> L2BM takes the L1BMs as they were; each MAB computes all units, then stores; then PE -> L1BM and
// L2BM -> L1BM change the L1BM.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "targets/mncore2/emu/pool.h"
#include "targets/mncore2/emu/segments.h"
#include "targets/mncore2/emu/strict.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

class Engine {
 public:
  Engine(const MachineState& state, const num::Switches& switches, int threads, fast::Path path);

  // Gives decoded instructions the kernels of the path.
  void choose_kernels(std::deque<Op>& ops) const;

  // Runs steps that stand between MVs and debug statements. False when `interrupt` asked to stop.
  bool run(std::span<const StepPlan> steps, Order order, const std::function<bool()>& interrupt);
  void mv(const Op& op);

  // Polls `interrupt` if 10 ms have passed since the last time.
  bool interrupted(const std::function<bool()>& interrupt);

  // Worker 0's log also takes findings made outside of steps. Null unless strict.
  FindingLog* log() { return state_.strict() ? &workers_[0]->log : nullptr; }
  void collect_findings(FindingLog& into);

 private:
  struct Worker {
    StepContext c;
    FindingLog log;
    Beat gathered[kMabs];
    BeatDef gathered_def[kMabs];
    uint8_t flags[kLatches][4][4];
    uint8_t flags_def[kLatches][4][4];
  };
  void upload(Worker& w, int l2b, const StepPlan& step);
  void meet(Worker& w, const StepPlan& step);
  // With kernels: micro-operations. Without: the semantic functions themselves, step by step.
  void run_segments(Worker& w, int l2b, Segments& segments);
  void run_uops(Worker& w, int m, Stretch& stretch, Segments& segments);
  void run_l2b(Worker& w, int l2b, std::span<const StepPlan> steps);
  void run_l1b(Worker& w, int l2b, int b, std::span<const StepPlan> steps);
  void run_mab(Worker& w, int m, std::span<const StepPlan> steps);
  void mab_step(Worker& w, const StepPlan& step);
  void unit(Worker& w, const Op& op);
  void place_l1b(Worker& w, int l2b, int b);
  bool stopped(Worker& w);

  const MachineState& state_;
  const fast::KernelSet* kernels_;  // null: semantic functions alone
  Pool pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> stop_{false};
  const std::function<bool()>* interrupt_ = nullptr;
  int64_t next_poll_ns_ = 0;
};

}  // namespace kumihimo::mncore2::emu
