// Assembler: what is read, what is refused, where errors point.
#include <gtest/gtest.h>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/check.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::vsm {
namespace {

using isa::AddrMode;
using isa::Insn;
using isa::Line;
using isa::Mem;
using isa::Prec;
using isa::Width;

Line one(std::string_view text) {
  AsmResult r = assemble(text, "t.vsm");
  for (const Diagnostic& d : r.errors) ADD_FAILURE() << render_text(d);
  if (r.program.lines.size() != 1) {
    ADD_FAILURE() << text << ": " << r.program.lines.size() << " lines";
    return {};
  }
  return r.program.lines[0];
}

std::string refusal(std::string_view text) {
  const AsmResult r = assemble(text, "t.vsm");
  if (r.errors.empty()) return "accepted";
  EXPECT_TRUE(r.errors[0].where.known());
  std::string codes;
  for (const Diagnostic& d : r.errors) codes += (codes.empty() ? "" : " ") + std::string(d.def->code);
  return codes;
}

TEST(Operands, AddressesOfTheFourCycles) {
  using A = std::array<int32_t, 4>;
  auto addr = [](std::string_view operand) {
    return one("lpassa " + std::string(operand) + " $t").insns[0].srcs[0].addr;
  };
  EXPECT_EQ(addr("$lm8"), (A{8, 8, 8, 8}));
  EXPECT_EQ(addr("$m8v"), (A{8, 9, 10, 11}));
  EXPECT_EQ(addr("$lm8v"), (A{8, 10, 12, 14}));
  EXPECT_EQ(addr("$llm8v"), (A{8, 12, 16, 20}));
  EXPECT_EQ(addr("$lr4v8"), (A{4, 12, 20, 28}));
  EXPECT_EQ(addr("$ln[6,0,2,4]"), (A{6, 0, 2, 4}));
  EXPECT_EQ(addr("$lr510v"), (A{510, 0, 2, 4})) << "sums wrap modulo the memory";
  EXPECT_EQ(addr("$lm4094v"), (A{4094, 0, 2, 4}));
  EXPECT_EQ(addr("$lmt0v"), (A{0, 2, 4, 6}));
  EXPECT_EQ(addr("$lmtv"), (A{0, 2, 4, 6}));
  const isa::Operand t = one("lpassa $lmt $ln0v").insns[0].srcs[0];
  EXPECT_TRUE(t.t_indirect);
  EXPECT_EQ(t.width, Width::kLw);
  EXPECT_EQ(one("lpassa $lm4vj2 $t").insns[0].srcs[0].j, 2);
}

TEST(Operands, Memories) {
  const Line line = one("imm f\"3.14\" $ls0v $lr0v $ln0v $t $omr1");
  const Insn& insn = line.insns[0];
  ASSERT_EQ(insn.dsts.size(), 5u);
  EXPECT_EQ(insn.literal, 0x4048f5c3u);
  EXPECT_EQ(insn.literal_text, "f\"3.14\"");
  EXPECT_EQ(insn.dsts[3].mem, Mem::kT);
  EXPECT_EQ(insn.dsts[4].mem, Mem::kOmr);
  const struct {
    const char* text;
    Mem mem;
  } kSources[] = {{"$l2bid", Mem::kL2bid},
                  {"$l1bid", Mem::kL1bid},
                  {"$mabid", Mem::kMabid},
                  {"$peid", Mem::kPeid},
                  {"$subpeid", Mem::kSubpeid},
                  {"$msb1", Mem::kMsb1},
                  {"$mauf", Mem::kMauf},
                  {"$aluf", Mem::kAluf},
                  {"$lbf", Mem::kLbf},
                  {"$mreadf", Mem::kMreadf},
                  {"$t", Mem::kT},
                  {"$lt", Mem::kT},
                  {"$llt", Mem::kT}};
  for (const auto& source : kSources)
    EXPECT_EQ(one(std::string("lpassa ") + source.text + " $lr0v").insns[0].srcs[0].mem, source.mem);
  EXPECT_EQ(one("lpassa $lr0 $lmb").insns[0].dsts[0].mem, Mem::kBar0);
  EXPECT_EQ(one("lpassa $lr0 $lnb").insns[0].dsts[0].mem, Mem::kBar1);
  EXPECT_EQ(one("l1bmm@3 $lr0v $llb64").insns[0].dsts[0].width, Width::kDlw);
  EXPECT_EQ(one("l1bmd+1 $lbi $ls0v").insns[0].srcs[0].mem, Mem::kTurnaround);
}

TEST(Operands, Modifiers) {
  EXPECT_TRUE(one("fvfma $lr0v -$ls0v $t $lm0v").insns[0].srcs[1].negate);
  EXPECT_EQ(one("hmwrite $llm0vr $ly0").insns[0].srcs[0].convert, 'r');
  EXPECT_EQ(one("hvfmar $lm0 $ln0 $lr0e $ls0").insns[0].srcs[2].convert, 'e');
  EXPECT_EQ(one("hbfn/9 $maufr $lm64v").insns[0].srcs[0].convert, 'r');
  EXPECT_EQ(refusal("fvadd $tr $lr0 $ls0"), "K3105") << "single sources have nothing to round";
}

TEST(Literals, Patterns) {
  auto pattern = [](const char* literal) { return one(std::string("imm ") + literal + " $lr0").insns[0].literal; };
  EXPECT_EQ(pattern("f\"0.5\""), 0x3f000000u);
  EXPECT_EQ(pattern("f\"-0.5\""), 0xbf000000u);
  EXPECT_EQ(pattern("f\"1e3\""), 0x447a0000u);
  EXPECT_EQ(pattern("f\"inf\""), 0x7f800000u);
  EXPECT_EQ(pattern("f\"-inf\""), 0xff800000u);
  EXPECT_EQ(pattern("f\"16777217\""), 0x4b800000u) << "ties to even";
  EXPECT_EQ(pattern("i\"9\""), 9u);
  EXPECT_EQ(pattern("i\"-1\""), 0xffffffffu);
  EXPECT_EQ(pattern("i\"0x40180000\""), 0x40180000u);
  EXPECT_EQ(pattern("ui\"0xffffffff\""), 0xffffffffu);
  EXPECT_EQ(pattern("s\"7\""), 0x00070007u);
  EXPECT_EQ(pattern("s\"-1\""), 0xffffffffu);
  for (const char* text :
       {"f\"\"", "f\"x\"", "f\"nan\"", "f\"1e99\"", "f\"0x10\"", "f\"--1\"", "f\"1", "i\"0x100000000\"", "i\"1.5\"",
        "i\"-2147483649\"", "ui\"-1\"", "s\"65536\"", "uf\"1\"", "q\"1\"", "i\" 1\""})
    EXPECT_EQ(refusal(std::string("imm ") + text + " $lr0"), "K3007") << text;
}

TEST(Masks, EntriesAndPatterns) {
  isa::MaskSpec m = one("lpassa $lm0v $ln0v/1000").insns[0].dsts[0].mask;
  EXPECT_EQ(m.entry, 24) << "bit 3 is cycle 0 (published machine code)";
  EXPECT_TRUE(m.literal);
  m = one("lpassa $lls0v $llr0v/$llimr1").insns[0].dsts[0].mask;
  EXPECT_EQ(m.entry, 1);
  EXPECT_TRUE(m.ll);
  m = one("lpassa/ll0111 $lls0v $llr0v").insns[0].zero_flush;
  EXPECT_EQ(m.entry, 16 + 7);
  EXPECT_TRUE(m.ll);
  EXPECT_EQ(one("lpassa/$imr3 $ls0v $lr0v").insns[0].zero_flush.entry, 3);
  EXPECT_EQ(one("hbfn/9/0111 $ls0v $lr0v").insns[0].zero_flush.entry, 23);
  const Line statement = one("maskllnr 5");
  EXPECT_TRUE(statement.mask_ll);
  EXPECT_EQ(statement.mask_entry, 5);
  EXPECT_EQ(statement.mask_dsts, 0b010001);
  EXPECT_EQ(refusal("maskq 1"), "K3010");
  EXPECT_EQ(refusal("mask 32"), "K3010");
  EXPECT_EQ(refusal("mask"), "K3010");
}

TEST(Mv, FormsAndOptions) {
  for (const char* text : {"mvp/n64i02 $p0@0 $lc0@1.0", "mvp/i02n64 $p0@0 $lc0@1.0"}) {
    const Line line = one(text);
    EXPECT_EQ(line.kind, isa::LineKind::kMv);
    EXPECT_EQ(line.insns[0].tag, 2);
    EXPECT_EQ(line.insns[0].size, 64u);
    EXPECT_EQ(isa::print(line), "mvp/n64i02 $p0@0 $lc0@1.0");
  }
  EXPECT_EQ(one("mvp/n64i3f $d0 $lc0@.1").insns[0].tag, 63);
  EXPECT_EQ(one("mvp/n64p3 $d0 $lc0@.1").insns[0].priority, 3);
  EXPECT_EQ(one("mvb/n64 $d0 $lc0").insns[0].def->form, "d>lc");
  EXPECT_EQ(one("mvb/n64 $p0@2 $lc0").insns[0].def->form, "p@g>lc");
  EXPECT_EQ(one("mvd/n128 $lc0 $p0@3").insns[0].def->form, "lc>p@g");
  EXPECT_EQ(refusal("mvp/n65 $d0 $lc0@.1"), "K3107");
  EXPECT_EQ(refusal("mvp/n0 $d0 $lc0@.1"), "K3107");
  EXPECT_EQ(refusal("mvd/n64 $p0@0 $lc0"), "K3107") << "one unit is 128 words of PDM";
  EXPECT_EQ(refusal("mvp/i01 $d0 $lc0@.1"), "K3005") << "no size";
  EXPECT_EQ(refusal("mvp/n64 $d0 $lc0"), "K3006");
  EXPECT_EQ(refusal("mvp/n64 $d0@4 $lc0@0.1"), "K3110");
  EXPECT_EQ(refusal("mvp/n64 $lm0 $lc0@.1"), "K3006");
  EXPECT_EQ(refusal("mvp/n64i40 $d0 $lc0@.1"), "K3110");
  EXPECT_EQ(refusal("mvp/n64nd2 $d0 $lc0@.1"), "K3005");
  EXPECT_EQ(refusal("mvp/n64 $d0 $lc0@.1; nop"), "K3131");
  EXPECT_EQ(refusal("mvp/n64 $d536870912 $lc0@.1"), "K3102");
}

TEST(L1bSets, ExpressibleOnes) {
  EXPECT_EQ(one("l2bmb@0,4 $lc0 $lb0").insns[0].l1b_set, 0x11);
  EXPECT_EQ(one("l2bmb@2/4 $lc0 $lb0").insns[0].l1b_set, 0x44);
  EXPECT_EQ(one("l2bmb@5 $lc0 $lb0").insns[0].l1b_set, 0x20);
  EXPECT_EQ(one("l2bmb@0/7 $lc0 $lb0").insns[0].l1b_set, 0xff);
  EXPECT_EQ(one("l2bmrffadd@0/3 $lb0 $lc0").insns[0].l1b_set, 0x0f);
  EXPECT_EQ(isa::print(one("l2bmb@1,3 $lc0 $lb0")), "l2bmb@1/2 $lc0 $lb0");
  for (const char* text : {"l2bmb@0,3 $lc0 $lb0", "l2bmb@0,1,2 $lc0 $lb0", "l2bmb@8 $lc0 $lb0", "l2bmb@1,1 $lc0 $lb0"})
    EXPECT_EQ(refusal(text), "K3005") << text;
}

// ISA 5.1 lists the pairs and quads that can be written; all others must be refused.
TEST(L1bSets, PairsOfTheManual) {
  const std::string pairs = "01 02 04 13 15 23 26 37 45 46 57 67 ";
  for (char a = '0'; a < '8'; ++a)
    for (char b = static_cast<char>(a + 1); b < '8'; ++b) {
      const bool listed = pairs.find(std::string{a, b, ' '}) != std::string::npos;
      EXPECT_EQ(refusal(std::string("l2bmb@") + a + "," + b + " $lc0 $lb0") == "accepted", listed) << a << b;
    }
}

TEST(Statements, Debug) {
  Line line = one("d getf $lm4n1c0b7m15p3 3  # note");
  EXPECT_EQ(line.kind, isa::LineKind::kDebugGet);
  EXPECT_EQ(line.dtype, "f");
  EXPECT_EQ(line.mem.addr, 4);
  EXPECT_EQ(line.mem.m, 15);
  EXPECT_EQ(line.count, 3u);
  EXPECT_EQ(one("d get $tn0c0b0m0p0 4").text, "d get $ltn0c0b0m0p0 4") << "the echo of the vendor's emulator";
  line = one("d set $lm0n0b0m0p0 2 l0000000000000001l00000000000000ff");
  EXPECT_EQ(line.mem.c, -1);
  EXPECT_EQ(line.payload, (std::vector<uint64_t>{1, 255}));
  EXPECT_EQ(one("d set $llm0n0 1 00000000000000010000000000000002").payload.size(), 2u);
  EXPECT_EQ(one("d getd $d4096n3 10").mem.mem, Mem::kDram);
  EXPECT_EQ(refusal("d set $lm0 1 123"), "K3009");
  EXPECT_EQ(refusal("d set $lm0 2 0000000000000001"), "K3009");
  EXPECT_EQ(refusal("d set $lm0 1 00000000000000010"), "K3009");
  EXPECT_EQ(refusal("d set $d0 1 0000000000000001"), "K3008");
  EXPECT_EQ(refusal("d get $lm1 1"), "K3101");
  EXPECT_EQ(refusal("d get $lm0n4 1"), "K3003");
  EXPECT_EQ(refusal("d get $lm0n0 0"), "K3003");
  EXPECT_EQ(refusal("d get $lm0n0 2049"), "K3003");
  EXPECT_EQ(refusal("d get $q0 1"), "K3004");
  EXPECT_EQ(refusal("d getq $lm0 1"), "K3008");
  EXPECT_EQ(refusal("d put $lm0 1"), "K3008");
  EXPECT_EQ(refusal("d get $lm0 1 2"), "K3002");
}

TEST(Statements, HostRows) {
  const Line line = one("r 2 00000001f 001 3E8000003FE00000 # values");
  EXPECT_EQ(line.kind, isa::LineKind::kHostRow);
  EXPECT_EQ(line.host_group, 2);
  EXPECT_EQ(line.mem.addr, 31);
  EXPECT_EQ(line.payload, (std::vector<uint64_t>{0x3E8000003FE00000}));
  const std::string words(16 * 16, '0');
  EXPECT_EQ(one("r 0 000000000 010 " + words).payload.size(), 16u);
  EXPECT_EQ(refusal("r 4 000000000 001 0000000000000000"), "K3011");
  EXPECT_EQ(refusal("r 0 000000000 002 0000000000000000"), "K3009");
  EXPECT_EQ(refusal("r 0 020000000 001 0000000000000000"), "K3011") << "beyond 4 GiB";
}

TEST(Statements, HostTransfers) {
  // The one public line of this kind.
  const Line line = one("c 0 0 i10 i00 0 000022000 001 0123456789ABCDEF");
  EXPECT_EQ(line.kind, isa::LineKind::kHostDma);
  EXPECT_EQ(line.host_tag, 0x10);
  EXPECT_EQ(line.mem.mem, isa::Mem::kPdm);
  EXPECT_EQ(line.mem.addr, 0x22000);
  EXPECT_EQ(line.payload, (std::vector<uint64_t>{0x0123456789ABCDEF}));
  EXPECT_EQ(isa::print(line), "c 0 0 i10 i00 0 000022000 001 0123456789ABCDEF");
  EXPECT_EQ(refusal("c 1 0 i10 i00 0 000022000 001 0000000000000000"), "K3012") << "unknown meaning";
  EXPECT_EQ(refusal("c 0 1 i10 i00 0 000022000 001 0000000000000000"), "K3012");
  EXPECT_EQ(refusal("c 0 0 i10 i01 0 000022000 001 0000000000000000"), "K3012");
  EXPECT_EQ(refusal("c 0 0 i10 i00 1 000022000 001 0000000000000000"), "K3012");
  EXPECT_EQ(refusal("c 0 0 i40 i00 0 000022000 001 0000000000000000"), "K3011");
  EXPECT_EQ(refusal("c 0 0 10 i00 0 000022000 001 0000000000000000"), "K3011");
  EXPECT_EQ(refusal("c 0 0 i10 i00 0 000080000 001 0000000000000000"), "K3011") << "beyond PDM";
  EXPECT_EQ(refusal("c 0 0 i10 i00 0 000022000 002 0000000000000000"), "K3009");
  for (const char* text : {"c", "c 0", "c 0 0", "c 0 0 i", "c 0 0 i10", "c 0 0 i10 i00 0", "c 0 0 i10 i00 0 0"})
    EXPECT_FALSE(refusal(text).empty()) << text;
}

TEST(Statements, Payloads) {
  const std::string word(16, '1');
  EXPECT_EQ(one("d set $lm0 2 l" + word + " l" + word).payload.size(), 2u);
  EXPECT_EQ(refusal("d set $lm0 2 l" + word + word), "K3009") << "the two forms do not mix (ISA 3.5)";
  EXPECT_EQ(refusal("d set $lm0 2 " + word + "l" + word), "K3009");
}

TEST(Statements, MatrixDumpsHaveAType) {
  EXPECT_EQ(one("d geth $lx0n0c0b0m0 16").count, 16u);
  EXPECT_EQ(one("d getbh $llx0n0c0b0m0 8").dtype, "bh");
  EXPECT_EQ(refusal("d get $lx0n0c0b0m0 16"), "K3008");
}

TEST(Statements, DarInstructions) {
  EXPECT_EQ(isa::print(one("l2bmdars $lc64@.1 $dar1000; l2bmdarw")), "l2bmdars $lc64@.1 $dar1000; l2bmdarw");
  EXPECT_EQ(refusal("l2bmdars $lc0 $dar0"), "K3103") << "which L2B";
  EXPECT_EQ(refusal("l2bmdars $lc0@1.0 $dar0"), "K3103") << "all groups at once";
  EXPECT_EQ(refusal("l2bmdars $lc8@.0 $dar0"), "K3101");
  EXPECT_EQ(refusal("l2bmdars $lc0@.2 $dar0"), "K3110");
  EXPECT_EQ(refusal("l2bmdars $lc0@.0 $dar1024"), "K3102");
  EXPECT_EQ(refusal("l2bmdars $lc0@.0 $lb0"), "K3103");
  EXPECT_EQ(refusal("l2bmdars $lc0@.0 $dar0; l2bmb $lc0 $lb0"), "K3120");
  EXPECT_EQ(refusal("l2bmdarw $dar0"), "K3006");
  EXPECT_EQ(isa::print(one("mvp/n64nd2i03p1 $di7@1 $p0@0")), "mvp/n64i03nd2p1 $di7@1 $p0@0");
  EXPECT_EQ(refusal("mvp/n64nd2 $d0@1 $p0@0"), "K3005") << "nd without DAR";
  EXPECT_EQ(refusal("mvb2/n64nd2 $di0 $lc0"), "K3005") << "nd with mvp, mvr and mvd only";
  EXPECT_EQ(refusal("mvp/n64 $di1024@1 $p0@0"), "K3102");
}

TEST(Lines, CommentsQuitAndPositions) {
  const AsmResult r = assemble("# head\n\n  nop/3 ! tail\r\nquit\n???\n");
  EXPECT_TRUE(r.ok());
  ASSERT_EQ(r.program.lines.size(), 2u);
  EXPECT_EQ(r.program.lines[0].source_line, 3u);
  EXPECT_EQ(r.program.lines[0].insns[0].nop_count, 3u);
  EXPECT_EQ(r.program.lines[1].kind, isa::LineKind::kQuit);
}

TEST(Errors, AllOfOneRunWithColumns) {
  const AsmResult r = assemble(
      "nop\n  fvmull $lm0 $ln0 $lr0\nlpassa $lm1 $ln0\nlpassa $lm0v $ln0v; frob; fvmul $lm1v $lr0 $ls0\n", "k.vsm");
  ASSERT_EQ(r.errors.size(), 3u);
  EXPECT_EQ(r.errors[0].def->code, "K3001");
  EXPECT_EQ(r.errors[0].where.line, 2u);
  EXPECT_EQ(r.errors[0].where.column, 3u);
  EXPECT_EQ(r.errors[0].where.end_column, 9u);
  EXPECT_EQ(r.errors[0].where.file, "k.vsm");
  EXPECT_NE(r.errors[0].required.find("fvmul"), std::string::npos);
  EXPECT_EQ(r.errors[1].def->code, "K3101");
  EXPECT_EQ(r.errors[1].where.column, 8u);
  EXPECT_EQ(r.errors[1].op, "lpassa");
  EXPECT_EQ(r.errors[2].where.line, 4u);
  EXPECT_EQ(r.errors[2].where.column, 21u);
  EXPECT_NE(render_text(r.errors[1]).find("k.vsm:3:8"), std::string::npos);
  EXPECT_EQ(r.program.lines.size(), 1u) << "statements with errors are left out";
  EXPECT_EQ(as_one(r).related.size(), 2u);
}

TEST(Errors, AreCountedBeyondTheLimit) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "frobnicate\n";
  const AsmResult r = assemble(text);
  EXPECT_EQ(r.errors.size(), kMaxErrors);
  EXPECT_EQ(r.suppressed, 500u);
}

