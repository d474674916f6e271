// The attention kernel through the scheduler: legal lines, and as fast as a careful hand schedule.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/sched/schedule.h"
#include "tests/cpp/sched_programs.h"

namespace kumihimo::mncore2::sched {
namespace {

TEST(ScheduleAttention, FastAndLegal) {
  const AttentionProgram attention = attention_program();
  auto s = schedule(attention.program);
  ASSERT_TRUE(s.ok()) << render_text(s.error());
  if (std::getenv("SHOW")) {
    for (size_t i = 0; i < s->program.lines.size(); ++i)
      std::cout << isa::print(s->program.lines[i]) << "   # " << s->notes[i] << "\n";
    std::cout << "steps " << s->stats.steps << " cycles " << s->stats.cycles << " stall " << s->stats.stall_cycles
              << " first " << s->stats.first_cycles << " evals " << s->stats.evaluations << " fwd "
              << s->stats.forwarded << " dropped " << s->stats.dropped_writes << " copies " << s->stats.copies << "\n";
  }
  for (const isa::Line& line : s->program.lines) {
    const Status legal = isa::check_line(line);
    EXPECT_TRUE(legal.ok()) << isa::print(line) << "\n" << render_text(legal.error());
  }
  EXPECT_LE(s->stats.cycles, 4 * 200);
  EXPECT_LE(s->stats.steps, 260);
}

}  // namespace
}  // namespace kumihimo::mncore2::sched
