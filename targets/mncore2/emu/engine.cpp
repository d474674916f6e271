#include "targets/mncore2/emu/engine.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/sem/operands.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

// Most steps that are prepared before they run.
constexpr size_t kWindowSteps = 8192;
// Longest run of one unit: bounds the time between two polls, and keeps the plans in the host's cache.
constexpr size_t kSegmentSteps = 256;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Engine::Engine(const MachineState& state, const num::Switches& switches, int threads, fast::Path path)
    : state_(state),
      // Kernels know neither definedness nor other choices than the usual ones.
      kernels_(state.strict() || switches != num::kDefaultSwitches ? nullptr : fast::kernels_of(fast::resolve(path))),
      pool_(threads) {
  for (int i = 0; i < pool_.threads(); ++i) {
    auto w = std::make_unique<Worker>();
    w->c.machine = &state;
    w->c.switches = &switches;
    if (state.strict()) w->c.findings = &w->log;
    workers_.push_back(std::move(w));
  }
}

void Engine::choose_kernels(std::deque<Op>& ops) const {
  if (kernels_ == nullptr) return;
  for (Op& op : ops) switch (op.insn->def->unit) {
      case isa::Unit::kMauCalc:
      case isa::Unit::kMauWrite:
      case isa::Unit::kMauRead: op.kernel = kernels_->mau(op); break;
      case isa::Unit::kAlu: op.kernel = kernels_->alu(op); break;
      case isa::Unit::kL1bm:
      case isa::Unit::kL2bm:
      case isa::Unit::kMv:
        if (const isa::SemFn f = kernels_->tree(op)) op.sem = f;
        break;
      default: break;
    }
}

void Engine::collect_findings(FindingLog& into) {
  for (auto& w : workers_) {
    into.merge(w->log);
    w->log.clear();
  }
}

bool Engine::interrupted(const std::function<bool()>& interrupt) {
  if (!interrupt) return false;
  const int64_t now = now_ns();
  if (now < next_poll_ns_) return false;
  next_poll_ns_ = now + 10'000'000;
  return interrupt();
}

// Only the calling thread (worker 0) polls.
bool Engine::stopped(Worker& w) {
  if (&w == workers_[0].get() && interrupted(*interrupt_)) stop_ = true;
  return stop_.load(std::memory_order_relaxed);
}

bool Engine::run(std::span<const StepPlan> steps, Order order, const std::function<bool()>& interrupt) {
  stop_ = false;
  interrupt_ = &interrupt;
  const size_t longest = order == Order::kSteps ? 1 : kernels_ != nullptr ? kWindowSteps : kSegmentSteps;
  while (!steps.empty() && !stop_) {
    const auto part = steps.first(std::min(longest, steps.size()));
    if (kernels_ != nullptr) {
      std::array<uint8_t, kLatches> now;
      std::copy_n(state_.mabs[0].latch_now, kLatches, now.begin());
      Segments segments(part, *kernels_, now);
      pool_.run(state_.l2bs(),
                [&](int worker, int l2b) { run_segments(*workers_[static_cast<size_t>(worker)], l2b, segments); });
    } else {
      pool_.run(state_.l2bs(),
                [&](int worker, int l2b) { run_l2b(*workers_[static_cast<size_t>(worker)], l2b, part); });
    }
    steps = steps.subspan(part.size());
  }
  return !stop_;
}

void Engine::mv(const Op& op) {
  StepContext& c = workers_[0]->c;
  c.step = nullptr;
  c.op = &op;
  c.where = {};
  op.sem(c, *op.insn);
}

void Engine::run_l2b(Worker& w, int l2b, std::span<const StepPlan> steps) {
  size_t i = 0;
  while (i < steps.size()) {
    size_t j = i;
    while (j < steps.size() && !steps[j].meets_in_l2b()) ++j;
    if (j > i)
      for (int b = 0; b < state_.l1bs_per_l2b; ++b) run_l1b(w, l2b, b, steps.subspan(i, j - i));
    if (j == steps.size() || stop_.load(std::memory_order_relaxed)) return;
    const StepPlan& step = steps[j];
    upload(w, l2b, step);
    for (int b = 0; b < state_.l1bs_per_l2b; ++b) run_l1b(w, l2b, b, steps.subspan(j, 1));
    i = j + 1;
  }
}

