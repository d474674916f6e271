// L2BM rows (ISA 5.2): between the memory of an L2B and the memories of its eight L1Bs; addresses in the formula column.
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::isa {
namespace {
using namespace row;

constexpr OperandDef kLc = other(OperandRole::kL2bmAddr, "LC");
constexpr OperandDef kLb = other(OperandRole::kL1bmAddr, "LB");

// clang-format off
constexpr InsnDef kRows[] = {
  {.name = "l2bmb", .form = "down", .syntax = "l2bmb[@S] $lcC $lbB", .unit = Unit::kL2bm, .options = kOptL1bSet,
   .sem = &sem::l2bm_b_down, .doc = "Copies 64 long words to the same address of every L1B in the set S.", .source = "ISA 5.2",
   .evidence = Evidence::kDevice, .example = "l2bmb $lc0 $lb0", .srcs = {kLc}, .dst = kLb, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 16, .cycle_c = 16, .l1b_c = 0, .cycle_b = 16, .align_c = 16, .align_b = 16}},
  {.name = "l2bmb2", .form = "", .syntax = "l2bmb2[@S] $lcC $lbB", .unit = Unit::kL2bm, .options = kOptL1bSet,
   .sem = &sem::l2bm_b_down, .doc = "Four rows of 16 long words per cycle, each to the two L1Bs of a pair 2q, 2q+1.", .source = "ISA 5.2",
   .evidence = Evidence::kVendor, .example = "l2bmb2 $lc0 $lb0", .srcs = {kLc}, .dst = kLb, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 16, .cycle_c = 64, .l1b_c = 16, .cycle_b = 16, .align_c = 64, .align_b = 16, .l1b_shift = 1}},
  {.name = "l2bmd", .form = "down", .syntax = "l2bmd[@S] $lcC $lbB", .unit = Unit::kL2bm, .options = kOptL1bSet,
   .sem = &sem::l2bm_d_down, .doc = "Distributes rows of 64 long words, eight to each L1B.", .source = "ISA 5.2",
   .evidence = Evidence::kEmulator, .example = "l2bmd $lc0 $lb0", .srcs = {kLc}, .dst = kLb, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 8, .cycle_c = 64, .l1b_c = 8, .cycle_b = 8, .align_c = 64, .align_b = 8}},
  {.name = "l2bmd", .form = "up", .syntax = "l2bmd $lbB $lcC", .unit = Unit::kL2bm, .sem = &sem::l2bm_d_up,
   .doc = "Collects rows of 64 long words, eight from each L1B.", .source = "ISA 5.2", .evidence = Evidence::kEmulator,
   .example = "l2bmd $lb0 $lc0", .srcs = {kLb}, .dst = kLc, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 8, .cycle_c = 64, .l1b_c = 8, .cycle_b = 8, .upload = true, .align_c = 64, .align_b = 8}},
  {.name = "l2bm", .form = "up", .syntax = "l2bm@n $lbB $lcC", .unit = Unit::kL2bm, .options = kOptL1bIndex,
   .sem = &sem::l2bm_copy_up, .doc = "Copies 64 long words from L1B n.", .source = "ISA 5.2", .evidence = Evidence::kDevice,
   .example = "l2bm@0 $lb0 $lc0", .srcs = {kLb}, .dst = kLc, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 16, .cycle_c = 16, .l1b_c = 0, .cycle_b = 16, .upload = true, .align_c = 16, .align_b = 16}},
  {.name = "l2bmr", .form = "up", .syntax = "l2bmr{d,f,h}{fadd,max,min}[@S] $lbB $lcC | l2bmr{l,i,s}{iadd,band,and,bor,or}[@S] $lbB $lcC",
   .unit = Unit::kL2bm, .options = kOptReduce | kOptL1bSet, .sem = &sem::l2bm_r,
   .doc = "Reduces 64 long words over the L1Bs of the set; the others send the identity.", .source = "ISA 5.2, 8.2, 8.3",
   .evidence = Evidence::kDevice, .example = "l2bmrffadd $lb0 $lc0", .srcs = {kLb}, .dst = kLc, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 16, .cycle_c = 16, .l1b_c = 0, .cycle_b = 16, .upload = true, .align_c = 16, .align_b = 16}},
  {.name = "l2bmr2", .form = "up", .syntax = "l2bmr2{d,f,h}{fadd,max,min} $lbB $lcC | l2bmr2{l,i,s}{iadd,band,and,bor,or} $lbB $lcC",
   .unit = Unit::kL2bm, .options = kOptReduce, .sem = &sem::l2bm_r,
   .doc = "Reduces 64 long words over the two L1Bs of each pair 2q, 2q+1 into row q of four.", .source = "ISA 5.2, 8.2, 8.3",
   .evidence = Evidence::kVendor, .example = "l2bmr2ffadd $lb0 $lc0", .srcs = {kLb}, .dst = kLc, .l1bm_side = L1bmSide::kL2b,
   .l2bm = {.run = 16, .cycle_c = 64, .l1b_c = 16, .cycle_b = 16, .upload = true, .align_c = 64, .align_b = 16, .l1b_shift = 1}},
  {.name = "l2bmi", .form = "", .syntax = "l2bmi@b0/i $lbB $lbB2", .unit = Unit::kL2bm, .options = kOptL1bSet,
   .sem = &sem::l2bm_i, .doc = "Copies 64 long words between L1Bs: L1B b receives those of the member src of the set b0/i with b&i = src&i.",
   .source = "ISA 5.1, 5.2", .evidence = Evidence::kVendor, .example = "l2bmi@0/6 $lb0 $lb64", .srcs = {kLb}, .dst = kLb,
   .l1bm_side = L1bmSide::kL2b, .l2bm = {.run = 16, .cycle_b = 16, .upload = true, .align_b = 16}},
  {.name = "l2bmdars", .form = "", .syntax = "l2bmdars $lcC@.s $darA", .unit = Unit::kL2bm, .sem = &sem::dar_load,
   .doc = "Every group: reads 512 DRAM addresses, 32 bits each, from 256 long words of its L2BM s; they wait to be written to DAR from entry A on.",
   .source = "ISA 4.5", .evidence = Evidence::kUnknown, .example = "l2bmdars $lc0@.0 $dar0", .questions = "Q18", .srcs = {kLc},
   .dst = other(OperandRole::kDarAddr, "DAR"), .l2bm = {.run = 64, .cycle_c = 64, .align_c = 64}},
  {.name = "l2bmdarw", .form = "", .syntax = "l2bmdarw", .unit = Unit::kL2bmDarWrite, .sem = &sem::dar_write,
   .doc = "Writes the next four addresses of the last l2bmdars to DAR; stands beside any other L2BM instruction.",
   .source = "ISA 4.5", .evidence = Evidence::kUnknown, .example = "l2bmb $lc0 $lb0; l2bmdarw", .questions = "Q18"},
};
// clang-format on

}  // namespace

std::span<const InsnDef> l2bm_rows() { return kRows; }

}  // namespace kumihimo::mncore2::isa
