// The fields of a statement, in the order of the file. Writer and reader both walk these functions, so there is one
// order. A field is visited with its default, which costs one bit, and the largest value that the reader lets pass.
//
// Adding a field: at the end of its record; older files have its bit clear. Anything else is a new version.
#pragma once

#include <type_traits>

#include "targets/mncore2/isa/insn.h"

namespace kumihimo::mncore2::object {

inline constexpr uint64_t kMaxOperands = 16;      // per instruction and side
inline constexpr uint64_t kMaxInsns = 16;         // per step
inline constexpr uint64_t kMaxText = 256;         // bytes of a literal or of a type
inline constexpr uint64_t kMaxPayload = 1 << 20;  // long words of a `d set` or of a host line

// What a walk is given: a reader fills it in.
template <class Record, class T>
using Ref = std::conditional_t<Record::kReads, T&, const T&>;

template <class Record>
void visit(Record& r, Ref<Record, isa::MaskSpec> m) {
  r.field(m.present, false);
  r.field(m.entry, uint8_t{0}, uint8_t{31});
  r.field(m.ll, false);
  r.field(m.suffix, char{0});
  r.field(m.literal, false);
}

template <class Record>
void visit(Record& r, Ref<Record, isa::Operand> o) {
  r.field(o.mem, isa::Mem::kNone, isa::Mem::kImm);
  r.field(o.width, isa::Width::kLw, isa::Width::kDlw);
  r.field(o.mode, isa::AddrMode::kFixed, isa::AddrMode::kFlat);
  r.field(o.stride, 0);
  r.field(o.addr[0], 0);
  for (size_t c = 1; c < 4; ++c)  // most operands keep their stride
    r.field(o.addr[c], static_cast<int32_t>(static_cast<uint32_t>(o.addr[c - 1]) + static_cast<uint32_t>(o.stride)));
  r.field(o.explicit_stride, false);
  r.field(o.t_indirect, false);
  r.field(o.j, int8_t{-1});
  r.field(o.negate, false);
  r.field(o.convert, char{0});
  r.field(o.group, int8_t{-1});
  r.field(o.sub, int8_t{-1});
  r.record(o.mask);
}

template <class Record>
void visit(Record& r, Ref<Record, isa::Insn> i) {
  r.row(i.def, isa::rows());
  r.field(i.prec, isa::Prec::kNone, isa::Prec::kS);
  r.field(i.is_unsigned, false);
  r.field(i.half_select, char{0});
  r.field(i.narrow, false);
  r.field(i.bf_bits, int8_t{0});
  r.field(i.mab, int8_t{-1});
  r.field(i.shift, int8_t{0});
  r.field(i.l1b_set, uint8_t{0xff});
  r.field(i.explicit_l1b_set, false);
  r.field(i.l1b_mask, uint8_t{0});
  r.record(i.zero_flush);
  r.field(i.literal, uint32_t{0});
  r.text(i.literal_text);
  r.field(i.nop_count, uint32_t{1});
  r.field(i.tag, uint8_t{0});
  r.field(i.size, uint32_t{0});
  r.field(i.nd, uint32_t{0});
  r.field(i.priority, uint8_t{0});
  r.row(i.reduce, isa::reductions());  // an ALU row has the same name as some
  r.records(i.srcs, kMaxOperands);
  r.records(i.dsts, kMaxOperands);
}

template <class Record>
void visit(Record& r, Ref<Record, isa::DebugMem> m) {
  r.field(m.mem, isa::Mem::kNone, isa::Mem::kImm);
  r.field(m.width, isa::Width::kLw, isa::Width::kDlw);
  r.field(m.addr, int64_t{0});
  r.field(m.n, int8_t{-1});
  r.field(m.c, int8_t{-1});
  r.field(m.b, int8_t{-1});
  r.field(m.m, int8_t{-1});
  r.field(m.p, int8_t{-1});
}

// `source_line` is that of the statement before.
template <class Record>
void visit(Record& r, Ref<Record, isa::Line> l, uint32_t source_line) {
  r.field(l.kind, isa::LineKind::kPe, isa::LineKind::kQuit);
  r.field(l.source_line, source_line + 1);
  r.records(l.insns, kMaxInsns);
  r.field(l.mask_entry, uint8_t{0}, uint8_t{31});
  r.field(l.mask_ll, false);
  r.field(l.mask_dsts, uint8_t{0});
  r.record(l.mem);
  r.text(l.dtype);
  r.field(l.count, uint32_t{0});
  r.words(l.payload);
  r.field(l.host_group, int8_t{0});
  r.field(l.host_tag, uint8_t{0});
}

}  // namespace kumihimo::mncore2::object