void Engine::upload(Worker& w, int l2b, const StepPlan& step) {
  StepContext& c = w.c;
  place_l1b(w, l2b, 0);
  c.where = {l2b / state_.l2bs_per_group, l2b % state_.l2bs_per_group, 0, 0, 0};
  c.step = &step;
  c.op = step.upload;
  c.op->sem(c, *c.op->insn);
}

void Engine::place_l1b(Worker& w, int l2b, int b) {
  StepContext& c = w.c;
  const int l1b = l2b * state_.l1bs_per_l2b + b;
  c.where = {l2b / state_.l2bs_per_group, l2b % state_.l2bs_per_group, b, 0, 0};
  c.l2bm = state_.l2bms + l2b;
  c.l1bms = state_.l1bms + l2b * state_.l1bs_per_l2b;
  c.l1b_count = state_.l1bs_per_l2b;
  c.l1bm = state_.l1bms + l1b;
  if (!c.strict()) return;
  c.l2bm_def = state_.l2bm_defs + l2b;
  c.l1bm_defs = state_.l1bm_defs + l2b * state_.l1bs_per_l2b;
  c.l1bm_def = state_.l1bm_defs + l1b;
}

void Engine::run_l1b(Worker& w, int l2b, int b, std::span<const StepPlan> steps) {
  place_l1b(w, l2b, b);
  size_t i = 0;
  while (i < steps.size()) {
    size_t j = i;
    while (j < steps.size() && !steps[j].meets_in_l1b()) ++j;
    const bool meets = j < steps.size();
    // MABs run alone up to and including the step in which they meet: what they send is kept until all have sent it.
    const auto part = steps.subspan(i, j - i + (meets ? 1 : 0));
    for (int m = 0; m < kMabs; ++m) {
      if (stopped(w)) return;
      run_mab(w, m, part);
    }
    if (!meets) return;
    meet(w, steps[j]);
    i = j + 1;
  }
}

// The part of a step in which the MABs of the L1B meet.
void Engine::meet(Worker& w, const StepPlan& step) {
  StepContext& c = w.c;
  c.where.m = 0;
  c.step = &step;
  c.gathered = w.gathered;
  c.gathered_def = w.gathered_def;
  for (const Op* op : {step.collect, step.download})
    if (op != nullptr) {
      c.op = op;
      op->sem(c, *op->insn);
    }
}

// The same order as run_l2b, over micro-operations.
void Engine::run_segments(Worker& w, int l2b, Segments& segments) {
  const fast::FloatMode mode;
  auto& stretches = segments.stretches();
  for (const Part& part : segments.parts()) {
    if (part.upload != nullptr) upload(w, l2b, *part.upload);
    for (int b = 0; b < state_.l1bs_per_l2b; ++b) {
      place_l1b(w, l2b, b);
      for (uint32_t i = part.first; i < part.last; ++i) {
        Stretch& stretch = stretches[i];
        if (stretch.works)
          for (int m = 0; m < kMabs; ++m) {
            if (stopped(w)) return;
            run_uops(w, m, stretch, segments);
          }
        if (stretch.meeting != nullptr) meet(w, *stretch.meeting);
      }
    }
    if (stop_.load(std::memory_order_relaxed)) return;
  }
}

void Engine::run_uops(Worker& w, int m, Stretch& stretch, Segments& segments) {
  StepContext& c = w.c;
  Mab& mab = state_.mabs[(c.l1bm - state_.l1bms) * kMabs + m];
  c.where.m = m;
  c.mab = &mab;
  MabPlace place;
  place.context = &c;
  place.l1bm = c.l1bm;
  place.m = m;
  place.flags = w.flags[kLatchAlu];
  place.mau_flags = w.flags[kLatchMau];
  place.sent = &w.gathered[m];
  place.unit_flags = w.flags;
  const unsigned bars = (mab.bar_used[0] ? 1u : 0u) | (mab.bar_used[1] ? 2u : 0u);
  for (const fast::Uop& u : segments.uops(stretch, bars)) u.run(mab, u, place);
}

