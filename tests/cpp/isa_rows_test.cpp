// The instruction rows against what can be said about them from outside: their own examples assemble, spellings are
// unambiguous, transfer formulas give the addresses of the published pseudo-code.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::isa {
namespace {

TEST(Rows, AreComplete) {
  std::set<std::string> ids;
  for (const InsnDef& def : rows()) {
    const std::string id = std::string(def.name) + "/" + std::string(def.form);
    EXPECT_TRUE(ids.insert(id).second) << id;
    EXPECT_FALSE(def.doc.empty() || def.source.empty() || def.example.empty() || def.syntax.empty()) << id;
    EXPECT_EQ(def.doc.back(), '.') << id;
    const bool acts_at_decode = def.unit == Unit::kNop || def.unit == Unit::kNoforward || def.unit == Unit::kWait ||
                                (def.unit == Unit::kMv && !def.has_dst());  // mvnop
    EXPECT_EQ(def.sem == nullptr, acts_at_decode) << id;
    EXPECT_EQ(def.source.substr(0, 4), "ISA ") << id;
  }
  EXPECT_GE(ids.size(), 78u);
}

TEST(Rows, ExamplesAssembleToTheirRow) {
  for (const InsnDef& def : rows()) {
    const vsm::AsmResult result = vsm::assemble(def.example);
    ASSERT_TRUE(result.ok()) << def.example << "\n" << render_text(result.errors[0]);
    ASSERT_EQ(result.program.lines.size(), 1u);
    bool found = false;
    for (const Insn& insn : result.program.lines[0].insns) found = found || insn.def == &def;
    EXPECT_TRUE(found) << def.example << " is not " << def.name << " " << def.form;
    EXPECT_EQ(print(result.program.lines[0]), def.example);
  }
  for (const InsnDef& reduction : reductions()) EXPECT_TRUE(vsm::assemble(reduction.example).ok()) << reduction.example;
}

// The stem decides name, precision and options; rows of one stem are told apart by their operands.
TEST(Spelling, IsUnambiguous) {
  std::set<std::string> seen;
  for (const Stem& stem : all_stems()) {
    EXPECT_TRUE(seen.insert(stem.text).second) << stem.text;
    for (const InsnDef* def : stem.rows) {
      EXPECT_EQ(def->name, stem.rows[0]->name) << stem.text;
      EXPECT_TRUE(stem.rows.size() == 1 || !def->form.empty()) << stem.text;
    }
    Insn insn;
    insn.def = stem.rows[0];
    insn.prec = stem.prec;
    insn.is_unsigned = stem.is_unsigned;
    insn.half_select = stem.half_select;
    insn.narrow = stem.narrow;
    insn.reduce = stem.reduce;
    EXPECT_EQ(find_stem(stem_of(insn)) != nullptr && find_stem(stem_of(insn))->rows == stem.rows, true) << stem.text;
  }
  for (const char* text :
       {"dvmulu",    "dvfmad",      "fvpassa",    "dvpassar", "hmfmar",     "gmwrite", "l1bmrdfadd", "l1bmrffaddr",
        "l2bmribor", "uiadd",       "uilsr",      "uftoi",    "frelu",      "frelu0",  "frelu3",     "hbfn",
        "hbfe",      "gbfn",        "spassa",     "immu",     "mvb2",       "hmread",  "gmread",     "dmread",
        "l1bmm4",    "l1bmr4ffadd", "l1bmr4lbor", "l2bmb2",   "l2bmr2dmax", "l2bmi",   "mvb4",       "mvrffadd",
        "mvr2hfadd", "mvr4ibor",    "mvnop",      "hrsqrt",   "flrelud",    "dlreluo", "hilrelud"})
    EXPECT_NE(find_stem(text) == nullptr, std::string_view(text) != "uftoi") << text;
  EXPECT_NE(find_stem("ufftoi"), nullptr);
  for (const char* text : {"dvmul", "fvmulu", "hvaddu", "gvfma", "ufadd", "uiand", "l1bmrgfadd", "l1bmrdfaddr", "dbfe",
                           "fmmulu", "lmread", "ilrelu", "mvr", "mvrgfadd", "l1bmr4", ""})
    EXPECT_EQ(find_stem(text), nullptr) << text;
  EXPECT_EQ(nearest_stems("fvmull", 1), std::vector<std::string_view>{"fvmul"});
}

// Addresses of the vendor's pseudo-code for l1bmd, l1bmm, l1bmp (ISA 5.3), as formulas of (cycle, MAB, PE, half of DLW).
TEST(Formulas, L1bm) {
  auto address = [](const L1bmFormula& f, int c, int m, int p, int w) {
    return f.cycle * c + f.mab * m + f.quad * (m >> 2) + f.pe * p + f.word * w;
  };
  const L1bmColumns &p = find_row("l1bmp")->l1bm, &m = find_row("l1bmm", "down")->l1bm,
                    &d = find_row("l1bmd", "down")->l1bm;
  for (int c = 0; c < 4; ++c)
    for (int mab = 0; mab < 16; ++mab)
      for (int pe = 0; pe < 4; ++pe) {
        EXPECT_EQ(address(p.lw, c, mab, pe, 0), c);
        EXPECT_EQ(address(m.lw, c, mab, pe, 0), 4 * c + pe);
        EXPECT_EQ(address(d.lw, c, mab, pe, 0), 64 * c + 4 * mab + pe);
        for (int w = 0; w < 2; ++w) {
          EXPECT_EQ(address(p.dlw, c, mab, pe, w), c + 4 * w);
          EXPECT_EQ(address(m.dlw, c, mab, pe, w), 8 * c + 4 * w + pe);
        }
      }
  const L1bmColumns& quad = find_row("l1bmm4", "down")->l1bm;
  for (int c = 0; c < 4; ++c)
    for (int mab = 0; mab < 16; ++mab)
      for (int pe = 0; pe < 4; ++pe) {
        EXPECT_EQ(address(quad.lw, c, mab, pe, 0), 16 * c + 4 * (mab / 4) + pe);
        for (int w = 0; w < 2; ++w) EXPECT_EQ(address(quad.dlw, c, mab, pe, w), 32 * c + 8 * (mab / 4) + 4 * w + pe);
      }
  EXPECT_EQ(d.dlw.cycle, 0) << "l1bmd has no double-long-word form";
  // Upload and download of one turnaround type mirror each other.
  for (const char* name : {"l1bmm", "l1bmd", "l1bmm4"}) {
    const InsnDef *down = find_row(name, "down"), *up = find_row(name, "up"), *turn = find_row(name, "turnaround");
    EXPECT_EQ(down->l1bm.rate_lw, up->l1bm.rate_lw);
    EXPECT_EQ(down->l1bm.lw.cycle, up->l1bm.lw.cycle);
    EXPECT_EQ(turn->l1bm.rate_lw, up->l1bm.rate_lw);
    EXPECT_TRUE(up->l1bm.upload);
    EXPECT_FALSE(down->l1bm.upload);
  }
}

// Every word of the destination of an MV is written exactly once (by a reduction: has all its inputs), and a whole unit of the counted side is used.
TEST(Formulas, MvCoversItsUnits) {
  for (const InsnDef& def : rows()) {
    if (def.unit != Unit::kMv || !def.has_dst()) continue;
    const MvColumns& mv = def.mv;
    EXPECT_GT(mv.rate, 0) << def.form;
    EXPECT_EQ((mv.size_on_dst ? mv.dst : mv.src).unit % mv.run, 0) << def.form;
    auto instances = [](const MvSide& side) {
      std::vector<std::pair<int, int>> out;
      for (int g = 0; g < 4; ++g)
        for (int s = 0; s < 2; ++s) {
          const bool l2b = side.mem == Mem::kL2bm;
          if (!l2b && s == 1) continue;
          const bool one_group = side.instances == MvInstances::kOneGroup || side.instances == MvInstances::kOneL2b;
          const bool one_sub = side.instances == MvInstances::kOneL2b || side.instances == MvInstances::kOneL2bInGroup;
          if ((one_group && g != 0) || (l2b && one_sub && s != 0)) continue;
          out.emplace_back(g, s);
        }
      return out;
    };
    std::map<std::tuple<int, int, int>, int> written, read;
    for (auto [g, s] : instances(mv.src))
      for (auto [h, t] : instances(mv.dst)) {
        if (mv.pairing == MvPairing::kSameGroup && g != h) continue;
        for (int k = 0; k < mv.run; ++k) {
          ++written[{h, t, mv.dst.other_g * g + mv.dst.other_s * s + k}];
          ++read[{g, s, mv.src.other_g * h + mv.src.other_s * t + k}];
        }
      }
    const int inputs = !def.allows(kOptReduce) ? 1 : def.name == "mvr2" ? 2 : def.name == "mvr4" ? 4 : 8;
    for (auto [at, times] : written) EXPECT_EQ(times, inputs) << def.name << " " << def.form;
    EXPECT_EQ(written.size(), instances(mv.dst).size() * mv.dst.unit) << def.name << " " << def.form;
    EXPECT_EQ(read.size(), instances(mv.src).size() * mv.src.unit) << def.name << " " << def.form;
  }
}

// mvd spreads 512 of 4096 PDM words to each L2BM (ISA 4.2 .22); mvb2 counts the L2BM side.
TEST(Formulas, MvFootprints) {
  const Insn mvd = make_mv("mvd", "p@g>lc", 4096, 0, pdm(128, 0), l2bm(0));
  const MvFootprint f = mv_footprint(mvd);
  EXPECT_EQ(f.src.length, 4096);
  EXPECT_EQ(f.dst.length, 512);
  EXPECT_EQ(f.dst.instances, 0xff);
  EXPECT_EQ(mv_ports(mvd), 0xff10);
  EXPECT_EQ(mv_port_cycles(mvd), 512u);
  const Insn mvp = make_mv("mvp", "d>lc@.s", 2048, 1, dram(0), l2bm(0, -1, 1));
  EXPECT_EQ(mv_footprint(mvp).dst.instances, 0xaa);
  EXPECT_EQ(mv_port_cycles(mvp), 128u);
  EXPECT_EQ(mv_port_cycles(make_mv("mvp", "p@g>lc@h.s", 640, 1, pdm(0, 0), l2bm(0, 0, 1))), 40u);
  EXPECT_EQ(mv_port_cycles(make_mv("mvp", "p@g>lc@h.s", 640, 1, pdm(0, 0), l2bm(0, 2, 1))), 80u) << "across groups";
}

TEST(Memories, CapacitiesComeFromTheMachine) {
  const MachineConfig* machine = find_machine("mncore2");
  EXPECT_EQ(address_count(Mem::kLm0), machine->lm_words);
  EXPECT_EQ(address_count(Mem::kL1bm), machine->l1bm_lw);
  EXPECT_EQ(address_count(Mem::kT), 0);
}

TEST(Diagnostics, CodesAreUniqueAndRegistered) {
  diag::register_all();
  diag::register_all();
  std::set<std::string_view> codes, names;
  for (const DiagDef* def : diag::all()) {
    EXPECT_TRUE(codes.insert(def->code).second) << def->code;
    EXPECT_TRUE(names.insert(def->name).second) << def->name;
    EXPECT_EQ(def->code.substr(0, 2), "K3");
    EXPECT_EQ(find_diagnostic(def->code), def);
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::isa
