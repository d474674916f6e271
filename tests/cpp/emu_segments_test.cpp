// Stretches compiled into micro-operations against the semantic path, on the places where the order inside a step, or
// what is forwarded out of it, decides the result: each program was written to break one rule of the compiler
// (emu/segments.h), and the law is that every path leaves the same whole state.
#include <gtest/gtest.h>

#include "tests/cpp/emu_differential.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2::emu_test {
namespace {

struct Case {
  const char* name;
  std::vector<std::string> lines;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"a result goes over the source of another unit in the same step",
       {"fvadd $lm0v $ln0v $lr8v; ladd $lr8v $ln0v $ls0v"}},
      {"a result goes over the source of its own later cycles", {"fvadd $lr0v $lm0v $lr[2,4,6,8]", "nop"}},
      {"a result goes over its own rows", {"ladd $lr0v $ln0v $lr0v", "hvadd $lm0v $llr0v $llr0v"}},
      {"all cycles write one row", {"ladd $lm0v $ln0v $lr0", "fvadd $lm0v $ln0v $lr[0,2,0,2]"}},
      {"a double long word overlaps the long words of other cycles", {"hvadd $lr0v $lln0v $llr0v"}},
      {"forwarded to the next step and stored", {"ladd $lm0v $ln0v $lr0v", "ladd $aluf $ln0v $ls0v"}},
      {"forwarded later, behind steps in which the unit rests",
       {"ladd $lm0v $ln0v $lr0v", "fvadd $lm0v $ln0v $lr8v", "nop", "ladd $aluf $mauf $ls0v"}},
      {"noforward keeps the latch",
       {"ladd $lm0v $ln0v $lr0v", "ladd $lm8v $ln0v $lr8v; noforward", "ladd $aluf $ln0v $ls0v"}},
      {"the last result of a run is still in its latch",
       {"ladd $lm0v $ln0v $lr0v", "d get $lr0n0c0b0m0p0 1", "ladd $aluf $ln0v $ls0v"}},
      {"T is replaced in the step that uses it as an address",
       {"lpassa $lr0v $t", "ladd $ls0v $ln0v $t; fvadd $lr0v $ln0v $lmt0v",
        "ladd $lr0v $ln0v $t; fvadd $lmt8v $ls0v $ls8v"}},
      {"T is read and replaced", {"lpassa $lr0v $t", "ladd $t $ln0v $t", "fvadd $t $lm0v $lr0v; ladd $lr8v $ln8v $t"}},
      {"base addresses change between steps",
       {"ipassa $subpeid $lmb", "ladd $lm0v $ln0v $lr0v", "imm i\"8\" $lmb", "ladd $lm0v $ln0v $lr8v",
        "ladd $lr0v $ln0v $lm16v", "zero $lmb", "ladd $lm0v $ln0v $ls0v"}},
      {"base addresses and T together",
       {"ipassa $subpeid $lmb", "lpassa $lr0v $t", "ladd $lmt4v $ln0v $lr0v", "ladd $lr0v $ln0v $lmt0v"}},
      {"a mask register is replaced in the step that stores under it",
       {"ilsl $lm0v $ln0v $omr1", "fvadd $lm0v $ln0v $lr0v/$imr1; ilsr $lr8v $ln0v $omr1",
        "fvadd $lm0v $ln0v $lr0v/$imr1"}},
      {"masks of words and halves, fixed patterns, long and double long words",
       {"hvadd $lm0v $lln0v $omr2", "hvadd $lm0v $lln0v $llr0v/$llimr2", "hvadd $lm0v $lln0v $llr0v/$imr2",
        "fvadd $lm0v $ln0v $lr0v/1010", "hvadd $lm0v $lln0v $llr0v/0110", "fvadd $lm0v $ln0v $r0v/$imr2"}},
      {"zero flush",
       {"ilsl $lm0v $ln0v $omr1", "fvadd/$imr1 $lm0v $ln0v $lr0v", "ladd/0101 $lm0v $ln0v $ls0v",
        "ladd $aluf $mauf $lr8v"}},
      {"a double long word from L1BM to a long word",
       {"l1bmm4 $llb0 $lr0v", "l1bmm $llb64 $ls0v", "ladd $lbf $ln0v $lr8v"}},
      {"an upload takes what the step finds", {"ladd $lm0v $ln0v $lr0v; l1bmd $lr0v $lb0", "l1bmd $lb0 $ls0v"}},
      {"matrix rows are written in the step that multiplies with the other side",
       {"hmwrite $lm0v $lx0", "hmwrite $lm8v $lx4", "hmwrite $lm16v $lx8", "hmwrite $lm24v $lx12",
        "hmfma $lx $lm0v $llr0v $llr8v; hmwrite $lm0v $ly0", "hmmul $lx $lm8v $llr8v; hmread $ly0 $ls0v"}},
      {"conversions of sources of every kind",
       {"fvadd $lm0v $ln0v $lr0v", "hvadd $mauf $lln0v $llr0v", "hvadd $llm0vr $lln0v $llr8v", "fvadd $lm0v $ln0v $t",
        "hvadd $tr $lln0v $llr16v"}},
      {"flags of every precision of the MAU",
       {"fvadd $lm0v $ln0v $omr1", "hvadd $lm0v $lln0v $omr2", "fvaddr $lm0v $ln0v $omr3", "hvaddr $lm0v $lln0v $omr4",
        "dvadd $lm0v $ln0v $omr5"}},
  };
  return all;
}

std::vector<std::string> memories(uint64_t seed) {
  num_test::Random random(seed);
  std::vector<std::string> lines;
  for (const char* memory : {"lm0", "ln0", "lr0", "ls0", "lb0"}) {
    const int count = memory[1] == 'b' ? 512 : 64;
    std::string line = fmt::format("d set ${} {} ", memory, count);
    for (int i = 0; i < count; ++i) line += fmt::format("{:016x}", random.bits());
    lines.push_back(line);
  }
  return lines;
}

TEST(Segments, EveryPathLeavesTheSameState) {
  const MachineConfig& config = *find_machine("mncore2-tiny");
  std::vector<Setting> settings;
  for (const char* word : {"scalar", "steps", "avx2", "avx512", "avx2+steps"}) {
    Setting s;
    ASSERT_TRUE(parse_setting(word, s));
    if (fast::path_available(s.options.path)) settings.push_back(s);
  }
  Differential machines(config, settings);
  // With every latch written again at the end, results need not be kept for whoever comes after the run.
  const std::vector<std::string> renewal{"fvadd $lm0v $ln0v $nowrite; ladd $lm0v $ln0v $nowrite",
                                         "l1bmm $lb0 $nowrite"};
  for (const Case& c : cases())
    for (const bool renewed : {false, true}) {
      std::vector<std::string> lines = c.lines;
      if (renewed) lines.insert(lines.end(), renewal.begin(), renewal.end());
      machines.reset();
      ASSERT_TRUE(machines.run(memories(renewed)));
      EXPECT_TRUE(machines.run(lines)) << c.name << ": " << machines.failure();
      EXPECT_EQ(machines.outcome(), "") << c.name;
      EXPECT_EQ(machines.difference(), "") << c.name;
    }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu_test
