#include "targets/mncore2/hazard/defined_units.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Prec;

// Bit of each of the four singles of a double long word.
Lanes singles(Lanes hi, Lanes lo) {
  const auto pack = [](uint8_t h, uint8_t l) {
    return static_cast<uint8_t>(((h & 0xc) == 0xc) << 3 | ((h & 3) == 3) << 2 | ((l & 0xc) == 0xc) << 1 |
                                ((l & 3) == 3));
  };
  return {pack(hi.must, lo.must), pack(hi.may, lo.may)};
}
uint8_t widened_high(uint8_t e) { return static_cast<uint8_t>((e & 8 ? 0xc : 0) | (e & 4 ? 3 : 0)); }
uint8_t widened_low(uint8_t e) { return static_cast<uint8_t>((e & 2 ? 0xc : 0) | (e & 1 ? 3 : 0)); }

// --- ALU ----------------------------------------------------------------------------------------------------------

enum class AluRule : uint8_t {
  kConstant,
  kElement,
  kLanes,
  kAbsorb,
  kCopy,
  kNeighbour,
  kRelu,
  kLeaky,
  kPackbit,
  kBlock
};

AluRule rule_of(std::string_view name) {
  if (name == "zero" || name == "imm" || name == "immu") return AluRule::kConstant;
  if (name == "not" || name == "xor") return AluRule::kLanes;
  if (name == "and" || name == "or") return AluRule::kAbsorb;
  if (name == "passa") return AluRule::kCopy;
  if (name == "msl" || name == "msr") return AluRule::kNeighbour;
  if (name.starts_with("relu")) return AluRule::kRelu;
  if (name == "lrelud" || name == "lreluo" || name == "ilrelud") return AluRule::kLeaky;
  if (name == "packbit") return AluRule::kPackbit;
  if (name == "bfn" || name == "bfe") return AluRule::kBlock;
  return AluRule::kElement;
}

// Value and flags of one long word.
std::pair<Lanes, Lanes> element(AluRule rule, Lanes x, Lanes y, int bits) {
  const auto first = [bits](Lanes a) { return apply([bits](uint8_t l) { return first_lane(l, bits); }, a); };
  switch (rule) {
    case AluRule::kConstant: return {kDefined, kDefined};
    case AluRule::kLanes: return {both(x, y), whole(both(x, y), bits)};
    case AluRule::kAbsorb: {
      // A written lane that decides alone is enough; which values do is not known.
      const Lanes value{static_cast<uint8_t>(x.must & y.must), static_cast<uint8_t>(x.may | y.may)};
      return {value, whole(value, bits)};
    }
    case AluRule::kCopy: return {x, whole(x, bits)};
    case AluRule::kRelu: {
      // Y counts where X does not decide for zero.
      const Lanes flags = first(x);
      return {{both(flags, whole(y, bits)).must, flags.may}, flags};
    }
    case AluRule::kLeaky: return {both(whole(y, bits), first(x)), first(x)};
    case AluRule::kPackbit: return {both(whole(x, bits), first(y)), first(y)};
    default: {
      const Lanes value = whole(both(x, y), bits);
      return {value, value};
    }
  }
}

void convert_block(const Row& in, Row& out, uint8_t lanes, int bits, std::vector<Harm>& harms) {
  Group group;
  const auto element = static_cast<uint8_t>((1 << (bits / 16)) - 1);
  for (const Lanes& pe : in)
    for (int k = 0; k < 64 / bits; ++k) {
      const auto at = static_cast<uint8_t>(element << (4 - (k + 1) * bits / 16));
      if ((lanes & at) == at) group.add(pe, at);
    }
  if (group.mixed()) harms.push_back(Harm::kConversion);
  const Lanes result = group.result(lanes);
  for (Lanes& pe : out) {
    pe.must = static_cast<uint8_t>((pe.must & ~lanes) | result.must);
    pe.may = static_cast<uint8_t>((pe.may & ~lanes) | result.may);
  }
}

void block(const Insn& insn, const Beat& x, UnitResult& out, std::vector<Harm>& harms) {
  for (size_t c = 0; c < 4; ++c) {
    Row &hi = out.beat.v[c][0], &lo = out.beat.v[c][1];
    hi = kNeverRow;
    lo = x.v[c][1];
    switch (insn.prec) {
      case Prec::kD: convert_block(x.v[c][0], hi, 0xf, 64, harms); break;
      case Prec::kG: convert_block(x.v[c][0], hi, 0xf, 32, harms); break;
      case Prec::kF:
        convert_block(x.v[c][0], hi, 0xc, 32, harms);
        convert_block(x.v[c][0], hi, 0x3, 32, harms);
        break;
      default: convert_block(x.v[c][0], hi, 0xf, 16, harms); convert_block(x.v[c][1], lo, 0xf, 16, harms);
    }
    out.flags[c] = kDefinedRow;
  }
}

