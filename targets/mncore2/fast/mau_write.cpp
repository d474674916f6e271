// mwrite: whole rows of four long words into a side of the matrix register (ISA 6.2).
#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

template <int kRows, bool kDlw>
void forget(emu::MatrixSide& to, int row) {
  unsigned groups = 1u << row / 4 | 1u << (row + (kDlw ? 7 : 3)) % kRows / 4;
  if (kDlw) groups |= 1u << (row + 4) % kRows / 4;
  to.columns.groups = static_cast<uint8_t>(to.columns.groups & ~groups);
  to.decoded_rows = 0;
}

KMH_AVX2_INLINE __m256i row_at(const uint64_t* from) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
}

template <int kRows, bool kDlw>
KMH_AVX2 void write_avx2(emu::Mab& mab, const Uop& u, Place&) {
  emu::MatrixSide& to = side(mab, u);
  const int row = static_cast<int>(u.number);
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* first = to.raw[(kDlw ? row + 2 * c : row + c) % kRows];
    _mm256_store_si256(reinterpret_cast<__m256i*>(first), row_at(from));
    if (kDlw) _mm256_store_si256(reinterpret_cast<__m256i*>(first + 4), row_at(from + 4));
  }
  forget<kRows, kDlw>(to, row);
}

// Two rows at once where they stand together: the products load them so, and a load that spans two stores under way
// waits until both are done.
template <int kRows, bool kDlw>
KMH_AVX512 void write_avx512(emu::Mab& mab, const Uop& u, Place& place) {
  emu::MatrixSide& to = side(mab, u);
  const int row = static_cast<int>(u.number);
  if (!kDlw && row % 2 != 0) return write_avx2<kRows, kDlw>(mab, u, place);
  for (int c = 0; c < 4; c += kDlw ? 1 : 2) {
    const uint64_t* from = at(mab, u.x[c]);
    const __m512i rows = kDlw
                             ? _mm512_load_si512(from)
                             : _mm512_inserti64x4(_mm512_castsi256_si512(row_at(from)), row_at(at(mab, u.x[c + 1])), 1);
    _mm512_store_si512(to.raw[(kDlw ? row + 2 * c : row + c) % kRows], rows);
  }
  forget<kRows, kDlw>(to, row);
}

template <bool kAvx512, int kRows>
Kernel by_width(const emu::Op& op) {
  const bool dlw = op.matrix_width == isa::Width::kDlw;
  if (kAvx512) return dlw ? write_avx512<kRows, true> : write_avx512<kRows, false>;
  return dlw ? write_avx2<kRows, true> : write_avx2<kRows, false>;
}

template <bool kAvx512>
Kernel matrix_write(const emu::Op& op) {
  if (mau_form(op) != MauForm::kMwrite) return nullptr;
  switch (op.insn->prec) {
    case isa::Prec::kH: return by_width<kAvx512, 16>(op);
    case isa::Prec::kD: return by_width<kAvx512, 4>(op);
    default: return by_width<kAvx512, 8>(op);
  }
}

}  // namespace

Kernel matrix_write_avx512(const emu::Op& op) { return matrix_write<true>(op); }
Kernel matrix_write_avx2(const emu::Op& op) { return matrix_write<false>(op); }

}  // namespace kumihimo::mncore2::fast

#endif
