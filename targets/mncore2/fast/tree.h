// Functions for instructions in which units meet, by path (kernels.h): what KernelSet::tree points to.
//
// Such an instruction is either a copy of rows of long words, which memcpy does on every path, or a reduction of such
// rows (tree_reduce.h). Addresses that wrap inside a row are handled too, by slower code. MV copies have one function for
// all paths (sem/mv.cpp).
#pragma once

#include "targets/mncore2/fast/kernels.h"

namespace kumihimo::mncore2::fast {

// In place of the semantic function of an L1BM, L2BM or MV instruction; null = none.
isa::SemFn tree_avx512(const emu::Op& op);
isa::SemFn tree_avx2(const emu::Op& op);

// The same by family: null when the instruction is of another one.
isa::SemFn tree_copy(const emu::Op& op);
isa::SemFn tree_reduce_avx512(const emu::Op& op);
isa::SemFn tree_reduce_avx2(const emu::Op& op);
isa::SemFn tree_mv_avx512(const emu::Op& op);
isa::SemFn tree_mv_avx2(const emu::Op& op);

// The columns of an L1BM instruction in the width of its operand.
inline const isa::L1bmFormula& l1bm_formula(const emu::Op& op) {
  return op.l1bm_dlw ? op.insn->def->l1bm.dlw : op.insn->def->l1bm.lw;
}
inline uint8_t l1bm_rate(const emu::Op& op) {
  return op.l1bm_dlw ? op.insn->def->l1bm.rate_dlw : op.insn->def->l1bm.rate_lw;
}

}  // namespace kumihimo::mncore2::fast
