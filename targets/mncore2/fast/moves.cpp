#include "targets/mncore2/fast/moves.h"

#include <cstring>

#include "targets/mncore2/fast/masks.h"
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

KMH_AVX2_INLINE uint64_t entry_of(Mab& mab, const Uop& u) {
  uint64_t entry;
  std::memcpy(&entry, at(mab, u.side), sizeof entry);
  return entry;
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

// --- conversions (num/formats.h) ------------------------------------------------------------------------------------

// Halves in the low 16 bits of the lanes.
KMH_AVX2_INLINE __m256i half_to_single(__m256i half) {
  const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(half, _mm256_set1_epi32(0x8000)), 16);
  const __m256i magnitude = _mm256_and_si256(half, _mm256_set1_epi32(0x7fff));
  __m256i v = _mm256_add_epi32(_mm256_slli_epi32(magnitude, 14), _mm256_set1_epi32((127 - 31) << 23));
  v = _mm256_blendv_epi8(v, _mm256_set1_epi32(0x7f800000), _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7dff)));
  v = _mm256_and_si256(v, _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x1ff)));
  return _mm256_or_si256(v, sign);
}

KMH_AVX2 void halves_to_singles(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const __m256i v = load(at(mab, u.x[c]));
    uint64_t* to = at(mab, u.out[c]);
    // Host order: of each long word, halves 3, 2 (LSB word) and 1, 0 (MSB word).
    const __m256i even = _mm256_and_si256(v, _mm256_set1_epi32(0xffff)), odd = _mm256_srli_epi32(v, 16);
    const __m256i e = half_to_single(even), o = half_to_single(odd);
    // Words of a long word of singles: the LSB word comes from the even half, the MSB word from the odd one.
    put(to, _mm256_blend_epi32(_mm256_srli_epi64(e, 32), o, 0xaa));
    put(to + 4, _mm256_blend_epi32(e, _mm256_slli_epi64(o, 32), 0xaa));
  }
}

// A single in the low word of each lane to a double.
KMH_AVX2_INLINE __m256i single_to_double(__m256i single) {
  const __m256i sign = _mm256_slli_epi64(_mm256_and_si256(single, _mm256_set1_epi64x(0x80000000)), 32);
  const __m256i magnitude = _mm256_and_si256(single, _mm256_set1_epi64x(0x7fffffff));
  __m256i v = _mm256_add_epi64(_mm256_slli_epi64(magnitude, 29), _mm256_set1_epi64x(int64_t{1023 - 127} << 52));
  v = _mm256_blendv_epi8(v, _mm256_set1_epi64x(int64_t{2047} << 52),
                         _mm256_cmpgt_epi64(magnitude, _mm256_set1_epi64x(0x7f7fffff)));
  v = _mm256_and_si256(v, _mm256_cmpgt_epi64(magnitude, _mm256_set1_epi64x(0x7fffff)));
  return _mm256_or_si256(v, sign);
}

KMH_AVX2 void singles_to_doubles(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const __m256i v = load(at(mab, u.x[c]));
    uint64_t* to = at(mab, u.out[c]);
    put(to, single_to_double(_mm256_srli_epi64(v, 32)));
    put(to + 4, single_to_double(_mm256_and_si256(v, _mm256_set1_epi64x(0xffffffff))));
  }
}

KMH_AVX2_INLINE __m256i single_to_half(__m256i v) {
  const __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi32(0x7fffffff));
  const __m256i even = _mm256_and_si256(_mm256_srli_epi32(magnitude, 14), _mm256_set1_epi32(1));
  __m256i r = _mm256_add_epi32(_mm256_add_epi32(magnitude, _mm256_set1_epi32((1 << 13) - 1)), even);
  r = _mm256_srli_epi32(r, 14);
  constexpr int kRebias = (127 - 31) << 9, kInf = 63 << 9, kOne = 1 << 9;
  const __m256i live = _mm256_cmpgt_epi32(r, _mm256_set1_epi32(kRebias + kOne - 1));
  r = _mm256_sub_epi32(_mm256_min_epi32(r, _mm256_set1_epi32(kRebias + kInf)), _mm256_set1_epi32(kRebias));
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(v, 16), _mm256_set1_epi32(0x8000));
  return _mm256_or_si256(_mm256_and_si256(r, live), sign);
}

