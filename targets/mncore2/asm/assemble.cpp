#include "targets/mncore2/asm/assemble.h"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "targets/mncore2/asm/read_debug.h"
#include "targets/mncore2/asm/read_host.h"
#include "targets/mncore2/asm/read_operand.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::vsm {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Insn;
using isa::InsnDef;
using isa::Line;
using isa::Mem;
using isa::OperandRole;
using isa::Unit;

constexpr size_t kMaxOperands = 16;
constexpr size_t kMostUnits = 12;

// Columns of one expression, for the violations that the checker reports by index.
struct ExprColumns {
  size_t begin = 0, end = 0;
  std::array<std::pair<size_t, size_t>, kMaxOperands> operands{};
  size_t count = 0;
};

class Assembler {
 public:
  Assembler(std::string_view text, std::string_view filename) : text_(text), reporter_{result_, filename, {}, 0} {}

  AsmResult run() {
    result_.program.lines.reserve(static_cast<size_t>(std::count(text_.begin(), text_.end(), '\n')) + 1);
    size_t at = 0;
    while (at <= text_.size() && !quit_) {
      size_t stop = text_.find('\n', at);
      if (stop == std::string_view::npos) stop = text_.size();
      ++reporter_.line;
      read_line(text_.substr(at, stop - at));
      at = stop + 1;
    }
    return std::move(result_);
  }

 private:
  void read_line(std::string_view source) {
    reporter_.source_line = source;
    // Not find_first_of: it calls memchr once per character, which cost 7 % of matrix lines and a third of debug lines.
    size_t stop = 0;
    while (stop < source.size() && source[stop] != '#' && source[stop] != '!') ++stop;
    Cursor cursor{source.substr(0, stop)};
    while (!cursor.text.empty() && is_space(cursor.text.back())) cursor.text.remove_suffix(1);
    cursor.skip_space();
    if (cursor.end()) return;
    Line line;
    line.source_line = reporter_.line;
    const size_t begin = cursor.at;
    line.text = cursor.text.substr(begin);
    if (!read_statement(cursor, line)) return;
    if (line.kind == isa::LineKind::kDebugGet) line.text = isa::print(line);
    result_.program.lines.push_back(std::move(line));
  }

  static bool word_is(const Cursor& cursor, std::string_view word) {
    if (cursor.text.substr(cursor.at, word.size()) != word) return false;
    const size_t next = cursor.at + word.size();
    return next >= cursor.text.size() || is_space(cursor.text[next]);
  }

  bool read_statement(Cursor& cursor, Line& line) {
    switch (cursor.peek()) {
      case 'd':
        if (!word_is(cursor, "d")) break;
        ++cursor.at;
        return read_debug(cursor, reporter_, line);
      case 'r':
        if (!word_is(cursor, "r")) break;
        ++cursor.at;
        return read_host_row(cursor, reporter_, line);
      case 'c':
        if (!word_is(cursor, "c")) break;
        ++cursor.at;
        return read_host_dma(cursor, reporter_, line);
      case 'q':
        if (!word_is(cursor, "quit")) break;
        line.kind = isa::LineKind::kQuit;
        quit_ = true;
        return true;
      case 'm':
        if (!cursor.take("mask")) break;
        if (!read_mask_statement(cursor, reporter_, line)) return false;
        isa::apply_mask_statement(mask_, line);
        return true;
      default: break;
    }
    return read_step(cursor, line);
  }

  bool read_step(Cursor& cursor, Line& line) {
    line.kind = isa::LineKind::kPe;
    columns_.clear();
    bool ok = true;
    // One allocation for the whole step, of at most one instruction per unit: a line may hold any number of ';'.
    const auto separators =
        std::count(cursor.text.begin() + static_cast<std::ptrdiff_t>(cursor.at), cursor.text.end(), ';');
    line.insns.reserve(std::min<size_t>(static_cast<size_t>(separators) + 1, kMostUnits));
    for (;;) {
      cursor.skip_space();
      if (cursor.end()) break;
      if (cursor.peek() == ';') {
        reporter_.error(diag::kSyntax, cursor.at, cursor.at + 1, "an instruction is needed before ';'");
        ok = false;
        ++cursor.at;
        continue;
      }
      line.insns.emplace_back();
      columns_.emplace_back();
      if (!read_expr(cursor, line.insns.back(), columns_.back())) {
        ok = false;
        cursor.skip_expr();
        line.insns.pop_back();
        columns_.pop_back();
      }
      if (!cursor.take(';')) break;
    }
    if (!ok || line.insns.empty()) return false;
    if (line.insns[0].def->unit == Unit::kMv) line.kind = isa::LineKind::kMv;
    violations_.clear();
    isa::check_line(line, mask_, violations_);
    for (const isa::Violation& v : violations_) report(v, line);
    return violations_.empty();
  }

