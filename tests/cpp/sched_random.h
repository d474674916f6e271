// Random virtual programs that read only what they have written: register operations in all widths and patterns, masks,
// matrices, tree transfers, MVs.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "targets/mncore2/sched/build.h"

namespace kumihimo::mncore2::sched {

class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : rng_(seed), builder_(program_) {}

  VProgram make() {
    const int num_regs = 4 + below(8), num_insns = 10 + below(70);
    for (int r = 0; r < num_regs; ++r) {
      VReg reg;
      reg.name = "r" + std::to_string(r);
      reg.rows = chance(3) ? 16 : chance(2) ? 8 : 4;
      reg.align = reg.rows >= 8 ? 2 : 1;
      if (chance(6)) reg.allowed = kLmBanks | kGrfBanks;
      regs_.push_back(program_.add_reg(reg));
      defined_.push_back(std::vector<bool>(static_cast<size_t>(reg.rows), false));
    }
    for (int r = 0; r < 3; ++r) {
      VReg reg;
      reg.name = "c" + std::to_string(r);
      reg.rows = 1;
      reg.literal = 0x3f800000u + static_cast<uint32_t>(r);
      reg.literal_text = "i\"" + std::to_string(r) + "\"";
      literals_.push_back(program_.add_reg(reg));
    }
    make_buffers();
    program_.num_masks = 4;
    for (int i = 0; i < num_insns; ++i) step();
    // Every register is an output with some chance, at least one with something in it.
    bool any = false;
    for (size_t r = 0; r < regs_.size(); ++r) {
      const bool written = std::find(defined_[r].begin(), defined_[r].end(), true) != defined_[r].end();
      if (written && (!any || chance(2))) program_.regs[regs_[r]].output = any = true;
    }
    return program_;
  }

