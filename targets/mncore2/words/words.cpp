#include "targets/mncore2/words/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/words/fields.h"

namespace kumihimo::mncore2::words {
namespace {

using isa::Insn;
using isa::Mem;
using isa::MemClass;
using isa::Operand;
using isa::Prec;
using isa::Unit;

const MemoryFields* fields_of(Mem mem) {
  switch (mem) {
    case Mem::kGrf0: return &kGrf0;
    case Mem::kGrf1: return &kGrf1;
    case Mem::kLm0: return &kLm0;
    case Mem::kLm1: return &kLm1;
    default: return nullptr;
  }
}

// Three-bit read select of a MAU source, ALU y or L1BM source.
std::optional<unsigned> read_select(Mem mem) {
  constexpr Mem kSelects[] = {Mem::kGrf0, Mem::kGrf1, Mem::kT, Mem::kLm0, Mem::kLm1, Mem::kMauf, Mem::kAluf};
  const auto* at = std::ranges::find(kSelects, mem);
  if (at == std::end(kSelects)) return std::nullopt;
  return static_cast<unsigned>(at - kSelects);
}

// Four-bit select of ALU x; the others were not seen.
std::optional<unsigned> alu_x_select(Mem mem) {
  switch (mem) {
    case Mem::kGrf0: return 0b0000;
    case Mem::kLm0: return 0b0011;
    case Mem::kAluf: return 0b1100;
    case Mem::kMreadf: return 0b1110;
    default: return std::nullopt;
  }
}

std::optional<unsigned> mau_precision(Prec p) {
  switch (p) {
    case Prec::kD: return 0b00;
    case Prec::kF: return 0b01;
    case Prec::kH: return 0b10;
    case Prec::kG: return 0b11;
    default: return std::nullopt;
  }
}

std::optional<unsigned> alu_precision(Prec p) {
  switch (p) {
    case Prec::kD:
    case Prec::kL: return 0b00;
    case Prec::kF:
    case Prec::kI: return 0b01;
    case Prec::kH:
    case Prec::kS: return 0b10;
    case Prec::kG: return 0b11;
    default: return std::nullopt;
  }
}

class Encoder {
 public:
  explicit Encoder(const isa::MaskState& mask) : mask_(mask), bits_(idle_word()) {}

  Word run(const isa::Line& step) {
    const bool idle = std::ranges::all_of(step.insns, [](const Insn& i) { return i.def->unit == Unit::kNop; });
    set(kForwardUpdate, idle || has(step, Unit::kNoforward) ? 0 : 1);
    for (const Insn& insn : step.insns) insn_fields(insn);
    Word word;
    for (size_t i = 0; i < kWordBits; ++i)
      if (open_[i].data() != nullptr && (word.unknown.empty() || word.unknown.back() != open_[i]))
        word.unknown.push_back(open_[i]);
    word.bits = std::move(bits_);
    return word;
  }

 private:
  static bool has(const isa::Line& step, Unit unit) {
    return std::ranges::any_of(step.insns, [&](const Insn& i) { return i.def->unit == unit; });
  }
  void set(const Field& f, uint64_t value) {
    for (unsigned i = 0; i < f.width; ++i) bits_[f.first + i] = (value >> (f.width - 1 - i) & 1) != 0 ? '1' : '0';
  }
  void code(const Field& f, std::string_view bits) {
    if (bits.size() != f.width) return unknown(f);
    std::ranges::copy(bits, bits_.begin() + f.first);
  }
  void set(const Field& f, std::optional<unsigned> value) { value ? set(f, uint64_t{*value}) : unknown(f); }
  void unknown(const Field& f) {
    for (unsigned i = f.first; i < f.first + f.width; ++i) {
      bits_[i] = '?';
      open_[i] = f.name;
    }
  }

  void insn_fields(const Insn& insn) {
    switch (insn.def->unit) {
      case Unit::kNop:
      case Unit::kNoforward: return;
      case Unit::kMauCalc: mau(insn); break;
      case Unit::kMauWrite: matrix_write(insn); break;
      case Unit::kMauRead: matrix_read(insn); break;
      case Unit::kAlu: alu(insn); break;
      case Unit::kL1bm: l1bm(insn); break;
      case Unit::kL1bmTurnaround:
        for (const Field* f : {&kL1bmOp, &kL1bmAddress, &kL1bmRest, &kL1bmSource}) unknown(*f);
        break;
      default: unknown(kRest); return;  // L2BM, wait: no field is published, and none touches the PEs
    }
    if (insn.zero_flush.present) unknown(kFlush);
    for (const Operand& src : insn.srcs) read(src);
    for (const Operand& dst : insn.dsts) write(dst, insn);
  }

