// MAU matrix instructions: mfma, mmul, mwrite and mread (ISA 6.1, 6.2, 8.6).
//
// out_i = y_i + sum_j A[i][j] * x_j for every cycle's vector x, which the four PEs hold together:
//   d: 4 rows, x_j = the long word of PE j; u computes rows 0,1 and d rows 2,3, the others are normalise(y_i)
//   f: 8 rows, x_j = the MSB word of PE j, only the even columns of A
//   g: 8 rows, x_j = word j%2 of PE j/2
//   h: 16 rows, x_j = half j%4 of PE j/4, addend and result four singles per PE
// Result element i stands where addend element i stood.
#include <array>

#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/mau.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Prec;

// PE sources in Op::src: X, then Y when there is one. In findings operands count as written: matrix 0, X 1.
constexpr int kX = 0, kY = 1;

num::DotSigns signs_of(const Op& op, bool has_y) { return {op.src[kX].negate, has_y && op.src[kY].negate}; }

bool row_enabled(const Insn& insn, int row) { return insn.half_select == 0 || (insn.half_select == 'u') == (row < 2); }

// --- half: decoded rows, 16 outputs at once ---------------------------------------------------------------------

void half_matrix(StepContext& c, const Insn& insn, bool has_y) {
  MatrixSide& side = c.mab->mat[c.op->side];
  if (side.decoded_rows != 0xffff) {
    for (unsigned r = 0; r < 16; ++r)
      if ((side.decoded_rows >> r & 1) == 0) side.decoded[r] = num::decode_half_block_words(side.raw[r]);
    side.decoded_rows = 0xffff;
  }
  const num::DotSigns signs = signs_of(*c.op, has_y);
  for (int cycle = 0; cycle < 4; ++cycle) {
    num::HalfBlock x = num::decode_half_block_words(c.in[kX].hi[cycle]);
    if (signs.x) x = num::negated(x);
    uint32_t y[16];
    if (has_y) {
      const uint32_t flip = signs.y ? 0x80000000u : 0;
      for (int pe = 0; pe < 4; ++pe) {
        const uint64_t hi = c.in[kY].hi[cycle][pe], lo = c.in[kY].lo[cycle][pe];
        y[4 * pe] = static_cast<uint32_t>(hi >> 32) ^ flip;
        y[4 * pe + 1] = static_cast<uint32_t>(hi) ^ flip;
        y[4 * pe + 2] = static_cast<uint32_t>(lo >> 32) ^ flip;
        y[4 * pe + 3] = static_cast<uint32_t>(lo) ^ flip;
      }
    }
    if (insn.narrow) {
      for (int pe = 0; pe < 4; ++pe) {
        uint64_t word = 0;
        for (size_t k = 0; k < 4; ++k) {
          const size_t i = 4 * static_cast<size_t>(pe) + k;
          word = word << 16 | num::dot_half_to_f16(side.decoded[i], x, has_y ? y[i] : 0, *c.switches);
        }
        c.out->v[cycle][0][pe] = word;
        c.out->v[cycle][1][pe] = 0;
      }
      continue;
    }
    uint32_t out[16];
    num::matvec_half(side.decoded.data(), x, has_y ? y : nullptr, out, *c.switches);
    for (int pe = 0; pe < 4; ++pe) {
      c.out->v[cycle][0][pe] = uint64_t{out[4 * pe]} << 32 | out[4 * pe + 1];
      c.out->v[cycle][1][pe] = uint64_t{out[4 * pe + 2]} << 32 | out[4 * pe + 3];
    }
  }
}

// --- the other precisions: the generic dot ----------------------------------------------------------------------

uint64_t word_of(uint64_t lw, int w) { return w == 0 ? lw >> 32 : lw & 0xffffffffu; }

void wide_matrix(StepContext& c, const Insn& insn, bool has_y) {
  const MatrixSide& side = c.mab->mat[c.op->side];
  const num::DotSigns signs = signs_of(*c.op, has_y);
  const bool is_double = insn.prec == Prec::kD, pseudo = insn.prec == Prec::kG;
  const num::Block kind = is_double ? num::Block::kDouble : pseudo ? num::Block::kPseudo : num::Block::kSingle;
  const num::Float sum = num::block_format(kind).sum;
  const num::Float out_float = !insn.narrow ? sum : is_double ? num::Float::kSingle : num::Float::kHalf;
  const int rows = is_double ? 4 : 8, members = num::block_format(kind).elements;
  for (int cycle = 0; cycle < 4; ++cycle) {
    uint64_t x[8], result[8];
    for (int j = 0; j < members; ++j) {
      const uint64_t* row = c.in[kX].hi[cycle];
      x[j] = is_double ? row[j] : pseudo ? word_of(row[j / 2], j % 2) : word_of(row[j], 0);
    }
    for (int i = 0; i < rows; ++i) {
      const uint64_t y = !has_y ? 0 : is_double ? c.in[kY].hi[cycle][i] : word_of(c.in[kY].hi[cycle][i / 2], i % 2);
      if (!row_enabled(insn, i)) {
        // A row that is not selected still passes through the adder (ISA 8.6 [I]).
        result[i] = num::passa(sum, y, out_float, {signs.y, false, false}, *c.switches);
        continue;
      }
      uint64_t a[8];
      for (int j = 0; j < members; ++j)
        a[j] = is_double ? side.raw[i][j] : pseudo ? word_of(side.raw[i][j / 2], j % 2) : word_of(side.raw[i][j], 0);
      result[i] = num::matrix_dot(kind, a, x, y, out_float, signs, *c.switches);
    }
    for (int pe = 0; pe < 4; ++pe) {
      uint64_t& hi = c.out->v[cycle][0][pe];
      if (is_double)
        hi = insn.narrow ? result[pe] << 32 : result[pe];
      else if (insn.narrow)
        hi = result[2 * pe] << 48 | result[2 * pe + 1] << 32;
      else
        hi = result[2 * pe] << 32 | result[2 * pe + 1];
      c.out->v[cycle][1][pe] = 0;
    }
  }
}

