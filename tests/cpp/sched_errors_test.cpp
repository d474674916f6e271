// Refusals of the scheduler: each names what does not go and why; and programs that only just fit do.
#include <gtest/gtest.h>

#include <array>

#include "targets/mncore2/sched/build.h"
#include "targets/mncore2/sched/schedule.h"
#include "tests/cpp/sched_tokens.h"

namespace kumihimo::mncore2::sched {
namespace {

using isa::Prec;
using isa::Width;

class ScheduleErrors : public testing::Test {
 protected:
  static void SetUpTestSuite() { register_diagnostics(diagnostics().data(), diagnostics().size()); }

  VRegId reg(const std::string& name, int rows, BankSet allowed = kAnyBank) {
    VReg r;
    r.name = name;
    r.rows = rows;
    r.align = rows % 2 == 0 ? 2 : 1;
    r.allowed = allowed;
    return program.add_reg(r);
  }
  VBufId buf(const std::string& name, isa::Mem mem, int64_t size) {
    VBuf b;
    b.name = name;
    b.mem = mem;
    b.size_lw = size;
    return program.add_buf(b);
  }
  std::string code(const ScheduleOptions& options = {}) {
    auto s = schedule(program, options);
    if (s.ok()) return "ok";
    text = render_text(s.error());
    return std::string(s.error().def->code);
  }