  void address(const Operand& o, const MemoryFields& f, bool is_write) {
    const Field& address = is_write ? f.write_address : f.read_address;
    const Field& stride = is_write ? f.write_stride : f.read_stride;
    set(is_write ? f.write_width : f.read_width, static_cast<uint64_t>(o.width));
    set(address, static_cast<uint64_t>(o.addr[0]));
    const int unit = isa::width_words(o.width), step = o.addr[1] - o.addr[0];
    const bool even = o.addr[2] - o.addr[1] == step && o.addr[3] - o.addr[2] == step;
    if (even && step >= 0 && step % unit == 0 && step / unit < 1 << stride.width)
      set(stride, static_cast<uint64_t>(step / unit));
    else
      unknown(stride);  // flat lists belong to another form of the word
    if (o.t_indirect || o.j >= 0) unknown(f.modifiers.width != 0 ? f.modifiers : address);
  }
  void read(const Operand& o) {
    if (const MemoryFields* f = fields_of(o.mem)) address(o, *f, false);
  }
  void write(const Operand& o, const Insn& insn) {
    const std::optional<unsigned> source = insn.def->unit == Unit::kMauCalc ? std::optional(0b00u)
                                           : insn.def->unit == Unit::kAlu   ? std::optional(0b01u)
                                                                            : std::nullopt;
    if (const MemoryFields* f = fields_of(o.mem)) {
      set(f->write, uint64_t{1});
      set(f->source, source);
      address(o, *f, true);
    } else if (o.mem == Mem::kT) {
      set(kTWrite, uint64_t{1});
      set(kTSource, source);
    } else if (o.mem == Mem::kOmr || o.mem == Mem::kBar0 || o.mem == Mem::kBar1) {
      unknown(kFlush);
    }
    mask(o);
  }
  void mask(const Operand& o) {
    const isa::EffectiveMask m = isa::effective_mask(o, mask_);
    if (m.entry == 0) return;
    if (m.entry >= 16)
      set(kMaskEntry, uint64_t{m.entry});
    else
      unknown(kMaskEntry);
    if (m.ll) unknown(kMaskWidth);
    constexpr Mem kOrder[] = {Mem::kGrf0, Mem::kGrf1, Mem::kT, Mem::kLm0, Mem::kLm1};  // r s t m n
    const auto* at = std::ranges::find(kOrder, o.mem);
    if (at == std::end(kOrder)) return unknown(kMaskEnables);
    bits_[kMaskEnables.first + static_cast<unsigned>(at - kOrder)] = '1';
  }

  void mau_source(const Operand& o, unsigned slot) {
    set(kMauSlot[slot], read_select(o.mem));
    if (o.negate) set(kMauNegate[slot], uint64_t{1});
    if (o.convert != 0) unknown(kMauConvert);
  }
  void mau(const Insn& insn) {
    set(kMauPrecision, mau_precision(insn.prec));
    set(kMauCalc, uint64_t{1});
    code(kMauOp, insn.def->code);
    if (insn.narrow) unknown(kMauConvert);
    if (insn.half_select == 'd') set(kMauHalf, uint64_t{1});
    const bool matrix = insn.def->srcs[0].role == isa::OperandRole::kMatrix;
    if (matrix) {
      set(kMauMatrix, uint64_t{1});
      unknown(kMauSide);
    }
    // fma 1, 2, 3; mul 1, 2; the addend of add and of matrix operations goes to slot 3.
    const size_t first = matrix ? 1 : 0;
    const bool addend_is_second = matrix || insn.def->code == "10";
    for (size_t i = first; i < insn.srcs.size(); ++i) {
      const auto n = static_cast<unsigned>(i - first);
      mau_source(insn.srcs[i], n == 1 && addend_is_second ? 2 : n);
    }
  }
  void matrix_write(const Insn& insn) {
    set(kMauPrecision, mau_precision(insn.prec));
    set(kMauWrite, uint64_t{1});
    mau_source(insn.srcs[0], 1);
    const Operand& row = insn.dsts[0];
    set(kMauRow, static_cast<uint64_t>(row.addr[0]));
    set(kMauHalf, uint64_t{row.width == isa::Width::kDlw});
    set(kMauSide, uint64_t{row.mem == Mem::kMatX});
  }
  void matrix_read(const Insn& insn) {
    set(kMauPrecision, mau_precision(insn.prec));
    unknown(kMauRead);
    set(kMauRow, static_cast<uint64_t>(insn.srcs[0].addr[0]));
    unknown(kMauHalf);
    unknown(kMauSide);
  }

