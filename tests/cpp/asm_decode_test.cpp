// What the assembler accepts, the emulator of the whole chip executes: lines of one, two and three instructions from all
// pairs of rows, debug statements and input lines up to the ends of their memories.
//
// The pairs are drawn row by row: of lines made of random instructions, hardly one in ten thousand holds two of the
// L1BM ones.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "tests/cpp/isa_random.h"

namespace kumihimo::mncore2 {
namespace {

using isa::InsnDef;
using isa::Unit;

using Spellings = std::map<const InsnDef*, std::vector<const isa::Stem*>>;
Spellings spellings_of_pe_rows() {
  Spellings out;
  for (const isa::Stem& stem : isa::all_stems())
    for (const InsnDef* row : stem.rows)
      if (row->unit != Unit::kMv) out[row].push_back(&stem);
  return out;
}

class Pairs {
 public:
  explicit Pairs(uint64_t seed) : generate_(seed, {.mistakes = false, .words = 32, .rows = 6}), rng_(seed) {}

  isa::Insn insn(const InsnDef& row) {
    const auto& of_row = spellings_.at(&row);
    for (;;) {
      // A spelling may belong to several rows of a name.
      isa::Insn insn = generate_.insn(*of_row[rng_() % of_row.size()]);
      if (insn.def == &row) return insn;
    }
  }
  std::vector<const InsnDef*> rows() const {
    std::vector<const InsnDef*> out;
    for (const auto& [row, stems] : spellings_) out.push_back(row);
    return out;
  }
  isa::MaskState mask() {
    if (rng_() % 4 != 0) return {};
    return {static_cast<uint8_t>(rng_() % 32), rng_() % 2 == 0, static_cast<uint8_t>(rng_() % 64)};
  }
  uint64_t bits() { return rng_(); }

