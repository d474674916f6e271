// Mask register entries as lanes of a row (ISA 3.3).
//
// An entry holds four bits of each PE and cycle, the first on top; on the host the first half of a long word is the last
// one in memory, so a PE's bits stand in the order of its lanes.
#pragma once

#include <cstring>

#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/fast/simd.h"

#ifdef KMH_X86

namespace kumihimo::mncore2::fast {

// One bit per half of a row: 16 bits.
KMH_AVX2_INLINE uint32_t half_bits(uint64_t entry, int cycle) {
  return static_cast<uint32_t>(_pext_u64(entry, 0x000f000f000f000fu << (12 - 4 * cycle)));
}
// One bit per word of the MSB row, of the LSB row: 8 bits.
KMH_AVX2_INLINE uint32_t word_bits(uint64_t entry, int cycle, bool lsb) {
  return static_cast<uint32_t>(_pext_u64(entry, (lsb ? 0x0003000300030003u : 0x000c000c000c000cu) << (12 - 4 * cycle)));
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

}  // namespace kumihimo::mncore2::fast

#endif