void Engine::run_mab(Worker& w, int m, std::span<const StepPlan> steps) {
  StepContext& c = w.c;
  const int l1b = static_cast<int>(c.l1bm - state_.l1bms);
  c.where.m = m;
  c.mab = state_.mabs + l1b * kMabs + m;
  if (c.strict()) c.mab_def = state_.mab_defs + l1b * kMabs + m;
  for (const StepPlan& step : steps) mab_step(w, step);
}

// Sources, semantics, zero flush; the result is in the latch buffer that is not in use.
void Engine::unit(Worker& w, const Op& op) {
  StepContext& c = w.c;
  c.op = &op;
  for (int k = 0; k < op.src_count; ++k) fetch(c, op.src[static_cast<size_t>(k)], c.in[k]);
  if (op.latch >= 0) {
    const int other = 1 - c.mab->latch_now[op.latch];
    c.out = &c.mab->latch[op.latch][other];
    c.flags = w.flags[op.latch];
    if (c.strict()) {
      c.out_def = &c.mab_def->latch[op.latch][other];
      c.flags_def = w.flags_def[op.latch];
    }
  }
  op.sem(c, *op.insn);
  if (op.zero_flush != 0) zero_flush(c);
}

void Engine::mab_step(Worker& w, const StepPlan& step) {
  StepContext& c = w.c;
  Mab& mab = *c.mab;
  c.step = &step;

  if (step.calc != nullptr) unit(w, *step.calc);
  if (step.mread != nullptr) unit(w, *step.mread);
  if (step.alu != nullptr) unit(w, *step.alu);
  if (step.distribute != nullptr) unit(w, *step.distribute);
  if (step.collect != nullptr) {
    c.op = step.collect;
    View& v = c.in[0];
    fetch(c, step.collect->src[0], v);
    const int m = c.where.m;
    for (int cycle = 0; cycle < 4; ++cycle) {
      std::memcpy(w.gathered[m].v[cycle][0], v.hi[cycle], 32);
      std::memcpy(w.gathered[m].v[cycle][1], v.lo[cycle], 32);
      if (!c.strict()) continue;
      std::memcpy(w.gathered_def[m].v[cycle][0], v.hi_def[cycle], 4);
      std::memcpy(w.gathered_def[m].v[cycle][1], v.lo_def[cycle], 4);
    }
  }
  // A matrix register is never read and written on one side in one step (ISA 9.3), so its write may come here; its
  // source must be read before any store.
  if (step.mwrite != nullptr) unit(w, *step.mwrite);

  for (int k = 0; k < step.store_count; ++k) {
    const Store& s = step.stores[k];
    const int latch = s.op->latch, other = 1 - mab.latch_now[latch];
    c.op = s.op;
    store(c, *s.dst, mab.latch[latch][other], c.strict() ? &c.mab_def->latch[latch][other] : nullptr, w.flags[latch],
          w.flags_def[latch]);
  }

  if (!step.update_latches) return;
  bool busy[kLatches] = {};
  for (const Op* op : {step.calc, step.mread, step.alu, step.distribute}) {
    if (op == nullptr) continue;
    busy[op->latch] = true;
    mab.latch_now[op->latch] ^= 1;
  }
  // A unit that rests gives no result to forward. The old value is still there, but the machine renews the registers
  // in every step, so it must not be relied on.
  if (c.strict())
    for (int l = 0; l < kLatches; ++l)
      if (!busy[l]) std::memset(&c.mab_def->latch[l][mab.latch_now[l]], 0, sizeof(BeatDef));
}

}  // namespace kumihimo::mncore2::emu
