// Operand rules: kinds, widths, alignment, ranges, modifiers and options of one instruction.
#include <string>

#include "targets/mncore2/isa/check_internal.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::isa {
namespace {

// Strides are encoded in units of the access width (ISA 10.2 [X]): 11 bits for LM, 8 for GRF.
constexpr int kLmStrideUnits = 2048, kGrfStrideUnits = 256;

struct Checker {
  const Insn& insn;
  int index;
  std::vector<Violation>& out;

  void say(const DiagDef& def, int operand, std::string headline, std::string observed = {},
           std::string required = {}) {
    report(out, def, index, operand, std::move(headline), std::move(observed), std::move(required));
  }

  bool is_lm(Mem mem) const { return mem == Mem::kLm0 || mem == Mem::kLm1; }

  void check_pe_address(const Operand& op, int at) {
    const int unit = width_words(op.width);
    const int64_t limit = address_count(op.mem);
    const bool stride_mode = op.mode == AddrMode::kStride;
    if (stride_mode) {
      const int units = is_lm(op.mem) ? kLmStrideUnits : kGrfStrideUnits;
      if (op.stride < 0 || op.stride % unit != 0 || op.stride / unit >= units) {
        say(diag::kStride, at, "stride does not fit", cat("v", op.stride),
            cat("a multiple of ", unit, " below ", units * unit));
        return;
      }
      if (!op.explicit_stride && op.stride != unit) {
        say(diag::kStride, at, "v without a number has the stride of the access width", std::to_string(op.stride),
            std::to_string(unit));
        return;
      }
    }
    for (size_t c = 0; c < 4; ++c) {
      if (op.addr[c] < 0 || op.addr[c] >= limit) {
        say(diag::kAddressRange, at, cat("address outside ", memory(op.mem).name), std::to_string(op.addr[c]),
            cat("0 to ", limit - 1));
        return;
      }
      if (op.addr[c] % unit != 0) {
        say(diag::kMisaligned, at, "misaligned address", cat(print(op), ": word address ", op.addr[c]),
            cat("a multiple of ", unit, unit == 2 ? " for a long word" : " for a double long word"));
        return;
      }
      if (op.mode == AddrMode::kFixed && op.addr[c] != op.addr[0]) {
        say(diag::kStride, at, "an operand without v or list has one address for all four cycles");
        return;
      }
      if (stride_mode && op.addr[c] != (op.addr[0] + op.stride * static_cast<int64_t>(c)) % limit) {
        say(diag::kStride, at, "addresses of the cycles do not follow base and stride");
        return;
      }
    }
    if (op.t_indirect && op.mem != Mem::kLm0)
      say(diag::kModifier, at, "T-indirect addressing exists for LM0 only", print(op), "$lmt...");
    if (op.j >= 0) {
      if (!is_lm(op.mem)) say(diag::kModifier, at, "the j suffix exists for LM only", print(op), "$lm0j2");
      if (op.j > 3) say(diag::kModifier, at, "the j suffix names a PE of the MAB", std::to_string(op.j), "0 to 3");
      if (op.t_indirect) say(diag::kModifier, at, "T-indirect addressing and j exclude each other", print(op));
    }
  }

  void check_plain_modifiers(const Operand& op, int at, bool is_dst) {
    if (op.group >= 0 || op.sub >= 0) say(diag::kModifier, at, "@ selects groups in MV instructions only", print(op));
    if (is_dst && (op.negate || op.convert != 0))
      say(diag::kModifier, at, "-, e and r stand on sources only", print(op));
    if (!is_dst && op.mask.present) say(diag::kModifier, at, "a mask stands on a destination", print(op));
  }

  void check_source_modifiers(const Operand& op, const OperandDef& def, int at) {
    check_plain_modifiers(op, at, false);
    if (op.negate && !def.negate)
      say(diag::kModifier, at, "this source cannot be negated", print(op), "- on the sources of MAU calculations");
    const uint16_t bit = prec_bit(insn.prec);
    if (op.convert == 'e' && (def.widen & bit) == 0)
      say(diag::kModifier, at, "this source cannot be widened with e", print(op));
    if (op.convert == 'r' && (def.round & bit) == 0)
      say(diag::kModifier, at, "this source cannot be rounded with r", print(op),
          "r on a source that takes ordinary halves");
  }

