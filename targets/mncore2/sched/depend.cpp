#include "targets/mncore2/sched/depend.h"

#include <algorithm>
#include <map>

#include "targets/mncore2/sched/tree_rules.h"
#include "targets/mncore2/sched/webs.h"

namespace kumihimo::mncore2::sched {

using isa::Unit;
using isa::Width;

namespace {

// Edges to one successor, the strictest of each kind per predecessor kept.
class EdgeSet {
 public:
  explicit EdgeSet(std::vector<Edge>& out) : out_(out) {}
  void begin(int32_t succ) {
    succ_ = succ;
    first_ = out_.size();
  }
  void add(int32_t pred, EdgeKind kind, int steps, int32_t web = -1, bool forwardable = false) {
    if (pred == succ_) return;
    for (size_t k = first_; k < out_.size(); ++k) {
      Edge& e = out_[k];
      if (e.pred != pred || e.kind != kind || e.web != web) continue;
      e.steps = std::max(e.steps, static_cast<int8_t>(steps));
      e.forwardable = e.forwardable && forwardable;
      return;
    }
    out_.push_back({pred, succ_, kind, static_cast<int8_t>(steps), forwardable, web});
  }

 private:
  std::vector<Edge>& out_;
  int32_t succ_ = 0;
  size_t first_ = 0;
};

// A word of a web: who wrote it and who has read it since.
struct WordState {
  struct Touch {
    int32_t insn;
    int8_t first_cycle, last_cycle;
    int32_t dst = -1;
  };
  std::vector<Touch> writers, readers;
};

template <class F>
void for_each_word(const VUse& use, const Web& web, F&& f) {
  for (int8_t c = 0; c < 4; ++c) {
    const size_t i = static_cast<size_t>(c);
    const int32_t row = use.row[i] - web.first_row;
    if (use.width == Width::kW) {
      f(2 * row + use.word[i], c);
    } else {
      const int words = isa::width_words(use.width);
      for (int k = 0; k < words; ++k) f(2 * row + k, c);
    }
  }
}

void note(std::vector<WordState::Touch>& touches, int32_t insn, int8_t cycle, int32_t dst) {
  if (!touches.empty() && touches.back().insn == insn && touches.back().dst == dst) {
    touches.back().first_cycle = std::min(touches.back().first_cycle, cycle);
    touches.back().last_cycle = std::max(touches.back().last_cycle, cycle);
    return;
  }
  touches.push_back({insn, cycle, cycle, dst});
}

// Whether the latch of the writing unit holds, cycle by cycle, what the reader would read.
bool latch_serves(const VInsn& writer, const VUse& dst, const VUse& src) {
  if (writer.write_mask != kNoId || writer.fixed_mask != 0) return false;
  if (dst.row != src.row) return false;
  if (isa::width_words(src.width) > isa::width_words(dst.width)) return false;
  if (src.width == Width::kW) {
    for (size_t c = 0; c < 4; ++c)
      if (src.word[c] != (dst.width == Width::kW ? dst.word[c] : 0)) return false;
  }
  // Cycles that write one address over: memory keeps the last, the latch all four.
  const std::string_view name = writer.proto.def->name;
  if (name == "imm" || name == "immu" || name == "zero") return true;
  const int span = dst.width == Width::kDlw ? 2 : 1;
  for (size_t a = 0; a < 4; ++a)
    for (size_t b = a + 1; b < 4; ++b) {
      if (dst.width == Width::kW && dst.row[a] == dst.row[b] && dst.word[a] != dst.word[b]) continue;
      if (std::abs(dst.row[a] - dst.row[b]) < span) return false;
    }
  return true;
}

// Latches that an operand can select: forwarding from L1BM and from mread only enters the first ALU input; the source
// fields of the other units have no code for them (ISA 10.2 [X], 3.2 [V]).
bool selectable(const Model& model, int32_t def, const VInsn& reader, int32_t operand) {
  const Unit unit = model.insns[static_cast<size_t>(def)].unit;
  if (unit == Unit::kMauCalc || unit == Unit::kAlu) return true;
  const bool alu_x = reader.proto.def->srcs[static_cast<size_t>(operand)].role == isa::OperandRole::kAluX;
  return alu_x && (unit == Unit::kL1bm || unit == Unit::kMauRead);
}

void derive_register_dependences(Model& model, size_t index, std::vector<std::vector<WordState>>& state,
                                 EdgeSet& edges) {
  const int32_t i = static_cast<int32_t>(index);
  const VInsn& insn = model.program.insns[index];
  InsnModel& m = model.insns[index];

  for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) {
    SrcModel& s = model.srcs[static_cast<size_t>(k)];
    const VUse& use = insn.srcs[static_cast<size_t>(s.operand)];
    const Web& web = model.webs[static_cast<size_t>(s.web)];
    s.first_def = static_cast<int32_t>(model.defs.size());
    std::vector<int32_t> writing_dsts;
    bool complete = true;
    for_each_word(use, web, [&](int32_t word, int8_t cycle) {
      WordState& w = state[static_cast<size_t>(s.web)][static_cast<size_t>(word)];
      if (w.writers.empty()) complete = false;
      for (const auto& writer : w.writers) {
        const int steps = register_steps(writer.last_cycle, cycle);
        auto known = std::find_if(model.defs.begin() + s.first_def, model.defs.end(),
                                  [&](const ReachingDef& d) { return d.insn == writer.insn; });
        if (known == model.defs.end())
          model.defs.push_back({writer.insn, static_cast<int8_t>(steps)});
        else
          known->grf_steps = std::max(known->grf_steps, static_cast<int8_t>(steps));
        if (std::find(writing_dsts.begin(), writing_dsts.end(), writer.dst) == writing_dsts.end())
          writing_dsts.push_back(writer.dst);
      }
      note(w.readers, i, cycle, -1);
    });
    s.num_defs = static_cast<int32_t>(model.defs.size()) - s.first_def;
    s.forward_def = -1;
    if (complete && s.num_defs == 1 && writing_dsts.size() == 1) {
      const int32_t def = model.defs[static_cast<size_t>(s.first_def)].insn;
      const DstModel& dst = model.dsts[static_cast<size_t>(writing_dsts[0])];
      const VInsn& writer = model.program.insns[static_cast<size_t>(def)];
      if (latch_serves(writer, writer.dsts[static_cast<size_t>(dst.operand)], use) &&
          selectable(model, def, insn, s.operand))
        s.forward_def = def;
    }
    for (int32_t d = s.first_def; d < s.first_def + s.num_defs; ++d) {
      const ReachingDef& def = model.defs[static_cast<size_t>(d)];
      edges.add(def.insn, EdgeKind::kRegister, def.grf_steps, s.web, s.forward_def >= 0);
    }
  }

