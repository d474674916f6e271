// MV rows: one per mode of ISA 4.2, with the transfer formula and the throughput of ISA 4.4.
//
// Copies are executed by one function that reads the formula, reductions by another. Rates without a published figure are tagged '?' and
// take the figure of the nearest published path (named in the comment).
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::isa {
namespace {

constexpr MvSide side(Mem mem, MvInstances instances, uint16_t unit = 64, uint16_t other_g = 0, uint16_t other_s = 0) {
  return {mem, instances, unit, other_g, other_s};
}
constexpr auto kP = Mem::kPdm, kD = Mem::kDram, kC = Mem::kL2bm;
constexpr auto kOne = MvInstances::kOneGroup, kEach = MvInstances::kEveryGroup, kOneC = MvInstances::kOneL2b,
               kSubC = MvInstances::kOneL2bInGroup, kEachC = MvInstances::kEveryL2b;

// nd<N> exists with mvp, mvr and mvd (ISA 4.5 [S]).
constexpr bool dar_repeat(std::string_view name, const MvColumns& columns) {
  return (columns.src.mem == Mem::kDram || columns.dst.mem == Mem::kDram) &&
         (name == "mvp" || name == "mvr" || name == "mvd");
}
constexpr InsnDef mv(std::string_view name, std::string_view form, std::string_view syntax, std::string_view doc,
                     std::string_view example, Evidence evidence, MvColumns columns) {
  return {.name = name,
          .form = form,
          .syntax = syntax,
          .unit = Unit::kMv,
          .options = dar_repeat(name, columns) ? uint16_t{kOptDarRepeat} : uint16_t{0},
          .sem = &sem::mv_transfer,
          .doc = doc,
          .source = "ISA 4.2",
          .evidence = evidence,
          .example = example,
          .srcs = {row::other(OperandRole::kMvMem, "SRC")},
          .dst = row::other(OperandRole::kMvMem, "DST"),
          .mv = columns};
}
constexpr InsnDef asked(InsnDef def, std::string_view questions) {
  def.questions = questions;
  return def;
}
constexpr MvColumns copy(std::string_view sdm, MvSide src, MvSide dst, MvPairing pairing, uint8_t rate, uint8_t cross,
                         Evidence rate_evidence, bool size_on_dst = false, uint8_t run = 64) {
  return {src, dst, pairing, run, size_on_dst, rate, cross, rate_evidence, sdm};
}
// Reductions combine the L2BMs that meet in one destination word.
constexpr InsnDef mvr(std::string_view name, std::string_view form, std::string_view operands, std::string_view doc,
                      std::string_view example, Evidence evidence, MvColumns columns) {
  InsnDef def = mv(name, form, operands, doc, example, evidence, columns);
  def.options = static_cast<uint16_t>(def.options | kOptReduce);
  def.sem = &sem::mv_reduce;
  def.source = "ISA 4.2, 4.3, 8.2, 8.3";
  return def;
}
constexpr auto kAll = MvPairing::kAll, kSame = MvPairing::kSameGroup;
constexpr auto V = Evidence::kVendor, D = Evidence::kDevice, A = Evidence::kAssembled, I = Evidence::kInferred,
               E = Evidence::kEmulator, Unknown = Evidence::kUnknown;

// clang-format off
constexpr InsnDef kRows[] = {
  // Single transfers. PDM <-> DRAM and PDM <-> PDM: no figure; PDM <-> L2BM across groups (8) is the nearest path.
  mv("mvp", "p@g>d@h", "mvp/nN[iT][ndM][pK] $pP@g $d[i]D@h", "One PDM to one DRAM.", "mvp/n64 $p0@0 $d0@1", D,
     copy("3.5.8.2", side(kP, kOne), side(kD, kOne), kAll, 8, 8, Unknown)),
  mv("mvp", "d@g>p@h", "mvp/nN[iT][ndM][pK] $d[i]D@g $pP@h", "One DRAM to one PDM.", "mvp/n64 $d0@1 $p0@0", D,
     copy("3.5.8.3", side(kD, kOne), side(kP, kOne), kAll, 8, 8, Unknown)),
  mv("mvp", "p@g>lc@h.s", "mvp/nN[iT][pK] $pP@g $lcC@h.s", "One PDM to one L2BM.", "mvp/n64 $p0@0 $lc0@1.0", V,
     copy("3.5.8.4", side(kP, kOne), side(kC, kOneC), kAll, 16, 8, V)),
  mv("mvp", "lc@h.s>p@g", "mvp/nN[iT][pK] $lcC@h.s $pP@g", "One L2BM to one PDM.", "mvp/n64 $lc0@1.0 $p0@0", D,
     copy("3.5.8.5", side(kC, kOneC), side(kP, kOne), kAll, 16, 8, V)),
  // One DRAM and one L2BM: the parallel DRAM <-> L2BM figure within a group; across groups the PDM figure.
  mv("mvp", "d@g>lc@h.s", "mvp/nN[iT][ndM][pK] $d[i]D@g $lcC@h.s", "One DRAM to one L2BM.", "mvp/n64 $d0@0 $lc0@0.1", A,
     copy("3.5.8.6", side(kD, kOne), side(kC, kOneC), kAll, 16, 8, Unknown)),
  mv("mvp", "lc@h.s>d@g", "mvp/nN[iT][ndM][pK] $lcC@h.s $d[i]D@g", "One L2BM to one DRAM.", "mvp/n64 $lc0@0.1 $d0@0", A,
     copy("3.5.8.7", side(kC, kOneC), side(kD, kOne), kAll, 16, 8, Unknown)),
  mv("mvp", "p@g>p@h", "mvp/nN[iT][pK] $pP@g $pQ@h", "One PDM to one PDM.", "mvp/n64 $p0@0 $p64@1", D,
     copy("3.5.8.8", side(kP, kOne), side(kP, kOne), kAll, 8, 8, Unknown)),
  // Parallel transfers: every group does the same inside itself.
  mv("mvp", "p>lc@.s", "mvp/nN[iT][pK] $pP $lcC@.s", "Every group: its PDM to its L2BM s.", "mvp/n64 $p0 $lc0@.0", D,
     copy("3.5.8.9", side(kP, kEach), side(kC, kSubC), kSame, 16, 16, V)),
  mv("mvp", "lc@.s>p", "mvp/nN[iT][pK] $lcC@.s $pP", "Every group: its L2BM s to its PDM.", "mvp/n64 $lc0@.0 $p0", D,
     copy("3.5.8.10", side(kC, kSubC), side(kP, kEach), kSame, 16, 16, V)),
  mv("mvp", "d>lc@.s", "mvp/nN[iT][ndM][pK] $d[i]D $lcC@.s", "Every group: its DRAM to its L2BM s.", "mvp/n64 $d0 $lc0@.0", D,
     copy("3.5.8.11", side(kD, kEach), side(kC, kSubC), kSame, 16, 16, V)),
  mv("mvp", "lc@.s>d", "mvp/nN[iT][ndM][pK] $lcC@.s $d[i]D", "Every group: its L2BM s to its DRAM.", "mvp/n64 $lc0@.0 $d0", D,
     copy("3.5.8.12", side(kC, kSubC), side(kD, kEach), kSame, 16, 16, V)),
  // A published sample writes this without a selector; which L2BM it reads is open question Q6. Read as `@.0`.
  asked(mv("mvp", "lc>d", "mvp/nN[iT][ndM][pK] $lcC $d[i]D", "As $lcC@.0 (which L2BM is read without a selector is unknown).", "mvp/n64 $lc0 $d0",
     Unknown, copy("3.5.8.12", side(kC, kSubC), side(kD, kEach), kSame, 16, 16, Unknown)), "Q6"),

  // Broadcasts. mvb2 runs at the DRAM rate counted on the L2BM side.
  mv("mvb2", "d>lc", "mvb2/nN[iT][pK] $d[i]D $lcC", "Every group: its DRAM to both of its L2BMs.", "mvb2/n64 $d0 $lc0", D,
     copy("3.5.8.13", side(kD, kEach), side(kC, kEachC), kSame, 16, 16, Unknown, true)),
  mv("mvb", "p@g>lc", "mvb/nN[iT][pK] $pP@g $lcC", "One PDM to all eight L2BMs.", "mvb/n64 $p0@0 $lc0", D,
     copy("3.5.8.18", side(kP, kOne), side(kC, kEachC), kAll, 8, 8, V)),
  // The four DRAMs interleave by 16; no figure, mvb4's L2BM side (16) is the nearest.
  asked(mv("mvb", "d>lc", "mvb/nN[iT][pK] $d[i]D $lcC", "All four DRAMs, interleaved in runs of 16, to all eight L2BMs; size counts an L2BM.",
     "mvb/n64 $d0 $lc0", I, copy("3.5.8.20", side(kD, kEach, 16), side(kC, kEachC, 64, 16), kAll, 16, 16, Unknown, true, 16)), "Q38"),

  mv("mvb4", "", "mvb4/nN[iT][pK] $d[i]D $lcC", "All four DRAMs, interleaved in runs of 16; L2BM s of every group receives runs s of each pair; size counts an L2BM.",
     "mvb4/n64 $d0 $lc0", V, copy("3.5.8.16", side(kD, kEach, 32, 0, 16), side(kC, kEachC, 64, 16), kAll, 16, 16, V, true, 16)),

  // Reductions; size counts an L2BM. mvr2 runs at the DRAM or PDM rate of a group, mvr4 as mvb4; mvr has figures.
  mvr("mvr2", "lc>d", "mvr2{d,f,h}{fadd,max,min}/nN[iT][pK] $lcC $d[i]D | mvr2{l,i,s}{iadd,band,and,bor,or}/nN[iT][pK] $lcC $d[i]D",
      "Every group: its two L2BMs reduced into its DRAM.", "mvr2ffadd/n64 $lc0 $d0", D,
      copy("3.5.8.14", side(kC, kEachC), side(kD, kEach), kSame, 16, 16, Unknown)),
  asked(mvr("mvr2", "lc>p", "mvr2{d,f,h}{fadd,max,min}/nN[iT][pK] $lcC $pP | mvr2{l,i,s}{iadd,band,and,bor,or}/nN[iT][pK] $lcC $pP",
      "Every group: its two L2BMs reduced into its PDM.", "mvr2ffadd/n64 $lc0 $p0", Evidence::kSingle,
      copy("3.5.8.15", side(kC, kEachC), side(kP, kEach), kSame, 16, 16, Unknown)), "Q17"),
  asked(mvr("mvr4", "", "mvr4{d,f,h}{fadd,max,min}/nN[iT][pK] $lcC $d[i]D | mvr4{l,i,s}{iadd,band,and,bor,or}/nN[iT][pK] $lcC $d[i]D",
      "L2BMs s of the four groups reduced; group g's DRAM takes run g of each four, for s = 0 and 1 in turn.", "mvr4ffadd/n64 $lc0 $d0", I,
      copy("3.5.8.17", side(kC, kEachC, 64, 16), side(kD, kEach, 32, 0, 16), kAll, 16, 16, Unknown, false, 16)), "Q38"),
  mvr("mvr", "lc>p@g", "mvr{d,f,h}{fadd,max,min}/nN[iT][pK] $lcC $pP@g | mvr{l,i,s}{iadd,band,and,bor,or}/nN[iT][pK] $lcC $pP@g",
      "All eight L2BMs reduced into one PDM.", "mvrffadd/n64 $lc0 $p0@0", D,
      copy("3.5.8.19", side(kC, kEachC), side(kP, kOne), kAll, 8, 8, V)),
  mvr("mvr", "lc>d", "mvr{d,f,h}{fadd,max,min}/nN[iT][ndM][pK] $lcC $d[i]D | mvr{l,i,s}{iadd,band,and,bor,or}/nN[iT][ndM][pK] $lcC $d[i]D",
      "All eight L2BMs reduced; group g's DRAM takes run g of each four.", "mvrffadd/n64 $lc0 $d0", V,
      copy("3.5.8.21", side(kC, kEachC, 64, 16), side(kD, kEach, 16), kAll, 32, 32, V, false, 16)),

  // Distributions in runs of 16: eight L2BMs or four DRAMs against one PDM; size counts the PDM.
  mv("mvd", "p@g>lc", "mvd/nN[iT][pK] $pP@g $lcC", "One PDM distributed over the eight L2BMs in runs of 16; size counts the PDM.",
     "mvd/n128 $p0@0 $lc0", D, copy("3.5.8.22", side(kP, kOne, 128, 32, 16), side(kC, kEachC, 16), kAll, 8, 8, V, false, 16)),
  mv("mvd", "lc>p@g", "mvd/nN[iT][pK] $lcC $pP@g", "The eight L2BMs collected into one PDM in runs of 16; size counts the PDM.",
     "mvd/n128 $lc0 $p0@0", E, copy("3.5.8.23", side(kC, kEachC, 16), side(kP, kOne, 128, 32, 16), kAll, 8, 8, V, true, 16)),
  mv("mvd", "p@g>d", "mvd/nN[iT][ndM][pK] $pP@g $d[i]D", "One PDM distributed over the four DRAMs in runs of 16; size counts the PDM.",
     "mvd/n64 $p0@0 $d0", D, copy("3.5.8.24", side(kP, kOne, 64, 16), side(kD, kEach, 16), kAll, 8, 8, V, false, 16)),
  mv("mvd", "d>p@g", "mvd/nN[iT][ndM][pK] $d[i]D $pP@g", "The four DRAMs collected into one PDM in runs of 16; size counts the PDM.",
     "mvd/n64 $d0 $p0@0", D, copy("3.5.8.25", side(kD, kEach, 16), side(kP, kOne, 64, 16), kAll, 8, 8, V, true, 16)),

  {.name = "mvnop", .form = "", .syntax = "mvnop", .unit = Unit::kMv, .doc = "An MV that moves nothing.", .source = "ISA 4.1",
   .evidence = Evidence::kSingle, .example = "mvnop", .questions = "Q39"},
};
// clang-format on

}  // namespace

std::span<const InsnDef> mv_rows() { return kRows; }

}  // namespace kumihimo::mncore2::isa
