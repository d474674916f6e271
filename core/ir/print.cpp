#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/utf8.h"
#include "core/ir/module.h"
#include "core/ir/text.h"

namespace kumihimo {
namespace {

std::string value_text(const Module& m, ValueId v) {
  if (m.alive(v.node) && m.node(v.node).results.size() > 1) return fmt::format("%{}:{}", v.node, v.result);
  return fmt::format("%{}", v.node);
}

class Printer {
 public:
  Printer(const Module& m, const PrintOptions& o) : m_(m), o_(o) {}

  void node(NodeId id, int indent) {
    const Node& n = m_.node(id);
    out_.append(static_cast<size_t>(indent) * 2, ' ');
    // The id is always written, also for nodes without results: it must survive the round trip.
    out_ += fmt::format("%{} = {}(", id, n.op);
    for (size_t i = 0; i < n.operands.size(); ++i) {
      if (i) out_ += ", ";
      out_ += value_text(m_, n.operands[i]);
    }
    out_ += ")";
    if (!n.attrs.empty()) {
      out_ += " {";
      bool first = true;
      for (const auto& [k, v] : n.attrs) {
        if (!first) out_ += ", ";
        first = false;
        out_ += k + "=" + to_string(v);
      }
      out_ += "}";
    }
    // variant= is what the author asked for, chosen= what the checks took: only the first is part of the structure.
    if (!n.variant.empty() && (o_.full || n.explicit_variant))
      out_ += (n.explicit_variant ? " variant=" : " chosen=") + ir_text::quote(n.variant);
    for (const Region& r : n.regions) region(r, indent);
    if (o_.full) {
      out_ += " : ";
      for (size_t i = 0; i < n.results.size(); ++i) {
        if (i) out_ += " ; ";
        out_ += to_string(*n.results[i]);
      }
      if (n.results.empty()) out_ += "none";
      if (n.where.known())
        out_ += fmt::format(" loc({}:{}:{}-{})", ir_text::quote(as_utf8(n.where.file)), n.where.line, n.where.column,
                            n.where.end_column);
    }
    out_ += "\n";
  }

  void module() {
    out_ += fmt::format("leir 1 target={}/{}\n", m_.target(), m_.target_version());
    for (const Function& f : m_.functions()) {
      out_ += fmt::format("func @{} {{\n", f.name);
      for (NodeId id : f.body) node(id, 1);
      out_ += "}\n";
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void region(const Region& r, int indent) {
    out_ += " region {\n";
    for (NodeId a : r.args) node(a, indent + 1);
    out_.append(static_cast<size_t>(indent + 1) * 2, ' ');
    out_ += "do\n";
    for (NodeId b : r.body) node(b, indent + 1);
    out_.append(static_cast<size_t>(indent) * 2, ' ');
    out_ += "}";
  }

  const Module& m_;
  const PrintOptions& o_;
  std::string out_;
};

nlohmann::json attr_json(const Attr& a) {
  return std::visit([](const auto& v) -> nlohmann::json { return v; }, a);
}

nlohmann::json node_json(const Module& m, NodeId id) {
  const Node& n = m.node(id);
  nlohmann::json j;
  j["id"] = id;
  j["op"] = n.op;
  j["operands"] = nlohmann::json::array();
  for (ValueId v : n.operands) j["operands"].push_back({v.node, v.result});
  j["attrs"] = nlohmann::json::object();
  for (const auto& [k, v] : n.attrs) {
    // Numbers of JSON cannot hold infinities; the text form can.
    const auto* d = std::get_if<double>(&v);
    j["attrs"][k] = d ? nlohmann::json{{"float", ir_text::float_text(*d)}} : attr_json(v);
  }
  j["results"] = nlohmann::json::array();
  for (TypeRef t : n.results) j["results"].push_back(to_string(*t));
  if (!n.variant.empty()) j["variant"] = n.variant;
  if (n.where.known())
    j["where"] = {
        {"file", n.where.file}, {"line", n.where.line}, {"column", n.where.column}, {"end_column", n.where.end_column}};
  if (!n.regions.empty()) {
    j["regions"] = nlohmann::json::array();
    for (const Region& r : n.regions) {
      nlohmann::json rj{{"args", nlohmann::json::array()}, {"body", nlohmann::json::array()}};
      for (NodeId a : r.args) rj["args"].push_back(node_json(m, a));
      for (NodeId b : r.body) rj["body"].push_back(node_json(m, b));
      j["regions"].push_back(std::move(rj));
    }
  }
  return j;
}

}  // namespace

std::string to_string(const Attr& attr) {
  struct Visitor {
    std::string operator()(int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return ir_text::float_text(v); }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const std::string& v) const { return ir_text::quote(v); }
    std::string operator()(const std::vector<int64_t>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
  };
  return std::visit(Visitor{}, attr);
}

std::string print(const Module& module, const PrintOptions& options) {
  Printer p(module, options);
  p.module();
  return p.take();
}

std::string print_node(const Module& module, NodeId id, const PrintOptions& options) {
  Printer p(module, options);
  p.node(id, 0);
  std::string s = p.take();
  if (!s.empty() && s.back() == '\n') s.pop_back();
  return s;
}

std::string print_json(const Module& module) {
  nlohmann::json j;
  j["schema"] = "kumihimo/leir/1";
  j["target"] = module.target();
  j["target_version"] = module.target_version();
  j["functions"] = nlohmann::json::array();
  for (const Function& f : module.functions()) {
    nlohmann::json fj{{"name", f.name}, {"body", nlohmann::json::array()}};
    for (NodeId id : f.body) fj["body"].push_back(node_json(module, id));
    j["functions"].push_back(std::move(fj));
  }
  // Names of files may hold bytes that are not UTF-8; strings of the program never do.
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kumihimo
