// The machine as an object (emu/machine.h): runs that follow each other, reset, access, errors, counts, dumps.
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

using V = std::vector<uint64_t>;
using Lines = std::vector<std::string>;

constexpr UnitCoord kPe0{0, 0, 0, 0, 0};

// --- dumps (ISA 3.5) ------------------------------------------------------------------------------------------------

TEST(Dump, UntypedShowsDoubleHalvesAndWord) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, V{0x0042004200000042, 0xe});
  EXPECT_EQ(lab.run("d get $lm0n0c0b0m0p0 2"),
            (Lines{"DEBUG-LM0(n0c0b0m0p0,0):(f:2.00268e-307, i:{{0x42,0x42},{0x0,0x42}}, v:0x42004200000042) #d get "
                   "$lm0n0c0b0m0p0 2",
                   "DEBUG-LM0(n0c0b0m0p0,2):(f:0, i:{{0x0,0x0},{0x0,0xE}}, v:0xE) #d get $lm0n0c0b0m0p0 2"}));
}

TEST(Dump, TypedShowsValuesAndPatterns) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, V{0x3ff0000000000000, 0x3f80000080000000, 0x3e0007c0803e0000, 0x7ff0000000000000});
  EXPECT_EQ(
      lab.run("d getd $lm0n0c0b0m0p0 1\nd getf $lm2n0c0b0m0p0 1\nd geth $lm4n0c0b0m0p0 1\nd getd $lm6n0c0b0m0p0 1"),
      (Lines{
          "DEBUG-LM0(n0c0b0m0p0,0):(1) (0x3ff0000000000000) #d getd $lm0n0c0b0m0p0 1",
          "DEBUG-LM0(n0c0b0m0p0,2):(1, -0) (0x3f800000, 0x80000000) #d getf $lm2n0c0b0m0p0 1",
          "DEBUG-LM0(n0c0b0m0p0,4):(1, 6.98492e-09, -0, 0) (0x3e00, 0x07c0, 0x803e, 0x0000) #d geth $lm4n0c0b0m0p0 1",
          "DEBUG-LM0(n0c0b0m0p0,6):(inf) (0x7ff0000000000000) #d getd $lm6n0c0b0m0p0 1"}));
}

TEST(Dump, EveryMemoryHasItsName) {
  Lab lab;
  const auto lines = lab.run(
      "d getd $ln0n0c0b0m0p0 1\nd getd $lr0n0c0b0m0p0 1\nd getd $ls0n0c0b0m0p0 1\nd getd $tn0c0b0m0p0 1\nd getd "
      "$lb12n0c0b0 1\n"
      "d getd $lc3n0c0 1\nd getd $d0n0 1\nd getd $p0n0 1");
  EXPECT_EQ(lines, (Lines{"DEBUG-LM1(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $ln0n0c0b0m0p0 1",
                          "DEBUG-GREG0(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $lr0n0c0b0m0p0 1",
                          "DEBUG-GREG1(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $ls0n0c0b0m0p0 1",
                          "DEBUG-TREG(n0c0b0m0p0,0):(0) (0x0000000000000000) #d getd $ltn0c0b0m0p0 1",
                          "DEBUG-L1BM(n0c0b0,12):(0) (0x0000000000000000) #d getd $lb12n0c0b0 1",
                          "DEBUG-L2BM(n0c0,3):(0) (0x0000000000000000) #d getd $lc3n0c0 1",
                          "DEBUG-DRAM(n0,0):(0) (0x0000000000000000) #d getd $d0n0 1",
                          "DEBUG-PDM(n0,0):(0) (0x0000000000000000) #d getd $p0n0 1"}));
}

TEST(Dump, OmittedSelectorsExpandInNestedOrder) {
  Lab lab(full());
  const auto lines = lab.run("d get $lm0n3c1b2m15 2\nd get $lb0n1 1");
  ASSERT_EQ(lines.size(), 8u + 16u);
  EXPECT_EQ(lines[0].substr(0, 25), "DEBUG-LM0(n3c1b2m15p0,0):");
  EXPECT_EQ(lines[1].substr(0, 25), "DEBUG-LM0(n3c1b2m15p0,2):");
  EXPECT_EQ(lines[2].substr(0, 25), "DEBUG-LM0(n3c1b2m15p1,0):");
  EXPECT_EQ(lines[8].substr(0, 21), "DEBUG-L1BM(n1c0b0,0):");
  EXPECT_EQ(lines[9].substr(0, 21), "DEBUG-L1BM(n1c0b1,0):");
  EXPECT_EQ(lines[23].substr(0, 21), "DEBUG-L1BM(n1c1b7,0):");
  EXPECT_EQ(lab.run("d get $d0 1").size(), 4u);
  EXPECT_EQ(Lab(tiny()).run("d get $lr0 1").size(), 128u);
}