template <bool kWide>
KMH_AVX2 void singles_to_halves(Mab& mab, const Uop& u, Place&) {
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    uint64_t* to = at(mab, u.out[c]);
    // Singles 0, 1 of the MSB long word become halves 0, 1; those of the LSB long word 2, 3.
    const __m256i h = single_to_half(load(from)),
                  l = kWide ? single_to_half(load(from + 4)) : single_to_half(_mm256_setzero_si256());
    const __m256i high = _mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(h, 32), 48), _mm256_slli_epi64(h, 32));
    const __m256i low = _mm256_or_si256(_mm256_slli_epi64(_mm256_srli_epi64(l, 32), 16),
                                        _mm256_and_si256(l, _mm256_set1_epi64x(0xffff)));
    put(to, _mm256_or_si256(_mm256_and_si256(high, _mm256_set1_epi64x(int64_t{-1} << 32)), low));
    put(to + 4, _mm256_setzero_si256());
  }
}

// --- flags of the MAU -----------------------------------------------------------------------------------------------
// NOT the sign bit of each element, spread over the four bits of a cycle (ISA 6.1).

KMH_AVX2_INLINE uint32_t signs_of(__m256i words) {
  return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(words)));
}
KMH_AVX2_INLINE void put_flags(uint32_t four, uint8_t (&to)[4]) { std::memcpy(to, &four, sizeof four); }

KMH_AVX2 void double_flags(Mab& mab, const Uop& u, Place& place) {
  for (int c = 0; c < 4; ++c) {
    const auto minus = static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(load(at(mab, u.x[c])))));
    put_flags(_pdep_u32(~minus, 0x01010101) * 0xf, place.mau_flags[c]);
  }
}
// kNarrow: the second half of the MSB word is the second element.
template <bool kNarrow>
KMH_AVX2 void single_flags(Mab& mab, const Uop& u, Place& place) {
  for (int c = 0; c < 4; ++c) {
    __m256i v = load(at(mab, u.x[c]));
    if (kNarrow) v = _mm256_blend_epi32(_mm256_srli_epi64(v, 16), v, 0xaa);
    put_flags(_pdep_u32(~signs_of(v), 0x05050505) * 3, place.mau_flags[c]);
  }
}
KMH_AVX2 void half_flags(Mab& mab, const Uop& u, Place& place) {
  for (int c = 0; c < 4; ++c) {
    const uint64_t* from = at(mab, u.x[c]);
    put_flags(_pdep_u32(~signs_of(load(from)), 0x0c0c0c0c) | _pdep_u32(~signs_of(load(from + 4)), 0x03030303),
              place.mau_flags[c]);
  }
}
KMH_AVX2 void narrow_half_flags(Mab& mab, const Uop& u, Place& place) {
  for (int c = 0; c < 4; ++c) {
    const __m256i v = load(at(mab, u.x[c]));
    const auto bytes = static_cast<uint32_t>(_mm256_movemask_epi8(v));
    put_flags(_pdep_u32(_pext_u32(~bytes, 0xaaaaaaaa), 0x0f0f0f0f), place.mau_flags[c]);
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
    case Move::kHalfToSingle: return halves_to_singles;
    case Move::kSingleToDouble: return singles_to_doubles;
    case Move::kSingleToHalf: return wide ? singles_to_halves<true> : singles_to_halves<false>;
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

Kernel mau_flags_avx2(const emu::Op& op) {
  switch (op.insn->prec) {
    case isa::Prec::kD: return double_flags;
    case isa::Prec::kH: return op.insn->narrow ? narrow_half_flags : half_flags;
    default: return op.insn->narrow ? single_flags<true> : single_flags<false>;
  }
}

Kernel down_avx2(const emu::Op& op, Uop& u) {
  const isa::L1bmColumns& columns = op.insn->def->l1bm;
  const isa::L1bmFormula& f = op.l1bm_dlw ? columns.dlw : columns.lw;
  const bool turn = op.l1bm_addr < 0;
  put_down(f, op.insn->def->allows(isa::kOptShift) ? op.insn->shift : 0, u);
  u.x_rows = false;
  u.number = turn ? 0 : static_cast<uint32_t>(op.l1bm_addr);
  if (op.l1bm_dlw) return turn ? down<true, true> : down<true, false>;
  return turn ? down<false, true> : down<false, false>;
}

}  // namespace kumihimo::mncore2::fast

#endif