// --- definedness ------------------------------------------------------------------------------------------------

// Lanes of a long word that a member of the block uses.
struct Members {
  int per_lw;
  int bits;
  bool first_only;  // f: only the MSB word of each long word takes part
};
constexpr Members members_of(Prec prec) {
  switch (prec) {
    case Prec::kD: return {1, 64, false};
    case Prec::kF: return {1, 32, true};
    case Prec::kG: return {2, 32, false};
    default: return {4, 16, false};
  }
}

GroupDef block_def(const uint8_t* lanes, Prec prec) {
  const Members m = members_of(prec);
  GroupCount count;
  for (int pe = 0; pe < 4; ++pe) {
    const uint8_t whole = whole_elements(lanes[pe], m.bits);
    if (m.first_only) {
      count.add((whole & 0xc) != 0);
      continue;
    }
    for (int k = 0; k < m.per_lw; ++k) count.add((whole & (0x8 >> (k * 4 / m.per_lw))) != 0);
  }
  return count.get();
}

int rows_of(Prec prec) { return prec == Prec::kD ? 4 : prec == Prec::kH ? 16 : 8; }

// f and g are the same bits (ISA 6.2); a row of another precision is laid out differently in the register.
void check_precision(StepContext& c, Prec prec, int rows) {
  const auto same = [](Prec p) { return p == Prec::kG ? Prec::kF : p; };
  for (int i = 0; i < rows; ++i) {
    const auto made = static_cast<Prec>(c.mab_def->mat_prec[c.op->side][i]);
    if (made != Prec::kNone && same(made) != same(prec)) c.find(FindingKind::kMatrixPrecision, 0, c.where, i);
  }
}

void matrix_defined(StepContext& c, const Insn& insn, bool has_y) {
  const int rows = rows_of(insn.prec);
  const MabDef& def = *c.mab_def;
  const auto side = static_cast<size_t>(c.op->side);
  std::array<GroupDef, 16> row_def{};
  check_precision(c, insn.prec, rows);
  for (int i = 0; i < rows; ++i) row_def[static_cast<size_t>(i)] = block_def(def.mat[side][i], insn.prec);
  for (int cycle = 0; cycle < 4; ++cycle) {
    const GroupDef x = block_def(c.in[kX].hi_def[cycle], insn.prec);
    const bool x_defined = combine(c, x, FindingKind::kUndefinedContraction, 1, c.where, cycle);
    std::array<bool, 16> defined{};
    for (int i = 0; i < rows; ++i) {
      const auto r = static_cast<size_t>(i);
      if (!row_enabled(insn, i)) {
        defined[r] = true;
        continue;
      }
      // A live vector against a row of which only a part is defined mixes garbage into a live sum. A row without any
      // defined element is padding: its output is undefined, and that is all.
      if (x != GroupDef::kNone && row_def[r] == GroupDef::kMixed)
        c.find(FindingKind::kUndefinedContraction, 0, c.where, i);
      defined[r] = x_defined && row_def[r] == GroupDef::kAll;
    }
    for (int pe = 0; pe < 4; ++pe) {
      const auto p = static_cast<size_t>(pe);
      uint8_t e;
      if (insn.prec == Prec::kD) {
        e = defined[p] ? kAllDefined : 0;
        if (has_y) e &= whole_elements(c.in[kY].hi_def[cycle][pe], 64);
      } else if (insn.prec == Prec::kH) {
        e = static_cast<uint8_t>(defined[4 * p] << 3 | defined[4 * p + 1] << 2 | defined[4 * p + 2] << 1 |
                                 static_cast<int>(defined[4 * p + 3]));
        if (has_y) {
          const uint8_t h = c.in[kY].hi_def[cycle][pe], l = c.in[kY].lo_def[cycle][pe];
          e &= static_cast<uint8_t>(((h & 0xc) == 0xc) << 3 | ((h & 3) == 3) << 2 | ((l & 0xc) == 0xc) << 1 |
                                    ((l & 3) == 3));
        }
      } else {
        e = static_cast<uint8_t>((defined[2 * p] ? 0xc : 0) | (defined[2 * p + 1] ? 3 : 0));
        if (has_y) e &= whole_elements(c.in[kY].hi_def[cycle][pe], 32);
      }
      mau_result_defined(c, cycle, pe, insn.prec, insn.narrow, e);
    }
  }
}

