#include "targets/mncore2/emu/decode.h"

#include <algorithm>
#include <cassert>

#include "targets/mncore2/emu/rows.h"
#include "targets/mncore2/sem/context.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

using isa::Insn;
using isa::Line;
using isa::LineKind;
using isa::Mem;
using isa::Operand;
using isa::Unit;
using isa::Width;

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }
bool is_grf(Mem mem) { return mem == Mem::kGrf0 || mem == Mem::kGrf1; }
bool is_addressed(Mem mem) { return is_lm(mem) || is_grf(mem); }

// Bit of a memory in the destination list of a mask statement: r s t m n k (ISA 3.3). BARs follow their LM.
uint8_t mask_bit(Mem mem) {
  switch (mem) {
    case Mem::kGrf0: return 1 << 0;
    case Mem::kGrf1: return 1 << 1;
    case Mem::kT: return 1 << 2;
    case Mem::kLm0:
    case Mem::kBar0: return 1 << 3;
    case Mem::kLm1:
    case Mem::kBar1: return 1 << 4;
    case Mem::kOmr: return 1 << 5;
    default: return 0;
  }
}

// Entry 31 has all its bits set, as entry 0 (ISA 3.3).
uint8_t effective_entry(uint8_t entry) { return entry == 31 ? 0 : entry; }

// Order in which destinations of a step are stored: a store may use T, a BAR or the mask register that another one of
// the same step replaces, and must see its old contents (a mask register shows its new ones in the next step, ISA 9.1).
int store_class(Mem mem) {
  if (is_addressed(mem)) return 0;
  return mem == Mem::kT ? 1 : mem == Mem::kOmr ? 3 : 2;
}

class Decoder {
 public:
  Decoder(const isa::Program& program, const MachineConfig& config, const std::string& file, MaskState& masks,
          Findings* findings)
      : program_(program), config_(config), file_(file), masks_(masks), findings_(findings) {}

  Result<Decoded> run(size_t first, size_t last) {
    for (auto i = static_cast<uint32_t>(first); i < std::min(last, program_.lines.size()); ++i) {
      const Line& line = program_.lines[i];
      if (line.kind == LineKind::kQuit) break;
      line_ = &line;
      index_ = i;
      Status status = one(i);
      if (!status.ok()) return status.take_error();
    }
    flush_dar_writes();
    return std::move(out_);
  }

 private:
  Diagnostic fail(std::string_view name, std::string headline) const {
    return error(name, std::move(headline), where_of(*line_, file_));
  }

  Status one(uint32_t i) {
    const Line& line = *line_;
    switch (line.kind) {
      case LineKind::kEmpty:
      case LineKind::kQuit: return Ok{};
      case LineKind::kMask: masks_ = {effective_entry(line.mask_entry), line.mask_ll, line.mask_dsts}; return Ok{};
      case LineKind::kPe: return step(i);
      case LineKind::kMv: return mv(i);
      case LineKind::kDebugGet:
      case LineKind::kDebugSet: {
        Status status = debug_units();
        if (!status.ok()) return status;
        out_.items.push_back({line.kind == LineKind::kDebugGet ? Item::Kind::kGet : Item::Kind::kSet, i, 0});
        return Ok{};
      }
      case LineKind::kHostRow:
      case LineKind::kHostDma: {
        Status status = group_exists(line.mem.n);
        if (!status.ok()) return status;
        out_.items.push_back({Item::Kind::kHost, i, 0});
        return Ok{};
      }
    }
    return Ok{};
  }

  // --- units ------------------------------------------------------------------------------------------------------

  Status within(std::string_view what, int64_t index, int64_t count) const {
    if (index < count) return Ok{};
    return fail("emu_unit", std::string(what) + " " + std::to_string(index) + " does not exist on " +
                                std::string(config_.name) + ", which has " + std::to_string(count));
  }
  Status group_exists(int64_t g) const { return within("group", g, config_.groups); }

