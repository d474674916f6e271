#include "targets/mncore2/isa/print.h"

#include <charconv>

#include "targets/mncore2/isa/memories.h"
#include "targets/mncore2/isa/spelling.h"

namespace kumihimo::mncore2::isa {
namespace {

void append_int(std::string& out, int64_t value) {
  char buffer[24];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  out.append(buffer, end);
}

void append_hex(std::string& out, uint64_t value, int digits, bool upper = true) {
  const char* alphabet = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  for (int i = digits - 1; i >= 0; --i) out += alphabet[(value >> (4 * i)) & 15];
}

void append_width(std::string& out, Width width) {
  if (width == Width::kLw) out += 'l';
  if (width == Width::kDlw) out += "ll";
}

void append_mask(std::string& out, const MaskSpec& mask) {
  if (!mask.present) return;
  if (mask.literal) {
    if (mask.ll) out += "ll";
    for (int bit = 3; bit >= 0; --bit) out += (mask.entry >> bit & 1) != 0 ? '1' : '0';
  } else {
    out += mask.ll ? "$llimr" : "$imr";
    append_int(out, mask.entry);
  }
  if (mask.suffix != 0) out += mask.suffix;
}

void append_operand(std::string& out, const Operand& op, bool whole_matrix) {
  const MemDef& mem = memory(op.mem);
  if (op.negate) out += '-';
  out += '$';
  if (mem.width_prefix && mem.cls != MemClass::kT) append_width(out, op.width);
  // L1BM and L2BM are long-word memories: their own l is part of the width prefix.
  out += mem.letters;
  if (op.t_indirect) out += 't';
  switch (mem.cls) {
    case MemClass::kPe:
      if (op.mode == AddrMode::kFlat) {
        out += '[';
        for (size_t c = 0; c < 4; ++c) {
          if (c != 0) out += ',';
          append_int(out, op.addr[c]);
        }
        out += ']';
      } else {
        append_int(out, op.addr[0]);
        if (op.mode == AddrMode::kStride) {
          out += 'v';
          if (op.explicit_stride) append_int(out, op.stride);
        }
      }
      if (op.j >= 0) {
        out += 'j';
        append_int(out, op.j);
      }
      break;
    case MemClass::kMatrix:
      if (!whole_matrix) append_int(out, op.addr[0]);
      break;
    case MemClass::kOmr:
    case MemClass::kTree:
    case MemClass::kMv: append_int(out, op.addr[0]); break;
    case MemClass::kT:
    case MemClass::kBar:
    case MemClass::kForward:
    case MemClass::kConstant:
    case MemClass::kNowrite:
    case MemClass::kTurnaround:
    case MemClass::kNone: break;
  }
  if (op.group >= 0 || op.sub >= 0) {
    out += '@';
    if (op.group >= 0) append_int(out, op.group);
    if (op.sub >= 0) {
      out += '.';
      append_int(out, op.sub);
    }
  }
  if (op.convert != 0) out += op.convert;
  if (op.mask.present) {
    out += '/';
    append_mask(out, op.mask);
  }
}

void append_l1b_set(std::string& out, const Insn& insn) {
  out += '@';
  int first = 0;
  while (first < 7 && (insn.l1b_set >> first & 1) == 0) ++first;
  append_int(out, first);
  if (insn.l1b_mask != 0) {
    out += '/';
    append_int(out, insn.l1b_mask);
  }
}

constexpr std::string_view kMaskLetters = "rstmnk";

}  // namespace

std::string print(const MaskSpec& mask) {
  std::string out;
  append_mask(out, mask);
  return out;
}

std::string print(const Operand& operand) {
  std::string out;
  append_operand(out, operand, false);
  return out;
}

void append(std::string& out, const Insn& insn) {
  const InsnDef& def = *insn.def;
  out += stem_of(insn);
  if (def.unit == Unit::kNop && insn.nop_count != 1) {
    out += '/';
    append_int(out, insn.nop_count);
  }
  if (def.unit == Unit::kMv && def.has_dst()) {
    out += "/n";
    append_int(out, insn.size);
    if (insn.tag != 0) {
      out += 'i';
      append_hex(out, insn.tag, 2, false);
    }
    if (insn.nd != 0) {
      out += "nd";
      append_int(out, insn.nd);
    }
    if (insn.priority != 0) {
      out += 'p';
      append_int(out, insn.priority);
    }
  }
  if (def.allows(kOptBfBits) && insn.bf_bits != 0) {
    out += '/';
    append_int(out, insn.bf_bits);
  }
  if (insn.mab >= 0) {
    out += '@';
    append_int(out, insn.mab);
  }
  if (def.allows(kOptL1bSet) && insn.explicit_l1b_set) append_l1b_set(out, insn);
  if (insn.shift != 0) {
    if (insn.shift > 0) out += '+';
    append_int(out, insn.shift);
  }
  if (insn.zero_flush.present) {
    out += '/';
    append_mask(out, insn.zero_flush);
  }
  if (def.unit == Unit::kWait) {
    out += " i";
    append_hex(out, insn.tag, 2, false);
  }
  if (def.srcs[0].role == OperandRole::kLiteral) {
    out += ' ';
    if (insn.literal_text.empty()) {
      out += "ui\"0x";
      append_hex(out, insn.literal, 8, false);
      out += '"';
    } else {
      out += insn.literal_text;
    }
  }
  for (size_t i = 0; i < insn.srcs.size(); ++i) {
    out += ' ';
    append_operand(out, insn.srcs[i], i < 3 && def.srcs[i].role == OperandRole::kMatrix);
  }
  for (const Operand& op : insn.dsts) {
    out += ' ';
    append_operand(out, op, false);
  }
}

std::string print(const Insn& insn) {
  std::string out;
  append(out, insn);
  return out;
}

std::string print(const DebugMem& mem) {
  std::string out = "$";
  const MemDef& def = memory(mem.mem);
  if (def.width_prefix) append_width(out, mem.width);
  out += def.letters;
  if (def.addressed) append_int(out, mem.addr);
  const std::pair<char, int> selectors[] = {{'n', mem.n}, {'c', mem.c}, {'b', mem.b}, {'m', mem.m}, {'p', mem.p}};
  for (auto [letter, value] : selectors) {
    if (value < 0) continue;
    out += letter;
    append_int(out, value);
  }
  return out;
}

void append(std::string& out, const Line& line) {
  switch (line.kind) {
    case LineKind::kEmpty: break;
    case LineKind::kPe:
    case LineKind::kMv:
      for (size_t i = 0; i < line.insns.size(); ++i) {
        if (i != 0) out += "; ";
        append(out, line.insns[i]);
      }
      break;
    case LineKind::kMask:
      out += "mask";
      if (line.mask_ll) out += "ll";
      for (size_t bit = 0; bit < kMaskLetters.size(); ++bit)
        if ((line.mask_dsts >> bit & 1) != 0) out += kMaskLetters[bit];
      out += ' ';
      append_int(out, line.mask_entry);
      break;
    case LineKind::kDebugGet:
    case LineKind::kDebugSet:
      out += line.kind == LineKind::kDebugGet ? "d get" : "d set";
      out += line.dtype;
      out += ' ';
      out += print(line.mem);
      out += ' ';
      append_int(out, line.count);
      if (line.kind == LineKind::kDebugSet) {
        out += ' ';
        for (uint64_t word : line.payload) append_hex(out, word, 16);
      }
      break;
    case LineKind::kHostRow:
      out += "r ";
      append_int(out, line.host_group);
      out += ' ';
      append_hex(out, static_cast<uint64_t>(line.mem.addr), 9, false);
      out += ' ';
      append_hex(out, line.count, 3, false);
      out += ' ';
      for (uint64_t word : line.payload) append_hex(out, word, 16);
      break;
    case LineKind::kHostDma:
      out += "c 0 0 i";
      append_hex(out, line.host_tag, 2, false);
      out += " i00 0 ";
      append_hex(out, static_cast<uint64_t>(line.mem.addr), 9, false);
      out += ' ';
      append_hex(out, line.count, 3, false);
      out += ' ';
      for (uint64_t word : line.payload) append_hex(out, word, 16);
      break;
    case LineKind::kQuit: out += "quit"; break;
  }
}

std::string print(const Line& line) {
  std::string out;
  append(out, line);
  return out;
}

std::string print(const Program& program) {
  std::string out;
  out.reserve(program.lines.size() * 40);
  for (const Line& line : program.lines) {
    append(out, line);
    out += '\n';
  }
  return out;
}

bool same(const Operand& a, const Operand& b) {
  if (a.mem != b.mem) return false;
  const MemDef& mem = memory(a.mem);
  if (mem.width_prefix && mem.cls != MemClass::kT && a.width != b.width) return false;
  if (mem.cls == MemClass::kPe ? a.addr != b.addr : mem.addressed && a.addr[0] != b.addr[0]) return false;
  return a.t_indirect == b.t_indirect && a.j == b.j && a.negate == b.negate && a.convert == b.convert &&
         a.group == b.group && a.sub == b.sub && a.mask.present == b.mask.present &&
         (!a.mask.present ||
          (a.mask.entry == b.mask.entry && a.mask.ll == b.mask.ll && a.mask.suffix == b.mask.suffix));
}

namespace {
bool same(const std::vector<Operand>& a, const std::vector<Operand>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!isa::same(a[i], b[i])) return false;
  return true;
}
}  // namespace

