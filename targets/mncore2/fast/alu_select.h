// The kernel of an ALU instruction, among those of the including path. See alu_lanes.h.
#pragma once

#include <array>
#include <utility>

#include "targets/mncore2/fast/alu.h"
#include "targets/mncore2/fast/alu_block.h"
#include "targets/mncore2/fast/alu_element.h"
#include "targets/mncore2/fast/alu_rows.h"
#include "targets/mncore2/sem/alu.h"

namespace kumihimo::mncore2::fast {
namespace {

constexpr Element integer_of(Element element) {
  switch (num::element_bits(element)) {
    case 64: return Element::kLong;
    case 32: return Element::kInt;
    default: return Element::kShort;
  }
}

// The element that stands for all with the same bits and flags, so that they share a kernel.
constexpr Element shared_element(AluOp op, Element element, bool flags) {
  switch (op) {
    case AluOp::kPassa:
    case AluOp::kNot:
    case AluOp::kAnd:
    case AluOp::kOr:
    case AluOp::kXor: return flags ? integer_of(element) : Element::kLong;
    case AluOp::kMax:
    case AluOp::kMin: return element;
    default: return integer_of(element);
  }
}

template <size_t kIndex>
constexpr Kernel element_entry() {
  constexpr auto kOp = static_cast<AluOp>(kIndex / (4 * num::kElementCount));
  constexpr auto kElement = static_cast<Element>(kIndex / 4 % num::kElementCount);
  constexpr bool kUnsigned = kIndex / 2 % 2 != 0, kFlags = kIndex % 2 != 0;
  if constexpr (num::alu_defined(kOp, kElement, kUnsigned))
    return &element_kernel<kOp, shared_element(kOp, kElement, kFlags), kUnsigned, kFlags>;
  else
    return nullptr;
}
template <size_t... kIndex>
constexpr std::array<Kernel, sizeof...(kIndex)> element_entries(std::index_sequence<kIndex...>) {
  return {element_entry<kIndex>()...};
}
constexpr auto kElementKernels =
    element_entries(std::make_index_sequence<size_t{num::kAluOpCount} * num::kElementCount * 4>{});

Kernel element_kernel_of(AluOp op, Element element, bool is_unsigned, bool flags) {
  const size_t at = static_cast<size_t>(op) * num::kElementCount + static_cast<size_t>(element);
  return kElementKernels[4 * at + (is_unsigned ? 2 : 0) + (flags ? 1 : 0)];
}

template <BlockForm kForm>
Kernel block_entry(bool flags) {
  return flags ? block_kernel<kForm, true> : block_kernel<kForm, false>;
}
template <bool kExtended>
Kernel half_block_entry(int kept, bool flags) {
  switch (kept) {
    case 6: return block_entry<BlockForm{num::Block::kHalf, 6, kExtended}>(flags);
    case 7: return block_entry<BlockForm{num::Block::kHalf, 7, kExtended}>(flags);
    case 8: return block_entry<BlockForm{num::Block::kHalf, 8, kExtended}>(flags);
    default: return block_entry<BlockForm{num::Block::kHalf, 9, kExtended}>(flags);
  }
}
Kernel block_kernel_of(const isa::Insn& insn, bool extended, bool flags) {
  switch (insn.prec) {
    case isa::Prec::kD: return block_entry<BlockForm{num::Block::kDouble, 52, false}>(flags);
    case isa::Prec::kG: return block_entry<BlockForm{num::Block::kPseudo, 18, false}>(flags);
    case isa::Prec::kF: return block_entry<BlockForm{num::Block::kSingle, 23, false}>(flags);
    default:
      return extended ? half_block_entry<true>(insn.bf_bits, flags) : half_block_entry<false>(insn.bf_bits, flags);
  }
}

Kernel alu_kernel(const emu::Op& op) {
  const bool flags = op.needs_flags;
  if (const auto element = alu_element_op(op))
    return element_kernel_of(*element, emu::element_of(op.insn->prec), op.insn->is_unsigned, flags);
  switch (alu_row_form(op)) {
    case RowForm::kZero: return flags ? constant_kernel<RowForm::kZero, true> : constant_kernel<RowForm::kZero, false>;
    case RowForm::kImm: return flags ? constant_kernel<RowForm::kImm, true> : constant_kernel<RowForm::kImm, false>;
    case RowForm::kImmu: return flags ? constant_kernel<RowForm::kImmu, true> : constant_kernel<RowForm::kImmu, false>;
    case RowForm::kMsl: return flags ? turn_kernel<3, true> : turn_kernel<3, false>;
    case RowForm::kMsr: return flags ? turn_kernel<1, true> : turn_kernel<1, false>;
    case RowForm::kBfn: return block_kernel_of(*op.insn, false, flags);
    case RowForm::kBfe: return block_kernel_of(*op.insn, true, flags);
    case RowForm::kOther: break;
  }
  return nullptr;
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
