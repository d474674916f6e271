// MV instructions (ISA 4.2): one function executes every copying mode from the row's columns.
//
//   dst_{h,t}[Q + dst.unit*i + dst.other_g*g + dst.other_s*s + k] = src_{g,s}[P + src.unit*i + src.other_g*h + src.other_s*t + k]
//
// for every pair of a source instance (g,s) and a destination instance (h,t) that the row pairs, every unit i, k < run.
// An MV takes effect at once, in program order (ISA 4.6): the source is read whole before anything is written.
#include <vector>

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

// One memory instance behind a common interface.
class Port {
 public:
  Port(const MachineState& machine, Mem mem, Instance at) {
    if (mem == Mem::kL2bm) {
      const int l = at.g * machine.l2bs_per_group + at.s;
      l2bm_ = machine.l2bms + l;
      if (machine.strict()) l2bm_def_ = machine.l2bm_defs + l;
    } else {
      memory_ = (mem == Mem::kPdm ? machine.pdms : machine.drams) + at.g;
    }
  }
  int64_t capacity() const { return l2bm_ != nullptr ? kL2bmLw : memory_->capacity_lw(); }
  void read(int64_t addr, int64_t count, uint64_t* out, uint8_t* def) const {
    run(addr, count, [&](int64_t at, int64_t n, int64_t done) {
      uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->read(at, n, out + done, d);
      std::memcpy(out + done, l2bm_->lw + at, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(d, l2bm_def_->lw + at, static_cast<size_t>(n));
    });
  }
  void write(int64_t addr, int64_t count, const uint64_t* values, const uint8_t* def) const {
    run(addr, count, [&](int64_t at, int64_t n, int64_t done) {
      const uint8_t* d = def == nullptr ? nullptr : def + done;
      if (l2bm_ == nullptr) return memory_->write(at, n, values + done, d);
      std::memcpy(l2bm_->lw + at, values + done, static_cast<size_t>(n) * 8);
      if (d != nullptr) std::memcpy(l2bm_def_->lw + at, d, static_cast<size_t>(n));
    });
  }

 private:
  // Calls f(address, count, done) for the pieces of a range that wraps at the capacity (ISA 1.2 [V]).
  template <class F>
  void run(int64_t addr, int64_t count, F f) const {
    int64_t done = 0;
    while (done < count) {
      const int64_t at = (addr + done) % capacity(), n = std::min(count - done, capacity() - at);
      f(at, n, done);
      done += n;
    }
  }
  L2bm* l2bm_ = nullptr;
  L2bmDef* l2bm_def_ = nullptr;
  LwMemory* memory_ = nullptr;
};

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
      const Port port(*c.machine, f.src.mem, from);
      const int64_t src_base = src.addr[0] + f.src.other_g * to.g + f.src.other_s * to.s;
      const int64_t dst_base = dst.addr[0] + f.dst.other_g * from.g + f.dst.other_s * from.s;
      for (int64_t i = 0; i < pieces_per_pair; ++i) {
        const size_t at = values.size();
        values.resize(at + static_cast<size_t>(run));
        if (c.strict()) defs.resize(values.size());
        port.read(src_base + f.src.unit * i, run, values.data() + at, c.strict() ? defs.data() + at : nullptr);
        pieces.push_back({to, dst_base + f.dst.unit * i, at});
      }
      if (c.strict()) {
        const auto check = [&](int operand, const MvSide& side, int64_t base, Instance at) {
          c.where = {at.g, at.s, 0, 0, 0};
          const Port memory(*c.machine, side.mem, at);
          check_range(c, operand, base, side.unit * (units - 1) + f.run, memory.capacity());
        };
        check(0, f.src, src_base, from);
        check(8, f.dst, dst_base, to);
      }
    }
  for (const Piece& piece : pieces) {
    const Port port(*c.machine, f.dst.mem, piece.to);
    port.write(piece.addr, run, values.data() + piece.at, c.strict() ? defs.data() + piece.at : nullptr);
  }
}

}  // namespace kumihimo::mncore2::sem
