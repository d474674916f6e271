#include "targets/mncore2/isa/mv.h"

#include <algorithm>

namespace kumihimo::mncore2::isa {
namespace {

MvRange range(const MvColumns& mv, const MvSide& side, const Operand& op, uint32_t size, uint32_t repeat) {
  const MvSide& counted = mv.size_on_dst ? mv.dst : mv.src;
  MvRange out;
  out.mem = side.mem;
  out.addr = op.addr[0];
  out.length = static_cast<int64_t>(size) / counted.unit * side.unit;
  if (op.mem == Mem::kDramIndirect) {
    const int64_t per_entry = 16 * std::max<int64_t>(repeat, 1);
    out.mem = Mem::kDar;
    out.length = (out.length + per_entry - 1) / per_entry;
  }
  const int first = op.group < 0 ? 0 : op.group, last = op.group < 0 ? 3 : op.group;
  const int sub = op.sub < 0 ? 0 : op.sub;
  for (int g = first; g <= last; ++g) {
    unsigned bits = 0;
    switch (side.instances) {
      case MvInstances::kOneGroup:
      case MvInstances::kEveryGroup: bits = 1u << g; break;
      case MvInstances::kOneL2b:
      case MvInstances::kOneL2bInGroup: bits = 1u << (2 * g + sub); break;
      case MvInstances::kEveryL2b: bits = 3u << (2 * g); break;
    }
    out.instances = static_cast<uint8_t>(out.instances | bits);
  }
  return out;
}

MvPorts ports(const MvRange& r) {
  const int shift = r.mem == Mem::kL2bm ? 8 : r.mem == Mem::kPdm ? 4 : 0;
  return static_cast<MvPorts>(r.instances << shift);
}

}  // namespace

MvFootprint mv_footprint(const Insn& insn) {
  const MvColumns& mv = insn.def->mv;
  return {range(mv, mv.src, insn.srcs[0], insn.size, insn.nd), range(mv, mv.dst, insn.dsts[0], insn.size, insn.nd)};
}

MvPorts mv_ports(const Insn& insn) {
  const MvFootprint f = mv_footprint(insn);
  return static_cast<MvPorts>(ports(f.src) | ports(f.dst));
}

uint32_t mv_port_cycles(const Insn& insn) {
  const Operand &src = insn.srcs[0], &dst = insn.dsts[0];
  const bool cross = src.group >= 0 && dst.group >= 0 && src.group != dst.group;
  const uint32_t rate = cross ? insn.def->mv.rate_cross_group : insn.def->mv.rate;
  return (insn.size + rate - 1) / rate;
}

}  // namespace kumihimo::mncore2::isa
