// Emission: from checked LEIR nodes to virtual instructions.
//
// Every variant of a LEIR op has one emission function. It appends virtual instructions, in an order that is
// correct one after the other, to the context's VProgram and says where the result is held: a range of a tree
// memory, a virtual register, or a literal. It computes exactly what the variant's value id says, operation by
// operation; time, banks and addresses are the scheduler's.
//
// The rows of a register are the address points of the value's layout: element with address a lies in row a.
// Registers are rounded up to whole steps of four rows; rows beyond the layout hold whatever comes out.
#pragma once

#include <map>
#include <string>

#include "core/dispatch/target.h"
#include "targets/mncore2/sched/build.h"

namespace kumihimo::mncore2::lower {

enum class HeldIn : uint8_t { kNothing, kBuffer, kRegister, kLiteral };

struct Held {
  HeldIn in = HeldIn::kNothing;
  uint32_t id = sched::kNoId;  // VBufId or VRegId
  isa::Width step_width = isa::Width::
      kDlw;  // width in which the producer delivered it (a consumer of the same width can be fed by forwarding)
  int32_t row_stride = 1;  // rows per cycle in which the producer walked
};

struct InputPlace {
  std::string name;
  TypeRef type = nullptr;
  int64_t dram_addr_lw = 0;
  int64_t size_lw = 0;  // of each group's image
};

struct OutputRef {
  std::string name;
  TypeRef type = nullptr;
  Held held;
};

class EmitContext {
 public:
  EmitContext(const Module& module, const Target& target) : module_(module), target_(target), builder_(program_) {}

  const Module& module() const { return module_; }
  const Target& target() const { return target_; }
  const MachineTree& tree() const { return *target_.tree; }
  sched::Builder& b() { return builder_; }
  sched::VProgram& program() { return program_; }

  TypeRef type(ValueId v) const { return module_.type(v); }
  const Held& held(ValueId v) const { return held_.at(v); }
  void hold(const Node& node, Held held) { held_[{node.id, 0}] = held; }
  // The register of a value; literals count as registers with one row.
  sched::VRegId reg(ValueId v) const { return held_.at(v).id; }

  // A register for the rows of a placed type, rounded up to whole steps.
  sched::VRegId new_register(std::string name, TypeRef type);
  sched::VRegId new_scratch(std::string name, int32_t rows, sched::BankSet allowed = sched::kAnyBank);
  // A constant: both words of a row hold `bits`; `text` is how imm spells it. Equal bits share a register.
  sched::VRegId literal(uint32_t bits, std::string_view text);
  sched::VRegId literal_float(double value);
  // A register must be this long because an access runs over its end; the rows beyond stay undefined.
  void need_rows(sched::VRegId reg, int32_t rows);
  sched::VBufId new_buffer(std::string name, isa::Mem mem, int64_t size_lw, int64_t align_lw);

  std::vector<InputPlace> inputs;
  std::vector<OutputRef> outputs;
  int64_t next_dram_lw = 0;

 private:
  const Module& module_;
  const Target& target_;
  sched::VProgram program_;
  sched::Builder builder_;
  std::map<ValueId, Held> held_;
  std::map<uint32_t, sched::VRegId> literals_;
};

// Banks of the memory that a type names: one for LM0, GRF1, T, two for the classes LM and GRF.
sched::BankSet banks_of(const Type& type);
// A bank that the author named is kept for every value. A class leaves the choice to the scheduler, which may keep
// a value that nobody looks at in any memory of the PE; outputs lie in their class.
sched::BankSet banks_for(const Type& type, bool output);

using EmitFn = Status (*)(EmitContext&, const Node&);
using OpaqueEmit = void (*)();
inline OpaqueEmit opaque(EmitFn f) { return reinterpret_cast<OpaqueEmit>(f); }

Status emit_tensor(EmitContext&, const Node&);
Status emit_immediate(EmitContext&, const Node&);
Status emit_output(EmitContext&, const Node&);
Status emit_download(EmitContext&, const Node&);  // broadcast, distribute and unicast: the layout says which hops copy
Status emit_reduce_upload(EmitContext&, const Node&);
Status emit_relayout(EmitContext&, const Node&);
Status emit_bf(EmitContext&, const Node&);
Status emit_cast(EmitContext&, const Node&);
Status emit_linear(EmitContext&, const Node&);
Status emit_binary(EmitContext&, const Node&);  // add, sub, mul, max
Status emit_where(EmitContext&, const Node&);
Status emit_exp(EmitContext&, const Node&);
Status emit_reduce(EmitContext&, const Node&);  // reduce_max, reduce_sum

// Emits all nodes of a function in order.
Status emit_function(EmitContext& context, const Function& function);

}  // namespace kumihimo::mncore2::lower
