// DRAM through the address table (ISA 4.5): l2bmdars, l2bmdarw, `$di` and nd, against loops written from the text.
#include "targets/mncore2/emu/machine.h"
#include "tests/cpp/emu_support.h"

namespace kumihimo::mncore2::emu {
namespace {

constexpr int64_t kBlocks = 64;  // blocks of 16 long words that the tests use

class DarTest : public ::testing::TestWithParam<const char*> {
 protected:
  DarTest() : config(*find_machine(GetParam())), rng(11) {}

  // Random DRAM contents, and random addresses of blocks in L2BM `sub` of every group, from long word 0 on.
  void prepare(Lab& lab, int sub = 0) {
    for (int g = 0; g < config.groups; ++g) {
      dram[g] = random_lws(rng, 16 * kBlocks);
      lab.set(Mem::kDram, {g, 0, 0, 0, 0}, 0, dram[g]);
      std::vector<uint64_t> packed(256);
      block[g].assign(512, 0);
      for (size_t k = 0; k < 256; ++k) {
        block[g][2 * k] = rng() % (kBlocks - 4), block[g][2 * k + 1] = rng() % (kBlocks - 4);
        packed[k] = block[g][2 * k] << 32 | block[g][2 * k + 1];
      }
      lab.set(Mem::kL2bm, {g, sub, 0, 0, 0}, 0, packed);
    }
  }
  uint64_t at(int g, size_t entry, int64_t n, int repeat) const {
    const int64_t b = n / 16;
    return dram[g][16 * (block[g][entry + static_cast<size_t>(b / repeat)] + static_cast<uint64_t>(b % repeat)) +
                   static_cast<uint64_t>(n % 16)];
  }

  const MachineConfig& config;
  std::mt19937_64 rng;
  std::vector<uint64_t> dram[4], block[4];
};
INSTANTIATE_TEST_SUITE_P(Machines, DarTest, ::testing::Values("mncore2", "mncore2-tiny"),
                         [](const auto& p) { return std::string(p.param) == "mncore2" ? "full" : "tiny"; });

std::string times(const char* line, int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += line;
  return text;
}

TEST_P(DarTest, BlocksComeFromTheirEntries) {
  Lab lab(config);
  prepare(lab);
  // 128 steps of four entries move the 512 entries of the buffer.
  lab.run("l2bmdars $lc0@.0 $dar100\n" + times("l2bmdarw\n", 128) +
          "mvp/n256 $di108@0 $p0@0\nmvp/n128 $di100 $lc256@.0\n");
  for (int64_t n = 0; n < 256; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, n), at(0, 8, n, 1)) << n;
  for (int g = 0; g < config.groups; ++g)
    for (int64_t n = 0; n < 128; ++n) EXPECT_EQ(lab.lw(Mem::kL2bm, {g, 0, 0, 0, 0}, 256 + n), at(g, 0, n, 1)) << g << n;
  lab.run("mvp/n64 $di608@0 $p0@0\n");
  for (int64_t n = 0; n < 64; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, n), at(0, 508, n, 1)) << n;
}

TEST_P(DarTest, OneEntryServesSeveralBlocks) {
  Lab lab(config);
  prepare(lab);
  lab.run("l2bmdars $lc0@.0 $dar0\n" + times("nop; wait i01\nl2bmdarw\n", 8) + "mvp/n192nd3 $di4@0 $p0@0\n");
  for (int64_t n = 0; n < 192; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, n), at(0, 4, n, 3)) << n;
}

