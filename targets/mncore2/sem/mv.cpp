// MV instructions (ISA 4.2): one function executes every copying mode from the row's columns, one every reduction.
//
//   dst_{h,t}[Q + dst.unit*i + dst.other_g*g + dst.other_s*s + k] = src_{g,s}[P + src.unit*i + src.other_g*h + src.other_s*t + k]
//
// for every pair of a source instance (g,s) and a destination instance (h,t) that the row pairs, every unit i, k < run.
// A `$di` operand replaces P or Q: its word n lies at 16 * DAR[A + n/16/nd] + 16 * (n/16 mod nd) + n mod 16 (ISA 4.5).
// An MV takes effect at once, in program order (ISA 4.6): the source is read whole before anything is written.
#include <vector>

#include "targets/mncore2/sem/defined.h"
#include "targets/mncore2/sem/sem.h"
#include "targets/mncore2/sem/tree.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Mem;
using isa::MvInstances;
using isa::MvSide;
using isa::Operand;

struct Instance {
  int g = 0, s = 0;
};

// Instances of one side that exist on this machine.
std::vector<Instance> instances_of(const MachineState& machine, const MvSide& side, const Operand& operand) {
  std::vector<Instance> all;
  // A side in L2BM without any selector is every L2BM, or with an unselected sub-block L2BM 0 (ISA 12 Q6).
  const int sub = operand.sub < 0 ? 0 : operand.sub;
  for (int g = 0; g < machine.groups; ++g)
    for (int s = 0; s < machine.l2bs_per_group; ++s) {
      const bool l2b = side.mem == Mem::kL2bm;
      bool member = false;
      switch (side.instances) {
        case MvInstances::kOneGroup: member = g == operand.group && s == 0; break;
        case MvInstances::kEveryGroup: member = s == 0; break;
        case MvInstances::kOneL2b: member = g == operand.group && s == sub; break;
        case MvInstances::kOneL2bInGroup: member = s == sub; break;
        case MvInstances::kEveryL2b: member = true; break;
      }
      if (member) all.push_back({g, l2b ? s : 0});
    }
  return all;
}

