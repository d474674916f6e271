// Semantic functions: what one instruction does to the machine, four cycles at once.
//
// One function per row or per family of rows of the instruction tables (isa/rows_*.cpp), which hold pointers to them;
// a row whose function is not defined does not link. A function reads everything it needs from the decoded
// instruction: its row (`insn.def`: formula columns, `variant`), precision, options and operands. Operand order is that
// of the assembly text (matrix first); `insn.srcs` and `insn.dsts` are described in isa/insn.h.
#pragma once

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::sem {

using emu::StepContext;
using isa::Insn;

// MV (ISA 4.2): every copying mode, by the row's MvColumns.
void mv_transfer(StepContext&, const Insn&);
void mv_reduce(StepContext&, const Insn&);  // insn.reduce, insn.prec

// L2BM (ISA 5.2).
void l2bm_b_down(StepContext&, const Insn&);
void l2bm_d_down(StepContext&, const Insn&);
void l2bm_d_up(StepContext&, const Insn&);
void l2bm_copy_up(StepContext&, const Insn&);   // l2bm@n
void l2bm_r(StepContext&, const Insn&);         // insn.reduce, insn.prec, insn.l1b_set
void l2bm_i(StepContext&, const Insn&);         // per L2B: the words of each L1B's sender are staged
void l2bm_i_arrive(StepContext&, const Insn&);  // per L1B, at the end of the step: they are stored

// DAR (ISA 4.5): every group at once, between the runs of the other units; only MVs read the table.
void dar_load(StepContext&, const Insn&);   // l2bmdars
void dar_write(StepContext&, const Insn&);  // l2bmdarw

// L1BM (ISA 5.3). `up` functions take a PE operand in srcs[0] and dsts[0] = L1BM address or $lbi (register only);
// they latch the turnaround register as well.
void l1bm_p_down(StepContext&, const Insn&);
void l1bm_m_down(StepContext&, const Insn&);
void l1bm_m_up(StepContext&, const Insn&);    // insn.mab; also the rows by groups of four MABs
void l1bm_d_down(StepContext&, const Insn&);  // insn.shift
void l1bm_d_up(StepContext&, const Insn&);    // insn.shift
void l1bm_r(StepContext&, const Insn&);       // insn.reduce, insn.prec, insn.narrow
void l1bm_m_turnaround(StepContext&, const Insn&);
void l1bm_d_turnaround(StepContext&, const Insn&);

// MAU (ISA 6). Precision in insn.prec, u/d of double operations in insn.half_select, opcode r in insn.narrow.
void mau_vfma(StepContext&, const Insn&);
void mau_vmul(StepContext&, const Insn&);
void mau_vadd(StepContext&, const Insn&);
void mau_vpassa(StepContext&, const Insn&);
void mau_mfma(StepContext&, const Insn&);  // srcs[0] = $lx or $ly
void mau_mmul(StepContext&, const Insn&);
void mau_mwrite(StepContext&, const Insn&);  // dsts[0]: mem kMatX/kMatY, width LW or DLW, addr[0] = row
void mau_mread(StepContext&, const Insn&);   // srcs[0]: as dsts[0] of mau_mwrite, addr[0] = column

// ALU (ISA 7). imm and immu take the pattern from insn.literal and have no srcs.
void alu_zero(StepContext&, const Insn&);
void alu_imm(StepContext&, const Insn&);
void alu_immu(StepContext&, const Insn&);
void alu_passa(StepContext&, const Insn&);
void alu_msl(StepContext&, const Insn&);
void alu_msr(StepContext&, const Insn&);
void alu_inc(StepContext&, const Insn&);
void alu_dec(StepContext&, const Insn&);
void alu_add(StepContext&, const Insn&);
void alu_sub(StepContext&, const Insn&);
void alu_not(StepContext&, const Insn&);
void alu_lnot(StepContext&, const Insn&);
void alu_and(StepContext&, const Insn&);
void alu_or(StepContext&, const Insn&);
void alu_xor(StepContext&, const Insn&);
void alu_lsl(StepContext&, const Insn&);
void alu_lsr(StepContext&, const Insn&);
void alu_bsl(StepContext&, const Insn&);
void alu_bsr(StepContext&, const Insn&);
void alu_max(StepContext&, const Insn&);
void alu_min(StepContext&, const Insn&);
void alu_packbit(StepContext&, const Insn&);
void alu_relu(StepContext&, const Insn&);   // insn.def->variant = which bit of X, 0 = MSB
void alu_lrelu(StepContext&, const Insn&);  // insn.def->variant = change of the exponent
void alu_rsqrt(StepContext&, const Insn&);
void alu_floor(StepContext&, const Insn&);
void alu_ftoi(StepContext&, const Insn&);
void alu_bfn(StepContext&, const Insn&);  // insn.bf_bits in precision h
void alu_bfe(StepContext&, const Insn&);

}  // namespace kumihimo::mncore2::sem