bool same(const Insn& a, const Insn& b) {
  return a.def == b.def && a.prec == b.prec && a.is_unsigned == b.is_unsigned && a.half_select == b.half_select &&
         a.narrow == b.narrow && a.bf_bits == b.bf_bits && a.mab == b.mab && a.shift == b.shift &&
         a.l1b_set == b.l1b_set && a.zero_flush.present == b.zero_flush.present &&
         (!a.zero_flush.present || (a.zero_flush.entry == b.zero_flush.entry && a.zero_flush.ll == b.zero_flush.ll)) &&
         a.literal == b.literal && a.nop_count == b.nop_count && a.tag == b.tag && a.size == b.size && a.nd == b.nd &&
         a.priority == b.priority && a.reduce == b.reduce && same(a.srcs, b.srcs) && same(a.dsts, b.dsts);
}

bool same(const Line& a, const Line& b) {
  if (a.kind != b.kind || a.insns.size() != b.insns.size()) return false;
  for (size_t i = 0; i < a.insns.size(); ++i)
    if (!same(a.insns[i], b.insns[i])) return false;
  return a.mask_entry == b.mask_entry && a.mask_ll == b.mask_ll && a.mask_dsts == b.mask_dsts &&
         a.mem.mem == b.mem.mem && a.mem.width == b.mem.width && a.mem.addr == b.mem.addr && a.mem.n == b.mem.n &&
         a.mem.c == b.mem.c && a.mem.b == b.mem.b && a.mem.m == b.mem.m && a.mem.p == b.mem.p && a.dtype == b.dtype &&
         a.count == b.count && a.payload == b.payload && a.host_group == b.host_group && a.host_tag == b.host_tag;
}

bool same(const Program& a, const Program& b) {
  if (a.lines.size() != b.lines.size()) return false;
  for (size_t i = 0; i < a.lines.size(); ++i)
    if (!same(a.lines[i], b.lines[i])) return false;
  return true;
}

}  // namespace kumihimo::mncore2::isa
