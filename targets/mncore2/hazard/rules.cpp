#include "targets/mncore2/hazard/rules.h"

#include <algorithm>

#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Evidence;
using isa::Mem;
using K = AccessKind;

// clang-format off
constexpr Rule kRules[] = {
  {.id = "lm_port", .form = RuleForm::kPort, .write = K::kLmWrite, .read = K::kLmRead, .gap = 2,
   .doc = "After a write to an LM, its one port is busy for two steps, whatever the addresses.", .source = "ISA 9.1",
   .evidence = Evidence::kVendor},
  {.id = "lm_data", .form = RuleForm::kData, .write = K::kLmWrite, .read = K::kLmRead, .latency_cycles = 6,
   .doc = "A word written to an LM may be read six cycles later.", .source = "ISA 9.1", .evidence = Evidence::kVendor},
  {.id = "grf_data", .form = RuleForm::kData, .write = K::kGrfWrite, .read = K::kGrfRead, .latency_cycles = 6,
   .doc = "A word written to a GRF may be read six cycles later.", .source = "ISA 9.1", .evidence = Evidence::kVendor},
  {.id = "t_data", .form = RuleForm::kData, .write = K::kTWrite, .read = K::kTRead, .latency_cycles = 6,
   .doc = "An entry of T may be read six cycles after its write: one step between.", .source = "ISA 9.1",
   .evidence = Evidence::kVendor},
  {.id = "bar_data", .form = RuleForm::kData, .write = K::kBarWrite, .read = K::kBarRead, .latency_cycles = 6,
   .doc = "A base address counts for accesses six cycles after its write.", .source = "ISA 3.2, 9.1",
   .evidence = Evidence::kInferred},
  // ISA 9.2; the titles of the manual's sections are known, their numbers are estimates from code that assembles.
  {.id = "l2bm_write_mv", .form = RuleForm::kPort, .write = K::kL2bmWrite, .read = K::kMvRead, .gap = 0,
   .doc = "An MV may read what an upload wrote to L2BM in the step before.", .source = "ISA 9.2 .1",
   .evidence = Evidence::kAssembled},
  {.id = "l2bm_write_read", .form = RuleForm::kPort, .write = K::kL2bmWrite, .read = K::kL2bmRead, .gap = 2,
   .doc = "A download follows an upload through L2BM after two steps.", .source = "ISA 9.2 .2", .evidence = Evidence::kUnknown},
  {.id = "l1bm_turn", .form = RuleForm::kPort, .write = K::kL1bmFromL2bm, .read = K::kL1bmToL2bm, .gap = 2,
   .doc = "The L2B side of L1BM turns from download to upload in two steps.", .source = "ISA 9.2 .3",
   .evidence = Evidence::kUnknown},
  {.id = "l1bm_down_data", .form = RuleForm::kData, .write = K::kL1bmFromL2bm, .read = K::kL1bmToPe, .latency_cycles = 6,
   .doc = "A word downloaded to L1BM may go to the PEs six cycles later.", .source = "ISA 9.2 .6",
   .evidence = Evidence::kAssembled},
  {.id = "l1bm_up_data", .form = RuleForm::kData, .write = K::kL1bmFromPe, .read = K::kL1bmToL2bm, .latency_cycles = 10,
   .doc = "A word that PEs wrote to L1BM may go to L2BM ten cycles later.", .source = "ISA 9.2 .7",
   .evidence = Evidence::kSingle},
  {.id = "l1bm_pe_port", .form = RuleForm::kPort, .write = K::kL1bmFromPe, .read = K::kL1bmToPe, .gap = 2,
   .doc = "After PEs wrote to L1BM, its PE side reads again after two steps, whatever the addresses.",
   .source = "ISA 9.2 .8", .evidence = Evidence::kVendor},
  // The upper ends of the estimates: distances that some published program keeps, for code meant for the board.
  {.id = "l2bm_write_mv_cautious", .form = RuleForm::kPort, .write = K::kL2bmWrite, .read = K::kMvRead, .gap = 1,
   .doc = "An MV reads what an upload wrote to L2BM after one step.", .source = "ISA 9.2 .1", .evidence = Evidence::kInferred,
   .cautious = true},
  {.id = "l2bm_write_read_cautious", .form = RuleForm::kPort, .write = K::kL2bmWrite, .read = K::kL2bmRead, .gap = 3,
   .doc = "A download follows an upload through L2BM after three steps.", .source = "ISA 9.2 .2",
   .evidence = Evidence::kAssembled, .cautious = true},
  {.id = "l1bm_turn_cautious", .form = RuleForm::kPort, .write = K::kL1bmFromL2bm, .read = K::kL1bmToL2bm, .gap = 3,
   .doc = "The L2B side of L1BM turns from download to upload in three steps.", .source = "ISA 9.2 .3",
   .evidence = Evidence::kUnknown, .cautious = true},
};
// clang-format on

