// The law of execution order (emu/machine.h): segment order, step order and any number of threads reach the same
// states, dumps and findings; a small machine agrees with the corresponding part of the full one.
//
// Programs are random (emu_random.h).
#include <algorithm>

#include "tests/cpp/emu_random.h"
#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

// Every word that can be seen from outside, of the units that `part` has.
std::vector<uint64_t> image(const Machine& machine, const MachineConfig& part, bool upper_levels = true) {
  std::vector<uint64_t> all;
  const auto add = [&](Mem mem, UnitCoord u, size_t count) {
    const size_t at = all.size();
    all.resize(at + count);
    EXPECT_TRUE(machine.read_span(mem, u, 0, std::span(all).subspan(at, count)).ok());
  };
  for_each_pe(part, [&](UnitCoord u) {
    for (Mem mem : {Mem::kLm0, Mem::kLm1}) add(mem, u, 128);
    for (Mem mem : {Mem::kGrf0, Mem::kGrf1}) add(mem, u, 64);
    add(Mem::kT, u, 8);
  });
  for_each_mab(part, [&](UnitCoord u) {
    add(Mem::kMatX, u, 64);
    add(Mem::kMatY, u, 64);
  });
  for_each_l1b(part, [&](UnitCoord u) { add(Mem::kL1bm, u, 1024); });
  if (!upper_levels) return all;
  for_each_l2b(part, [&](UnitCoord u) { add(Mem::kL2bm, u, 1024); });
  for (int g = 0; g < part.groups; ++g) {
    add(Mem::kPdm, {g}, 512);
    add(Mem::kDram, {g}, 512);
  }
  return all;
}

struct Outcome {
  std::vector<uint64_t> image;
  std::vector<std::string> dumps;
  std::vector<std::string> findings;
};

Outcome outcome(const MachineConfig& config, const isa::Program& program, const EmuOptions& options,
                const MachineConfig& part) {
  auto machine = Machine::create(config, options);
  EXPECT_TRUE(machine.ok());
  Outcome out;
  RunOptions run;
  run.sink = [&](std::string_view line) { out.dumps.emplace_back(line); };
  auto report = (*machine)->run(program, run);
  EXPECT_TRUE(report.ok()) << (report.ok() ? "" : render_text(report.error()));
  out.image = image(**machine, part);
  for (const Diagnostic& d : (*machine)->findings()) out.findings.push_back(render_text(d));
  return out;
}

// The law of paths: kernels give the bits of the semantic functions.
TEST(Order, PathsAgree) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const auto program = random_program(seed, false, 150);
    const Outcome scalar = outcome(tiny(), program, {.path = fast::Path::kScalar}, tiny());
    for (const fast::Path path : {fast::Path::kAvx2, fast::Path::kAvx512}) {
      if (!fast::path_available(path)) continue;
      const Outcome fast = outcome(tiny(), program, {.threads = 2, .path = path}, tiny());
      ASSERT_TRUE(scalar.image == fast.image) << "seed " << seed << " path " << fast::path_name(path);
      ASSERT_EQ(scalar.dumps, fast.dumps) << "seed " << seed;
    }
  }
}

TEST(Order, SegmentsAndStepsAgree) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 150);
    for (const bool strict : {false, true}) {
      EmuOptions steps{.strict = strict, .order = Order::kSteps}, segments{.strict = strict};
      const Outcome a = outcome(tiny(), program, steps, tiny()), b = outcome(tiny(), program, segments, tiny());
      EXPECT_TRUE(a.image == b.image);
      EXPECT_EQ(a.dumps, b.dumps);
      EXPECT_EQ(a.findings, b.findings);
    }
  }
}

TEST(Order, StrictModeChangesNoValue) {
  for (uint64_t seed = 100; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 150);
    const Outcome a = outcome(tiny(), program, {}, tiny()), b = outcome(tiny(), program, {.strict = true}, tiny());
    EXPECT_TRUE(a.image == b.image);
    EXPECT_EQ(a.dumps, b.dumps);
  }
}

