#include "targets/mncore2/fast/moves.h"

#include <cstring>

#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {
namespace {

using emu::Mab;

KMH_AVX2_INLINE __m256i load(const uint64_t* from) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(from)); }
KMH_AVX2_INLINE void put(uint64_t* to, __m256i v) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), v); }

// --- whole rows ---------------------------------------------------------------------------------------------------

template <bool kWide>
KMH_AVX2 void copy(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* to = at(mab, u.out[c]);
    put(to, load(from));
    if (kWide) put(to + 4, load(from + 4));
  }
}

template <bool kWide>
KMH_AVX2 void copy_some(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    if ((u.number >> c & 1) == 0) continue;
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* to = at(mab, u.out[c]);
    put(to, load(from));
    if (kWide) put(to + 4, load(from + 4));
  }
}

KMH_AVX2 void widen(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    uint64_t* to = at(mab, u.out[c]);
    put(to, load(at(mab, u.x[c])));
    put(to + 4, _mm256_setzero_si256());
  }
}

template <bool kWide>
KMH_AVX2 void send(Mab& mab, const Uop& u, Place& place) {
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    put(place.sent->v[c][0], load(from));
    put(place.sent->v[c][1], kWide ? load(from + 4) : _mm256_setzero_si256());
  }
}

// Past the last MAB there is nothing, which a prefetch does not mind.
void fetch_ahead(Mab& mab, const Uop& u, Place&) {
  const Mab& next = *(&mab + 1);
  for (const Row(*rows)[4] : {&u.x, &u.y, &u.z, &u.out})
    for (const Row row : *rows)
      _mm_prefetch(reinterpret_cast<const char*>(&next) + row * sizeof(uint64_t), _MM_HINT_T0);
}

// --- words --------------------------------------------------------------------------------------------------------

KMH_AVX2 void take_word(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const __m256i v = load(at(mab, u.x[c]));
    uint64_t* to = at(mab, u.out[c]);
    put(to, u.number >> c & 1 ? _mm256_slli_epi64(v, 32) : _mm256_and_si256(v, _mm256_set1_epi64x(int64_t{-1} << 32)));
    put(to + 4, _mm256_setzero_si256());
  }
}

KMH_AVX2 void put_word(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const __m256i v = load(at(mab, u.x[c]));
    uint64_t* to = at(mab, u.out[c]);
    const __m256i old = load(to);
    put(to,
        u.number >> c & 1 ? _mm256_blend_epi32(old, _mm256_srli_epi64(v, 32), 0x55) : _mm256_blend_epi32(old, v, 0xaa));
  }
}

// --- masks --------------------------------------------------------------------------------------------------------
// An entry holds four bits of each PE and cycle, the first on top; on the host the first half of a long word is the
// last one in memory, so a PE's bits stand in the order of its lanes.

// One bit per half of a row: 16 bits.
KMH_AVX2_INLINE uint32_t half_bits(uint64_t entry, int cycle) {
  return static_cast<uint32_t>(_pext_u64(entry, 0x000f000f000f000fu << (12 - 4 * cycle)));
}
// One bit per word of the MSB row, of the LSB row: 8 bits.
KMH_AVX2_INLINE uint32_t word_bits(uint64_t entry, int cycle, bool lsb) {
  return static_cast<uint32_t>(_pext_u64(entry, (lsb ? 0x0003000300030003u : 0x000c000c000c000cu) << (12 - 4 * cycle)));
}
KMH_AVX2_INLINE uint64_t entry_of(Mab& mab, const Uop& u) {
  uint64_t entry;
  std::memcpy(&entry, at(mab, u.side), sizeof entry);
  return entry;
}

KMH_AVX2_INLINE __m256i spread_halves(uint32_t bits) {
  const __m256i own =
      _mm256_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, INT16_MIN);
  return _mm256_cmpeq_epi16(_mm256_and_si256(_mm256_set1_epi16(static_cast<int16_t>(bits)), own), own);
}
KMH_AVX2_INLINE __m256i spread_words(uint32_t bits) {
  const __m256i own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(bits)), own), own);
}

template <bool kWords, bool kWide>
KMH_AVX2 void masked_avx2(Mab& mab, const Uop& u, Place&) {
  const uint64_t entry = entry_of(mab, u);
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* to = at(mab, u.out[c]);
    const __m256i on = kWords ? spread_words(word_bits(entry, c, false)) : spread_halves(half_bits(entry, c));
    put(to, _mm256_blendv_epi8(load(to), load(from), on));
    if (!kWide) continue;
    const __m256i low = load(from + 4);
    put(to + 4, kWords ? _mm256_blendv_epi8(load(to + 4), low, spread_words(word_bits(entry, c, true))) : low);
  }
}

template <bool kWords, bool kWide>
KMH_AVX512 void masked_avx512(Mab& mab, const Uop& u, Place&) {
  const uint64_t entry = entry_of(mab, u);
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* to = at(mab, u.out[c]);
    const __m256i high = load(from);
    if (kWords)
      _mm256_mask_store_epi32(to, static_cast<__mmask8>(word_bits(entry, c, false)), high);
    else
      _mm256_mask_storeu_epi16(to, static_cast<__mmask16>(half_bits(entry, c)), high);
    if (!kWide) continue;
    const __m256i low = load(from + 4);
    if (kWords)
      _mm256_mask_store_epi32(to + 4, static_cast<__mmask8>(word_bits(entry, c, true)), low);
    else
      put(to + 4, low);
  }
}

