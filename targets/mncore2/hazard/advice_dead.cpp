// A write is one destination of one line. It is dead when each word that it wrote has been overwritten, by writes that
// hit the word in every unit, and no word of it was read before. Words of PE memories, T, L1BM and L2BM are followed; DRAM
// and PDM belong to the host.
#include "targets/mncore2/hazard/advice_dead.h"

#include <algorithm>
#include <array>

#include "targets/mncore2/isa/build.h"
#include "targets/mncore2/isa/cat.h"
#include "targets/mncore2/isa/diagnostics.h"
#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/mv.h"
#include "targets/mncore2/isa/print.h"

namespace kumihimo::mncore2::hazard {
namespace {

using isa::Insn;
using isa::Mem;

constexpr uint32_t kNoWrite = 0;

struct Write {
  size_t line;
  int insn, dst;
  int64_t words;  // not overwritten yet
  uint32_t epoch;
  bool read;
};

// Who wrote each word of one memory last.
struct Words {
  std::vector<uint32_t> owner;
  uint32_t read_whole = 0;  // epoch of the last read of unknown address
};

bool is_lm(Mem mem) { return mem == Mem::kLm0 || mem == Mem::kLm1; }

class DeadWrites {
 public:
  DeadWrites(const isa::Program& program, std::vector<Finding>& out) : program_(program), out_(out) {
    writes_.push_back({});
    for (Mem mem : {Mem::kLm0, Mem::kLm1, Mem::kGrf0, Mem::kGrf1, Mem::kT, Mem::kL1bm, Mem::kL2bm})
      memory_of(mem)->owner.resize(mem == Mem::kT ? 4 : static_cast<size_t>(isa::address_count(mem)), kNoWrite);
  }

  void run() {
    isa::MaskState masks;
    for (at_ = 0; at_ < program_.lines.size(); ++at_) {
      const isa::Line& line = program_.lines[at_];
      isa::apply_mask_statement(masks, line);
      ++epoch_;
      switch (line.kind) {
        case isa::LineKind::kPe: pe(line, masks); break;
        case isa::LineKind::kMv: mv(line.insns[0]); break;
        case isa::LineKind::kDebugGet:
        case isa::LineKind::kDebugSet: debug(line); break;
        default: break;
      }
    }
  }

 private:
  Words* memory_of(Mem mem) {
    switch (mem) {
      case Mem::kLm0: return &memories_[0];
      case Mem::kLm1: return &memories_[1];
      case Mem::kGrf0: return &memories_[2];
      case Mem::kGrf1: return &memories_[3];
      case Mem::kT: return &memories_[4];
      case Mem::kL1bm: return &memories_[5];
      case Mem::kL2bm: return &memories_[6];
      default: return nullptr;
    }
  }

  bool runtime_address(const isa::Operand& op) const {
    return op.t_indirect || op.j >= 0 || (is_lm(op.mem) && bar_written_[op.mem == Mem::kLm1]);
  }

  void pe(const isa::Line& line, const isa::MaskState& masks) {
    for (size_t i = 0; i < line.insns.size(); ++i) {
      accesses_.clear();
      append_accesses(line.insns[i], masks, accesses_);
      for (const Access& a : accesses_)
        if (!is_write(a.kind)) read(a, line.insns[i]);
    }
    for (size_t i = 0; i < line.insns.size(); ++i) {
      const Insn& insn = line.insns[i];
      accesses_.clear();
      append_accesses(insn, masks, accesses_);
      for (const Access& a : accesses_) {
        if (!is_write(a.kind)) continue;
        if (a.kind == AccessKind::kBarWrite) bar_written_[a.mem == Mem::kBar1] = true;
        const auto dst = static_cast<size_t>(a.operand) - insn.srcs.size();
        if (memory_of(a.mem) != nullptr)
          write(a, static_cast<int>(i), static_cast<int>(dst), everywhere(insn, insn.dsts[dst], masks),
                runtime_address(insn.dsts[dst]));
      }
    }
  }

  // Whether the write hits its words in every unit.
  static bool everywhere(const Insn& insn, const isa::Operand& dst, const isa::MaskState& masks) {
    if (isa::memory(dst.mem).cls == isa::MemClass::kTree) return insn.l1b_set == 0xff || insn.reduce != nullptr;
    const isa::EffectiveMask mask = isa::effective_mask(dst, masks);
    if (mask.entry == 0) return true;
    const bool half_guarded = !mask.ll && (dst.mem == Mem::kT || dst.width == isa::Width::kDlw);
    return mask.entry >= 16 && !half_guarded;  // cycles that a pattern leaves out are no part of the access
  }

  void read(const Access& a, const Insn& insn) {
    Words* words = memory_of(a.mem);
    if (words == nullptr) return;
    const bool is_operand = static_cast<size_t>(a.operand) < insn.srcs.size();
    if (is_operand && a.mem == insn.srcs[static_cast<size_t>(a.operand)].mem &&
        runtime_address(insn.srcs[static_cast<size_t>(a.operand)])) {
      words->read_whole = epoch_;
      return;
    }
    for (const auto& [lo, hi] : a.range) mark_read(*words, lo, hi);
  }

  void mark_read(Words& words, int64_t lo, int64_t hi) {
    const auto size = static_cast<int64_t>(words.owner.size());
    for (int64_t w = lo; w < hi; ++w) {
      const uint32_t owner = words.owner[static_cast<size_t>(w % size)];
      if (owner != kNoWrite) writes_[owner].read = true;
    }
  }

