#include "targets/mncore2/sem/operands.h"

#include <cstring>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/sem/defined.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;
using isa::Width;

constexpr int kLmWords = 2 * kLmRows, kGrfWords = 2 * kGrfRows;

alignas(32) constexpr uint64_t kZeroRow[4] = {};
constexpr uint8_t kUndefinedRow[4] = {};

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }
int bank(Mem mem) { return mem == Mem::kLm1 || mem == Mem::kGrf1 || mem == Mem::kBar1 ? 1 : 0; }

// The memory of an addressed operand as rows of four PEs.
struct Rows {
  uint64_t (*lw)[4];
  uint8_t (*def)[4];  // strict mode only
  int words;
};
Rows rows_of(const StepContext& c, Mem mem) {
  const int k = bank(mem);
  if (is_lm(mem)) return {c.mab->lm[k], c.mab_def != nullptr ? c.mab_def->lm[k] : nullptr, kLmWords};
  return {c.mab->grf[k], c.mab_def != nullptr ? c.mab_def->grf[k] : nullptr, kGrfWords};
}

// --- addresses --------------------------------------------------------------------------------------------------

// True when every PE uses the rows of the plan.
template <class Plan>
bool uniform(const StepContext& c, const Plan& plan) {
  return !plan.per_pe && !(is_lm(plan.mem) && c.mab->bar_used[bank(plan.mem)]);
}

bool j_applies(const StepContext& c, int j, int pe) {
  return c.switches->j_select == num::JSelect::kAtMost ? pe <= j : pe >= j;
}

// Word address of one PE and cycle (ISA 3.2): BAR + T + written address + j, modulo the memory, cut to the width.
template <class Plan>
int word_address(const StepContext& c, const Plan& plan, int cycle, int pe, int words) {
  const int unit = isa::width_words(plan.width), k = bank(plan.mem);
  int a = plan.addr[static_cast<size_t>(cycle)];
  bool defined = true;
  if (is_lm(plan.mem)) {
    a += c.mab->bar[k][pe];
    if (c.strict() && c.mab_def->bar_undefined[k][pe]) defined = false;
  }
  if (plan.t_indirect) {
    a += static_cast<int>(c.mab->t.v[cycle][0][pe] & (kLmWords - 1));
    if (c.strict() && (c.mab_def->t.v[cycle][0][pe] & 1) == 0) defined = false;
  }
  if (plan.j >= 0 && j_applies(c, plan.j, pe)) a += unit;
  if (c.strict()) {
    UnitCoord where = c.where;
    where.p = pe;
    if (!defined) c.find(FindingKind::kUndefinedAddress, plan.operand, where, cycle);
    else if (a < 0 || a + unit > words) c.find(FindingKind::kOutOfRange, plan.operand, where, a);
    else if (a % unit != 0) c.find(FindingKind::kMisaligned, plan.operand, where, a);
  }
  return (a % words + words) % words / unit * unit;
}

// --- sources ----------------------------------------------------------------------------------------------------

void point_at(View& v, int cycle, const uint64_t* hi, const uint64_t* lo, const uint8_t* hi_def, const uint8_t* lo_def) {
  v.hi[cycle] = hi;
  v.lo[cycle] = lo;
  v.hi_def[cycle] = hi_def;
  v.lo_def[cycle] = lo_def;
}

void point_at_copy(View& v) {
  for (int c = 0; c < 4; ++c)
    point_at(v, c, v.copy.v[c][0], v.copy.v[c][1], v.copy_def.v[c][0], v.copy_def.v[c][1]);
}

void point_at_beat(View& v, const Beat& beat, const BeatDef* def) {
  for (int c = 0; c < 4; ++c)
    point_at(v, c, beat.v[c][0], beat.v[c][1], def == nullptr ? nullptr : def->v[c][0],
             def == nullptr ? nullptr : def->v[c][1]);
}

uint64_t word_at(uint64_t lw, bool low) { return low ? lw << 32 : lw & 0xffffffff00000000u; }
uint8_t word_def(uint8_t lanes, bool low) { return low ? static_cast<uint8_t>((lanes & 3) << 2) : (lanes & 0xc); }

