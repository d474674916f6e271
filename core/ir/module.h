// The IR: a Module of Functions, one node type for graph level, LEIR and instructions.
//
// A node is an occurrence of an op: operands (values of earlier nodes), attributes, regions, results.
// Values are SSA. Node ids are stable: an edit elsewhere never changes them, and an id is not reused.
// The Module owns its nodes; outside, a node is named by (module, id), and asking for an erased id is an
// error, never a dangling pointer.
//
//   leir 1 target=mncore2/1
//   func @scores {
//     %0 = tensor() {dtype="half", layout="…", location="DRAM", name="k", role="input"}
//     %1 = broadcast_download(%0)
//     output(%1) {name="k_up"}
//   }
//
// The short text leaves out result types (the checks of the target give them again); the full text has
// them, the chosen variants and the source ranges:
//   %1 = broadcast_download(%0) chosen="mncore2.broadcast_download" : half (…)/…@L1BM loc("f.py":12:4-30)
// A variant that the author asked for is variant="…" in both.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/ir/type.h"

namespace kumihimo {

using NodeId = uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffu;

struct ValueId {
  NodeId node = kNoNode;
  uint32_t result = 0;
  friend bool operator==(const ValueId&, const ValueId&) = default;
  friend auto operator<=>(const ValueId&, const ValueId&) = default;
};

// Attributes print as 3, 0.5, true, "text", [1, 2]; floats print so that they parse back to the same bits.
using Attr = std::variant<int64_t, double, bool, std::string, std::vector<int64_t>>;
using AttrMap = std::map<std::string, Attr, std::less<>>;

struct Region {
  std::vector<NodeId> args;  // nodes of op "arg" whose results are the carried values
  std::vector<NodeId> body;
};

struct Node {
  NodeId id = kNoNode;
  std::string op;
  std::vector<ValueId> operands;
  AttrMap attrs;
  std::vector<Region> regions;
  std::vector<TypeRef> results;
  std::string variant;            // chosen implementation; empty before dispatch
  bool explicit_variant = false;  // not the default choice: printed
  SourceRange where;
};

struct Function {
  std::string name;
  std::vector<NodeId> body;
};

class Module {
 public:
  Module(std::string target, int target_version, const MachineTree* tree)
      : target_(std::move(target)), target_version_(target_version), tree_(tree) {}

  const std::string& target() const { return target_; }
  int target_version() const { return target_version_; }
  const MachineTree* tree() const { return tree_; }

  std::vector<Function>& functions() { return functions_; }
  const std::vector<Function>& functions() const { return functions_; }
  Function& add_function(std::string name);
  const Function* find_function(std::string_view name) const;

  // Appends to the store; the caller puts the id into a body. Fails when an operand does not exist.
  NodeId add_node(Node node);
  // Gives back a node with the id it has in a text.
  Status add_node_with_id(NodeId id, Node node);
  bool alive(NodeId id) const { return id < nodes_.size() && nodes_[id] != nullptr; }
  const Node& node(NodeId id) const { return *nodes_[id]; }
  Node& node(NodeId id) { return *nodes_[id]; }
  Result<const Node*> find_node(NodeId id) const;
  // Erases a node that has no users and takes it out of its body.
  Status erase_node(NodeId id);
  std::vector<NodeId> users(ValueId value) const;
  TypeRef type(ValueId v) const { return nodes_[v.node]->results[v.result]; }
  size_t node_capacity() const { return nodes_.size(); }

  Module clone() const;

 private:
  std::string target_;
  int target_version_ = 1;
  const MachineTree* tree_ = nullptr;
  std::vector<Function> functions_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

// Where a program begins: the function @main, or the only one.
Result<const Function*> entry_function(const Module& module);

const Attr* find_attr(const AttrMap& attrs, std::string_view name);
std::string attr_string(const AttrMap& attrs, std::string_view name, std::string_view fallback = {});
int64_t attr_int(const AttrMap& attrs, std::string_view name, int64_t fallback);
double attr_float(const AttrMap& attrs, std::string_view name, double fallback);
std::string to_string(const Attr& attr);

// Text.
struct PrintOptions {
  bool full = false;
};
std::string print(const Module& module, const PrintOptions& options = {});
std::string print_node(const Module& module, NodeId id, const PrintOptions& options = {});
std::string print_json(const Module& module);

// Gives the result types (and the variant) of a node that a short text left out.
using InferFn = std::function<Status(const Module&, Node&)>;
struct TargetTree {
  const MachineTree* tree;
  int version;
};
using FindTargetFn = std::function<Result<TargetTree>(std::string_view name, int version)>;
Result<Module> parse_module(std::string_view text, std::string_view file, const FindTargetFn& find_target,
                            const InferFn& infer);

// Structure: equality up to node ids and source ranges, with the path of the first difference.
uint64_t structural_hash(const Module& module);
std::optional<std::string> first_mismatch(const Module& a, const Module& b);

// SSA order, operand existence, arity of regions. Types are the business of the ops.
std::vector<Diagnostic> verify_structure(const Module& module);

}  // namespace kumihimo