 private:
  isa_test::Generator generate_;
  std::mt19937_64 rng_;
  const Spellings spellings_ = spellings_of_pe_rows();
};

// Empty, or what the emulator says of a line that the checker accepts.
std::string refusal(const isa::Line& line, const isa::MaskState& masks) {
  isa::Program program;
  program.lines.push_back(line);
  emu::MaskState state{masks.entry, masks.ll, masks.dsts};
  auto decoded = emu::decode(program, 0, 1, *find_machine("mncore2"), "", state, nullptr);
  return decoded.ok() ? "" : isa::print(line) + "\n" + render_text(decoded.error());
}

TEST(AsmDecode, WhateverTheAssemblerAcceptsIsExecutable) {
  Pairs pairs(20260307);
  const auto rows = pairs.rows();
  std::map<std::pair<Unit, Unit>, int> legal;
  for (const InsnDef* a : rows)
    for (const InsnDef* b : rows)
      for (int tries = 0, found = 0; tries < 400 && found < 3; ++tries) {
        std::vector<isa::Insn> insns{pairs.insn(*a), pairs.insn(*b)};
        if (pairs.bits() % 4 == 0) insns.push_back(pairs.insn(*rows[pairs.bits() % rows.size()]));
        if (pairs.bits() % 16 == 0) insns.resize(1);
        const isa::MaskState masks = pairs.mask();
        const isa::Line line = isa::step(std::move(insns));
        std::vector<isa::Violation> violations;
        isa::check_line(line, masks, violations);
        if (!violations.empty()) continue;
        ++found;
        if (line.insns.size() > 1) ++legal[{a->unit, b->unit}];
        const std::string text = refusal(line, masks);
        ASSERT_EQ(text, "");
      }
  // The pairs of groups that ISA 9.3 shows in one line were drawn.
  for (const auto& [a, b] : std::initializer_list<std::pair<Unit, Unit>>{{Unit::kL1bmTurnaround, Unit::kL1bm},
                                                                         {Unit::kMauCalc, Unit::kMauWrite},
                                                                         {Unit::kMauRead, Unit::kMauWrite},
                                                                         {Unit::kMauCalc, Unit::kAlu},
                                                                         {Unit::kL2bm, Unit::kL2bmDarWrite},
                                                                         {Unit::kL2bm, Unit::kL1bm},
                                                                         {Unit::kNoforward, Unit::kAlu},
                                                                         {Unit::kNop, Unit::kWait}})
    EXPECT_GT((legal[{a, b}]), 0) << static_cast<int>(a) << " " << static_cast<int>(b);
}

// ISA 5.4: `$lbi` beside the next PE -> L1BM of its type; ISA 9.3: the line that the manual shows.
TEST(AsmDecode, TurnaroundReadsStandBesideUploadsOfTheirType) {
  const auto code = [](std::string_view text) -> std::string {
    const auto result = vsm::assemble(text);
    return result.ok() ? "" : std::string(result.errors[0].def->code);
  };
  EXPECT_EQ(code("l1bmm $lbi $lr0v; l1bmrdfadd $ls0v $lb0"), "");
  EXPECT_EQ(code("l1bmd-1 $lr0v $lb256; l1bmd+1 $lbi $ls0v"), "");
  EXPECT_EQ(code("l1bmm4 $llbi $llr0v; l1bmr4ffadd $lls0v $llbi"), "");
  EXPECT_EQ(code("l1bmm4 $lbi $nowrite; l1bmp $lb64 $llr16v"), "K3132");
  EXPECT_EQ(code("l1bmm $lb64 $llr16v; l1bmm $lbi $lls0v"), "K3132");
  EXPECT_EQ(code("l1bmm $lbi $lr0v; l1bmm4@0 $ls0v $lb0"), "K3132");
  EXPECT_EQ(code("l1bmm $lbi $lr0v; l1bmm@0 $lls0v $llb0"), "K3132");
  EXPECT_EQ(code("l1bmd $lbi $lr0v; l1bmm@0 $ls0v $lb0"), "K3132");
}

// Debug and input lines at both sides of every end: those that assemble run.
TEST(AsmDecode, DebugAndInputLinesEndInTheirMemory) {
  std::mt19937_64 rng(5);
  const auto pick = [&](int64_t n) { return static_cast<int64_t>(rng() % static_cast<uint64_t>(n)); };
  auto machine = emu::Machine::create(*find_machine("mncore2"));
  ASSERT_TRUE(machine.ok());
  static constexpr struct {
    const char* text;
    isa::Mem mem;
    const char* units;
  } kMems[] = {{"$m", isa::Mem::kLm0, "ncbmp"},   {"$lm", isa::Mem::kLm0, "ncbmp"},   {"$lln", isa::Mem::kLm1, "ncbmp"},
               {"$s", isa::Mem::kGrf1, "ncbmp"},  {"$llr", isa::Mem::kGrf0, "ncbmp"}, {"$lx", isa::Mem::kMatX, "ncbm"},
               {"$lly", isa::Mem::kMatY, "ncbm"}, {"$lb", isa::Mem::kL1bm, "ncb"},    {"$llb", isa::Mem::kL1bm, "ncb"},
               {"$lc", isa::Mem::kL2bm, "nc"},    {"$d", isa::Mem::kDram, "n"},       {"$p", isa::Mem::kPdm, "n"},
               {"$omr", isa::Mem::kOmr, "ncbmp"}, {"$t", isa::Mem::kT, "ncbmp"},      {"$llt", isa::Mem::kT, "ncbmp"}};
  static constexpr const char* kTypes[] = {"", "d", "f", "h", "bd", "bf", "bg", "bh"};
  int accepted = 0, refused = 0;
  const auto meet = [&](const std::string& text) {
    const auto assembled = vsm::assemble(text);
    ++(assembled.ok() ? accepted : refused);
    if (!assembled.ok()) return;
    emu::RunOptions options;
    options.sink = [](std::string_view) {};
    auto report = (*machine)->run(assembled.program, options);
    EXPECT_TRUE(report.ok()) << text << "\n" << (report.ok() ? "" : render_text(report.error()));
  };
  for (int i = 0; i < 20000; ++i) {
    const auto& mem = kMems[pick(std::size(kMems))];
    const bool set = pick(3) == 0;
    std::string text = set ? "d set " : std::string("d get") + kTypes[pick(std::size(kTypes))] + " ";
    text += mem.text;
    // T has no address.
    const int64_t count = isa::memory(mem.mem).addressed ? isa::address_count(mem.mem) : 0;
    if (count > 0) text += std::to_string(pick(2) == 0 ? pick(8) : std::max<int64_t>(0, count - 1 - pick(12)));
    for (const char* letter = mem.units; *letter != 0; ++letter) text += *letter + std::to_string(pick(2));
    const int64_t amount = 1 + pick(12);
    text += " " + std::to_string(amount);
    if (set) {
      text += " ";
      const bool wide = std::string_view(mem.text).starts_with("$ll");
      for (int64_t k = 0; k < amount * (wide ? 2 : 1); ++k) text += "0123456789abcdef";
    }
    meet(text);
  }
  for (const char* line : {"r 3 01fffffff 001 ", "r 3 01fffffff 002 ", "r 0 01ffffff0 010 ", "r 0 01ffffff1 010 ",
                           "c 0 0 i10 i00 0 00007ffff 001 ", "c 0 0 i10 i00 0 00007ffff 002 "}) {
    std::string text = line;
    const std::string_view count = std::string_view(text).substr(text.size() - 4, 3);
    const int words = count == "010" ? 16 : count == "002" ? 2 : 1;
    for (int k = 0; k < words; ++k) text += "0123456789abcdef";
    meet(text);
    EXPECT_EQ(vsm::assemble(text).ok(), std::string_view(line).find("f 001") != std::string_view::npos ||
                                            std::string_view(line).find("0 010") != std::string_view::npos)
        << text;
  }
  EXPECT_GT(accepted, 8000);
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace kumihimo::mncore2
