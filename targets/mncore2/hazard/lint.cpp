#include "targets/mncore2/hazard/lint.h"

#include <algorithm>
#include <array>
#include <deque>

#include "targets/mncore2/hazard/lint_mv.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Insn;
using isa::Line;
using isa::Mem;
using isa::Unit;

struct PastWrite {
  int64_t step;
  size_t line;
  Access access;
  std::string_view text() const { return isa::memory(access.mem).name; }
};

class Linter {
 public:
  Linter(const isa::Program& program, const Profile& profile)
      : program_(program), profile_(profile), window_(max_gap_steps(profile) + 1), mv_(program, out_) {}

  std::vector<Finding> run() {
    for (at_ = 0; at_ < program_.lines.size(); ++at_) {
      const Line& line = program_.lines[at_];
      isa::apply_mask_statement(masks_, line);
      if (line.kind == isa::LineKind::kMv) {
        // mvnop touches nothing.
        if (legal_line(line) && line.insns[0].def->has_dst()) {
          mv_.issue(line.insns[0], at_);
          accesses_.clear();
          append_mv_accesses(line.insns[0], accesses_);
          check_reads();
        }
        notes(line);
      } else if (line.kind == isa::LineKind::kPe) {
        if (legal_line(line)) step(line);
      } else if (line.kind == isa::LineKind::kHostDma) {
        mv_.host(line.host_tag);
      }
    }
    return std::move(out_);
  }

 private:
  Finding& add(const DiagDef& def, Severity severity, std::string headline, std::string observed = {},
               std::string required = {}, std::string mend = {}) {
    Finding f;
    f.def = &def;
    f.severity = severity;
    f.rule = def.name;
    f.line = at_;
    f.headline = std::move(headline);
    f.observed = std::move(observed);
    f.required = std::move(required);
    f.mend = std::move(mend);
    out_.push_back(std::move(f));
    return out_.back();
  }

  bool legal_line(const Line& line) {
    violations_.clear();
    isa::check_line(line, masks_, violations_);
    for (const isa::Violation& v : violations_)
      add(*v.def, Severity::kError, v.headline, v.observed, v.required).source = "ISA 9.3";
    return violations_.empty();
  }

  void step(const Line& line) {
    const bool is_nop =
        line.insns[0].def->unit == Unit::kNop || (line.insns.size() > 1 && line.insns[1].def->unit == Unit::kNop);
    bool noforward = false;
    int64_t steps = 1;
    for (const Insn& insn : line.insns) {
      if (insn.def->unit == Unit::kNop) steps = insn.nop_count;
      if (insn.def->unit == Unit::kNoforward) noforward = true;
      if (insn.def->unit == Unit::kWait) mv_.wait(insn.tag, at_);
    }
    if (!is_nop) {
      accesses_.clear();
      for (const Insn& insn : line.insns) {
        append_accesses(insn, masks_, accesses_);
        paths(insn);
        matrices_read(insn);
        turnaround_read(insn);
        mv_.touch(insn, at_);
      }
      check_reads();
      notes(line);
      // What this step leaves behind.
      for (const Access& access : accesses_)
        if (is_write(access.kind)) past_.push_back({now_, at_, access});
      for (const Insn& insn : line.insns) leave(insn);
      if (!noforward) update_paths(line);
    }
    now_ += steps;
    while (!past_.empty() && now_ - past_.front().step > window_) past_.pop_front();
  }