TEST(Dump, WordAndDoubleLongWordAccess) {
  Lab lab;
  lab.set(Mem::kLm0, kPe0, 0, V{singles(1, 2), singles(3, 4)});
  EXPECT_EQ(lab.run("d getf $m1n0c0b0m0p0 2\nd getf $llm0n0c0b0m0p0 1"),
            (Lines{"DEBUG-LM0(n0c0b0m0p0,1):(2) (0x40000000) #d getf $m1n0c0b0m0p0 2",
                   "DEBUG-LM0(n0c0b0m0p0,2):(3) (0x40400000) #d getf $m1n0c0b0m0p0 2",
                   "DEBUG-LM0(n0c0b0m0p0,0):(1, 2, 3, 4) (0x3f800000, 0x40000000, 0x40400000, 0x40800000) #d getf "
                   "$llm0n0c0b0m0p0 1"}));
}

TEST(Dump, BlockFloatsShareTheExponentOfTheirBlock) {
  Lab lab;
  for (int p = 0; p < 4; ++p) lab.set(Mem::kLm0, {0, 0, 0, 0, p}, 0, V{halves(p == 0 ? 6 : 0.5, 0, -1, 2)});
  const auto lines = lab.run("hbfn/9 $lm0 $lr0\nd getbh $lr0n0c0b0m0 1");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].substr(0, 40), "DEBUG-GREG0(n0c0b0m0p0,0):(6, 0, -1, 2) ");
  EXPECT_EQ(lines[3].substr(0, 42), "DEBUG-GREG0(n0c0b0m0p3,0):(0.5, 0, -1, 2) ");
}

// --- debug set ------------------------------------------------------------------------------------------------------

TEST(DebugSet, BroadcastsAndUsesWords) {
  Lab lab;
  lab.run(
      "d set $lm0n0c0b1 1 0123456789abcdef\nd set $m1n0c0b1m2p3 2 aaaaaaaa00000000bbbbbbbb00000000\nd set "
      "$llr0n0c0b0m0p0 1 00000000000000010000000000000002");
  for_each_pe(tiny(), [&](UnitCoord u) {
    const uint64_t value = u.b != 1 ? 0 : u.m == 2 && u.p == 3 ? 0x01234567aaaaaaaa : 0x0123456789abcdef;
    EXPECT_EQ(lab.lw(Mem::kLm0, u, 0), value);
  });
  EXPECT_EQ(lab.lw(Mem::kLm0, {0, 0, 1, 2, 3}, 1), 0xbbbbbbbb00000000u);
  EXPECT_EQ(lab.lws(Mem::kGrf0, kPe0, 0, 2), (V{1, 2}));
}

TEST(DebugSet, HostRowsFillDram) {
  Lab lab;
  lab.run("r 0 000000010 002 0000000000000005 0000000000000006");
  EXPECT_EQ(lab.lws(Mem::kDram, {0}, 16, 2), (V{5, 6}));
}

// --- runs -----------------------------------------------------------------------------------------------------------

TEST(Run, StateStaysBetweenRunsAndResetClearsIt) {
  Lab lab;
  lab.run("imm i\"5\" $lr0\nimm i\"6\" $nowrite");
  lab.run("ipassa $aluf $ls0");
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), 0x0000000500000005u);
  EXPECT_EQ(lab.lw(Mem::kGrf1, kPe0, 0), 0x0000000600000006u);
  lab.machine->reset();
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), 0u);
}

TEST(Run, CountsStepsAndUnits) {
  Lab lab;
  lab.run(
      "nop/10\nlinc $lr0v $ls0v; fvadd $lr0v $lr0v $ln0v\nnoforward; zero $lr0\nmvp/n64 $p0@0 $lc0@0.0\nnop; wait "
      "i01\nd get $lr0n0c0b0m0p0 1");
  EXPECT_EQ(lab.last.steps, 13u);
  EXPECT_EQ(lab.last.mv_count, 1u);
  EXPECT_EQ(lab.last.instruction_words(), 14u);
  EXPECT_EQ(lab.last.dump_lines, 1u);
  const auto count = [&](isa::Unit u) { return lab.last.unit_steps[static_cast<size_t>(u)]; };
  EXPECT_EQ(count(isa::Unit::kNop), 11u);
  EXPECT_EQ(count(isa::Unit::kAlu), 2u);
  EXPECT_EQ(count(isa::Unit::kMauCalc), 1u);
  EXPECT_EQ(count(isa::Unit::kMv), 1u);
  EXPECT_EQ(count(isa::Unit::kWait), 1u);
}

TEST(Run, QuitEndsTheProgram) {
  Lab lab;
  EXPECT_EQ(lab.run("imm i\"1\" $lr0\nquit\nimm i\"2\" $lr0\nd get $lr0n0c0b0m0p0 1").size(), 0u);
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), 0x0000000100000001u);
}

