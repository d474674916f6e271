#include "targets/mncore2/hazard/lint_defined.h"

#include <algorithm>

#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::LineKind;
using isa::Mem;
using isa::Unit;

struct HarmText {
  std::string_view headline, source;
};
HarmText text_of(Harm harm) {
  switch (harm) {
    case Harm::kAddress: return {"an address is made of bits that nothing has written", "ISA 3.2"};
    case Harm::kConversion: return {"a block has written and unwritten members", "ISA 8.5"};
    case Harm::kContraction: return {"a product sum has written and unwritten members", "ISA 6.1, 8.6"};
    case Harm::kReduction: return {"a reduction has written and unwritten members", "ISA 4.3"};
    case Harm::kDump: return {"words are printed that nothing has written", "ISA 3.5"};
  }
  return {};
}

}  // namespace

StartingState starting_state(const isa::Program& program) {
  StartingState start;
  bool work = false, dumps = false;
  for (const isa::Line& line : program.lines) {
    work |= line.kind == LineKind::kPe || line.kind == LineKind::kMv;
    dumps |= line.kind == LineKind::kDebugGet;
    start.outside |= line.kind == LineKind::kHostRow || line.kind == LineKind::kHostDma;
    start.inputs |= start.outside || line.kind == LineKind::kDebugSet;
  }
  start.judged = work && (start.inputs || dumps);
  return start;
}

DefinedChecker::DefinedChecker(LintContext& context)
    : context_(context), start_(starting_state(context.program)), memory_(start_.outside ? kNever : kUnknown) {}

void DefinedChecker::report() {
  std::ranges::sort(harms_);
  const auto end = std::unique(harms_.begin(), harms_.end());
  for (auto it = harms_.begin(); it != end; ++it) {
    const HarmText text = text_of(*it);
    // Without input lines another text may set what this one reads: that of a testcase.
    Finding& f = context_.add(isa::diag::kLintUndefined, start_.inputs ? Severity::kWarning : Severity::kNote,
                              text.source, std::string(text.headline), {}, "a write before this line");
    f.evidence = isa::Evidence::kInferred;
    f.mend = "write them first, or leave them out";
  }
  harms_.clear();
}

void DefinedChecker::step(const isa::Line& line, bool noforward) {
  if (!start_.judged) return;
  struct Work {
    const Insn* insn;
    std::vector<Beat> in;
    UnitResult result;
    int latch = -1;
  };
  std::vector<Work> works;
  std::vector<TreeMove> moves;
  // All reads of a step come before its writes.
  for (const Insn& insn : line.insns) {
    Work work{&insn, {}, {}, -1};
    switch (insn.def->unit) {
      case Unit::kL2bm: moves.push_back(l2bm_move(insn, memory_)); continue;
      case Unit::kNoforward:
      case Unit::kWait:
      case Unit::kNop:
      case Unit::kL2bmDarWrite:
      case Unit::kMv: continue;
      default: break;
    }
    for (const isa::Operand& op : insn.srcs) {
      const isa::MemClass cls = isa::memory(op.mem).cls;
      if (cls == isa::MemClass::kPe || cls == isa::MemClass::kT || cls == isa::MemClass::kForward ||
          cls == isa::MemClass::kConstant)
        work.in.push_back(memory_.fetch(op, insn.prec, harms_));
    }
    const auto side = [&](const isa::Operand& op) -> std::span<const Row, 16> {
      return memory_.matrix[op.mem == Mem::kMatY ? 1 : 0];
    };
    switch (insn.def->unit) {
      case Unit::kAlu:
        work.result = alu_lanes(insn, work.in, harms_);
        work.latch = 1;
        break;
      case Unit::kMauCalc:
        work.result = insn.def->reads_matrix() ? matrix_lanes(insn, work.in, side(insn.srcs[0]), harms_)
                                               : vector_lanes(insn, work.in);
        work.latch = 0;
        break;
      case Unit::kMauRead:
        work.result = mread_lanes(insn, side(insn.srcs[0]));
        work.latch = 3;
        break;
      case Unit::kL1bmTurnaround:
      case Unit::kL1bm:
        if (insn.def->l1bm.upload) break;
        work.result.beat = l1bm_down(insn, memory_);
        work.latch = 2;
        break;
      default: break;
    }
    if (insn.zero_flush.present) memory_.zero_flush(insn.zero_flush, work.result.beat);
    works.push_back(std::move(work));
  }
  for (const Work& work : works) {
    const Insn& insn = *work.insn;
    if (insn.def->unit == Unit::kMauWrite) {
      const int rows = matrix_rows(insn.prec);
      const bool dlw = insn.dsts[0].width == isa::Width::kDlw;
      auto& to = memory_.matrix[insn.dsts[0].mem == Mem::kMatY ? 1 : 0];
      for (int c = 0; c < 4; ++c)
        for (int w = 0; w < (dlw ? 2 : 1); ++w)
          to[static_cast<size_t>((insn.dsts[0].addr[0] + (dlw ? 2 * c : c) + w) % rows)] =
              work.in[0].v[static_cast<size_t>(c)][static_cast<size_t>(w)];
    } else if (insn.def->unit == Unit::kL1bm && insn.def->l1bm.upload) {
      l1bm_up(insn, work.in[0], !noforward, memory_);
    } else {
      for (const isa::Operand& op : insn.dsts)
        if (op.mem != Mem::kOmr) memory_.store(op, context_.masks, work.result, harms_);
    }
  }
  // Flags guard from the next step on.
  for (const Work& work : works)
    for (const isa::Operand& op : work.insn->dsts)
      if (op.mem == Mem::kOmr) memory_.store(op, context_.masks, work.result, harms_);
  for (const TreeMove& move : moves) move.write(memory_);
  if (!noforward) {
    for (Beat& latch : memory_.latch) latch = Beat{};  // a unit that rests leaves nothing of use
    for (const Work& work : works)
      if (work.latch >= 0) memory_.latch[static_cast<size_t>(work.latch)] = work.result.beat;
  }
  report();
}