// --- MAU ----------------------------------------------------------------------------------------------------------

// From one bit per element to the lanes of the result.
std::array<uint8_t, 2> result_lanes(Prec prec, bool narrow, uint8_t e) {
  if (prec == Prec::kH && !narrow) return {widened_high(e), widened_low(e)};
  if (prec == Prec::kH || !narrow) return {e, 0};
  return {prec == Prec::kD ? static_cast<uint8_t>(e & 0xc) : static_cast<uint8_t>((e & 8) | (e & 1) << 2), 0};
}

void put(UnitResult& out, const Insn& insn, size_t cycle, size_t pe, Lanes e) {
  const auto must = result_lanes(insn.prec, insn.narrow, e.must), may = result_lanes(insn.prec, insn.narrow, e.may);
  for (size_t w = 0; w < 2; ++w) out.beat.v[cycle][w][pe] = {must[w], may[w]};
  out.flags[cycle][pe] = e;
}

bool in_half(const Insn& insn, size_t index) {
  return insn.half_select == 0 || (insn.half_select == 'u') == (index < 2);
}

// Members of a contraction: a row of long words, of which single takes the MSB word only.
Group members(const Row& row, Prec prec) {
  Group group;
  const int bits = prec == Prec::kD ? 64 : prec == Prec::kH ? 16 : 32;
  const auto element = static_cast<uint8_t>((1 << (bits / 16)) - 1);
  for (const Lanes& pe : row)
    for (int k = 0; k < (prec == Prec::kF ? 1 : 64 / bits); ++k)
      group.add(pe, static_cast<uint8_t>(element << (4 - (k + 1) * bits / 16)));
  return group;
}

// Columns of a side, as mread delivers them.
Row column(std::span<const Row, 16> side, int rows, int index) {
  const int per_lw = rows / 4, bits = 64 / per_lw;
  const int from = (64 - (index % per_lw + 1) * bits) / 16;
  const auto mask = static_cast<unsigned>((1 << (bits / 16)) - 1);
  Row out{};
  for (int pe = 0; pe < 4; ++pe)
    for (int k = 0; k < per_lw; ++k) {
      const Lanes in = side[static_cast<size_t>(per_lw * pe + k)][static_cast<size_t>(index / per_lw)];
      const int to = (64 - (k + 1) * bits) / 16;
      Lanes& lanes = out[static_cast<size_t>(pe)];
      lanes.must = static_cast<uint8_t>(lanes.must | (static_cast<unsigned>(in.must) >> from & mask) << to);
      lanes.may = static_cast<uint8_t>(lanes.may | (static_cast<unsigned>(in.may) >> from & mask) << to);
    }
  return out;
}

}  // namespace

int matrix_rows(Prec prec) { return prec == Prec::kD ? 4 : prec == Prec::kH ? 16 : 8; }

Beat converted(const Beat& in, char how, Prec prec) {
  if (how == 0) return in;
  Beat out;
  for (size_t c = 0; c < 4; ++c)
    for (size_t pe = 0; pe < 4; ++pe) {
      const Lanes hi = in.v[c][0][pe], lo = in.v[c][1][pe];
      Lanes &to_hi = out.v[c][0][pe], &to_lo = out.v[c][1][pe];
      if (how == 'r') {
        to_hi = singles(hi, lo);
        to_lo = kDefined;  // 0 (ISA 7)
      } else if (prec == Prec::kD) {
        to_hi = apply([](uint8_t l) { return (l & 0xc) == 0xc ? kAllLanes : uint8_t{0}; }, hi);
        to_lo = apply([](uint8_t l) { return (l & 3) == 3 ? kAllLanes : uint8_t{0}; }, hi);
      } else {
        to_hi = apply(widened_high, hi);
        to_lo = apply(widened_low, hi);
      }
    }
  return out;
}