struct Case {
  const char* text;
  const char* codes;
};

TEST(Legality, Operands) {
  const Case kCases[] = {
      {"lpassa $lm1 $ln0", "K3101"},
      {"lpassa $llm2 $lln0", "K3101"},
      {"lpassa $lm4096 $ln0", "K3102"},
      {"lpassa $lr512 $ln0", "K3102"},
      {"lpassa $lm[0,2,4,4096] $ln0v", "K3102"},
      {"lpassa $lm[0,2,5,6] $ln0v", "K3101"},
      {"lpassa $lm[0,2,4] $ln0v", "K3002"},
      {"lpassa $lm0v3 $ln0", "K3108"},
      {"lpassa $llr0v6 $lln0", "K3108"},
      {"lpassa $lr0v512 $ln0", "K3108"},
      {"lpassa $lm0v512 $ln0v512", "accepted"},
      {"lpassa -$lm0 $ln0", "K3105"},
      {"lpassa $lm0e $ln0", "K3105"},
      {"lpassa $lm0 -$ln0", "K3105"},
      {"fvmul $lm0 $subpeid $ln0", "K3103"},
      {"iadd $lr0 $subpeid $ln0", "K3103"},
      {"fvmul $mreadf $lm0 $ln0", "K3103"},
      {"lpassa $lm0 $subpeid", "K3103"},
      {"lpassa $lm0 $mauf", "K3103"},
      {"lpassa $lm0 $nowrite $lr0", "K3104"},
      {"lpassa $lm0 $nowrite/1000", "K3105"},
      {"lpassa $lm0 $omr0", "K3102"},
      {"lpassa $lm0 $omr16", "K3102"},
      {"l1bmm $lb0 $omr1", "K3103"},
      {"lpassa $lnt0 $lr0", "K3004"},
      {"lpassa $lr0j1 $ls0", "K3105"},
      {"lpassa $lm0j4 $ls0", "K3105"},
      {"lpassa $lmt0j1 $ls0", "K3105"},
      {"lpassa $lm0@1 $ls0", "K3105"},
      {"lpassa $lm0", "K3006"},
      {"fvmul $lm0 $ln0", "K3006"},
      {"zero", "K3006"},
      {"nop $lm0", "K3006"},
      {"hmmul $lx0 $lm0v $llr0v", "K3103"},
      {"hmmul $llx $lm0v $llr0v", "K3004"},
      {"hmwrite $lm0v $lx", "K3103"},
      {"hmwrite $lm0v $lx16", "K3102"},
      {"hmwrite $llm0v $llx1", "K3101"},
      {"dmwrite $lm0v $lx4", "K3102"},
      {"gmwrite $lm0v $llx0", "K3109"},
      {"gmwrite $lm0v $lx8", "K3102"},
      {"hbfn $lm0v $lr0v", "K3110"},
      {"hbfn/5 $lm0v $lr0v", "K3110"},
      {"fbfn/9 $lm0v $lr0v", "K3110"},
      {"l1bmd $lb32 $lr0v", "K3101"},
      {"l1bmd $llb0 $lr0v", "K3109"},
      {"l1bmm $lb2 $lr0v", "K3101"},
      {"l1bmm@4 $lr0v $lb12", "accepted"},
      {"l1bmm@16 $lr0v $lb0", "K3110"},
      {"l1bmm $lr0v $lb0", "K3006"},
      {"l1bmd+16 $lr0v $lb0", "K3110"},
      {"l1bmrdfadd $lr0v $llb0", "K3109"},
      {"l1bmrffadd $llr0v $llb0", "accepted"},
      {"l1bmrlbor $llr0v $llb0", "accepted"},
      {"l1bmriiadd $lr0v $llb0", "K3109"},
      {"l1bmrffadd $lr0e $lb0", "accepted"},
      {"l1bmrdfadd $lr0e $lb0", "K3105"},
      {"l1bmrffadd $lr0v $lb0/1000", "K3105"},
      {"l2bmb $lc8 $lb0", "K3101"},
      {"l2bmd $lc32 $lb0", "K3101"},
      {"l2bmd $lb4 $lc0", "K3101"},
      {"l2bm@8 $lb0 $lc0", "K3110"},
      {"l2bm $lb0 $lc0", "K3110"},
      {"l2bmb $lc0 $llb0", "K3109"},
      {"l2bmb $lc32768 $lb0", "K3102"},
      {"wait i01", "K3130"},
      {"nop; wait i00", "K3130"},
      {"nop; wait 1", "K3006"},
      {"nop/0", "K3110"},
      {"lpassa/2 $lm0 $ln0", "K3005"},
      {"lpassa $lm99999999999 $ln0", "K3003"},
      {"lpassa $lm0 $ln0 $foo", "K3004"},
      {"lpassa $lm0x $ln0", "K3002"},
      {"dvadd $lm0 $ln0 $lr0", "accepted"},
      {"gvadd $lm0 $ln0 $lr0", "K3001"},
  };
  for (const Case& c : kCases) EXPECT_EQ(refusal(c.text), c.codes) << c.text;
}

