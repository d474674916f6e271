#include "targets/mncore2/sched/webs.h"

#include <algorithm>
#include <numeric>

#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/sched/build.h"

namespace kumihimo::mncore2::sched {

using isa::Width;

namespace {

// Disjoint sets of definitions.
class Classes {
 public:
  int32_t make() {
    parent_.push_back(static_cast<int32_t>(parent_.size()));
    return parent_.back();
  }
  int32_t find(int32_t x) {
    while (parent_[static_cast<size_t>(x)] != x) {
      auto& up = parent_[static_cast<size_t>(x)];
      up = parent_[static_cast<size_t>(up)];
      x = up;
    }
    return x;
  }
  int32_t join(int32_t a, int32_t b) {
    a = find(a), b = find(b);
    // The older class stays, so that numbering follows program order.
    if (a > b) std::swap(a, b);
    parent_[static_cast<size_t>(b)] = a;
    return a;
  }
  size_t size() const { return parent_.size(); }

 private:
  std::vector<int32_t> parent_;
};

template <class F>
void for_each_row(const VUse& use, F&& f) {
  const int span = use.width == Width::kDlw ? 2 : 1;
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k < span; ++k) f(use.row[static_cast<size_t>(c)] + k);
}

}  // namespace

VProgram materialise_literals(const VProgram& program) {
  VProgram out = program;
  std::vector<bool> used(out.regs.size(), false), wide(out.regs.size(), false);
  for (VInsn& insn : out.insns) {
    for (VUse& use : insn.srcs) {
      if (use.kind != VUseKind::kReg || !out.regs[use.id].literal) continue;
      used[use.id] = true;
      if (use.width == Width::kDlw) wide[use.id] = true;
      use.row = {};
      use.word = {};
    }
  }
  std::vector<VInsn> imms;
  for (size_t r = 0; r < out.regs.size(); ++r) {
    VReg& reg = out.regs[r];
    if (!reg.literal) continue;
    reg.rows = wide[r] ? 2 : 1;
    reg.align = reg.rows;
    if (!used[r]) continue;
    VInsn imm;
    imm.proto.def = isa::find_row("imm");
    imm.proto.literal = *reg.literal;
    imm.proto.literal_text = reg.literal_text;
    imm.dsts = {use_fixed(static_cast<VRegId>(r), 0, wide[r] ? Width::kDlw : Width::kLw)};
    imms.push_back(std::move(imm));
  }
  out.insns.insert(out.insns.begin(), std::make_move_iterator(imms.begin()), std::make_move_iterator(imms.end()));
  return out;
}

VProgram split_mvs(const VProgram& program, uint32_t chunk_lw) {
  if (chunk_lw == 0) return program;
  VProgram out = program;
  out.insns.clear();
  for (const VInsn& insn : program.insns) {
    const isa::InsnDef& row = *insn.proto.def;
    if (row.unit != isa::Unit::kMv || insn.proto.size <= chunk_lw) {
      out.insns.push_back(insn);
      continue;
    }
    const isa::MvSide& counted = row.mv.size_on_dst ? row.mv.dst : row.mv.src;
    const uint32_t step = chunk_lw / counted.unit * counted.unit;
    for (uint32_t done = 0; done < insn.proto.size; done += step) {
      VInsn piece = insn;
      piece.proto.size = std::min(step, insn.proto.size - done);
      piece.srcs[0].offset_lw += static_cast<int64_t>(done / counted.unit) * row.mv.src.unit;
      piece.dsts[0].offset_lw += static_cast<int64_t>(done / counted.unit) * row.mv.dst.unit;
      out.insns.push_back(std::move(piece));
    }
  }
  return out;
}

std::array<int32_t, 2> touched_rows(const VUse& use) {
  std::array<int32_t, 2> range{INT32_MAX, INT32_MIN};
  for_each_row(use, [&](int32_t row) { range = {std::min(range[0], row), std::max(range[1], row)}; });
  return range;
}

bool keeps_old_content(const VInsn& insn, const VUse& dst) {
  return insn.write_mask != kNoId || insn.fixed_mask != 0 || dst.width == Width::kW;
}