  Status debug_units() const {
    const isa::DebugMem& m = line_->mem;
    for (const Status& s : {within("group", m.n, config_.groups), within("L2B", m.c, config_.l2bs_per_group),
                            within("L1B", m.b, config_.l1bs_per_l2b), within("MAB", m.m, config_.mabs_per_l1b),
                            within("PE", m.p, config_.pes_per_mab)})
      if (!s.ok()) return Diagnostic(s.error());
    return Ok{};
  }

  // --- MV -----------------------------------------------------------------------------------------------------------

  Status mv(uint32_t i) {
    ++out_.counts.mv_count;
    if (line_->insns.size() != 1) return fail("emu_statement", "an MV line holds one instruction");
    const Insn& insn = line_->insns[0];
    ++out_.counts.unit_steps[static_cast<size_t>(Unit::kMv)];
    if (!insn.def->has_dst()) return Ok{};  // mvnop
    if (insn.srcs.size() != 1 || insn.dsts.size() != 1)
      return fail("emu_statement", "an MV has one source and one destination");
    for (const Operand* o : {&insn.srcs[0], &insn.dsts[0]}) {
      Status s = group_exists(o->group);
      if (!s.ok()) return s;
      s = within("L2B", o->sub, config_.l2bs_per_group);
      if (!s.ok()) return s;
      if (o->addr[0] < 0) return fail("emu_statement", "an MV address is not negative");
    }
    const isa::MvColumns& f = insn.def->mv;
    const uint32_t unit = f.size_on_dst ? f.dst.unit : f.src.unit;
    if (insn.size == 0 || insn.size % unit != 0)
      return fail("emu_statement", "the size of this MV must be a positive multiple of " + std::to_string(unit));
    flush_dar_writes();
    alone(Item::Kind::kMv, i, new_op(insn));
    return Ok{};
  }

  void alone(Item::Kind kind, uint32_t line, const Op& op) {
    out_.items.push_back({kind, line, static_cast<uint32_t>(out_.mvs.size())});
    out_.mvs.push_back(&op);
  }

  // --- DAR ----------------------------------------------------------------------------------------------------------
  // MVs are the only readers of DAR and l2bmdars the only writer of its buffer, so l2bmdarw, which comes in long rows
  // beside other work, may wait until one of them comes; the runs of the units are not cut.

  void flush_dar_writes() {
    for (const Op* op : dar_writes_) alone(Item::Kind::kDar, op->line, *op);
    dar_writes_.clear();
  }

  Status dar(const Insn& insn, std::vector<const Op*>& loads) {
    Op& op = new_op(insn);
    if (!insn.def->has_dst()) {
      dar_writes_.push_back(&op);
      return Ok{};
    }
    if (insn.srcs.size() != 1 || insn.dsts.size() != 1)
      return fail("emu_statement", "l2bmdars has one source and one destination");
    op.l2bm_addr = insn.srcs[0].addr[0];
    loads.push_back(&op);
    return within("L2B", insn.srcs[0].sub, config_.l2bs_per_group);
  }

  // --- PE steps -----------------------------------------------------------------------------------------------------

  Op& new_op(const Insn& insn) {
    Op& op = out_.ops.emplace_back();
    op.insn = &insn;
    op.line = index_;
    op.sem = insn.def->sem;
    return op;
  }