void fetch_uniform(const StepContext& c, const SrcPlan& s, View& v) {
  const Rows m = rows_of(c, s.mem);
  switch (s.width) {
    case Width::kLw:
      for (int cycle = 0; cycle < 4; ++cycle) {
        const int row = s.row[static_cast<size_t>(cycle)];
        point_at(v, cycle, m.lw[row], kZeroRow, m.def == nullptr ? nullptr : m.def[row], kUndefinedRow);
      }
      return;
    case Width::kDlw:
      for (int cycle = 0; cycle < 4; ++cycle) {
        const int row = s.row[static_cast<size_t>(cycle)];
        const uint8_t(*def)[4] = m.def == nullptr ? nullptr : m.def + row;
        point_at(v, cycle, m.lw[row], m.lw[row + 1], def == nullptr ? nullptr : def[0], def == nullptr ? nullptr : def[1]);
      }
      return;
    case Width::kW:
      for (int cycle = 0; cycle < 4; ++cycle) {
        const auto k = static_cast<size_t>(cycle);
        for (int pe = 0; pe < 4; ++pe) {
          v.copy.v[cycle][0][pe] = word_at(m.lw[s.row[k]][pe], s.low_word[k]);
          if (m.def != nullptr) v.copy_def.v[cycle][0][pe] = word_def(m.def[s.row[k]][pe], s.low_word[k]);
        }
        point_at(v, cycle, v.copy.v[cycle][0], kZeroRow, v.copy_def.v[cycle][0], kUndefinedRow);
      }
      return;
  }
}

void fetch_per_pe(const StepContext& c, const SrcPlan& s, View& v) {
  const Rows m = rows_of(c, s.mem);
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const int a = word_address(c, s, cycle, pe, m.words), row = a / 2;
      uint64_t& hi = v.copy.v[cycle][0][pe];
      uint64_t& lo = v.copy.v[cycle][1][pe];
      uint8_t& hi_def = v.copy_def.v[cycle][0][pe];
      uint8_t& lo_def = v.copy_def.v[cycle][1][pe];
      const uint8_t def = m.def == nullptr ? kAllDefined : m.def[row][pe];
      hi = s.width == Width::kW ? word_at(m.lw[row][pe], a % 2 != 0) : m.lw[row][pe];
      hi_def = s.width == Width::kW ? word_def(def, a % 2 != 0) : def;
      lo = s.width == Width::kDlw ? m.lw[row + 1][pe] : 0;
      lo_def = s.width != Width::kDlw ? 0 : m.def == nullptr ? kAllDefined : m.def[row + 1][pe];
    }
  point_at_copy(v);
}

// Constants appear in every element of the precision, over the whole double long word (ISA 3.2 [V]).
void fetch_constant(const StepContext& c, const SrcPlan& s, View& v) {
  int bits = 64;
  switch (s.prec) {
    case isa::Prec::kF:
    case isa::Prec::kG:
    case isa::Prec::kI: bits = 32; break;
    case isa::Prec::kH:
    case isa::Prec::kS: bits = 16; break;
    default: break;
  }
  const UnitCoord& w = c.where;
  for (int pe = 0; pe < 4; ++pe) {
    uint64_t value = 0;
    switch (s.mem) {
      case Mem::kL2bid: value = static_cast<uint64_t>(w.g * c.machine->l2bs_per_group + w.s); break;
      case Mem::kL1bid: value = static_cast<uint64_t>(w.b); break;
      case Mem::kMabid: value = static_cast<uint64_t>(w.m); break;
      case Mem::kPeid: value = static_cast<uint64_t>(kPes * w.m + pe); break;
      case Mem::kSubpeid: value = static_cast<uint64_t>(pe); break;
      default: value = uint64_t{1} << (bits - 1); break;  // msb1
    }
    for (int shift = bits; shift < 64; shift *= 2) value |= value << shift;
    for (int cycle = 0; cycle < 4; ++cycle) {
      v.copy.v[cycle][0][pe] = v.copy.v[cycle][1][pe] = value;
      v.copy_def.v[cycle][0][pe] = v.copy_def.v[cycle][1][pe] = kAllDefined;
    }
  }
  point_at_copy(v);
}