void split_into_webs(Model& model) {
  const VProgram& program = model.program;
  Classes classes;
  std::vector<std::vector<int32_t>> current(program.regs.size());
  for (size_t r = 0; r < program.regs.size(); ++r) current[r].assign(static_cast<size_t>(program.regs[r].rows), -1);
  auto reach = [&](uint32_t reg, int32_t row) -> int32_t& {
    int32_t& c = current[reg][static_cast<size_t>(row)];
    if (c < 0) c = classes.make();  // content from before the program
    return c;
  };

  // First walk: classes of all accesses.
  std::vector<std::array<std::vector<int32_t>, 2>> access_class(program.insns.size());
  for (size_t i = 0; i < program.insns.size(); ++i) {
    const VInsn& insn = program.insns[i];
    auto& of_srcs = access_class[i][0];
    auto& of_dsts = access_class[i][1];
    of_srcs.assign(insn.srcs.size(), -1);
    of_dsts.assign(insn.dsts.size(), -1);
    for (size_t k = 0; k < insn.srcs.size(); ++k) {
      const VUse& use = insn.srcs[k];
      if (use.kind != VUseKind::kReg) continue;
      int32_t c = -1;
      for_each_row(use, [&](int32_t row) { c = c < 0 ? reach(use.id, row) : classes.join(c, reach(use.id, row)); });
      of_srcs[k] = c;
    }
    for (size_t k = 0; k < insn.dsts.size(); ++k) {
      const VUse& use = insn.dsts[k];
      if (use.kind != VUseKind::kReg) continue;
      int32_t c = classes.make();
      if (keeps_old_content(insn, use))
        for_each_row(use, [&](int32_t row) { c = classes.join(c, reach(use.id, row)); });
      for_each_row(use, [&](int32_t row) { current[use.id][static_cast<size_t>(row)] = c; });
      of_dsts[k] = c;
    }
  }
  // What an output holds at the end lies in one place.
  for (size_t r = 0; r < program.regs.size(); ++r) {
    if (!program.regs[r].output) continue;
    int32_t c = -1;
    for (int32_t row_class : current[r])
      if (row_class >= 0) c = c < 0 ? row_class : classes.join(c, row_class);
  }

  // Second walk: number the classes and collect their rows.
  std::vector<int32_t> web_of(classes.size(), -1);
  model.operand_webs.assign(program.insns.size(), {});
  auto touch = [&](const VUse& use, int32_t access) {
    int32_t& web = web_of[static_cast<size_t>(classes.find(access))];
    if (web < 0) {
      web = static_cast<int32_t>(model.webs.size());
      const VReg& reg = program.regs[use.id];
      model.webs.push_back({.reg = use.id,
                            .first_row = INT32_MAX,
                            .rows = INT32_MIN,
                            .allowed = reg.allowed,
                            .literal = reg.literal.has_value(),
                            .choices = {}});
    }
    Web& w = model.webs[static_cast<size_t>(web)];
    const auto rows = touched_rows(use);
    w.first_row = std::min(w.first_row, rows[0]);
    w.rows = std::max(w.rows, rows[1]);  // last row until the end of this function
    if (use.width == Width::kDlw) w.align = 2;
    return web;
  };
  for (size_t i = 0; i < program.insns.size(); ++i) {
    const VInsn& insn = program.insns[i];
    for (int side = 0; side < 2; ++side) {
      const auto& uses = side == 0 ? insn.srcs : insn.dsts;
      auto& webs = model.operand_webs[i][static_cast<size_t>(side)];
      webs.assign(uses.size(), -1);
      for (size_t k = 0; k < uses.size(); ++k)
        if (uses[k].kind == VUseKind::kReg) webs[k] = touch(uses[k], access_class[i][static_cast<size_t>(side)][k]);
    }
  }
  for (size_t r = 0; r < program.regs.size(); ++r) {
    if (!program.regs[r].output) continue;
    for (int32_t row_class : current[r]) {
      if (row_class < 0) continue;
      const int32_t web = web_of[static_cast<size_t>(classes.find(row_class))];
      if (web < 0) continue;
      Web& w = model.webs[static_cast<size_t>(web)];
      // An output keeps its own row numbers: its reader knows it as a whole.
      w.output = true;
      w.first_row = 0;
      w.rows = program.regs[r].rows - 1;
      w.align = std::max(w.align, program.regs[r].align);
    }
  }
  for (Web& w : model.webs) {
    if (w.align == 2) w.first_row &= ~1;
    w.rows = w.rows - w.first_row + 1;
  }
}

