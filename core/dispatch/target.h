// Targets: what a machine tells the compiler.
//
// A target is a row: its tree of axes and memories, its variants (which placements each op accepts, what
// comes out, which function it computes, how it is emitted), its numerics and its functions for the
// outside. Core knows no target; it calls through this row.
//
// Legality. An application of an op is legal iff some variant accepts it; check tries them in table order
// and takes the first, never by cost. Every refusal carries its reason.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/op_def.h"
#include "core/ops/tensor.h"

namespace kumihimo {

struct Target;

// One application of an op, as constraints and variants see it.
struct OpInstance {
  const Target* target = nullptr;
  const OpDef* op = nullptr;
  std::span<const TypeRef> operands;
  const AttrMap* attrs = nullptr;
  ShapeDtype result;  // from OpDef::infer
};

struct Violation {
  int operand = -1;  // index, -1 = the application as a whole
  std::string observed, required;
  std::vector<std::pair<std::string, std::string>> bound;
};

// An edit that may mend a refused application. It is re-checked before it is offered: several edits may be
// needed, one after the other, until the application passes.
struct Edit {
  enum class Kind : uint8_t {
    kWrapOperand,    // operand := op(operand, attrs)
    kReplaceLayout,  // the layout text of the operand's declaration (or of this op's `layout`) becomes `text`
    kSetAttr,        // attribute `attr` := text
  };
  Kind kind = Kind::kWrapOperand;
  int operand = 0;
  std::string op;          // kWrapOperand
  AttrMap attrs;           // kWrapOperand
  std::string attr, text;  // kReplaceLayout, kSetAttr
  std::string summary;     // "convert k to block floats with bf first"
};

// A rule as an object: verifier, error text, fixes and documents read the same one.
// Its diagnostic row is part of it: {"K8004", "linear_contracted_lanes", "one sentence"}; register_target
// registers the rows of all constraints that its variants name.
struct Constraint {
  DiagDef def;
  std::optional<Violation> (*check)(const OpInstance&);
  std::vector<Edit> (*suggest)(const OpInstance&, const Violation&);  // may be null: no edit is known
};

struct Variant {
  std::string_view op;
  std::string_view name;  // "mncore2.linear.half.w"
  std::string_view doc;
  std::string_view value_id;                   // "linear.half.chain/1": the function that `exact` runs
  std::vector<const Constraint*> constraints;  // all must hold, in order
  // Type of the result; called when every constraint holds.
  Result<TypeRef> (*place)(const OpInstance&);
  // Target-private emission entry (the target casts it back).
  void (*emit)();
  std::string_view source;  // instructions it uses, for documents
};

// The arithmetic of a target: one function per value id. The interpreter only walks and calls these.
struct ValueFn {
  std::string_view value_id;
  // Operand bits in, result bits out; types give layouts (blocks, partial axes, reduction order).
  Result<Tensor> (*run)(const OpInstance&, TypeRef result, std::span<const Tensor* const> operands);
};
struct Numerics {
  std::span<const ValueFn> functions;
  // Element bits <-> real numbers, with the declared rounding of host packing.
  uint64_t (*encode)(Dtype, double);
  double (*decode)(Dtype, uint64_t);
};

struct LowerOptions {
  int threads = 1;
  std::map<std::string, std::string, std::less<>> options;
};

// What lowering makes; the target's own object hangs on it.
struct Lowered {
  std::string text;                    // assembly
  std::string report_json;             // steps, cycles, bound, placements of inputs and outputs
  std::optional<Module> instructions;  // the same code as instruction-level IR
  std::shared_ptr<void> target_data;
};

struct FunctionDef;  // core/dispatch/function.h

struct Target {
  std::string_view name;
  int version;
  const MachineTree* tree;
  std::span<const Variant> variants;
  const Numerics* numerics;
  Result<Lowered> (*lower)(const Module&, const LowerOptions&);
  std::span<const FunctionDef> functions;
  std::vector<std::span<const DiagDef>> diagnostics;  // rows beside those of its constraints
  std::string (*describe)(std::string_view what);     // JSON of the target's own tables
};

// Registry of targets; in-tree ones are added by core/driver/targets.cpp.
void register_target(const Target* target);
const Target* find_target(std::string_view name);
std::vector<const Target*> all_targets();
// The target of a name; the error lists those that exist.
Result<const Target*> require_target(std::string_view name);

// The outcome of one check.
struct Chosen {
  const Variant* variant = nullptr;
  TypeRef type = nullptr;  // null for ops without a result
};

// Checks an application: signature, shapes, then variants in table order (or the one named by `variant`).
// On refusal the diagnostic carries the refusal of the variant that came furthest, the others as related,
// and edits that were tried and hold.
Result<Chosen> check(const Target& target, const OpDef& op, std::span<const TypeRef> operands, AttrMap& attrs,
                     std::string_view variant = {});

// Adds a node after its check. `where` goes into the node and into errors.
Result<ValueId> apply(Module& module, Function& function, std::string_view op, std::vector<ValueId> operands,
                      AttrMap attrs, SourceRange where, std::string_view variant = {});

// For parse_module: infers with the registered targets.
Status infer_node(const Module& module, Node& node);
Result<Module> parse_program(std::string_view text, std::string_view file);

}  // namespace kumihimo
