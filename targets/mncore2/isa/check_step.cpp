// Rules of parallel issue (ISA 9.3), in the order of that section.
#include <array>

#include "targets/mncore2/isa/check_internal.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::isa {
namespace {

std::string_view group_name(Unit unit) {
  switch (unit) {
    case Unit::kNop: return "nop";
    case Unit::kNoforward: return "noforward";
    case Unit::kWait: return "wait";
    case Unit::kL2bm: return "L2BM";
    case Unit::kL2bmDarWrite: return "DAR write";
    case Unit::kL1bm: return "L1BM";
    case Unit::kL1bmTurnaround: return "L1BM turnaround";
    case Unit::kMauCalc: return "MAU calculation";
    case Unit::kMauWrite: return "matrix write";
    case Unit::kMauRead: return "matrix read";
    case Unit::kAlu: return "ALU";
    case Unit::kMv: return "MV";
  }
  return "";
}

// The fields that two accesses of one port share: address of every cycle, width, run-time addressing.
bool same_region(const Operand& a, const Operand& b) {
  return a.addr == b.addr && a.width == b.width && a.t_indirect == b.t_indirect && a.j == b.j;
}

struct StepChecker {
  const std::vector<Insn>& insns;
  const MaskState& state;
  std::vector<Violation>& out;

  void say(const DiagDef& def, size_t insn, int operand, std::string headline, std::string observed = {},
           std::string required = {}) {
    report(out, def, static_cast<int>(insn), operand, std::move(headline), std::move(observed), std::move(required));
  }

  void check_groups() {
    std::array<int, 12> first{};
    first.fill(-1);
    int others = 0;
    for (size_t i = 0; i < insns.size(); ++i) {
      const Unit unit = insns[i].def->unit;
      int& slot = first[static_cast<size_t>(unit)];
      if (slot >= 0)
        say(diag::kIssueGroup, i, -1, cat("two ", group_name(unit), " instructions in one step"),
            cat(stem_of(insns[static_cast<size_t>(slot)]), " and ", stem_of(insns[i])), "at most one");
      slot = static_cast<int>(i);
      if (unit != Unit::kNop && unit != Unit::kWait) ++others;
    }
    const int nop = first[static_cast<size_t>(Unit::kNop)], wait = first[static_cast<size_t>(Unit::kWait)];
    if (nop >= 0 && others > 0)
      say(diag::kNopAlone, static_cast<size_t>(nop), -1, "nop stands beside another instruction");
    if (wait >= 0 && others == 0 && nop < 0)
      say(diag::kWaitAlone, static_cast<size_t>(wait), -1, "wait stands alone", "wait", "nop; wait");
  }

  // The turnaround register is the only way for data to go to the PEs beside an upload, and both then share the type's
  // routing; a read of L1BM needs the same port and the same $lbf (ISA 5.4 [V], 3.2).
  void check_turnaround() {
    const Insn *read = nullptr, *other = nullptr;
    size_t read_at = 0, other_at = 0;
    for (size_t i = 0; i < insns.size(); ++i) {
      if (insns[i].def->unit == Unit::kL1bmTurnaround) read = &insns[i], read_at = i;
      if (insns[i].def->unit == Unit::kL1bm) other = &insns[i], other_at = i;
    }
    if (read == nullptr || other == nullptr) return;
    if (!other->def->l1bm.upload) {
      say(diag::kTurnaroundPair, other_at, -1, "a turnaround read and a read of L1BM in one step",
          cat(stem_of(*read), " and ", stem_of(*other)), "one of them, or an upload of the same type beside it");
      return;
    }
    if (read->srcs.size() != 1 || other->dsts.size() != 1) return;  // check_insn reports it
    const bool read_dlw = read->srcs[0].width == Width::kDlw, other_dlw = other->dsts[0].width == Width::kDlw;
    const auto rate = [](const L1bmColumns& c, bool dlw) { return int{dlw ? c.rate_dlw : c.rate_lw}; };
    const int want = rate(read->def->l1bm, read_dlw), seen = rate(other->def->l1bm, other_dlw);
    if (read_dlw != other_dlw || want != seen)
      say(diag::kTurnaroundPair, read_at, -1, "a turnaround read and an upload of another type in one step",
          cat(want, " and ", seen, " long words per cycle, ", print(read->srcs[0]), " and ", print(other->dsts[0])),
          "the same rate and width");
  }

