#include "targets/mncore2/sched/build.h"

#include <cassert>

#include "targets/mncore2/isa/build.h"

namespace kumihimo::mncore2::sched {

using isa::Width;

namespace {

int dense_rows(Width width) { return width == Width::kDlw ? 2 : 1; }

isa::Mem buf_mem(const VProgram& program, const VUse& use) {
  return use.kind == VUseKind::kBuf ? program.bufs[use.id].mem : isa::Mem::kNone;
}

bool side_fits(const isa::MvSide& side, isa::Mem mem, const VUse& use) {
  if (side.mem != mem) return false;
  switch (side.instances) {
    case isa::MvInstances::kOneGroup: return use.group >= 0 && use.sub < 0;
    case isa::MvInstances::kEveryGroup: return use.group < 0 && use.sub < 0;
    case isa::MvInstances::kOneL2b: return use.group >= 0 && use.sub >= 0;
    case isa::MvInstances::kOneL2bInGroup: return use.group < 0 && use.sub >= 0;
    case isa::MvInstances::kEveryL2b: return use.group < 0 && use.sub < 0;
  }
  return false;
}

// Whether the row takes operands of these kinds; only rows that share their name with others need more than the name.
bool row_fits(const isa::InsnDef& row, const VProgram& program, const std::vector<VUse>& srcs,
              const std::vector<VUse>& dsts) {
  switch (row.unit) {
    case isa::Unit::kL1bm:
      return row.l1bm.upload == (buf_mem(program, dsts.empty() ? VUse{} : dsts[0]) == isa::Mem::kL1bm);
    case isa::Unit::kL2bm: return row.l2bm.upload == (buf_mem(program, srcs[0]) == isa::Mem::kL1bm);
    case isa::Unit::kMv:
      return side_fits(row.mv.src, buf_mem(program, srcs[0]), srcs[0]) &&
             side_fits(row.mv.dst, buf_mem(program, dsts[0]), dsts[0]);
    default: return true;
  }
}

}  // namespace

VUse use_rows(VRegId reg, int32_t first_row, Width width) { return use_rows(reg, first_row, dense_rows(width), width); }

VUse use_rows(VRegId reg, int32_t first_row, int32_t stride_rows, Width width) {
  return use_row_list(
      reg, {first_row, first_row + stride_rows, first_row + 2 * stride_rows, first_row + 3 * stride_rows}, width);
}

VUse use_row_list(VRegId reg, std::array<int32_t, 4> rows, Width width) {
  VUse use;
  use.kind = VUseKind::kReg;
  use.id = reg;
  use.width = width;
  use.row = rows;
  return use;
}

VUse use_fixed(VRegId reg, int32_t row, Width width) { return use_row_list(reg, {row, row, row, row}, width); }

VUse use_words(VRegId reg, std::array<int32_t, 4> rows, std::array<int8_t, 4> words) {
  VUse use = use_row_list(reg, rows, Width::kW);
  use.word = words;
  return use;
}

VUse use_buf(VBufId buf, int64_t offset_lw, Width width, int8_t sub) {
  VUse use;
  use.kind = VUseKind::kBuf;
  use.id = buf;
  use.width = width;
  use.offset_lw = offset_lw;
  use.sub = sub;
  return use;
}

VUse use_matrix(VMatId mat, int64_t row, Width width) {
  VUse use;
  use.kind = VUseKind::kMat;
  use.id = mat;
  use.width = width;
  use.offset_lw = row;
  return use;
}

VUse use_constant(isa::Mem constant) {
  VUse use;
  use.kind = VUseKind::kConst;
  use.constant = constant;
  return use;
}

VUse negated(VUse use) {
  use.negate = !use.negate;
  return use;
}

VUse converted(VUse use, char letter) {
  use.convert = letter;
  return use;
}

VInsn& Builder::emit(std::string_view name, isa::Prec prec, std::initializer_list<VUse> srcs,
                     std::initializer_list<VUse> dsts) {
  VInsn insn;
  insn.srcs = srcs;
  insn.dsts = dsts;
  insn.node = node_;
  insn.proto.prec = prec;
  for (const isa::InsnDef& row : isa::rows()) {
    if (row.name == name && row_fits(row, program_, insn.srcs, insn.dsts)) {
      insn.proto.def = &row;
      break;
    }
  }
  assert(insn.proto.def != nullptr && "no row of this name takes these operands");
  program_.insns.push_back(std::move(insn));
  return program_.insns.back();
}

VInsn& Builder::emit(std::string_view name, std::initializer_list<VUse> srcs, std::initializer_list<VUse> dsts) {
  return emit(name, isa::Prec::kNone, srcs, dsts);
}

VInsn& Builder::emit_imm(std::string_view text, uint32_t pattern, std::initializer_list<VUse> dsts) {
  VInsn& insn = emit("imm", {}, dsts);
  insn.proto.literal = pattern;
  insn.proto.literal_text = text;
  return insn;
}

VInsn& Builder::emit_reduce(std::string_view name, std::string_view reduction, isa::Prec prec, VUse src, VUse dst) {
  VInsn& insn = emit(name, prec, {src}, {dst});
  insn.proto.reduce = isa::find_reduction(reduction);
  assert(insn.proto.reduce != nullptr && "no reduction of this name");
  return insn;
}

}  // namespace kumihimo::mncore2::sched