  void check_pe_source(const Operand& op, const OperandDef& def, int at) {
    switch (memory(op.mem).cls) {
      case MemClass::kPe: check_pe_address(op, at); break;
      case MemClass::kT: break;
      case MemClass::kForward:
        if (op.mem == Mem::kMreadf && def.role != OperandRole::kAluX)
          say(diag::kOperandKind, at, "$mreadf can only be the first input of an ALU instruction", print(op));
        break;
      case MemClass::kConstant:
        if (def.role != OperandRole::kAluX)
          say(diag::kOperandKind, at, "a constant can only be the first input of an ALU instruction", print(op),
              "copy it to a register with lpassa first");
        break;
      default:
        say(diag::kOperandKind, at, "operand cannot be a source here", print(op),
            def.role == OperandRole::kAluX ? "PE memory, T, forwarding or constant" : "PE memory, T or forwarding");
        return;
    }
    check_source_modifiers(op, def, at);
  }

  void check_pe_destination(const Operand& op, int at) {
    switch (memory(op.mem).cls) {
      case MemClass::kPe: check_pe_address(op, at); break;
      case MemClass::kT:
      case MemClass::kBar: break;
      case MemClass::kOmr:
        if (insn.def->unit != Unit::kAlu && insn.def->unit != Unit::kMauCalc)
          say(diag::kOperandKind, at, "only ALU and MAU calculations write mask registers", print(op));
        if (op.addr[0] < 1 || op.addr[0] > 15)
          say(diag::kAddressRange, at, "mask register cannot be written", print(op), "$omr1 to $omr15");
        break;
      case MemClass::kNowrite:
        if (insn.dsts.size() != 1) say(diag::kNowrite, at, "$nowrite stands beside other destinations");
        if (op.mask.present) say(diag::kModifier, at, "$nowrite has no mask", print(op));
        break;
      default:
        say(diag::kOperandKind, at, "operand cannot be a destination here", print(op),
            "PE memory, T, BAR, OMR or $nowrite");
        return;
    }
    check_plain_modifiers(op, at, true);
    if (op.mask.present) check_mask(op.mask, at);
  }

  void check_mask(const MaskSpec& mask, int at) {
    if (mask.entry > 31) say(diag::kOptionRange, at, "mask entry out of range", std::to_string(mask.entry), "0 to 31");
  }

  void check_matrix(const Operand& op, int at, bool row) {
    if (op.mem != Mem::kMatX && op.mem != Mem::kMatY) {
      say(diag::kOperandKind, at, "a matrix register is needed", print(op), row ? "$lx0" : "$lx or $ly");
      return;
    }
    check_plain_modifiers(op, at, false);
    if (op.negate || op.convert != 0) say(diag::kModifier, at, "a matrix has no modifiers", print(op));
    if (!row) {
      if (op.width != Width::kLw)
        say(diag::kWidth, at, "the matrix of a multiplication is written $lx or $ly", print(op));
      return;
    }
    const int rows = insn.prec == Prec::kD ? 4 : insn.prec == Prec::kH ? 16 : 8;
    if (op.addr[0] < 0 || op.addr[0] >= rows)
      say(diag::kAddressRange, at, "matrix row out of range", std::to_string(op.addr[0]), cat("0 to ", rows - 1));
    if (op.width == Width::kW) say(diag::kWidth, at, "matrix rows are written $lx or $llx", print(op));
    if (op.width == Width::kDlw) {
      if (insn.prec != Prec::kH)
        say(diag::kWidth, at, "only half matrices are written two rows per cycle", print(op), "$l");
      if (op.addr[0] % 2 != 0) say(diag::kMisaligned, at, "$ll needs an even matrix row", std::to_string(op.addr[0]));
    }
  }

  void check_aligned(const Operand& op, int at, int align) {
    const int64_t limit = address_count(op.mem);
    if (op.addr[0] < 0 || op.addr[0] >= limit)
      say(diag::kAddressRange, at, cat("address outside ", memory(op.mem).name), std::to_string(op.addr[0]),
          cat("0 to ", limit - 1));
    else if (op.addr[0] % align != 0)
      say(diag::kMisaligned, at, cat("misaligned ", memory(op.mem).name, " address"), std::to_string(op.addr[0]),
          cat("a multiple of ", align));
  }