  void check_reads() {
    for (const Access& read : accesses_) {
      if (is_write(read.kind)) continue;
      const PastWrite* worst = nullptr;
      const Rule* worst_rule = nullptr;
      int worst_missing = 0, worst_gap = 0;
      for (const PastWrite& write : past_) {
        const Rule* rule = nullptr;
        const int gap = min_gap_steps(write.access, read, profile_, &rule);
        const int missing = gap - static_cast<int>(now_ - write.step - 1);
        if (missing <= worst_missing) continue;
        worst = &write, worst_rule = rule, worst_missing = missing, worst_gap = gap;
      }
      if (worst == nullptr) continue;
      const bool port = worst_rule->form == RuleForm::kPort;
      const Line& reader = program_.lines[at_];
      const std::string missing_steps = worst_missing == 1 ? "nop" : cat("nop/", worst_missing);
      Finding& f = add(port ? diag::kHazardPort : diag::kHazardData, Severity::kError,
                       cat(isa::memory(read.mem).name, " is read too early"),
                       cat(worst_gap - worst_missing, worst_gap - worst_missing == 1 ? " step" : " steps",
                           " after the write in line ", program_.lines[worst->line].source_line),
                       cat(worst_gap, worst_gap == 1 ? " step" : " steps", " between"),
                       cat(missing_steps, " before line ", reader.source_line));
      f.insert = missing_steps;
      f.rule = worst_rule->id;
      f.source = worst_rule->source;
      f.evidence = worst_rule->evidence;
      f.other = worst->line;
    }
  }

  // --- forwarding paths: mauf, aluf, lbf, mreadf -------------------------------------------------------------------
  static int path_of(Mem mem) {
    return mem == Mem::kMauf ? 0 : mem == Mem::kAluf ? 1 : mem == Mem::kLbf ? 2 : mem == Mem::kMreadf ? 3 : -1;
  }
  static int path_of(const Insn& insn) {
    switch (insn.def->unit) {
      case Unit::kMauCalc: return 0;
      case Unit::kAlu: return 1;
      case Unit::kL1bm: return insn.def->l1bm.upload ? -1 : 2;
      case Unit::kL1bmTurnaround: return 2;
      case Unit::kMauRead: return 3;
      default: return -1;
    }
  }

  void paths(const Insn& insn) {
    for (const isa::Operand& op : insn.srcs) {
      const int path = path_of(op.mem);
      if (path < 0) continue;
      const Path& p = paths_[static_cast<size_t>(path)];
      if (!p.fresh) {
        Finding& f = add(
            diag::kHazardForward, Severity::kWarning, cat("$", isa::memory(op.mem).letters, " holds nothing of use"),
            p.line == Finding::kNoLine ? "its unit has not worked yet"
                                       : cat("its unit last worked in line ", program_.lines[p.line].source_line,
                                             " and was idle in the step before"),
            "its unit worked in the last step that is no nop and has no noforward",
            "write the result to a register and read it there");
        f.source = "ISA 3.2";
        f.other = p.line;
      } else if (p.step + 1 != now_) {
        Finding& f = add(diag::kHazardForward, Severity::kNote,
                         cat("$", isa::memory(op.mem).letters, " is kept over nop or noforward"),
                         cat(now_ - p.step, " steps after line ", program_.lines[p.line].source_line), "the next step");
        f.source = "ISA 3.2";
        f.evidence = isa::Evidence::kAssembled;
        f.other = p.line;
      }
    }
  }

  void update_paths(const Line& line) {
    for (Path& p : paths_) p.fresh = false;
    for (const Insn& insn : line.insns) {
      const int path = path_of(insn);
      if (path >= 0) paths_[static_cast<size_t>(path)] = {true, now_, at_};
    }
  }

  // --- matrix registers and turnaround -----------------------------------------------------------------------------
  static bool same_view(isa::Prec a, isa::Prec b) {
    auto single = [](isa::Prec p) { return p == isa::Prec::kF || p == isa::Prec::kG; };  // fm* and gm* are one hardware
    return a == b || (single(a) && single(b));
  }

  void matrices_read(const Insn& insn) {
    if (!insn.def->reads_matrix()) return;
    const Side& side = sides_[insn.srcs[0].mem == Mem::kMatY];
    const std::string_view name = insn.srcs[0].mem == Mem::kMatY ? "$y" : "$x";
    if (side.line == Finding::kNoLine) {
      add(diag::kLintMatrixPrecision, Severity::kWarning, cat(name, " is read and was never written")).source =
          "ISA 6.2";
    } else if (!same_view(side.prec, insn.prec)) {
      Finding& f = add(diag::kLintMatrixPrecision, Severity::kError,
                       cat(name, " is read in another precision than it was written in"), isa::stem_of(insn),
                       cat("precision ", isa::prec_letter(side.prec)));
      f.source = "ISA 6.2";
      f.other = side.line;
    }
  }

