// Where the fields of a MAB lie, as rows of four long words (fast::Row).
#pragma once

#include <cstddef>

#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/sem/address.h"

namespace kumihimo::mncore2::emu {

constexpr fast::Row row_at(size_t bytes) { return static_cast<fast::Row>(bytes / sizeof(uint64_t)); }

// Long word `row` of an addressed memory.
constexpr fast::Row memory_row(isa::Mem mem, int row) {
  const size_t k = static_cast<size_t>(bank(mem)), r = static_cast<size_t>(row);
  return is_lm(mem) ? row_at(offsetof(Mab, lm) + (k * kLmRows + r) * 32)
                    : row_at(offsetof(Mab, grf) + (k * kGrfRows + r) * 32);
}
constexpr fast::Row beat_row(size_t beat_bytes, int cycle) {
  return row_at(beat_bytes + static_cast<size_t>(cycle) * 64);
}
constexpr size_t latch_bytes(int latch, int buffer) {
  return offsetof(Mab, latch) + (static_cast<size_t>(latch) * 2 + static_cast<size_t>(buffer)) * sizeof(Beat);
}
constexpr size_t scratch_bytes(int k) { return offsetof(Mab, scratch) + static_cast<size_t>(k) * sizeof(Beat); }
constexpr fast::Row side_row(int side) {
  return row_at(offsetof(Mab, mat) + static_cast<size_t>(side) * sizeof(MatrixSide));
}
constexpr fast::Row mask_row(int entry) { return row_at(offsetof(Mab, omr) + static_cast<size_t>(entry) * 8); }
constexpr fast::Row bar_row(int k) { return row_at(offsetof(Mab, bar) + static_cast<size_t>(k) * 8); }
static_assert(offsetof(Mab, omr) % 8 == 0 && offsetof(Mab, bar) % 8 == 0);

}  // namespace kumihimo::mncore2::emu
