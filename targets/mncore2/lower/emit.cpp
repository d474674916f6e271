#include "targets/mncore2/lower/emit.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/layout/image.h"

namespace kumihimo::mncore2::lower {

using sched::VRegId;

namespace {

int32_t whole_steps(int64_t rows) { return static_cast<int32_t>((rows + 3) / 4 * 4); }

// How the assembler spells a single: shortest digits that give the same bits.
std::string literal_float_text(float value) {
  if (std::isinf(value)) return value < 0 ? "f\"-inf\"" : "f\"inf\"";
  return fmt::format("f\"{}\"", value);
}

}  // namespace

sched::BankSet banks_of(const Type& type) {
  using sched::Bank, sched::bank_bit;
  const std::string_view name = type.location_name();
  if (name == "LM") return sched::kLmBanks;
  if (name == "GRF") return sched::kGrfBanks;
  if (name == "LM0") return bank_bit(Bank::kLm0);
  if (name == "LM1") return bank_bit(Bank::kLm1);
  if (name == "GRF0") return bank_bit(Bank::kGrf0);
  if (name == "GRF1") return bank_bit(Bank::kGrf1);
  if (name == "T") return bank_bit(Bank::kT);
  return sched::kAnyBank;
}

sched::BankSet banks_for(const Type& type, bool output) {
  const bool is_class = type.tree->locations[static_cast<size_t>(type.location)].is_class;
  return output || !is_class ? banks_of(type) : sched::kAnyBank;
}

VRegId EmitContext::new_register(std::string name, TypeRef type) {
  return new_scratch(std::move(name), static_cast<int32_t>(rows(*type->layout)), banks_for(*type, false));
}

VRegId EmitContext::new_scratch(std::string name, int32_t row_count, sched::BankSet allowed) {
  sched::VReg r;
  r.name = std::move(name);
  r.rows = std::max(4, whole_steps(row_count));
  r.allowed = allowed;
  return program_.add_reg(std::move(r));
}

void EmitContext::need_rows(VRegId reg, int32_t row_count) {
  sched::VReg& r = program_.regs[reg];
  if (!r.literal && r.rows < row_count) r.rows = whole_steps(row_count);
}

VRegId EmitContext::literal(uint32_t bits, std::string_view text) {
  auto [it, is_new] = literals_.emplace(bits, 0u);
  if (is_new) {
    sched::VReg r;
    r.rows = 1;
    r.literal = bits;
    r.literal_text = std::string(text);
    r.name = r.literal_text;
    it->second = program_.add_reg(std::move(r));
  }
  return it->second;
}

VRegId EmitContext::literal_float(double value) {
  float f = static_cast<float>(value);
  return literal(std::bit_cast<uint32_t>(f), literal_float_text(f));
}

sched::VBufId EmitContext::new_buffer(std::string name, isa::Mem mem, int64_t size_lw, int64_t align_lw) {
  sched::VBuf b;
  b.name = std::move(name);
  b.mem = mem;
  b.size_lw = size_lw;
  b.align_lw = align_lw;
  return program_.add_buf(std::move(b));
}

Status emit_tensor(EmitContext& c, const Node& node) {
  TypeRef t = node.results[0];
  auto size = image_lw(*t->layout, *t->tree, t->location, dtype_def(t->dtype).bits);
  if (!size) return size.take_error();
  // MVs move runs of 64 long words.
  int64_t rounded = (*size + 63) / 64 * 64;
  sched::VBufId buf = c.new_buffer(attr_string(node.attrs, "name"), isa::Mem::kDram, rounded, 64);
  c.program().bufs[buf].fixed_addr = c.next_dram_lw;
  c.inputs.push_back({attr_string(node.attrs, "name"), t, c.next_dram_lw, rounded});
  c.next_dram_lw += rounded;
  c.hold(node, {HeldIn::kBuffer, buf, isa::Width::kDlw, 1});
  return Ok{};
}

Status emit_immediate(EmitContext& c, const Node& node) {
  c.hold(node, {HeldIn::kLiteral, c.literal_float(attr_float(node.attrs, "value", 0)), isa::Width::kLw, 0});
  return Ok{};
}

Status emit_output(EmitContext& c, const Node& node) {
  Held h = c.held(node.operands[0]);
  if (h.in == HeldIn::kRegister) {
    sched::VReg& r = c.program().regs[h.id];
    r.output = true;
    r.allowed &= banks_for(*c.type(node.operands[0]), true);
  }
  if (h.in == HeldIn::kBuffer) c.program().bufs[h.id].output = true;
  c.outputs.push_back({attr_string(node.attrs, "name"), c.type(node.operands[0]), h});
  return Ok{};
}

Status emit_function(EmitContext& c, const Function& function) {
  for (NodeId id : function.body) {
    const Node& n = c.module().node(id);
    const Variant* variant = nullptr;
    for (const Variant& v : c.target().variants)
      if (v.name == n.variant) variant = &v;
    if (!variant || !variant->emit) {
      Diagnostic d = make_error("op_no_variant", fmt::format("{} has no emission on {}", n.op, c.target().name));
      d.op = n.op;
      d.where = n.where;
      d.observed = n.variant.empty() ? "no variant chosen" : n.variant;
      d.required = "a checked node";
      return d;
    }
    c.b().set_node(static_cast<int32_t>(id));
    if (auto s = reinterpret_cast<EmitFn>(variant->emit)(c, n); !s) {
      Diagnostic d = s.take_error();
      if (!d.where.known()) d.where = n.where;
      if (d.op.empty()) d.op = n.op;
      return d;
    }
  }
  return Ok{};
}

}  // namespace kumihimo::mncore2::lower
