// Forms of a matrix side for the products of half rows (emu::HalfColumns), made from its raw rows when needed.
#pragma once

#include <cstdint>

#include "targets/mncore2/sem/state.h"

namespace kumihimo::mncore2::fast {

inline constexpr int kHalfExponent = 0x7e00, kHalfFraction = 0x01ff;
// The scale of a row is its exponent plus this: 127 + 49 is the single exponent of 2^49, and 49 = 127 - 2 * (31 + 8).
inline constexpr uint32_t kScaleBias = 49;

// Row r = 4p + 2w + k stands in lane 8w + 2p + 1 - k (emu::Beat).
alignas(64) inline constexpr int32_t kRowOfLane[16] = {1, 0, 5, 4, 9, 8, 13, 12, 3, 2, 7, 6, 11, 10, 15, 14};

// Makes what is stale. Call when columns.groups is not 15.
void refresh_columns_avx512(emu::MatrixSide& side);
void refresh_columns_avx2(emu::MatrixSide& side);

// Makes the masks. Precondition: columns are fresh.
void make_masks_avx512(emu::MatrixSide& side);
void make_masks_avx2(emu::MatrixSide& side);

}  // namespace kumihimo::mncore2::fast