UnitResult alu_lanes(const Insn& insn, std::span<const Beat> in, std::vector<Harm>& harms) {
  UnitResult out;
  const AluRule rule = rule_of(insn.def->name);
  const int bits = element_bits(insn.prec);
  if (rule == AluRule::kBlock) {
    block(insn, in[0], out, harms);
    return out;
  }
  for (size_t c = 0; c < 4; ++c)
    for (size_t pe = 0; pe < 4; ++pe) {
      if (rule == AluRule::kNeighbour) {
        out.beat.v[c][0][pe] = in[0].v[c][0][(pe + (insn.def->name == "msl" ? 3 : 1)) & 3];
        out.flags[c][pe] = kDefined;
      } else {
        const Lanes x = in.empty() ? kDefined : in[0].v[c][0][pe];
        const Lanes y = in.size() > 1 ? in[1].v[c][0][pe] : kDefined;
        std::tie(out.beat.v[c][0][pe], out.flags[c][pe]) = element(rule, x, y, bits);
      }
      out.beat.v[c][1][pe] = rule == AluRule::kConstant ? kDefined : in[0].v[c][1][pe];
    }
  return out;
}

UnitResult vector_lanes(const Insn& insn, std::span<const Beat> in) {
  UnitResult out;
  const std::string_view name = insn.def->name;
  // vfma X Y Z, vmul X Y, vadd X Z, vpassa X
  const Beat* x = in.data();
  const Beat* y = name == "vfma" || name == "vmul" ? &in[1] : nullptr;
  const Beat* z = name == "vfma" ? &in[2] : name == "vadd" ? &in[1] : nullptr;
  const int bits = insn.prec == Prec::kD ? 64 : insn.prec == Prec::kF ? 32 : 16;
  for (size_t c = 0; c < 4; ++c)
    for (size_t pe = 0; pe < 4; ++pe) {
      Lanes e = kDefined;
      if (insn.prec != Prec::kD || in_half(insn, pe)) {
        e = whole(x->v[c][0][pe], bits);
        if (y != nullptr) e = both(e, whole(y->v[c][0][pe], bits));
      }
      if (z != nullptr)
        e = both(e, insn.prec == Prec::kH ? singles(z->v[c][0][pe], z->v[c][1][pe]) : whole(z->v[c][0][pe], bits));
      put(out, insn, c, pe, e);
    }
  return out;
}

UnitResult matrix_lanes(const Insn& insn, std::span<const Beat> in, std::span<const Row, 16> side,
                        std::vector<Harm>& harms) {
  UnitResult out;
  const int rows = matrix_rows(insn.prec);
  std::array<Group, 16> row;
  for (int i = 0; i < rows; ++i) row[static_cast<size_t>(i)] = members(side[static_cast<size_t>(i)], insn.prec);
  const Beat* addend = insn.def->name == "mfma" ? &in[1] : nullptr;
  for (size_t c = 0; c < 4; ++c) {
    const Group x = members(in[0].v[c][0], insn.prec);
    bool harm = x.mixed();
    const Lanes vector = x.result(kAllLanes);
    std::array<Lanes, 16> element;
    for (int i = 0; i < rows; ++i) {
      const auto r = static_cast<size_t>(i);
      if (!in_half(insn, r)) {
        element[r] = kDefined;
        continue;
      }
      harm |= x.written() && row[r].mixed();
      element[r] = both(vector, row[r].result(kAllLanes));
    }
    if (harm) harms.push_back(Harm::kContraction);
    // Elements of PE p, one bit per lane that they fill.
    const size_t per_pe = static_cast<size_t>(rows) / 4;
    for (size_t pe = 0; pe < 4; ++pe) {
      Lanes e;
      for (size_t k = 0; k < per_pe; ++k) {
        const auto lanes = static_cast<uint8_t>(((1u << (4 / per_pe)) - 1) << (4 - (k + 1) * 4 / per_pe));
        e.must = static_cast<uint8_t>(e.must | (element[per_pe * pe + k].must & lanes));
        e.may = static_cast<uint8_t>(e.may | (element[per_pe * pe + k].may & lanes));
      }
      if (addend != nullptr)
        e = both(e, insn.prec == Prec::kH ? singles(addend->v[c][0][pe], addend->v[c][1][pe])
                                          : whole(addend->v[c][0][pe], insn.prec == Prec::kD ? 64 : 32));
      put(out, insn, c, pe, e);
    }
  }
  return out;
}

UnitResult mread_lanes(const Insn& insn, std::span<const Row, 16> side) {
  UnitResult out;
  const int rows = matrix_rows(insn.prec);
  const bool dlw = insn.srcs[0].width == isa::Width::kDlw;
  for (int c = 0; c < 4; ++c) {
    const int at = insn.srcs[0].addr[0] + (dlw ? 2 * c : c);
    auto& to = out.beat.v[static_cast<size_t>(c)];
    to[0] = column(side, rows, at % rows);
    if (dlw) to[1] = column(side, rows, (at + 1) % rows);
  }
  return out;
}

}  // namespace kumihimo::mncore2::hazard
