// mread: columns of a side of the matrix register (ISA 6.2). Written by rows and read by columns, a side is transposed.
//
// The long word of PE p holds what `kPerLw` rows from kPerLw * p on have in one column, the first row in its MSB part.
#include <array>

#include "targets/mncore2/fast/mau.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

template <int kPerLw>
struct Part;
template <>
struct Part<1> {
  using Type = uint64_t;
};
template <>
struct Part<2> {
  using Type = uint32_t;
};

// Columns of few elements: as many loads as a column has elements.
template <int kPerLw>
void read_few(emu::Mab& mab, const Uop& u, Place&) {
  using T = typename Part<kPerLw>::Type;
  const emu::MatrixSide& from = side(mab, u);
  constexpr int kWidth = 64 / kPerLw;
  for (int c = 0; c < 4; ++c) {
    const int column = (static_cast<int>(u.number) + c) % (4 * kPerLw);
    const int at_element = column / kPerLw * kPerLw + kPerLw - 1 - column % kPerLw;  // in host order
    uint64_t* to = at(mab, u.out[c]);
    for (int pe = 0; pe < 4; ++pe) {
      uint64_t lw = 0;
      for (int k = 0; k < kPerLw; ++k) {
        T element;
        __builtin_memcpy(&element, reinterpret_cast<const T*>(from.raw[kPerLw * pe + k]) + at_element, sizeof element);
        lw |= uint64_t{element} << (64 - kWidth * (k + 1));
      }
      to[pe] = lw;
      if (u.wide) to[4 + pe] = 0;
    }
  }
}

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }
KMH_AVX2_INLINE void store(uint64_t* to, __m256i v) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), v); }

// All sixteen columns of halves, of which four or eight are then taken.
template <bool kDlw>
KMH_AVX2 void read_halves(emu::Mab& mab, const Uop& u, Place&) {
  const emu::MatrixSide& from = side(mab, u);
  // Long words of a PE, by place in the row: in the lower halves of 128 bits columns 0 to 3 and 8 to 11, in the upper
  // ones the others; two columns in each vector, the last first.
  __m256i v[4][4];
  for (int pe = 0; pe < 4; ++pe) {
    const __m256i r0 = load(from.raw[4 * pe]), r1 = load(from.raw[4 * pe + 1]);
    const __m256i r2 = load(from.raw[4 * pe + 2]), r3 = load(from.raw[4 * pe + 3]);
    const __m256i low32 = _mm256_unpacklo_epi16(r3, r2), low10 = _mm256_unpacklo_epi16(r1, r0);
    const __m256i high32 = _mm256_unpackhi_epi16(r3, r2), high10 = _mm256_unpackhi_epi16(r1, r0);
    v[0][pe] = _mm256_unpacklo_epi32(low32, low10);
    v[1][pe] = _mm256_unpackhi_epi32(low32, low10);
    v[2][pe] = _mm256_unpacklo_epi32(high32, high10);
    v[3][pe] = _mm256_unpackhi_epi32(high32, high10);
  }
  alignas(32) uint64_t columns[16][4];
  for (int k = 0; k < 4; ++k) {
    const int last = k / 2 * 4 + 3 - k % 2 * 2;
    const __m256i a = _mm256_unpacklo_epi64(v[k][0], v[k][1]), b = _mm256_unpacklo_epi64(v[k][2], v[k][3]);
    const __m256i c = _mm256_unpackhi_epi64(v[k][0], v[k][1]), d = _mm256_unpackhi_epi64(v[k][2], v[k][3]);
    store(columns[last], _mm256_permute2x128_si256(a, b, 0x20));
    store(columns[last + 8], _mm256_permute2x128_si256(a, b, 0x31));
    store(columns[last - 1], _mm256_permute2x128_si256(c, d, 0x20));
    store(columns[last + 7], _mm256_permute2x128_si256(c, d, 0x31));
  }
  for (int n = 0; n < (kDlw ? 8 : 4); ++n) {
    if (kDlw && n % 2 != 0 && !u.wide) continue;
    uint64_t* to = at(mab, u.out[kDlw ? n / 2 : n]) + (kDlw ? n % 2 * 4 : 0);
    store(to, load(columns[(static_cast<int>(u.number) + n) % 16]));
    if (!kDlw && u.wide) store(to + 4, _mm256_setzero_si256());
  }
}