void DefinedChecker::mv(const Insn& insn) {
  if (!start_.judged) return;
  if (insn.def->has_dst()) mv_move(insn, memory_, harms_);
  report();
}

void DefinedChecker::statement(const isa::Line& line) {
  if (!start_.judged) return;
  switch (line.kind) {
    case LineKind::kDebugGet: get(line); break;
    case LineKind::kDebugSet: set(line); break;
    case LineKind::kHostRow:
    case LineKind::kHostDma:
      for (size_t i = 0; i < line.payload.size(); ++i)
        memory_.set_tree(line.mem.mem, std::max<int>(line.mem.n, 0), line.mem.addr + static_cast<int64_t>(i), kDefined);
      break;
    default: return;
  }
  report();
}

namespace {

// A dump may name half a billion words of DRAM; what its first ones say is enough.
constexpr uint32_t kMaxDump = 1u << 20;

// The long words and lanes that a debug line names, one after the other: f(address in long words, lanes).
template <class F>
void for_each_word(const isa::DebugMem& m, uint32_t count, F f) {
  count = std::min(count, kMaxDump);
  const bool words = isa::memory(m.mem).cls == isa::MemClass::kPe;
  const int lws = m.width == isa::Width::kDlw ? 2 : 1;
  for (int64_t i = 0; i < count; ++i) {
    if (words && m.width == isa::Width::kW) {
      const int64_t at = m.addr + i;
      f(at / 2, static_cast<uint8_t>(at % 2 != 0 ? 3 : 0xc));
      continue;
    }
    const int64_t first = (words ? m.addr / 2 : m.addr) + i * lws;
    for (int k = 0; k < lws; ++k) f(first + k, kAllLanes);
  }
}

}  // namespace

void DefinedChecker::set(const isa::Line& line) {
  const isa::DebugMem& m = line.mem;
  std::vector<Row>* rows = memory_.rows(m.mem);
  const bool all_units = m.n < 0 && m.c < 0 && m.b < 0 && (m.m < 0 || rows == nullptr);
  for_each_word(m, line.count, [&](int64_t at, uint8_t lanes) {
    const auto written = [&](Lanes old, bool everywhere) {
      const auto l = [lanes](uint8_t x) { return static_cast<uint8_t>(x | lanes); };
      return Lanes{everywhere ? l(old.must) : old.must, l(old.may)};
    };
    if (rows != nullptr || m.mem == Mem::kT) {
      for (int p = 0; p < 4; ++p) {
        if (m.p >= 0 && m.p != p) continue;
        const auto pe = static_cast<size_t>(p);
        Lanes& to = rows != nullptr ? (*rows)[static_cast<size_t>(at) % rows->size()][pe]
                                    : memory_.t.v[static_cast<size_t>(at & 3)][static_cast<size_t>(at >> 2 & 1)][pe];
        to = written(to, all_units && m.m < 0);
      }
    } else if (m.mem == Mem::kL1bm) {
      memory_.set_l1bm(at, written(memory_.l1bm(at), all_units));
    } else if (m.mem == Mem::kL2bm) {
      for (int i = 0; i < 8; ++i)
        if ((m.n < 0 || m.n == i / 2) && (m.c < 0 || m.c == i % 2))
          memory_.set_tree(m.mem, i, at, written(memory_.tree(m.mem, i, at), true));
    }
  });
}

void DefinedChecker::get(const isa::Line& line) {
  const isa::DebugMem& m = line.mem;
  std::vector<Row>* rows = memory_.rows(m.mem);
  bool unwritten = false;
  const auto look = [&](Lanes lanes, uint8_t wanted) { unwritten |= (lanes.may & wanted) != wanted; };
  if (m.mem == Mem::kOmr) {
    for (int64_t entry = std::max<int64_t>(m.addr, 1); entry < std::min<int64_t>(m.addr + line.count, 16); ++entry)
      for (const Row& cycle : memory_.omr[static_cast<size_t>(entry)])
        for (int p = 0; p < 4; ++p)
          if (m.p < 0 || m.p == p) look(cycle[static_cast<size_t>(p)], kAllLanes);
  } else {
    for_each_word(m, line.count, [&](int64_t at, uint8_t lanes) {
      if (rows != nullptr || m.mem == Mem::kT) {
        for (int p = 0; p < 4; ++p) {
          if (m.p >= 0 && m.p != p) continue;
          const auto pe = static_cast<size_t>(p);
          look(rows != nullptr ? (*rows)[static_cast<size_t>(at) % rows->size()][pe]
                               : memory_.t.v[static_cast<size_t>(at & 3)][static_cast<size_t>(at >> 2 & 1)][pe],
               lanes);
        }
      } else if (m.mem == Mem::kL1bm) {
        look(memory_.l1bm(at), lanes);
      } else if (m.mem == Mem::kL2bm) {
        for (int i = 0; i < 8; ++i)
          if ((m.n < 0 || m.n == i / 2) && (m.c < 0 || m.c == i % 2)) look(memory_.tree(m.mem, i, at), lanes);
      } else if (m.mem == Mem::kPdm || m.mem == Mem::kDram) {
        for (int g = 0; g < 4; ++g)
          if (m.n < 0 || m.n == g) look(memory_.tree(m.mem, g, at), lanes);
      }
    });
  }
  if (unwritten) harms_.push_back(Harm::kDump);
}

}  // namespace kumihimo::mncore2::hazard
