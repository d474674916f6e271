// From the plans of a stretch's steps to micro-operations.
#include <algorithm>

#include "targets/mncore2/emu/mab_rows.h"
#include "targets/mncore2/emu/segments.h"
#include "targets/mncore2/emu/uops.h"
#include "targets/mncore2/sem/sem.h"

namespace kumihimo::mncore2::emu {
namespace {

using fast::Move;
using fast::Row;
using fast::Uop;
using isa::Mem;
using isa::Unit;
using isa::Width;

// Rows of one operand: `width` rows of four long words from each of four places, or anywhere in one memory.
struct Extent {
  Row row[4] = {};
  int width = 0;  // 0: the operand is in no row of PE memory or T
  Mem anywhere = Mem::kNone;
  bool by_t = false;  // the address comes from T
};

bool rows_meet(Row a, int a_rows, Row b, int b_rows) { return a < b + 4 * b_rows && b < a + 4 * a_rows; }

bool in_memory(const Extent& e, Mem mem) {
  if (e.width == 0) return false;
  const Row first = memory_row(mem, 0);
  const int rows = is_lm(mem) ? kLmRows : kGrfRows;
  return rows_meet(e.row[0], 1, first, rows);
}

bool meet(const Extent& a, const Extent& b) {
  if (a.anywhere != Mem::kNone && b.anywhere != Mem::kNone) return a.anywhere == b.anywhere;
  if (a.anywhere != Mem::kNone) return in_memory(b, a.anywhere);
  if (b.anywhere != Mem::kNone) return in_memory(a, b.anywhere);
  if (a.width == 0 || b.width == 0) return false;
  for (const Row x : a.row)
    for (const Row y : b.row)
      if (rows_meet(x, a.width, y, b.width)) return true;
  return false;
}

bool is_t(const Extent& e) { return e.width != 0 && e.row[0] == beat_row(offsetof(Mab, t), 0); }

int latch_of(Mem mem) {
  switch (mem) {
    case Mem::kMauf: return kLatchMau;
    case Mem::kAluf: return kLatchAlu;
    case Mem::kLbf: return kLatchL1bm;
    case Mem::kMreadf: return kLatchMread;
    default: return -1;
  }
}

// Units in the order in which they are executed.
std::array<const Op*, 6> units_of(const StepPlan& s) {
  return {s.calc, s.mread, s.alu, s.distribute, s.collect, s.mwrite};
}

class Compiler {
 public:
  Compiler(const Stretch& stretch, unsigned bars, const fast::KernelSet& kernels)
      : stretch_(stretch), bars_(bars), kernels_(kernels), now_(stretch.latch_now), told_(stretch.latch_now) {}

  Uops run() {
    find_forwarded();
    for (size_t i = 0; i < stretch_.steps.size(); ++i) {
      const size_t first = out_.size();
      step(stretch_.steps[i], forwarded_[i]);
      touch_uops(first);
      while (lines_.size() >= kLinesAtOnce) fetch_ahead();
    }
    while (!lines_.empty()) fetch_ahead();
    tell_latches();
    return std::move(out_);
  }

 private:
  using Latches = std::array<uint8_t, kLatches>;

  Uop& add(fast::Kernel run, const Op* op) {
    Uop& u = out_.emplace_back();
    u.run = run;
    u.op = op;
    return u;
  }
  Uop& add_move(Move what, bool wide, const Op& op) {
    Uop& u = add(kernels_.move(what, wide), &op);
    u.wide = wide;
    return u;
  }

  // Functions that look at Mab::latch_now, and whoever comes after the stretch, must find it up to date.
  void tell_latches() {
    if (told_ == now_) return;
    Uop& u = add(set_latches, nullptr);
    for (size_t l = 0; l < kLatches; ++l) u.x[l] = now_[l];
    told_ = now_;
  }

  // --- the next MAB's lines -----------------------------------------------------------------------------------------

