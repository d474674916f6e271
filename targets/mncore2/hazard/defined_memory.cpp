#include "targets/mncore2/hazard/defined_memory.h"

#include <algorithm>

#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Mem;
using isa::Operand;
using isa::Width;

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }

Lanes word_of(Lanes lw, bool low) {
  return apply([low](uint8_t l) { return static_cast<uint8_t>(low ? (l & 3) << 2 : l & 0xc); }, lw);
}

// Mask bits over the lanes of a double long word: l, one bit per half of the MSB long word, the LSB one always; ll, one bit
// per word (ISA 3.3).
std::array<uint8_t, 2> spread(uint8_t nibble, bool ll) {
  if (!ll) return {nibble, kAllLanes};
  return {static_cast<uint8_t>((nibble & 8 ? 0xc : 0) | (nibble & 4 ? 3 : 0)),
          static_cast<uint8_t>((nibble & 2 ? 0xc : 0) | (nibble & 1 ? 3 : 0))};
}

}  // namespace

Lanes SparseLanes::get(int64_t at) const {
  Lanes lanes = fresh_;
  if (const auto page = pages_.find(at / kPage); page != pages_.end())
    lanes = (*page->second)[static_cast<size_t>(at % kPage)];
  return blurred_ ? either(lanes, kUnknown) : lanes;
}

void SparseLanes::set(int64_t at, Lanes lanes) {
  auto& page = pages_[at / kPage];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->fill(fresh_);
  }
  (*page)[static_cast<size_t>(at % kPage)] = lanes;
}

DefinedMemory::DefinedMemory(Lanes outside) {
  for (Mem mem : {Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1})
    rows(mem)->resize(static_cast<size_t>(isa::address_count(mem)) / 2);
  l1bm_.resize(static_cast<size_t>(isa::address_count(Mem::kL1bm)));
  for (size_t g = 0; g < 4; ++g) pdm_[g] = SparseLanes(outside), dram_[g] = SparseLanes(outside);
  for (auto& bar : bar_) bar.fill(kDefined);  // 0 until it is written
  omr[0].fill(kDefinedRow);
}

std::vector<Row>* DefinedMemory::rows(Mem mem) {
  switch (mem) {
    case Mem::kLm0: return &pe_[0];
    case Mem::kLm1: return &pe_[1];
    case Mem::kGrf0: return &pe_[2];
    case Mem::kGrf1: return &pe_[3];
    default: return nullptr;
  }
}

Lanes DefinedMemory::tree(Mem mem, int instance, int64_t at) const {
  const auto i = static_cast<size_t>(instance);
  const int64_t a = at % isa::address_count(mem);
  return mem == Mem::kL2bm ? l2bm_[i].get(a) : mem == Mem::kPdm ? pdm_[i].get(a) : dram_[i].get(a);
}

void DefinedMemory::set_tree(Mem mem, int instance, int64_t at, Lanes lanes) {
  const auto i = static_cast<size_t>(instance);
  const int64_t a = at % isa::address_count(mem);
  (mem == Mem::kL2bm ? l2bm_[i] : mem == Mem::kPdm ? pdm_[i] : dram_[i]).set(a, lanes);
}

bool DefinedMemory::unknown_address(const Operand& op) const {
  return op.t_indirect || op.j >= 0 || (is_lm(op.mem) && bar_written_[op.mem == Mem::kLm1]);
}

void DefinedMemory::check_address(const Operand& op, std::vector<Harm>& harms) const {
  bool unwritten = false;
  for (size_t pe = 0; pe < 4; ++pe) {
    if (is_lm(op.mem)) unwritten |= bar_[op.mem == Mem::kLm1][pe].may == 0;
    for (size_t c = 0; op.t_indirect && c < 4; ++c) unwritten |= (t.v[c][0][pe].may & 1) == 0;
  }
  if (unwritten) harms.push_back(Harm::kAddress);
}