 private:
  int below(int n) { return static_cast<int>(rng_() % static_cast<uint32_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }

  void make_buffers() {
    auto buf = [&](std::string name, isa::Mem mem, int64_t size, int64_t fixed) {
      VBuf b;
      b.name = std::move(name);
      b.mem = mem;
      b.size_lw = size;
      if (fixed >= 0) b.fixed_addr = fixed;
      return program_.add_buf(b);
    };
    dram_in_ = buf("in", isa::Mem::kDram, 1024, 0);
    dram_out_ = buf("out", isa::Mem::kDram, 1024, 4096);
    program_.bufs[dram_out_].output = true;
    l2_ = buf("l2", isa::Mem::kL2bm, 1024, -1);
    l2_up_ = buf("l2up", isa::Mem::kL2bm, 512, -1);
    l1_ = buf("l1", isa::Mem::kL1bm, 512, -1);
    l1_up_ = buf("l1up", isa::Mem::kL1bm, 512, -1);
    l2_defined_ = l2_up_defined_ = l1_defined_ = l1_up_defined_ = 0;
  }

  bool rows_defined(size_t r, const VUse& use) {
    const int span = use.width == isa::Width::kDlw ? 2 : 1;
    for (int32_t row : use.row)
      for (int k = 0; k < span; ++k) {
        const size_t at = static_cast<size_t>(row + k);
        if (at >= defined_[r].size() || !defined_[r][at]) return false;
      }
    return true;
  }

  VUse pattern(size_t r, isa::Width width) {
    const int rows = program_.regs[regs_[r]].rows;
    if (width == isa::Width::kDlw) {
      const int first = rows >= 16 && chance(2) ? 8 : 0;
      return rows >= 8 ? use_rows(regs_[r], first, isa::Width::kDlw)
                       : use_row_list(regs_[r], {0, 2, 0, 2}, isa::Width::kDlw);
    }
    const int first = 4 * below(rows / 4);
    VUse use = use_rows(regs_[r], first);
    if (chance(5))
      use = use_fixed(regs_[r], below(rows));
    else if (chance(5))
      use = use_row_list(regs_[r], {first + below(4), first + below(4), first + below(4), first + below(4)});
    if (width == isa::Width::kW) {
      use.width = width;
      for (size_t c = 0; c < 4; ++c) use.word[c] = static_cast<int8_t>(below(2));
    }
    return use;
  }

  // A source of this width: a defined register or a literal.
  VUse source(isa::Width width) {
    for (int tries = 0; tries < 12; ++tries) {
      const size_t r = static_cast<size_t>(below(static_cast<int>(regs_.size())));
      VUse use = pattern(r, width);
      if (rows_defined(r, use)) return use;
    }
    VUse use = use_fixed(literals_[static_cast<size_t>(below(3))], 0, width);
    return use;
  }

  VUse destination(isa::Width width, size_t& r) {
    r = static_cast<size_t>(below(static_cast<int>(regs_.size())));
    VUse use = pattern(r, width);
    return use;
  }

  void define(size_t r, const VUse& use, bool masked) {
    if (masked || use.width == isa::Width::kW) return;
    const int span = use.width == isa::Width::kDlw ? 2 : 1;
    for (int32_t row : use.row)
      for (int k = 0; k < span; ++k) defined_[r][static_cast<size_t>(row + k)] = true;
  }

  void compute() {
    using isa::Prec;
    const isa::Width width = chance(4) ? isa::Width::kDlw : chance(8) ? isa::Width::kW : isa::Width::kLw;
    static constexpr std::array<std::pair<const char*, int>, 8> kOps{
        {{"vfma", 3}, {"vadd", 2}, {"vmul", 2}, {"vpassa", 1}, {"add", 2}, {"and", 2}, {"inc", 1}, {"passa", 1}}};
    const auto& [name, arity] = kOps[static_cast<size_t>(below(static_cast<int>(kOps.size())))];
    const bool mau = name[0] == 'v';
    std::vector<VUse> srcs;
    for (int k = 0; k < arity; ++k) srcs.push_back(source(width));
    if (mau && chance(4)) srcs[0] = negated(srcs[0]);
    size_t r;
    VUse dst = destination(width, r);
    // Three different reads of the register that is written in part need more ports than a PE has.
    auto reads_destination = [&] {
      return std::any_of(srcs.begin(), srcs.end(), [&](const VUse& u) { return u.id == dst.id; });
    };
    while (arity == 3 && reads_destination()) dst = destination(width, r);
    VInsn& insn = builder_.emit(name, mau ? Prec::kF : Prec::kI, {}, {});
    insn.srcs = srcs;
    insn.dsts = {dst};
    bool masked = false;
    if (chance(5) && rows_defined(r, dst)) {
      masked = true;
      insn.mask_ll = width == isa::Width::kDlw;
      if (written_masks_ > 0 && chance(2))
        insn.write_mask = static_cast<VMaskId>(below(written_masks_));
      else
        insn.fixed_mask = static_cast<uint8_t>(16 + 1 + below(14));
    }
    if (chance(8)) {
      if (written_masks_ < 4 && chance(2))
        insn.writes_mask = static_cast<VMaskId>(written_masks_++);
      else if (written_masks_ > 0)
        insn.writes_mask = static_cast<VMaskId>(below(written_masks_));
    }
    define(r, dst, masked);
  }

  void matrix() {
    using isa::Prec;
    // A matrix is written whole, then used, so that one is alive at a time in program order.
    const uint32_t mat = program_.num_mats++;
    const VUse a = source(isa::Width::kDlw);
    builder_.emit("mwrite", Prec::kH, {a}, {use_matrix(mat, 0, isa::Width::kDlw)});
    builder_.emit("mwrite", Prec::kH, {source(isa::Width::kDlw)}, {use_matrix(mat, 8, isa::Width::kDlw)});
    size_t r;
    const int uses = 1 + below(3);
    for (int k = 0; k < uses; ++k) {
      VUse dst = destination(isa::Width::kDlw, r);
      if (chance(2))
        builder_.emit("mmul", Prec::kH, {use_matrix(mat), source(isa::Width::kLw)}, {dst});
      else
        builder_.emit("mfma", Prec::kH, {use_matrix(mat), source(isa::Width::kLw), source(isa::Width::kDlw)}, {dst});
      define(r, dst, false);
    }
  }

  void tree() {
    size_t r;
    switch (below(9)) {
      case 0: {  // DRAM -> L2BM, sometimes so long that the scheduler may cut it
        if (chance(4)) {
          builder_.emit("mvb2", {use_buf(dram_in_)}, {use_buf(l2_)}).proto.size = 1024;
          l2_defined_ = 15;
          break;
        }
        const int64_t at = 256 * below(4);
        builder_.emit("mvb2", {use_buf(dram_in_, 256 * below(4))}, {use_buf(l2_, at)}).proto.size = 256;
        l2_defined_ |= 1u << (at / 256);
        break;
      }
      case 1: {  // L2BM -> L1BM
        const int64_t block = below(4);
        if (!(l2_defined_ >> block & 1)) return;
        const int64_t to = below(16);
        if (chance(2)) {
          builder_.emit("l2bmd", {use_buf(l2_, 256 * block)}, {use_buf(l1_, 32 * to)});
          l1_defined_ |= 1u << to;
        } else {
          builder_.emit("l2bmb", {use_buf(l2_, 256 * block + 64 * below(4))}, {use_buf(l1_, 64 * (to / 2))});
          l1_defined_ |= 3u << (to / 2 * 2);
        }
        break;
      }
      case 2:
      case 3: {  // L1BM -> PE
        const int64_t block = below(16);
        if (!(l1_defined_ >> block & 1)) return;
        VUse dst = destination(isa::Width::kLw, r);
        builder_.emit(chance(2) ? "l1bmm" : "l1bmp", {use_buf(l1_, 32 * block + 16 * below(2))}, {dst});
        define(r, dst, false);
        break;
      }
      case 4: {  // PE -> L1BM
        const int64_t at = below(chance(2) ? 32 : 4);
        builder_.emit_reduce("l1bmr", "fadd", isa::Prec::kF, source(isa::Width::kLw), use_buf(l1_up_, 16 * at));
        l1_up_defined_ |= 1u << at;
        break;
      }
      case 5: {  // and back
        const int64_t at = below(32);
        if (!(l1_up_defined_ >> at & 1)) return;
        VUse dst = destination(isa::Width::kLw, r);
        builder_.emit("l1bmm", {use_buf(l1_up_, 16 * at)}, {dst});
        define(r, dst, false);
        break;
      }
      case 6: {  // L1BM -> L2BM
        const int64_t at = below(4);
        const int64_t from = below(chance(2) ? 16 : 2);
        if ((l1_up_defined_ >> (2 * from) & 3) != 3) return;
        builder_.emit("l2bmd", {use_buf(l1_up_, 32 * from)}, {use_buf(l2_up_, 256 * (at / 2))});
        l2_up_defined_ |= 1u << (at / 2);
        break;
      }
      case 7: {  // L2BM -> DRAM
        const int64_t at = below(2);
        if (!(l2_up_defined_ >> at & 1)) return;
        builder_.emit("mvp", {use_buf(l2_up_, 256 * at, isa::Width::kLw, 0)}, {use_buf(dram_out_, 256 * below(4))})
            .proto.size = 256;
        break;
      }
      case 8: {  // L2BM -> L1BM from what was collected
        const int64_t at = below(2);
        if (!(l2_up_defined_ >> at & 1)) return;
        const int64_t to = below(16);
        builder_.emit("l2bmd", {use_buf(l2_up_, 256 * at)}, {use_buf(l1_, 32 * to)});
        l1_defined_ |= 1u << to;
        break;
      }
    }
  }

  void step() {
    const int kind = below(20);
    if (kind < 12)
      compute();
    else if (kind < 14)
      matrix();
    else
      tree();
  }

  std::mt19937 rng_;
  VProgram program_;
  Builder builder_;
  std::vector<VRegId> regs_, literals_;
  std::vector<std::vector<bool>> defined_;
  VBufId dram_in_ = 0, dram_out_ = 0, l2_ = 0, l2_up_ = 0, l1_ = 0, l1_up_ = 0;
  uint32_t l2_defined_ = 0, l2_up_defined_ = 0, l1_defined_ = 0, l1_up_defined_ = 0;
  int written_masks_ = 0;
};

inline VProgram random_program(uint32_t seed) { return RandomProgram(seed).make(); }

}  // namespace kumihimo::mncore2::sched
