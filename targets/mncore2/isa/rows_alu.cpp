// ALU rows (ISA 7). SIMD over the MSB long word, 1, 2 or 4 elements by precision; the LSB long word of the result is
// the LSB long word of X, except in rows with whole_dlw.
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::isa {
namespace {
using namespace row;

constexpr uint16_t kFlush = kOptZeroFlush;
constexpr uint16_t kIntFlush = kOptUnsigned | kOptZeroFlush;
constexpr uint16_t kAll = kDfh | kLis;

// `r` rounds a DLW of four singles to the four halves that a half operation expects (ISA 7 [V]).
constexpr OperandDef kX = {.role = OperandRole::kAluX, .name = "X", .width = all(L), .round = kH};
constexpr OperandDef kY = {.role = OperandRole::kPeSrc, .name = "Y", .width = all(L), .round = kH};
constexpr OperandDef kDst = pe_dst();

// clang-format off
constexpr InsnDef kRows[] = {
  {.name = "zero", .form = "", .syntax = "zero DST...", .unit = Unit::kAlu, .options = kFlush, .sem = &sem::alu_zero,
   .doc = "All bits of the double long word are 0.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "zero $lr0v", .dst = kDst, .whole_dlw = true},
  {.name = "imm", .form = "", .syntax = "imm LITERAL DST...", .unit = Unit::kAlu, .options = kFlush, .sem = &sem::alu_imm,
   .doc = "The 32-bit literal x in all four words: x x x x.", .source = "ISA 3.4", .evidence = Evidence::kVendor,
   .example = "imm f\"0.5\" $lr0v", .questions = "Q31", .srcs = {other(OperandRole::kLiteral, "LITERAL")}, .dst = kDst, .whole_dlw = true, .code = "11111"},
  {.name = "immu", .form = "", .syntax = "immu LITERAL DST...", .unit = Unit::kAlu, .options = kFlush, .sem = &sem::alu_immu,
   .doc = "The 32-bit literal x in the MSB word of both long words: x 0 x 0.", .source = "ISA 3.4",
   .evidence = Evidence::kVendor, .example = "immu i\"0x40000000\" $lr0v", .questions = "Q31",
   .srcs = {other(OperandRole::kLiteral, "LITERAL")}, .dst = kDst, .whole_dlw = true},
  {.name = "passa", .form = "", .syntax = "{l,i,s,d,f,h}passa X DST...", .unit = Unit::kAlu, .prec_mask = kAll, .options = kFlush,
   .sem = &sem::alu_passa, .doc = "Copies the double long word bit by bit.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "lpassa $lm0v $ln0v", .srcs = {kX}, .dst = kDst, .flags = "element of the MSB long word is 0", .whole_dlw = true, .code = "01010"},
  {.name = "msl", .form = "", .syntax = "msl X DST...", .unit = Unit::kAlu, .options = kFlush, .sem = &sem::alu_msl,
   .doc = "PE p receives the long word of PE (p-1) mod 4 of its MAB.", .source = "ISA 7", .evidence = Evidence::kDevice,
   .example = "msl $lr0v $lr8v", .srcs = {kX}, .dst = kDst},
  {.name = "msr", .form = "", .syntax = "msr X DST...", .unit = Unit::kAlu, .options = kFlush, .sem = &sem::alu_msr,
   .doc = "PE p receives the long word of PE (p+1) mod 4 of its MAB.", .source = "ISA 7", .evidence = Evidence::kDevice,
   .example = "msr $lr0v $lr8v", .srcs = {kX}, .dst = kDst},
  {.name = "inc", .form = "", .syntax = "[u]{l,i,s}inc X DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kIntFlush,
   .sem = &sem::alu_inc, .doc = "x + 1.", .source = "ISA 7", .evidence = Evidence::kVendor, .example = "linc $lr0 $lr0",
   .srcs = {kX}, .dst = kDst, .flags = "signed: result >= 0; u: no overflow"},
  {.name = "dec", .form = "", .syntax = "[u]{l,i,s}dec X DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kIntFlush,
   .sem = &sem::alu_dec, .doc = "x - 1.", .source = "ISA 7", .evidence = Evidence::kVendor, .example = "idec $lr0 $lr0",
   .srcs = {kX}, .dst = kDst, .flags = "signed: result >= 0; u: no overflow"},
  {.name = "add", .form = "", .syntax = "[u]{l,i,s}add X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kIntFlush,
   .sem = &sem::alu_add, .doc = "x + y, two's complement.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "iadd $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "signed: result >= 0; u: no overflow"},
  {.name = "sub", .form = "", .syntax = "[u]{l,i,s}sub X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kIntFlush,
   .sem = &sem::alu_sub, .doc = "x - y, two's complement.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "isub $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "signed: result >= 0; u: no overflow"},
  {.name = "not", .form = "", .syntax = "{l,i,s}not X DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_not, .doc = "Bitwise complement.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "lnot $lr0v $lr8v", .srcs = {kX}, .dst = kDst, .flags = "result is 0"},
  {.name = "lnot", .form = "", .syntax = "{l,i,s}lnot X DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_lnot, .doc = "1 where x is 0, else 0.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "ilnot $lr0v $lr8v", .srcs = {kX}, .dst = kDst, .flags = "result is 0"},
  {.name = "and", .form = "", .syntax = "{l,i,s}and X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_and, .doc = "Bitwise and.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "iand $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "or", .form = "", .syntax = "{l,i,s}or X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_or, .doc = "Bitwise or.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "ior $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "xor", .form = "", .syntax = "{l,i,s}xor X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_xor, .doc = "Bitwise exclusive or.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "lxor $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "lsl", .form = "", .syntax = "{l,i,s}lsl X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_lsl, .doc = "x shifted left by y; amounts of the width or more are open question Q20.", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "ilsl $lr0v $ls0v $lr8v", .questions = "Q20", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "lsr", .form = "", .syntax = "[u]{l,i,s}lsr X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kIntFlush,
   .sem = &sem::alu_lsr, .doc = "x shifted right by y, arithmetic; with u logical. Amounts of the width or more: Q20.",
   .source = "ISA 7", .evidence = Evidence::kVendor, .example = "uilsr $lr0v $ls0v $lr8v", .questions = "Q20", .srcs = {kX, kY}, .dst = kDst,
   .flags = "result is 0"},
  {.name = "bsl", .form = "", .syntax = "{l,i,s}bsl X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_bsl, .doc = "x rotated left by y.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "ibsl $lr0v $ls0v $lr8v", .questions = "Q20", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "bsr", .form = "", .syntax = "{l,i,s}bsr X Y DST...", .unit = Unit::kAlu, .prec_mask = kLis, .options = kFlush,
   .sem = &sem::alu_bsr, .doc = "x rotated right by y.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "ibsr $lr0v $ls0v $lr8v", .questions = "Q20", .srcs = {kX, kY}, .dst = kDst, .flags = "result is 0"},
  {.name = "max", .form = "", .syntax = "[u]{l,i,s}max X Y DST... | {d,f,h}max X Y DST...", .unit = Unit::kAlu,
   .prec_mask = kAll, .options = kIntFlush, .sem = &sem::alu_max,
   .doc = "The larger element. Floats are not IEEE: both zero gives x, infinities of one sign compare their mantissas.",
   .source = "ISA 7", .evidence = Evidence::kVendor, .example = "fmax $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst,
   .flags = "x was chosen, or x equals y"},
  {.name = "min", .form = "", .syntax = "[u]{l,i,s}min X Y DST... | {d,f,h}min X Y DST...", .unit = Unit::kAlu,
   .prec_mask = kAll, .options = kIntFlush, .sem = &sem::alu_min,
   .doc = "The smaller element. Floats are not IEEE: both zero gives x, infinities of one sign compare their mantissas.",
   .source = "ISA 7", .evidence = Evidence::kVendor, .example = "fmin $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst,
   .flags = "x was chosen, or x equals y"},
  {.name = "packbit", .form = "", .syntax = "{l,i,s,d,f,h}packbit X Y DST...", .unit = Unit::kAlu, .prec_mask = kAll,
   .options = kFlush, .sem = &sem::alu_packbit, .doc = "x shifted left by one with the MSB of y as new LSB.", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "ipackbit $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "MSB of y is 0"},
  {.name = "relu", .form = "", .syntax = "{d,f,h}relu X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_relu, .doc = "y where the MSB of x is 0, else -0.", .source = "ISA 7, 12 Q19", .evidence = Evidence::kVendor,
   .example = "frelu $lr0v $ls0v $lr8v", .questions = "Q19", .srcs = {kX, kY}, .dst = kDst, .flags = "MSB of x is 0", .variant = 0, .alias = "relu0"},
  {.name = "relu1", .form = "", .syntax = "{d,f,h}relu1 X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_relu, .doc = "y where the second MSB of x is 0, else -0.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "frelu1 $lr0v $ls0v $lr8v", .questions = "Q19", .srcs = {kX, kY}, .dst = kDst, .flags = "second MSB of x is 0", .variant = 1},
  {.name = "relu2", .form = "", .syntax = "{d,f,h}relu2 X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_relu, .doc = "y where the third MSB of x is 0, else -0.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "frelu2 $lr0v $ls0v $lr8v", .questions = "Q19", .srcs = {kX, kY}, .dst = kDst, .flags = "third MSB of x is 0", .variant = 2},
  {.name = "relu3", .form = "", .syntax = "{d,f,h}relu3 X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_relu, .doc = "y where the fourth MSB of x is 0, else -0.", .source = "ISA 7", .evidence = Evidence::kVendor,
   .example = "frelu3 $lr0v $ls0v $lr8v", .questions = "Q19", .srcs = {kX, kY}, .dst = kDst, .flags = "fourth MSB of x is 0", .variant = 3},
  {.name = "lrelud", .form = "", .syntax = "{d,f,h}lrelud X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_lrelu, .doc = "y where the MSB of x is 0, else y/2 (exponent less 1).", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "flrelud $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "MSB of x is 0",
   .variant = -1},
  {.name = "lreluo", .form = "", .syntax = "{d,f,h}lreluo X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_lrelu, .doc = "y where the MSB of x is 0, else y/8 (exponent less 3).", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "flreluo $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "MSB of x is 0",
   .variant = -3},
  {.name = "ilrelud", .form = "", .syntax = "{d,f,h}ilrelud X Y DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_lrelu, .doc = "y where the MSB of x is 0, else 2y (exponent plus 1).", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "filrelud $lr0v $ls0v $lr8v", .srcs = {kX, kY}, .dst = kDst, .flags = "MSB of x is 0",
   .variant = 1},
  {.name = "rsqrt", .form = "", .syntax = "{d,f,h}rsqrt X DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_rsqrt,
   .doc = "About 1/sqrt(|x|), five bits, the start of Newton steps; the machine's exact bits are open question Q1.",
   .source = "ISA 7, 12 Q1", .evidence = Evidence::kUnknown, .example = "hrsqrt $llr0vr $lm0v", .questions = "Q1", .srcs = {kX}, .dst = kDst,
   .flags = "MSB of x is 0", .code = "10000"},
  {.name = "floor", .form = "", .syntax = "{d,f,h}floor X DST...", .unit = Unit::kAlu, .prec_mask = kDfh, .options = kFlush,
   .sem = &sem::alu_floor, .doc = "Rounds toward minus infinity; infinities and zeros pass.", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "ffloor $lr0v $lr8v", .srcs = {kX}, .dst = kDst},
  {.name = "ftoi", .form = "", .syntax = "[u]{d,f,h}ftoi X DST...", .unit = Unit::kAlu, .prec_mask = kDfh,
   .options = kOptFloatUnsigned | kOptZeroFlush, .sem = &sem::alu_ftoi,
   .doc = "Truncates to an integer of the same width and saturates; with u converts |x| to unsigned.", .source = "ISA 7",
   .evidence = Evidence::kVendor, .example = "fftoi $lr0v $lr8v", .srcs = {kX}, .dst = kDst},
  {.name = "bfn", .form = "", .syntax = "{d,f,g}bfn X DST... | hbfn/n X DST...", .unit = Unit::kAlu, .prec_mask = kDfgh,
   .options = kOptBfBits | kOptZeroFlush, .sem = &sem::alu_bfn,
   .doc = "Converts the block held by the four PEs to block float; in precision h both long words, each as its own block.",
   .source = "ISA 7, 8.5", .evidence = Evidence::kSingle, .example = "hbfn/9 $lm0v $ln0v", .questions = "Q2 Q40", .srcs = {kX}, .dst = kDst, .code = "11110"},
  {.name = "bfe", .form = "", .syntax = "hbfe/n X DST...", .unit = Unit::kAlu, .prec_mask = kH,
   .options = kOptBfBits | kOptZeroFlush, .sem = &sem::alu_bfe,
   .doc = "As hbfn, with small elements kept by the extended representation (exponent field 0 stands for E-6).",
   .source = "ISA 2.4, 8.5", .evidence = Evidence::kSingle, .example = "hbfe/9 $lm0v $ln0v", .questions = "Q2", .srcs = {kX}, .dst = kDst,
   .whole_dlw = true, .code = "11101"},
};
// clang-format on

}  // namespace

std::span<const InsnDef> alu_rows() { return kRows; }

}  // namespace kumihimo::mncore2::isa
