// Distances between writes and reads: the examples of the manual, and the rules as tables.
#include <gtest/gtest.h>

#include <set>

#include "targets/mncore2/hazard/rules.h"
#include "targets/mncore2/isa/build.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Mem;
using isa::Operand;
using isa::Prec;
using isa::Width;

Access access(const Insn& insn, AccessKind kind) {
  std::vector<Access> all;
  append_accesses(insn, {}, all);
  for (const Access& a : all)
    if (a.kind == kind) return a;
  ADD_FAILURE() << "no such access";
  return {};
}
Access write_of(const Operand& dst, AccessKind kind) { return access(isa::make_imm(1, "i\"1\"", {dst}), kind); }
Access read_of(const Operand& src, AccessKind kind) {
  return access(isa::make("passa", Prec::kL, {src}, {isa::nowrite()}), kind);
}

// (read cycle - write cycle - 1) >= 6, cycles counted four per step: brute force against the closed form.
TEST(DataRule, IsTheCycleRule) {
  for (int latency : {6, 10})
    for (int w = 0; w < 4; ++w)
      for (int r = 0; r < 4; ++r) {
        int gap = 0;
        while (4 * (gap + 1) + r - w - 1 < latency) ++gap;
        EXPECT_EQ(data_gap_steps(latency, w, r), gap) << latency << " " << w << " " << r;
      }
}

// ISA 9.1 [V]: `imm $r0/1000; nop; read` has 7 cycles, /0100 has 6, /0010 and /0001 fail.
TEST(DataRule, ManualsMaskExample) {
  const Access read = read_of(isa::grf0(0, Width::kW), AccessKind::kGrfRead);
  auto gap = [&](int pattern) {
    return min_gap_steps(
        write_of(isa::masked(isa::grf0(0, Width::kW), isa::mask_cycles(pattern)), AccessKind::kGrfWrite), read);
  };
  EXPECT_EQ(gap(0b1000), 1);
  EXPECT_EQ(gap(0b0100), 1);
  EXPECT_EQ(gap(0b0010), 2);
  EXPECT_EQ(gap(0b0001), 2);
  EXPECT_EQ(gap(0b0000), 0) << "nothing is written";
  EXPECT_EQ(
      min_gap_steps(write_of(isa::masked(isa::grf0(0, Width::kW), isa::mask_entry(3)), AccessKind::kGrfWrite), read), 2)
      << "a variable mask may write in every cycle";
}

TEST(DataRule, GrfByAddressAndCycle) {
  const Access write = write_of(isa::grf0(0, Width::kLw, 2), AccessKind::kGrfWrite);
  EXPECT_EQ(min_gap_steps(write, read_of(isa::grf0(0, Width::kLw, 2), AccessKind::kGrfRead)), 1) << "same cycle index";
  EXPECT_EQ(min_gap_steps(write, read_of(isa::grf0(8, Width::kLw, 2), AccessKind::kGrfRead)), 0) << "other addresses";
  EXPECT_EQ(min_gap_steps(write, read_of(isa::grf1(0, Width::kLw, 2), AccessKind::kGrfRead)), 0) << "the other file";
  EXPECT_EQ(min_gap_steps(write, read_of(isa::grf0(6), AccessKind::kGrfRead)), 2)
      << "written in cycle 3, read in cycle 0";
  EXPECT_EQ(min_gap_steps(write, read_of(isa::grf0(7, Width::kW), AccessKind::kGrfRead)), 2) << "half of the long word";
  // Dummy addresses in early cycles buy a step (published technique).
  EXPECT_EQ(
      min_gap_steps(write, read_of(isa::pe_flat(Mem::kGrf0, {128, 128, 128, 6}, Width::kLw), AccessKind::kGrfRead)), 1);
}

TEST(PortRule, LmAnyAddress) {
  const Access write = write_of(isa::lm1(0), AccessKind::kLmWrite);
  const Rule* why = nullptr;
  EXPECT_EQ(min_gap_steps(write, read_of(isa::lm1(4000), AccessKind::kLmRead), default_profile(), &why), 2);
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->id, "lm_port");
  EXPECT_EQ(min_gap_steps(write, read_of(isa::lm0(0), AccessKind::kLmRead)), 0) << "the other bank";
  EXPECT_TRUE(legal(write, read_of(isa::lm1(0), AccessKind::kLmRead), 2));
  EXPECT_FALSE(legal(write, read_of(isa::lm1(0), AccessKind::kLmRead), 1));
}