// The modifiers e and r (ISA 6.3): all elements of the MSB long word are widened into a double long word, or four
// singles of a double long word are rounded into the MSB long word.
void convert(const StepContext& c, Convert how, View& v) {
  Beat in;
  BeatDef def;
  for (int cycle = 0; cycle < 4; ++cycle) {
    std::memcpy(in.v[cycle][0], v.hi[cycle], 32);
    std::memcpy(in.v[cycle][1], v.lo[cycle], 32);
    if (c.strict()) {
      std::memcpy(def.v[cycle][0], v.hi_def[cycle], 4);
      std::memcpy(def.v[cycle][1], v.lo_def[cycle], 4);
    }
  }
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const uint64_t hi = in.v[cycle][0][pe], lo = in.v[cycle][1][pe];
      const uint8_t hd = c.strict() ? def.v[cycle][0][pe] : kAllDefined, ld = c.strict() ? def.v[cycle][1][pe] : kAllDefined;
      uint64_t out_hi = 0, out_lo = 0;
      uint8_t out_hd = 0, out_ld = 0;
      const auto half = [&](int k) { return static_cast<uint16_t>(hi >> (48 - 16 * k)); };
      switch (how) {
        case Convert::kNone: break;
        case Convert::kHalfToSingle:
          out_hi = uint64_t{num::widen_f16_to_f32(half(0))} << 32 | num::widen_f16_to_f32(half(1));
          out_lo = uint64_t{num::widen_f16_to_f32(half(2))} << 32 | num::widen_f16_to_f32(half(3));
          out_hd = static_cast<uint8_t>((hd & 8 ? 0xc : 0) | (hd & 4 ? 3 : 0));
          out_ld = static_cast<uint8_t>((hd & 2 ? 0xc : 0) | (hd & 1 ? 3 : 0));
          break;
        case Convert::kSingleToDouble:
          out_hi = num::widen(num::kSingle, num::kDouble, hi >> 32);
          out_lo = num::widen(num::kSingle, num::kDouble, hi & 0xffffffffu);
          out_hd = (hd & 0xc) == 0xc ? kAllDefined : 0;
          out_ld = (hd & 3) == 3 ? kAllDefined : 0;
          break;
        case Convert::kSingleToHalf: {
          const uint64_t singles[4] = {hi >> 32, hi & 0xffffffffu, lo >> 32, lo & 0xffffffffu};
          for (uint64_t single : singles)
            out_hi = out_hi << 16 | num::narrow_f32_to_f16(static_cast<uint32_t>(single), *c.switches);
          out_hd = static_cast<uint8_t>(((hd & 0xc) == 0xc) << 3 | ((hd & 3) == 3) << 2 | ((ld & 0xc) == 0xc) << 1 |
                                        ((ld & 3) == 3));
          out_ld = kAllDefined;  // the LSB long word is 0 (ISA 7 [V])
          break;
        }
      }
      v.copy.v[cycle][0][pe] = out_hi;
      v.copy.v[cycle][1][pe] = out_lo;
      v.copy_def.v[cycle][0][pe] = out_hd;
      v.copy_def.v[cycle][1][pe] = out_ld;
    }
  point_at_copy(v);
}

// --- masks ------------------------------------------------------------------------------------------------------

// The four bits of one cycle for one PE: fixed patterns 16..31 or a mask register (ISA 3.3).
uint8_t mask_nibble(const StepContext& c, int entry, int cycle, int pe) {
  if (entry >= 16) return entry >> (3 - cycle) & 1 ? 0xf : 0;
  return static_cast<uint8_t>(c.masks[entry][pe] >> (12 - 4 * cycle) & 0xf);
}
uint8_t mask_nibble_def(const StepContext& c, int entry, int cycle, int pe) {
  return entry >= 16 ? kAllDefined : static_cast<uint8_t>(c.masks_def[entry][pe] >> (12 - 4 * cycle) & 0xf);
}

