#include "targets/mncore2/hazard/lint_mv.h"

#include <algorithm>
#include <bit>

#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

namespace diag = isa::diag;
using isa::cat;
using isa::Mem;
using isa::MvRange;

// MVs without tag are never known to be done; a program that issues thousands of them is remembered this far back.
constexpr size_t kMaxInFlight = 512;

bool overlap(const MvRange& a, const MvRange& b) {
  return a.mem == b.mem && (a.instances & b.instances) != 0 && a.addr < b.addr + b.length && b.addr < a.addr + a.length;
}

std::string tag_text(uint8_t tag) {
  constexpr char kHex[] = "0123456789abcdef";
  return cat("i", kHex[tag >> 4 & 15], kHex[tag & 15]);
}

}  // namespace

MvTracker::MvTracker(const isa::Program& program, std::vector<Finding>& out) : out_(out), program_(program) {
  std::ranges::fill(first_, Finding::kNoLine);
  uint64_t used = 1;
  for (size_t i = 0; i < program.lines.size(); ++i) {
    const isa::Line& line = program.lines[i];
    if (line.kind == isa::LineKind::kHostDma) host_records_ = true, used |= uint64_t{1} << (line.host_tag & 63);
    for (const isa::Insn& insn : line.insns) used |= uint64_t{1} << (insn.tag & 63);
    if (line.kind != isa::LineKind::kMv || line.insns.empty()) continue;
    size_t& first = first_[line.insns[0].tag & 63];
    if (first == Finding::kNoLine) first = i;
  }
  free_tag_ = static_cast<uint8_t>(std::countr_one(used) & 63);
}

// A wait right before the line; an MV without a tag gets one first.
void MvTracker::mend_with_wait(Finding& finding, const InFlight& mv, size_t line) {
  const uint8_t tag = mv.tag != 0 ? mv.tag : free_tag_;
  if (tag == 0) {
    finding.mend = "free a tag, give it to the MV and wait for it";
    return;
  }
  const std::string wait = cat("nop; wait ", tag_text(tag));
  finding.mend = cat(wait, " before line ", program_.lines[line].source_line);
  if (mv.tag == 0) {
    isa::Insn tagged = program_.lines[mv.line].insns[0];
    tagged.tag = tag;
    finding.edits.push_back({Edit::Kind::kReplace, mv.line, isa::print(tagged)});
    finding.mend =
        cat("tag ", tag_text(tag), " for the MV in line ", program_.lines[mv.line].source_line, " and ", finding.mend);
  }
  finding.edits.push_back({Edit::Kind::kInsertBefore, line, wait});
}

Finding& MvTracker::add(const DiagDef& def, Severity severity, size_t line, size_t other, std::string headline) {
  Finding f;
  f.def = &def;
  f.severity = severity;
  f.rule = def.name;
  f.source = "ISA 4.6";
  f.line = line;
  f.other = other;
  f.headline = std::move(headline);
  out_.push_back(std::move(f));
  return out_.back();
}

void MvTracker::issue(const isa::Insn& insn, size_t line) {
  const isa::MvFootprint f = isa::mv_footprint(insn);
  for (const MvRange& r : {f.src, f.dst}) {
    if (r.addr + r.length <= isa::address_count(r.mem)) continue;
    Finding& finding = add(diag::kLintRange, Severity::kWarning, line, Finding::kNoLine,
                           "transfer leaves its memory and wraps around");
    finding.observed = cat(isa::memory(r.mem).name, " ", r.addr, " to ", r.addr + r.length - 1);
    finding.required = cat("at most ", isa::address_count(r.mem) - 1);
    finding.source = "ISA 1.2";
    finding.mend = "a lower address, or fewer words";
  }
  for (const InFlight& earlier : in_flight_) {
    if (insn.tag != 0 && earlier.tag == insn.tag) {
      Finding& finding = add(diag::kHazardTag, Severity::kWarning, line, earlier.line,
                             cat("tag ", tag_text(insn.tag), " is still in use"));
      finding.required = "a wait for the tag before it is used again";
      mend_with_wait(finding, earlier, line);
    }
    // Dependent MVs of one kind run in order; nobody has published that for different kinds (ISA 4.6 [I], 12 Q24).
    if (earlier.def->name != insn.def->name &&
        (overlap(earlier.footprint.dst, f.src) || overlap(earlier.footprint.dst, f.dst) ||
         overlap(earlier.footprint.src, f.dst))) {
      Finding& finding = add(diag::kHazardMv, Severity::kWarning, line, earlier.line,
                             "an MV touches words of an unfinished MV of another kind");
      finding.evidence = isa::Evidence::kInferred;
      mend_with_wait(finding, earlier, line);
    }
  }
  if (insn.tag != 0) seen_[insn.tag & 63] = true;
  if (in_flight_.size() == kMaxInFlight) in_flight_.erase(in_flight_.begin());
  in_flight_.push_back({insn.def, f, isa::mv_ports(insn), insn.tag, line});
}