void enumerate_choices(Model& model, const MachineConfig& machine) {
  const size_t n = model.webs.size();
  // T has no address: every access must name the entry of its own cycle, in one of two readings (LW or DLW entries).
  std::vector<uint8_t> t_lw(n, 1), t_dlw(n, 1), imm_written(n, 0), forwardable(n, 1), read(n, 0), wide_read(n, 0),
      narrow_write(n, 0), several_ways(n, 0);
  auto look_at = [&](const VUse& use, int32_t web, bool write) {
    const size_t w = static_cast<size_t>(web);
    if (model.webs[w].literal) return;
    for (int32_t c = 0; c < 4; ++c) {
      const int32_t row = use.row[static_cast<size_t>(c)] - model.webs[w].first_row;
      if (use.width != Width::kLw || row != c) t_lw[w] = 0;
      if (use.width == Width::kW || row != 2 * c) t_dlw[w] = 0;
    }
    if (use.width == Width::kDlw && !write) wide_read[w] = 1;
    if (use.width == Width::kLw && write) narrow_write[w] = 1;
  };
  for (size_t i = 0; i < model.insns.size(); ++i) {
    const InsnModel& m = model.insns[i];
    for (int32_t k = m.first_src; k < m.first_src + m.num_srcs; ++k) {
      const SrcModel& s = model.srcs[static_cast<size_t>(k)];
      look_at(model.program.insns[i].srcs[static_cast<size_t>(s.operand)], s.web, false);
      read[static_cast<size_t>(s.web)] = 1;
      if (s.forward_def < 0) forwardable[static_cast<size_t>(s.web)] = 0;
      for (int32_t j = m.first_src; j < k; ++j) {
        const SrcModel& other = model.srcs[static_cast<size_t>(j)];
        if (other.web == s.web && other.pattern != s.pattern) several_ways[static_cast<size_t>(s.web)] = 1;
      }
    }
    for (int32_t k = m.first_dst; k < m.first_dst + m.num_dsts; ++k) {
      const DstModel& d = model.dsts[static_cast<size_t>(k)];
      look_at(model.program.insns[i].dsts[static_cast<size_t>(d.operand)], d.web, true);
      if (m.is_imm) imm_written[static_cast<size_t>(d.web)] = 1;
    }
  }
  for (size_t w = 0; w < n; ++w) {
    Web& web = model.webs[w];
    auto legal = [&](int bank, BankSet allowed) {
      if (!(allowed & (1u << bank))) return false;
      if (bank == bank_index(Bank::kT))
        return web.rows <= machine.t_lw &&
               (web.literal || (t_lw[w] && web.rows <= 4) || (t_dlw[w] && !(narrow_write[w] && wide_read[w])));
      if (bank == bank_index(Bank::kLm0) && imm_written[w]) return false;  // ISA 9.3 rule 8
      return web.rows <= (is_lm(bank) ? machine.lm_words : machine.grf_words) / 2;
    };
    const BankSet second = web.output ? kAnyBank : web.allowed;
    for (int a = 0; a < kNumBanks; ++a)
      if (legal(a, web.allowed)) web.choices.push_back({1, {static_cast<int8_t>(a), -1, -1}});
    web.num_searched = static_cast<int32_t>(web.choices.size());
    if (read[w]) {
      for (int a = 0; a < kNumBanks; ++a)
        for (int b = 0; b < kNumBanks; ++b) {
          // For an output the first bank is the one that counts; otherwise the order does not matter.
          const bool ordered = web.output && !(web.allowed & (1u << b));
          if (a != b && (a < b || ordered) && legal(a, web.allowed) && legal(b, second))
            web.choices.push_back({2, {static_cast<int8_t>(a), static_cast<int8_t>(b), -1}});
        }
      if (forwardable[w] && !web.output) {
        web.forward_choice = static_cast<int32_t>(web.choices.size());
        web.choices.push_back({});
      }
      web.num_searched = static_cast<int32_t>(web.choices.size());
      if (several_ways[w])
        for (int a = 0; a < kNumBanks; ++a)
          for (int b = 0; b < kNumBanks; ++b)
            for (int c = b + 1; c < kNumBanks; ++c)
              if (a != b && a != c && (a < b || web.output) && legal(a, web.allowed) && legal(b, second) &&
                  legal(c, second))
                web.choices.push_back({3, {static_cast<int8_t>(a), static_cast<int8_t>(b), static_cast<int8_t>(c)}});
    }
  }
}

}  // namespace kumihimo::mncore2::sched