// Mask bits spread over the lanes of a double long word. l: one bit per half of the MSB long word, the LSB long word
// is always written. ll: one bit per word.
struct LaneMask {
  uint8_t hi, lo;
};
LaneMask spread(uint8_t nibble, bool ll) {
  if (!ll) return {nibble, kAllDefined};
  return {static_cast<uint8_t>((nibble & 8 ? 0xc : 0) | (nibble & 4 ? 3 : 0)),
          static_cast<uint8_t>((nibble & 2 ? 0xc : 0) | (nibble & 1 ? 3 : 0))};
}

constexpr uint64_t lanes_to_bits(uint8_t lanes) {
  uint64_t bits = 0;
  for (int k = 0; k < 4; ++k)
    if (lanes & (8 >> k)) bits |= uint64_t{0xffff} << (48 - 16 * k);
  return bits;
}

struct Write {
  const StepContext& c;
  const DstPlan& d;
  // Lanes that are written, and lanes whose mask bit is defined.
  LaneMask enabled(int cycle, int pe) const {
    return d.mask == 0 ? LaneMask{kAllDefined, kAllDefined} : spread(mask_nibble(c, d.mask, cycle, pe), d.mask_ll);
  }
  LaneMask known(int cycle, int pe) const {
    if (d.mask == 0) return {kAllDefined, kAllDefined};
    const LaneMask m = spread(mask_nibble_def(c, d.mask, cycle, pe), d.mask_ll);
    return {m.hi, m.lo};
  }
};

uint64_t merge(uint64_t old, uint64_t value, uint8_t lanes) {
  const uint64_t bits = lanes_to_bits(lanes);
  return (old & ~bits) | (value & bits);
}
// What is written under an unknown mask bit is unknown.
uint8_t merge_def(uint8_t old, uint8_t value, uint8_t lanes, uint8_t known) {
  return static_cast<uint8_t>(((old & ~lanes) | (value & lanes)) & known);
}

// --- destinations -----------------------------------------------------------------------------------------------

// One PE, one cycle, any width; `row` and `low` place the access.
void store_one(const Write& w, const Rows& m, int row, bool low, int cycle, int pe, const Beat& out, const BeatDef* def) {
  const LaneMask on = w.enabled(cycle, pe);
  const bool strict = w.c.strict();
  const LaneMask known = strict ? w.known(cycle, pe) : LaneMask{};
  const uint64_t hi = out.v[cycle][0][pe];
  if (w.d.width == Width::kW) {
    const auto lanes = static_cast<uint8_t>(low ? on.hi >> 2 : on.hi & 0xc);
    uint64_t& lw = m.lw[row][pe];
    lw = merge(lw, low ? hi >> 32 : hi, lanes);
    if (strict) {
      uint8_t& d = m.def[row][pe];
      const uint8_t value = def->v[cycle][0][pe];
      // The other word of the long word keeps its definedness.
      const uint8_t mine = low ? 0x3 : 0xc;
      const uint8_t merged = merge_def(d, low ? static_cast<uint8_t>(value >> 2) : value, lanes,
                                       low ? static_cast<uint8_t>(known.hi >> 2) : known.hi);
      d = static_cast<uint8_t>((d & ~mine) | (merged & mine));
    }
    return;
  }
  uint64_t& to = m.lw[row][pe];
  to = merge(to, hi, on.hi);
  if (strict) m.def[row][pe] = merge_def(m.def[row][pe], def->v[cycle][0][pe], on.hi, known.hi);
  if (w.d.width != Width::kDlw) return;
  uint64_t& to_lo = m.lw[row + 1][pe];
  to_lo = merge(to_lo, out.v[cycle][1][pe], on.lo);
  if (strict) m.def[row + 1][pe] = merge_def(m.def[row + 1][pe], def->v[cycle][1][pe], on.lo, known.lo);
}