// ISA 9.3, rule by rule; accepted lines are from published code or the manual's example.
TEST(Legality, ParallelIssue) {
  const Case kCases[] = {
      {"nop; lpassa $lm0 $ln0", "K3121"},
      {"nop; wait i01", "accepted"},
      {"lpassa $lm0 $ln0; wait i3f", "accepted"},
      {"lpassa $lm0 $lr0; iadd $lm0 $lr2 $ls0", "K3120 "},
      {"noforward; linc $lr0 $lr2", "accepted"},
      {"hmmul $lx $lm0v $llr0v; gmwrite $ln0v $ly0", "K3122"},
      {"hmmul $lx $lm0v $llr0v; hmwrite $ln0v $ly0", "accepted"},
      {"hmmul $lx $lm0v $llr0v; hmwrite $ln0v $lx0", "K3124"},
      {"fvmul $lm0v $ln0v $lr0v; fmwrite $ln0v $ly0", "accepted"},
      {"fvmul $lm0v $ln0v $lr0v; fmwrite $lm0v $ly0", "K3123"},
      {"fvfma $lm0v -$ln0v $lr0v $ls0v; fmwrite $ln0v $ly0", "K3123"},
      {"fvadd $lm0v $ln0v $lr0v; fmwrite $lm0v $ly0", "accepted"},
      {"lpassa $lm0v $lr0v $lr8v", "K3125"},
      {"fvmul $lm0v $ln0v $lr0v; lpassa $ls0v $lr8v", "K3125"},
      {"iadd $lr0v $lr4v $ls0v", "K3126"},
      {"iadd $lr0v $lr0v $ls0v", "accepted"},
      {"iadd $lr0v $r0v2 $ls0v", "K3126"},
      {"fvmul $lm0v $ln0v $lr0v; lpassa $lm8v $ls0v", "K3126"},
      {"ladd $ln0 $lm2 $ln2", "K3127"},
      {"ladd $ln0 $lm2 $ln0", "accepted"},
      {"imm f\"1\" $lm0v", "K3128"},
      {"fvadd $lm0v $lr0v $ls0v; imm f\"1.0\" $t", "K3128"},
      {"fvadd $ln0v $lr0v $ls0v; imm f\"1.0\" $t", "accepted"},
      {"fvmul $lm0v $ln0v $lr0v/1000; lpassa $ls0v $t/0100", "K3129"},
      {"fvmul $lm0v $ln0v $lr0v/1000; lpassa $ls0v $t/1000", "accepted"},
      {"fvmul $lm0v $ln0v $lr0v/1000; lpassa $ls0v $t/ll1000", "K3129"},
      {"fvmul/1000 $lm0v $ln0v $lr0v; lpassa/1000 $ls0v $t", "K3129"},
      {"fvmul/1000 $lm0v $ln0v $lr0v/1000", "accepted"},
      {"l1bmd-1 $lr0v $lb256; l1bmd+1 $lbi $ls0v", "accepted"},
      {"gmwrite $lm0v $ly0; gbfn $lm0v $lr128v", "accepted"},
      {"noforward; l2bmb $lc0 $lb0; l1bmm $lbi $lr0v; l1bmrdfadd $ls0v $lb64; gmmul $lx $lm0v $nowrite; gmwrite $ln0v "
       "$ly0; "
       "hrelu $t $ln0v $lm0v; wait i01",
       "accepted"},
  };
  for (const Case& c : kCases) {
    std::string want = c.codes;
    if (!want.empty() && want.back() == ' ') {
      want.pop_back();
      EXPECT_EQ(refusal(c.text).substr(0, 5), want) << c.text;
    } else {
      EXPECT_EQ(refusal(c.text), want) << c.text;
    }
  }
}