  void turnaround_read(const Insn& insn) {
    if (insn.def->unit != Unit::kL1bmTurnaround) return;
    const bool dlw = insn.srcs[0].width == isa::Width::kDlw;
    const int rate = dlw ? insn.def->l1bm.rate_dlw : insn.def->l1bm.rate_lw;
    if (turn_rate_ == rate && turn_dlw_ == dlw) return;
    Finding& f =
        add(diag::kLintTurnaround, Severity::kWarning, "$lbi holds no data of this type",
            turn_rate_ == 0 ? "no upload before" : cat("the last upload moves ", turn_rate_, " long words per cycle"),
            cat("an upload of ", rate, " long words per cycle"));
    f.source = "ISA 5.4";
    f.other = turn_line_;
  }

  void leave(const Insn& insn) {
    if (insn.def->writes_matrix()) sides_[insn.dsts[0].mem == Mem::kMatY] = {insn.prec, at_};
    if (insn.def->unit == Unit::kL1bm && insn.def->l1bm.upload) {
      turn_dlw_ = insn.dsts[0].width == isa::Width::kDlw;
      turn_rate_ = turn_dlw_ ? insn.def->l1bm.rate_dlw : insn.def->l1bm.rate_lw;
      turn_line_ = at_;
    }
  }

  // --- remarks on single instructions ------------------------------------------------------------------------------
  void notes(const Line& line) {
    for (const Insn& insn : line.insns) {
      if (insn.def->unit == Unit::kMauCalc) mau_widths(insn);
      open_questions(insn);
      flags(insn);
      alignment(insn);
      mask_widths(insn);
    }
  }

  void width(const Insn& insn, const isa::Operand& op, isa::Width natural, bool dst) {
    if (isa::memory(op.mem).cls != isa::MemClass::kPe || op.width == natural) return;
    const bool narrower = isa::width_words(op.width) < isa::width_words(natural);
    // One element per cycle is ordinary use of single vectors (ISA 6.1 [A]).
    if (narrower && insn.prec == isa::Prec::kF && op.width == isa::Width::kW) return;
    Finding& f = add(diag::kLintWidth, Severity::kWarning,
                     narrower ? (dst ? "result is cut" : "source is filled with zeros")
                              : (dst ? "result is written with unspecified low words" : "source is cut"),
                     isa::print(op), cat(isa::width_words(natural), natural == isa::Width::kW ? " word" : " words"));
    f.source = insn.def->source;
    f.evidence = insn.def->evidence;
  }

  void mau_widths(const Insn& insn) {
    auto narrower = [](isa::Width w) { return w == isa::Width::kDlw ? isa::Width::kLw : isa::Width::kW; };
    for (size_t i = 0; i < insn.srcs.size(); ++i) {
      const isa::OperandDef& def = insn.def->srcs[i];
      if (def.role != isa::OperandRole::kPeSrc) continue;
      isa::Width natural = def.width[static_cast<size_t>(insn.prec)];
      if (insn.srcs[i].convert == 'e') natural = narrower(natural);
      if (insn.srcs[i].convert == 'r') natural = isa::Width::kDlw;
      width(insn, insn.srcs[i], natural, false);
    }
    isa::Width natural = insn.def->dst.width[static_cast<size_t>(insn.prec)];
    if (insn.narrow) natural = narrower(natural);
    for (const isa::Operand& op : insn.dsts) width(insn, op, natural, true);
  }

  void open_questions(const Insn& insn) {
    const bool reduction = insn.reduce != nullptr && insn.reduce->evidence == isa::Evidence::kUnknown;
    if (insn.def->evidence != isa::Evidence::kUnknown && !reduction) return;
    Finding& f =
        add(diag::kLintOpenQuestion, Severity::kWarning, "behaviour is not known for certain", isa::stem_of(insn));
    f.required = reduction ? insn.reduce->doc : insn.def->doc;
    f.source = reduction ? insn.reduce->source : insn.def->source;
    f.evidence = isa::Evidence::kUnknown;
  }

