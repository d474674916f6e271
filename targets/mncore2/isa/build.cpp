#include "targets/mncore2/isa/build.h"

#include <cassert>

#include "targets/mncore2/isa/memories.h"

namespace kumihimo::mncore2::isa {

const InsnDef* find_row(std::string_view name, std::string_view form) {
  for (const InsnDef& def : rows())
    if (def.name == name && (form.empty() || def.form == form)) return &def;
  return nullptr;
}

const InsnDef* find_reduction(std::string_view name) {
  for (const InsnDef& def : reductions())
    if (def.name == name) return &def;
  return nullptr;
}

Insn make(std::string_view name, Prec prec, std::vector<Operand> srcs, std::vector<Operand> dsts) {
  Insn insn;
  insn.def = find_row(name);
  assert(insn.def != nullptr);
  insn.prec = prec;
  insn.srcs = std::move(srcs);
  insn.dsts = std::move(dsts);
  return insn;
}

Insn make_form(std::string_view name, std::string_view form, std::vector<Operand> srcs, std::vector<Operand> dsts) {
  Insn insn = make(name, Prec::kNone, std::move(srcs), std::move(dsts));
  insn.def = find_row(name, form);
  assert(insn.def != nullptr);
  return insn;
}

Insn make_reduce(std::string_view name, std::string_view reduction, Prec prec, Operand src, Operand dst) {
  Insn insn = make(name, prec, {std::move(src)}, {std::move(dst)});
  insn.reduce = find_reduction(reduction);
  assert(insn.reduce != nullptr);
  return insn;
}

Insn make_imm(uint32_t pattern, std::string_view text, std::vector<Operand> dsts) {
  Insn insn = make("imm", Prec::kNone, {}, std::move(dsts));
  insn.literal = pattern;
  insn.literal_text = text;
  return insn;
}

Insn make_mv(std::string_view name, std::string_view form, uint32_t size, uint8_t tag, Operand src, Operand dst) {
  Insn insn = make_form(name, form, {std::move(src)}, {std::move(dst)});
  insn.size = size;
  insn.tag = tag;
  return insn;
}

Insn make_nop(uint32_t count) {
  Insn insn = make("nop");
  insn.nop_count = count;
  return insn;
}

Insn make_wait(uint8_t tag) {
  Insn insn = make("wait");
  insn.tag = tag;
  return insn;
}

Line step(std::vector<Insn> insns) {
  Line line;
  line.kind = !insns.empty() && insns[0].def->unit == Unit::kMv ? LineKind::kMv : LineKind::kPe;
  line.insns = std::move(insns);
  return line;
}

Line mask_statement(uint8_t entry, std::string_view dsts, bool ll) {
  Line line;
  line.kind = LineKind::kMask;
  line.mask_entry = entry;
  line.mask_ll = ll;
  constexpr std::string_view kLetters = "rstmnk";
  for (char c : dsts) {
    const size_t bit = kLetters.find(c);
    assert(bit != std::string_view::npos);
    line.mask_dsts = static_cast<uint8_t>(line.mask_dsts | 1u << bit);
  }
  return line;
}

Operand pe(Mem mem, int32_t addr, Width width, int32_t stride) {
  Operand op;
  op.mem = mem;
  op.width = width;
  op.mode = stride == 0 ? AddrMode::kFixed : AddrMode::kStride;
  op.stride = stride;
  op.explicit_stride = stride != 0 && stride != width_words(width);
  const int64_t count = address_count(mem);
  for (size_t c = 0; c < 4; ++c) op.addr[c] = static_cast<int32_t>((addr + stride * static_cast<int64_t>(c)) % count);
  return op;
}

Operand pe_flat(Mem mem, const std::array<int32_t, 4>& addr, Width width) {
  Operand op;
  op.mem = mem;
  op.width = width;
  op.mode = AddrMode::kFlat;
  op.addr = addr;
  return op;
}

Operand pe_at(Mem mem, const std::array<int32_t, 4>& addr, Width width) {
  const int32_t stride = addr[1] - addr[0];
  if (stride >= 0 && stride % width_words(width) == 0) {
    Operand op = pe(mem, addr[0], width, stride);
    if (op.addr == addr) return op;
  }
  return pe_flat(mem, addr, width);
}

Operand plain(Mem mem) {
  Operand op;
  op.mem = mem;
  const MemClass cls = memory(mem).cls;
  const bool dlw = cls == MemClass::kT || cls == MemClass::kForward || cls == MemClass::kConstant;
  op.width = dlw ? Width::kDlw : Width::kLw;
  return op;
}

namespace {
Operand addressed(Mem mem, int64_t addr, Width width) {
  Operand op;
  op.mem = mem;
  op.width = width;
  op.addr[0] = static_cast<int32_t>(addr);
  return op;
}
}  // namespace

Operand omr(int entry) { return addressed(Mem::kOmr, entry, Width::kLw); }
Operand matrix(Mem side, int row, Width width) { return addressed(side, row, width); }
Operand l1bm(int64_t addr, Width width) { return addressed(Mem::kL1bm, addr, width); }

Operand l2bm(int64_t addr, int group, int sub) {
  Operand op = addressed(Mem::kL2bm, addr, Width::kLw);
  op.group = static_cast<int8_t>(group);
  op.sub = static_cast<int8_t>(sub);
  return op;
}

Operand dram(int64_t addr, int group) {
  Operand op = addressed(Mem::kDram, addr, Width::kLw);
  op.group = static_cast<int8_t>(group);
  return op;
}

Operand dram_indirect(int64_t entry, int group) {
  Operand op = addressed(Mem::kDramIndirect, entry, Width::kLw);
  op.group = static_cast<int8_t>(group);
  return op;
}

Operand dar(int64_t entry) { return addressed(Mem::kDar, entry, Width::kLw); }

Operand pdm(int64_t addr, int group) {
  Operand op = addressed(Mem::kPdm, addr, Width::kLw);
  op.group = static_cast<int8_t>(group);
  return op;
}

Operand negated(Operand op) {
  op.negate = !op.negate;
  return op;
}

Operand converted(Operand op, char how) {
  op.convert = how;
  return op;
}

MaskSpec mask_entry(int entry, bool ll) {
  MaskSpec mask;
  mask.present = true;
  mask.entry = static_cast<uint8_t>(entry);
  mask.ll = ll;
  return mask;
}

MaskSpec mask_cycles(int pattern, bool ll) {
  MaskSpec mask = mask_entry(16 + pattern, ll);
  mask.literal = true;
  return mask;
}

Operand masked(Operand op, MaskSpec mask) {
  op.mask = mask;
  return op;
}

}  // namespace kumihimo::mncore2::isa
