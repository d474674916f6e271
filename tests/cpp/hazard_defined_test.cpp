// Words that nothing has written: what the linter says is held against strict mode of the emulator.
#include <algorithm>
#include <map>
#include <set>

#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/hazard/lint.h"
#include "targets/mncore2/isa/print.h"
#include "tests/cpp/emu_random.h"

namespace kumihimo::mncore2::hazard {
namespace {

using emu::Lab;

isa::Program program(const std::string& text) {
  vsm::AsmResult r = vsm::assemble(text, "t.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  return std::move(r.program);
}

// Source lines at which the linter reports unwritten words.
std::set<uint32_t> lint_lines(const isa::Program& p) {
  std::set<uint32_t> out;
  for (const Finding& f : lint(p))
    if (f.rule == "lint_undefined") out.insert(p.lines[f.line].source_line);
  return out;
}

// And at which strict mode does.
std::set<uint32_t> strict_lines(const isa::Program& p, const MachineConfig& config = emu::tiny()) {
  emu::EmuOptions options;
  options.strict = true;
  Lab lab(config, options);
  auto report = lab.machine->run(p);
  EXPECT_TRUE(report.ok());
  std::set<uint32_t> out;
  for (const Diagnostic& d : lab.machine->findings())
    if (d.def->name.find("undefined") != std::string_view::npos) out.insert(d.where.line);
  return out;
}

struct Case {
  const char* text;
  std::set<uint32_t> lines;
};

// What can be said for certain is said, as strict mode says it.
TEST(Defined, CertainCasesAgreeWithStrictMode) {
  const Case cases[] = {
      // dumps
      {"nop\nd get $lm0n0c0b0m0p0 1\n", {2}},
      {"zero $lm0\nd get $lm0n0c0b0m0p0 1\n", {}},
      {"zero $m1\nd get $m1n0c0b0m0p0 1\nd get $lm0n0c0b0m0p0 1\n", {3}},
      {"zero $lr0v\nd get $lr0n0c0b0m0p0 4\nd get $lr0n0c0b0m0p0 5\n", {3}},
      {"zero $lr0v/1000\nd get $lr0n0c0b0m0p0 1\nd get $lr2n0c0b0m0p0 1\n", {3}},
      {"zero $t/0110\nd get $ltn0c0b0m0p0 1\n", {1 + 1}},
      {"lpassa $lm0 $lr0\nd get $lr0n0c0b0m0p0 1\n", {2}},
      {"d get $omr1n0c0b0m0p0 1\nlpassa $peid $omr1\nd get $omr1n0c0b0m0p0 1\n", {1}},
      {"nop\nd get $lb0n0c0b0 1\nd get $lc0n0c0 1\n", {2, 3}},
      {"nop\nr 0 000000000 001 0000000000000001\nd get $d0n0 1\nd get $d1n0 1\n", {4}},
      // adding unwritten words is no fault by itself
      {"ladd $lm0v $ln0v $lr0v\nfvadd $lm0v $ln0v $lr0v\nlinc $lr0v $ls0v\n", {}},
      {"zero $lr0v\nfvadd $lr0v $ln0v $ls0v\nd get $ls0n0c0b0m0p0 1\n", {3}},
      // addresses
      {"lpassa $lmt0 $lr0\n", {1}},
      {"imm i\"4\" $t\nnop\nlpassa $lmt0 $lr0\n", {}},
      {"imm i\"4\" $t/1110\nnop\nlpassa $lmt0 $lr0\n", {3}},
      {"lpassa $ls0 $lnb\nnop/2\nlpassa $ln0 $lr0\n", {3}},
      // blocks: one word of each pair is written
      {"zero $m0\nnop/2\ngbfn $lm0 $lr0\n", {3}},
      {"zero $lm0\nnop/2\ngbfn $lm0 $lr0\n", {}},
      {"gbfn $lm0 $lr0\n", {}},
      {"zero $m0\nnop/2\nfbfn $lm0 $lr0\n", {}},
      {"zero $m0\nnop/2\nhbfn/9 $lm0 $lr0\n", {3}},
      {"zero $m0\nnop/2\ndbfn $lm0 $lr0\n", {}},
      // contractions
      {"zero $lm0v\nnop/2\ngmwrite $lm0v $lx0\ngmwrite $lm0v $lx4\ngmmul $lx $ln0v $lr0v\nd get $lr0n0c0b0m0p0 1\n",
       {6}},
      {"zero $lm0v\nnop/2\ngmwrite $lm0v $lx0\ngmmul $lx $lm0v $lr0v\n", {}},
      {"zero $m0v2\nzero $ln0v\nnop/2\ngmwrite $lm0v $lx0\ngmmul $lx $ln0v $lr0v\n", {5}},
      {"zero $m0v2\nzero $ln0v\nnop/2\ngmwrite $ln0v $lx0\ngmmul $lx $lm0v $lr0v\n", {5}},
      // the tree
      {"zero $lm0v\nnop/2\nl1bmd $lm0v $lb0\nnop/3\nl2bmd $lb0 $lc0\nnop/3\nl2bmb $lc0 $lb256\nnop\nl1bmm $lb256 "
       "$lr0v\n"
       "d get $lr0n0c0b0m0p0 1\nl1bmp $lb512 $ls0v\nd get $ls0n0c0b0m0p0 1\n",
       {12}},
      {"l1bmm@0 $lr0v $lb0\nl1bmm $lbi $ls0v\nd get $ls0n0c0b0m0p0 1\n", {3}},
      {"zero $lr0v\nnop\nl1bmm@0 $lr0v $lb0\nl1bmm $lbi $ls0v\nd get $ls0n0c0b0m0p0 1\n", {}},
      {"zero $lr0v\nnop\nl1bmrffadd $lr0v $lb0\nnop/2\nl1bmm $lb0 $ls0v\nd get $ls0n0c0b0m0p0 4\n", {}},
      // forwarding: what its unit left, and nothing after it rested
      {"zero $lr0v\nlpassa $aluf $ls0v\nd get $ls0n0c0b0m0p0 4\n", {}},
      {"zero $nowrite\nfvadd $lr0 $lr0 $nowrite\nlpassa $aluf $ls0v\nd get $ls0n0c0b0m0p0 4\n", {4}},
  };
  for (const Case& c : cases) {
    // An input line makes it a whole program; it stands behind the others, so that line numbers stay.
    const isa::Program p = program(std::string(c.text) + "d set $lb8184 1 0000000000000001\n");
    EXPECT_EQ(lint_lines(p), c.lines) << c.text;
    EXPECT_EQ(strict_lines(p), c.lines) << c.text;
  }
  // What only single units or data decide is left to strict mode.
  for (const char* text : {"d set $lm0n0c0b0m0p0 1 l0000000000000001\nd get $lm0n0c0b0m0p0 1\n",
                           "d set $lm0n0c0b0m0p0 1 l0000000000000001\ngbfn $lm0 $lr0\n",
                           "zero $lr0\nland $lr0 $lm0 $ls0\nd get $ls0n0c0b0m0p0 1\n"})
    EXPECT_EQ(lint_lines(program(text)), std::set<uint32_t>{}) << text;
}

// A kernel's DRAM and PDM are the host's; a program with the host's lines says all that there is.
TEST(Defined, TheHostFillsWhatTheTextDoesNot) {
  EXPECT_EQ(lint_lines(program("mvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nd get $lc0n0c0 1\n")), std::set<uint32_t>{});
  EXPECT_EQ(lint_lines(program("r 0 000001000 001 0000000000000001\nmvp/n64i01 $d0 $lc0@.0\nnop; wait i01\nd get "
                               "$lc0n0c0 1\n")),
            std::set<uint32_t>{4});
  EXPECT_EQ(lint_lines(program("r 0 000001000 001 0000000000000001\nd get $lm0n0c0b0m0p0 1\n")), std::set<uint32_t>{})
      << "a testcase without its answer";
  // A part of something: a kernel, or the answer to a testcase.
  EXPECT_EQ(lint_lines(program("zero $m0\nnop/2\ngbfn $lm0 $lr0\n")), std::set<uint32_t>{});
  // With a dump of its own it may be a whole program.
  const isa::Program p = program("linc $lm0 $lr0\nd get $lr0n0c0b0m0p0 1\n");
  const auto found = lint(p);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, Severity::kNote);
}

// No false alarm, whatever the program: strict mode reports each line that the linter does.
TEST(Defined, StrictModeReportsEveryLineThatTheLinterDoes) {
  int reported = 0, strict = 0, on_full_chip = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const isa::Program p = emu::random_program(seed, seed % 2 == 0, 60, seed % 3 == 0);
    const auto by_lint = lint_lines(p);
    auto by_strict = strict_lines(p);
    // A small machine has one L2B: a reduction over several is a sum of one member there.
    if (!std::ranges::includes(by_strict, by_lint)) by_strict.merge(strict_lines(p, emu::full())), ++on_full_chip;
    for (uint32_t line : by_lint)
      if (!by_strict.contains(line)) ADD_FAILURE() << "seed " << seed << " line " << line << "\n" << isa::print(p);
    reported += static_cast<int>(by_lint.size());
    strict += static_cast<int>(by_strict.size());
    if (HasFailure()) return;
  }
  RecordProperty("lint", reported);
  RecordProperty("strict", strict);
  RecordProperty("on_full_chip", on_full_chip);
  EXPECT_GT(reported, 100);
}

// Programs in which all units do the same and no data decide: there the two agree line by line.
class Uniform {
 public:
  explicit Uniform(uint64_t seed) : rng_(seed) {}
  std::string program(int lines) {
    std::string text = "d set $lb8184 1 0000000000000001\n";
    for (int i = 0; i < lines; ++i) text += line() + "\n";
    return text;
  }