  for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) {
    const DstModel& d = model.dsts[static_cast<size_t>(k)];
    const VUse& use = insn.dsts[static_cast<size_t>(d.operand)];
    const Web& web = model.webs[static_cast<size_t>(d.web)];
    const bool masked = insn.write_mask != kNoId || insn.fixed_mask != 0;
    std::map<int32_t, std::array<int8_t, 2>> cycles;  // word -> first and last cycle of this write
    for_each_word(use, web, [&](int32_t word, int8_t cycle) {
      auto [it, fresh] = cycles.try_emplace(word, std::array<int8_t, 2>{cycle, cycle});
      if (!fresh) it->second[1] = cycle;
    });
    for (const auto& [word, span] : cycles) {
      WordState& w = state[static_cast<size_t>(d.web)][static_cast<size_t>(word)];
      // A read in the same step returns the old content if it comes no later than the write in the step.
      for (const auto& reader : w.readers)
        edges.add(reader.insn, EdgeKind::kFixed, reader.last_cycle <= span[0] ? 0 : 1);
      for (const auto& writer : w.writers) edges.add(writer.insn, EdgeKind::kFixed, 1);
      if (!masked) {
        w.writers.clear();
        w.readers.clear();
      }
      w.writers.push_back({i, span[0], span[1], k});
    }
  }
}

// Matrix sides and mask entries: a physical resource with a history of writes and reads.
struct Cell {
  std::vector<int32_t> writers, readers;
  uint32_t occupant = kNoId;
};

void read_cell(Cell& cell, int32_t insn, EdgeSet& edges) {
  for (int32_t w : cell.writers) edges.add(w, EdgeKind::kFixed, 1);  // visible from the next step (ISA 9.1)
  cell.readers.push_back(insn);
}

void write_cell(Cell& cell, int32_t insn, uint32_t occupant, EdgeSet& edges) {
  for (int32_t r : cell.readers) edges.add(r, EdgeKind::kFixed, 1);
  for (int32_t w : cell.writers) edges.add(w, EdgeKind::kFixed, 1);
  if (cell.occupant != occupant) {
    cell.writers.clear();
    cell.readers.clear();
    cell.occupant = occupant;
  }
  cell.writers.push_back(insn);
}