void matrix(StepContext& c, const Insn& insn, bool has_y) {
  if (insn.prec == Prec::kH)
    half_matrix(c, insn, has_y);
  else
    wide_matrix(c, insn, has_y);
  if (c.op->needs_flags) mau_flags(c, insn.prec, insn.narrow);
  if (c.strict()) matrix_defined(c, insn, has_y);
}

void write_row(StepContext& c, Prec prec, int row, const uint64_t* value, const uint8_t* def) {
  const auto s = static_cast<size_t>(c.op->side);
  MatrixSide& side = c.mab->mat[s];
  for (int pe = 0; pe < 4; ++pe) side.raw[row][pe] = value[pe];
  side.changed(row);
  if (!c.strict()) return;
  for (int pe = 0; pe < 4; ++pe) c.mab_def->mat[s][row][pe] = def[pe];
  c.mab_def->mat_prec[s][row] = static_cast<uint8_t>(prec);
}

// Column `column` of a side, from its `rows` rows: element i of the PEs together is A[i][column].
void read_column(StepContext& c, int rows, int column, uint64_t* value, uint8_t* def) {
  const auto s = static_cast<size_t>(c.op->side);
  const MatrixSide& side = c.mab->mat[s];
  const int per_lw = rows / 4, bits = 64 / per_lw;
  const int from = 64 - (column % per_lw + 1) * bits;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const auto lane_mask = static_cast<unsigned>((1 << (bits / 16)) - 1);
  for (int pe = 0; pe < 4; ++pe) {
    uint64_t lw = 0;
    unsigned lanes = 0;
    for (int k = 0; k < per_lw; ++k) {
      const int row = per_lw * pe + k, to = 64 - (k + 1) * bits;
      lw |= (side.raw[row][column / per_lw] >> from & mask) << to;
      if (c.strict())
        lanes |= (static_cast<unsigned>(c.mab_def->mat[s][row][column / per_lw]) >> (from / 16) & lane_mask)
                 << (to / 16);
    }
    value[pe] = lw;
    if (c.strict()) def[pe] = static_cast<uint8_t>(lanes);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void mau_mfma(StepContext& c, const Insn& insn) { emu::matrix(c, insn, true); }
void mau_mmul(StepContext& c, const Insn& insn) { emu::matrix(c, insn, false); }

// Cycle c writes row R+c, or with a double long word rows R+2c (MSB LW) and R+2c+1 (LSB LW), modulo the rows of the
// precision (ISA 6.2).
void mau_mwrite(StepContext& c, const Insn& insn) {
  const int rows = emu::rows_of(insn.prec);
  const bool dlw = c.op->matrix_width == isa::Width::kDlw;
  const emu::View& src = c.in[0];
  for (int cycle = 0; cycle < 4; ++cycle) {
    const int row = c.op->matrix_row + (dlw ? 2 * cycle : cycle);
    emu::write_row(c, insn.prec, row % rows, src.hi[cycle], src.hi_def[cycle]);
    if (dlw) emu::write_row(c, insn.prec, (row + 1) % rows, src.lo[cycle], src.lo_def[cycle]);
  }
}

// Cycle c reads column C+c, or with a double long word columns C+2c (MSB LW) and C+2c+1 (LSB LW), modulo the rows of
// the precision: a matrix has as many columns as rows (ISA 6.2).
void mau_mread(StepContext& c, const Insn& insn) {
  const int rows = emu::rows_of(insn.prec);
  const bool dlw = c.op->matrix_width == isa::Width::kDlw;
  if (c.strict()) emu::check_precision(c, insn.prec, rows);
  for (int cycle = 0; cycle < 4; ++cycle) {
    const int column = c.op->matrix_row + (dlw ? 2 * cycle : cycle);
    uint64_t(&out)[2][4] = c.out->v[cycle];
    uint8_t* def[2] = {nullptr, nullptr};
    if (c.strict()) def[0] = c.out_def->v[cycle][0], def[1] = c.out_def->v[cycle][1];
    emu::read_column(c, rows, column % rows, out[0], def[0]);
    if (dlw) {
      emu::read_column(c, rows, (column + 1) % rows, out[1], def[1]);
      continue;
    }
    // A long word fills the MSB side; nothing is known of the rest (ISA 12 Q13).
    for (int pe = 0; pe < 4; ++pe) {
      out[1][pe] = 0;
      if (c.strict()) def[1][pe] = 0;
    }
  }
}

}  // namespace kumihimo::mncore2::sem
