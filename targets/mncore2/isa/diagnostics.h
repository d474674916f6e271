// Diagnostic rows of the assembly language (K30xx text, K31xx operands, K312x parallel issue) and of the hazard checker
// (K32xx). Code refers to rows by these names, so a misspelt code does not compile.
#pragma once

#include <span>

#include "core/diag/diagnostic.h"

namespace kumihimo::mncore2::isa::diag {

#define KMH_MNCORE2_DIAGNOSTICS(ROW)                                                                                   \
  ROW(kUnknownInstruction, "K3001", "asm_unknown_instruction", "The first word of an expression is a mnemonic.")       \
  ROW(kSyntax, "K3002", "asm_syntax", "The text follows the grammar of the assembly language.")                        \
  ROW(kNumber, "K3003", "asm_number", "A number has the digits and the range that its place allows.")                  \
  ROW(kUnknownOperand, "K3004", "asm_unknown_operand", "An operand names a memory, a constant or a forwarding path.")  \
  ROW(kOption, "K3005", "asm_option", "A mnemonic takes the options of its row, and those that are required.")         \
  ROW(kOperands, "K3006", "asm_operands", "The operands fit one of the forms of the instruction.")                     \
  ROW(kLiteral, "K3007", "asm_literal", "A literal is a type letter and quoted text of at most 32 bits.")              \
  ROW(kDebug, "K3008", "asm_debug", "A debug statement is `d get[type] MEM COUNT` or `d set MEM COUNT PAYLOAD`.")      \
  ROW(kPayload, "K3009", "asm_payload", "A payload has exactly the long words that its count asks for.")               \
  ROW(kMaskStatement, "K3010", "asm_mask_statement",                                                                   \
      "A mask statement is `mask[l|ll][rstmnk] N` with N from 0 to 31.")                                               \
  ROW(kHostRow, "K3011", "asm_host_row", "An input line is `r GROUP ADDRESS COUNT HEX`.")                              \
  ROW(kUnsupported, "K3012", "asm_unsupported", "The statement is part of the language and not implemented.")          \
  ROW(kMisaligned, "K3101", "asm_misaligned", "Addresses are multiples of the access width or the row's alignment.")   \
  ROW(kAddressRange, "K3102", "asm_address_range", "Addresses lie inside their memory.")                               \
  ROW(kOperandKind, "K3103", "asm_operand_kind", "Each operand position takes certain memories only.")                 \
  ROW(kNowrite, "K3104", "asm_nowrite", "$nowrite is the only destination where it is used.")                          \
  ROW(kModifier, "K3105", "asm_modifier", "Modifiers -, e, r, j and masks stand only where the row allows them.")      \
  ROW(kPrecision, "K3106", "asm_precision", "An instruction exists in certain precisions only.")                       \
  ROW(kMvSize, "K3107", "asm_mv_size", "The size of an MV is a positive multiple of its unit and fits its memories.")  \
  ROW(kStride, "K3108", "asm_stride", "A stride is a multiple of the access width and fits its field.")                \
  ROW(kWidth, "K3109", "asm_width", "The access width exists for this operand of this instruction.")                   \
  ROW(kOptionRange, "K3110", "asm_option_range", "Option values lie in their range.")                                  \
  ROW(kIssueGroup, "K3120", "issue_group", "A step holds at most one instruction of each issue group.")                \
  ROW(kNopAlone, "K3121", "issue_nop_alone", "nop may only be accompanied by wait.")                                   \
  ROW(kMauPair, "K3122", "issue_mau_pair",                                                                             \
      "A step holds at most two of MAU calculation, matrix write and matrix read, of one precision.")                  \
  ROW(kSharedSource, "K3123", "issue_shared_source",                                                                   \
      "vfma and vmul share their second source with a matrix write of the step: it must be the same operand.")         \
  ROW(kMatrixSide, "K3124", "issue_matrix_side", "Each of $x and $y appears at most once in a step.")                  \
  ROW(kWriteConflict, "K3125", "issue_write_conflict", "A memory is written by at most one operand of a step.")        \
  ROW(kReadConflict, "K3126", "issue_read_conflict",                                                                   \
      "All readers of one memory in a step read the same addresses with the same width in all four cycles.")           \
  ROW(kLmShared, "K3127", "issue_lm_shared",                                                                           \
      "An LM that is read and written in one step is read and written at the same region in every cycle.")             \
  ROW(kImmLm0, "K3128", "issue_imm_lm0", "imm excludes every access to LM0 in its step.")                              \
  ROW(kMaskConflict, "K3129", "issue_mask_conflict",                                                                   \
      "All masks of a step use one entry and one width, and at most one instruction has a zero flush.")                \
  ROW(kWaitAlone, "K3130", "issue_wait_alone", "wait needs a companion in its step and a tag other than 0.")           \
  ROW(kStepShape, "K3131", "issue_step_shape", "A PE line holds PE instructions, an MV line exactly one MV.")          \
  ROW(kTurnaroundPair, "K3132", "issue_turnaround",                                                                    \
      "Beside a turnaround read stands no other read of L1BM, and no upload of another turnaround type.")              \
  ROW(kHazardPort, "K3201", "hazard_port", "After a write, the port of the memory is busy for some steps.")            \
  ROW(kHazardData, "K3202", "hazard_data", "A written address may be read some cycles later only.")                    \
  ROW(kHazardMv, "K3203", "hazard_mv", "Words of an MV are touched only after the wait for its tag.")                  \
  ROW(kHazardMvUntagged, "K3204", "hazard_mv_untagged", "An MV without a tag cannot be waited for.")                   \
  ROW(kHazardTag, "K3205", "hazard_tag", "A wait names a tag that an earlier MV carries.")                             \
  ROW(kHazardForward, "K3206", "hazard_forward", "A forwarding path is read in the step after its unit worked.")       \
  ROW(kLintWidth, "K3207", "lint_width", "A MAU operand has the width of its values.")                                 \
  ROW(kLintFlags, "K3208", "lint_flags", "A mask register is written by instructions that produce flags.")             \
  ROW(kLintMatrixPrecision, "K3209", "lint_matrix_precision",                                                          \
      "A matrix register is read in the precision of its write.")                                                      \
  ROW(kLintAlignment, "K3210", "lint_alignment",                                                                       \
      "Addresses of L1BM and of run time keep the alignment of their access.")                                         \
  ROW(kLintOpenQuestion, "K3211", "lint_open_question", "The behaviour of this instruction is not known for certain.") \
  ROW(kLintTurnaround, "K3212", "lint_turnaround", "A turnaround read follows an upload of its own type.")             \
  ROW(kLintRange, "K3213", "lint_range", "A transfer ends inside its memories.")                                       \
  ROW(kLintUndefined, "K3214", "lint_undefined",                                                                       \
      "Words that nothing has written reach no dump, no address and no sum or block with written ones.")               \
  ROW(kLintDeadWrite, "K3215", "lint_dead_write", "What is written is read before it is overwritten.")                 \
  ROW(kLintPair, "K3216", "lint_pair", "Lines that fit into one step take one step.")                                  \
  ROW(kLintMaskWidth, "K3217", "lint_mask_width", "The bits of a mask stand for the elements that it guards.")         \
  ROW(kObjectFormat, "K3301", "object_format", "An object file holds statements that the assembler accepts.")          \
  ROW(kObjectVersion, "K3302", "object_version", "An object file has a version that this program reads.")              \
  ROW(kObjectDamaged, "K3303", "object_damaged", "An object file is whole and as it was written.")

#define KMH_ROW(ID, CODE, NAME, RULE) extern const DiagDef ID;
KMH_MNCORE2_DIAGNOSTICS(KMH_ROW)
#undef KMH_ROW

// All rows; the target registers them together with its other rows.
std::span<const DiagDef* const> all();
void register_all();

}  // namespace kumihimo::mncore2::isa::diag
