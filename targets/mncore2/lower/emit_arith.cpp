// Elementwise arithmetic: four long words of every PE in a step; where works on double long words under a mask.
#include <algorithm>

#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/lower/rows.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Prec;
using isa::Width;
using sched::use_row_list;

Prec precision(Dtype d) { return d == Dtype::kDouble ? Prec::kD : d == Dtype::kHalf ? Prec::kH : Prec::kF; }

// Walks the rows of the result with those of the operands that are not literals.
struct Walk {
  std::vector<RowStep> steps;
  std::vector<int> column;  // per operand: index into RowStep::in, -1 = literal
};

Walk walk(EmitContext& c, const Node& node, TypeRef result, int unit, int32_t preferred) {
  Walk w;
  std::vector<const Layout*> layouts;
  for (ValueId v : node.operands) {
    bool literal = c.held(v).in == HeldIn::kLiteral;
    w.column.push_back(literal ? -1 : static_cast<int>(layouts.size()));
    if (!literal) layouts.push_back(c.type(v)->layout);
  }
  std::vector<std::vector<int32_t>> table;
  for (const AddressPoint& p : address_points(*result->layout)) {
    if (p.row % unit != 0) continue;
    std::vector<int32_t> line{p.row};
    for (const Layout* l : layouts) line.push_back(row_of(*l, p.index));
    table.push_back(std::move(line));
  }
  w.steps = cut_into_steps(std::move(table), unit, preferred);
  return w;
}

sched::VUse operand(EmitContext& c, const Node& node, const Walk& w, const RowStep& s, size_t k, Width width) {
  const Held& h = c.held(node.operands[k]);
  if (w.column[k] < 0) return sched::use_fixed(h.id, 0, width);
  const auto& rows = s.in[static_cast<size_t>(w.column[k])];
  c.need_rows(h.id, *std::ranges::max_element(rows) + (width == Width::kDlw ? 2 : 1));
  return use_row_list(h.id, rows, width);
}

// Walking like the producer lets the scheduler forward; the first operand that is a register decides.
int32_t preferred_stride(EmitContext& c, const Node& node) {
  for (ValueId v : node.operands)
    if (c.held(v).in == HeldIn::kRegister && c.held(v).step_width == Width::kLw) return c.held(v).row_stride;
  return 1;
}

}  // namespace

Status emit_binary(EmitContext& c, const Node& node) {
  TypeRef t = node.results[0];
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  Walk w = walk(c, node, t, 1, preferred_stride(c, node));
  Prec prec = precision(t->dtype);
  int32_t stride = 1;
  for (const RowStep& s : w.steps) {
    c.need_rows(out, *std::ranges::max_element(s.out) + 1);
    sched::VUse x = operand(c, node, w, s, 0, Width::kLw);
    sched::VUse y = operand(c, node, w, s, 1, Width::kLw);
    sched::VUse dst = use_row_list(out, s.out);
    if (node.op == "add")
      c.b().emit("vadd", prec, {x, y}, {dst});
    else if (node.op == "sub")
      c.b().emit("vadd", prec, {x, sched::negated(y)}, {dst});
    else if (node.op == "mul")
      c.b().emit("vmul", prec, {x, y}, {dst});
    else
      c.b().emit("max", prec, {x, y}, {dst});
    stride = s.stride;
  }
  c.hold(node, {HeldIn::kRegister, out, Width::kLw, stride});
  return Ok{};
}

// The result begins as the value for "false"; then the value for "true" is written where the condition holds.
// A condition is one half per element: the flags of four halves are the mask bits of a double long word of
// singles (the lane law). lnot sets a flag where its input is not 0 (ISA 7).
Status emit_where(EmitContext& c, const Node& node) {
  TypeRef t = node.results[0];
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  c.program().regs[out].align = 2;
  Walk w = walk(c, node, t, 2, 2);
  auto write = [&](const RowStep& s, size_t k, const sched::VUse& dst) -> sched::VInsn& {
    if (w.column[k] < 0) {
      const sched::VReg& lit = c.program().regs[c.held(node.operands[k]).id];
      return c.b().emit_imm(lit.literal_text, *lit.literal, {dst});
    }
    return c.b().emit("passa", Prec::kL, {operand(c, node, w, s, k, Width::kDlw)}, {dst});
  };
  int32_t stride = 2;
  for (const RowStep& s : w.steps) {
    c.need_rows(out, *std::ranges::max_element(s.out) + 2);
    sched::VUse dst = use_row_list(out, s.out, Width::kDlw);
    sched::VMaskId mask = c.program().num_masks++;
    write(s, 2, dst);
    c.b().emit("lnot", Prec::kS, {operand(c, node, w, s, 0, Width::kLw)}, {}).writes_mask = mask;
    sched::VInsn& chosen = write(s, 1, dst);
    chosen.write_mask = mask;
    chosen.mask_ll = true;
    stride = s.stride;
  }
  c.hold(node, {HeldIn::kRegister, out, Width::kDlw, stride});
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