TEST(Run, PoisonFillsEveryMemory) {
  EmuOptions options;
  options.poison = 0xdeadbeefcafef00d;
  Lab lab(tiny(), options);
  for (Mem mem : {Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1, Mem::kT, Mem::kMatX, Mem::kMatY, Mem::kL1bm, Mem::kL2bm,
                  Mem::kPdm, Mem::kDram})
    EXPECT_EQ(lab.lw(mem, kPe0, 3), options.poison);
  lab.set(Mem::kDram, {0}, 5000, 1);
  EXPECT_EQ(lab.lw(Mem::kDram, {0}, 5001), options.poison);
  lab.run("lpassa $lm0v $lr0v");  // BARs are 0 whatever the poison
  EXPECT_EQ(lab.lw(Mem::kGrf0, kPe0, 0), options.poison);
}

TEST(Run, InterruptionEndsTheRun) {
  const auto program = vsm::assemble([] {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += "fvfma $lm0v $ln0v $lr0v $ls0v\n";
    return text;
  }());
  ASSERT_TRUE(program.ok());
  auto machine = Machine::create(full());
  ASSERT_TRUE(machine.ok());
  int polls = 0;
  RunOptions options;
  options.interrupt = [&] { return ++polls == 3; };
  const auto begin = std::chrono::steady_clock::now();
  auto report = (*machine)->run(program.program, options);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().def->name, "emu_interrupted");
  EXPECT_EQ(polls, 3);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

// --- errors ---------------------------------------------------------------------------------------------------------

std::string error_of(const std::string& text, const MachineConfig& config = tiny()) {
  auto r = run_text(config, text);
  return r.ok() ? "" : std::string(r.error().def->name);
}

TEST(Error, UnitsThatTheMachineDoesNotHave) {
  EXPECT_EQ(error_of("d get $lm0n1c0b0m0p0 1"), "emu_unit");
  EXPECT_EQ(error_of("d get $lm0n0c1b0m0p0 1"), "emu_unit");
  EXPECT_EQ(error_of("d set $lb0n0c0b2 1 0000000000000000"), "emu_unit");
  EXPECT_EQ(error_of("mvp/n64 $p0@1 $p0@0"), "emu_unit");
  EXPECT_EQ(error_of("mvp/n64 $p0@0 $lc0@0.1"), "emu_unit");
  EXPECT_EQ(error_of("l2bm@2 $lb0 $lc0"), "emu_unit");
  EXPECT_EQ(error_of("r 1 000000000 001 0000000000000000"), "emu_unit");
  EXPECT_EQ(error_of("mvp/n64 $p0@1 $lc0@3.1", full()), "");
}

TEST(Error, NamesTheLine) {
  auto r = run_text(tiny(), "nop\nnop\nd get $lm0n3 1\n", {}, "kernel.vsm");
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().where.file, "kernel.vsm");
  EXPECT_EQ(r.error().where.line, 3u);
}

TEST(Error, AssemblyErrorsComeThrough) { EXPECT_FALSE(run_text(tiny(), "frobnicate $lr0 $lr0").ok()); }

TEST(Error, AccessOutsideTheMemory) {
  Lab lab;
  const auto name = [&](Mem mem, UnitCoord u, int64_t addr) {
    auto r = lab.machine->read_lw(mem, u, addr);
    return r.ok() ? std::string() : std::string(r.error().def->name);
  };
  EXPECT_EQ(name(Mem::kLm0, kPe0, 2047), "");
  EXPECT_EQ(name(Mem::kLm0, kPe0, 2048), "emu_memory");
  EXPECT_EQ(name(Mem::kLm0, kPe0, -1), "emu_memory");
  EXPECT_EQ(name(Mem::kLm0, {0, 0, 2, 0, 0}, 0), "emu_unit");
  EXPECT_EQ(name(Mem::kDram, {0}, (int64_t{1} << 29) - 1), "");
  EXPECT_EQ(name(Mem::kDram, {0}, int64_t{1} << 29), "emu_memory");
  EXPECT_EQ(name(Mem::kPeid, kPe0, 0), "emu_memory");
  V buffer(4);
  EXPECT_FALSE(lab.machine->read_span(Mem::kT, kPe0, 6, buffer).ok());
}

// --- cost of being there --------------------------------------------------------------------------------------------

double resident_mib() {
  long total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

TEST(Footprint, UntouchedUnitsCostNothingAndAllOfThemFit) {
  const double before = resident_mib();
  Lab lab(full());
  lab.run("d get $lm0n0c0b0m0p0 1\nmvp/n64 $d0@0 $lc0@0.0");
  EXPECT_LT(resident_mib() - before, 8);
  std::string text;
  for (int row = 0; row < 4096; row += 8)
    for (const char* m : {"m", "n"}) text += "zero $l" + std::string(m) + std::to_string(row) + "v\n";
  for (int row = 0; row < 512; row += 8)
    for (const char* m : {"r", "s"}) text += "zero $l" + std::string(m) + std::to_string(row) + "v\n";
  for (int row = 0; row < 8192; row += 256) text += "l1bmd $lm0v $lb" + std::to_string(row) + "\n";
  lab.run(text);
  EXPECT_GT(resident_mib() - before, 140);  // it was touched
  EXPECT_LT(resident_mib() - before, 200);
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