  void check_l1bm(const Operand& op, int at, OperandRole role, bool is_dst) {
    const bool is_addr = op.mem == Mem::kL1bm, is_turn = op.mem == Mem::kTurnaround;
    const bool addr_ok = role == OperandRole::kL1bmAddr || role == OperandRole::kL1bmOrTurnaround;
    const bool turn_ok = role == OperandRole::kTurnaround || role == OperandRole::kL1bmOrTurnaround;
    if (!(is_addr && addr_ok) && !(is_turn && turn_ok)) {
      say(diag::kOperandKind, at, "an L1BM operand is needed", print(op), addr_ok ? "$lb0" : "$lbi");
      return;
    }
    check_plain_modifiers(op, at, is_dst);
    if (op.negate || op.convert != 0) say(diag::kModifier, at, "L1BM operands have no modifiers", print(op));
    if (op.mask.present) say(diag::kModifier, at, "writes to L1BM are never masked", print(op));
    if (insn.def->unit == Unit::kL2bm) {
      if (op.width != Width::kLw) say(diag::kWidth, at, "L2BM instructions take $lb", print(op), "$lb");
      if (is_addr) check_aligned(op, at, insn.def->l2bm.align_b);
      return;
    }
    const L1bmColumns& columns = insn.def->l1bm;
    const bool dlw = op.width == Width::kDlw;
    if (op.width == Width::kW || (dlw && columns.dlw.cycle == 0)) {
      say(diag::kWidth, at, "this instruction has no such L1BM width", print(op),
          columns.dlw.cycle == 0 ? "$lb" : "$lb or $llb");
      return;
    }
    if (dlw && insn.reduce != nullptr) {
      // ISA 5.3: the double-long-word form of a reduction exists for f operations and any bor.
      const bool f_op = insn.prec == Prec::kF;
      if (!f_op && insn.reduce->rrn != RrnOp::kBor)
        say(diag::kWidth, at, "this reduction has no $llb form", print(op), "f operations and bor");
    }
    if (is_addr) check_aligned(op, at, dlw ? columns.align_dlw : columns.align_lw);
  }

  void check_mv(const Operand& op, int at, const MvSide& side) {
    if (mv_memory(op.mem) != side.mem) {
      say(diag::kOperandKind, at, "memory does not fit this transfer", print(op), std::string(memory(side.mem).name));
      return;
    }
    if (op.negate || op.convert != 0 || op.mask.present)
      say(diag::kModifier, at, "MV operands have no modifiers", print(op));
    const int64_t limit = address_count(op.mem);
    if (op.addr[0] < 0 || op.addr[0] >= limit)
      say(diag::kAddressRange, at, cat("address outside ", memory(op.mem).name), std::to_string(op.addr[0]),
          cat("0 to ", limit - 1));
    const bool needs_group = side.instances == MvInstances::kOneGroup || side.instances == MvInstances::kOneL2b;
    bool needs_sub = side.instances == MvInstances::kOneL2b || side.instances == MvInstances::kOneL2bInGroup;
    // The form without a selector of ISA 12 Q6 stands for @.0.
    if (insn.def->form == "lc>d") needs_sub = false;
    if (needs_group != (op.group >= 0) || needs_sub != (op.sub >= 0))
      say(diag::kOperandKind, at, "group selector does not fit this transfer", print(op),
          std::string(insn.def->syntax));
    if (op.group > 3) say(diag::kOptionRange, at, "group out of range", std::to_string(op.group), "0 to 3");
    if (op.sub > 1) say(diag::kOptionRange, at, "L2B of a group out of range", std::to_string(op.sub), "0 or 1");
  }

  void check_operand(const Operand& op, const OperandDef& def, int at, bool is_dst) {
    switch (def.role) {
      case OperandRole::kPeSrc:
      case OperandRole::kAluX: return check_pe_source(op, def, at);
      case OperandRole::kPeDst: return check_pe_destination(op, at);
      case OperandRole::kMatrix: return check_matrix(op, at, false);
      case OperandRole::kMatrixRow: return check_matrix(op, at, true);
      case OperandRole::kL1bmAddr:
      case OperandRole::kTurnaround:
      case OperandRole::kL1bmOrTurnaround: return check_l1bm(op, at, def.role, is_dst);
      case OperandRole::kL2bmAddr:
        if (op.mem != Mem::kL2bm) return say(diag::kOperandKind, at, "an L2BM operand is needed", print(op), "$lc0");
        if (insn.def->dst.role == OperandRole::kDarAddr) {
          // Every group reads its own L2BM s.
          if (op.group >= 0 || op.sub < 0)
            say(diag::kOperandKind, at, "the L2B of every group is selected with @.0 or @.1", print(op),
                std::string(insn.def->syntax));
          if (op.sub > 1) say(diag::kOptionRange, at, "L2B of a group out of range", std::to_string(op.sub), "0 or 1");
          return check_aligned(op, at, insn.def->l2bm.align_c);
        }
        check_plain_modifiers(op, at, is_dst);
        if (op.mask.present) say(diag::kModifier, at, "writes to L2BM are never masked", print(op));
        return check_aligned(op, at, insn.def->l2bm.align_c);
      case OperandRole::kMvMem: return check_mv(op, at, is_dst ? insn.def->mv.dst : insn.def->mv.src);
      case OperandRole::kDarAddr:
        if (op.mem != Mem::kDar) return say(diag::kOperandKind, at, "a DAR entry is needed", print(op), "$dar0");
        check_plain_modifiers(op, at, is_dst);
        if (op.mask.present) say(diag::kModifier, at, "writes to DAR are never masked", print(op));
        return check_aligned(op, at, 1);
      case OperandRole::kLiteral:
      case OperandRole::kTag:
      case OperandRole::kCount:
      case OperandRole::kNone: return say(diag::kOperands, at, "no operand stands here", print(op));
    }
  }