  VProgram program;
  Builder b{program};
  std::string text;
};

// 300 rows alive at once where only one GRF of 256 is allowed.
TEST_F(ScheduleErrors, RegistersThatDoNotFitAreNamed) {
  std::vector<VRegId> regs;
  for (int i = 0; i < 75; ++i) {
    regs.push_back(reg("v" + std::to_string(i), 4, bank_bit(Bank::kGrf0)));
    b.emit("zero", {}, {use_rows(regs.back(), 0)});
  }
  const VRegId sum = reg("sum", 4, bank_bit(Bank::kLm0));
  program.regs[sum].output = true;
  // Backwards: everything stays alive to the middle. Two steps apart, so that nothing is forwarded.
  for (int i = 74; i >= 0; --i)
    b.emit("inc", Prec::kI, {use_rows(regs[static_cast<size_t>(i)], 0)}, {use_rows(sum, 0)});
  EXPECT_EQ(code({.sequential = true}), "K5001");
  EXPECT_NE(text.find("GRF0"), std::string::npos) << text;
  EXPECT_NE(text.find("of 256"), std::string::npos) << text;
}

// The same demand with a choice of banks fits.
TEST_F(ScheduleErrors, OtherBanksTakeTheRest) {
  std::vector<VRegId> regs;
  for (int i = 0; i < 75; ++i) {
    regs.push_back(reg("v" + std::to_string(i), 4, kGrfBanks | bank_bit(Bank::kLm1)));
    b.emit("zero", {}, {use_rows(regs.back(), 0)});
  }
  const VRegId sum = reg("sum", 4, bank_bit(Bank::kLm0));
  program.regs[sum].output = true;
  for (int i = 74; i >= 0; --i)
    b.emit("inc", Prec::kI, {use_rows(regs[static_cast<size_t>(i)], 0)}, {use_rows(sum, 0)});
  EXPECT_EQ(code({.sequential = true}), "ok") << text;
}

TEST_F(ScheduleErrors, RegisterLargerThanItsBanks) {
  const VRegId big = reg("big", 400, kGrfBanks);
  b.emit("zero", {}, {use_rows(big, 396)});
  b.emit("zero", {}, {use_rows(big, 0)});
  program.regs[big].output = true;
  EXPECT_EQ(code(), "K5004");
  EXPECT_NE(text.find("big"), std::string::npos) << text;
}

TEST_F(ScheduleErrors, TreeBufferTooLarge) {
  const VBufId a = buf("a", isa::Mem::kL1bm, 8256);
  const VRegId x = reg("x", 4), y = reg("y", 4);
  b.emit("zero", {}, {use_rows(y, 0)});
  b.emit("l1bmd", {use_rows(y, 0)}, {use_buf(a, 0)});
  b.emit("l1bmd", {use_buf(a, 0)}, {use_rows(x, 0)});
  program.regs[x].output = true;
  EXPECT_EQ(code(), "K5001");
  EXPECT_NE(text.find("L1BM"), std::string::npos) << text;
  EXPECT_NE(text.find("8256"), std::string::npos) << text;
}

// Six buffers of 2048 in L1BM's 8192: all can be started at once, four fit. The scheduler begins fewer at a time.
TEST_F(ScheduleErrors, BuffersShareTreeMemoryInTime) {
  const VRegId y = reg("y", 4), x = reg("x", 24);
  program.regs[x].output = true;
  b.emit("zero", {}, {use_rows(y, 0)});
  for (int i = 0; i < 6; ++i) {
    const VBufId a = buf("a" + std::to_string(i), isa::Mem::kL1bm, 2048);
    b.emit("l1bmd", {use_rows(y, 0)}, {use_buf(a, 256 * i)});
    b.emit("l1bmd", {use_buf(a, 256 * i)}, {use_rows(x, 4 * i)});
  }
  auto s = schedule(program);
  ASSERT_TRUE(s.ok()) << render_text(s.error());
  EXPECT_LE(s->stats.peak_l1bm_lw, 8192);
  VirtualExecutor sequential(program);
  sequential.run();
  TimedExecutor timed;
  timed.run(s->program);
  const RegPlace place = s->output_place(x);
  const isa::Mem mem =
      std::array{isa::Mem::kLm0, isa::Mem::kLm1, isa::Mem::kGrf0, isa::Mem::kGrf1}[static_cast<size_t>(place.bank)];
  for (int64_t w = 0; w < 48; ++w)
    EXPECT_EQ(timed.pe(mem, 2 * place.addr_lw + w), sequential.regs[x][static_cast<size_t>(w)]);
}

TEST_F(ScheduleErrors, ThreeMatricesAtOnce) {
  const VRegId x = reg("x", 8), y = reg("y", 8);
  b.emit("zero", {}, {use_rows(x, 0, Width::kDlw)});
  program.num_mats = 3;
  for (uint32_t m = 0; m < 3; ++m)
    b.emit("mwrite", Prec::kH, {use_rows(x, 0, Width::kDlw)}, {use_matrix(m, 0, Width::kDlw)});
  for (uint32_t m = 0; m < 3; ++m)
    b.emit("mmul", Prec::kH, {use_matrix(m), use_rows(x, 0)}, {use_rows(y, 0, Width::kDlw)});
  EXPECT_EQ(code(), "K5002");
}

TEST_F(ScheduleErrors, SixteenMasksAtOnce) {
  const VRegId x = reg("x", 4), y = reg("y", 4);
  program.regs[y].output = true;
  b.emit("zero", {}, {use_rows(x, 0)});
  b.emit("zero", {}, {use_rows(y, 0)});
  program.num_masks = 16;
  for (uint32_t m = 0; m < 16; ++m) b.emit("passa", Prec::kS, {use_rows(x, 0)}, {}).writes_mask = m;
  for (uint32_t m = 0; m < 16; ++m) b.emit("passa", Prec::kS, {use_rows(x, 0)}, {use_rows(y, 0)}).write_mask = m;
  EXPECT_EQ(code(), "K5003");
  // One fewer is legal.
  program.insns.clear();
  b.emit("zero", {}, {use_rows(x, 0)});
  b.emit("zero", {}, {use_rows(y, 0)});
  for (uint32_t m = 0; m < 15; ++m) b.emit("passa", Prec::kS, {use_rows(x, 0)}, {}).writes_mask = m;
  for (uint32_t m = 0; m < 15; ++m) b.emit("passa", Prec::kS, {use_rows(x, 0)}, {use_rows(y, 0)}).write_mask = m;
  EXPECT_EQ(code(), "ok") << text;
}

TEST_F(ScheduleErrors, NoPortForASource) {
  const VRegId x = reg("x", 8, bank_bit(Bank::kGrf0)), y = reg("y", 4);
  program.regs[y].output = true;
  b.emit("zero", {}, {use_rows(x, 0)});
  b.emit("zero", {}, {use_rows(x, 4)});
  b.emit("add", Prec::kI, {use_rows(x, 0), use_row_list(x, {3, 2, 1, 0})}, {use_rows(y, 0)});
  EXPECT_EQ(code({.evaluations = 0}), "K5006");
  EXPECT_NE(text.find("add"), std::string::npos) << text;
}

TEST_F(ScheduleErrors, MalformedPrograms) {
  const VRegId x = reg("x", 4);
  b.emit("zero", {}, {use_rows(x, 2)});
  EXPECT_EQ(code(), "K5005");
  EXPECT_NE(text.find("x"), std::string::npos);
  program.insns.clear();
  b.emit("zero", {}, {use_rows(99, 0)});
  EXPECT_EQ(code(), "K5005");
  program.insns.clear();
  b.emit("zero", {}, {use_row_list(x, {0, 1, 0, 1}, Width::kDlw)});
  EXPECT_EQ(code(), "K5005");
  program.insns.clear();
  const VBufId l1 = buf("l1", isa::Mem::kL1bm, 64);
  b.emit("l1bmd", {use_buf(l1, 0)}, {use_rows(x, 0)});  // needs 256
  EXPECT_EQ(code(), "K5005");
  EXPECT_NE(text.find("l1"), std::string::npos);
}

TEST_F(ScheduleErrors, EmptyProgram) { EXPECT_EQ(code(), "ok") << text; }

}  // namespace
}  // namespace kumihimo::mncore2::sched