// The words of one memory instance that an operand names: word 0 is at its address, or where its DAR entries say.
class Port {
 public:
  Port(const MachineState& machine, const Operand& operand, uint32_t repeat, Instance at) : base_(operand.addr[0]) {
    const Mem mem = operand.mem;
    if (mem == Mem::kDramIndirect) {
      dar_ = machine.dars + at.g;
      repeat_ = repeat == 0 ? 1 : repeat;
      memory_ = machine.drams + at.g;
    } else if (mem == Mem::kL2bm) {
      const int l = at.g * machine.l2bs_per_group + at.s;
      l2bm_ = machine.l2bms + l;
      if (machine.strict()) l2bm_def_ = machine.l2bm_defs + l;
    } else {
      memory_ = (mem == Mem::kPdm ? machine.pdms : machine.drams) + at.g;
    }
  }
  int64_t capacity() const { return l2bm_ != nullptr ? kL2bmLw : memory_->capacity_lw(); }
  // `word` counts from the operand's address.
  void read(int64_t word, int64_t count, uint64_t* out, uint8_t* def) const {
    run(word, count, [&](int64_t at, int64_t n, int64_t done) {
      uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->read(at, n, out + done, d);
      std::memcpy(out + done, l2bm_->lw + at, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(d, l2bm_def_->lw + at, static_cast<size_t>(n));
    });
  }
  void write(int64_t word, int64_t count, const uint64_t* values, const uint8_t* def) const {
    run(word, count, [&](int64_t at, int64_t n, int64_t done) {
      const uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->write(at, n, values + done, d);
      std::memcpy(l2bm_->lw + at, values + done, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(l2bm_def_->lw + at, d, static_cast<size_t>(n));
    });
  }

 private:
  // Calls f(address, count, done) for the pieces of a range: pieces end where it wraps at the capacity (ISA 1.2 [V]) and
  // with every block of 16 that has a DAR entry.
  template <class F>
  void run(int64_t word, int64_t count, F f) const {
    constexpr int64_t kBlock = 16;
    int64_t done = 0;
    while (done < count) {
      const int64_t at = word + done;
      int64_t addr = base_ + at, n = count - done;
      if (dar_ != nullptr) {
        const int64_t block = at / kBlock, entry = (base_ + block / repeat_) % kDarEntries;
        addr = kBlock * (dar_->entry[entry] + block % repeat_) + at % kBlock;
        n = std::min(n, kBlock - at % kBlock);
      }
      addr %= capacity();
      n = std::min(n, capacity() - addr);
      f(addr, n, done);
      done += n;
    }
  }
  int64_t base_;
  int64_t repeat_ = 1;
  const Dar* dar_ = nullptr;
  L2bm* l2bm_ = nullptr;
  L2bmDef* l2bm_def_ = nullptr;
  LwMemory* memory_ = nullptr;
};

// Strict mode: the words [first, first + span) of an operand lie inside their memory, or behind defined DAR entries.
void check_words(StepContext& c, int operand_index, const Operand& operand, uint32_t repeat, Instance at, int64_t first,
                 int64_t span) {
  c.where = {at.g, at.s, 0, 0, 0};
  if (operand.mem != Mem::kDramIndirect) {
    check_range(c, operand_index, operand.addr[0] + first, span, Port(*c.machine, operand, repeat, at).capacity());
    return;
  }
  const int64_t per_entry = 16 * int64_t{repeat == 0 ? 1 : repeat}, last = (first + span - 1) / per_entry;
  check_range(c, operand_index, operand.addr[0] + first / per_entry, last - first / per_entry + 1, kDarEntries);
  for (int64_t e = first / per_entry; e <= last; ++e) {
    const int64_t entry = (operand.addr[0] + e) % kDarEntries;
    if (!c.machine->dar_defs[at.g].entry[entry]) c.find(FindingKind::kUndefinedAddress, operand_index, c.where, entry);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::emu

namespace kumihimo::mncore2::sem {

void mv_transfer(StepContext& c, const Insn& insn) {
  using namespace emu;
  const isa::MvColumns& f = insn.def->mv;
  const isa::Operand& src = insn.srcs[0];
  const isa::Operand& dst = insn.dsts[0];
  const int64_t units = insn.size / (f.size_on_dst ? f.dst.unit : f.src.unit);
  const auto sources = instances_of(*c.machine, f.src, src), targets = instances_of(*c.machine, f.dst, dst);

  struct Piece {
    Instance to;
    int64_t addr;
    size_t at;  // in values
  };
  std::vector<Piece> pieces;
  std::vector<uint64_t> values;
  std::vector<uint8_t> defs;
  // Runs that follow each other on both sides are one piece.
  const bool dense = f.src.unit == f.run && f.dst.unit == f.run;
  const int64_t run = dense ? f.run * units : f.run, pieces_per_pair = dense ? 1 : units;
  for (const Instance& from : sources)
    for (const Instance& to : targets) {
      if (f.pairing == isa::MvPairing::kSameGroup && from.g != to.g) continue;
      const Port port(*c.machine, src, insn.nd, from);
      const int64_t src_base = f.src.other_g * to.g + f.src.other_s * to.s;
      const int64_t dst_base = f.dst.other_g * from.g + f.dst.other_s * from.s;
      for (int64_t i = 0; i < pieces_per_pair; ++i) {
        const size_t at = values.size();
        values.resize(at + static_cast<size_t>(run));
        if (c.strict()) defs.resize(values.size());
        port.read(src_base + f.src.unit * i, run, values.data() + at, c.strict() ? defs.data() + at : nullptr);
        pieces.push_back({to, dst_base + f.dst.unit * i, at});
      }
      if (c.strict()) {
        check_words(c, 0, src, insn.nd, from, src_base, f.src.unit * (units - 1) + f.run);
        check_words(c, 8, dst, insn.nd, to, dst_base, f.dst.unit * (units - 1) + f.run);
      }
    }
  for (const Piece& piece : pieces) {
    const Port port(*c.machine, dst, insn.nd, piece.to);
    port.write(piece.addr, run, values.data() + piece.at, c.strict() ? defs.data() + piece.at : nullptr);
  }
}

// Sources of one destination word are the L2BMs that the row's formula brings there: both of a group, those of one s, or
// all eight. An L2BM that the machine does not have sends the identity. Eight inputs are two stages of four (ISA 4.3).
void mv_reduce(StepContext& c, const Insn& insn) {
  using namespace emu;
  constexpr size_t kInputs = 8;
  const isa::MvColumns& f = insn.def->mv;
  const isa::Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  const num::Reduce op = reduce_of(insn.reduce->rrn);
  const num::Lane lane = lane_of(insn.prec);
  const int bits = num::lane_bits(lane);
  const uint64_t identity = identity_word(op, lane);
  const bool one_group = f.pairing == isa::MvPairing::kSameGroup, by_sub = f.dst.other_s != 0;
  const int count = one_group ? 2 : by_sub ? 4 : 8;
  const int64_t units = insn.size / f.src.unit, run = f.run;
  const std::vector<Instance> sources = instances_of(*c.machine, f.src, src),
                              targets = instances_of(*c.machine, f.dst, dst);
  struct Piece {
    Instance to;
    int64_t addr;
    std::vector<uint64_t> values;
    std::vector<uint8_t> defs;
  };
  std::vector<Piece> pieces;
  for (const Instance& to : targets)
    for (int sub = 0; sub < (by_sub ? c.machine->l2bs_per_group : 1); ++sub) {
      const int64_t src_base = f.src.other_g * to.g, dst_base = f.dst.other_s * sub;
      std::vector<Instance> senders;
      for (const Instance& from : sources)
        if (!(one_group && from.g != to.g) && !(by_sub && from.s != sub)) senders.push_back(from);
      const auto slot = [&](Instance at) {
        return static_cast<size_t>(one_group ? at.s : by_sub ? at.g : 2 * at.g + at.s);
      };
      for (int64_t i = 0; i < units; ++i) {
        std::vector<std::vector<uint64_t>> in(kInputs, std::vector<uint64_t>(static_cast<size_t>(run), identity));
        std::vector<std::vector<uint8_t>> in_defs(kInputs, std::vector<uint8_t>(static_cast<size_t>(run)));
        for (const Instance& from : senders)
          Port(*c.machine, src, insn.nd, from)
              .read(src_base + f.src.unit * i, run, in[slot(from)].data(),
                    c.strict() ? in_defs[slot(from)].data() : nullptr);
        Piece piece{to, dst_base + f.dst.unit * i, {}, {}};
        for (size_t k = 0; k < static_cast<size_t>(run); ++k) {
          uint64_t word[kInputs];
          for (size_t n = 0; n < kInputs; ++n) word[n] = in[n][k];
          piece.values.push_back(num::reduce_words(op, lane, word, count, *c.switches));
          if (!c.strict()) continue;
          uint8_t def = 0;
          for (int e = 0; e < 64 / bits; ++e) {
            const auto lanes = static_cast<uint8_t>(((1 << (bits / 16)) - 1) << (4 - (e + 1) * bits / 16));
            GroupCount known;
            for (const Instance& from : senders)
              known.add((whole_elements(in_defs[slot(from)][k], bits) & lanes) == lanes);
            const UnitCoord where{to.g, to.s, 0, 0, 0};
            if (combine(c, known.get(), FindingKind::kUndefinedReduction, 0, where,
                        src.addr[0] + src_base + f.src.unit * i + static_cast<int64_t>(k)))
              def |= lanes;
          }
          piece.defs.push_back(def);
        }
        pieces.push_back(std::move(piece));
      }
      if (!c.strict()) continue;
      check_words(c, 0, src, insn.nd, to, src_base, f.src.unit * (units - 1) + run);
      check_words(c, 8, dst, insn.nd, to, dst_base, f.dst.unit * (units - 1) + run);
    }
  for (const Piece& piece : pieces)
    Port(*c.machine, dst, insn.nd, piece.to)
        .write(piece.addr, run, piece.values.data(), c.strict() ? piece.defs.data() : nullptr);
}

}  // namespace kumihimo::mncore2::sem
