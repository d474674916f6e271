// zero, imm, immu, msl and msr: whole rows. See alu_lanes.h.
#pragma once

#include "targets/mncore2/fast/alu.h"
#include "targets/mncore2/fast/alu_lanes.h"

namespace kumihimo::mncore2::fast {
namespace {

static_assert(num::kDefaultSwitches.imm_flags == num::ImmFlags::kZeros);

template <RowForm kForm>
KMH_LANES_INLINE __m256i constant(const isa::Insn& insn) {
  if constexpr (kForm == RowForm::kZero) return _mm256_setzero_si256();
  if constexpr (kForm == RowForm::kImm) return _mm256_set1_epi32(static_cast<int>(insn.literal));
  if constexpr (kForm == RowForm::kImmu)
    return _mm256_set1_epi64x(static_cast<int64_t>(static_cast<uint64_t>(insn.literal) << 32));
}

template <RowForm kForm, bool kFlags>
KMH_LANES void constant_kernel(emu::Mab& mab, const Uop& u, Place& place) {
  const __m256i row = constant<kForm>(*u.op->insn);
  for (int c = 0; c < 4; ++c) {
    store(mab, u.out[c], row);
    if (u.wide) store_lsb(mab, u.out[c], row);
  }
  if constexpr (kFlags) store_flags(place, _mm256_setzero_si256());
}

// PE p receives the long word of PE p + kFrom.
template <int kFrom, bool kFlags>
KMH_LANES void turn_kernel(emu::Mab& mab, const Uop& u, Place& place) {
  constexpr int kOrder = kFrom == 1 ? 0x39 : 0x93;
  for (int c = 0; c < 4; ++c) store(mab, u.out[c], _mm256_permute4x64_epi64(load(mab, u.x[c]), kOrder));
  if (u.wide) copy_lsb(mab, u);
  if constexpr (kFlags) store_flags(place, _mm256_setzero_si256());
}

}  // namespace
}  // namespace kumihimo::mncore2::fast