std::vector<Profile> make_profiles() {
  Profile strict{"default", "published rules and the strict estimates for L1BM and L2BM", {}};
  Profile cautious{"cautious", "as default, with the upper ends of the estimates", {}};
  Profile published{"published", "only rules that the vendor published", {}};
  for (const Rule& rule : kRules) {
    cautious.rules.push_back(&rule);
    if (rule.cautious) continue;
    strict.rules.push_back(&rule);
    if (rule.evidence == Evidence::kVendor) published.rules.push_back(&rule);
  }
  return {std::move(strict), std::move(published), std::move(cautious)};
}

AccessKind pe_kind(Mem mem, bool write) {
  switch (mem) {
    case Mem::kLm0:
    case Mem::kLm1: return write ? K::kLmWrite : K::kLmRead;
    case Mem::kGrf0:
    case Mem::kGrf1: return write ? K::kGrfWrite : K::kGrfRead;
    case Mem::kT: return write ? K::kTWrite : K::kTRead;
    case Mem::kBar0:
    case Mem::kBar1: return write ? K::kBarWrite : K::kBarRead;
    default: return K::kNone;
  }
}

// Cycles that a fixed pattern keeps: bit 3 = cycle 0. A variable entry may keep any.
unsigned written_cycles(const isa::Operand& dst, const isa::MaskState& masks) {
  const isa::EffectiveMask mask = isa::effective_mask(dst, masks);
  // An `l` mask does not guard the LSB long word of a DLW (ISA 12 Q22): those writes happen in all cycles.
  const bool unguarded = !mask.ll && (dst.mem == Mem::kT || dst.width == isa::Width::kDlw);
  return mask.entry < 16 || unguarded ? 0xf : mask.entry & 0xf;
}

Access whole_step(AccessKind kind, Mem mem, int operand) {
  Access access{kind, mem, {}, operand};
  access.range.fill({0, 1});
  return access;
}

void pe_operand(const isa::Operand& op, bool write, unsigned cycles, int operand, std::vector<Access>& out) {
  const AccessKind kind = pe_kind(op.mem, write);
  if (kind == K::kNone) return;
  Access access{kind, op.mem, {}, operand};
  const bool lm = kind == K::kLmWrite || kind == K::kLmRead;
  for (size_t c = 0; c < 4; ++c) {
    if ((cycles >> (3 - c) & 1) == 0) continue;
    if (kind == K::kTWrite || kind == K::kTRead) {
      access.range[c] = {static_cast<int64_t>(c), static_cast<int64_t>(c) + 1};
    } else if (kind == K::kBarWrite) {
      access.range[c] = {0, 1};
    } else if (op.t_indirect || op.j >= 0) {
      access.range[c] = {0, isa::address_count(op.mem)};  // known at run time only
    } else {
      access.range[c] = {op.addr[c], op.addr[c] + isa::width_words(op.width)};
    }
  }
  out.push_back(access);
  if (op.t_indirect) {
    Access t{K::kTRead, Mem::kT, {}, operand};
    for (size_t c = 0; c < 4; ++c) t.range[c] = {static_cast<int64_t>(c), static_cast<int64_t>(c) + 1};
    out.push_back(t);
  }
  if (lm) out.push_back(whole_step(K::kBarRead, op.mem == Mem::kLm0 ? Mem::kBar0 : Mem::kBar1, operand));
}