  void alu(const Insn& insn) {
    if (insn.def->srcs[0].role == isa::OperandRole::kLiteral) return immediate(insn);
    set(kAluPrecision, alu_precision(insn.prec));
    code(kAluOp, insn.def->code);
    set(kAluUnsigned, uint64_t{insn.is_unsigned});
    if (insn.narrow || insn.half_select != 0) unknown(kAluConvert);
    for (size_t i = 0; i < insn.srcs.size(); ++i) {
      if (insn.srcs[i].convert != 0) unknown(kAluConvert);
      if (i == 0)
        set(kAluX, alu_x_select(insn.srcs[i].mem));
      else
        set(kAluY, read_select(insn.srcs[i].mem));
    }
    if (insn.bf_bits == 9)
      set(kAluY, uint64_t{0});
    else if (insn.bf_bits != 0)
      unknown(kAluY);
  }
  // The literal lies in pieces over the fields of the ALU and of LM0, which imm therefore excludes (ISA 9.3).
  void immediate(const Insn& insn) {
    code(kAluOp, insn.def->code);
    struct Piece {
      unsigned first, width;
    };
    constexpr Piece kPieces[] = {{199, 2}, {207, 6}, {213, 3}, {107, 3}, {133, 6}, {110, 12}};  // from the MSB
    unsigned left = 32;
    for (const Piece& p : kPieces) {
      left -= p.width;
      set(Field{"literal", p.first, p.width}, uint64_t{insn.literal >> left & ((1u << p.width) - 1)});
    }
  }

  void l1bm(const Insn& insn) {
    code(kL1bmOp, insn.def->code);
    const Operand* address = nullptr;
    for (const auto* list : {&insn.srcs, &insn.dsts})
      for (const Operand& o : *list)
        if (o.mem == Mem::kL1bm) address = &o;
    if (address != nullptr)
      set(kL1bmAddress, static_cast<uint64_t>(address->addr[0]));
    else
      unknown(kL1bmAddress);
    const bool double_sum =
        insn.reduce != nullptr && insn.reduce->rrn == isa::RrnOp::kFadd && insn.prec == Prec::kD && !insn.narrow;
    const bool zero = !insn.def->code.empty() && (insn.reduce != nullptr ? double_sum : insn.mab == 0) &&
                      (address == nullptr || address->width == isa::Width::kLw);
    if (zero)
      set(kL1bmRest, uint64_t{0});
    else
      unknown(kL1bmRest);
    if (!insn.srcs.empty() && insn.srcs[0].mem != Mem::kL1bm) set(kL1bmSource, read_select(insn.srcs[0].mem));
  }

  const isa::MaskState& mask_;
  std::string bits_;
  std::array<std::string_view, kWordBits> open_{};
};

}  // namespace

const std::string& idle_word() {
  static const std::string word = [] {
    std::string bits(kWordBits, '0');
    for (unsigned bit : {46u, 65u, 87u, 209u, 276u, 277u}) bits[bit] = '1';
    for (const Field& f : {kMauSlot[0], kMauSlot[1], kMauSlot[2], kAluPrecision, kAluY, kL1bmSource})
      std::fill_n(bits.begin() + f.first, f.width, '1');
    return bits;
  }();
  return word;
}

Word encode(const isa::Line& step, const isa::MaskState& mask) { return Encoder(mask).run(step); }

std::string print(const isa::Program& program) {
  std::string out = "# words of 292 bits; ? = not derivable from public text, and named below the word\n";
  isa::MaskState mask;
  for (const isa::Line& line : program.lines) {
    isa::apply_mask_statement(mask, line);
    switch (line.kind) {
      case isa::LineKind::kPe: {
        const Word word = encode(line, mask);
        const uint32_t count = line.insns[0].nop_count;
        const uint32_t shown = count <= kMaxRepeats ? count : 1;
        for (uint32_t i = 0; i < shown; ++i) out += "i " + word.bits + "\n";
        if (shown != count) out += fmt::format("# the word above {} times\n", count);
        if (!word.unknown.empty())
          out += fmt::format("# line {}: not derivable: {}\n", line.source_line, fmt::join(word.unknown, "; "));
        break;
      }
      case isa::LineKind::kMv:
        out += fmt::format("# line {}: not derivable: the whole word of `{}`\n", line.source_line, isa::print(line));
        break;
      case isa::LineKind::kEmpty:
      case isa::LineKind::kMask: break;  // masks are in the words of the steps
      case isa::LineKind::kDebugGet:
      case isa::LineKind::kDebugSet:
      case isa::LineKind::kHostRow:
      case isa::LineKind::kHostDma:
      case isa::LineKind::kQuit: out += isa::print(line) + "\n"; break;
    }
  }
  return out;
}

}  // namespace kumihimo::mncore2::words
