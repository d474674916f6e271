// Random virtual programs: the scheduled code computes what the sequential list computes, on tokens and with time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/sched/schedule.h"
#include "tests/cpp/sched_programs.h"
#include "tests/cpp/sched_random.h"
#include "tests/cpp/sched_tokens.h"

namespace kumihimo::mncore2::sched {
namespace {

std::string text_of(const Scheduled& s) {
  std::string text;
  for (size_t i = 0; i < s.program.lines.size(); ++i)
    text += isa::print(s.program.lines[i]) + "   # " + s.notes[i] + "\n";
  return text;
}

isa::Mem bank_mem(Bank b) {
  constexpr std::array<isa::Mem, 5> kMems{isa::Mem::kLm0, isa::Mem::kLm1, isa::Mem::kGrf0, isa::Mem::kGrf1,
                                          isa::Mem::kT};
  return kMems[static_cast<size_t>(b)];
}

void expect_same_tokens(const VProgram& program, const Scheduled& s, const std::string& what) {
  VirtualExecutor sequential(program);
  sequential.run();
  TimedExecutor timed;
  timed.run(s.program);
  EXPECT_EQ(timed.mvs_in_flight(), 0) << what;
  // The first instruction whose value never appeared, for the message.
  std::string culprit = "none";
  for (size_t i = 0; i < program.insns.size() && i < sequential.results.size(); ++i)
    if (program.insns[i].proto.def->unit != isa::Unit::kMv && !timed.results.count(sequential.results[i])) {
      culprit = std::to_string(i) + " " + std::string(program.insns[i].proto.def->name);
      break;
    }
  int64_t compared = 0;
  for (size_t r = 0; r < program.regs.size(); ++r) {
    if (!program.regs[r].output || s.output_places[r].empty()) continue;
    const RegPlace place = s.output_place(static_cast<VRegId>(r));
    for (int64_t w = 0; w < 2 * program.regs[r].rows; ++w) {
      const Token expected = sequential.regs[r][static_cast<size_t>(w)];
      if (expected == 0) continue;  // never written
      const Token found = place.bank == Bank::kT
                              ? timed.pe(isa::Mem::kT, program.regs[r].rows <= 4 ? w / 2 * 4 + w % 2 : w)
                              : timed.pe(bank_mem(place.bank), 2 * place.addr_lw + w);
      ASSERT_EQ(found, expected) << what << ": register " << program.regs[r].name << " word " << w
                                 << ", first wrong instruction " << culprit << "\n"
                                 << text_of(s);
      ++compared;
    }
  }
  for (size_t b = 0; b < program.bufs.size(); ++b) {
    if (!program.bufs[b].output) continue;
    for (int64_t a = 0; a < program.bufs[b].size_lw; ++a) {
      const Token expected = sequential.bufs[b][static_cast<size_t>(a)];
      if (expected == 0) continue;
      ASSERT_EQ(timed.tree(program.bufs[b].mem, s.buf_addr[b] + a), expected)
          << what << ": buffer " << program.bufs[b].name << " word " << a << ", first wrong instruction " << culprit
          << "\n"
          << text_of(s);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0) << what;
}

void expect_legal(const Scheduled& s, const std::string& what) {
  for (const isa::Line& line : s.program.lines) {
    const Status legal = isa::check_line(line);
    ASSERT_TRUE(legal.ok()) << what << ": " << isa::print(line) << "\n" << render_text(legal.error());
  }
  for (const hazard::Finding& f : hazard::lint(s.program)) {
    if (f.severity != Severity::kError) continue;
    ASSERT_TRUE(false) << what << ": " << render_text(hazard::to_diagnostic(f, s.program)) << text_of(s);
  }
}

class ScheduleRandom : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_diagnostics(diagnostics().data(), diagnostics().size()); }
};

TEST_F(ScheduleRandom, SameTokensAsSequentialList) {
  const int runs = std::getenv("RUNS") ? std::atoi(std::getenv("RUNS")) : 300;
  const int first = std::getenv("FIRST") ? std::atoi(std::getenv("FIRST")) : 0;
  int64_t steps = 0, sequential_steps = 0;
  for (int seed = first; seed < first + runs; ++seed) {
    const VProgram program = random_program(static_cast<uint32_t>(seed));
    const std::string what = "seed " + std::to_string(seed);
    ScheduleOptions options;
    options.evaluations = seed % 3 == 0 ? 0 : 60;
    auto s = schedule(program, options);
    ASSERT_TRUE(s.ok()) << what << "\n" << render_text(s.error());
    expect_legal(*s, what);
    expect_same_tokens(program, *s, what);
    steps += s->num_steps;
    if (seed % 4 == 0) {
      options.sequential = true;
      auto one_by_one = schedule(program, options);
      ASSERT_TRUE(one_by_one.ok()) << what << "\n" << render_text(one_by_one.error());
      expect_legal(*one_by_one, what + " sequential");
      expect_same_tokens(program, *one_by_one, what + " sequential");
      sequential_steps += one_by_one->num_steps;
      EXPECT_LE(s->stats.cycles, one_by_one->stats.cycles) << what;
    }
    if (HasFatalFailure()) return;
  }
  std::cout << "steps " << steps << ", sequential quarter " << sequential_steps << "\n";
}

TEST_F(ScheduleRandom, AttentionTokens) {
  const AttentionProgram attention = attention_program();
  for (int32_t evaluations : {0, 50, 400}) {
    ScheduleOptions options;
    options.evaluations = evaluations;
    auto s = schedule(attention.program, options);
    ASSERT_TRUE(s.ok()) << render_text(s.error());
    expect_same_tokens(attention.program, *s, "attention " + std::to_string(evaluations));
  }
}

TEST_F(ScheduleRandom, Deterministic) {
  const AttentionProgram attention = attention_program();
  auto a = schedule(attention.program), b = schedule(attention.program);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(text_of(*a), text_of(*b));
  EXPECT_TRUE(isa::same(a->program, b->program));
}

}  // namespace
}  // namespace kumihimo::mncore2::sched
