// Reductions inside a PE: a halving tree over the address points of the reduced dim, in the order that the value
// id states: with n points sorted by index and h = ceil(n / 2), point i takes in point i + h, until one is left.
#include <algorithm>
#include <map>

#include "targets/mncore2/lower/emit.h"
#include "targets/mncore2/lower/rows.h"

namespace kumihimo::mncore2::lower {
namespace {

using isa::Prec;
using sched::use_row_list;

struct Element {
  sched::VRegId reg;
  int32_t row;
};

}  // namespace

Status emit_reduce(EmitContext& c, const Node& node) {
  TypeRef in = c.type(node.operands[0]);
  TypeRef t = node.results[0];
  const Layout& layout = *in->layout;
  int64_t rank = static_cast<int64_t>(layout.dims.size());
  int64_t axis = attr_int(node.attrs, "axis", 0);
  if (axis < 0) axis += rank;
  const bool keep = attr_int(node.attrs, "keepdims", 0) != 0;
  const bool is_max = node.op == "reduce_max";
  Prec prec = in->dtype == Dtype::kDouble ? Prec::kD : Prec::kF;

  // Points of each kept index, ordered by the reduced index.
  std::map<std::vector<int64_t>, std::vector<std::pair<int64_t, Element>>> groups;
  for (const AddressPoint& p : address_points(layout)) {
    std::vector<int64_t> kept = p.index;
    int64_t reduced = kept[static_cast<size_t>(axis)];
    if (keep)
      kept[static_cast<size_t>(axis)] = 0;
    else
      kept.erase(kept.begin() + axis);
    groups[kept].push_back({reduced, {c.reg(node.operands[0]), p.row}});
  }
  for (auto& [kept, points] : groups) std::ranges::sort(points, {}, &std::pair<int64_t, Element>::first);
  const size_t n = groups.begin()->second.size();

  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  int32_t stride = 1;
  // Rows of one pair of registers are cut into steps together.
  auto emit_level =
      [&](sched::VRegId dst,
          const std::map<std::pair<sched::VRegId, sched::VRegId>, std::vector<std::vector<int32_t>>>& work) {
        for (const auto& [regs, table] : work)
          for (const RowStep& s : cut_into_steps(table, 1, 1)) {
            c.need_rows(dst, *std::ranges::max_element(s.out) + 1);
            c.need_rows(regs.first, *std::ranges::max_element(s.in[0]) + 1);
            c.need_rows(regs.second, *std::ranges::max_element(s.in[1]) + 1);
            sched::VUse a = use_row_list(regs.first, s.in[0]);
            sched::VUse b = use_row_list(regs.second, s.in[1]);
            c.b().emit(is_max ? "max" : "vadd", prec, {a, b}, {use_row_list(dst, s.out)});
            stride = s.stride;
          }
      };
  if (n == 1) {
    std::vector<std::vector<int32_t>> table;
    for (const auto& [kept, points] : groups) table.push_back({row_of(*t->layout, kept), points[0].second.row});
    for (const RowStep& s : cut_into_steps(std::move(table), 1, 1)) {
      c.need_rows(out, s.out[3] + 1);
      c.need_rows(c.reg(node.operands[0]), *std::ranges::max_element(s.in[0]) + 1);
      c.b().emit("passa", Prec::kL, {use_row_list(c.reg(node.operands[0]), s.in[0])}, {use_row_list(out, s.out)});
    }
  }
  for (size_t left = n; left > 1;) {
    const size_t h = (left + 1) / 2;
    const bool last = h == 1;
    sched::VRegId dst =
        last ? out
             : c.new_scratch("v" + std::to_string(node.id) + ".t", static_cast<int32_t>((left - h) * groups.size()));
    std::map<std::pair<sched::VRegId, sched::VRegId>, std::vector<std::vector<int32_t>>> work;
    int32_t next_row = 0;
    // Index-major order keeps both operands and the result on constant strides.
    for (size_t i = 0; i + h < left; ++i)
      for (auto& [kept, points] : groups) {
        Element& a = points[i].second;
        const Element& b = points[i + h].second;
        int32_t row = last ? row_of(*t->layout, kept) : next_row++;
        work[{a.reg, b.reg}].push_back({row, a.row, b.row});
        a = {dst, row};
      }
    emit_level(dst, work);
    left = h;
  }
  c.hold(node, {HeldIn::kRegister, out, isa::Width::kLw, stride});
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
