// MAU rows (ISA 6): vector and matrix multiply-add, matrix-register writes and reads.
//
// Natural widths are per precision d, f, g, h. `r` after the name makes the result one width narrower, `e` after a
// source makes that source one width narrower, `r` after a half source reads a DLW of four singles.
#include "targets/mncore2/isa/catalogues.h"
#include "targets/mncore2/isa/row_tools.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::isa {
namespace {
using namespace row;

constexpr uint16_t kVectorOptions = kOptNarrow | kOptZeroFlush;
constexpr uint16_t kProductOptions = kVectorOptions | kOptHalfSelect;

// Factors of vector operations: LW in every precision.
constexpr OperandDef factor(std::string_view name) {
  return {.role = OperandRole::kPeSrc, .name = name, .width = all(L), .negate = true, .widen = kD | kF, .round = kH};
}
// Addends: as wide as the unrounded result, which for half factors is a DLW of singles; `e` there widens four halves.
constexpr OperandDef addend(std::string_view name) {
  return {.role = OperandRole::kPeSrc, .name = name, .width = dfgh(L, L, L, LL), .negate = true, .widen = kD | kF | kH};
}
constexpr OperandDef matrix_addend(std::string_view name) {
  return {.role = OperandRole::kPeSrc,
          .name = name,
          .width = dfgh(L, L, L, LL),
          .negate = true,
          .widen = kD | kF | kG | kH};
}
// The vector of a matrix operation is a block float: it can be negated, not converted.
constexpr OperandDef matrix_vector(std::string_view name) {
  return {.role = OperandRole::kPeSrc, .name = name, .width = dfgh(L, W, L, L), .negate = true};
}
constexpr OperandDef kWriteSrc = {.role = OperandRole::kPeSrc, .name = "X", .width = all(L), .round = kH};
constexpr OperandDef kMatrix = other(OperandRole::kMatrix, "A");
constexpr OperandDef kDst = pe_dst(dfgh(L, L, L, LL));
constexpr std::string_view kFlags = "output element is not negative (sign bit 0)";

// clang-format off
constexpr InsnDef kRows[] = {
  {.name = "vfma", .form = "", .syntax = "dvfma{u,d}[r] X Y Z DST... | {f,h}vfma[r] X Y Z DST...", .unit = Unit::kMauCalc,
   .prec_mask = kDfh, .options = kProductOptions, .sem = &sem::mau_vfma,
   .doc = "x*y + z elementwise; d multiplies in PEs 0,1 (u) or 2,3 (d) only, half products are added in single.",
   .source = "ISA 6.1, 8.4", .evidence = Evidence::kSingle, .example = "fvfma $lm0v $ln0v $lr0v $ls0v", .questions = "Q15 Q37",
   .srcs = {factor("X"), factor("Y"), addend("Z")}, .dst = kDst, .flags = kFlags, .code = "00"},
  {.name = "vmul", .form = "", .syntax = "dvmul{u,d}[r] X Y DST... | {f,h}vmul[r] X Y DST...", .unit = Unit::kMauCalc,
   .prec_mask = kDfh, .options = kProductOptions, .sem = &sem::mau_vmul, .doc = "x*y elementwise: vfma with addend 0.",
   .source = "ISA 6.1, 8.4", .evidence = Evidence::kSingle, .example = "fvmul $lm0v $ln0v $ls0v", .questions = "Q37",
   .srcs = {factor("X"), factor("Y")}, .dst = kDst, .flags = kFlags, .code = "01"},
  {.name = "vadd", .form = "", .syntax = "{d,f,h}vadd[r] X Z DST...", .unit = Unit::kMauCalc, .prec_mask = kDfh,
   .options = kVectorOptions, .sem = &sem::mau_vadd, .doc = "x + z elementwise: vfma with factor 1.", .source = "ISA 6.1, 12 Q23",
   .evidence = Evidence::kSingle, .example = "fvadd $lm0v $lr0v $ls0v", .questions = "Q15 Q23", .srcs = {factor("X"), addend("Z")}, .dst = kDst,
   .flags = kFlags, .code = "10"},
  {.name = "vpassa", .form = "", .syntax = "{d,f,h}vpassa[r] X DST...", .unit = Unit::kMauCalc, .prec_mask = kDfh,
   .options = kVectorOptions, .sem = &sem::mau_vpassa,
   .doc = "x normalised (zero exponent becomes +0); half becomes single, with r the result is one precision lower.",
   .source = "ISA 6.1, 8.1", .evidence = Evidence::kEmulator, .example = "dvpassar $lm0v $n0v", .srcs = {factor("X")}, .dst = kDst,
   .flags = kFlags, .code = "11"},
  {.name = "mfma", .form = "", .syntax = "dmfma{u,d}[r] A X Y DST... | {f,g,h}mfma[r] A X Y DST...", .unit = Unit::kMauCalc,
   .prec_mask = kDfgh, .options = kProductOptions, .sem = &sem::mau_mfma,
   .doc = "Matrix A times the block-float vector that the four PEs hold, plus y; d computes rows 0,1 (u) or 2,3 (d) only.",
   .source = "ISA 6.1, 8.6", .evidence = Evidence::kSingle, .example = "hmfma $lx $lm0v $llr0v $llr0v", .questions = "Q3 Q15 Q33 Q37",
   .srcs = {kMatrix, matrix_vector("X"), matrix_addend("Y")}, .dst = kDst, .flags = kFlags, .code = "00"},
  {.name = "mmul", .form = "", .syntax = "dmmul{u,d}[r] A X DST... | {f,g,h}mmul[r] A X DST...", .unit = Unit::kMauCalc,
   .prec_mask = kDfgh, .options = kProductOptions, .sem = &sem::mau_mmul, .doc = "As mfma with addend 0.",
   .source = "ISA 6.1, 8.6", .evidence = Evidence::kSingle, .example = "hmmul $lx $lm0v $llr0v", .questions = "Q3 Q15 Q33 Q37",
   .srcs = {kMatrix, matrix_vector("X")}, .dst = kDst, .flags = kFlags, .code = "01"},
  {.name = "mwrite", .form = "", .syntax = "{d,f,g}mwrite X $l{x,y}R | hmwrite X $l[l]{x,y}R", .unit = Unit::kMauWrite,
   .prec_mask = kDfgh, .sem = &sem::mau_mwrite,
   .doc = "Writes four rows (hmwrite to $ll: eight) of a matrix register, one (two) per cycle, from row R on; a pure bit copy.",
   .source = "ISA 6.2", .evidence = Evidence::kVendor, .example = "hmwrite $llm0v $llx0",
   .srcs = {kWriteSrc},
   .dst = other(OperandRole::kMatrixRow, "ROW")},
  // hmread to $ll is the documented form; $l is the dual of hmwrite to $l [I].
  {.name = "mread", .form = "", .syntax = "{d,f,g}mread $l{x,y}C DST... | hmread $l[l]{x,y}C DST...", .unit = Unit::kMauRead,
   .prec_mask = kDfgh, .options = kOptZeroFlush, .sem = &sem::mau_mread,
   .doc = "Reads four columns (hmread of $ll: eight) of a matrix register, one (two) per cycle, from column C on; written and read, a side is transposed.",
   .source = "ISA 6.2", .evidence = Evidence::kVendor, .example = "hmread $llx0 $llm0v", .questions = "Q41",
   .srcs = {other(OperandRole::kMatrixRow, "COLUMN")}, .dst = pe_dst(dfgh(L, L, L, LL))},
};
// clang-format on

}  // namespace

std::span<const InsnDef> mau_rows() { return kRows; }

}  // namespace kumihimo::mncore2::isa
