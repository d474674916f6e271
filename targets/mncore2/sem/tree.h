// Access to the memories of the tree (L1BM, L2BM) with wrapping addresses.
#pragma once

#include <algorithm>
#include <cstring>

#include "targets/mncore2/num/rrn.h"
#include "targets/mncore2/sem/context.h"

namespace kumihimo::mncore2::emu {

// Copies `count` elements between two ring buffers. Addresses wrap at the capacities (ISA 1.2 [V]).
template <class T>
void copy_wrapped(T* dst, int64_t dst_addr, int64_t dst_capacity, const T* src, int64_t src_addr, int64_t src_capacity,
                  int64_t count) {
  while (count > 0) {
    dst_addr %= dst_capacity;
    src_addr %= src_capacity;
    const int64_t n = std::min({count, dst_capacity - dst_addr, src_capacity - src_addr});
    std::memcpy(dst + dst_addr, src + src_addr, static_cast<size_t>(n) * sizeof(T));
    dst_addr += n, src_addr += n, count -= n;
  }
}

// Strict mode: an instruction that touches [addr, addr + span) of a memory of `capacity` long words.
inline void check_range(StepContext& c, int operand, int64_t addr, int64_t span, int64_t capacity) {
  if (addr < 0 || addr + span > capacity) c.find(FindingKind::kOutOfRange, operand, c.where, addr);
}

inline num::Reduce reduce_of(isa::RrnOp op) {
  switch (op) {
    case isa::RrnOp::kFadd: return num::Reduce::kFadd;
    case isa::RrnOp::kMax: return num::Reduce::kMax;
    case isa::RrnOp::kMin: return num::Reduce::kMin;
    case isa::RrnOp::kIadd: return num::Reduce::kIadd;
    case isa::RrnOp::kBand: return num::Reduce::kBand;
    case isa::RrnOp::kAnd: return num::Reduce::kAnd;
    case isa::RrnOp::kBor: return num::Reduce::kBor;
    case isa::RrnOp::kOr:
    case isa::RrnOp::kNone: return num::Reduce::kOr;
  }
  return num::Reduce::kOr;
}

inline num::Lane lane_of(isa::Prec prec) {
  switch (prec) {
    case isa::Prec::kD:
    case isa::Prec::kL:
    case isa::Prec::kNone: return num::Lane::k64;
    case isa::Prec::kF:
    case isa::Prec::kG:
    case isa::Prec::kI: return num::Lane::k32;
    case isa::Prec::kH:
    case isa::Prec::kS: return num::Lane::k16;
  }
  return num::Lane::k64;
}

// The identity of a reduction in every element of a long word.
inline uint64_t identity_word(num::Reduce op, num::Lane lane) {
  uint64_t word = 0;
  const int bits = num::lane_bits(lane);
  for (int k = 0; k < 64 / bits; ++k) word |= num::reduce_identity(op, lane) << (k * bits);
  return word;
}

}  // namespace kumihimo::mncore2::emu