  void write(const Access& a, int insn, int dst, bool everywhere, bool runtime) {
    if (runtime) return;  // which words keep their value is not known
    Words& words = *memory_of(a.mem);
    const auto id = static_cast<uint32_t>(writes_.size());
    writes_.push_back({at_, insn, dst, 0, epoch_, false});
    const auto size = static_cast<int64_t>(words.owner.size());
    for (const auto& [lo, hi] : a.range)
      for (int64_t w = lo; w < hi; ++w) take(words, static_cast<size_t>(w % size), id, everywhere);
  }

  void take(Words& words, size_t word, uint32_t id, bool everywhere) {
    uint32_t& owner = words.owner[word];
    if (owner == id) return;
    if (owner != kNoWrite) {
      Write& old = writes_[owner];
      // Where it is hit in part only, the rest of the old value lives on.
      if (!everywhere || words.read_whole >= old.epoch) old.read = true;
      if (--old.words == 0 && !old.read) report(old);
    }
    owner = id;
    ++writes_[id].words;
  }

  void mv(const Insn& insn) {
    if (!insn.def->has_dst()) return;
    const isa::MvFootprint f = isa::mv_footprint(insn);
    if (f.src.mem == Mem::kL2bm) mark_read(*memory_of(Mem::kL2bm), f.src.addr, f.src.addr + f.src.length);
    if (f.dst.mem != Mem::kL2bm) return;
    Access a{AccessKind::kMvWrite, Mem::kL2bm, {}, 1};
    a.range[0] = {f.dst.addr, f.dst.addr + f.dst.length};
    write(a, 0, 0, f.dst.instances == 0xff, false);
  }

  void debug(const isa::Line& line) {
    Words* words = memory_of(line.mem.mem);
    if (words == nullptr) return;
    const bool is_pe = isa::memory(line.mem.mem).cls == isa::MemClass::kPe;
    const int64_t unit = is_pe ? isa::width_words(line.mem.width) : line.mem.width == isa::Width::kDlw ? 2 : 1;
    int64_t lo = line.mem.addr, hi = lo + unit * line.count;
    if (line.mem.mem == Mem::kT) lo = 0, hi = 4;
    const auto size = static_cast<int64_t>(words->owner.size());
    if (line.kind == isa::LineKind::kDebugGet) {
      mark_read(*words, lo, std::min(hi, lo + size));
      return;
    }
    // Words that the text sets are inputs, not results: they end a write, and none is reported for them.
    const bool all_units = line.mem.n < 0 && line.mem.c < 0 && line.mem.b < 0 && line.mem.m < 0 && line.mem.p < 0;
    writes_.push_back({at_, -1, -1, 0, epoch_, true});
    const auto id = static_cast<uint32_t>(writes_.size() - 1);
    for (int64_t w = lo; w < std::min(hi, lo + size); ++w)
      take(*words, static_cast<size_t>(w % size), id, all_units && line.mem.mem != Mem::kT);
  }

  void report(const Write& dead) {
    const isa::Line& line = program_.lines[dead.line];
    const Insn& insn = line.insns[static_cast<size_t>(dead.insn)];
    const isa::Operand& dst = insn.dsts[static_cast<size_t>(dead.dst)];
    Finding f;
    f.def = &isa::diag::kLintDeadWrite;
    f.severity = Severity::kNote;
    f.rule = f.def->name;
    f.source = "ISA 3.2";
    f.line = dead.line;
    f.other = at_;
    f.headline = isa::cat(isa::memory(dst.mem).name, " is written and overwritten before anything reads it");
    f.observed = isa::cat(isa::print(dst), ", overwritten in line ", program_.lines[at_].source_line);
    f.required = "a read between the two";
    f.mend = isa::cat("leave out ", isa::print(dst));
    f.edits = without(line, dead);
    out_.push_back(std::move(f));
  }

  // The line without the write. Its time and the forwarding paths stay as they are.
  static std::vector<Edit> without(const isa::Line& line, const Write& dead) {
    isa::Line rest = line;
    Insn& insn = rest.insns[static_cast<size_t>(dead.insn)];
    const bool upload = insn.def->unit == isa::Unit::kL1bm && insn.def->l1bm.upload;
    if (insn.dsts.size() > 1) {
      insn.dsts.erase(insn.dsts.begin() + dead.dst);
    } else if (upload) {
      insn.dsts[0].mem = Mem::kTurnaround;  // what $lbi delivers stays
      insn.dsts[0].addr = {};
    } else if (isa::memory(insn.dsts[0].mem).cls == isa::MemClass::kTree) {
      if (line.kind == isa::LineKind::kMv) {
        if (insn.tag != 0) return {};  // somebody may wait for it
        return {{Edit::Kind::kErase, dead.line, {}}};
      }
      rest.insns.erase(rest.insns.begin() + dead.insn);
      if (rest.insns.empty()) return {{Edit::Kind::kReplace, dead.line, "nop"}};
    } else {
      insn.dsts[0] = isa::plain(Mem::kNowrite);
    }
    return {{Edit::Kind::kReplace, dead.line, isa::print(rest)}};
  }

  const isa::Program& program_;
  std::vector<Finding>& out_;
  std::array<Words, 7> memories_;
  std::vector<Write> writes_;  // by id; 0 stands for none
  std::vector<Access> accesses_;
  bool bar_written_[2] = {};
  size_t at_ = 0;
  uint32_t epoch_ = 0;
};

}  // namespace

void find_dead_writes(const isa::Program& program, std::vector<Finding>& out) { DeadWrites(program, out).run(); }

}  // namespace kumihimo::mncore2::hazard