  void check_options() {
    const InsnDef& def = *insn.def;
    const bool half = insn.prec == Prec::kH;
    const uint16_t precs = insn.reduce != nullptr ? insn.reduce->prec_mask : def.prec_mask;
    const bool prec_ok =
        precs == 0 ? insn.prec == Prec::kNone : (precs & prec_bit(insn.prec)) != 0 && insn.prec != Prec::kNone;
    if (!prec_ok)
      say(diag::kPrecision, -1, "the instruction does not exist in this precision", stem_of(insn),
          std::string(def.syntax));
    if (def.allows(kOptReduce) != (insn.reduce != nullptr))
      say(diag::kOption, -1, "a reduction is needed", stem_of(insn), std::string(def.syntax));
    if (insn.is_unsigned && !def.allows(is_integer(insn.prec) ? kOptUnsigned : kOptFloatUnsigned))
      say(diag::kOption, -1, "the instruction has no unsigned form", stem_of(insn));
    const bool needs_half_select = def.allows(kOptHalfSelect) && insn.prec == Prec::kD;
    if (needs_half_select != (insn.half_select != 0))
      say(diag::kOption, -1,
          needs_half_select ? "double multiplications need u or d" : "u and d belong to double multiplications",
          stem_of(insn));
    if (insn.narrow && !def.allows(kOptNarrow))
      say(diag::kOption, -1, "the result of this instruction cannot be rounded with r", stem_of(insn));
    if (insn.narrow && insn.reduce != nullptr && insn.prec != Prec::kF)
      say(diag::kOption, -1, "only single reductions are rounded with r", stem_of(insn));
    const bool needs_bits = def.allows(kOptBfBits) && half;
    if (needs_bits ? insn.bf_bits < 6 || insn.bf_bits > 9 : insn.bf_bits != 0)
      say(diag::kOptionRange, -1,
          needs_bits ? "half block floats need their mantissa bits" : "mantissa bits belong to half block floats",
          cat("/", insn.bf_bits), needs_bits ? "/6 to /9" : "none");
    // Rows by groups of four MABs name a MAB of the group.
    const int mabs = def.l1bm.lw.quad != 0 ? 4 : 16;
    const int mab_limit = def.allows(kOptMab) ? mabs : def.allows(kOptL1bIndex) ? 8 : 0;
    if (mab_limit == 0 ? insn.mab >= 0 : insn.mab < 0 || insn.mab >= mab_limit)
      say(diag::kOptionRange, -1,
          mab_limit == 0 ? "@ does not belong to this instruction" : "@ selects the unit that sends",
          cat("@", insn.mab), mab_limit == 0 ? "none" : cat("@0 to @", mab_limit - 1));
    if (def.allows(kOptShift) ? insn.shift < -15 || insn.shift > 15 : insn.shift != 0)
      say(diag::kOptionRange, -1, "shift out of range", std::to_string(insn.shift),
          def.allows(kOptShift) ? "-15 to +15" : "none");
    if (insn.explicit_l1b_set && !def.allows(kOptL1bSet))
      say(diag::kOption, -1, "@ does not belong to this instruction", stem_of(insn));
    // l2bmi: between L1BMs, the set names the senders and is never all of them (ISA 5.2).
    if (def.unit == Unit::kL2bm && def.dst.role == def.srcs[0].role && (!insn.explicit_l1b_set || insn.l1b_set == 0xff))
      say(diag::kOption, -1, "the set of sending L1Bs is needed, and not all of them", stem_of(insn),
          std::string(def.syntax));
    if (insn.zero_flush.present) {
      if (!def.allows(kOptZeroFlush))
        say(diag::kOption, -1, "this instruction has no zero flush", cat("/", print(insn.zero_flush)));
      check_mask(insn.zero_flush, -1);
    }
    if (def.unit == Unit::kNop && insn.nop_count == 0) say(diag::kOptionRange, -1, "nop/N needs a positive count", "0");
    if (def.unit == Unit::kWait && (insn.tag == 0 || insn.tag > 63))
      say(diag::kWaitAlone, -1, "wait needs a tag", std::to_string(insn.tag), "i01 to i3f");
  }