void store_rows(StepContext& c, const DstPlan& d, const Beat& out, const BeatDef* def) {
  const Rows m = rows_of(c, d.mem);
  const bool same_rows = uniform(c, d), fixed_mask = d.mask == 0 || d.mask >= 16;
  if (same_rows && fixed_mask && d.width != Width::kW) {
    // Whole cycles are written or not: copies of rows.
    const size_t rows = d.width == Width::kDlw ? 2 : 1;
    for (int cycle = 0; cycle < 4; ++cycle) {
      if (d.mask != 0 && mask_nibble(c, d.mask, cycle, 0) == 0) {
        // An l mask does not reach the LSB long word (ISA 3.3, 12 Q22).
        if (!d.mask_ll && rows == 2) {
          const int row = d.row[static_cast<size_t>(cycle)] + 1;
          std::memcpy(m.lw[row], out.v[cycle][1], 32);
          if (def != nullptr) std::memcpy(m.def[row], def->v[cycle][1], 4);
        }
        continue;
      }
      const int row = d.row[static_cast<size_t>(cycle)];
      std::memcpy(m.lw[row], out.v[cycle], 32 * rows);
      if (def != nullptr) std::memcpy(m.def[row], def->v[cycle], 4 * rows);
    }
    return;
  }
  const Write w{c, d};
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      if (same_rows) {
        store_one(w, m, d.row[static_cast<size_t>(cycle)], d.low_word[static_cast<size_t>(cycle)], cycle, pe, out, def);
      } else {
        const int a = word_address(c, d, cycle, pe, m.words);
        store_one(w, m, a / 2, a % 2 != 0, cycle, pe, out, def);
      }
    }
}

void store_t(StepContext& c, const DstPlan& d, const Beat& out, const BeatDef* def) {
  Beat& t = c.mab->t;
  if (d.mask == 0) {
    t = out;
    if (def != nullptr) c.mab_def->t = *def;
    return;
  }
  const Write w{c, d};
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const LaneMask on = w.enabled(cycle, pe);
      t.v[cycle][0][pe] = merge(t.v[cycle][0][pe], out.v[cycle][0][pe], on.hi);
      t.v[cycle][1][pe] = merge(t.v[cycle][1][pe], out.v[cycle][1][pe], on.lo);
      if (def == nullptr) continue;
      const LaneMask known = w.known(cycle, pe);
      BeatDef& td = c.mab_def->t;
      td.v[cycle][0][pe] = merge_def(td.v[cycle][0][pe], def->v[cycle][0][pe], on.hi, known.hi);
      td.v[cycle][1][pe] = merge_def(td.v[cycle][1][pe], def->v[cycle][1][pe], on.lo, known.lo);
    }
}

// Low 12 bits of the MSB word (ISA 3.2); they lie in the second half of the long word.
void store_bar(StepContext& c, const DstPlan& d, const Beat& out, const BeatDef* def) {
  constexpr uint8_t kLane = 0x4;
  const int k = bank(d.mem);
  const Write w{c, d};
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      const bool on = (w.enabled(cycle, pe).hi & kLane) != 0;
      if (on) c.mab->bar[k][pe] = static_cast<uint16_t>(out.v[cycle][0][pe] >> 32 & 0xfff);
      if (def == nullptr) continue;
      uint8_t& undefined = c.mab_def->bar_undefined[k][pe];
      if ((w.known(cycle, pe).hi & kLane) == 0) undefined = 1;
      else if (on) undefined = (def->v[cycle][0][pe] & kLane) == 0;
    }
  bool used = false;
  for (int pe = 0; pe < 4; ++pe) used = used || c.mab->bar[k][pe] != 0 || (def != nullptr && c.mab_def->bar_undefined[k][pe]);
  c.mab->bar_used[k] = used;
}

