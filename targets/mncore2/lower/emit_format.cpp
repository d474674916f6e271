// Formats and layouts inside PE memory: bf, cast, relayout.
#include <algorithm>
#include <array>

#include "core/layout/algebra.h"
#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/lower/rows.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Prec;
using isa::Width;
using sched::use_row_list;
using sched::use_rows;

}  // namespace

Status emit_bf(EmitContext& c, const Node& node) {
  const Held from = c.held(node.operands[0]);
  TypeRef t = node.results[0];
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  int32_t count = static_cast<int32_t>(rows(*t->layout));
  Prec prec = t->dtype == Dtype::kBlockHalf ? Prec::kH : t->dtype == Dtype::kBlockSingle ? Prec::kF : Prec::kD;
  // Only hbfn converts both long words of a double long word (ISA 7 [E]). Halves are taken in the width in which
  // they arrive, so that the converter can sit one step behind the transfer.
  bool wide = prec == Prec::kH && from.step_width == Width::kDlw;
  int32_t r = 0;
  auto convert = [&](Width width) {
    sched::VInsn& insn = c.b().emit("bfn", prec, {use_rows(from.id, r, width)}, {use_rows(out, r, width)});
    if (prec == Prec::kH) insn.proto.bf_bits = 9;
  };
  if (wide)
    for (; r + 4 < count; r += 8) {
      c.need_rows(from.id, r + 8);
      c.need_rows(out, r + 8);
      convert(Width::kDlw);
    }
  for (; r < count; r += 4) convert(Width::kLw);
  c.hold(node, {HeldIn::kRegister, out, wide ? Width::kDlw : Width::kLw, 1});
  return Ok{};
}

Status emit_cast(EmitContext& c, const Node& node) {
  const Held from = c.held(node.operands[0]);
  TypeRef in = c.type(node.operands[0]);
  TypeRef t = node.results[0];
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  // One step: four long words of halves against four double long words of singles. The lane law puts row r of halves
  // at rows 2r and 2r + 1 of singles, also where a step runs over the end.
  const bool widen = in->dtype == Dtype::kHalf;
  std::vector<std::vector<int32_t>> halves;
  for (const AddressPoint& p : address_points(widen ? *in->layout : *t->layout)) halves.push_back({p.row});
  for (const RowStep& s : cut_into_steps(std::move(halves), 1, 1)) {
    std::array<int32_t, 4> singles{};
    for (size_t i = 0; i < 4; ++i) singles[i] = 2 * s.out[i];
    const int32_t last = *std::ranges::max_element(s.out);
    c.need_rows(widen ? from.id : out, last + 1);
    c.need_rows(widen ? out : from.id, 2 * last + 2);
    if (widen) {
      c.b().emit("vpassa", Prec::kH, {use_row_list(from.id, s.out)}, {use_row_list(out, singles, Width::kDlw)});
    } else {
      c.b()
          .emit("vpassa", Prec::kH, {sched::converted(use_row_list(from.id, singles, Width::kDlw), 'r')},
                {use_row_list(out, s.out)})
          .proto.narrow = true;
    }
  }
  c.hold(node, {HeldIn::kRegister, out, widen ? Width::kDlw : Width::kLw, 1});
  return Ok{};
}

Status emit_relayout(EmitContext& c, const Node& node) {
  const Held from = c.held(node.operands[0]);
  TypeRef in = c.type(node.operands[0]);
  TypeRef t = node.results[0];
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  std::vector<std::vector<int32_t>> pairs;
  for (const AddressPoint& p : address_points(*t->layout)) pairs.push_back({p.row, row_of(*in->layout, p.index)});
  for (const RowStep& s : cut_into_steps(std::move(pairs), 1, from.row_stride)) {
    c.need_rows(out, s.out[3] + 1);
    c.need_rows(from.id, std::max(s.in[0][0], s.in[0][3]) + 1);
    c.b().emit("passa", Prec::kL, {use_row_list(from.id, s.in[0])}, {use_row_list(out, s.out)});
  }
  c.hold(node, {HeldIn::kRegister, out, Width::kLw, 1});
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