  void report(const isa::Violation& v, const Line& line) {
    size_t begin = columns_.empty() ? 0 : columns_.front().begin, end = columns_.empty() ? 0 : columns_.back().end;
    std::string op;
    if (v.insn >= 0 && static_cast<size_t>(v.insn) < columns_.size()) {
      const ExprColumns& expr = columns_[static_cast<size_t>(v.insn)];
      begin = expr.begin, end = expr.end;
      op = isa::stem_of(line.insns[static_cast<size_t>(v.insn)]);
      if (v.operand >= 0 && static_cast<size_t>(v.operand) < expr.count)
        std::tie(begin, end) = expr.operands[static_cast<size_t>(v.operand)];
    }
    reporter_.error(*v.def, begin, end, v.headline, v.observed, v.required, std::move(op));
  }

  bool read_expr(Cursor& cursor, Insn& insn, ExprColumns& columns) {
    const size_t begin = cursor.at;
    columns.begin = begin;
    while (is_lower(cursor.peek()) || is_digit(cursor.peek())) ++cursor.at;
    const std::string_view text = cursor.text.substr(begin, cursor.at - begin);
    const isa::Stem* stem = isa::find_stem(text);
    if (stem == nullptr) {
      unknown(cursor, begin, text);
      return false;
    }
    insn.def = stem->rows[0];
    insn.prec = stem->prec;
    insn.is_unsigned = stem->is_unsigned;
    insn.half_select = stem->half_select;
    insn.narrow = stem->narrow;
    insn.reduce = stem->reduce;
    if (!read_options(cursor, insn, *stem)) return false;
    if (!cursor.end_of_word()) {
      const size_t at = cursor.at;
      cursor.skip_word();
      reporter_.error(diag::kOption, at, cursor.at, "unexpected text behind the mnemonic",
                      std::string(cursor.text.substr(at, cursor.at - at)), std::string(insn.def->syntax),
                      std::string(text));
      return false;
    }
    size_t count = 0;
    bool ok = true;
    const bool literal_first = insn.def->srcs[0].role == OperandRole::kLiteral;
    for (;;) {
      cursor.skip_space();
      if (cursor.end_of_expr()) break;
      if (insn.def->srcs[0].role == OperandRole::kTag && count == 0) {
        if (!read_tag_operand(cursor, insn)) return false;
        columns.end = cursor.at;
        continue;
      }
      if (count == kMaxOperands) {
        reporter_.error(diag::kOperands, cursor.at, cursor.text.size(), "too many operands", "",
                        std::string(insn.def->syntax), std::string(text));
        return false;
      }
      ReadOperand& operand = operands_[count];
      if (!read_operand(cursor, reporter_, operand)) {
        ok = false;
        continue;
      }
      if (ok && operand.is_literal != (literal_first && count == 0)) {
        reporter_.error(diag::kOperands, operand.begin, operand.end,
                        operand.is_literal ? "a literal stands only behind imm" : "imm needs a literal first",
                        std::string(cursor.text.substr(operand.begin, operand.end - operand.begin)),
                        std::string(insn.def->syntax), std::string(text));
        ok = false;
        continue;
      }
      ++count;
    }
    columns.end = cursor.at;
    while (columns.end > begin && is_space(cursor.text[columns.end - 1])) --columns.end;
    return ok && place(insn, *stem, std::span(operands_.data(), count), columns);
  }

  void unknown(Cursor& cursor, size_t begin, std::string_view text) {
    if (cursor.at == begin) cursor.skip_word();
    const std::string word(cursor.text.substr(begin, std::min<size_t>(cursor.at - begin, 60)));
    std::string near;
    const size_t wanted = result_.errors.size() < kMaxErrors ? 3 : 0;
    for (std::string_view name : isa::nearest_stems(text, wanted))
      near += (near.empty() ? "" : ", ") + std::string(name);
    reporter_.error(diag::kUnknownInstruction, begin, cursor.at, "unknown instruction", word,
                    near.empty() ? "a mnemonic" : cat("one of: ", near));
  }

