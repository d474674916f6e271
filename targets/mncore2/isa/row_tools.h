// Short spellings for the row catalogues (rows_*.cpp): precision sets, width columns and the usual operands.
// Nothing here is a fact about the machine; facts stand in the rows.
#pragma once

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::isa::row {

inline constexpr uint16_t kD = prec_bit(Prec::kD), kF = prec_bit(Prec::kF), kG = prec_bit(Prec::kG),
                          kH = prec_bit(Prec::kH), kL = prec_bit(Prec::kL), kI = prec_bit(Prec::kI),
                          kS = prec_bit(Prec::kS);
inline constexpr uint16_t kDfh = kD | kF | kH, kDfgh = kDfh | kG, kLis = kL | kI | kS;

inline constexpr Width W = Width::kW, L = Width::kLw, LL = Width::kDlw;

constexpr Widths all(Width w) { return {w, w, w, w, w, w, w, w}; }
// Widths of the float precisions d, f, g, h; integers do not occur where this is used.
constexpr Widths dfgh(Width d, Width f, Width g, Width h) { return {L, d, f, g, h, L, L, L}; }

constexpr OperandDef pe_src(std::string_view name, Widths width = all(L)) {
  return {.role = OperandRole::kPeSrc, .name = name, .width = width};
}
constexpr OperandDef pe_dst(Widths width = all(L)) {
  return {.role = OperandRole::kPeDst, .name = "DST", .width = width};
}
constexpr OperandDef other(OperandRole role, std::string_view name, Widths width = all(L)) {
  return {.role = role, .name = name, .width = width};
}

}  // namespace kumihimo::mncore2::isa::row