  void check_mau() {
    const Insn *calc = nullptr, *write = nullptr, *read = nullptr;
    size_t write_at = 0, last = 0;
    int count = 0;
    for (size_t i = 0; i < insns.size(); ++i) {
      const Unit unit = insns[i].def->unit;
      if (unit == Unit::kMauCalc)
        calc = &insns[i];
      else if (unit == Unit::kMauWrite)
        write = &insns[i], write_at = i;
      else if (unit == Unit::kMauRead)
        read = &insns[i];
      else
        continue;
      ++count;
      last = i;
    }
    if (count < 2) return;
    if (count > 2)
      say(diag::kMauPair, last, -1, "calculation, matrix write and matrix read in one step", "three", "at most two");
    Prec prec = Prec::kNone;
    for (const Insn* insn : {calc, write, read}) {
      if (insn == nullptr) continue;
      if (prec != Prec::kNone && insn->prec != prec)
        say(diag::kMauPair, last, -1, "MAU instructions of one step differ in precision",
            cat(prec_letter(prec), " and ", prec_letter(insn->prec)), "one precision letter");
      prec = insn->prec;
    }
    // vfma and vmul take their second vector from the source slot of the matrix write (ISA 10.2 slot rule [X]).
    if (calc != nullptr && write != nullptr && calc->def->srcs[0].role != OperandRole::kMatrix &&
        calc->srcs.size() > 1 && calc->def->srcs[1].name == "Y" && write->srcs.size() == 1) {
      const Operand &y = calc->srcs[1], &x = write->srcs[0];
      if (!same(y, x))
        say(diag::kSharedSource, write_at, 0, "second vector source and matrix write differ",
            cat(print(y), " and ", print(x)), "the same operand");
    }
    int uses[2] = {0, 0};
    for (size_t i = 0; i < insns.size(); ++i)
      for (const auto* list : {&insns[i].srcs, &insns[i].dsts})
        for (const Operand& op : *list)
          if (op.mem == Mem::kMatX || op.mem == Mem::kMatY)
            if (++uses[op.mem == Mem::kMatY] == 2)
              say(diag::kMatrixSide, i, -1, "a matrix register is used twice in one step",
                  op.mem == Mem::kMatX ? "$x" : "$y", "once");
  }

  void check_ports() {
    struct Use {
      const Operand* op = nullptr;
      size_t insn = 0;
    };
    std::array<Use, 16> read{}, written{};
    const Insn* imm = nullptr;
    for (size_t i = 0; i < insns.size(); ++i) {
      const Insn& insn = insns[i];
      if (insn.def->srcs[0].role == OperandRole::kLiteral) imm = &insn;
      for (size_t k = 0; k < insn.srcs.size(); ++k) {
        const Operand& op = insn.srcs[k];
        if (memory(op.mem).cls != MemClass::kPe) continue;
        Use& use = read[static_cast<size_t>(op.mem)];
        if (use.op != nullptr && !same_region(*use.op, op))
          say(diag::kReadConflict, i, static_cast<int>(k),
              cat("two different reads of ", memory(op.mem).name, " in one step"),
              cat(print(*use.op), " and ", print(op)), "the same addresses and width in all four cycles");
        if (use.op == nullptr) use = {&op, i};
      }
      for (size_t k = 0; k < insn.dsts.size(); ++k) {
        const Operand& op = insn.dsts[k];
        const MemClass cls = memory(op.mem).cls;
        if (cls != MemClass::kPe && cls != MemClass::kT && cls != MemClass::kOmr && cls != MemClass::kBar) continue;
        Use& use = written[static_cast<size_t>(op.mem)];
        if (use.op != nullptr)
          say(diag::kWriteConflict, i, static_cast<int>(insn.srcs.size() + k),
              cat("two writes to ", memory(op.mem).name, " in one step"), cat(print(*use.op), " and ", print(op)),
              "one");
        else
          use = {&op, i};
      }
    }
    for (Mem mem : {Mem::kLm0, Mem::kLm1}) {
      const Use &r = read[static_cast<size_t>(mem)], &w = written[static_cast<size_t>(mem)];
      if (r.op != nullptr && w.op != nullptr && !same_region(*r.op, *w.op))
        say(diag::kLmShared, w.insn, -1, cat("read and write of ", memory(mem).name, " differ in one step"),
            cat(print(*r.op), " and ", print(*w.op)), "the same addresses and width in all four cycles");
    }
    if (imm != nullptr) {
      const Use &r = read[static_cast<size_t>(Mem::kLm0)], &w = written[static_cast<size_t>(Mem::kLm0)];
      const Use& use = r.op != nullptr ? r : w;
      if (use.op != nullptr)
        say(diag::kImmLm0, use.insn, -1, "imm and an access to LM0 in one step", print(*use.op),
            "another memory or another step");
    }
  }

