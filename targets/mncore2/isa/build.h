// Building decoded instructions without text: what code generators use.
//
//   Insn insn = make("vfma", Prec::kF, {lm0(0, Width::kLw, 2), lm1(8, Width::kLw, 2), t()}, {grf0(0, Width::kLw, 2)});
//   Line line = step({insn, make("passa", Prec::kL, {mauf()}, {lm0(16, Width::kLw, 2)})});
//   Status ok = check_line(line);
//
// A stride is in words per cycle; 0 = the same address in all four cycles. Builders do not check: check_line does, with
// the rules of the assembler.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa {

// The row of a name; `form` tells rows of one name apart ("down", "up", "p@g>lc"). Null when there is none.
const InsnDef* find_row(std::string_view name, std::string_view form = {});
const InsnDef* find_reduction(std::string_view name);

// Precondition: the row exists (asserted).
Insn make(std::string_view name, Prec prec = Prec::kNone, std::vector<Operand> srcs = {},
          std::vector<Operand> dsts = {});
Insn make_form(std::string_view name, std::string_view form, std::vector<Operand> srcs, std::vector<Operand> dsts);
Insn make_reduce(std::string_view name, std::string_view reduction, Prec prec, Operand src, Operand dst);
Insn make_imm(uint32_t pattern, std::string_view text, std::vector<Operand> dsts);
Insn make_mv(std::string_view name, std::string_view form, uint32_t size, uint8_t tag, Operand src, Operand dst);
Insn make_nop(uint32_t count = 1);
Insn make_wait(uint8_t tag);
Line step(std::vector<Insn> insns);  // a PE line, or an MV line when it holds an MV
Line mask_statement(uint8_t entry, std::string_view dsts = {}, bool ll = false);  // dsts: letters of rstmnk

// PE operands.
Operand pe(Mem mem, int32_t addr, Width width = Width::kLw, int32_t stride = 0);
Operand pe_flat(Mem mem, const std::array<int32_t, 4>& addr, Width width = Width::kLw);
// From the addresses of the four cycles: without v, with v, with v<n> or as a list, whichever says it shortest.
Operand pe_at(Mem mem, const std::array<int32_t, 4>& addr, Width width);
inline Operand lm0(int32_t addr, Width width = Width::kLw, int32_t stride = 0) {
  return pe(Mem::kLm0, addr, width, stride);
}
inline Operand lm1(int32_t addr, Width width = Width::kLw, int32_t stride = 0) {
  return pe(Mem::kLm1, addr, width, stride);
}
inline Operand grf0(int32_t addr, Width width = Width::kLw, int32_t stride = 0) {
  return pe(Mem::kGrf0, addr, width, stride);
}
inline Operand grf1(int32_t addr, Width width = Width::kLw, int32_t stride = 0) {
  return pe(Mem::kGrf1, addr, width, stride);
}
// Operands without address, as the assembler decodes them.
Operand plain(Mem mem);
inline Operand t() { return plain(Mem::kT); }
inline Operand mauf() { return plain(Mem::kMauf); }
inline Operand aluf() { return plain(Mem::kAluf); }
inline Operand lbf() { return plain(Mem::kLbf); }
inline Operand nowrite() { return plain(Mem::kNowrite); }
Operand omr(int entry);
Operand matrix(Mem side, int row = 0, Width width = Width::kLw);
// Tree memories, long-word addresses.
Operand l1bm(int64_t addr, Width width = Width::kLw);
Operand l2bm(int64_t addr, int group = -1, int sub = -1);
Operand dram(int64_t addr, int group = -1);
Operand dram_indirect(int64_t entry, int group = -1);  // $di
Operand dar(int64_t entry);
Operand pdm(int64_t addr, int group = -1);

Operand negated(Operand op);
Operand converted(Operand op, char how);  // 'e', 'r'
MaskSpec mask_entry(int entry, bool ll = false);
MaskSpec mask_cycles(int pattern, bool ll = false);  // bit 3 = cycle 0
Operand masked(Operand op, MaskSpec mask);

}  // namespace kumihimo::mncore2::isa