Beat DefinedMemory::fetch(const Operand& op, isa::Prec prec, std::vector<Harm>& harms) const {
  Beat out;
  switch (op.mem) {
    case Mem::kLm0:
    case Mem::kLm1:
    case Mem::kGrf0:
    case Mem::kGrf1: {
      check_address(op, harms);
      const bool unknown = unknown_address(op);
      const std::vector<Row>& from = *const_cast<DefinedMemory*>(this)->rows(op.mem);
      for (size_t c = 0; c < 4; ++c) {
        // A long word or a word fills the MSB side; nothing is known of the rest (ISA 12 Q13).
        const auto at = static_cast<size_t>(op.addr[c]);
        for (size_t pe = 0; pe < 4; ++pe) {
          Lanes& hi = out.v[c][0][pe];
          if (op.width == Width::kW)
            hi = unknown ? Lanes{0, 0xc} : word_of(from[at / 2][pe], at % 2 != 0);
          else
            hi = unknown ? kUnknown : from[at / 2][pe];
          if (op.width == Width::kDlw) out.v[c][1][pe] = unknown ? kUnknown : from[(at / 2 + 1) % from.size()][pe];
        }
      }
      break;
    }
    case Mem::kT: out = t; break;
    case Mem::kMauf: out = latch[0]; break;
    case Mem::kAluf: out = latch[1]; break;
    case Mem::kLbf: out = latch[2]; break;
    case Mem::kMreadf: out = latch[3]; break;
    default:  // constants
      for (auto& cycle : out.v) cycle = {kDefinedRow, kDefinedRow};
  }
  return converted(out, op.convert, prec);
}

DefinedMemory::Guard DefinedMemory::guard(uint8_t entry, bool ll, size_t cycle, size_t pe) const {
  Guard g;
  if (entry == 0) {
    g.on = g.known = {kDefined, kDefined};
    return g;
  }
  if (entry >= 16) {
    const auto lanes = spread((entry >> (3 - cycle) & 1) != 0 ? kAllLanes : uint8_t{0}, ll);
    for (size_t w = 0; w < 2; ++w) g.on[w] = {lanes[w], lanes[w]}, g.known[w] = kDefined;
    return g;
  }
  const Lanes flags = omr[entry][cycle][pe];
  const auto always = spread(0, ll), must = spread(flags.must, ll), may = spread(flags.may, ll);
  for (size_t w = 0; w < 2; ++w) g.on[w] = {always[w], kAllLanes}, g.known[w] = {must[w], may[w]};
  return g;
}

// Strict mode: ((old & ~on) | (value & on)) & known, lane by lane.
Lanes DefinedMemory::merged(Lanes old, Lanes value, Lanes on, Lanes known) {
  const uint8_t unsure = on.may & ~on.must;
  Lanes out;
  out.must = static_cast<uint8_t>(((old.must & ~on.may) | (value.must & on.must) | (old.must & value.must & unsure)) &
                                  known.must);
  out.may = static_cast<uint8_t>(((old.may & ~on.must) | (value.may & on.may)) & known.may);
  return out;
}

