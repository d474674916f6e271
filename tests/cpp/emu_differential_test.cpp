// Random programs of every row (emu_workload.h) give the same whole state under every setting of the emulator; the
// comparison itself finds a changed line. The long campaigns are emu_differential.cpp.
#include <gtest/gtest.h>

#include <set>

#include "tests/cpp/emu_differential.h"
#include "tests/cpp/emu_workload.h"

namespace kumihimo::mncore2::emu_test {
namespace {

std::vector<Setting> settings(const std::vector<std::string>& texts) {
  std::vector<Setting> all;
  for (const std::string& text : texts) {
    all.emplace_back();
    EXPECT_TRUE(parse_setting(text, all.back())) << text;
  }
  return all;
}

TEST(Differential, SettingsAgreeOnRandomPrograms) {
  const MachineConfig& config = *find_machine("mncore2-tiny");
  std::vector<std::string> words{"scalar", "segments", "steps", "segments+threads=2"};
  for (const char* path : {"avx2", "avx512"})
    if (fast::path_available(*fast::path_named(path))) words.emplace_back(path);
  Differential machines(config, settings(words));
  for (uint64_t seed = 0; seed < 320; ++seed) {
    if (seed % 16 == 0) machines.reset();
    ASSERT_TRUE(machines.run(Workload(seed, config).program(24))) << machines.failure();
    ASSERT_EQ(machines.outcome(), "") << "seed " << seed;
    if (seed % 16 != 15) continue;
    ASSERT_EQ(machines.difference(), "") << "seeds up to " << seed;
  }
}

TEST(Differential, ProgramsReachEveryRow) {
  std::set<const isa::InsnDef*> reached;
  for (uint64_t seed = 0; seed < 1500; ++seed) {
    const auto lines = Workload(seed, *find_machine("mncore2")).program(24);
    const auto assembled = vsm::assemble(joined(lines), "random.vsm");
    ASSERT_TRUE(assembled.ok()) << render_text(assembled.errors[0]);
    for (const isa::Line& line : assembled.program.lines)
      for (const isa::Insn& insn : line.insns) {
        reached.insert(insn.def);
        if (insn.reduce != nullptr) reached.insert(insn.reduce);
      }
  }
  for (const isa::InsnDef& def : isa::rows()) {
    if (def.unit == isa::Unit::kWait || def.unit == isa::Unit::kNop) continue;
    EXPECT_TRUE(reached.count(&def) != 0) << def.name << " " << def.form;
  }
}

// Strict mode leaves other bytes in the state, so these two settings always differ once something is written.
TEST(Differential, ReductionKeepsTheLinesThatMatter) {
  Differential machines(*find_machine("mncore2-tiny"), settings({"segments", "strict"}));
  const std::vector<std::string> lines{"imm i\"1\" $lr0v", "imm i\"2\" $lr8v", "nop", "imm i\"3\" $ls0v"};
  ASSERT_TRUE(machines.differs(lines));
  EXPECT_EQ(machines.reduced(lines).size(), 1u);
}

}  // namespace
}  // namespace kumihimo::mncore2::emu_test