  // /..., @..., +n, -n behind the stem.
  bool read_options(Cursor& cursor, Insn& insn, const isa::Stem& stem) {
    for (;;) {
      const size_t at = cursor.at;
      const char c = cursor.peek();
      if (c != '/' && c != '@' && c != '+' && c != '-') return true;
      ++cursor.at;
      bool ok = false;
      const InsnDef& def = *stem.rows[0];
      int64_t value = 0;
      if (c == '/') {
        if (def.unit == Unit::kNop) {
          // nop/N emits N words; the bound keeps a typing error from filling memory later.
          ok = cursor.number(value, 1'000'000);
          insn.nop_count = static_cast<uint32_t>(value);
        } else if (def.unit == Unit::kMv) {
          ok = read_mv_options(cursor, insn);
        } else if (def.allows(isa::kOptBfBits) && is_digit(cursor.peek()) && !is_digit(cursor.peek(1))) {
          ok = cursor.number(value, 9);
          insn.bf_bits = static_cast<int8_t>(value);
        } else {
          ok = read_mask(cursor, insn.zero_flush);
        }
      } else if (c == '@') {
        if (def.allows(isa::kOptL1bSet)) {
          ok = read_l1b_set(cursor, insn);
        } else {
          ok = cursor.number(value, 99);
          insn.mab = static_cast<int8_t>(value);
        }
      } else {
        ok = cursor.number(value, 99);
        insn.shift = static_cast<int8_t>(c == '-' ? -value : value);
      }
      if (!ok) {
        cursor.skip_word();
        reporter_.error(diag::kOption, at, cursor.at, "option cannot be read",
                        std::string(cursor.text.substr(at, std::min<size_t>(cursor.at - at, 60))),
                        std::string(def.syntax), stem.text);
        return false;
      }
    }
  }

  // n<size>, i<tag>, nd<N>, p<prio> in any order.
  static bool read_mv_options(Cursor& cursor, Insn& insn) {
    bool size = false;
    int64_t value = 0;
    while (!cursor.end_of_word()) {
      if (cursor.take("nd")) {
        if (insn.nd != 0 || !cursor.number(value, 1 << 20) || value == 0) return false;
        insn.nd = static_cast<uint32_t>(value);
      } else if (cursor.take('n')) {
        if (size || !cursor.number(value, int64_t{1} << 31)) return false;
        size = true;
        insn.size = static_cast<uint32_t>(value);
      } else if (cursor.take('i')) {
        if (insn.tag != 0 || !read_tag(cursor, insn.tag)) return false;
      } else if (cursor.take('p')) {
        if (!cursor.number(value, 9)) return false;
        insn.priority = static_cast<uint8_t>(value);
      } else {
        return false;
      }
    }
    return size;
  }

  // Two hexadecimal digits: i01 to i3f.
  static bool read_tag(Cursor& cursor, uint8_t& tag) {
    const int high = hex_value(cursor.peek()), low = hex_value(cursor.peek(1));
    if (high < 0 || low < 0) return false;
    cursor.at += 2;
    tag = static_cast<uint8_t>(high << 4 | low);
    return true;
  }

  bool read_tag_operand(Cursor& cursor, Insn& insn) {
    const size_t at = cursor.at;
    const bool first = insn.tag == 0;
    if (first && cursor.take('i') && read_tag(cursor, insn.tag) && cursor.end_of_word()) return true;
    cursor.skip_word();
    reporter_.error(diag::kOperands, at, cursor.at, "wait takes one tag",
                    std::string(cursor.text.substr(at, cursor.at - at)), "wait i01", "wait");
    return false;
  }

  // b0, b0/i or a list such as 0,4 (ISA 5.1).
  static bool read_l1b_set(Cursor& cursor, Insn& insn) {
    int64_t b = 0, mask = 0;
    if (!cursor.number(b, 7)) return false;
    unsigned set = 1u << b, members = 1;
    if (cursor.take('/')) {
      if (!cursor.number(mask, 7)) return false;
    } else {
      while (cursor.take(',')) {
        int64_t next = 0;
        if (!cursor.number(next, 7) || (set >> next & 1) != 0) return false;
        set |= 1u << next;
        ++members;
        mask |= b ^ next;
      }
    }
    unsigned expressible = 0;
    for (unsigned l1b = 0; l1b < 8; ++l1b)
      if (((l1b ^ static_cast<unsigned>(b)) & ~static_cast<unsigned>(mask) & 7) == 0) expressible |= 1u << l1b;
    if (members > 1 && expressible != set) return false;
    insn.l1b_set = static_cast<uint8_t>(expressible);
    insn.l1b_mask = static_cast<uint8_t>(mask);
    insn.explicit_l1b_set = true;
    return true;
  }

  static bool role_accepts(OperandRole role, const ReadOperand& operand, const isa::MvSide& side, bool bare_sub) {
    const Mem mem = operand.op.mem;
    switch (role) {
      case OperandRole::kL1bmAddr: return mem == Mem::kL1bm;
      case OperandRole::kTurnaround: return mem == Mem::kTurnaround;
      case OperandRole::kL1bmOrTurnaround: return mem == Mem::kL1bm || mem == Mem::kTurnaround;
      case OperandRole::kL2bmAddr: return mem == Mem::kL2bm;
      case OperandRole::kMvMem: {
        const bool group = side.instances == isa::MvInstances::kOneGroup || side.instances == isa::MvInstances::kOneL2b;
        const bool sub = side.instances == isa::MvInstances::kOneL2b ||
                         (side.instances == isa::MvInstances::kOneL2bInGroup && !bare_sub);
        return isa::mv_memory(mem) == side.mem && group == (operand.op.group >= 0) && sub == (operand.op.sub >= 0);
      }
      default: {
        const isa::MemClass cls = isa::memory(mem).cls;
        return cls != isa::MemClass::kTree && cls != isa::MemClass::kTurnaround && cls != isa::MemClass::kMv;
      }
    }
  }

