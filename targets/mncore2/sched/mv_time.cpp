#include "targets/mncore2/sched/mv_time.h"

namespace kumihimo::mncore2::sched {

namespace {

isa::MvPorts side_ports(const isa::MvSide& side, const VUse& use) {
  const int sub = use.sub < 0 ? 0 : use.sub;
  const int first = use.group < 0 ? 0 : use.group, last = use.group < 0 ? 3 : use.group;
  isa::MvPorts ports = 0;
  for (int g = first; g <= last; ++g) {
    int bits = 0;
    switch (side.instances) {
      case isa::MvInstances::kOneGroup:
      case isa::MvInstances::kEveryGroup: bits = side.mem == isa::Mem::kPdm ? 1 << (4 + g) : 1 << g; break;
      case isa::MvInstances::kOneL2b:
      case isa::MvInstances::kOneL2bInGroup: bits = 1 << (8 + 2 * g + sub); break;
      case isa::MvInstances::kEveryL2b: bits = 3 << (8 + 2 * g); break;
    }
    ports = static_cast<isa::MvPorts>(ports | bits);
  }
  return ports;
}

}  // namespace

MvTime mv_time(const VInsn& insn) {
  const isa::MvColumns& mv = insn.proto.def->mv;
  const VUse& src = insn.srcs[0];
  const VUse& dst = insn.dsts[0];
  const bool cross = src.group >= 0 && dst.group >= 0 && src.group != dst.group;
  const int rate = cross ? mv.rate_cross_group : mv.rate;
  const int size = static_cast<int>(insn.proto.size);
  return {static_cast<isa::MvPorts>(side_ports(mv.src, src) | side_ports(mv.dst, dst)), (size + rate - 1) / rate,
          static_cast<int32_t>(isa::kMvTime.latency_cycles)};
}

}  // namespace kumihimo::mncore2::sched