void MvTracker::wait(uint8_t tag, size_t line) {
  size_t last = in_flight_.size();
  for (size_t i = 0; i < in_flight_.size(); ++i)
    if (in_flight_[i].tag == tag) last = i;
  if (last == in_flight_.size() && host_[tag & 63]) {
    host_[tag & 63] = false;
    return;
  }
  if (last == in_flight_.size()) return unanswered(tag, line);
  // In order per port: what shares a port with a completed MV and stands before it is done as well, transitively.
  isa::MvPorts done = 0;
  std::vector<InFlight> still;
  for (size_t i = in_flight_.size(); i-- > 0;) {
    const InFlight& mv = in_flight_[i];
    const bool waited = mv.tag == tag;
    if (waited || (done & mv.ports) != 0) {
      done = static_cast<isa::MvPorts>(done | mv.ports);
      continue;
    }
    still.push_back(mv);
  }
  std::reverse(still.begin(), still.end());
  in_flight_ = std::move(still);
}

// A wait that no MV before it answers. Programs for the board wait for the host's transfers in this way, and where a
// program does not hold these transfers itself, only the host can know.
void MvTracker::unanswered(uint8_t tag, size_t line) {
  const size_t carrier = first_[tag & 63];
  const bool host_may = carrier == Finding::kNoLine && !host_records_;
  Finding& f =
      add(diag::kHazardTag, host_may ? Severity::kNote : Severity::kWarning, line,
          seen_[tag & 63] ? Finding::kNoLine : carrier,
          host_may                      ? cat("tag ", tag_text(tag), " is the host's to complete")
          : seen_[tag & 63]             ? cat("second wait for tag ", tag_text(tag))
          : carrier != Finding::kNoLine ? cat("the first MV with tag ", tag_text(tag), " comes after its wait")
                                        : cat("neither an MV nor a host transfer carries tag ", tag_text(tag)));
  f.required = "an earlier MV with this tag, or a host transfer that carries it";
  f.mend = host_may ? "nothing, where the host completes the tag" : "wait for a tag that something completes before";
  f.source = "ISA 1.4, 4.1";
  if (!seen_[tag & 63]) return;
  // The machine would stand still for ever: nothing completes the tag again.
  isa::Line rest = program_.lines[line];
  std::erase_if(rest.insns, [](const isa::Insn& insn) { return insn.def->unit == isa::Unit::kWait; });
  f.mend = "leave out the wait";
  f.edits.push_back({Edit::Kind::kReplace, line, isa::print(rest)});
}

void MvTracker::report(const InFlight& mv, size_t line, const char* what) {
  if (mv.tag != 0) {
    Finding& f = add(diag::kHazardMv, Severity::kError, line, mv.line, cat(what, " before the wait for its tag"));
    f.observed = cat("tag ", tag_text(mv.tag), " in flight");
    f.required = cat("wait ", tag_text(mv.tag));
    mend_with_wait(f, mv, line);
  } else {
    Finding& f = add(diag::kHazardMvUntagged, Severity::kWarning, line, mv.line, cat(what, ", which has no tag"));
    f.required = "a tag and a wait for it";
    mend_with_wait(f, mv, line);
  }
}

void MvTracker::touch(const isa::Insn& insn, size_t line) {
  if (insn.def->unit != isa::Unit::kL2bm || in_flight_.empty()) return;
  const isa::L2bmColumns& columns = insn.def->l2bm;
  const isa::Operand& op = columns.upload ? insn.dsts[0] : insn.srcs[0];
  if (op.mem != Mem::kL2bm) return;  // l2bmi moves words between L1BMs
  const MvRange touched{Mem::kL2bm, 0xff, op.addr[0], columns.cycle_c * 3 + columns.row_lw()};
  for (size_t i = 0; i < in_flight_.size(); ++i) {
    const InFlight mv = in_flight_[i];
    const bool result = overlap(mv.footprint.dst, touched);
    const bool source = columns.upload && overlap(mv.footprint.src, touched);
    if (!result && !source) continue;
    report(mv, line,
           result ? (columns.upload ? "L2BM is overwritten where an MV writes" : "L2BM is read where an MV writes")
                  : "L2BM is overwritten where an MV reads");
    // Once per MV: later lines with the same fault would repeat it.
    in_flight_.erase(in_flight_.begin() + static_cast<std::ptrdiff_t>(i--));
  }
}

}  // namespace kumihimo::mncore2::hazard
