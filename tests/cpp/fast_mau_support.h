// An instruction of the MAU on two equal MABs: by its kernel (fast/kernels.h) and by its semantic function.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/fast/float_mode.h"
#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/num_support.h"

namespace kumihimo::mncore2::fast_test {

using emu::Beat;
using emu::Mab;
using fast::Path;
using fast::Row;

class Pair {
 public:
  Pair(const std::string& text, Path path) {
    auto assembled = vsm::assemble(text + "\n", "test");
    for (const Diagnostic& d : assembled.errors) ADD_FAILURE() << render_text(d);
    program_ = std::move(assembled.program);
    emu::MaskState masks;
    auto decoded =
        emu::decode(program_, 0, program_.lines.size(), *find_machine("mncore2-tiny"), "test", masks, nullptr);
    EXPECT_TRUE(decoded.ok()) << text;
    decoded_ = std::move(*decoded);
    op_ = &decoded_.ops.front();
    kernel_ = fast::kernels_of(path)->mau(*op_);
    uop_.op = op_;
    uop_.run = kernel_;
    uop_.number = static_cast<uint32_t>(op_->matrix_row);
    uop_.side = row_of(&mab_->mat[op_->side < 0 ? 0 : op_->side]);
  }
  bool has_kernel() const { return kernel_ != nullptr; }
  const emu::Op& op() const { return *op_; }
  emu::MatrixSide& side() { return mab_->mat[op_->side]; }

  // Sources stand in LM0 double long words 8k.. of source k, four cycles each.
  uint64_t* source(int k, int cycle) { return mab_->lm[0][32 * k + 2 * cycle]; }

  // True when both give the same bits. Sources do not survive: the kernel writes over each of them in turn, or elsewhere.
  bool same(bool wide) {
    const int parts = static_cast<int>(op_->src_count);
    const int over = round_++ % (parts + 1) - 1;
    emu::StepContext c;
    c.mab = mab_.get();
    c.op = op_;
    Beat expected;
    std::memset(&expected, 0x5a, sizeof expected);
    c.out = &expected;
    for (int k = 0; k < parts; ++k)
      for (int cycle = 0; cycle < 4; ++cycle) {
        c.in[k].hi[cycle] = source(k, cycle);
        c.in[k].lo[cycle] = source(k, cycle) + 4;
      }
    uint8_t flags[4][4];
    c.flags = flags;
    op_->sem(c, *op_->insn);

    const bool matrix = op_->side >= 0;
    std::memset(&mab_->t, 0xa5, sizeof mab_->t);
    uop_.wide = wide;
    for (int cycle = 0; cycle < 4; ++cycle) {
      const auto at = static_cast<size_t>(cycle);
      uop_.out[at] = row_of(over < 0 ? mab_->t.v[cycle][0] : source(over, cycle));
      uop_.x[at] = row_of(source(0, cycle));
      if (matrix) {
        if (parts > 1) uop_.z[at] = row_of(source(1, cycle));
      } else if (parts == 3) {
        uop_.y[at] = row_of(source(1, cycle));
        uop_.z[at] = row_of(source(2, cycle));
      } else if (parts == 2) {
        const bool sum = fast::mau_form(*op_) == fast::MauForm::kVadd;
        (sum ? uop_.z : uop_.y)[at] = row_of(source(1, cycle));
      }
    }
    fast::Place place{};
    {
      const fast::FloatMode mode;
      kernel_(*mab_, uop_, place);
    }
    bool equal = true;
    for (int cycle = 0; cycle < 4; ++cycle)
      for (int w = 0; w < (wide ? 2 : 1); ++w)
        for (int pe = 0; pe < 4; ++pe) {
          const uint64_t made = fast::at(*mab_, uop_.out[static_cast<size_t>(cycle)])[4 * w + pe];
          if (made == expected.v[cycle][w][pe]) continue;
          equal = false;
          ADD_FAILURE() << "cycle " << cycle << " word " << w << " pe " << pe << std::hex << " semantic "
                        << expected.v[cycle][w][pe] << " kernel " << made;
        }
    return equal;
  }
  void run_kernel() {
    fast::Place place{};
    const fast::FloatMode mode;
    for (size_t c = 0; c < 4; ++c) uop_.x[c] = row_of(source(0, static_cast<int>(c)));
    kernel_(*mab_, uop_, place);
  }

 private:
  Row row_of(const void* p) const {
    return static_cast<Row>((static_cast<const char*>(p) - reinterpret_cast<const char*>(mab_.get())) / 8);
  }
  isa::Program program_;
  emu::Decoded decoded_;
  const emu::Op* op_ = nullptr;
  fast::Kernel kernel_ = nullptr;
  fast::Uop uop_;
  int round_ = 0;
  std::unique_ptr<Mab> mab_ = std::make_unique<Mab>();
};

inline std::string width_prefix(isa::Width width) {
  return width == isa::Width::kDlw ? "$ll" : width == isa::Width::kLw ? "$l" : "$";
}

// Every spelling of the vector ("v") or matrix ("m") instructions of a precision, with every set of signs.
inline std::vector<std::string> mau_spellings(isa::Prec prec, char kind) {
  std::vector<std::string> all;
  for (const isa::Stem& stem : isa::all_stems()) {
    const isa::InsnDef& def = *stem.rows.front();
    if (def.unit != isa::Unit::kMauCalc || stem.prec != prec || def.name[0] != kind) continue;
    const auto p = static_cast<size_t>(prec);
    const bool matrix = def.srcs[0].role == isa::OperandRole::kMatrix;
    const int sources = def.num_srcs() - (matrix ? 1 : 0);
    auto out = static_cast<int>(def.dst.width[p]);
    if (stem.narrow) --out;  // widths are in ascending order
    for (int signs = 0; signs < 1 << sources; ++signs) {
      std::string text = stem.text;
      if (matrix) text += signs % 2 == 0 ? " $lx" : " $ly";
      static constexpr const char* kMemories[] = {"m0v", "r0v", "s0v"};
      for (int k = 0; k < sources; ++k)
        text += std::string(signs >> k & 1 ? " -" : " ") +
                width_prefix(def.srcs[static_cast<size_t>(k + (matrix ? 1 : 0))].width[p]) + kMemories[k];
      all.push_back(text + " " + width_prefix(static_cast<isa::Width>(out)) + "n0v");
    }
  }
  EXPECT_FALSE(all.empty());
  return all;
}

class FastMau : public ::testing::TestWithParam<Path> {
 protected:
  void SetUp() override {
    if (!fast::path_available(GetParam())) GTEST_SKIP() << "this processor lacks " << fast::path_name(GetParam());
  }
};

#define KMH_FAST_PATHS(Suite)                                                                       \
  INSTANTIATE_TEST_SUITE_P(Paths, Suite, ::testing::Values(fast::Path::kAvx2, fast::Path::kAvx512), \
                           [](const auto& info) { return std::string(fast::path_name(info.param)); })

}  // namespace kumihimo::mncore2::fast_test