TEST_P(DarTest, WritesGoThroughTheTable) {
  Lab lab(config);
  prepare(lab);
  const auto words = random_lws(rng, 64);
  lab.set(Mem::kPdm, {}, 0, words);
  lab.run("l2bmdars $lc0@.0 $dar0\nl2bmdarw\nmvp/n64 $p0@0 $di0@0\n");
  for (int64_t n = 0; n < 64; ++n) {
    const int64_t b = n / 16;
    bool later = false;  // a later block went to the same place
    for (int64_t k = b + 1; k < 4; ++k)
      later = later || block[0][static_cast<size_t>(k)] == block[0][static_cast<size_t>(b)];
    if (later) continue;
    EXPECT_EQ(lab.lw(Mem::kDram, {}, 16 * static_cast<int64_t>(block[0][static_cast<size_t>(b)]) + n % 16),
              words[static_cast<size_t>(n)]);
  }
}

TEST_P(DarTest, ADistributionReadsEveryGroupsTable) {
  Lab lab(config);
  prepare(lab);
  lab.run("l2bmdars $lc0@.0 $dar0\nl2bmdarw\nmvd/n128nd2 $di0 $p0@0\nmvb2/n64 $di0 $lc512\n");
  for (int g = 0; g < config.groups; ++g) {
    for (int64_t i = 0; i < 2; ++i)
      for (int64_t k = 0; k < 16; ++k) EXPECT_EQ(lab.lw(Mem::kPdm, {}, 64 * i + 16 * g + k), at(g, 0, 16 * i + k, 2));
    for (int64_t n = 0; n < 64; ++n) EXPECT_EQ(lab.lw(Mem::kL2bm, {g, 0, 0, 0, 0}, 512 + n), at(g, 0, n, 1));
  }
}

TEST_P(DarTest, AStepReadsBeforeItWrites) {
  Lab lab(config);
  prepare(lab);
  // The l2bmdarw beside the second l2bmdars still moves entries 4..7 of the first buffer; the next one starts again.
  lab.run("l2bmdars $lc0@.0 $dar0\nl2bmdarw\nl2bmdars $lc64@.0 $dar512; l2bmdarw\nl2bmdarw\n");
  lab.run("mvp/n128 $di0@0 $p0@0\nmvp/n64 $di512@0 $p128@0\n");
  for (int64_t n = 0; n < 128; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, n), at(0, 0, n, 1)) << n;
  for (int64_t n = 0; n < 64; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, 128 + n), at(0, 128, n, 1)) << n;
}

TEST_P(DarTest, AnUploadBeforeALoadIsSeenAndOneBehindItIsNot) {
  Lab lab(config);
  prepare(lab);
  lab.run(
      "zero $lr0v; noforward\nnop/2\nl1bmm@0 $lr0v $lb0\nl1bmm@0 $lr0v $lb16\nl1bmm@0 $lr0v $lb32\nl1bmm@0 $lr0v "
      "$lb48\nnop/4\n"
      "l2bm@0 $lb0 $lc0\nl2bmdars $lc0@.0 $dar0\nl2bmd $lb0 $lc0; l2bmdarw\nmvp/n64 $di0@0 $p0@0\n");
  for (int64_t n = 0; n < 64; ++n) EXPECT_EQ(lab.lw(Mem::kPdm, {}, n), dram[0][static_cast<size_t>(n % 16)]) << n;
}

TEST(Dar, SwitchesReadTheTextOtherwise) {
  auto first_blocks = [](const char* name, const char* value, const char* program) {
    EmuOptions options;
    EXPECT_TRUE(num::set_switch(options.switches, name, value));
    Lab lab(tiny(), options);
    for (int64_t b = 0; b < 16; ++b) lab.set(Mem::kDram, {}, 16 * b, static_cast<uint64_t>(b));
    for (int64_t k = 0; k < 8; ++k)
      lab.set(Mem::kL2bm, {}, k, static_cast<uint64_t>(2 * k) << 32 | static_cast<uint64_t>(2 * k + 1));
    lab.run(program);
    return std::vector<uint64_t>{lab.lw(Mem::kPdm, {}, 0), lab.lw(Mem::kPdm, {}, 16), lab.lw(Mem::kPdm, {}, 32)};
  };
  using Words = std::vector<uint64_t>;
  const char* once = "l2bmdars $lc0@.0 $dar0\nl2bmdarw\nmvp/n64 $di2@0 $p0@0\n";
  EXPECT_EQ(first_blocks("dar_packing", "msb_first", once), (Words{2, 3, 0})) << "four entries, the fifth is still 0";
  EXPECT_EQ(first_blocks("dar_packing", "lsb_first", once), (Words{3, 2, 0}));
  EXPECT_EQ(first_blocks("dar_write", "whole_buffer", once), (Words{2, 3, 4}));
}