TEST(Order, ThreadsDoNotMatter) {
  for (uint64_t seed = 200; seed <= 204; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 100);
    const Outcome one = outcome(full(), program, {.strict = true, .threads = 1}, full());
    for (int threads : {2, 3}) {
      const Outcome more = outcome(full(), program, {.strict = true, .threads = threads}, full());
      EXPECT_TRUE(one.image == more.image);
      EXPECT_EQ(one.dumps, more.dumps);
      EXPECT_EQ(one.findings, more.findings);
    }
    const Outcome steps = outcome(full(), program, {.strict = true, .threads = 2, .order = Order::kSteps}, full());
    EXPECT_TRUE(one.image == steps.image);
    EXPECT_EQ(one.findings, steps.findings);
  }
}

TEST(Order, TheSmallMachineIsAPartOfTheFullOne) {
  for (uint64_t seed = 300; seed <= 305; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, true, 120);
    const Outcome small = outcome(tiny(), program, {}, tiny()), big = outcome(full(), program, {.threads = 2}, tiny());
    EXPECT_TRUE(small.image == big.image);
    EXPECT_EQ(small.dumps, big.dumps);
  }
}

TEST(Order, ProgramsMayBeCutAnywhere) {
  for (uint64_t seed = 400; seed <= 410; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 150);
    const Outcome whole = outcome(tiny(), program, {}, tiny());
    auto machine = Machine::create(tiny());
    std::vector<std::string> dumps;
    RunOptions run;
    run.sink = [&](std::string_view line) { dumps.emplace_back(line); };
    for (size_t at = 0; at < program.lines.size(); at += 7) {
      isa::Program part;
      part.lines.assign(program.lines.begin() + static_cast<long>(at),
                        program.lines.begin() + static_cast<long>(std::min(at + 7, program.lines.size())));
      ASSERT_TRUE((*machine)->run(part, run).ok());
    }
    EXPECT_TRUE(whole.image == image(**machine, tiny()));
    EXPECT_EQ(whole.dumps, dumps);
  }
}

// Values that are defined do not depend on what memories held before. (Without addresses out of T: a store to an
// undefined address may land anywhere.)
TEST(Order, PoisonReachesNoDefinedWord) {
  for (uint64_t seed = 500; seed <= 530; ++seed) {
    SCOPED_TRACE(seed);
    const auto program = random_program(seed, false, 150, false);
    auto a = Machine::create(tiny(), {.strict = true, .poison = 0x5555555555555555});
    auto b = Machine::create(tiny(), {.strict = true, .poison = 0xbeefca7e01f2d3c4});
    ASSERT_TRUE((*a)->run(program).ok());
    ASSERT_TRUE((*b)->run(program).ok());
    int64_t differing = 0, compared = 0;
    const auto check = [&](Mem mem, UnitCoord u, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const uint8_t lanes = *(*a)->defined_lanes(mem, u, i);
        const uint64_t x = *(*a)->read_lw(mem, u, i), y = *(*b)->read_lw(mem, u, i);
        EXPECT_EQ(lanes, *(*b)->defined_lanes(mem, u, i));
        for (int k = 0; k < 4; ++k) {
          if ((lanes >> (3 - k) & 1) == 0) continue;
          ++compared;
          differing += (x ^ y) >> (48 - 16 * k) & 0xffff ? 1 : 0;
        }
      }
    };
    for_each_pe(tiny(), [&](UnitCoord u) {
      for (Mem mem : {Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1}) check(mem, u, 64);
      check(Mem::kT, u, 8);
    });
    for_each_l1b(tiny(), [&](UnitCoord u) { check(Mem::kL1bm, u, 1024); });
    for_each_l2b(tiny(), [&](UnitCoord u) { check(Mem::kL2bm, u, 512); });
    EXPECT_EQ(differing, 0);
    EXPECT_GT(compared, 50000);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
