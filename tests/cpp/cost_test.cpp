// The time model: hand-computed cases from the stated rules, and agreement of the two implementations.
#include <gtest/gtest.h>

#include "targets/mncore2/cost/cost.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/sched/schedule.h"
#include "tests/cpp/sched_programs.h"
#include "tests/cpp/sched_random.h"

namespace kumihimo::mncore2::cost {
namespace {

using isa::Mem;
using isa::Width;

isa::Line alu_step() { return isa::step({isa::make("inc", isa::Prec::kI, {isa::grf0(0)}, {isa::grf0(2)})}); }
isa::Line mv_line(uint32_t size, uint8_t tag, int sub) {
  return isa::step({isa::make_mv("mvp", "d>lc@.s", size, tag, isa::dram(0), isa::l2bm(0, -1, sub))});
}
isa::Line wait_line(uint8_t tag) { return isa::step({isa::make_nop(1), isa::make_wait(tag)}); }
constexpr int64_t kLatency = isa::kMvTime.latency_cycles;

TEST(Cost, StepsOnly) {
  isa::Program p;
  p.lines = {alu_step(), isa::step({isa::make_nop(5)}), alu_step()};
  const CostReport r = cost(p);
  EXPECT_EQ(r.steps, 7);
  EXPECT_EQ(r.cycles, 28);
  EXPECT_EQ(r.unit_steps[static_cast<size_t>(isa::Unit::kAlu)], 2);
  EXPECT_EQ(r.unit_steps[static_cast<size_t>(isa::Unit::kNop)], 5);
  EXPECT_EQ(r.instruction_words(), 7);
  EXPECT_DOUBLE_EQ(r.microseconds(*find_machine("mncore2")), 28 / 750.0);
}

// 1024 long words at 16 per cycle: 64 cycles on the port. Issued at 0, awaited in the step that would start at 4.
TEST(Cost, WaitStallsForTransferAndLatency) {
  isa::Program p;
  p.lines = {mv_line(1024, 1, 0), alu_step(), wait_line(1)};
  const CostReport r = cost(p);
  EXPECT_EQ(r.stall_transfer, 64 + kLatency - 4);
  EXPECT_EQ(r.stall_port, 0);
  EXPECT_EQ(r.cycles, 64 + kLatency + 4);
  EXPECT_EQ(r.port_cycles[0], 64);  // DRAM_0
  EXPECT_EQ(r.port_cycles[8], 64);  // L2BM_00
  EXPECT_EQ(r.port_cycles[9], 0);   // L2BM_01
  EXPECT_EQ(r.port_cycles[4], 0);   // PDM_0
}

// Both need the DRAM ports, so the second starts when the first has left them: at 64. Three steps lie between.
TEST(Cost, PortsServeInOrder) {
  isa::Program p;
  p.lines = {mv_line(1024, 1, 0), alu_step(), alu_step(), alu_step(), mv_line(1024, 2, 1), wait_line(2)};
  const CostReport r = cost(p);
  EXPECT_EQ(r.packing_steps, 0);
  EXPECT_EQ(r.stall_port, 64 - 12);
  EXPECT_EQ(r.stall_transfer, 64 + kLatency);
  EXPECT_EQ(r.cycles, 64 + 64 + kLatency + 4);
}

TEST(Cost, PackingCostsEmptySteps) {
  isa::Program p;
  p.lines = {mv_line(64, 0, 0), alu_step(), mv_line(64, 0, 1), alu_step(), mv_line(64, 0, 0)};
  const CostReport r = cost(p);
  EXPECT_EQ(r.packing_steps, 4);
  EXPECT_EQ(r.steps, 2);
  // Steps and empty slots take 24 cycles; the third transfer is issued then, and takes 4 cycles and the latency.
  EXPECT_EQ(r.stall_drain, 4 + kLatency);
  EXPECT_EQ(r.cycles, 24 + 4 + kLatency);
}

TEST(Cost, UnmatchedWaitIsCounted) {
  isa::Program p;
  p.lines = {wait_line(7)};
  const CostReport r = cost(p);
  EXPECT_EQ(r.unmatched_waits, 1);
  EXPECT_EQ(r.cycles, 4);
}

TEST(Cost, BothImplementationsAgree) {
  int with_mv = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    sched::ScheduleOptions options;
    options.evaluations = seed % 2 == 0 ? 0 : 40;
    options.sequential = seed % 5 == 0;
    auto s = sched::schedule(sched::random_program(seed), options);
    ASSERT_TRUE(s.ok()) << seed << render_text(s.error());
    const CostReport of_lines = cost(s->program), of_schedule = cost(*s);
    EXPECT_EQ(of_lines, of_schedule) << "seed " << seed;
    EXPECT_EQ(of_lines.cycles, s->stats.cycles) << "seed " << seed;
    EXPECT_EQ(of_lines.steps, s->stats.steps) << "seed " << seed;
    EXPECT_EQ(of_lines.stalls(), s->stats.stall_cycles) << "seed " << seed;
    EXPECT_EQ(of_lines.packing_steps, 0) << "seed " << seed;
    EXPECT_EQ(of_lines.unmatched_waits, 0) << "seed " << seed;
    with_mv += of_lines.mv_words > 0;
  }
  EXPECT_GT(with_mv, 100);
  const auto attention = sched::attention_program();
  auto s = sched::schedule(attention.program);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(cost(s->program), cost(*s));
  EXPECT_EQ(cost(s->program).cycles, s->stats.cycles);
  EXPECT_EQ(cost(*s).port_cycles[0], 448);  // K 64, q 2 x 128, mask 128
}

}  // namespace
}  // namespace kumihimo::mncore2::cost
