// Ops: what an operation is called, which operands and attributes it takes, which shape and dtype come
// out, and what it means in real numbers. Where its operands may lie is not said here: placement belongs
// to the target's variants (core/dispatch).
//
// `infer` looks at shapes and dtypes only. `reference` is the float64 meaning on already quantised inputs:
// the yardstick of every error bound.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/module.h"

namespace kumihimo {

enum class AttrKind : uint8_t { kInt, kFloat, kBool, kString, kInts };

struct AttrDef {
  std::string_view name;
  AttrKind kind;
  bool required;
  std::string_view default_text;  // as printed; empty when required or absent by default
  std::string_view doc;
};

struct OperandDef {
  std::string_view name;
  std::string_view doc;
  bool allow_immediate;
};

// Real-number tensor of the reference: row-major doubles.
struct RealTensor {
  std::vector<int64_t> shape;
  std::vector<double> data;
};

struct ShapeDtype {
  std::vector<int64_t> shape;
  Dtype dtype = Dtype::kSingle;
  bool immediate = false;
};

struct OpDef {
  std::string_view name;
  std::string_view category;  // declare, move, format, arithmetic, contract, reduce, shape
  std::string_view doc;       // one sentence
  std::vector<OperandDef> operands;
  std::vector<AttrDef> attrs;
  bool has_result = true;
  bool move = false;         // same values, other location or layout
  bool keeps_value = false;  // the reference value of the result is that of the first operand (moves, bf, cast)
  // Shape and dtype of the result from shapes and dtypes of the operands.
  Result<ShapeDtype> (*infer)(std::span<const ShapeDtype> operands, const AttrMap& attrs);
  // Meaning in real numbers; null for declarations, whose value comes from outside.
  RealTensor (*reference)(std::span<const RealTensor> operands, const AttrMap& attrs);
};

std::span<const OpDef> all_ops();
const OpDef* find_op(std::string_view name);

// Right-aligned broadcasting of NumPy; an error names the dim that does not fit.
Result<std::vector<int64_t>> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b);

// Operand count and attribute names, kinds and presence; defaults are filled in.
Status check_signature(const OpDef& op, size_t operand_count, AttrMap& attrs);

}  // namespace kumihimo