  void flags(const Insn& insn) {
    if (!insn.def->flags.empty()) return;
    for (const isa::Operand& op : insn.dsts)
      if (op.mem == Mem::kOmr)
        add(diag::kLintFlags, Severity::kWarning, "the instruction produces no flags", isa::stem_of(insn), "",
            "use lpassa of the result")
            .source = "ISA 7, 12 Q31";
  }

  void alignment(const Insn& insn) {
    const isa::L1bmColumns& columns = insn.def->l1bm;
    if (insn.def->unit != Unit::kL1bm) return;
    const isa::Operand& op = columns.upload ? insn.dsts[0] : insn.srcs[0];
    if (op.mem != Mem::kL1bm) return;
    const int safe = op.width == isa::Width::kDlw ? columns.safe_align_dlw : columns.safe_align_lw;
    if (op.addr[0] % safe == 0) return;
    Finding& f = add(diag::kLintAlignment, Severity::kNote, "L1BM address is not aligned as all known code aligns it",
                     std::to_string(op.addr[0]), cat("a multiple of ", safe));
    f.source = insn.def->source;
    f.evidence = columns.align_evidence;
  }

  // An `l` mask guards the MSB long word only; on a wider write the rest is written always (ISA 12 Q22).
  void mask_widths(const Insn& insn) {
    for (const isa::Operand& op : insn.dsts) {
      if (isa::memory(op.mem).cls != isa::MemClass::kPe || op.width != isa::Width::kDlw) continue;
      const isa::EffectiveMask mask = isa::effective_mask(op, masks_);
      if (mask.entry == 0 || mask.ll) continue;
      Finding& f = add(diag::kLintWidth, Severity::kWarning, "the mask guards half of the write only", isa::print(op),
                       "an ll mask on a double long word", "write /ll... or maskll");
      f.source = "ISA 3.3, 12 Q22";
      f.evidence = isa::Evidence::kInferred;
    }
  }

  struct Path {
    bool fresh = false;
    int64_t step = 0;
    size_t line = Finding::kNoLine;
  };
  struct Side {
    isa::Prec prec = isa::Prec::kNone;
    size_t line = Finding::kNoLine;
  };

  const isa::Program& program_;
  const Profile& profile_;
  const int window_;
  std::vector<Finding> out_;
  MvTracker mv_;
  isa::MaskState masks_;
  size_t at_ = 0;
  int64_t now_ = 0;
  std::deque<PastWrite> past_;
  std::vector<Access> accesses_;
  std::vector<isa::Violation> violations_;
  std::array<Path, 4> paths_;
  std::array<Side, 2> sides_;
  int turn_rate_ = 0;
  bool turn_dlw_ = false;
  size_t turn_line_ = Finding::kNoLine;
};

}  // namespace

std::vector<Finding> lint(const isa::Program& program, const Profile& profile) {
  return Linter(program, profile).run();
}

Diagnostic to_diagnostic(const Finding& finding, const isa::Program& program, std::string_view filename) {
  Diagnostic d;
  d.def = finding.def;
  d.severity = finding.severity;
  d.headline = finding.headline;
  d.observed = finding.observed;
  d.required = finding.required;
  const Line& line = program.lines[finding.line];
  d.where.file = filename;
  d.where.line = line.source_line;
  d.where.text = line.text.empty() ? isa::print(line) : line.text;
  d.bound.emplace_back("rule", finding.rule);
  d.bound.emplace_back("evidence", std::string(1, static_cast<char>(finding.evidence)));
  if (!finding.source.empty()) d.bound.emplace_back("source", finding.source);
  if (finding.other != Finding::kNoLine) {
    const Line& other = program.lines[finding.other];
    d.bound.emplace_back("other_line", std::to_string(other.source_line));
    d.bound.emplace_back("other_text", other.text.empty() ? isa::print(other) : other.text);
  }
  if (!finding.mend.empty()) {
    Fix fix;
    fix.summary = finding.mend;
    d.fixes.push_back(std::move(fix));
  }
  return d;
}

}  // namespace kumihimo::mncore2::hazard