void store_omr(StepContext& c, const DstPlan& d, const uint8_t (*flags)[4], const uint8_t (*flags_def)[4]) {
  const int entry = d.addr[0];
  for (int pe = 0; pe < 4; ++pe) {
    uint16_t value = 0, def = 0;
    for (int cycle = 0; cycle < 4; ++cycle) {
      const int shift = 12 - 4 * cycle;
      const auto old = static_cast<uint8_t>(c.mab->omr[entry][pe] >> shift & 0xf);
      const uint8_t on = d.mask == 0 ? 0xf : mask_nibble(c, d.mask, cycle, pe);
      // Where the mask is 0 the old flag stays, or counts as 0 (ISA 12 Q30).
      const uint8_t kept = c.switches->masked_omr_write == num::MaskedOmrWrite::kKeep ? old & ~on : 0;
      value |= static_cast<uint16_t>(((flags[cycle][pe] & on) | kept) << shift);
      if (!c.strict()) continue;
      const auto old_def = c.switches->masked_omr_write != num::MaskedOmrWrite::kKeep
                               ? kAllDefined
                               : static_cast<uint8_t>(c.mab_def->omr[entry][pe] >> shift & 0xf);
      const uint8_t known = d.mask == 0 ? 0xf : mask_nibble_def(c, d.mask, cycle, pe);
      def |= static_cast<uint16_t>(merge_def(old_def, flags_def[cycle][pe], on, known) << shift);
    }
    c.mab->omr[entry][pe] = value;
    if (c.strict()) c.mab_def->omr[entry][pe] = def;
  }
}

}  // namespace

void fetch(StepContext& c, const SrcPlan& s, View& v) {
  switch (s.mem) {
    case Mem::kLm0:
    case Mem::kLm1:
    case Mem::kGrf0:
    case Mem::kGrf1:
      if (uniform(c, s)) fetch_uniform(c, s, v);
      else fetch_per_pe(c, s, v);
      break;
    case Mem::kT: point_at_beat(v, c.mab->t, c.strict() ? &c.mab_def->t : nullptr); break;
    case Mem::kMauf:
    case Mem::kAluf:
    case Mem::kLbf:
    case Mem::kMreadf: {
      const int latch = s.mem == Mem::kMauf ? kLatchMau
                        : s.mem == Mem::kAluf ? kLatchAlu
                        : s.mem == Mem::kLbf  ? kLatchL1bm
                                              : kLatchMread;
      const int now = c.mab->latch_now[latch];
      point_at_beat(v, c.mab->latch[latch][now], c.strict() ? &c.mab_def->latch[latch][now] : nullptr);
      break;
    }
    default: fetch_constant(c, s, v); break;
  }
  if (s.convert != Convert::kNone) convert(c, s.convert, v);
}

void zero_flush(StepContext& c) {
  const Op& op = *c.op;
  for (int cycle = 0; cycle < 4; ++cycle)
    for (int pe = 0; pe < 4; ++pe) {
      LaneMask on = spread(mask_nibble(c, op.zero_flush, cycle, pe), op.zero_flush_ll);
      c.out->v[cycle][0][pe] &= lanes_to_bits(on.hi);
      c.out->v[cycle][1][pe] &= lanes_to_bits(on.lo);
      if (!c.strict()) continue;
      const LaneMask known = spread(mask_nibble_def(c, op.zero_flush, cycle, pe), op.zero_flush_ll);
      uint8_t& hi = c.out_def->v[cycle][0][pe];
      uint8_t& lo = c.out_def->v[cycle][1][pe];
      hi = static_cast<uint8_t>((hi | ~on.hi) & known.hi & 0xf);
      lo = static_cast<uint8_t>((lo | ~on.lo) & known.lo & 0xf);
    }
}

void store(StepContext& c, const DstPlan& d, const Beat& out, const BeatDef* out_def, const uint8_t (*flags)[4],
           const uint8_t (*flags_def)[4]) {
  switch (d.mem) {
    case Mem::kT: store_t(c, d, out, out_def); break;
    case Mem::kBar0:
    case Mem::kBar1: store_bar(c, d, out, out_def); break;
    case Mem::kOmr: store_omr(c, d, flags, flags_def); break;
    default: store_rows(c, d, out, out_def); break;
  }
}

}  // namespace kumihimo::mncore2::emu
