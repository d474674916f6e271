// L1BM rows (ISA 5.3, 5.4): between the memory of an L1B and its 16 MABs x 4 PEs.
//
// The address of a PE's long word is given by the formula column (see L1bmFormula). A row whose rate per cycle and PE
// width equal those of an upload row is of the same turnaround type; `$lbi` reads what the last upload of the type left
// in the turnaround register.
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::isa {
namespace {
using namespace row;

constexpr OperandDef kAddr = other(OperandRole::kL1bmAddr, "LB");
constexpr OperandDef kAddrOrTurn = other(OperandRole::kL1bmOrTurnaround, "LB");
constexpr OperandDef kTurn = other(OperandRole::kTurnaround, "LBI");
constexpr OperandDef kSrc = pe_src("SRC");
// `e`: halves widened exactly before an f reduction (ISA 5.5).
constexpr OperandDef kReduceSrc = {.role = OperandRole::kPeSrc, .name = "SRC", .width = all(L), .widen = kF};
constexpr OperandDef kDst = pe_dst();

// LW form, DLW form; rates are long words of L1BM per cycle.
constexpr L1bmColumns kBroadcast = {.lw = {.cycle = 1},
                                    .dlw = {.cycle = 1, .word = 4},
                                    .rate_lw = 1,
                                    .rate_dlw = 2,
                                    .align_lw = 4,
                                    .align_dlw = 8,
                                    .safe_align_lw = 4,
                                    .safe_align_dlw = 8};
constexpr L1bmColumns kByPe = {.lw = {.cycle = 4, .pe = 1},
                               .dlw = {.cycle = 8, .pe = 1, .word = 4},
                               .rate_lw = 4,
                               .rate_dlw = 8,
                               .align_lw = 4,
                               .align_dlw = 8,
                               .safe_align_lw = 16,
                               .safe_align_dlw = 32};
constexpr L1bmColumns kByMab = {
    .lw = {.cycle = 64, .mab = 4, .pe = 1}, .rate_lw = 64, .align_lw = 64, .safe_align_lw = 64};
// 4-alignment of the upload form assembles ($lb4, $lb12 [X]); nothing is known of stricter needs there.
constexpr L1bmColumns kByPeUp = {.lw = kByPe.lw,
                                 .dlw = kByPe.dlw,
                                 .rate_lw = 4,
                                 .rate_dlw = 8,
                                 .upload = true,
                                 .align_lw = 4,
                                 .align_dlw = 8,
                                 .safe_align_lw = 4,
                                 .safe_align_dlw = 8,
                                 .align_evidence = Evidence::kDerived};
// Groups of four MABs: row q of four long words for MABs 4q to 4q+3. The long-word forms are the dual of the published
// double-long-word ones [I].
constexpr L1bmColumns kByQuad = {.lw = {.cycle = 16, .quad = 4, .pe = 1},
                                 .dlw = {.cycle = 32, .quad = 8, .pe = 1, .word = 4},
                                 .rate_lw = 16,
                                 .rate_dlw = 32,
                                 .align_lw = 16,
                                 .align_dlw = 32,
                                 .safe_align_lw = 16,
                                 .safe_align_dlw = 32};
constexpr L1bmColumns kByQuadUp = {.lw = kByQuad.lw,
                                   .dlw = kByQuad.dlw,
                                   .rate_lw = 16,
                                   .rate_dlw = 32,
                                   .upload = true,
                                   .align_lw = 16,
                                   .align_dlw = 32,
                                   .safe_align_lw = 16,
                                   .safe_align_dlw = 32};
constexpr L1bmColumns kByMabUp = {.lw = kByMab.lw, .rate_lw = 64, .upload = true, .align_lw = 64, .safe_align_lw = 64};

// clang-format off
constexpr InsnDef kRows[] = {
  {.name = "l1bmp", .form = "down", .syntax = "l1bmp $l[l]bB DST...", .unit = Unit::kL1bm, .options = kOptZeroFlush,
   .sem = &sem::l1bm_p_down, .doc = "Every PE of every MAB receives the same long word in a cycle.", .source = "ISA 5.3",
   .evidence = Evidence::kEmulator, .example = "l1bmp $lb0 $lr0v", .srcs = {kAddr}, .dst = kDst, .l1bm_side = L1bmSide::kPe,
   .l1bm = kBroadcast},
  {.name = "l1bmm", .form = "down", .syntax = "l1bmm $l[l]bB DST...", .unit = Unit::kL1bm, .options = kOptZeroFlush,
   .sem = &sem::l1bm_m_down, .doc = "PE p of every MAB receives long word p of the row.", .source = "ISA 5.3",
   .evidence = Evidence::kDevice, .example = "l1bmm $lb0 $lr0v", .srcs = {kAddr}, .dst = kDst, .l1bm_side = L1bmSide::kPe,
   .l1bm = kByPe},
  {.name = "l1bmm", .form = "up", .syntax = "l1bmm@M SRC $l[l]bB", .unit = Unit::kL1bm, .options = kOptMab,
   .sem = &sem::l1bm_m_up, .doc = "The four PEs of MAB M write the rows.", .source = "ISA 5.3", .evidence = Evidence::kAssembled,
   .example = "l1bmm@0 $lr0v $lb0", .srcs = {kSrc}, .dst = kAddrOrTurn, .code = "01101", .l1bm_side = L1bmSide::kPe, .l1bm = kByPeUp},
  {.name = "l1bmd", .form = "down", .syntax = "l1bmd[+-n] $lbB DST...", .unit = Unit::kL1bm,
   .options = kOptShift | kOptZeroFlush, .sem = &sem::l1bm_d_down,
   .doc = "PE p of MAB m receives its own long word of a row of 64; +n takes the data of MAB m-n.", .source = "ISA 5.3",
   .evidence = Evidence::kEmulator, .example = "l1bmd $lb0 $lr0v", .srcs = {kAddr}, .dst = kDst, .l1bm_side = L1bmSide::kPe,
   .l1bm = kByMab},
  {.name = "l1bmd", .form = "up", .syntax = "l1bmd[+-n] SRC $lbB", .unit = Unit::kL1bm, .options = kOptShift,
   .sem = &sem::l1bm_d_up, .doc = "Every PE writes its own long word of a row of 64; +n writes to the place of MAB m+n.",
   .source = "ISA 5.3", .evidence = Evidence::kVendor, .example = "l1bmd $lr0v $lb0", .srcs = {kSrc}, .dst = kAddrOrTurn,
   .l1bm_side = L1bmSide::kPe, .l1bm = kByMabUp},
  {.name = "l1bmr", .form = "up", .syntax = "l1bmrf{fadd,max,min}[r] SRC $l[l]bB | l1bmr{d,h}{fadd,max,min} SRC $lbB | l1bmr{l,i,s}bor SRC $l[l]bB | l1bmr{l,i,s}{iadd,band,and,or} SRC $lbB",
   .unit = Unit::kL1bm, .options = kOptReduce | kOptNarrow, .sem = &sem::l1bm_r,
   .doc = "Reduces over the 16 MABs, PE by PE, and writes rows of four; $llb only for f operations and bor.", .source = "ISA 5.3, 5.5, 8.2, 8.3",
   .evidence = Evidence::kEmulator, .example = "l1bmrffadd $lr0v $lb0", .questions = "Q34",
   .srcs = {kReduceSrc}, .dst = kAddrOrTurn, .code = "01111",
   .l1bm_side = L1bmSide::kPe, .l1bm = kByPeUp},
  {.name = "l1bmm4", .form = "down", .syntax = "l1bmm4 $l[l]bB DST...", .unit = Unit::kL1bm, .options = kOptZeroFlush,
   .sem = &sem::l1bm_m_down, .doc = "PE p of MABs 4q to 4q+3 receives long word p of row q.", .source = "ISA 5.3",
   .evidence = Evidence::kInferred, .example = "l1bmm4 $lb0 $lr0v", .questions = "Q38", .srcs = {kAddr}, .dst = kDst, .l1bm_side = L1bmSide::kPe,
   .l1bm = kByQuad},
  {.name = "l1bmm4", .form = "up", .syntax = "l1bmm4@M SRC $l[l]bB", .unit = Unit::kL1bm, .options = kOptMab,
   .sem = &sem::l1bm_m_up, .doc = "The four PEs of MABs M, 4+M, 8+M and 12+M (M = 0 to 3) write rows 0 to 3.", .source = "ISA 5.3",
   .evidence = Evidence::kInferred, .example = "l1bmm4@0 $lr0v $lb0", .questions = "Q38", .srcs = {kSrc}, .dst = kAddrOrTurn,
   .l1bm_side = L1bmSide::kPe, .l1bm = kByQuadUp},
  {.name = "l1bmr4", .form = "up", .syntax = "l1bmr4f{fadd,max,min}[r] SRC $l[l]bB | l1bmr4{d,h}{fadd,max,min} SRC $lbB | l1bmr4{l,i,s}bor SRC $l[l]bB | l1bmr4{l,i,s}{iadd,band,and,or} SRC $lbB",
   .unit = Unit::kL1bm, .options = kOptReduce | kOptNarrow, .sem = &sem::l1bm_r,
   .doc = "Reduces over the MABs 4q to 4q+3 of each group, PE by PE, and writes row q; $llb only for f operations and bor.",
   .source = "ISA 5.3, 5.5, 8.2, 8.3", .evidence = Evidence::kVendor, .example = "l1bmr4ffadd $llr0v $llb0", .questions = "Q34",
   .srcs = {kReduceSrc}, .dst = kAddrOrTurn, .l1bm_side = L1bmSide::kPe, .l1bm = kByQuadUp},
  {.name = "l1bmm", .form = "turnaround", .syntax = "l1bmm $l[l]bi DST...", .unit = Unit::kL1bmTurnaround,
   .options = kOptZeroFlush, .sem = &sem::l1bm_m_turnaround,
   .doc = "As l1bmm from the turnaround register: the rows of the last l1bmm@M or l1bmr without passing through L1BM.",
   .source = "ISA 5.4", .evidence = Evidence::kVendor, .example = "l1bmm $lbi $ls0v", .srcs = {kTurn}, .dst = kDst, .l1bm = kByPe},
  {.name = "l1bmm4", .form = "turnaround", .syntax = "l1bmm4 $l[l]bi DST...", .unit = Unit::kL1bmTurnaround,
   .options = kOptZeroFlush, .sem = &sem::l1bm_m_turnaround,
   .doc = "As l1bmm4 from the turnaround register: the rows of the last l1bmm4@M or l1bmr4.",
   .source = "ISA 5.4", .evidence = Evidence::kVendor, .example = "l1bmm4 $lbi $ls0v", .srcs = {kTurn}, .dst = kDst, .l1bm = kByQuad},
  {.name = "l1bmd", .form = "turnaround", .syntax = "l1bmd[+-n] $lbi DST...", .unit = Unit::kL1bmTurnaround,
   .options = kOptShift | kOptZeroFlush, .sem = &sem::l1bm_d_turnaround,
   .doc = "As l1bmd from the turnaround register of the last l1bmd upload; the shift is applied here only.",
   .source = "ISA 5.4, 12 Q35", .evidence = Evidence::kAssembled, .example = "l1bmd+1 $lbi $ls0v", .questions = "Q35", .srcs = {kTurn}, .dst = kDst,
   .l1bm = kByMab},
};

// Reductions: no instructions of their own, read by l1bmr, l2bmr, mvr and their kin through Insn::reduce (ISA 3.1, 4.3, 12 Q7).
constexpr InsnDef kReductions[] = {
  {.name = "fadd", .form = "", .syntax = "{d,f,h}fadd", .unit = Unit::kL1bm, .prec_mask = kDfh, .doc = "Float sum in nodes of four; identity +0.",
   .source = "ISA 8.2", .evidence = Evidence::kSingle, .example = "l1bmrdfadd $lr0v $lb0", .questions = "Q14 Q15", .rrn = RrnOp::kFadd},
  {.name = "max", .form = "", .syntax = "{d,f,h}max", .unit = Unit::kL1bm, .prec_mask = kDfh,
   .doc = "Maximum of sign-magnitude words; identity all ones.", .source = "ISA 8.3", .evidence = Evidence::kSingle,
   .example = "l1bmrfmax $lr0v $lb0", .questions = "Q42", .rrn = RrnOp::kMax},
  {.name = "min", .form = "", .syntax = "{d,f,h}min", .unit = Unit::kL1bm, .prec_mask = kDfh,
   .doc = "Minimum of sign-magnitude words; identity 0x7ff...f.", .source = "ISA 8.3", .evidence = Evidence::kSingle,
   .example = "l1bmrfmin $lr0v $lb0", .questions = "Q42", .rrn = RrnOp::kMin},
  {.name = "iadd", .form = "", .syntax = "{l,i,s}iadd", .unit = Unit::kL1bm, .prec_mask = kLis, .doc = "Two's complement sum; identity 0.",
   .source = "ISA 8.3", .evidence = Evidence::kSingle, .example = "l1bmriiadd $lr0v $lb0", .questions = "Q42", .rrn = RrnOp::kIadd},
  {.name = "band", .form = "", .syntax = "{l,i,s}band", .unit = Unit::kL1bm, .prec_mask = kLis, .doc = "Bitwise and; identity all ones.",
   .source = "ISA 12 Q7", .evidence = Evidence::kSingle, .example = "l1bmriband $lr0v $lb0", .questions = "Q7", .rrn = RrnOp::kBand},
  {.name = "and", .form = "", .syntax = "{l,i,s}and", .unit = Unit::kL1bm, .prec_mask = kLis, .doc = "Logical and of element != 0; the value of true is open.",
   .source = "ISA 12 Q7", .evidence = Evidence::kUnknown, .example = "l1bmriand $lr0v $lb0", .questions = "Q7", .rrn = RrnOp::kAnd},
  {.name = "bor", .form = "", .syntax = "{l,i,s}bor", .unit = Unit::kL1bm, .prec_mask = kLis, .doc = "Bitwise or; identity 0.",
   .source = "ISA 12 Q7", .evidence = Evidence::kSingle, .example = "l1bmribor $lr0v $lb0", .questions = "Q7", .rrn = RrnOp::kBor},
  {.name = "or", .form = "", .syntax = "{l,i,s}or", .unit = Unit::kL1bm, .prec_mask = kLis, .doc = "Logical or of element != 0; the value of true is open.",
   .source = "ISA 12 Q7", .evidence = Evidence::kUnknown, .example = "l1bmrior $lr0v $lb0", .questions = "Q7", .rrn = RrnOp::kOr},
};
// clang-format on

}  // namespace

std::span<const InsnDef> l1bm_rows() { return kRows; }
std::span<const InsnDef> reductions() { return kReductions; }

}  // namespace kumihimo::mncore2::isa
