// Laws of assembler, printer and checker on generated instructions and on broken text.
//
//   what check_line accepts assembles from its printed text to the same meaning, and prints the same again;
//   what check_line refuses does not assemble;
//   an object of lines has the same meaning as the lines, and so has the text of the object;
//   no bytes crash the assembler, and every error has a position.
//
// KUMIHIMO_LINES=1000000 generates that many lines instead of 60,000.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/object/object.h"
#include "tests/cpp/transcript_file.h"

namespace kumihimo::mncore2 {
namespace {

using isa::Insn;
using isa::InsnDef;
using isa::Line;
using isa::Mem;
using isa::Operand;
using isa::OperandRole;
using isa::Width;

// Mostly sensible choices, some wrong ones, so that both verdicts are common.
class Generator {
 public:
  explicit Generator(unsigned seed) : rng_(seed) {}
  int pick(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  bool rarely() { return pick(24) == 0; }

  Insn insn(const isa::Stem& stem) {
    Insn insn;
    insn.def = stem.rows[static_cast<size_t>(pick(static_cast<int>(stem.rows.size())))];
    insn.prec = stem.prec;
    insn.is_unsigned = stem.is_unsigned;
    insn.half_select = stem.half_select;
    insn.narrow = stem.narrow;
    insn.reduce = stem.reduce;
    const InsnDef& def = *insn.def;
    if (def.allows(isa::kOptBfBits) && insn.prec == isa::Prec::kH)
      insn.bf_bits = static_cast<int8_t>(rarely() ? 5 : 6 + pick(4));
    if (def.allows(isa::kOptMab)) insn.mab = static_cast<int8_t>(pick(rarely() ? 20 : def.l1bm.lw.quad != 0 ? 4 : 16));
    if (def.allows(isa::kOptL1bIndex)) insn.mab = static_cast<int8_t>(pick(8));
    if (def.allows(isa::kOptShift)) insn.shift = static_cast<int8_t>(pick(31) - 15);
    if (def.allows(isa::kOptL1bSet) && pick(2) == 0) l1b_set(insn);
    if (def.allows(isa::kOptZeroFlush) && pick(4) == 0) insn.zero_flush = mask();
    if (def.unit == isa::Unit::kNop) insn.nop_count = 1 + static_cast<uint32_t>(pick(5));
    if (def.unit == isa::Unit::kWait) insn.tag = static_cast<uint8_t>(pick(64));
    if (def.unit == isa::Unit::kMv && def.has_dst()) {
      insn.size = static_cast<uint32_t>((1 + pick(8)) * (rarely() ? 10 : 128));
      insn.tag = static_cast<uint8_t>(pick(64));
      insn.priority = static_cast<uint8_t>(pick(4));
      if (pick(4) == 0) insn.nd = static_cast<uint32_t>(1 + pick(9));
    }
    if (def.srcs[0].role == OperandRole::kLiteral) {
      insn.literal = rng_();
      return with_dsts(insn);
    }
    if (def.srcs[0].role == OperandRole::kTag) return insn;
    for (int i = 0; i < def.num_srcs(); ++i)
      insn.srcs.push_back(operand(insn, def.srcs[static_cast<size_t>(i)], false));
    return with_dsts(insn);
  }

  Line line() {
    const auto stems = isa::all_stems();
    std::vector<Insn> insns;
    const int count = pick(3) == 0 ? 2 + pick(2) : 1;
    for (int i = 0; i < count; ++i)
      insns.push_back(insn(stems[static_cast<size_t>(pick(static_cast<int>(stems.size())))]));
    return isa::step(std::move(insns));
  }

 private:
  Insn with_dsts(Insn insn) {
    const InsnDef& def = *insn.def;
    if (!def.has_dst()) return insn;
    const int count = def.dst.role == OperandRole::kPeDst && pick(3) == 0 ? 2 : 1;
    for (int i = 0; i < count; ++i) insn.dsts.push_back(operand(insn, def.dst, true));
    return insn;
  }

  isa::MaskSpec mask() {
    isa::MaskSpec m = pick(2) == 0 ? isa::mask_cycles(pick(16), pick(2) == 0) : isa::mask_entry(pick(32), pick(2) == 0);
    if (pick(8) == 0) m.suffix = pick(2) == 0 ? 't' : 'p';
    return m;
  }

  void l1b_set(Insn& insn) {
    const int b = pick(8);
    insn.l1b_mask = static_cast<uint8_t>(pick(8));
    insn.l1b_set = 0;
    for (int l = 0; l < 8; ++l)
      if (((l ^ b) & ~insn.l1b_mask & 7) == 0) insn.l1b_set = static_cast<uint8_t>(insn.l1b_set | 1 << l);
    insn.explicit_l1b_set = true;
  }

  Operand pe_memory() {
    const Mem mem = static_cast<Mem>(static_cast<int>(Mem::kLm0) + pick(4));
    const auto width = static_cast<Width>(pick(3));
    const int unit = rarely() ? 1 : isa::width_words(width);
    const int limit = static_cast<int>(isa::address_count(mem)) + (rarely() ? 64 : 0);
    auto addr = [&] { return pick(limit / unit) * unit; };
    Operand op;
    switch (pick(4)) {
      case 0: op = isa::pe(mem, addr(), width); break;
      case 1: op = isa::pe(mem, addr(), width, isa::width_words(width)); break;
      case 2: op = isa::pe(mem, addr(), width, unit * pick(40)); break;
      default: op = isa::pe_flat(mem, {addr(), addr(), addr(), addr()}, width); break;
    }
    if (op.addr[0] >= isa::address_count(mem)) op.addr.fill(op.addr[0]);
    if (mem == Mem::kLm0 && pick(8) == 0) op.t_indirect = true;
    if (pick(12) == 0) op.j = static_cast<int8_t>(pick(4));
    return op;
  }

  Operand mv_operand(const isa::MvSide& side, bool bare) {
    Operand op;
    op.mem = side.mem == Mem::kDram && pick(4) == 0 ? Mem::kDramIndirect : side.mem;
    op.addr[0] = op.mem == Mem::kDramIndirect ? pick(1000) : pick(1000) * 16;
    const bool group = side.instances == isa::MvInstances::kOneGroup || side.instances == isa::MvInstances::kOneL2b;
    const bool sub = side.instances == isa::MvInstances::kOneL2b || side.instances == isa::MvInstances::kOneL2bInGroup;
    if (group) op.group = static_cast<int8_t>(pick(4));
    if (sub && !bare) op.sub = static_cast<int8_t>(pick(2));
    return op;
  }

  Operand operand(const Insn& insn, const isa::OperandDef& def, bool dst) {
    Operand op;
    switch (def.role) {
      case OperandRole::kAluX:
        if (pick(6) == 0) return isa::plain(static_cast<Mem>(static_cast<int>(Mem::kMauf) + pick(10)));
        [[fallthrough]];
      case OperandRole::kPeSrc:
        op = pick(4) == 0
                 ? isa::plain(pick(2) == 0 ? Mem::kT
                                           : static_cast<Mem>(static_cast<int>(Mem::kMauf) + pick(rarely() ? 6 : 3)))
                 : pe_memory();
        if (pick(6) == 0) op.negate = true;
        if (pick(8) == 0) op.convert = pick(2) == 0 ? 'e' : 'r';
        return op;
      case OperandRole::kPeDst:
        switch (pick(8)) {
          case 0: return isa::nowrite();
          case 1: op = isa::t(); break;
          case 2: op = isa::omr(pick(17)); break;
          case 3: op = isa::plain(pick(2) == 0 ? Mem::kBar0 : Mem::kBar1); break;
          default: op = pe_memory(); break;
        }
        if (pick(4) == 0) op.mask = mask();
        return op;
      case OperandRole::kMatrix: return isa::plain(pick(2) == 0 ? Mem::kMatX : Mem::kMatY);
      case OperandRole::kMatrixRow:
        return isa::matrix(pick(2) == 0 ? Mem::kMatX : Mem::kMatY, pick(rarely() ? 18 : 4),
                           pick(2) == 0 ? Width::kLw : Width::kDlw);
      case OperandRole::kL1bmAddr:
        return isa::l1bm(pick(40) * (rarely() ? 3 : 64), pick(4) == 0 ? Width::kDlw : Width::kLw);
      case OperandRole::kTurnaround:
        op = isa::plain(Mem::kTurnaround);
        op.width = pick(4) == 0 ? Width::kDlw : Width::kLw;
        return op;
      case OperandRole::kL1bmOrTurnaround:
        if (pick(4) == 0) return isa::plain(Mem::kTurnaround);
        return isa::l1bm(pick(40) * (rarely() ? 3 : 64), pick(4) == 0 ? Width::kDlw : Width::kLw);
      case OperandRole::kL2bmAddr:
        return isa::l2bm(pick(40) * (rarely() ? 3 : 64), -1,
                         insn.def->dst.role == OperandRole::kDarAddr && !rarely() ? pick(2) : -1);
      case OperandRole::kDarAddr: return isa::dar(pick(rarely() ? 2000 : 1024));
      case OperandRole::kMvMem: return mv_operand(dst ? insn.def->mv.dst : insn.def->mv.src, insn.def->form == "lc>d");
      case OperandRole::kNone:
      case OperandRole::kLiteral:
      case OperandRole::kTag:
      case OperandRole::kCount: break;
    }
    return op;
  }

  std::mt19937 rng_;
};

TEST(AsmProperty, CheckerAndAssemblerAgreeOnGeneratedLines) {
  Generator generate(20240607);
  int accepted = 0, refused = 0;
  std::set<const InsnDef*> covered;
  const char* asked = std::getenv("KUMIHIMO_LINES");
  const int lines = asked != nullptr ? std::atoi(asked) : 60000;
  isa::Program batch;
  for (int i = 0; i < lines; ++i) {
    const Line line = generate.line();
    const std::string text = isa::print(line);
    const bool legal = isa::check_line(line).ok();
    const vsm::AsmResult result = vsm::assemble(text, "generated.vsm");
    ASSERT_EQ(result.ok(), legal) << text << "\n"
                                  << (legal ? render_text(result.errors[0])
                                            : render_text(isa::check_line(line).error()));
    (legal ? accepted : refused) += 1;
    if (!legal) continue;
    for (const Insn& insn : line.insns) covered.insert(insn.def);
    ASSERT_EQ(result.program.lines.size(), 1u) << text;
    ASSERT_TRUE(isa::same(result.program.lines[0], line)) << text << "\n" << isa::print(result.program.lines[0]);
    ASSERT_EQ(isa::print(result.program.lines[0]), text);
    batch.lines.push_back(result.program.lines[0]);
    batch.lines.back().source_line = static_cast<uint32_t>(batch.lines.size());
    if (batch.lines.size() < 1000 && i + 1 < lines) continue;
    const std::string bytes = object::write_object(batch);
    auto read = object::read_object(bytes);
    ASSERT_TRUE(read.ok()) << render_text(read.error());
    ASSERT_TRUE(isa::same(*read, batch));
    ASSERT_EQ(object::write_object(vsm::assemble(isa::print(*read)).program), bytes);
    batch.lines.clear();
  }
  EXPECT_GT(accepted, 10000);
  EXPECT_GT(refused, 3000);
  for (const InsnDef& def : isa::rows()) {
    if (def.unit == isa::Unit::kWait) continue;
    EXPECT_TRUE(covered.count(&def) != 0) << def.name << " " << def.form;
  }
}

TEST(AsmProperty, BrokenTextIsRefusedWithPositions) {
  std::string seed;
  for (const auto& t : testing::read_transcripts("tests/transcripts")) seed += t.program.substr(0, 2000);
  seed +=
      "mvp/n64i02p1 $p0@0 $lc0@1.0\nl2bmb@0/3 $lc0 $lb0\nmaskllnr 5\nr 0 000000001 001 0000000000000000\nimm s\"-1\" "
      "$lr0\n";
  std::mt19937 rng(7);
  const std::string alphabet = "$lmnrstbcdpxyv0123456789@/.;-+\"#! \nefji[],\xff\x00";
  size_t errors = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = seed.substr(rng() % seed.size(), 1 + rng() % 600);
    for (unsigned k = 0, edits = 1 + rng() % 8; k < edits; ++k) {
      const size_t at = rng() % (text.size() + 1);
      switch (rng() % 4) {
        case 0: text.insert(at, 1, alphabet[rng() % alphabet.size()]); break;
        case 1:
          if (at < text.size()) text.erase(at, 1 + rng() % 5);
          break;
        case 2:
          if (at < text.size()) text[at] = static_cast<char>(rng());
          break;
        default: text.insert(at, text.substr(rng() % (text.size() + 1), rng() % 30)); break;
      }
    }
    const vsm::AsmResult result = vsm::assemble(text, "broken.vsm");
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    for (const Diagnostic& d : result.errors) {
      ++errors;
      ASSERT_TRUE(d.where.known() && d.where.line <= lines && d.where.column >= 1 &&
                  d.where.column < d.where.end_column);
      ASSERT_FALSE(d.headline.empty());
    }
    const std::string printed = isa::print(result.program);
    ASSERT_TRUE(vsm::assemble(printed).ok()) << printed;
    (void)hazard::lint(result.program);
  }
  EXPECT_GT(errors, 300u);
}

// Several hundred thousand lines a second; the bound is loose, the figure is in the benchmark of the command line.
TEST(AsmProperty, LongProgramsAreRead) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "fvfma $lm0v $ln8v $lr16v $ls24v; lpassa $mauf $t\nnop/2\n";
  const vsm::AsmResult result = vsm::assemble(text);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.program.lines.size(), 40000u);
}

}  // namespace
}  // namespace kumihimo::mncore2
