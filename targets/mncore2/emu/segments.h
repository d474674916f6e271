// What units run alone between two transfers, as micro-operations (fast/kernels.h): compiled once, executed by every MAB.
//
// A stretch is a run of steps in which no MAB sees another one, up to and including a step in which they meet. The
// parts of a step come in the order of the semantic path (Engine::mab_step): every unit computes into the buffer of its
// latch that is not in use, then all destinations are stored.
//
// Which buffer of a latch is in use is known at compile time, since every MAB executes the same steps. Whether an LM's
// base address register is in use is not: a stretch is compiled for each of the four cases that some MAB meets, and a
// store to a base address register ends its stretch.
//
// A result that nobody forwards, and that goes to whole rows, is written there at once instead of by way of the latch.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <vector>

#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

using Uops = std::vector<fast::Uop>;

// What the micro-operations of a MAB share.
struct MabPlace : fast::Place {
  uint8_t (*unit_flags)[4][4];  // [latch]
};

struct Stretch {
  std::span<const StepPlan> steps;
  const StepPlan* meeting = nullptr;        // its last step, when the MABs of an L1B meet in it
  std::array<uint8_t, kLatches> latch_now;  // at its beginning
  bool works = false;                       // some MAB does something
  std::array<std::atomic<const Uops*>, 4> uops{};
};

// Steps of an L2B: an instruction through which its L1Bs meet, if any, and then stretches for each of them.
struct Part {
  const StepPlan* upload = nullptr;
  uint32_t first = 0, last = 0;  // into stretches
};

class Segments {
 public:
  // `latch_now`: of every MAB, before the steps. The steps outlive the object.
  Segments(std::span<const StepPlan> steps, const fast::KernelSet& kernels,
           const std::array<uint8_t, kLatches>& latch_now);

  std::span<const Part> parts() const { return parts_; }
  std::deque<Stretch>& stretches() { return stretches_; }
  // Of every MAB, after the steps.
  const std::array<uint8_t, kLatches>& latch_now() const { return latch_now_; }

  // The stretch's micro-operations for MABs whose base address registers are in use as `bars` says (bit k: of LMk).
  const Uops& uops(Stretch& stretch, unsigned bars);

 private:
  const fast::KernelSet& kernels_;
  std::vector<Part> parts_;
  std::deque<Stretch> stretches_;
  std::array<uint8_t, kLatches> latch_now_;
  std::mutex mutex_;
  std::deque<Uops> compiled_;
};

// Changes which buffers are in use as a step does.
void turn_latches(const StepPlan& step, std::array<uint8_t, kLatches>& now);

// The micro-operations of one stretch.
Uops compile(const Stretch& stretch, unsigned bars, const fast::KernelSet& kernels);

}  // namespace kumihimo::mncore2::emu