TEST(Dar, StrictModeFollowsTheAddresses) {
  EmuOptions options;
  options.strict = true;
  using Names = std::vector<std::string>;
  {
    Lab lab(tiny(), options);
    lab.run("mvp/n64 $di0@0 $p0@0\n");
    EXPECT_EQ(lab.findings(), Names{"undefined_address"});
  }
  {
    Lab lab(tiny(), options);
    lab.set(Mem::kL2bm, {}, 0, std::vector<uint64_t>(256, 0));
    lab.run("l2bmdars $lc0@.0 $dar1022\nl2bmdarw\n");
    EXPECT_EQ(lab.findings(), Names{"address_out_of_range"});
  }
  Lab lab(tiny(), options);
  lab.set(Mem::kL2bm, {}, 0, std::vector<uint64_t>(256, 0));
  lab.run("l2bmdars $lc0@.0 $dar0\nl2bmdarw\nl2bmdarw\nmvp/n64i01 $di0@0 $p0@0\nl2bmdarw\nnop; wait i01\nl2bmdarw\n");
  EXPECT_EQ(lab.findings(), Names{}) << "other entries than the MV reads";
  lab.run("mvp/n64i01 $di0@0 $p0@0\nl2bmdars $lc0@.0 $dar0\nl2bmdarw\nnop; wait i01\n");
  EXPECT_EQ(lab.findings(), Names{"word_in_flight"});
  Lab other(tiny(), options);
  other.set(Mem::kPdm, {}, 0, std::vector<uint64_t>(64, 0));
  other.run("mvp/n64i01 $p0@0 $lc0@0.0\nl2bmdars $lc0@.0 $dar0\n");
  EXPECT_EQ(other.findings(), Names{"word_in_flight"}) << "L2BM is read while an MV writes it";
}

TEST(Dar, StateIsKeptBetweenRunsAndClearedByReset) {
  Lab lab;
  for (int64_t b = 0; b < 4; ++b) lab.set(Mem::kDram, {}, 16 * b, static_cast<uint64_t>(b + 10));
  lab.set(Mem::kL2bm, {}, 0, uint64_t{3} << 32 | 2);
  lab.run("l2bmdars $lc0@.0 $dar0\n");
  lab.run("l2bmdarw\n");
  lab.run("mvp/n64 $di0@0 $p0@0\n");
  EXPECT_EQ(lab.lw(Mem::kPdm, {}, 0), 13u);
  lab.machine->reset();
  lab.set(Mem::kDram, {}, 0, uint64_t{99});
  lab.run("l2bmdarw\nmvp/n64 $di0@0 $p0@0\n");
  EXPECT_EQ(lab.lw(Mem::kPdm, {}, 0), 99u) << "entry 0, and an empty buffer";
}

// The one public `c` line: its tag is complete and its words are in PDM 0.
TEST(HostTransfer, FillsPdm) {
  EmuOptions options;
  options.strict = true;
  Lab lab(tiny(), options);
  lab.run("c 0 0 i10 i00 0 000022000 001 0123456789ABCDEF\nnop; wait i10\nmvp/n64 $p139264@0 $d0@0\n");
  EXPECT_EQ(lab.lw(Mem::kDram, {}, 0), 0x0123456789ABCDEFu);
  EXPECT_TRUE(lab.findings().empty());
}

}  // namespace
}  // namespace kumihimo::mncore2::emu