  void check_masks() {
    bool have = false;
    EffectiveMask mask;
    int flushes = 0;
    auto meet = [&](EffectiveMask m, size_t insn, int operand) {
      if (m.entry == 0) return;
      if (have && (m.entry != mask.entry || m.ll != mask.ll))
        say(diag::kMaskConflict, insn, operand, "masks of one step differ",
            cat("entry ", mask.entry, mask.ll ? " ll" : "", " and entry ", m.entry, m.ll ? " ll" : ""),
            "one entry and one width");
      have = true;
      mask = m;
    };
    for (size_t i = 0; i < insns.size(); ++i) {
      const MaskSpec& flush = insns[i].zero_flush;
      if (flush.present) {
        if (++flushes == 2) say(diag::kMaskConflict, i, -1, "two zero flushes in one step", "", "at most one");
        meet({flush.entry == 31 ? uint8_t{0} : flush.entry, flush.ll}, i, -1);
      }
      for (size_t k = 0; k < insns[i].dsts.size(); ++k)
        meet(effective_mask(insns[i].dsts[k], state), i, static_cast<int>(insns[i].srcs.size() + k));
    }
  }
};

uint8_t mask_bit(Mem mem) {
  switch (mem) {
    case Mem::kGrf0: return 1;
    case Mem::kGrf1: return 2;
    case Mem::kT: return 4;
    case Mem::kLm0:
    case Mem::kBar0: return 8;
    case Mem::kLm1:
    case Mem::kBar1: return 16;
    case Mem::kOmr: return 32;
    default: return 0;
  }
}

}  // namespace

EffectiveMask effective_mask(const Operand& dst, const MaskState& state) {
  EffectiveMask mask;
  if (dst.mask.present)
    mask = {dst.mask.entry, dst.mask.ll};
  else if ((state.dsts & mask_bit(dst.mem)) != 0)
    mask = {state.entry, state.ll};
  if (mask.entry == 31) mask.entry = 0;
  return mask;
}

void apply_mask_statement(MaskState& state, const Line& line) {
  if (line.kind == LineKind::kMask) state = {line.mask_entry, line.mask_ll, line.mask_dsts};
}

void check_step(const std::vector<Insn>& insns, const MaskState& state, std::vector<Violation>& out) {
  StepChecker checker{insns, state, out};
  if (insns.size() > 1) {
    checker.check_groups();
    checker.check_turnaround();
    checker.check_mau();
  } else if (insns.size() == 1 && insns[0].def->unit == Unit::kWait) {
    checker.check_groups();
  }
  checker.check_ports();
  checker.check_masks();
}

void check_line(const Line& line, const MaskState& state, std::vector<Violation>& out) {
  if (line.kind != LineKind::kPe && line.kind != LineKind::kMv) return;
  const bool mv = line.kind == LineKind::kMv;
  if (line.insns.empty() || (mv && line.insns.size() != 1)) {
    report(out, diag::kStepShape, -1, -1,
           mv ? "an MV line holds exactly one MV" : "a PE line holds at least one instruction");
    return;
  }
  for (size_t i = 0; i < line.insns.size(); ++i) {
    if ((line.insns[i].def->unit == Unit::kMv) != mv) {
      report(out, diag::kStepShape, static_cast<int>(i), -1, "an MV stands alone on its line");
      return;
    }
    check_insn(line.insns[i], static_cast<int>(i), out);
  }
  if (!mv) check_step(line.insns, state, out);
}

Status check_line(const Line& line, const MaskState& state) {
  std::vector<Violation> violations;
  check_line(line, state, violations);
  if (violations.empty()) return Ok{};
  const std::string text = print(line);
  auto to_diagnostic = [&](const Violation& v) {
    Diagnostic d;
    d.def = v.def;
    d.headline = v.headline;
    d.observed = v.observed;
    d.required = v.required;
    d.where.line = line.source_line;
    d.where.text = text;
    if (v.insn >= 0) {
      const Insn& insn = line.insns[static_cast<size_t>(v.insn)];
      d.op = stem_of(insn);
      if (v.operand >= 0) {
        const auto at = static_cast<size_t>(v.operand);
        d.operand = print(at < insn.srcs.size() ? insn.srcs[at] : insn.dsts[at - insn.srcs.size()]);
      }
    }
    return d;
  };
  Diagnostic first = to_diagnostic(violations[0]);
  for (size_t i = 1; i < violations.size(); ++i) first.related.push_back(to_diagnostic(violations[i]));
  return first;
}

}  // namespace kumihimo::mncore2::isa
