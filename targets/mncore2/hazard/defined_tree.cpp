#include "targets/mncore2/hazard/defined_tree.h"

#include "targets/mncore2/isa/mv.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Mem;

constexpr int kMabs = 16, kL1bs = 8, kL2bs = 8;

// --- L1BM ---------------------------------------------------------------------------------------------------------

struct Transfer {
  const isa::L1bmFormula& formula;
  bool dlw;
  int rate;
};
Transfer transfer_of(const Insn& insn, const isa::Operand& op) {
  const isa::L1bmColumns& columns = insn.def->l1bm;
  const bool dlw = op.width == isa::Width::kDlw;
  return {dlw ? columns.dlw : columns.lw, dlw, dlw ? columns.rate_dlw : columns.rate_lw};
}
int row_place(const isa::L1bmFormula& f, int m) { return f.mab * m + f.quad * (m >> 2); }

// Elements of a reduction over units that are all alike.
Lanes reduced(Lanes a, const Insn& insn) { return whole(a, element_bits(insn.prec)); }

// Narrowed results of both long words stand in the first; nothing is known of the second (ISA 5.5, 12 Q34).
Row narrowed(const std::array<Row, 2>& in, const Insn& insn) {
  const int bits = element_bits(insn.prec);
  const auto pack = [bits](uint8_t hi, uint8_t lo) {
    hi = whole(hi, bits), lo = whole(lo, bits);
    const auto half = [bits](uint8_t l) {
      if (bits == 64) return static_cast<uint8_t>(l == kAllLanes ? 0xc : 0);
      return static_cast<uint8_t>((l & 8) | (l & 2) << 1);
    };
    return static_cast<uint8_t>(half(hi) | half(lo) >> 2);
  };
  Row out;
  for (size_t pe = 0; pe < 4; ++pe)
    out[pe] = {pack(in[0][pe].must, in[1][pe].must), pack(in[0][pe].may, in[1][pe].may)};
  return out;
}

// --- MV -----------------------------------------------------------------------------------------------------------

struct Instance {
  int g, s, index;
};

std::vector<Instance> instances_of(Mem mem, uint8_t bits) {
  std::vector<Instance> out;
  for (int i = 0; i < 8; ++i)
    if ((bits >> i & 1) != 0) out.push_back(mem == Mem::kL2bm ? Instance{i / 2, i % 2, i} : Instance{i, 0, i});
  return out;
}

}  // namespace

Beat l1bm_down(const Insn& insn, const DefinedMemory& memory) {
  const isa::Operand& src = insn.srcs[0];
  const auto [f, dlw, rate] = transfer_of(insn, src);
  const bool turnaround = insn.def->unit == isa::Unit::kL1bmTurnaround;
  Beat out;
  for (size_t c = 0; c < 4; ++c) {
    out.v[c][1] = kDefinedRow;  // a long word fills the MSB side, the rest is 0 (ISA 5.3)
    for (size_t w = 0; w < (dlw ? 2u : 1u); ++w)
      for (size_t pe = 0; pe < 4; ++pe) {
        Lanes& to = out.v[c][w][pe];
        const int mabs = f.mab != 0 || f.quad != 0 ? kMabs : 1;
        for (int m = 0; m < mabs; ++m) {
          const int at =
              row_place(f, (m - insn.shift) & (kMabs - 1)) + f.word * static_cast<int>(w) + f.pe * static_cast<int>(pe);
          Lanes from = kNever;
          if (!turnaround)
            from = memory.l1bm(src.addr[0] + f.cycle * static_cast<int64_t>(c) + at);
          else if (memory.turnaround_rate == rate)
            from = memory.turnaround[c][static_cast<size_t>(at)];
          to = m == 0 ? from : either(to, from);
        }
      }
  }
  return out;
}

void l1bm_up(const Insn& insn, const Beat& in, bool latch, DefinedMemory& memory) {
  const isa::Operand& dst = insn.dsts[0];
  const auto [f, dlw, rate] = transfer_of(insn, dst);
  if (latch) memory.turnaround_rate = rate;
  // clang 14 captures no structured binding.
  const auto put = [&, per_cycle = f.cycle](size_t cycle, int place, int turn_place, Lanes lanes) {
    if (dst.mem == Mem::kL1bm) memory.set_l1bm(dst.addr[0] + per_cycle * static_cast<int64_t>(cycle) + place, lanes);
    if (latch) memory.turnaround[cycle][static_cast<size_t>(turn_place)] = lanes;
  };
  for (size_t c = 0; c < 4; ++c)
    for (int w = 0; w < (dlw ? 2 : 1); ++w)
      for (int pe = 0; pe < 4; ++pe) {
        Lanes lanes = in.v[c][static_cast<size_t>(w)][static_cast<size_t>(pe)];
        if (insn.reduce != nullptr) {
          lanes = reduced(lanes, insn);
          if (insn.narrow) lanes = w == 1 ? kNever : narrowed(in.v[c], insn)[static_cast<size_t>(pe)];
        }
        const int at = f.word * w + f.pe * pe;
        if (f.mab != 0) {
          for (int m = 0; m < kMabs; ++m) put(c, f.mab * ((m + insn.shift) & (kMabs - 1)) + at, f.mab * m + at, lanes);
        } else {
          for (int q = 0; q < (f.quad != 0 ? 4 : 1); ++q) put(c, f.quad * q + at, f.quad * q + at, lanes);
        }
      }
}