  // While this MAB runs, the lines that the stretch touches in the next one come into the host's cache: each once, by
  // a micro-operation behind the step that needs it first.
  static constexpr size_t kLinesAtOnce = 16;

  void touch_uops(size_t first) {
    for (size_t i = first; i < out_.size(); ++i) {
      const Uop& u = out_[i];
      if (u.x_rows)
        for (const Row(*rows)[4] : {&u.x, &u.y, &u.z})
          for (const Row row : *rows) touch(row);
      if (u.out_rows)
        for (const Row row : u.out) touch(row);
      for (int side = 0; side < 2; ++side)
        if (u.side == side_row(side)) touch_side(side);
    }
  }
  void fetch_ahead() {
    Uop& u = add(kernels_.move(Move::kFetchAhead, false), nullptr);
    const size_t count = std::min(lines_.size(), kLinesAtOnce);
    for (size_t k = 0; k < kLinesAtOnce; ++k) {
      Row(&rows)[4] = k < 4 ? u.x : k < 8 ? u.y : k < 12 ? u.z : u.out;
      rows[k % 4] = lines_[std::min(k, count - 1)];
    }
    lines_.erase(lines_.begin(), lines_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void touch(Row row) {
    const size_t line = row / 8;
    if (touched_[line]) return;
    touched_[line] = true;
    lines_.push_back(static_cast<Row>(line * 8));
  }
  void touch_side(int side) {
    constexpr int kRows = row_at(offsetof(MatrixSide, decoded));
    for (int r = 0; r < kRows; r += 8) touch(static_cast<Row>(side_row(side) + r));
  }

  // --- which results are forwarded ----------------------------------------------------------------------------------

  // forwarded_[i] bit l: the value that latch l takes in step i is read later, or may be after the stretch.
  void find_forwarded() {
    const size_t n = stretch_.steps.size();
    forwarded_.assign(n, 0);
    unsigned live = (1u << kLatches) - 1;
    for (size_t i = n; i-- > 0;) {
      const StepPlan& s = stretch_.steps[i];
      if (s.update_latches)
        for (const Op* op : {s.calc, s.mread, s.alu, s.distribute})
          if (op != nullptr) {
            const unsigned bit = 1u << op->latch;
            forwarded_[i] = static_cast<uint8_t>(forwarded_[i] | (live & bit));
            live &= ~bit;
          }
      for (const Op* op : units_of(s))
        if (op != nullptr)
          for (int k = 0; k < op->src_count; ++k)
            if (const int l = latch_of(op->src[static_cast<size_t>(k)].mem); l >= 0) live |= 1u << l;
    }
  }

  // --- operands -----------------------------------------------------------------------------------------------------

  template <class Plan>
  bool per_pe(const Plan& p) const {
    return p.per_pe || (is_lm(p.mem) && (bars_ >> bank(p.mem) & 1) != 0);
  }
  static bool addressed(Mem mem) {
    return mem == Mem::kLm0 || mem == Mem::kLm1 || mem == Mem::kGrf0 || mem == Mem::kGrf1;
  }

  template <class Plan>
  Extent extent(const Plan& p) const {
    Extent e;
    e.by_t = p.t_indirect;
    if (p.mem == Mem::kT) {
      e.width = 2;
      for (int c = 0; c < 4; ++c) e.row[c] = beat_row(offsetof(Mab, t), c);
    } else if (addressed(p.mem)) {
      if (per_pe(p)) {
        e.anywhere = p.mem;
        return e;
      }
      e.width = p.width == Width::kDlw ? 2 : 1;
      for (size_t c = 0; c < 4; ++c) e.row[c] = memory_row(p.mem, p.row[c]);
    }
    return e;
  }

  // Source k as rows; true when its LSB rows follow.
  bool source(const Op& op, int k, bool needs_lsb, Row (&rows)[4]) {
    const SrcPlan& s = op.src[static_cast<size_t>(k)];
    const auto from_beat = [&](size_t bytes) {
      for (int c = 0; c < 4; ++c) rows[c] = beat_row(bytes, c);
      return true;
    };
    const int latch = latch_of(s.mem);
    bool wide = true;
    if (s.mem == Mem::kT) {
      from_beat(offsetof(Mab, t));
    } else if (latch >= 0) {
      from_beat(latch_bytes(latch, now_[static_cast<size_t>(latch)]));
    } else if (!addressed(s.mem)) {
      Uop& u = add(fetch_to_scratch, &op);
      u.small = static_cast<uint8_t>(k);
      return from_beat(scratch_bytes(k));
    } else if (per_pe(s)) {
      from_beat(scratch_bytes(k));
      Uop& u = add(kernels_.gather(s.width), &op);
      fast::put_indirect(indirect(s), u, false);
      std::copy(rows, rows + 4, u.out);
    } else {
      for (size_t c = 0; c < 4; ++c) rows[c] = memory_row(s.mem, s.row[c]);
      wide = s.width == Width::kDlw;
      if (s.width == Width::kW) {
        Uop& u = rows_to_scratch(Move::kTakeWord, true, op, k, rows);
        for (size_t c = 0; c < 4; ++c) u.number |= uint32_t{s.low_word[c]} << c;
        wide = true;
      }
    }
    switch (s.convert) {
      case Convert::kNone: break;
      case Convert::kHalfToSingle: rows_to_scratch(Move::kHalfToSingle, wide, op, k, rows); return true;
      case Convert::kSingleToDouble: rows_to_scratch(Move::kSingleToDouble, wide, op, k, rows); return true;
      case Convert::kSingleToHalf: rows_to_scratch(Move::kSingleToHalf, wide, op, k, rows); return true;
    }
    if (wide || !needs_lsb) return wide;
    rows_to_scratch(Move::kWiden, true, op, k, rows);
    return true;
  }

  // Moves `rows` to scratch k, where they are from now on.
  Uop& rows_to_scratch(Move what, bool wide, const Op& op, int k, Row (&rows)[4]) {
    Uop& u = add_move(what, wide, op);
    std::copy(rows, rows + 4, u.x);
    for (int c = 0; c < 4; ++c) rows[c] = beat_row(scratch_bytes(k), c);
    std::copy(rows, rows + 4, u.out);
    return u;
  }

  template <class Plan>
  fast::Indirect indirect(const Plan& p) const {
    fast::Indirect to;
    to.memory = memory_row(p.mem, 0);
    const int words = is_lm(p.mem) ? kLmWords : kGrfWords;
    to.words_mask = static_cast<Row>(words - 1);
    if (is_lm(p.mem)) to.base = bar_row(bank(p.mem));
    if (p.t_indirect) to.t = beat_row(offsetof(Mab, t), 0);
    for (size_t c = 0; c < 4; ++c) to.address[c] = static_cast<Row>(p.addr[c] & (words - 1));
    for (int pe = 0; pe < kPes && p.j >= 0; ++pe)
      if (j_selects(num::kDefaultSwitches, p.j, pe)) to.j = static_cast<uint8_t>(to.j | 1 << pe);
    return to;
  }

  // --- units --------------------------------------------------------------------------------------------------------

  // The rows that the op's only destination names, when its result may be written there at once.
  const DstPlan* direct(const StepPlan& s, const Op& op, size_t unit, bool forwarded) const {
    if (forwarded || op.dst_count != 1 || op.zero_flush != 0) return nullptr;
    if (op.needs_flags) return nullptr;
    const DstPlan& d = *op.dst;
    if (d.mask != 0 || d.width == Width::kW || per_pe(d) || !(addressed(d.mem) || d.mem == Mem::kT)) return nullptr;
    const Extent mine = extent(d);
    for (int a = 0; a < 4; ++a)
      for (int b = 0; b < a; ++b)
        if (rows_meet(mine.row[a], mine.width, mine.row[b], mine.width)) return nullptr;
    // What the kernel itself reads: rows of its own cycle only.
    for (int k = 0; k < op.src_count; ++k) {
      const Extent e = extent(op.src[static_cast<size_t>(k)]);
      if (e.width == 0) continue;  // a copy is made before
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
          if (a != b && rows_meet(mine.row[a], mine.width, e.row[b], e.width)) return nullptr;
    }
    // What comes later in the step.
    const auto units = units_of(s);
    for (size_t i = unit + 1; i < units.size(); ++i)
      if (units[i] != nullptr)
        for (int k = 0; k < units[i]->src_count; ++k) {
          const Extent e = extent(units[i]->src[static_cast<size_t>(k)]);
          if (meet(mine, e) || (e.by_t && is_t(mine))) return nullptr;
        }
    for (int k = 0; k < s.store_count; ++k) {
      const Store& other = s.stores[k];
      if (other.dst == op.dst) continue;
      const Extent e = extent(*other.dst);
      if (meet(mine, e) || (e.by_t && is_t(mine))) return nullptr;
    }
    return &d;
  }

  void unit(const StepPlan& s, const Op& op, size_t index, bool forwarded) {
    const bool mau = op.insn->def->unit == Unit::kMauCalc || op.insn->def->unit == Unit::kMauRead;
    Uop u;
    u.op = &op;
    fast::Kernel kernel = op.kernel;
    const bool down = s.distribute == &op;
    if (down) kernel = kernels_.down(op, u);
    const size_t result = op.latch < 0 ? 0 : latch_bytes(op.latch, 1 - now_[static_cast<size_t>(op.latch)]);
    for (int c = 0; c < 4; ++c) u.out[c] = beat_row(result, c);
    u.wide = true;
    if (kernel == nullptr) {
      tell_latches();
      u.run = run_semantics;
      out_.push_back(u);
    } else {
      u.run = kernel;
      if (op.side >= 0) u.side = side_row(op.side);
      if (!down) {
        u.number = static_cast<uint32_t>(op.matrix_row);
        sources(op, u);
      }
      if (op.latch >= 0)
        if (const DstPlan* d = direct(s, op, index, forwarded)) {
          const Extent e = extent(*d);
          std::copy(e.row, e.row + 4, u.out);
          u.wide = e.width == 2;
          done_[done_count_++] = d;
        }
      out_.push_back(u);
      if (op.needs_flags && mau) {
        Uop& f = add(kernels_.flags(op), &op);
        std::copy(u.out, u.out + 4, f.x);
      }
    }
    if (op.zero_flush != 0) zero_flushed(op, u);
  }

  void sources(const Op& op, Uop& u) {
    const bool half = op.insn->prec == isa::Prec::kH, write = op.insn->def->unit == Unit::kMauWrite;
    // The addend comes last; a sum has no factor beside x.
    const bool addend_second = op.src_count == 2 && (op.sem == &sem::mau_vadd || op.side >= 0);
    const bool calc = op.insn->def->unit == Unit::kMauCalc;
    if (op.src_count > 0) u.x_wide = source(op, 0, write && op.matrix_width == Width::kDlw, u.x);
    if (op.src_count > 1) source(op, 1, calc && half && addend_second, addend_second ? u.z : u.y);
    if (op.src_count > 2) source(op, 2, calc && half, u.z);
  }

  void zero_flushed(const Op& op, const Uop& u) {
    if (op.zero_flush < kOmrEntries) {
      Uop& f = add_move(op.zero_flush_ll ? Move::kKeepWord : Move::kKeepHalf, true, op);
      std::copy(u.out, u.out + 4, f.out);
      f.side = mask_row(op.zero_flush);
    } else {
      Uop& f = add(flush_zeros, &op);
      std::copy(u.out, u.out + 4, f.out);
    }
  }

  void collect(const Op& op) {
    Row rows[4];
    const bool wide = source(op, 0, false, rows);
    Uop& u = add_move(Move::kSend, wide, op);
    std::copy(rows, rows + 4, u.x);
  }

  // --- destinations -------------------------------------------------------------------------------------------------

  void destination(const Store& s) {
    const DstPlan& d = *s.dst;
    const size_t result = latch_bytes(s.op->latch, 1 - now_[static_cast<size_t>(s.op->latch)]);
    const auto put = [&](Uop& u) {
      for (int c = 0; c < 4; ++c) u.x[c] = beat_row(result, c);
      u.small = static_cast<uint8_t>(s.dst - s.op->dst);
    };
    if (d.mem == Mem::kOmr && d.mask == 0) return put(add(store_flags, s.op));
    const bool rows = d.mem == Mem::kT || (addressed(d.mem) && !per_pe(d));
    const bool wide = d.mem == Mem::kT || d.width == Width::kDlw, word = !wide && d.width == Width::kW;
    // A fixed pattern of one bit a half leaves the LSB long word written (ISA 3.3): no copy of rows.
    const bool fixed = d.mask >= kOmrEntries;
    if (addressed(d.mem) && per_pe(d)) {
      Uop& u = add(kernels_.scatter(d.width), s.op);
      fast::Indirect to = indirect(d);
      if (fixed)
        to.pattern = d.mask & 0xf;
      else if (d.mask != 0)
        to.mask = mask_row(d.mask);
      to.mask_words = d.mask_ll;
      fast::put_indirect(to, u, true);
      return put(u);
    }
    if (!rows || (word && d.mask != 0) || (fixed && wide && !d.mask_ll)) return put(add(store_generic, s.op));
    const Extent e = extent(d);
    const auto finish = [&](Uop& u) {
      put(u);
      std::copy(e.row, e.row + 4, u.out);
    };
    if (word) {
      Uop& u = add_move(Move::kPutWord, false, *s.op);
      finish(u);
      for (size_t c = 0; c < 4; ++c) u.number |= uint32_t{d.low_word[c]} << c;
    } else if (d.mask == 0) {
      finish(add_move(Move::kCopy, wide, *s.op));
    } else if (fixed) {
      Uop& u = add_move(Move::kCopySome, wide, *s.op);
      finish(u);
      for (int c = 0; c < 4; ++c) u.number |= static_cast<uint32_t>(d.mask >> (3 - c) & 1) << c;
    } else {
      Uop& u = add_move(d.mask_ll ? Move::kMaskWord : Move::kMaskHalf, wide, *s.op);
      finish(u);
      u.side = mask_row(d.mask);
    }
  }

  void step(const StepPlan& s, unsigned forwarded) {
    done_count_ = 0;
    const auto units = units_of(s);
    for (size_t i = 0; i < units.size(); ++i) {
      if (units[i] == nullptr) continue;
      if (units[i] == s.collect)
        collect(*units[i]);
      else
        unit(s, *units[i], i, s.update_latches && units[i]->latch >= 0 && (forwarded >> units[i]->latch & 1) != 0);
    }
    for (int k = 0; k < s.store_count; ++k)
      if (std::find(done_, done_ + done_count_, s.stores[k].dst) == done_ + done_count_) destination(s.stores[k]);
    turn_latches(s, now_);
  }

  const Stretch& stretch_;
  const unsigned bars_;
  const fast::KernelSet& kernels_;
  Latches now_, told_;
  std::vector<uint8_t> forwarded_;
  const DstPlan* done_[kLatches] = {};  // destinations of the step that are written already
  int done_count_ = 0;
  std::array<bool, sizeof(Mab) / 64 + 1> touched_{};
  std::vector<Row> lines_;
  Uops out_;
};

}  // namespace

Uops compile(const Stretch& stretch, unsigned bars, const fast::KernelSet& kernels) {
  return Compiler(stretch, bars, kernels).run();
}

}  // namespace kumihimo::mncore2::emu
