#include "targets/mncore2/lower/machine_ir.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Mem;

std::optional<std::string> memory_name(Mem m) {
  switch (m) {
    case Mem::kLm0: return "LM0";
    case Mem::kLm1: return "LM1";
    case Mem::kGrf0: return "GRF0";
    case Mem::kGrf1: return "GRF1";
    case Mem::kT: return "T";
    case Mem::kOmr: return "OMR";
    case Mem::kMauf: return "MAUF";
    case Mem::kAluf: return "ALUF";
    case Mem::kLbf: return "LBF";
    case Mem::kMreadf: return "MREADF";
    case Mem::kMatX: return "X";
    case Mem::kMatY: return "Y";
    case Mem::kL1bm: return "L1BM";
    case Mem::kL2bm: return "L2BM";
    case Mem::kPdm: return "PDM";
    case Mem::kDram: return "DRAM";
    default: return std::nullopt;
  }
}

// The forwarding path that an instruction's unit feeds.
std::optional<Mem> latch(isa::Unit u) {
  switch (u) {
    case isa::Unit::kMauCalc: return Mem::kMauf;
    case isa::Unit::kAlu: return Mem::kAluf;
    case isa::Unit::kL1bm: return Mem::kLbf;
    case isa::Unit::kMauRead: return Mem::kMreadf;
    default: return std::nullopt;
  }
}

// Locations of one memory that an operand touches. PE memories: words. Whole memories elsewhere: a range is known to
// the emulator's formula only, and a dependence too many does no harm in a walk.
std::vector<std::pair<Mem, int64_t>> cells(const isa::Operand& o) {
  std::vector<std::pair<Mem, int64_t>> out;
  switch (o.mem) {
    case Mem::kLm0:
    case Mem::kLm1:
    case Mem::kGrf0:
    case Mem::kGrf1:
      for (int32_t a : o.addr)
        for (int w = 0; w < isa::width_words(o.width); ++w) out.push_back({o.mem, a + w});
      break;
    case Mem::kOmr: out.push_back({o.mem, o.addr[0]}); break;
    case Mem::kNowrite:
    case Mem::kNone:
    case Mem::kImm: break;
    default: out.push_back({o.mem, 0}); break;
  }
  return out;
}

TypeRef machine_type(const std::string& memory, const isa::Operand& o) {
  Type t;
  t.level = TypeLevel::kMachine;
  t.memory = memory;
  t.width = o.width == isa::Width::kW ? "w" : o.width == isa::Width::kLw ? "l" : "ll";
  for (size_t c = 0; c < 4; ++c) t.addr[c] = o.addr[c];
  return intern(std::move(t));
}

class Builder {
 public:
  Builder(Module& m, const Module& program) : m_(m), program_(program) {}

  void line(const isa::Line& line, int64_t step, const std::vector<int32_t>& nodes) {
    // Every unit of a step reads before any of them writes.
    std::vector<std::pair<NodeId, const isa::Insn*>> made;
    for (const isa::Insn& insn : line.insns) {
      if (insn.def->unit == isa::Unit::kNop || insn.def->unit == isa::Unit::kNoforward) continue;
      made.push_back({add(insn, step, nodes), &insn});
    }
    for (auto& [id, insn] : made) write(id, *insn);
  }

 private:
  NodeId add(const isa::Insn& insn, int64_t step, const std::vector<int32_t>& nodes) {
    Node n;
    n.op = m_.target() + "." + std::string(insn.def->name);
    n.attrs["insn"] = isa::print(insn);
    n.attrs["step"] = step;
    // LEIR nodes of the step; an instruction of a packed step may belong to either.
    std::vector<int64_t> from;
    for (int32_t id : nodes)
      if (id >= 0) from.push_back(id);
    if (!from.empty()) {
      n.where = program_.node(static_cast<NodeId>(from.front())).where;
      n.attrs["leir"] = std::move(from);
    }
    std::set<ValueId> reads;
    auto read = [&](const isa::Operand& o) {
      for (const auto& cell : cells(o))
        if (auto it = last_.find(cell); it != last_.end()) reads.insert(it->second);
    };
    for (const isa::Operand& o : insn.srcs) read(o);
    for (const isa::Operand& o : insn.dsts) {
      if (!o.mask.present) continue;
      read(o);  // a masked write keeps what was there
      isa::Operand mask;
      mask.mem = Mem::kOmr;
      mask.addr[0] = o.mask.entry;
      read(mask);
    }
    n.operands.assign(reads.begin(), reads.end());
    for (const isa::Operand& o : insn.dsts)
      if (auto name = memory_name(o.mem)) n.results.push_back(machine_type(*name, o));
    if (auto l = latch(insn.def->unit)) {
      isa::Operand o;
      o.width = isa::Width::kDlw;
      n.results.push_back(machine_type(*memory_name(*l), o));
    }
    if (n.results.empty()) {
      // wait: orders the stream and gives no value
      isa::Operand o;
      n.results.push_back(machine_type("NONE", o));
    }
    NodeId id = m_.add_node(std::move(n));
    m_.functions().back().body.push_back(id);
    return id;
  }

  void write(NodeId id, const isa::Insn& insn) {
    uint32_t result = 0;
    for (const isa::Operand& o : insn.dsts) {
      if (!memory_name(o.mem)) continue;
      for (const auto& cell : cells(o)) last_[cell] = {id, result};
      ++result;
    }
    if (auto l = latch(insn.def->unit)) last_[{*l, 0}] = {id, result};
  }

  Module& m_;
  const Module& program_;
  std::map<std::pair<Mem, int64_t>, ValueId> last_;
};

}  // namespace

Module machine_module(const sched::Scheduled& scheduled, const Module& program) {
  Module m(program.target(), program.target_version(), program.tree());
  m.add_function("main");
  Builder b(m, program);
  int64_t step = 0;
  static const std::vector<int32_t> kNone;
  for (size_t i = 0; i < scheduled.program.lines.size(); ++i) {
    const isa::Line& line = scheduled.program.lines[i];
    b.line(line, step, i < scheduled.line_nodes.size() ? scheduled.line_nodes[i] : kNone);
    if (line.kind == isa::LineKind::kPe)
      step += line.insns.empty()
                  ? 1
                  : std::max<int64_t>(1, line.insns[0].def->unit == isa::Unit::kNop ? line.insns[0].nop_count : 1);
  }
  return m;
}

}  // namespace kumihimo::mncore2::lower