bool same_instance(const BufAccess& a, const BufAccess& b) {
  return (a.sub < 0 || b.sub < 0 || a.sub == b.sub) && (a.group < 0 || b.group < 0 || a.group == b.group);
}

}  // namespace

std::vector<BufAccess> buffer_accesses(const VProgram& program, size_t index) {
  const VInsn& insn = program.insns[index];
  const isa::InsnDef& row = *insn.proto.def;
  std::vector<BufAccess> out;
  auto add = [&](const VUse& use, int32_t operand, bool write) {
    if (use.kind != VUseKind::kBuf) return;
    BufAccess a{
        static_cast<int32_t>(index), write, operand, program.bufs[use.id].mem, use.offset_lw, {}, use.sub, use.group};
    for (int c = 0; c < 4; ++c)
      a.range[static_cast<size_t>(c)] = tree_range(row, insn.proto.size, use, write, a.mem, c);
    out.push_back(a);
  };
  for (size_t k = 0; k < insn.srcs.size(); ++k) add(insn.srcs[k], static_cast<int32_t>(k), false);
  for (size_t k = 0; k < insn.dsts.size(); ++k) add(insn.dsts[k], static_cast<int32_t>(k), true);
  return out;
}

void derive_dependences(Model& model) {
  const VProgram& program = model.program;
  std::vector<std::vector<WordState>> words(model.webs.size());
  for (size_t w = 0; w < model.webs.size(); ++w) words[w].resize(static_cast<size_t>(2 * model.webs[w].rows));
  std::array<Cell, 2> sides;
  std::array<Cell, 32> masks;
  // Buffers with a fixed address may overlap each other, so they share one history per memory.
  std::map<std::pair<int, uint32_t>, std::vector<BufAccess>> buffers;

  EdgeSet edges(model.edges);
  for (size_t index = 0; index < program.insns.size(); ++index) {
    const VInsn& insn = program.insns[index];
    const int32_t i = static_cast<int32_t>(index);
    edges.begin(i);
    derive_register_dependences(model, index, words, edges);

    auto for_each_mat = [&](const std::vector<VUse>& uses, auto&& f) {
      for (const VUse& use : uses)
        if (use.kind == VUseKind::kMat) f(use.id);
    };
    for_each_mat(insn.srcs, [&](uint32_t mat) { read_cell(sides[model.mat_side[mat]], i, edges); });
    for_each_mat(insn.dsts, [&](uint32_t mat) { write_cell(sides[model.mat_side[mat]], i, mat, edges); });

    if (insn.write_mask != kNoId) read_cell(masks[model.mask_entry[insn.write_mask]], i, edges);
    if (insn.writes_mask != kNoId) write_cell(masks[model.mask_entry[insn.writes_mask]], i, insn.writes_mask, edges);

    for (BufAccess a : buffer_accesses(program, index)) {
      const auto& uses = a.write ? insn.dsts : insn.srcs;
      const VBufId id = uses[static_cast<size_t>(a.operand)].id;
      const VBuf& buf = program.bufs[id];
      if (buf.fixed_addr)
        for (auto& r : a.range) r = {r[0] + *buf.fixed_addr, r[1] + *buf.fixed_addr};
      auto& history = buffers[{static_cast<int>(buf.mem), buf.fixed_addr ? kNoId : id}];
      for (const BufAccess& earlier : history) {
        if (!(earlier.write || a.write) || !same_instance(earlier, a) || earlier.insn == i) continue;
        const auto steps = tree_steps(model.insns[static_cast<size_t>(earlier.insn)].tree_port, earlier,
                                      model.insns[index].tree_port, a);
        if (!steps) continue;
        edges.add(earlier.insn,
                  model.insns[static_cast<size_t>(earlier.insn)].is_mv ? EdgeKind::kWait : EdgeKind::kFixed, *steps);
      }
      history.push_back(a);
    }
  }

  model.live_out.assign(model.dsts.size(), false);
  for (size_t w = 0; w < model.webs.size(); ++w) {
    if (!model.webs[w].output) continue;
    for (const WordState& word : words[w])
      for (const auto& writer : word.writers) model.live_out[static_cast<size_t>(writer.dst)] = true;
  }

  // Group by predecessor for the list scheduler.
  std::stable_sort(model.edges.begin(), model.edges.end(),
                   [](const Edge& a, const Edge& b) { return a.pred < b.pred; });
  for (size_t e = 0; e < model.edges.size(); ++e) {
    InsnModel& m = model.insns[static_cast<size_t>(model.edges[e].pred)];
    if (m.num_edges++ == 0) m.first_edge = static_cast<int32_t>(e);
  }
}

}  // namespace kumihimo::mncore2::sched
