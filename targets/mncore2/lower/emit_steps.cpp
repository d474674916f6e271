#include "targets/mncore2/lower/emit_steps.h"

#include <algorithm>
#include <map>

#include "targets/mncore2/lower/rows.h"

namespace kumihimo::mncore2::lower {
namespace {

using sched::use_row_list;

isa::Prec precision_of(std::string_view mnemonic) { return mnemonic.front() == 'f' ? isa::Prec::kF : isa::Prec::kI; }

}  // namespace

StepCounts count_steps(const num::StepSequence& sequence) {
  StepCounts n;
  for (const num::Step& s : sequence.steps) ++(num::on_mau(s.op) ? n.mau : n.alu);
  return n;
}

Status emit_sequence(EmitContext& c, const Node& node, const num::StepSequence& sequence) {
  TypeRef t = node.results[0];
  const Held from = c.held(node.operands[0]);
  sched::VRegId out = c.new_register("v" + std::to_string(node.id), t);
  std::vector<std::vector<int32_t>> table;
  for (const AddressPoint& p : address_points(*t->layout))
    table.push_back({p.row, row_of(*c.type(node.operands[0])->layout, p.index)});
  const int32_t preferred = from.step_width == isa::Width::kLw ? from.row_stride : 1;
  int32_t stride = 1;
  for (const RowStep& step : cut_into_steps(std::move(table), 1, preferred)) {
    c.need_rows(from.id, *std::ranges::max_element(step.in[0]) + 1);
    c.need_rows(out, *std::ranges::max_element(step.out) + 1);
    std::map<std::string_view, sched::VUse> values{{"x", use_row_list(from.id, step.in[0])}};
    for (size_t i = 0; i < sequence.steps.size(); ++i) {
      const num::Step& s = sequence.steps[i];
      std::vector<sched::VUse> srcs;
      for (int k = 0; k < num::source_count(s.op); ++k) {
        const num::StepSource& source = s.source[k];
        srcs.push_back(source.is_literal() ? sched::use_fixed(c.literal(source.bits, source.text))
                                           : values.at(source.name));
      }
      // Each chunk of rows has scratch of its own, so that chunks can be interleaved.
      sched::VUse dst =
          i + 1 == sequence.steps.size()
              ? use_row_list(out, step.out)
              : sched::use_rows(c.new_scratch("v" + std::to_string(node.id) + "." + std::string(s.result), 4), 0);
      std::string_view mnemonic = num::mnemonic(s.op);
      sched::VInsn& insn = c.b().emit(mnemonic.substr(1), precision_of(mnemonic), {}, {dst});
      insn.srcs = std::move(srcs);
      values.insert_or_assign(s.result, dst);
    }
    stride = step.stride;
  }
  c.hold(node, {HeldIn::kRegister, out, isa::Width::kLw, stride});
  return Ok{};
}

Status emit_exp(EmitContext& c, const Node& node) { return emit_sequence(c, node, num::exp_steps()); }

}  // namespace kumihimo::mncore2::lower
