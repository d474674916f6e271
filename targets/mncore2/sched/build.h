// Building virtual programs: short spellings for uses and instructions.
//
//   Builder b(program, node);
//   VRegId x = program.add_reg({.name = "x", .rows = 8, .align = 2});
//   b.emit("vadd", isa::Prec::kF, {use_rows(x, 0), use_rows(y, 0)}, {use_rows(z, 0)});   // rows 0 1 2 3, LW
//   b.emit("l1bmd", {use_buf(k, 256)}, {use_rows(raw, 4)});                              // direction from operands
//
// Rows are long-word rows of the register. A stride is in rows per cycle: 1 walks consecutive long words
// (`v` on a LW operand), 2 consecutive double long words (`v` on a DLW operand), 0 reads one row in all cycles.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "targets/mncore2/sched/vprogram.h"

namespace kumihimo::mncore2::sched {

// Rows first, first + stride, ... of one step. The default stride is dense for the width (LW 1, DLW 2).
VUse use_rows(VRegId reg, int32_t first_row, isa::Width width = isa::Width::kLw);
VUse use_rows(VRegId reg, int32_t first_row, int32_t stride_rows, isa::Width width = isa::Width::kLw);
// One row per cycle, any order.
VUse use_row_list(VRegId reg, std::array<int32_t, 4> rows, isa::Width width = isa::Width::kLw);
// The same row in all four cycles; literals are read this way. As a destination, cycle 3 survives.
VUse use_fixed(VRegId reg, int32_t row = 0, isa::Width width = isa::Width::kLw);
// One word (0 = MSB side) of one row per cycle.
VUse use_words(VRegId reg, std::array<int32_t, 4> rows, std::array<int8_t, 4> words);

// A range of a tree memory. For an MV, `sub` is the .s selector (L2B in the group); -1 = form without selector.
VUse use_buf(VBufId buf, int64_t offset_lw = 0, isa::Width width = isa::Width::kLw, int8_t sub = -1);
// A matrix side as the first operand of a matrix-vector instruction (row 0), or the rows from `row` on of a write or read.
VUse use_matrix(VMatId mat, int64_t row = 0, isa::Width width = isa::Width::kLw);
// $subpeid, $mabid, $msb1, ...
VUse use_constant(isa::Mem constant);

VUse negated(VUse use);
VUse converted(VUse use, char letter);  // 'e' widens, 'r' rounds

// Appends instructions of one LEIR node. emit() returns the new instruction, valid until the next emit, so that
// options are set on it: b.emit("bfn", ...).proto.bf_bits = 9.
// A name with several rows (l1bmd and l2bmd go both ways, mv* have many) is resolved from the kinds of the operands;
// no row of that name taking such operands is a bug of the caller (assert).
class Builder {
 public:
  explicit Builder(VProgram& program, int32_t node = -1) : program_(program), node_(node) {}
  VInsn& emit(std::string_view name, isa::Prec prec, std::initializer_list<VUse> srcs,
              std::initializer_list<VUse> dsts);
  VInsn& emit(std::string_view name, std::initializer_list<VUse> srcs, std::initializer_list<VUse> dsts);
  // imm: `text` is the literal as written (f"0.5"), `pattern` its 32 bits.
  VInsn& emit_imm(std::string_view text, uint32_t pattern, std::initializer_list<VUse> dsts);
  // Reductions: name l1bmr or l2bmr, `reduction` the name of the reduction row ("fadd", "max") with its precision.
  VInsn& emit_reduce(std::string_view name, std::string_view reduction, isa::Prec prec, VUse src, VUse dst);
  void set_node(int32_t node) { node_ = node; }
  VProgram& program() { return program_; }

 private:
  VProgram& program_;
  int32_t node_;
};

}  // namespace kumihimo::mncore2::sched