TEST(DataRule, TAndIndirection) {
  const Access write = write_of(isa::t(), AccessKind::kTWrite);
  EXPECT_EQ(min_gap_steps(write, read_of(isa::t(), AccessKind::kTRead)), 1);
  Operand indirect = isa::lm0(0);
  indirect.t_indirect = true;
  EXPECT_EQ(min_gap_steps(write, read_of(indirect, AccessKind::kTRead)), 1) << "$lmt reads T";
  EXPECT_EQ(min_gap_steps(write_of(isa::plain(Mem::kBar1), AccessKind::kBarWrite),
                          read_of(isa::lm1(0), AccessKind::kBarRead)),
            2);
}

// ISA 9.2: the pairs of L1BM and L2BM.
TEST(TreeRules, L1bmAndL2bm) {
  auto up = [](int64_t addr, Width w = Width::kLw) {
    Insn insn = isa::make_form("l1bmm", "up", {isa::grf0(0, w, isa::width_words(w))}, {isa::l1bm(addr, w)});
    insn.mab = 0;
    return access(insn, AccessKind::kL1bmFromPe);
  };
  auto down = [](int64_t addr) {
    return access(isa::make_form("l1bmm", "down", {isa::l1bm(addr)}, {isa::nowrite()}), AccessKind::kL1bmToPe);
  };
  const Insn l2bmd_up = isa::make_form("l2bmd", "up", {isa::l1bm(0)}, {isa::l2bm(0)});
  const Insn l2bmb = isa::make_form("l2bmb", "down", {isa::l2bm(0)}, {isa::l1bm(0)});
  // .8: any address.
  EXPECT_EQ(min_gap_steps(up(0), down(1024)), 2);
  // .7: long words need three steps, double long words two (both are what published code does).
  EXPECT_EQ(min_gap_steps(up(0), access(l2bmd_up, AccessKind::kL1bmToL2bm)), 3);
  EXPECT_EQ(min_gap_steps(up(0, Width::kDlw), access(l2bmd_up, AccessKind::kL1bmToL2bm)), 2);
  EXPECT_EQ(min_gap_steps(up(112), access(l2bmd_up, AccessKind::kL1bmToL2bm)), 0) << "other addresses";
  // .6: the six-cycle rule.
  EXPECT_EQ(min_gap_steps(access(l2bmb, AccessKind::kL1bmFromL2bm), down(0)), 1);
  EXPECT_EQ(min_gap_steps(access(l2bmb, AccessKind::kL1bmFromL2bm), down(64)), 0);
  // .2, .3: turning round.
  EXPECT_EQ(min_gap_steps(access(l2bmd_up, AccessKind::kL2bmWrite), access(l2bmb, AccessKind::kL2bmRead)), 2);
  EXPECT_EQ(min_gap_steps(access(l2bmb, AccessKind::kL1bmFromL2bm), access(l2bmd_up, AccessKind::kL1bmToL2bm)), 2);
  // Estimates are no part of the published rules.
  const Profile* published = find_profile("published");
  ASSERT_NE(published, nullptr);
  EXPECT_EQ(min_gap_steps(up(0), access(l2bmd_up, AccessKind::kL1bmToL2bm), *published), 0);
  EXPECT_EQ(min_gap_steps(up(0), down(1024), *published), 2);
  EXPECT_EQ(find_profile("none"), nullptr);
}

TEST(Rules, AreComplete) {
  std::set<std::string_view> ids;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(is_write(rule.write) && !is_write(rule.read)) << rule.id;
    EXPECT_FALSE(rule.doc.empty() || rule.source.empty()) << rule.id;
    EXPECT_EQ(rule.form == RuleForm::kData, rule.latency_cycles > 0) << rule.id;
  }
  EXPECT_EQ(max_gap_steps(default_profile()), 3);
}

}  // namespace
}  // namespace kumihimo::mncore2::hazard