template <bool kWords>
KMH_AVX2 void keep(Mab& mab, const Uop& u, Place&) {
  const uint64_t entry = entry_of(mab, u);
  for (int c = 0; c < 4; ++c) {
    uint64_t* to = at(mab, u.out[c]);
    const __m256i on = kWords ? spread_words(word_bits(entry, c, false)) : spread_halves(half_bits(entry, c));
    put(to, _mm256_and_si256(load(to), on));
    if (kWords) put(to + 4, _mm256_and_si256(load(to + 4), spread_words(word_bits(entry, c, true))));
  }
}

// --- L1BM -> PE -----------------------------------------------------------------------------------------------------

// Columns of the formula, in the rows that a transfer does not use.
struct Down {
  int mab, quad, cycle, word, pe, shift;
};
KMH_AVX2_INLINE Down down_of(const Uop& u) { return {u.x[0], u.x[1], u.x[2], u.x[3], u.y[0], u.y[1]}; }
void put_down(const isa::L1bmFormula& f, int shift, Uop& u) {
  u.x[0] = f.mab, u.x[1] = f.quad, u.x[2] = f.cycle, u.x[3] = f.word, u.y[0] = f.pe;
  u.y[1] = static_cast<Row>(shift & (emu::kMabs - 1));
}

KMH_AVX2_INLINE __m256i quad_at(const uint64_t* memory, uint32_t at, uint32_t step, uint32_t wrap) {
  const uint32_t i = at & wrap;
  if (step == 1 && i <= wrap - 3) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(memory + i));
  return _mm256_setr_epi64x(static_cast<int64_t>(memory[i]), static_cast<int64_t>(memory[(at + step) & wrap]),
                            static_cast<int64_t>(memory[(at + 2 * step) & wrap]),
                            static_cast<int64_t>(memory[(at + 3 * step) & wrap]));
}

// kTurn: from the turnaround register, whose rows never wrap.
template <bool kDlw, bool kTurn>
KMH_AVX2 void down(Mab& mab, const Uop& u, Place& place) {
  constexpr uint32_t kWrap = emu::kL1bmLw - 1;
  const Down f = down_of(u);
  const int m = (place.m - f.shift) & (emu::kMabs - 1);
  auto from = u.number + static_cast<uint32_t>(f.mab * m + f.quad * (m >> 2));
  for (int c = 0; c < 4; ++c) {
    const uint64_t* memory = kTurn ? place.l1bm->turn[c] : place.l1bm->lw;
    const auto step = static_cast<uint32_t>(f.pe);
    constexpr uint32_t kLast = kTurn ? 63 : kWrap;
    uint64_t* to = at(mab, u.out[c]);
    put(to, quad_at(memory, from, step, kLast));
    if (u.wide)
      put(to + 4, kDlw ? quad_at(memory, from + static_cast<uint32_t>(f.word), step, kLast) : _mm256_setzero_si256());
    if (!kTurn) from += static_cast<uint32_t>(f.cycle);
  }
}

}  // namespace

Kernel move_avx2(Move what, bool wide) {
  switch (what) {
    case Move::kCopy: return wide ? copy<true> : copy<false>;
    case Move::kCopySome: return wide ? copy_some<true> : copy_some<false>;
    case Move::kWiden: return widen;
    case Move::kTakeWord: return take_word;
    case Move::kPutWord: return put_word;
    case Move::kMaskHalf: return wide ? masked_avx2<false, true> : masked_avx2<false, false>;
    case Move::kMaskWord: return wide ? masked_avx2<true, true> : masked_avx2<true, false>;
    case Move::kKeepHalf: return keep<false>;
    case Move::kKeepWord: return keep<true>;
    case Move::kSend: return wide ? send<true> : send<false>;
    case Move::kFetchAhead: return fetch_ahead;
  }
  return nullptr;
}

Kernel move_avx512(Move what, bool wide) {
  switch (what) {
    case Move::kMaskHalf: return wide ? masked_avx512<false, true> : masked_avx512<false, false>;
    case Move::kMaskWord: return wide ? masked_avx512<true, true> : masked_avx512<true, false>;
    default: return move_avx2(what, wide);
  }
}

Kernel down_avx2(const emu::Op& op, Uop& u) {
  const isa::L1bmColumns& columns = op.insn->def->l1bm;
  const isa::L1bmFormula& f = op.l1bm_dlw ? columns.dlw : columns.lw;
  const bool turn = op.l1bm_addr < 0;
  put_down(f, op.insn->def->allows(isa::kOptShift) ? op.insn->shift : 0, u);
  u.number = turn ? 0 : static_cast<uint32_t>(op.l1bm_addr);
  if (op.l1bm_dlw) return turn ? down<true, true> : down<true, false>;
  return turn ? down<false, true> : down<false, false>;
}

}  // namespace kumihimo::mncore2::fast

#endif