// Where the 16-bit parts of eight successive columns, from each column on, stand in the rows of one PE: in host order,
// rows of 16 parts each.
template <int kPerLw>
struct alignas(64) Places {
  uint16_t part[8][4];
};
template <int kPerLw>
constexpr std::array<Places<kPerLw>, 4 * kPerLw> all_places() {
  std::array<Places<kPerLw>, 4 * kPerLw> all{};
  constexpr int kParts = 4 / kPerLw;  // of an element
  for (int first = 0; first < 4 * kPerLw; ++first)
    for (int n = 0; n < 8; ++n)
      for (int k = 0; k < kPerLw; ++k)
        for (int h = 0; h < kParts; ++h) {
          const int column = (first + n) % (4 * kPerLw);
          const int from = 16 * k + 4 * (column / kPerLw) + kParts * (kPerLw - 1 - column % kPerLw) + h;
          all[static_cast<size_t>(first)].part[n][kParts * (kPerLw - 1 - k) + h] = static_cast<uint16_t>(from);
        }
  return all;
}
template <int kPerLw>
inline constexpr auto kPlaces = all_places<kPerLw>();

KMH_AVX512_INLINE void put(emu::Mab& mab, const Uop& u, int cycle, __m256i msb, __m256i lsb) {
  auto* to = reinterpret_cast<__m256i*>(at(mab, u.out[cycle]));
  _mm256_store_si256(to, msb);
  if (u.wide) _mm256_store_si256(to + 1, lsb);
}

// Each PE's long words of all cycles by one permutation, then long words of one cycle side by side.
template <int kPerLw, bool kDlw>
KMH_AVX512 void read_avx512(emu::Mab& mab, const Uop& u, Place&) {
  const emu::MatrixSide& from = side(mab, u);
  const __m512i places = _mm512_load_si512(&kPlaces<kPerLw>[u.number]);
  __m512i pe[4];
  for (int p = 0; p < 4; ++p) {
    const __m512i rows = _mm512_loadu_si512(from.raw[kPerLw * p]);  // two, of which doubles use one
    pe[p] = kPerLw == 4 ? _mm512_permutex2var_epi16(rows, places, _mm512_load_si512(from.raw[4 * p + 2]))
                        : _mm512_permutexvar_epi16(places, rows);
  }
  // Long word n of all four PEs: even n in the first two of each 256 bits after `unpack`, odd n in the others.
  const __m512i even01 = _mm512_unpacklo_epi64(pe[0], pe[1]), odd01 = _mm512_unpackhi_epi64(pe[0], pe[1]);
  const __m512i even23 = _mm512_unpacklo_epi64(pe[2], pe[3]), odd23 = _mm512_unpackhi_epi64(pe[2], pe[3]);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
  const __m512i n02 = _mm512_permutex2var_epi64(even01, low, even23);
  const __m512i n13 = _mm512_permutex2var_epi64(odd01, low, odd23);
  const __m256i n[4] = {_mm512_castsi512_si256(n02), _mm512_castsi512_si256(n13), _mm512_extracti64x4_epi64(n02, 1),
                        _mm512_extracti64x4_epi64(n13, 1)};
  if constexpr (!kDlw) {
    for (int c = 0; c < 4; ++c) put(mab, u, c, n[c], _mm256_setzero_si256());
  } else {
    const __m512i n46 = _mm512_permutex2var_epi64(even01, high, even23);
    const __m512i n57 = _mm512_permutex2var_epi64(odd01, high, odd23);
    put(mab, u, 0, n[0], n[1]);
    put(mab, u, 1, n[2], n[3]);
    put(mab, u, 2, _mm512_castsi512_si256(n46), _mm512_castsi512_si256(n57));
    put(mab, u, 3, _mm512_extracti64x4_epi64(n46, 1), _mm512_extracti64x4_epi64(n57, 1));
  }
}

}  // namespace

// Only columns of halves are read two at a time.
Kernel matrix_read_avx512(const emu::Op& op) {
  if (mau_form(op) != MauForm::kMread) return nullptr;
  const bool dlw = op.matrix_width == isa::Width::kDlw;
  switch (op.insn->prec) {
    case isa::Prec::kH: return dlw ? read_avx512<4, true> : read_avx512<4, false>;
    case isa::Prec::kD: return dlw ? nullptr : read_avx512<1, false>;
    default: return dlw ? nullptr : read_avx512<2, false>;
  }
}
Kernel matrix_read_avx2(const emu::Op& op) {
  if (mau_form(op) != MauForm::kMread) return nullptr;
  const bool dlw = op.matrix_width == isa::Width::kDlw;
  switch (op.insn->prec) {
    case isa::Prec::kH: return dlw ? read_halves<true> : read_halves<false>;
    case isa::Prec::kD: return dlw ? nullptr : read_few<1>;
    default: return dlw ? nullptr : read_few<2>;
  }
}

}  // namespace kumihimo::mncore2::fast

#endif
