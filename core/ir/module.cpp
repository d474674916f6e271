#include "core/ir/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace kumihimo {

Function& Module::add_function(std::string name) {
  functions_.push_back(Function{std::move(name), {}});
  return functions_.back();
}

const Function* Module::find_function(std::string_view name) const {
  for (const Function& f : functions_)
    if (f.name == name) return &f;
  return nullptr;
}

NodeId Module::add_node(Node node) {
  NodeId id = static_cast<NodeId>(nodes_.size());
  node.id = id;
  nodes_.push_back(std::make_unique<Node>(std::move(node)));
  return id;
}

Status Module::add_node_with_id(NodeId id, Node node) {
  constexpr NodeId kMaxId = 1u << 24;
  if (id >= kMaxId) {
    Diagnostic d = make_error("ir_node_id", fmt::format("node id %{} is too large", id));
    d.observed = fmt::format("%{}", id);
    d.required = fmt::format("ids below {}", kMaxId);
    return d;
  }
  if (id < nodes_.size() && nodes_[id]) {
    Diagnostic d = make_error("ir_node_id", fmt::format("value %{} is defined twice", id));
    d.observed = fmt::format("a second definition of %{}", id);
    d.required = "one definition per value";
    return d;
  }
  if (id >= nodes_.size()) nodes_.resize(id + 1);
  node.id = id;
  nodes_[id] = std::make_unique<Node>(std::move(node));
  return Ok{};
}

Result<const Node*> Module::find_node(NodeId id) const {
  if (alive(id)) return nodes_[id].get();
  bool erased = id < nodes_.size();
  Diagnostic d = make_error("ir_node_id", fmt::format("node {} {}", id, erased ? "was erased" : "does not exist"));
  d.observed = fmt::format("node id {}", id);
  d.required = "the id of a living node of this module";
  return d;
}

Status Module::erase_node(NodeId id) {
  if (auto n = find_node(id); !n) return n.take_error();
  // The nodes of its regions go with it. Nothing outside can use them: a region's values end with it.
  std::vector<NodeId> going{id};
  for (size_t i = 0; i < going.size(); ++i)
    for (const Region& r : nodes_[going[i]]->regions) {
      going.insert(going.end(), r.args.begin(), r.args.end());
      going.insert(going.end(), r.body.begin(), r.body.end());
    }
  for (uint32_t r = 0; r < nodes_[id]->results.size(); ++r) {
    std::vector<NodeId> u = users({id, r});
    if (!u.empty()) {
      Diagnostic d = make_error("ir_node_in_use", fmt::format("node {} still has users", id));
      d.observed = fmt::format("used by node {}", u.front());
      d.required = "no users";
      return d;
    }
  }
  auto drop = [id](std::vector<NodeId>& body) { std::erase(body, id); };
  for (Function& f : functions_) drop(f.body);
  for (auto& n : nodes_)
    if (n)
      for (Region& r : n->regions) {
        drop(r.args);
        drop(r.body);
      }
  for (NodeId gone : going) nodes_[gone].reset();
  return Ok{};
}

std::vector<NodeId> Module::users(ValueId value) const {
  std::vector<NodeId> out;
  for (const auto& n : nodes_)
    if (n && std::ranges::find(n->operands, value) != n->operands.end()) out.push_back(n->id);
  return out;
}

Module Module::clone() const {
  Module m(target_, target_version_, tree_);
  m.functions_ = functions_;
  m.nodes_.reserve(nodes_.size());
  for (const auto& n : nodes_) m.nodes_.push_back(n ? std::make_unique<Node>(*n) : nullptr);
  return m;
}

Result<const Function*> entry_function(const Module& module) {
  if (const Function* f = module.find_function("main")) return f;
  if (module.functions().size() == 1) return &module.functions()[0];
  Diagnostic d = make_error("ir_structure", "the program has no function to begin with");
  d.observed = fmt::format("{} functions", module.functions().size());
  d.required = "a function @main, or exactly one function";
  return d;
}

const Attr* find_attr(const AttrMap& attrs, std::string_view name) {
  auto it = attrs.find(name);
  return it == attrs.end() ? nullptr : &it->second;
}

std::string attr_string(const AttrMap& attrs, std::string_view name, std::string_view fallback) {
  const Attr* a = find_attr(attrs, name);
  const auto* s = a ? std::get_if<std::string>(a) : nullptr;
  return s ? *s : std::string(fallback);
}

int64_t attr_int(const AttrMap& attrs, std::string_view name, int64_t fallback) {
  const Attr* a = find_attr(attrs, name);
  if (!a) return fallback;
  if (const auto* i = std::get_if<int64_t>(a)) return *i;
  if (const auto* b = std::get_if<bool>(a)) return *b ? 1 : 0;
  return fallback;
}

double attr_float(const AttrMap& attrs, std::string_view name, double fallback) {
  const Attr* a = find_attr(attrs, name);
  if (!a) return fallback;
  if (const auto* d = std::get_if<double>(a)) return *d;
  if (const auto* i = std::get_if<int64_t>(a)) return static_cast<double>(*i);
  return fallback;
}

std::vector<Diagnostic> verify_structure(const Module& module) {
  std::vector<Diagnostic> out;
  std::vector<bool> defined(module.node_capacity(), false);
  auto fault = [&out](const Node& n, std::string headline, std::string observed, std::string required) {
    Diagnostic d = make_error("ir_structure", std::move(headline));
    d.op = n.op;
    d.observed = std::move(observed);
    d.required = std::move(required);
    d.where = n.where;
    out.push_back(std::move(d));
  };
  std::vector<NodeId> scope;  // ids to undefine when a region ends are those after a mark
  auto walk = [&](auto&& self, const std::vector<NodeId>& body) -> void {
    for (NodeId id : body) {
      if (!module.alive(id)) {
        Node ghost;
        ghost.op = "?";
        fault(ghost, fmt::format("body lists node {}, which does not exist", id), fmt::format("node id {}", id),
              "living nodes");
        continue;
      }
      const Node& n = module.node(id);
      if (defined[id]) fault(n, fmt::format("node {} stands twice", id), "two occurrences in bodies", "one occurrence");
      for (ValueId v : n.operands) {
        if (v.node >= defined.size() || !defined[v.node])
          fault(n, fmt::format("operand %{} is not defined before its use", v.node),
                fmt::format("use of %{} in node {}", v.node, id),
                "a definition earlier in the same or an enclosing body");
        else if (v.result >= module.node(v.node).results.size())
          fault(n, fmt::format("node {} has no result {}", v.node, v.result), fmt::format("%{}:{}", v.node, v.result),
                fmt::format("a result below {}", module.node(v.node).results.size()));
      }
      for (const Region& r : n.regions) {
        size_t mark = scope.size();
        self(self, r.args);
        self(self, r.body);
        while (scope.size() > mark) {
          defined[scope.back()] = false;
          scope.pop_back();
        }
      }
      defined[id] = true;
      scope.push_back(id);
    }
  };
  for (const Function& f : module.functions()) {
    scope.clear();
    std::fill(defined.begin(), defined.end(), false);
    walk(walk, f.body);
  }
  return out;
}

}  // namespace kumihimo