// The mask statement in force takes part in the rule that all masks of a step are one.
TEST(Legality, MaskStatements) {
  EXPECT_EQ(refusal("maskr 1\nlpassa $lm0v $lr0v $ls0v/1000\n"), "K3129");
  EXPECT_EQ(refusal("maskr 1\nlpassa $lm0v $lr0v $ls0v/$imr1\n"), "accepted");
  EXPECT_EQ(refusal("maskr 1\nlpassa $lm0v $lr0v/1000 $ls0v\n"), "accepted") << "its own mask overrides the statement";
  EXPECT_EQ(refusal("maskr 1\nmask 0\nlpassa $lm0v $lr0v $ls0v/1000\n"), "accepted");
}

// Code generators get the same verdict as text.
TEST(Legality, BuiltLinesMeetTheSameRules) {
  using namespace isa;
  Line good =
      step({make("vfma", Prec::kF, {lm0(0, Width::kLw, 2), lm1(8, Width::kLw, 2), t()}, {grf0(0, Width::kLw, 2)}),
            make("passa", Prec::kL, {mauf()}, {masked(grf1(16, Width::kDlw, 4), mask_cycles(0b1000, true))})});
  EXPECT_TRUE(check_line(good).ok());
  EXPECT_EQ(print(good), "fvfma $lm0v $ln8v $t $lr0v; lpassa $mauf $lls16v/ll1000");
  EXPECT_TRUE(same(one(print(good)), good));
  Line bad = step({make("add", Prec::kI, {grf0(0), grf0(4)}, {grf1(1)})});
  const Status status = check_line(bad);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().def->code, "K3101");
  ASSERT_EQ(status.error().related.size(), 1u);
  EXPECT_EQ(status.error().related[0].def->code, "K3126");
  EXPECT_EQ(status.error().where.text, "iadd $lr0 $lr4 $ls1");
  EXPECT_EQ(pe_at(Mem::kLm0, {0, 4, 8, 12}, Width::kLw).explicit_stride, true);
  EXPECT_EQ(pe_at(Mem::kLm0, {0, 4, 2, 12}, Width::kLw).mode, AddrMode::kFlat);
  EXPECT_EQ(print(pe_at(Mem::kLm0, {6, 6, 6, 6}, Width::kLw)), "$lm6");
}

// A size larger than the memory would run for as long as it says: mvd once took 30 s and 9 GB, mvb4 ended in a fault.
TEST(Assemble, AnMvFitsItsMemories) {
  EXPECT_TRUE(assemble("mvd/n524288 $d0 $p0@0\n").ok());
  for (const char* line :
       {"mvd/n536870912i01 $d0 $p0@0\n", "mvb4/n536870912i01 $d0 $lc0\n", "mvp/n524352 $d0@0 $p0@0\n"}) {
    const AsmResult r = assemble(line);
    ASSERT_EQ(r.errors.size(), 1u) << line;
    EXPECT_EQ(r.errors[0].def->name, "asm_mv_size") << line;
    EXPECT_FALSE(r.errors[0].required.empty());
  }
}

}  // namespace
}  // namespace kumihimo::mncore2::vsm
