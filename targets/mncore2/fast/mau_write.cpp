// mwrite: whole rows of four long words into a side of the matrix register (ISA 6.2).
#include <cstring>

#include "targets/mncore2/fast/mau.h"

namespace kumihimo::mncore2::fast {
namespace {

template <int kRows, bool kDlw>
void write(emu::Mab& mab, const Uop& u, Place&) {
  emu::MatrixSide& to = side(mab, u);
  constexpr int kPerCycle = kDlw ? 2 : 1;
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    for (int k = 0; k < kPerCycle; ++k) {
      const int row = (u.op->matrix_row + kPerCycle * c + k) % kRows;
      std::memcpy(to.raw[row], from + 4 * k, 32);
      to.changed(row);
    }
  }
}

template <int kRows>
Kernel by_width(const emu::Op& op) {
  return op.matrix_width == isa::Width::kDlw ? write<kRows, true> : write<kRows, false>;
}

}  // namespace

Kernel matrix_write(const emu::Op& op) {
  if (mau_form(op) != MauForm::kMwrite) return nullptr;
  switch (op.insn->prec) {
    case isa::Prec::kH: return by_width<16>(op);
    case isa::Prec::kD: return by_width<4>(op);
    default: return by_width<8>(op);
  }
}

}  // namespace kumihimo::mncore2::fast
