#include "targets/mncore2/emu/segments.h"

#include <algorithm>

namespace kumihimo::mncore2::emu {
namespace {

// Longest stretch: bounds the time between two polls, and keeps the micro-operations in the host's cache.
constexpr size_t kStretchSteps = 128;

bool stores_bar(const StepPlan& step) {
  return std::any_of(step.stores, step.stores + step.store_count,
                     [](const Store& s) { return s.dst->mem == isa::Mem::kBar0 || s.dst->mem == isa::Mem::kBar1; });
}

bool mab_works(const StepPlan& step) {
  return step.calc != nullptr || step.mwrite != nullptr || step.mread != nullptr || step.alu != nullptr ||
         step.distribute != nullptr || step.collect != nullptr;
}

}  // namespace

void turn_latches(const StepPlan& step, std::array<uint8_t, kLatches>& now) {
  if (!step.update_latches) return;
  for (const Op* op : {step.calc, step.mread, step.alu, step.distribute})
    if (op != nullptr) now[static_cast<size_t>(op->latch)] ^= 1;
}

Segments::Segments(std::span<const StepPlan> steps, const fast::KernelSet& kernels,
                   const std::array<uint8_t, kLatches>& latch_now)
    : kernels_(kernels), latch_now_(latch_now) {
  Stretch* open = nullptr;
  parts_.emplace_back();
  for (const StepPlan& step : steps) {
    if (step.meets_in_l2b()) {
      open = nullptr;
      parts_.push_back({&step, static_cast<uint32_t>(stretches_.size()), 0});
    }
    if (open == nullptr) {
      open = &stretches_.emplace_back();
      open->latch_now = latch_now_;
      open->steps = {&step, 0};
    }
    open->steps = {open->steps.data(), open->steps.size() + 1};
    open->works |= mab_works(step);
    turn_latches(step, latch_now_);
    if (step.meets_in_l1b()) open->meeting = &step;
    if (step.meets_in_l1b() || stores_bar(step) || open->steps.size() == kStretchSteps) open = nullptr;
    parts_.back().last = static_cast<uint32_t>(stretches_.size());
  }
}

const Uops& Segments::uops(Stretch& stretch, unsigned bars) {
  auto& slot = stretch.uops[bars];
  if (const Uops* ready = slot.load(std::memory_order_acquire)) return *ready;
  const std::lock_guard lock(mutex_);
  if (const Uops* ready = slot.load(std::memory_order_relaxed)) return *ready;
  const Uops& made = compiled_.emplace_back(compile(stretch, bars, kernels_));
  slot.store(&made, std::memory_order_release);
  return made;
}

}  // namespace kumihimo::mncore2::emu