void TreeMove::write(DefinedMemory& memory) const {
  for (const Word& w : words) {
    const Lanes old = w.instance < 0 ? memory.l1bm(w.at) : memory.tree(Mem::kL2bm, w.instance, w.at);
    const Lanes lanes = w.everywhere ? w.lanes : either(old, w.lanes);
    if (w.instance < 0)
      memory.set_l1bm(w.at, lanes);
    else
      memory.set_tree(Mem::kL2bm, w.instance, w.at, lanes);
  }
}

TreeMove l2bm_move(const Insn& insn, const DefinedMemory& memory) {
  const isa::L2bmColumns& f = insn.def->l2bm;
  TreeMove move;
  if (insn.def->unit != isa::Unit::kL2bm || insn.srcs.empty() || insn.dsts.empty()) return move;
  const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  for (int64_t c = 0; c < 4; ++c)
    for (int64_t k = 0; k < f.run; ++k) {
      if (src.mem == Mem::kL1bm && dst.mem == Mem::kL1bm) {
        move.words.push_back({-1, dst.addr[0] + f.cycle_b * c + k, memory.l1bm(src.addr[0] + f.cycle_b * c + k), true});
      } else if (src.mem == Mem::kL2bm && dst.mem == Mem::kL1bm) {
        Lanes lanes;
        bool first = true;
        for (int b = 0; b < kL1bs; ++b)
          for (int l = 0; l < kL2bs && (insn.l1b_set >> b & 1) != 0; ++l) {
            const Lanes from =
                memory.tree(Mem::kL2bm, l, src.addr[0] + f.cycle_c * c + f.l1b_c * (b >> f.l1b_shift) + k);
            lanes = first ? from : either(lanes, from);
            first = false;
          }
        move.words.push_back({-1, dst.addr[0] + f.cycle_b * c + k, lanes, insn.l1b_set == 0xff});
      } else if (src.mem == Mem::kL1bm && dst.mem == Mem::kL2bm) {
        Lanes lanes = memory.l1bm(src.addr[0] + f.cycle_b * c + k);
        if (insn.reduce != nullptr) lanes = reduced(lanes, insn);
        for (int b = 0; b < (f.l1b_c == 0 ? 1 : kL1bs); ++b)
          for (int l = 0; l < kL2bs; ++l)
            move.words.push_back({l, dst.addr[0] + f.cycle_c * c + f.l1b_c * (b >> f.l1b_shift) + k, lanes, true});
      }
    }
  return move;
}

void mv_move(const Insn& insn, DefinedMemory& memory, std::vector<Harm>& harms) {
  const isa::MvColumns& f = insn.def->mv;
  const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  const isa::MvFootprint footprint = isa::mv_footprint(insn);
  const auto sources = instances_of(f.src.mem, footprint.src.instances),
             targets = instances_of(f.dst.mem, footprint.dst.instances);
  const bool same_group = f.pairing == isa::MvPairing::kSameGroup;
  if (dst.mem == Mem::kDramIndirect) {
    for (const Instance& to : targets) memory.blur_dram(to.g);
    return;
  }
  const bool known = src.mem != Mem::kDramIndirect, reduce = insn.reduce != nullptr;
  const auto read = [&](const Instance& at, int64_t addr) {
    return known ? memory.tree(f.src.mem, at.index, addr) : kUnknown;
  };
  const int64_t units = insn.size / (f.size_on_dst ? f.dst.unit : f.src.unit);
  struct Word {
    int instance;
    int64_t at;
    Lanes lanes;
  };
  std::vector<Word> words;
  const int bits = element_bits(insn.prec);
  const auto element = static_cast<uint8_t>((1 << (bits / 16)) - 1);
  bool mixed = false;
  for (const Instance& to : targets)
    for (int sub = 0; sub < (reduce && f.dst.other_s != 0 ? 2 : 1); ++sub) {
      const auto meets = [&](const Instance& from) {
        return !(same_group && from.g != to.g) && !(reduce && f.dst.other_s != 0 && from.s != sub);
      };
      const int64_t from_base = src.addr[0] + f.src.other_g * to.g + f.src.other_s * to.s;
      for (int64_t i = 0; i < units; ++i)
        for (int64_t k = 0; k < f.run; ++k) {
          const int64_t at = dst.addr[0] + f.dst.unit * i + k;
          if (!reduce) {
            for (const Instance& from : sources)
              if (meets(from))
                words.push_back({to.index, at + f.dst.other_g * from.g + f.dst.other_s * from.s,
                                 read(from, from_base + f.src.unit * i + k)});
            continue;
          }
          Lanes lanes;
          for (int e = 0; e < 64 / bits; ++e) {
            const auto mask = static_cast<uint8_t>(element << (4 - (e + 1) * bits / 16));
            Group group;
            for (const Instance& from : sources)
              if (meets(from)) group.add(read(from, from_base + f.src.unit * i + k), mask);
            mixed |= group.mixed();
            const Lanes result = group.result(mask);
            lanes.must = static_cast<uint8_t>(lanes.must | result.must);
            lanes.may = static_cast<uint8_t>(lanes.may | result.may);
          }
          words.push_back({to.index, at + f.dst.other_s * sub, lanes});
        }
    }
  if (mixed) harms.push_back(Harm::kReduction);
  for (const Word& w : words) memory.set_tree(f.dst.mem, w.instance, w.at, w.lanes);
}

}  // namespace kumihimo::mncore2::hazard
