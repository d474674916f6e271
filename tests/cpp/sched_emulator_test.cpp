// The scheduled attention kernel on the emulator computes, bit for bit, what the same program computes one instruction
// after the other.
#include <gtest/gtest.h>

#include <random>

#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/sched/schedule.h"
#include "tests/cpp/sched_programs.h"

namespace kumihimo::mncore2::sched {
namespace {

isa::Mem bank_mem(Bank b) {
  constexpr std::array<isa::Mem, 5> kMems{isa::Mem::kLm0, isa::Mem::kLm1, isa::Mem::kGrf0, isa::Mem::kGrf1,
                                          isa::Mem::kT};
  return kMems[static_cast<size_t>(b)];
}

// Values of the outputs in some PEs of every L2B.
std::vector<uint64_t> run(const AttentionProgram& attention, const Scheduled& s, emu::Order order) {
  const MachineConfig& config = *find_machine("mncore2");
  auto machine = emu::Machine::create(config, {.strict = true, .threads = 2, .order = order});
  EXPECT_TRUE(machine.ok());
  std::mt19937_64 rng(11);
  for (int g = 0; g < 4; ++g) {
    std::vector<uint64_t> image(16384);
    // Halves near one: exponent field 24..39 of 6 bits; the mask image holds zeros and ones.
    for (size_t k = 0; k < 8192; ++k)
      for (int h = 0; h < 4; ++h)
        image[k] = image[k] << 16 | (rng() & 0x8000) | (24 + rng() % 16) << 9 | (rng() & 0x1ff);
    for (size_t k = 8192; k < 8192 + 2048; ++k)
      for (int h = 0; h < 4; ++h) image[k] = image[k] << 16 | (rng() % 4 != 0 ? 0x3e00 : 0);
    EXPECT_TRUE((*machine)->write_span(isa::Mem::kDram, {g, 0, 0, 0, 0}, 0, image).ok());
  }
  auto report = (*machine)->run(s.program, {});
  EXPECT_TRUE(report.ok()) << render_text(report.error());
  for (const Diagnostic& d : (*machine)->findings()) ADD_FAILURE() << render_text(d);
  std::vector<uint64_t> values;
  for (VRegId reg : {attention.scores, attention.maximum, attention.exponentials, attention.sum}) {
    const RegPlace place = s.output_place(reg);
    for (int g = 0; g < 4; ++g)
      for (int l = 0; l < 2; ++l)
        for (int b = 0; b < 8; b += 3)
          for (int m = 0; m < 16; m += 5)
            for (int p = 0; p < 4; ++p)
              for (int64_t row = 0; row < attention.program.regs[reg].rows; ++row) {
                auto value = (*machine)->read_lw(bank_mem(place.bank), {g, l, b, m, p},
                                                 place.bank == Bank::kT ? row : place.addr_lw + row);
                EXPECT_TRUE(value.ok());
                values.push_back(value.ok() ? *value : 0);
              }
  }
  return values;
}

TEST(ScheduleEmulator, AttentionBits) {
  const AttentionProgram attention = attention_program();
  auto fast = schedule(attention.program);
  auto slow = schedule(attention.program, {.sequential = true});
  ASSERT_TRUE(fast.ok() && slow.ok());
  EXPECT_GT(2 * slow->num_steps, 3 * fast->num_steps);
  const auto expected = run(attention, *slow, emu::Order::kSteps);
  EXPECT_EQ(run(attention, *fast, emu::Order::kSegments), expected);
  EXPECT_EQ(run(attention, *fast, emu::Order::kSteps), expected);
  // Not all alike: scores differ between PEs.
  EXPECT_NE(expected[0], expected[expected.size() / 3]);
}

}  // namespace
}  // namespace kumihimo::mncore2::sched