  Status step(uint32_t i) {
    StepPlan plan;
    plan.line = i;
    bool works = false;
    uint64_t words = 1;
    std::vector<uint8_t> waits;
    std::vector<const Op*> dar_loads;
    for (const Insn& insn : line_->insns)
      if (insn.def->unit == Unit::kWait) {
        flush_dar_writes();
        break;
      }
    for (const Insn& insn : line_->insns) {
      const Unit unit = insn.def->unit;
      switch (unit) {
        case Unit::kNop: words = insn.nop_count; break;
        case Unit::kNoforward: plan.update_latches = false; break;
        case Unit::kWait: waits.push_back(insn.tag); break;
        case Unit::kMv: return fail("emu_statement", "an MV instruction stands on a line of its own");
        case Unit::kL2bmDarWrite: {
          Status s = dar(insn, dar_loads);
          if (!s.ok()) return s;
          break;
        }
        case Unit::kL2bm:
          if (insn.def->dst.role == isa::OperandRole::kDarAddr) {
            Status s = dar(insn, dar_loads);
            if (!s.ok()) return s;
            break;
          }
          [[fallthrough]];
        case Unit::kL1bm:
        case Unit::kL1bmTurnaround:
        case Unit::kMauCalc:
        case Unit::kMauWrite:
        case Unit::kMauRead:
        case Unit::kAlu: {
          works = true;
          Status s = unit_op(insn, plan);
          if (!s.ok()) return s;
          break;
        }
      }
      const auto u = static_cast<size_t>(unit);
      assert(u < out_.counts.unit_steps.size());
      if (u < out_.counts.unit_steps.size()) out_.counts.unit_steps[u] += unit == Unit::kNop ? insn.nop_count : 1;
    }
    out_.counts.steps += words;
    // The word that carries the wait is itself held until the tag is there (ISA 1.5 [V]: the machine emits nops meanwhile).
    for (uint8_t tag : waits) out_.waits.push_back({out_.items.size(), tag});
    // A step reads before it writes: its l2bmdarw moves the old buffer.
    for (const Op* op : dar_loads) {
      flush_dar_writes();
      alone(Item::Kind::kDar, i, *op);
    }
    if (works) {
      order_stores(plan);
      const auto writes_omr = [](const Store& s) { return s.dst->mem == Mem::kOmr; };
      if (std::count_if(plan.stores, plan.stores + plan.store_count, writes_omr) > 1)
        return fail("emu_slot", "two mask registers are written in one step");
      out_.items.push_back({Item::Kind::kStep, i, static_cast<uint32_t>(out_.steps.size())});
      out_.steps.push_back(plan);
    }
    return Ok{};
  }

  Status put(const Op*& slot, const Op& op) const {
    if (slot != nullptr) return fail("emu_slot", "two instructions of one step need the same unit");
    slot = &op;
    return Ok{};
  }

  Status unit_op(const Insn& insn, StepPlan& plan) {
    Op& op = new_op(insn);
    if (op.sem == nullptr) return fail("emu_statement", "this row has no semantics");
    switch (insn.def->unit) {
      case Unit::kMauCalc: {
        Status s = pe_operands(insn, op, kLatchMau);
        return s.ok() ? put(plan.calc, op) : std::move(s);
      }
      case Unit::kAlu: {
        Status s = pe_operands(insn, op, kLatchAlu);
        return s.ok() ? put(plan.alu, op) : std::move(s);
      }
      case Unit::kMauRead: {
        Status s = pe_operands(insn, op, kLatchMread);
        return s.ok() ? put(plan.mread, op) : std::move(s);
      }
      case Unit::kMauWrite: {
        Status s = pe_operands(insn, op, -1);
        return s.ok() ? put(plan.mwrite, op) : std::move(s);
      }
      case Unit::kL1bm:
      case Unit::kL1bmTurnaround: {
        const bool up = insn.def->l1bm.upload;
        const auto& tree = up ? insn.dsts : insn.srcs;
        if (tree.size() != 1) return fail("emu_statement", "an L1BM instruction has one L1BM operand");
        op.l1bm_addr = tree[0].mem == Mem::kTurnaround ? -1 : tree[0].addr[0];
        op.l1bm_dlw = tree[0].width == Width::kDlw;
        if ((op.l1bm_dlw ? insn.def->l1bm.dlw : insn.def->l1bm.lw).cycle == 0)
          return fail("emu_statement", "this L1BM instruction has no such width");
        if (up && insn.def->allows(isa::kOptMab)) {
          Status s = within("MAB", insn.mab, config_.mabs_per_l1b);
          if (!s.ok()) return s;
          if (insn.mab < 0) return fail("emu_statement", "@M is missing");
        }
        if (insn.def->allows(isa::kOptReduce) && insn.reduce == nullptr)
          return fail("emu_statement", "the reduction is missing");
        Status s = pe_operands(insn, op, up ? -1 : kLatchL1bm);
        return s.ok() ? put(up ? plan.collect : plan.distribute, op) : std::move(s);
      }
      case Unit::kL2bm: {
        const bool up = insn.def->l2bm.upload;
        if (insn.srcs.size() != 1 || insn.dsts.size() != 1)
          return fail("emu_statement", "an L2BM instruction has one source and one destination");
        if (insn.srcs[0].mem == insn.dsts[0].mem) {
          // l2bmi: sent with the uploads, stored with the downloads.
          if (insn.l1b_set == 0) return fail("emu_statement", "the set of sending L1Bs is empty");
          Op& arrival = new_op(insn);
          arrival.sem = &sem::l2bm_i_arrive;
          Status s = put(plan.download, arrival);
          return s.ok() ? put(plan.upload, op) : std::move(s);
        }
        op.l1bm_addr = up ? insn.srcs[0].addr[0] : insn.dsts[0].addr[0];
        op.l2bm_addr = up ? insn.dsts[0].addr[0] : insn.srcs[0].addr[0];
        if (insn.def->allows(isa::kOptReduce) && insn.reduce == nullptr)
          return fail("emu_statement", "the reduction is missing");
        if (insn.def->allows(isa::kOptL1bIndex)) {
          Status s = within("L1B", insn.mab, config_.l1bs_per_l2b);
          if (!s.ok()) return s;
          if (insn.mab < 0) return fail("emu_statement", "@n is missing");
        }
        return put(up ? plan.upload : plan.download, op);
      }
      default: return fail("emu_statement", "the emulator has no semantics for this unit");
    }
  }