 private:
  int pick(int n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }
  // A dump has no stride, and names one PE.
  std::string dump() {
    std::string place = memory(1 << pick(3));
    std::erase(place, 'v');
    return "d get " + place + "n0c0b0m" + std::to_string(pick(16)) + "p" + std::to_string(pick(4)) + " 1";
  }
  const char* one_of(std::initializer_list<const char*> all) { return all.begin()[pick(static_cast<int>(all.size()))]; }
  std::string memory(int words) {
    const char* width = words == 1 ? "" : words == 2 ? "l" : "ll";
    std::string s =
        std::string("$") + width + one_of({"m", "n", "r", "s"}) + std::to_string(4 * pick(4) + words * pick(4 / words));
    return s + one_of({"", "v", "v"});
  }
  std::string src(int words) {
    return pick(6) == 0 ? one_of({"$t", "$aluf", "$mauf", "$lbf", "$mreadf"}) : memory(words);
  }
  std::string dst(int words) {
    return (pick(6) == 0 ? "$t" : memory(words)) + one_of({"", "", "", "/1000", "/0111", "/ll0110"});
  }
  std::string narrow_or_long() { return src(1 + pick(2)); }
  std::string line() {
    const auto row = [&] { return std::string(one_of({"x", "y"})) + std::to_string(4 * pick(2)); };
    switch (pick(22)) {
      case 0: return "zero " + dst(1);
      case 1: return "zero " + dst(2);
      case 2: return "imm i\"3\" " + dst(1 << pick(3));
      case 3: return "lpassa " + src(4) + " " + dst(4);
      case 4:
        return std::string(one_of({"ladd ", "iadd ", "sadd ", "lxor ", "fmax ", "hmin ", "ulsr "})) + narrow_or_long() +
               " " + narrow_or_long() + " " + dst(2);
      case 5:
        return std::string(one_of({"linc ", "inot ", "msl ", "msr ", "ffloor "})) + narrow_or_long() + " " + dst(2);
      case 6:
        return std::string(one_of({"fvadd ", "fvmul ", "dvadd ", "dvmulu "})) + narrow_or_long() + " " + src(2) + " " +
               dst(2);
      case 7: return "hvfma " + src(2) + " " + src(2) + " " + src(4) + " " + dst(4);
      case 8: return "hvfmar " + src(2) + " " + src(4) + "r " + src(4) + " " + dst(2);
      case 9: return "dvpassar " + src(2) + " " + dst(1);
      case 10: return "fvpassar " + src(2) + "e " + dst(1);
      case 11: return std::string(one_of({"gbfn ", "fbfn ", "dbfn "})) + narrow_or_long() + " " + dst(2);
      case 12: return "hbfn/9 " + src(2 << pick(2)) + " " + dst(4);
      case 13: return "gmwrite " + narrow_or_long() + " $l" + row();
      case 14:
        return std::string(one_of({"gmmul $lx ", "gmmul $ly ", "fmmul $lx ", "dmmulu $ly "})) + narrow_or_long() + " " +
               dst(2);
      case 15: return "gmfma $lx " + src(2) + " " + src(2) + " " + dst(2);
      case 16: return "gmread $l" + row() + " " + dst(2);
      case 17: return "l1bmd " + src(2) + " $lb" + std::to_string(256 * pick(2));
      case 18: return "l1bmrffadd " + src(2) + " $lb" + std::to_string(16 * pick(4));
      case 19:
        return std::string(one_of({"l1bmd $lb256 ", "l1bmm $lb0 ", "l1bmp $lb16 ", "l1bmd $lbi ", "l1bmm $lbi "})) +
               dst(2);
      default: return dump();
    }
  }
  std::mt19937_64 rng_;
};

TEST(Defined, UniformProgramsAgreeLineByLine) {
  int lines = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const isa::Program p =
        vsm::assemble(Uniform(seed).program(60), "t.vsm").program;  // lines that break an issue rule are left out
    const auto by_lint = lint_lines(p);
    EXPECT_EQ(by_lint, strict_lines(p)) << "seed " << seed << "\n" << isa::print(p);
    lines += static_cast<int>(by_lint.size());
    if (HasFailure()) return;
  }
  EXPECT_GT(lines, 1000);
  RecordProperty("lines", lines);
}

}  // namespace
}  // namespace kumihimo::mncore2::hazard