void tree_operand(const isa::Insn& insn, const isa::Operand& op, bool write, int operand, std::vector<Access>& out) {
  const isa::InsnDef& def = *insn.def;
  Access access{K::kNone, op.mem, {}, operand};
  int64_t per_cycle = 0, length = 0;
  if (def.unit == isa::Unit::kL1bm && op.mem == Mem::kL1bm) {
    const bool dlw = op.width == isa::Width::kDlw;
    const isa::L1bmFormula& f = dlw ? def.l1bm.dlw : def.l1bm.lw;
    access.kind = write ? K::kL1bmFromPe : K::kL1bmToPe;
    per_cycle = f.cycle;
    length = f.mab * 15 + f.quad * 3 + f.pe * 3 + (dlw ? f.word : 0) + 1;
  } else if (def.unit == isa::Unit::kL2bm && op.mem == Mem::kL1bm) {
    access.kind = write ? K::kL1bmFromL2bm : K::kL1bmToL2bm;
    per_cycle = def.l2bm.cycle_b;
    length = def.l2bm.run;
  } else if (def.unit == isa::Unit::kL2bm && op.mem == Mem::kL2bm) {
    access.kind = write ? K::kL2bmWrite : K::kL2bmRead;
    per_cycle = def.l2bm.cycle_c;
    length = def.l2bm.row_lw();
  } else {
    return;
  }
  for (size_t c = 0; c < 4; ++c) {
    const int64_t lo = op.addr[0] + per_cycle * static_cast<int64_t>(c);
    access.range[c] = {lo, lo + length};
  }
  out.push_back(access);
}

bool overlap(const std::array<int64_t, 2>& a, const std::array<int64_t, 2>& b) { return a[0] < b[1] && b[0] < a[1]; }

}  // namespace

bool is_write(AccessKind kind) {
  switch (kind) {
    case K::kLmWrite:
    case K::kGrfWrite:
    case K::kTWrite:
    case K::kBarWrite:
    case K::kL1bmFromL2bm:
    case K::kL1bmFromPe:
    case K::kL2bmWrite:
    case K::kMvWrite: return true;
    case K::kLmRead:
    case K::kGrfRead:
    case K::kTRead:
    case K::kBarRead:
    case K::kL1bmToL2bm:
    case K::kL1bmToPe:
    case K::kL2bmRead:
    case K::kMvRead:
    case K::kNone: return false;
  }
  return false;
}

std::span<const Rule> rules() { return kRules; }

std::span<const Profile> profiles() {
  static const std::vector<Profile> all = make_profiles();
  return all;
}

const Profile& default_profile() { return profiles()[0]; }

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : profiles())
    if (profile.name == name) return &profile;
  return nullptr;
}

std::string profile_names() {
  std::string out;
  for (const Profile& profile : profiles()) out += (out.empty() ? "one of " : ", ") + std::string(profile.name);
  return out;
}

void append_accesses(const isa::Insn& insn, const isa::MaskState& masks, std::vector<Access>& out) {
  if (insn.def->unit == isa::Unit::kMv) return;
  int operand = 0;
  for (const isa::Operand& op : insn.srcs) {
    pe_operand(op, false, 0xf, operand, out);
    tree_operand(insn, op, false, operand, out);
    ++operand;
  }
  for (const isa::Operand& op : insn.dsts) {
    pe_operand(op, true, written_cycles(op, masks), operand, out);
    tree_operand(insn, op, true, operand, out);
    ++operand;
  }
}

void append_mv_accesses(const isa::Insn& mv, std::vector<Access>& out) {
  const isa::MvFootprint footprint = isa::mv_footprint(mv);
  for (const bool write : {false, true}) {
    const isa::MvRange& range = write ? footprint.dst : footprint.src;
    if (range.mem != Mem::kL2bm) continue;  // no rule knows PDM or DRAM
    Access access{write ? K::kMvWrite : K::kMvRead, range.mem, {}, write ? 1 : 0};
    access.range.fill({range.addr, range.addr + range.length});
    out.push_back(access);
  }
}

int min_gap_steps(const Access& write, const Access& read, const Profile& profile, const Rule** why) {
  int gap = 0;
  if (why != nullptr) *why = nullptr;
  auto need = [&](int steps, const Rule& rule) {
    if (steps <= gap) return;
    gap = steps;
    if (why != nullptr) *why = &rule;
  };
  if (write.mem != read.mem) return 0;
  for (const Rule* rule : profile.rules) {
    if (rule->write != write.kind || rule->read != read.kind) continue;
    if (rule->form == RuleForm::kPort) {
      need(rule->gap, *rule);
      continue;
    }
    for (size_t w = 0; w < 4; ++w)
      for (size_t r = 0; r < 4; ++r)
        if (overlap(write.range[w], read.range[r]))
          need(data_gap_steps(rule->latency_cycles, static_cast<int>(w), static_cast<int>(r)), *rule);
  }
  return gap;
}

int max_gap_steps(const Profile& profile) {
  int gap = 0;
  for (const Rule* rule : profile.rules)
    gap = std::max(gap, rule->form == RuleForm::kPort ? rule->gap : data_gap_steps(rule->latency_cycles, 3, 0));
  return gap;
}

}  // namespace kumihimo::mncore2::hazard