  // Sources and destinations in the PEs; matrix and literal operands on the way.
  Status pe_operands(const Insn& insn, Op& op, int latch) {
    op.latch = static_cast<int8_t>(latch);
    if (insn.zero_flush.present) {
      op.zero_flush = effective_entry(insn.zero_flush.entry);
      op.zero_flush_ll = insn.zero_flush.ll;
    }
    for (size_t k = 0; k < insn.srcs.size(); ++k) {
      const Operand& o = insn.srcs[k];
      switch (o.mem) {
        case Mem::kMatX:
        case Mem::kMatY:
          op.side = o.mem == Mem::kMatX ? 0 : 1;
          op.matrix_row = static_cast<int16_t>(o.addr[0]);
          op.matrix_width = o.width;
          continue;
        case Mem::kL1bm:
        case Mem::kTurnaround:
        case Mem::kImm: continue;
        default: break;
      }
      if (op.src_count == op.src.size()) return fail("emu_statement", "too many sources");
      op.src[op.src_count++] = source(insn, o, static_cast<int>(k));
    }
    auto& dsts = out_.dsts.emplace_back();
    for (size_t k = 0; k < insn.dsts.size(); ++k) {
      const Operand& o = insn.dsts[k];
      switch (o.mem) {
        case Mem::kMatX:
        case Mem::kMatY:
          op.side = o.mem == Mem::kMatX ? 0 : 1;
          op.matrix_row = static_cast<int16_t>(o.addr[0]);
          op.matrix_width = o.width;
          continue;
        case Mem::kNowrite:
        case Mem::kL1bm:
        case Mem::kTurnaround: continue;
        default: break;
      }
      dsts.push_back(destination(insn, o, 8 + static_cast<int>(k)));
      if (o.mem == Mem::kOmr) {
        op.needs_flags = true;
        if (insn.def->unit != Unit::kAlu && insn.def->unit != Unit::kMauCalc)
          return fail("emu_statement", "mask registers take the flags of ALU and MAU instructions only");
        if (o.addr[0] < 1 || o.addr[0] > 15) return fail("emu_statement", "mask registers 1 to 15 can be written");
      }
    }
    op.dst = dsts.data();
    op.dst_count = static_cast<uint8_t>(dsts.size());
    if (insn.def->unit == Unit::kMauWrite && (op.side < 0 || op.src_count != 1))
      return fail("emu_statement", "mwrite takes one source and a matrix register");
    if (insn.def->reads_matrix() && op.side < 0) return fail("emu_statement", "the matrix register is missing");
    return Ok{};
  }

