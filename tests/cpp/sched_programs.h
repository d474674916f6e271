// Virtual programs that several scheduler tests use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "targets/mncore2/sched/build.h"

namespace kumihimo::mncore2::sched {

struct AttentionProgram {
  VProgram program;
  VRegId scores = 0, maximum = 0, exponentials = 0, sum = 0;
};

// The attention kernel of one model layer at 64 tokens, as a person would write it: keys broadcast to all L1Bs, queries
// stationary in the matrix registers, scores scaled and masked, row maximum over the MABs, exponentials, row sum.
inline AttentionProgram attention_program() {
  using isa::Mem;
  using isa::Prec;
  using isa::Width;
  AttentionProgram out;
  VProgram& p = out.program;
  Builder b(p);
  auto reg = [&](std::string name, int rows, BankSet allowed = kAnyBank) {
    VReg r;
    r.name = std::move(name);
    r.rows = rows;
    r.align = rows % 2 == 0 ? 2 : 1;
    r.allowed = allowed;
    return p.add_reg(r);
  };
  auto literal = [&](uint32_t bits, std::string text) {
    VReg r;
    r.name = text;
    r.rows = 1;
    r.literal = bits;
    r.literal_text = text;
    return p.add_reg(r);
  };
  auto buf = [&](std::string name, Mem mem, int64_t size, int64_t fixed = -1) {
    VBuf v;
    v.name = std::move(name);
    v.mem = mem;
    v.size_lw = size;
    if (fixed >= 0) v.fixed_addr = fixed;
    return p.add_buf(v);
  };
  const VBufId q_dram = buf("q.dram", Mem::kDram, 4096, 0), k_dram = buf("k.dram", Mem::kDram, 1024, 4096),
               mask_dram = buf("mask.dram", Mem::kDram, 2048, 8192);
  const VBufId q_l2 = buf("q.l2bm", Mem::kL2bm, 2048), k_l2 = buf("k.l2bm", Mem::kL2bm, 1024),
               mask_l2 = buf("mask.l2bm", Mem::kL2bm, 2048);
  const VBufId q_l1 = buf("q.l1bm", Mem::kL1bm, 256), k_l1 = buf("k.l1bm", Mem::kL1bm, 1024),
               mask_l1 = buf("mask.l1bm", Mem::kL1bm, 256);
  const VBufId up_m = buf("m.l1bm", Mem::kL1bm, 16), up_z = buf("z.l1bm", Mem::kL1bm, 16);

  auto move = [&](const char* name, uint32_t size, VUse src, VUse dst) {
    b.emit(name, {src}, {dst}).proto.size = size;
  };
  move("mvb2", 1024, use_buf(k_dram), use_buf(k_l2));
  move("mvp", 2048, use_buf(q_dram, 0), use_buf(q_l2, 0, Width::kLw, 0));
  move("mvp", 2048, use_buf(q_dram, 2048), use_buf(q_l2, 0, Width::kLw, 1));
  move("mvb2", 2048, use_buf(mask_dram), use_buf(mask_l2));

  const VRegId k_raw = reg("k.raw", 16), k = reg("k", 16), q_raw = reg("q.raw", 64), q = reg("q", 64);
  for (int i = 0; i < 16; ++i) b.emit("l2bmb", {use_buf(k_l2, 64 * i)}, {use_buf(k_l1, 64 * i)});
  for (int i = 0; i < 4; ++i) {
    b.emit("l1bmd", {use_buf(k_l1, 256 * i)}, {use_rows(k_raw, 4 * i)});
    b.emit("bfn", Prec::kH, {use_rows(k_raw, 4 * i)}, {use_rows(k, 4 * i)}).proto.bf_bits = 9;
  }
  for (int i = 0; i < 8; ++i) b.emit("l2bmd", {use_buf(q_l2, 256 * i)}, {use_buf(q_l1, 32 * i)});
  for (int i = 0; i < 16; ++i) {
    b.emit("l1bmm", {use_buf(q_l1, 16 * i)}, {use_rows(q_raw, 4 * i)});
    b.emit("bfn", Prec::kH, {use_rows(q_raw, 4 * i)}, {use_rows(q, 4 * i)}).proto.bf_bits = 9;
  }
  const VRegId visible = reg("mask", 4);
  for (int i = 0; i < 8; ++i) b.emit("l2bmd", {use_buf(mask_l2, 256 * i)}, {use_buf(mask_l1, 32 * i)});
  b.emit("l1bmd", {use_buf(mask_l1)}, {use_rows(visible, 0)});

  const VRegId raw_scores = reg("s", 8);
  p.num_mats = 4;
  for (uint32_t d = 0; d < 4; ++d) {
    const int rows = static_cast<int>(16 * d);
    b.emit("mwrite", Prec::kH, {use_rows(q, rows, Width::kDlw)}, {use_matrix(d, 0, Width::kDlw)});
    b.emit("mwrite", Prec::kH, {use_rows(q, rows + 8, Width::kDlw)}, {use_matrix(d, 8, Width::kDlw)});
    const VUse keys = use_rows(k, static_cast<int>(4 * d)), s = use_rows(raw_scores, 0, Width::kDlw);
    if (d == 0)
      b.emit("mmul", Prec::kH, {use_matrix(d), keys}, {s});
    else
      b.emit("mfma", Prec::kH, {use_matrix(d), keys, s}, {s});
  }
  out.scores = reg("scores", 8);
  p.regs[out.scores].output = true;
  const VRegId scale = literal(0x3e000000, "f\"0.125\""), minus_inf = literal(0xff800000, "i\"0xff800000\"");
  for (int h = 0; h < 2; ++h)
    b.emit("vmul", Prec::kF, {use_rows(raw_scores, 4 * h), use_fixed(scale)}, {use_rows(out.scores, 4 * h)});
  const VMaskId hidden = p.num_masks++;
  b.emit("passa", Prec::kS, {use_rows(visible, 0)}, {}).writes_mask = hidden;
  {
    VInsn& where =
        b.emit("passa", Prec::kL, {use_fixed(minus_inf, 0, Width::kDlw)}, {use_rows(out.scores, 0, Width::kDlw)});
    where.write_mask = hidden;
    where.mask_ll = true;
  }

  const VRegId m4 = reg("m4", 4), m_up = reg("m.up", 4);
  out.maximum = reg("m", 4, kAnyBank);
  p.regs[out.maximum].output = true;
  b.emit("max", Prec::kF, {use_rows(out.scores, 0), use_rows(out.scores, 4)}, {use_rows(m4, 0)});
  b.emit("max", Prec::kF, {use_row_list(m4, {0, 1, 0, 1}), use_row_list(m4, {2, 3, 2, 3})}, {use_rows(m_up, 0)});
  b.emit_reduce("l1bmr", "max", Prec::kF, use_rows(m_up, 0), use_buf(up_m));
  b.emit("l1bmm", {use_buf(up_m)}, {use_rows(out.maximum, 0)});

  out.exponentials = reg("e", 8);
  p.regs[out.exponentials].output = true;
  const VRegId low = literal(0xc2ae0000, "f\"-87\""), log2e = literal(0x3fb8aa3b, "f\"1.442695\""),
               bias = literal(127, "i\"127\""), shift = literal(23, "i\"23\"");
  std::vector<VRegId> c;
  for (int i = 0; i < 6; ++i)
    c.push_back(literal(0x3d000000u + 0x00123456u * static_cast<uint32_t>(i), "f\"0.0" + std::to_string(i + 1) + "\""));
  const VRegId x = reg("x", 8), y = reg("y", 8), n = reg("n", 8), r = reg("r", 8), i1 = reg("ni", 8), i2 = reg("nb", 8),
               scale2 = reg("two_n", 8), poly = reg("poly", 8);
  const VRegId clamped = reg("clamped", 8);
  for (int h = 0; h < 2; ++h) {
    auto at = [&](VRegId v) { return use_rows(v, 4 * h); };
    b.emit("vadd", Prec::kF, {at(out.scores), negated(use_rows(out.maximum, 0))}, {at(x)});
    b.emit("max", Prec::kF, {at(x), use_fixed(low)}, {at(clamped)});
    b.emit("vmul", Prec::kF, {at(clamped), use_fixed(log2e)}, {at(y)});
    b.emit("floor", Prec::kF, {at(y)}, {at(n)});
    b.emit("vadd", Prec::kF, {at(y), negated(at(n))}, {at(r)});
    b.emit("ftoi", Prec::kF, {at(n)}, {at(i1)});
    b.emit("add", Prec::kI, {at(i1), use_fixed(bias)}, {at(i2)});
    b.emit("lsl", Prec::kI, {at(i2), use_fixed(shift)}, {at(scale2)});
    b.emit("vfma", Prec::kF, {at(r), use_fixed(c[0]), use_fixed(c[1])}, {at(poly)});
    for (size_t k2 = 2; k2 < c.size(); ++k2) b.emit("vfma", Prec::kF, {at(r), at(poly), use_fixed(c[k2])}, {at(poly)});
    b.emit("vmul", Prec::kF, {at(poly), at(scale2)}, {at(out.exponentials)});
  }
  const VRegId z4 = reg("z4", 4), z_up = reg("z.up", 4);
  out.sum = reg("z", 4);
  p.regs[out.sum].output = true;
  b.emit("vadd", Prec::kF, {use_rows(out.exponentials, 0), use_rows(out.exponentials, 4)}, {use_rows(z4, 0)});
  b.emit("vadd", Prec::kF, {use_row_list(z4, {0, 1, 0, 1}), use_row_list(z4, {2, 3, 2, 3})}, {use_rows(z_up, 0)});
  b.emit_reduce("l1bmr", "fadd", Prec::kF, use_rows(z_up, 0), use_buf(up_z));
  b.emit("l1bmm", {use_buf(up_z)}, {use_rows(out.sum, 0)});
  return out;
}

}  // namespace kumihimo::mncore2::sched