  static bool form_accepts(const InsnDef& def, const Insn& insn, std::span<const ReadOperand> operands) {
    if (operands.size() < 2) return false;
    const bool takes_unit = def.allows(isa::kOptMab) || def.allows(isa::kOptL1bIndex);
    if (takes_unit != (insn.mab >= 0)) return false;
    return role_accepts(def.srcs[0].role, operands[0], def.mv.src, def.form == "lc>d") &&
           role_accepts(def.dst.role, operands[1], def.mv.dst, false);
  }

  // Chooses the row by the operands and moves these into the instruction.
  bool place(Insn& insn, const isa::Stem& stem, std::span<ReadOperand> operands, ExprColumns& columns) {
    if (stem.rows.size() > 1) {
      insn.def = nullptr;
      for (const InsnDef* def : stem.rows)
        if (form_accepts(*def, insn, operands)) {
          insn.def = def;
          break;
        }
      if (insn.def == nullptr) {
        std::string forms;
        for (const InsnDef* def : stem.rows) forms += (forms.empty() ? "" : " | ") + std::string(def->syntax);
        reporter_.error(diag::kOperands, columns.begin, columns.end, "the operands fit no form of the instruction", "",
                        std::move(forms), stem.text);
        return false;
      }
    }
    const InsnDef& def = *insn.def;
    if (def.srcs[0].role == OperandRole::kTag) {
      if (insn.tag == 0 && columns.end <= columns.begin + stem.text.size()) {
        reporter_.error(diag::kOperands, columns.begin, columns.end, "wait takes one tag", "", "wait i01", "wait");
        return false;
      }
      return true;
    }
    size_t begin = 0;
    if (def.srcs[0].role == OperandRole::kLiteral && !operands.empty()) {
      insn.literal = operands[0].literal;
      insn.literal_text =
          std::string(reporter_.source_line.substr(operands[0].begin, operands[0].end - operands[0].begin));
      begin = 1;
    }
    const bool takes_literal = def.srcs[0].role == OperandRole::kLiteral;
    const size_t want_srcs = takes_literal ? 0 : static_cast<size_t>(def.num_srcs());
    const size_t given = operands.size() - begin;
    const bool literal_missing = takes_literal && begin == 0;
    const bool many = def.dst.role == OperandRole::kPeDst;
    const size_t want_dsts = def.has_dst() ? 1 : 0;
    if (literal_missing || given < want_srcs + want_dsts || (!many && given > want_srcs + want_dsts)) {
      reporter_.error(diag::kOperands, columns.begin, columns.end, "wrong number of operands",
                      std::to_string(operands.size()), std::string(def.syntax), stem.text);
      return false;
    }
    insn.srcs.reserve(want_srcs);
    insn.dsts.reserve(given - want_srcs);
    for (size_t i = 0; i < given; ++i) {
      ReadOperand& operand = operands[begin + i];
      const bool is_src = i < want_srcs;
      const OperandRole role = is_src ? def.srcs[i].role : def.dst.role;
      if ((role == OperandRole::kMatrix && operand.has_addr) ||
          (role == OperandRole::kMatrixRow && !operand.has_addr)) {
        reporter_.error(diag::kOperandKind, operand.begin, operand.end,
                        operand.has_addr ? "the matrix of a multiplication has no row" : "a matrix row is needed here",
                        std::string(reporter_.source_line.substr(operand.begin, operand.end - operand.begin)),
                        std::string(def.syntax), stem.text);
        return false;
      }
      if (columns.count < kMaxOperands) columns.operands[columns.count++] = {operand.begin, operand.end};
      (is_src ? insn.srcs : insn.dsts).push_back(operand.op);
    }
    return true;
  }

  std::string_view text_;
  AsmResult result_;
  Reporter reporter_;
  isa::MaskState mask_;
  bool quit_ = false;
  std::vector<ExprColumns> columns_;
  std::vector<isa::Violation> violations_;
  std::array<ReadOperand, kMaxOperands> operands_;
};

}  // namespace

AsmResult assemble(std::string_view text, std::string_view filename) { return Assembler(text, filename).run(); }

Diagnostic as_one(const AsmResult& result) {
  Diagnostic d = result.errors.at(0);
  for (size_t i = 1; i < result.errors.size(); ++i) d.related.push_back(result.errors[i]);
  return d;
}

}  // namespace kumihimo::mncore2::vsm