  // A transfer that ends behind its memory wraps around and is a warning; one that is larger than the memory would overwrite
  // itself, for as long as the size says.
  void check_mv_extent() {
    const MvFootprint f = mv_footprint(insn);
    for (const MvRange& r : {f.src, f.dst})
      if (const int64_t count = address_count(r.mem); r.length > count)
        return say(diag::kMvSize, -1, "an MV is larger than its memory",
                   cat("n", insn.size, ", which takes ", r.length, " of ", memory(r.mem).name), cat("at most ", count));
  }

  void check_mv_options() {
    const MvColumns& mv = insn.def->mv;
    if (!insn.def->has_dst()) {
      if (insn.size != 0 || insn.tag != 0 || insn.priority != 0 || insn.nd != 0)
        say(diag::kOption, -1, "mvnop has no options", stem_of(insn));
      return;
    }
    const int unit = mv.size_on_dst ? mv.dst.unit : mv.src.unit;
    if (insn.size == 0 || insn.size % static_cast<uint32_t>(unit) != 0)
      say(diag::kMvSize, -1, "MV size does not fit its unit", cat("n", insn.size),
          cat("a positive multiple of ", unit));
    else if (!insn.srcs.empty() && !insn.dsts.empty())
      check_mv_extent();
    if (insn.tag > 63) say(diag::kOptionRange, -1, "tag out of range", std::to_string(insn.tag), "i01 to i3f");
    if (insn.priority > 3)
      say(diag::kOptionRange, -1, "priority out of range", std::to_string(insn.priority), "0 to 3");
    if (insn.nd != 0) {
      bool indirect = false;
      for (const auto* list : {&insn.srcs, &insn.dsts})
        for (const Operand& op : *list) indirect = indirect || op.mem == Mem::kDramIndirect;
      if (!insn.def->allows(kOptDarRepeat))
        say(diag::kOption, -1, "this transfer has no nd", cat("nd", insn.nd), "nd with mvp, mvr and mvd");
      else if (!indirect)
        say(diag::kOption, -1, "nd belongs to transfers through DAR", cat("nd", insn.nd), "$di0 in place of $d0");
    }
  }
};

}  // namespace

void check_insn(const Insn& insn, int index, std::vector<Violation>& out) {
  const InsnDef& def = *insn.def;
  Checker checker{insn, index, out};
  checker.check_options();
  if (def.unit == Unit::kMv) checker.check_mv_options();
  // A literal or a tag is no Operand: it stands in fields of its own.
  const bool has_operand_srcs = def.srcs[0].role != OperandRole::kLiteral && def.srcs[0].role != OperandRole::kTag;
  const size_t want_srcs = has_operand_srcs ? static_cast<size_t>(def.num_srcs()) : 0;
  if (insn.srcs.size() != want_srcs) {
    checker.say(diag::kOperands, -1, "wrong number of sources", std::to_string(insn.srcs.size()),
                std::to_string(want_srcs));
    return;
  }
  const bool many = def.dst.role == OperandRole::kPeDst;
  if (def.has_dst() ? insn.dsts.empty() || (!many && insn.dsts.size() != 1) : !insn.dsts.empty()) {
    checker.say(diag::kOperands, -1, "wrong number of destinations", std::to_string(insn.dsts.size()),
                !def.has_dst() ? "0"
                : many         ? "1 or more"
                               : "1");
    return;
  }
  for (size_t i = 0; i < insn.srcs.size(); ++i)
    checker.check_operand(insn.srcs[i], def.srcs[i], static_cast<int>(i), false);
  for (size_t i = 0; i < insn.dsts.size(); ++i)
    checker.check_operand(insn.dsts[i], def.dst, static_cast<int>(insn.srcs.size() + i), true);
}

}  // namespace kumihimo::mncore2::isa
