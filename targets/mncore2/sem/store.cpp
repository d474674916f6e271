// Destinations: results to PE memories, T, BARs and mask registers, under masks.
#include <cstring>

#include "targets/mncore2/sem/address.h"
#include "targets/mncore2/sem/operands.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;
using isa::Width;

// --- masks ------------------------------------------------------------------------------------------------------

// The four bits of one cycle for one PE: fixed patterns 16..31 or a mask register (ISA 3.3).
uint8_t mask_nibble(const StepContext& c, int entry, int cycle, int pe) {
  if (entry >= 16) return entry >> (3 - cycle) & 1 ? 0xf : 0;
  return static_cast<uint8_t>(c.mab->omr[entry][pe] >> (12 - 4 * cycle) & 0xf);
}
uint8_t mask_nibble_def(const StepContext& c, int entry, int cycle, int pe) {
  return entry >= 16 ? kAllDefined : static_cast<uint8_t>(c.mab_def->omr[entry][pe] >> (12 - 4 * cycle) & 0xf);
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
void store_one(const Write& w, const Rows& m, int row, bool low, int cycle, int pe, const Beat& out,
               const BeatDef* def) {
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
      if ((w.known(cycle, pe).hi & kLane) == 0)
        undefined = 1;
      else if (on)
        undefined = (def->v[cycle][0][pe] & kLane) == 0;
    }
  bool used = false;
  for (int pe = 0; pe < 4; ++pe)
    used = used || c.mab->bar[k][pe] != 0 || (def != nullptr && c.mab_def->bar_undefined[k][pe]);
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
