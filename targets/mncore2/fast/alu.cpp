#include "targets/mncore2/fast/alu.h"

#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::fast {
namespace {

using num::AluOp;

struct ElementRow {
  isa::SemFn sem;
  AluOp op;
};
constexpr ElementRow kElements[] = {
    {&sem::alu_passa, AluOp::kPassa}, {&sem::alu_inc, AluOp::kInc},     {&sem::alu_dec, AluOp::kDec},
    {&sem::alu_add, AluOp::kAdd},     {&sem::alu_sub, AluOp::kSub},     {&sem::alu_not, AluOp::kNot},
    {&sem::alu_lnot, AluOp::kLnot},   {&sem::alu_and, AluOp::kAnd},     {&sem::alu_or, AluOp::kOr},
    {&sem::alu_xor, AluOp::kXor},     {&sem::alu_lsl, AluOp::kLsl},     {&sem::alu_lsr, AluOp::kLsr},
    {&sem::alu_bsl, AluOp::kBsl},     {&sem::alu_bsr, AluOp::kBsr},     {&sem::alu_max, AluOp::kMax},
    {&sem::alu_min, AluOp::kMin},     {&sem::alu_rsqrt, AluOp::kRsqrt}, {&sem::alu_packbit, AluOp::kPackbit},
    {&sem::alu_floor, AluOp::kFloor}, {&sem::alu_ftoi, AluOp::kFtoi},
};

struct RowRow {
  isa::SemFn sem;
  RowForm form;
};
constexpr RowRow kRows[] = {
    {&sem::alu_zero, RowForm::kZero}, {&sem::alu_imm, RowForm::kImm}, {&sem::alu_immu, RowForm::kImmu},
    {&sem::alu_msl, RowForm::kMsl},   {&sem::alu_msr, RowForm::kMsr}, {&sem::alu_bfn, RowForm::kBfn},
    {&sem::alu_bfe, RowForm::kBfe},
};

}  // namespace

std::optional<AluOp> alu_element_op(const emu::Op& op) {
  const int variant = op.insn->def->variant;
  if (op.sem == &sem::alu_relu) return static_cast<AluOp>(static_cast<int>(AluOp::kRelu0) + variant);
  if (op.sem == &sem::alu_lrelu)
    return variant == 1 ? AluOp::kIlrelud : variant == -1 ? AluOp::kLrelud : AluOp::kLreluo;
  for (const ElementRow& row : kElements)
    if (row.sem == op.sem) return row.op;
  return std::nullopt;
}

RowForm alu_row_form(const emu::Op& op) {
  for (const RowRow& row : kRows)
    if (row.sem == op.sem) return row.form;
  return RowForm::kOther;
}

}  // namespace kumihimo::mncore2::fast