void DefinedMemory::store_row(const Operand& op, const isa::EffectiveMask& mask, const Beat& beat,
                              std::vector<Harm>& harms) {
  std::vector<Row>& to = *rows(op.mem);
  check_address(op, harms);
  const bool unknown = unknown_address(op);
  for (size_t c = 0; c < 4; ++c) {
    for (size_t pe = 0; pe < 4; ++pe) {
      const Guard g = guard(mask.entry, mask.ll, c, pe);
      if (unknown) {
        // Any word may be hit.
        const Lanes hi = beat.v[c][0][pe], lo = op.width == Width::kDlw ? beat.v[c][1][pe] : hi;
        const bool word = op.width == Width::kW;
        const Lanes any =
            word ? Lanes{0, kAllLanes}
                 : both(either(hi, lo), {static_cast<uint8_t>(g.known[0].must & g.known[1].must), kAllLanes});
        for (Row& row : to) row[pe] = either(row[pe], any);
        continue;
      }
      const auto at = static_cast<size_t>(op.addr[c]);
      Lanes& hi = to[at / 2][pe];
      if (op.width == Width::kW) {
        // The word takes the lanes of its half; the other keeps its own.
        const bool low = at % 2 != 0;
        const auto place = [low](uint8_t l) { return static_cast<uint8_t>(low ? l >> 2 & 3 : l & 0xc); };
        const uint8_t mine = low ? 3 : 0xc;
        const Lanes value = merged(hi, apply(place, beat.v[c][0][pe]), apply(place, g.on[0]), apply(place, g.known[0]));
        hi = {static_cast<uint8_t>((hi.must & ~mine) | (value.must & mine)),
              static_cast<uint8_t>((hi.may & ~mine) | (value.may & mine))};
        continue;
      }
      hi = merged(hi, beat.v[c][0][pe], g.on[0], g.known[0]);
      if (op.width != Width::kDlw) continue;
      Lanes& lo = to[(at / 2 + 1) % to.size()][pe];
      lo = merged(lo, beat.v[c][1][pe], g.on[1], g.known[1]);
    }
  }
}

void DefinedMemory::store(const Operand& op, const isa::MaskState& masks, const UnitResult& result,
                          std::vector<Harm>& harms) {
  const isa::EffectiveMask mask = isa::effective_mask(op, masks);
  if (rows(op.mem) != nullptr) {
    store_row(op, mask, result.beat, harms);
    return;
  }
  for (size_t c = 0; c < 4; ++c)
    for (size_t pe = 0; pe < 4; ++pe) {
      const Guard g = guard(mask.entry, mask.ll, c, pe);
      const auto& in = result.beat.v[c];
      if (op.mem == Mem::kT) {
        for (size_t w = 0; w < 2; ++w) t.v[c][w][pe] = merged(t.v[c][w][pe], in[w][pe], g.on[w], g.known[w]);
      } else if (op.mem == Mem::kBar0 || op.mem == Mem::kBar1) {
        // The low bits of the MSB word lie in the second lane.
        const auto lane = [](Lanes l) {
          return apply([](uint8_t x) { return (x & 4) != 0 ? kAllLanes : uint8_t{0}; }, l);
        };
        Lanes& bar = bar_[op.mem == Mem::kBar1][pe];
        bar = merged(bar, lane(in[0][pe]), lane(g.on[0]), lane(g.known[0]));
        bar_written_[op.mem == Mem::kBar1] = true;
      } else if (op.mem == Mem::kOmr) {
        // Flags are guarded by mask bits as they stand.
        const Guard bits = guard(mask.entry, false, c, pe);
        Lanes& flags = omr[static_cast<size_t>(op.addr[0])][c][pe];
        flags = merged(flags, result.flags[c][pe], bits.on[0], bits.known[0]);
        if (mask.entry != 0) flags.must = 0;  // what a masked flag becomes is open (ISA 12 Q30)
      }
    }
}

void DefinedMemory::zero_flush(const isa::MaskSpec& mask, Beat& beat) const {
  const uint8_t entry = mask.entry == 31 ? uint8_t{0} : mask.entry;
  for (size_t c = 0; c < 4; ++c)
    for (size_t pe = 0; pe < 4; ++pe) {
      const Guard g = guard(entry, mask.ll, c, pe);
      for (size_t w = 0; w < 2; ++w) {
        // Where the bit is 0 the lane becomes 0.
        Lanes& l = beat.v[c][w][pe];
        l = {static_cast<uint8_t>((l.must | ~g.on[w].may) & g.known[w].must & kAllLanes),
             static_cast<uint8_t>((l.may | ~g.on[w].must) & g.known[w].may & kAllLanes)};
      }
    }
}

}  // namespace kumihimo::mncore2::hazard
