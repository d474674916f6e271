// Sources: from PE memories, T, latches and constants to Views.
#include <cstring>

#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/sem/address.h"
#include "targets/mncore2/sem/operands.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Mem;
using isa::Width;

alignas(32) constexpr uint64_t kZeroRow[4] = {};
constexpr uint8_t kUndefinedRow[4] = {};

void point_at(View& v, int cycle, const uint64_t* hi, const uint64_t* lo, const uint8_t* hi_def,
              const uint8_t* lo_def) {
  v.hi[cycle] = hi;
  v.lo[cycle] = lo;
  v.hi_def[cycle] = hi_def;
  v.lo_def[cycle] = lo_def;
}

void point_at_copy(View& v) {
  for (int c = 0; c < 4; ++c) point_at(v, c, v.copy.v[c][0], v.copy.v[c][1], v.copy_def.v[c][0], v.copy_def.v[c][1]);
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
        point_at(v, cycle, m.lw[row], m.lw[row + 1], def == nullptr ? nullptr : def[0],
                 def == nullptr ? nullptr : def[1]);
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
      const uint8_t hd = c.strict() ? def.v[cycle][0][pe] : kAllDefined,
                    ld = c.strict() ? def.v[cycle][1][pe] : kAllDefined;
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

}  // namespace

void fetch(StepContext& c, const SrcPlan& s, View& v) {
  switch (s.mem) {
    case Mem::kLm0:
    case Mem::kLm1:
    case Mem::kGrf0:
    case Mem::kGrf1:
      if (uniform(c, s))
        fetch_uniform(c, s, v);
      else
        fetch_per_pe(c, s, v);
      break;
    case Mem::kT: point_at_beat(v, c.mab->t, c.strict() ? &c.mab_def->t : nullptr); break;
    case Mem::kMauf:
    case Mem::kAluf:
    case Mem::kLbf:
    case Mem::kMreadf: {
      const int latch = s.mem == Mem::kMauf   ? kLatchMau
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

}  // namespace kumihimo::mncore2::emu
