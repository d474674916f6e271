// Two lines A, B in a row can be one step when the step is legal (ISA 9.3), B needs nothing that A makes, and nothing comes
// too early: B, and all that follows, moves one step closer to what was written up to A.
#include "targets/mncore2/hazard/advice_pairs.h"

#include <algorithm>

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Mem;
using isa::Unit;

bool meets(const Access& a, const Access& b) {
  if (a.mem != b.mem) return false;
  for (const auto& x : a.range)
    for (const auto& y : b.range)
      if (x[0] < y[1] && y[0] < x[1]) return true;
  return false;
}

struct Step {
  size_t line;  // index
  int64_t step;
  std::vector<Access> accesses;
  bool is_mv;
};

class Pairs {
 public:
  Pairs(const isa::Program& program, const Profile& profile, std::vector<Finding>& out)
      : program_(program), profile_(profile), window_(max_gap_steps(profile) + 1), out_(out) {}

  void run() {
    read_program();
    for (size_t i = 0; i + 1 < steps_.size(); ++i) {
      const size_t a = steps_[i].line, b = steps_[i + 1].line;
      if (!adjacent(a, b) || !can_share(a, b) || !independent(i) || !far_enough(i)) continue;
      report(a, b);
      ++i;  // B is taken
    }
  }

 private:
  void read_program() {
    isa::MaskState masks;
    int64_t now = 0;
    for (size_t i = 0; i < program_.lines.size(); ++i) {
      const isa::Line& line = program_.lines[i];
      isa::apply_mask_statement(masks, line);
      if (line.kind == isa::LineKind::kMask) mask_of_.push_back({i, masks});
      if (line.kind != isa::LineKind::kPe && line.kind != isa::LineKind::kMv) continue;
      if (line.insns.empty()) continue;
      Step step{i, now, {}, line.kind == isa::LineKind::kMv};
      if (step.is_mv) {
        if (line.insns[0].def->has_dst()) append_mv_accesses(line.insns[0], step.accesses);
      } else {
        int64_t count = 1;
        for (const Insn& insn : line.insns) {
          if (insn.def->unit == Unit::kNop) count = insn.nop_count;
          append_accesses(insn, masks, step.accesses);
        }
        now += count;
      }
      steps_.push_back(std::move(step));
    }
  }

  isa::MaskState masks_at(size_t line) const {
    const auto it = std::ranges::upper_bound(mask_of_, line, {}, [](const auto& m) { return m.first; });
    return it == mask_of_.begin() ? isa::MaskState{} : std::prev(it)->second;
  }

  // Nothing but blank lines stands between: a dump or a mask statement there has a meaning.
  bool adjacent(size_t a, size_t b) const {
    if (program_.lines[a].kind != isa::LineKind::kPe || program_.lines[b].kind != isa::LineKind::kPe) return false;
    for (size_t i = a + 1; i < b; ++i)
      if (program_.lines[i].kind != isa::LineKind::kEmpty) return false;
    return true;
  }

  bool can_share(size_t a, size_t b) {
    unsigned units = 0;
    merged_.clear();
    for (size_t at : {a, b})
      for (const Insn& insn : program_.lines[at].insns) {
        const Unit unit = insn.def->unit;
        if (unit == Unit::kNop || unit == Unit::kNoforward || unit == Unit::kWait) return false;
        const unsigned bit = 1u << static_cast<unsigned>(unit);
        if ((units & bit) != 0) return false;
        units |= bit;
        merged_.push_back(&insn);
      }
    for (const Insn& insn : program_.lines[b].insns)
      for (const isa::Operand& op : insn.srcs)
        if (isa::memory(op.mem).cls == isa::MemClass::kForward || op.mem == Mem::kTurnaround) return false;
    std::vector<Insn> step;
    for (const Insn* insn : merged_) step.push_back(*insn);
    violations_.clear();
    const isa::MaskState masks = masks_at(a);
    isa::check_step(step, masks, violations_);
    return violations_.empty() && !guarded_by_own_flags(a, b, masks);
  }

  // A mask of B that A's flags make: flags count from the next step on.
  bool guarded_by_own_flags(size_t a, size_t b, const isa::MaskState& masks) const {
    unsigned made = 0;
    for (const Insn& insn : program_.lines[a].insns)
      for (const isa::Operand& op : insn.dsts)
        if (op.mem == Mem::kOmr) made |= 1u << (op.addr[0] & 15);
    if (made == 0) return false;
    for (const Insn& insn : program_.lines[b].insns) {
      if (insn.zero_flush.present && insn.zero_flush.entry < 16 && (made >> insn.zero_flush.entry & 1) != 0)
        return true;
      for (const isa::Operand& op : insn.dsts) {
        const uint8_t entry = isa::effective_mask(op, masks).entry;
        if (entry < 16 && (made >> entry & 1) != 0) return true;
      }
    }
    return false;
  }

  // What A writes, B neither reads nor writes; what A reads, B may overwrite where the old value is read in the same
  // step: LM and GRF (ISA 9.1).
  bool independent(size_t i) const {
    for (const Access& a : steps_[i].accesses)
      for (const Access& b : steps_[i + 1].accesses) {
        if (!meets(a, b)) continue;
        if (is_write(a.kind)) return false;
        if (is_write(b.kind) && isa::memory(b.mem).cls != isa::MemClass::kPe) return false;
      }
    return true;
  }

  bool far_enough(size_t i) const {
    const int64_t at = steps_[i].step;
    for (size_t w = i + 1; w-- > 0 && at - steps_[w].step <= window_;)
      for (const Access& write : steps_[w].accesses) {
        if (!is_write(write.kind)) continue;
        for (size_t r = i + 1; r < steps_.size() && steps_[r].step - at <= window_ + 1; ++r)
          for (const Access& read : steps_[r].accesses) {
            if (is_write(read.kind)) continue;
            const int64_t between = steps_[r].step - 1 - steps_[w].step - 1;
            if (min_gap_steps(write, read, profile_) > std::max<int64_t>(between, 0)) return false;
          }
      }
    return true;
  }

  void report(size_t a, size_t b) {
    const isa::Line &first = program_.lines[a], &second = program_.lines[b];
    Finding f;
    f.def = &isa::diag::kLintPair;
    f.severity = Severity::kNote;
    f.rule = f.def->name;
    f.source = "ISA 9.3";
    f.evidence = isa::Evidence::kSingle;
    f.line = b;
    f.other = a;
    f.headline = isa::cat("this line and line ", first.source_line, " could be one step");
    f.observed = "two steps";
    f.required = "one";
    f.mend = isa::cat("issue lines ", first.source_line, " and ", second.source_line, " as one");
    f.edits = {{Edit::Kind::kReplace, a, isa::cat(isa::print(first), "; ", isa::print(second))},
               {Edit::Kind::kErase, b, {}}};
    out_.push_back(std::move(f));
  }

  const isa::Program& program_;
  const Profile& profile_;
  const int window_;
  std::vector<Finding>& out_;
  std::vector<Step> steps_;  // PE lines and MVs
  std::vector<std::pair<size_t, isa::MaskState>> mask_of_;
  std::vector<const Insn*> merged_;
  std::vector<isa::Violation> violations_;
};

}  // namespace

void find_pairs(const isa::Program& program, const Profile& profile, std::vector<Finding>& out) {
  Pairs(program, profile, out).run();
}

}  // namespace kumihimo::mncore2::hazard
