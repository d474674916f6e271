// Execution on tokens: a yardstick for the scheduler that knows no arithmetic.
//
// Every instruction is an uninterpreted function of the words it reads; a word is a 64-bit token. The virtual program is
// executed in its own order on storage without limits; the scheduled program is executed on one PE's memories with
// time: a write lands 6 cycles later (ISA 9.1), a write from a PE into L1BM 10 cycles later (ISA 9.2), an MV when it is
// waited for. Of the two L2Bs of a group it is the first; MVs to and from the other one (.1) do nothing. If every output token agrees, all values took the right way, and no read came too early or too late.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/sched/schedule.h"
#include "targets/mncore2/sched/tree_rules.h"

namespace kumihimo::mncore2::sched {

using Token = uint64_t;

inline Token mix(Token a, Token b) {
  uint64_t z = a * 0x9e3779b97f4a7c15ull + (b ^ (b >> 29)) + 0x632be59bd9b4e019ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

struct Cycle4 {
  std::array<std::array<Token, 4>, 4> word{};  // [cycle][word]
};

// What an instruction computes from its sources: elementwise, so that a narrower access sees the same first words.
struct TokenInputs {
  std::vector<Cycle4> srcs;
  Token matrix = 0;
};
inline Cycle4 apply(const isa::Insn& insn, const TokenInputs& in, const std::array<Token, 4>& tree) {
  Token op = mix(static_cast<Token>(insn.prec), insn.literal);
  for (char c : insn.def->name) op = mix(op, static_cast<Token>(c));
  op = mix(op, in.matrix);
  Cycle4 out;
  for (size_t c = 0; c < 4; ++c)
    for (size_t w = 0; w < 4; ++w) {
      Token t = mix(op, tree[c]);
      if (insn.def->name == "imm") {  // the same literal everywhere
        out.word[c][w] = op;
        continue;
      }
      for (size_t k = 0; k < in.srcs.size(); ++k) {
        // The vector of a matrix operation is a long word, whatever its latch holds beyond.
        const bool vector = insn.def->reads_matrix() && k == 0;
        t = mix(t, vector && w >= 2 ? 0 : in.srcs[k].word[c][w]);
      }
      if (in.srcs.empty()) t = mix(t, c * 4 + w);
      out.word[c][w] = t;
    }
  return out;
}

inline Token modify(Token t, bool negate, char convert) {
  return negate || convert ? mix(t, static_cast<Token>(convert) * 2 + negate) : t;
}

// Masks act per half word: a word token is a pair, folded from a kept and a new half when they differ.
struct MaskedWord {
  static Token merge(Token old_value, Token new_value, bool first_half, bool second_half) {
    if (first_half && second_half) return new_value;
    if (!first_half && !second_half) return old_value;
    return mix(mix(old_value, new_value), first_half ? 1 : 2);
  }
};
// bits: four per cycle, first = most significant.
inline Token masked_word(Token old_value, Token new_value, uint8_t bits, bool ll, size_t word) {
  auto bit = [&](size_t k) { return (bits >> (3 - k) & 1) != 0; };
  if (ll) return MaskedWord::merge(old_value, new_value, bit(word), bit(word));
  if (word >= 2) return new_value;
  return MaskedWord::merge(old_value, new_value, bit(2 * word), bit(2 * word + 1));
}
inline std::array<uint8_t, 4> flags_of(const Cycle4& value) {
  std::array<uint8_t, 4> flags{};
  for (size_t c = 0; c < 4; ++c) flags[c] = static_cast<uint8_t>(mix(value.word[c][0], 77) & 15);
  return flags;
}
inline std::array<uint8_t, 4> fixed_flags(int entry) {
  std::array<uint8_t, 4> flags{};
  for (int c = 0; c < 4; ++c) flags[static_cast<size_t>(c)] = (entry >> (3 - c) & 1) ? 15 : 0;
  return flags;
}

// Tokens that a tree access takes from its range, and leaves in it.
template <class Read>
Token gather(const std::array<int64_t, 2>& range, Read&& read) {
  Token t = 0;
  for (int64_t a = range[0]; a < range[1]; ++a) t = mix(t, read(a));
  return t;
}

// An MV moves word by word; the word at `a` of the destination comes from the same place of the source, scaled.
inline Token moved(const isa::Insn& insn, Token source) {
  Token op = 1;
  for (char c : insn.def->name) op = mix(op, static_cast<Token>(c));
  return mix(op, source);
}
inline int64_t moved_from(const std::array<int64_t, 2>& from, const std::array<int64_t, 2>& to, int64_t a) {
  return from[0] + (a - to[0]) * (from[1] - from[0]) / (to[1] - to[0]);
}

// --- the virtual program ------------------------------------------------------------------------------------------
class VirtualExecutor {
 public:
  explicit VirtualExecutor(const VProgram& program) : program_(program) {
    for (const VReg& r : program.regs) regs.emplace_back(static_cast<size_t>(2 * r.rows), Token{0});
    for (const VBuf& b : program.bufs) {
      bufs.emplace_back(static_cast<size_t>(b.size_lw), Token{0});
      if (b.mem == isa::Mem::kDram)
        for (size_t k = 0; k < bufs.back().size(); ++k)
          bufs.back()[k] = mix(0xd7a3, static_cast<Token>(*b.fixed_addr) + k);
    }
    mats_.assign(program.num_mats, {});
    masks_.assign(program.num_masks, {});
  }

  void run() {
    for (const VInsn& insn : program_.insns) execute(insn);
  }

  std::vector<std::vector<Token>> regs, bufs;
  std::vector<Token> results;  // first word of every instruction, in order

 private:
  Token& word(const VUse& use, size_t c, size_t w) {
    const size_t base =
        static_cast<size_t>(2 * use.row[c]) + (use.width == isa::Width::kW ? static_cast<size_t>(use.word[c]) : w);
    return regs[use.id][base];
  }
  Cycle4 read(const VUse& use) {
    Cycle4 out;
    const VReg& reg = program_.regs[use.id];
    for (size_t c = 0; c < 4; ++c)
      for (size_t w = 0; w < static_cast<size_t>(isa::width_words(use.width)); ++w) {
        Token t;
        if (reg.literal) {
          isa::Insn imm;
          imm.def = isa_imm();
          imm.literal = *reg.literal;
          t = apply(imm, {}, {}).word[0][0];
        } else {
          t = word(use, c, w);
        }
        out.word[c][w] = modify(t, use.negate, use.convert);
      }
    return out;
  }
  static const isa::InsnDef* isa_imm() {
    for (const isa::InsnDef& row : isa::rows())
      if (row.name == "imm") return &row;
    return nullptr;
  }
  void execute(const VInsn& insn) {
    const isa::InsnDef& row = *insn.proto.def;
    if (row.unit == isa::Unit::kMv && (insn.srcs[0].sub == 1 || insn.dsts[0].sub == 1)) return;
    TokenInputs in;
    std::array<Token, 4> tree{};
    if (row.unit == isa::Unit::kMv) {
      const auto from = tree_range(row, insn.proto.size, insn.srcs[0], false, program_.bufs[insn.srcs[0].id].mem, 0);
      const auto to = tree_range(row, insn.proto.size, insn.dsts[0], true, program_.bufs[insn.dsts[0].id].mem, 0);
      for (int64_t a = to[0]; a < to[1]; ++a)
        bufs[insn.dsts[0].id][static_cast<size_t>(a)] =
            moved(insn.proto, bufs[insn.srcs[0].id][static_cast<size_t>(moved_from(from, to, a))]);
      results.push_back(0);
      return;
    }
    for (const VUse& use : insn.srcs) {
      if (use.kind == VUseKind::kReg) in.srcs.push_back(read(use));
      if (use.kind == VUseKind::kMat)
        for (Token t : mats_[use.id]) in.matrix = mix(in.matrix, t);
      if (use.kind == VUseKind::kBuf)
        for (int c = 0; c < 4; ++c)
          tree[static_cast<size_t>(c)] =
              gather(tree_range(row, insn.proto.size, use, false, program_.bufs[use.id].mem, c),
                     [&](int64_t a) { return bufs[use.id][static_cast<size_t>(a)]; });
    }
    const Cycle4 value = apply(insn.proto, in, tree);
    results.push_back(value.word[0][0]);
    const std::array<uint8_t, 4> mask = insn.write_mask != kNoId ? masks_[insn.write_mask]
                                        : insn.fixed_mask        ? fixed_flags(insn.fixed_mask - 16)
                                                                 : std::array<uint8_t, 4>{15, 15, 15, 15};
    const bool masked = insn.write_mask != kNoId || insn.fixed_mask;
    for (const VUse& use : insn.dsts) {
      if (use.kind == VUseKind::kReg)
        for (size_t c = 0; c < 4; ++c)
          for (size_t w = 0; w < static_cast<size_t>(isa::width_words(use.width)); ++w) {
            Token& old = word(use, c, w);
            old = masked ? masked_word(old, value.word[c][w], mask[c], insn.mask_ll, w) : value.word[c][w];
          }
      if (use.kind == VUseKind::kMat)
        for (size_t c = 0; c < 4; ++c) {
          const size_t step = use.width == isa::Width::kDlw ? 2 : 1;
          for (size_t k = 0; k < step; ++k)
            mats_[use.id][(static_cast<size_t>(use.offset_lw) + step * c + k) % 16] = value.word[c][2 * k];
        }
      if (use.kind == VUseKind::kBuf)
        for (int c = 0; c < 4; ++c) {
          const auto range = tree_range(row, insn.proto.size, use, true, program_.bufs[use.id].mem, c);
          for (int64_t a = range[0]; a < range[1]; ++a)
            bufs[use.id][static_cast<size_t>(a)] =
                mix(value.word[static_cast<size_t>(c)][0], static_cast<Token>(a - range[0]));
        }
    }
    if (insn.writes_mask != kNoId) masks_[insn.writes_mask] = flags_of(value);
  }

  const VProgram& program_;
  std::vector<std::array<Token, 16>> mats_;
  std::vector<std::array<uint8_t, 4>> masks_;
};

// --- the scheduled program ----------------------------------------------------------------------------------------
class TimedExecutor {
 public:
  explicit TimedExecutor(Token dram_salt = 0xd7a3) : salt_(dram_salt) {}

  void run(const isa::Program& program) {
    for (const isa::Line& line : program.lines) {
      if (line.kind == isa::LineKind::kMv) {
        land(4 * step_ - 1);
        issue_mv(line.insns[0]);
        continue;
      }
      bool nop_only = line.insns.size() == 1 && line.insns[0].def->name == "nop";
      if (nop_only) {
        step_ += line.insns[0].nop_count;
        continue;
      }
      execute_step(line.insns);
      ++step_;
    }
    land(INT64_MAX);
  }

  std::set<Token> results;  // first words of all instructions

  Token pe(isa::Mem mem, int64_t word) { return value(mem, word); }
  Token tree(isa::Mem mem, int64_t lw) { return value(mem, lw); }
  int64_t mvs_in_flight() const { return static_cast<int64_t>(flights_.size()); }

 private:
  struct Landing {
    int64_t cycle;  // visible from this cycle on
    std::tuple<int, int64_t> cell;
    Token token;
    bool masked = false;
    uint8_t bits = 15;
    bool ll = false;
    size_t word = 0;
  };
  using Cell = std::tuple<int, int64_t>;

  Token value(isa::Mem mem, int64_t at) {
    auto it = cells_.find({static_cast<int>(mem), at});
    if (it != cells_.end()) return it->second;
    return mem == isa::Mem::kDram ? mix(salt_, static_cast<Token>(at)) : 0;
  }
  // Makes all writes visible that complete by `cycle`.
  void land(int64_t cycle) {
    // In order of completion; equal completions in order of issue.
    std::stable_sort(landings_.begin(), landings_.end(),
                     [](const Landing& a, const Landing& b) { return a.cycle < b.cycle; });
    size_t k = 0;
    for (; k < landings_.size() && landings_[k].cycle <= cycle; ++k) {
      const Landing& l = landings_[k];
      const Token old = value(static_cast<isa::Mem>(std::get<0>(l.cell)), std::get<1>(l.cell));
      cells_[l.cell] = l.masked ? masked_word(old, l.token, l.bits, l.ll, l.word) : l.token;
    }
    landings_.erase(landings_.begin(), landings_.begin() + static_cast<std::ptrdiff_t>(k));
  }

  static VUse as_use(const isa::Operand& op) {
    VUse use;
    use.offset_lw = op.addr[0];
    use.width = op.width;
    return use;
  }

  void issue_mv(const isa::Insn& insn) {
    if (insn.srcs[0].sub == 1 || insn.dsts[0].sub == 1) {
      flights_[insn.tag] = {};
      return;
    }
    const auto from = tree_range(*insn.def, insn.size, as_use(insn.srcs[0]), false, insn.srcs[0].mem, 0);
    const auto to = tree_range(*insn.def, insn.size, as_use(insn.dsts[0]), true, insn.dsts[0].mem, 0);
    std::vector<std::pair<Cell, Token>> writes;
    for (int64_t a = to[0]; a < to[1]; ++a) {
      writes.push_back(
          {{static_cast<int>(insn.dsts[0].mem), a}, moved(insn, value(insn.srcs[0].mem, moved_from(from, to, a)))});
      cells_[writes.back().first] = mix(0xdead, static_cast<Token>(a));  // in flight: neither old nor new
    }
    flights_[insn.tag] = std::move(writes);
  }

  void execute_step(const std::vector<isa::Insn>& insns) {
    std::vector<TokenInputs> inputs(insns.size());
    std::vector<std::array<Token, 4>> trees(insns.size());
    // Reads, cycle by cycle, before any write of the step.
    for (size_t i = 0; i < insns.size(); ++i) {
      for (const isa::Operand& op : insns[i].srcs) {
        if (op.mem == isa::Mem::kMatX || op.mem == isa::Mem::kMatY) {
          for (Token t : mats_[op.mem == isa::Mem::kMatY]) inputs[i].matrix = mix(inputs[i].matrix, t);
        } else if (op.mem != isa::Mem::kL1bm && op.mem != isa::Mem::kL2bm && op.mem != isa::Mem::kImm) {
          inputs[i].srcs.emplace_back();
        }
      }
    }
    for (size_t c = 0; c < 4; ++c) {
      const int64_t now = 4 * step_ + static_cast<int64_t>(c);
      land(now);
      for (size_t i = 0; i < insns.size(); ++i) {
        size_t at = 0;
        for (const isa::Operand& op : insns[i].srcs) {
          if (op.mem == isa::Mem::kMatX || op.mem == isa::Mem::kMatY || op.mem == isa::Mem::kImm) continue;
          if (op.mem == isa::Mem::kL1bm || op.mem == isa::Mem::kL2bm) {
            trees[i][c] = gather(tree_range(*insns[i].def, 0, as_use(op), false, op.mem, static_cast<int>(c)),
                                 [&](int64_t a) { return value(op.mem, a); });
            continue;
          }
          auto& words = inputs[i].srcs[at++].word[c];
          for (size_t w = 0; w < 4; ++w) {
            Token t = 0;
            if (op.mem == isa::Mem::kT)
              t = value(op.mem, static_cast<int64_t>(4 * c + w));
            else if (op.mem == isa::Mem::kMauf)
              t = latches_[0].word[c][w];
            else if (op.mem == isa::Mem::kAluf)
              t = latches_[1].word[c][w];
            else if (op.mem == isa::Mem::kLbf)
              t = latches_[2].word[c][w];
            else if (w < static_cast<size_t>(isa::width_words(op.width)))
              t = value(op.mem, op.addr[c] + static_cast<int64_t>(w));
            else
              continue;
            words[w] = modify(t, op.negate, op.convert);
          }
        }
      }
    }
    const auto masks_before = omr_;
    std::array<Cycle4, 3> next = latches_;
    for (size_t i = 0; i < insns.size(); ++i) {
      const isa::Insn& insn = insns[i];
      const isa::Unit unit = insn.def->unit;
      if (unit == isa::Unit::kWait) {
        for (const auto& [cell, token] : flights_.at(insn.tag)) cells_[cell] = token;
        flights_.erase(insn.tag);
        continue;
      }
      if (unit == isa::Unit::kNop) continue;
      const Cycle4 result = apply(insn, inputs[i], trees[i]);
      results.insert(result.word[0][0]);
      if (unit == isa::Unit::kMauCalc) next[0] = result;
      if (unit == isa::Unit::kAlu) next[1] = result;
      if (unit == isa::Unit::kL1bm && !insn.def->l1bm.upload) next[2] = result;
      for (const isa::Operand& op : insn.dsts) write(insn, op, result, masks_before);
    }
    latches_ = next;
  }

  void write(const isa::Insn& insn, const isa::Operand& op, const Cycle4& result,
             const std::array<std::array<uint8_t, 4>, 16>& masks) {
    using isa::Mem;
    if (op.mem == Mem::kNowrite) return;
    if (op.mem == Mem::kOmr) {
      omr_[static_cast<size_t>(op.addr[0])] = flags_of(result);
      return;
    }
    if (op.mem == Mem::kMatX || op.mem == Mem::kMatY) {
      for (size_t c = 0; c < 4; ++c) {
        const size_t step = op.width == isa::Width::kDlw ? 2 : 1;
        for (size_t k = 0; k < step; ++k)
          mats_[op.mem == Mem::kMatY][(static_cast<size_t>(op.addr[0]) + step * c + k) % 16] = result.word[c][2 * k];
      }
      return;
    }
    const bool tree = op.mem == Mem::kL1bm || op.mem == Mem::kL2bm;
    for (size_t c = 0; c < 4; ++c) {
      const int64_t now = 4 * step_ + static_cast<int64_t>(c);
      if (tree) {
        // PE -> L1BM 10, L2BM -> L1BM 6; L1BM -> L2BM has no published figure, an MV one step later is taken to see it.
        const int64_t latency = insn.def->unit == isa::Unit::kL1bm ? 10 : op.mem == Mem::kL1bm ? 6 : 3;
        const auto range = tree_range(*insn.def, 0, as_use(op), true, op.mem, static_cast<int>(c));
        for (int64_t a = range[0]; a < range[1]; ++a)
          landings_.push_back({now + latency + 1,
                               {static_cast<int>(op.mem), a},
                               mix(result.word[c][0], static_cast<Token>(a - range[0])),
                               false,
                               15,
                               false,
                               0});
        continue;
      }
      const std::array<uint8_t, 4> mask = !op.mask.present      ? std::array<uint8_t, 4>{15, 15, 15, 15}
                                          : op.mask.entry >= 16 ? fixed_flags(op.mask.entry - 16)
                                                                : masks[op.mask.entry];
      const size_t words = op.mem == Mem::kT ? 4 : static_cast<size_t>(isa::width_words(op.width));
      for (size_t w = 0; w < words; ++w) {
        const int64_t at = op.mem == Mem::kT ? static_cast<int64_t>(4 * c + w) : op.addr[c] + static_cast<int64_t>(w);
        landings_.push_back(
            {now + 7, {static_cast<int>(op.mem), at}, result.word[c][w], op.mask.present, mask[c], op.mask.ll, w});
      }
    }
  }

  Token salt_;
  int64_t step_ = 0;
  std::map<Cell, Token> cells_;
  std::vector<Landing> landings_;
  std::array<std::array<Token, 16>, 2> mats_{};
  std::array<std::array<uint8_t, 4>, 16> omr_{};
  std::array<Cycle4, 3> latches_{};
  std::map<uint8_t, std::vector<std::pair<Cell, Token>>> flights_;
};

}  // namespace kumihimo::mncore2::sched