  // Rows and per-PE needs, the same for sources and destinations.
  template <class Plan>
  void place(const Insn& insn, const Operand& o, int operand, Plan& plan) {
    plan.mem = o.mem;
    plan.width = o.width;
    plan.addr = o.addr;
    plan.j = o.j;
    plan.t_indirect = o.t_indirect;
    plan.per_pe = o.t_indirect || o.j >= 0;
    if (!is_addressed(o.mem)) return;
    const int words = is_lm(o.mem) ? 2 * kLmRows : 2 * kGrfRows, unit = isa::width_words(o.width);
    plan.contiguous = !plan.per_pe && o.width != Width::kW;
    for (size_t cycle = 0; cycle < 4; ++cycle) {
      const int a = o.addr[cycle];
      const int wrapped = (a % words + words) % words / unit * unit;
      plan.row[cycle] = static_cast<int16_t>(wrapped / 2);
      plan.low_word[cycle] = wrapped % 2 != 0;
      if (cycle > 0 && plan.row[cycle] != plan.row[cycle - 1] + unit / 2) plan.contiguous = false;
      if (findings_ == nullptr) continue;
      if (a < 0 || a + unit > words)
        findings_->add(FindingKind::kOutOfRange, index_, &insn, operand, {}, a);
      else if (a % unit != 0)
        findings_->add(FindingKind::kMisaligned, index_, &insn, operand, {}, a);
    }
  }

  SrcPlan source(const Insn& insn, const Operand& o, int operand) {
    SrcPlan plan;
    place(insn, o, operand, plan);
    plan.negate = o.negate;
    plan.prec = insn.prec;
    if (o.convert == 'r') plan.convert = Convert::kSingleToHalf;
    if (o.convert == 'e') plan.convert = insn.prec == isa::Prec::kD ? Convert::kSingleToDouble : Convert::kHalfToSingle;
    plan.operand = static_cast<int8_t>(operand);
    return plan;
  }

  DstPlan destination(const Insn& insn, const Operand& o, int operand) {
    DstPlan plan;
    place(insn, o, operand, plan);
    plan.operand = static_cast<int8_t>(operand);
    if (o.mask.present) {
      plan.mask = effective_entry(o.mask.entry);
      plan.mask_ll = o.mask.ll;
    } else if (masks_.entry != 0 && (masks_.dsts & mask_bit(o.mem)) != 0) {
      plan.mask = masks_.entry;
      plan.mask_ll = masks_.ll;
    }
    return plan;
  }

  void order_stores(StepPlan& plan) {
    auto& stores = out_.stores.emplace_back();
    for (const Op* op : {plan.calc, plan.mread, plan.alu, plan.distribute})
      if (op != nullptr)
        for (int k = 0; k < op->dst_count; ++k) stores.push_back({op, op->dst + k});
    std::stable_sort(stores.begin(), stores.end(),
                     [](const Store& a, const Store& b) { return store_class(a.dst->mem) < store_class(b.dst->mem); });
    plan.stores = stores.data();
    plan.store_count = static_cast<uint8_t>(stores.size());
  }

  const isa::Program& program_;
  const MachineConfig& config_;
  const std::string& file_;
  MaskState& masks_;
  Findings* findings_;
  const Line* line_ = nullptr;
  uint32_t index_ = 0;
  std::vector<const Op*> dar_writes_;  // l2bmdarw not yet among the items
  Decoded out_;
};

}  // namespace

SourceRange where_of(const isa::Line& line, const std::string& file) {
  SourceRange where;
  where.file = file;
  where.line = line.source_line;
  where.column = line.source_line == 0 ? 0 : 1;
  where.text = line.text;
  return where;
}

Result<Decoded> decode(const isa::Program& program, size_t first, size_t last, const MachineConfig& config,
                       const std::string& file, MaskState& masks, Findings* findings) {
  return Decoder(program, config, file, masks, findings).run(first, last);
}

}  // namespace kumihimo::mncore2::emu
