#include "core/dispatch/fix.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace kumihimo {
namespace {

constexpr size_t kMaxEdits = 4;   // edits of one fix
constexpr size_t kMaxTries = 64;  // checks spent on one error
constexpr size_t kMaxFixes = 3;

// A module in which edits are tried: a copy, rebuilt node by node with checks.
struct Trial {
  Module module;
  std::vector<ValueId> operands;  // of the refused application, in the copy
  AttrMap attrs;
  std::vector<Edit> edits;
};

// The declaration from which a value's layout comes: back through ops that keep values and layout (moves, bf).
std::optional<NodeId> declaration_of(const Module& m, ValueId v) {
  for (;;) {
    const Node& n = m.node(v.node);
    if (n.op == "tensor") return v.node;
    const OpDef* op = find_op(n.op);
    if (!op || !op->keeps_value || n.operands.empty() || m.type(v)->layout != m.type(n.operands[0])->layout)
      return std::nullopt;
    v = n.operands[0];
  }
}

Status recheck(Module& m) {
  for (Function& f : m.functions())
    for (NodeId id : f.body)
      if (auto s = infer_node(m, m.node(id)); !s) return s;
  return Ok{};
}

bool apply_edit(Trial& t, const Edit& e) {
  switch (e.kind) {
    case Edit::Kind::kWrapOperand: {
      const OpDef* op = find_op(e.op);
      if (!op || !op->keeps_value || static_cast<size_t>(e.operand) >= t.operands.size()) return false;
      Node n;
      n.op = e.op;
      n.operands = {t.operands[static_cast<size_t>(e.operand)]};
      n.attrs = e.attrs;
      if (!infer_node(t.module, n)) return false;
      t.operands[static_cast<size_t>(e.operand)] = {t.module.add_node(std::move(n)), 0};
      break;
    }
    case Edit::Kind::kReplaceLayout: {
      if (t.operands.empty()) {
        t.attrs["layout"] = e.text;
        break;
      }
      if (static_cast<size_t>(e.operand) >= t.operands.size()) return false;
      auto decl = declaration_of(t.module, t.operands[static_cast<size_t>(e.operand)]);
      if (!decl) return false;
      t.module.node(*decl).attrs["layout"] = e.text;
      if (!recheck(t.module)) return false;
      break;
    }
    case Edit::Kind::kSetAttr: t.attrs[e.attr] = e.text; break;
  }
  t.edits.push_back(e);
  return true;
}

nlohmann::json edit_json(const Edit& e, const Module& m, std::span<const ValueId> operands) {
  nlohmann::json j;
  switch (e.kind) {
    case Edit::Kind::kWrapOperand: {
      j = {{"kind", "wrap_operand"}, {"operand", e.operand}, {"op", e.op}, {"attrs", nlohmann::json::object()}};
      for (const auto& [k, v] : e.attrs) std::visit([&, key = k](const auto& x) { j["attrs"][key] = x; }, v);
      break;
    }
    case Edit::Kind::kReplaceLayout: {
      j = {{"kind", "replace_layout"}, {"operand", e.operand}, {"layout", e.text}};
      if (static_cast<size_t>(e.operand) < operands.size())
        if (auto decl = declaration_of(m, operands[static_cast<size_t>(e.operand)])) {
          const Node& n = m.node(*decl);
          j["tensor"] = attr_string(n.attrs, "name");
          j["line"] = n.where.line;
          j["old_layout"] = attr_string(n.attrs, "layout");
        }
      break;
    }
    case Edit::Kind::kSetAttr: j = {{"kind", "set_attr"}, {"attr", e.attr}, {"value", e.text}}; break;
  }
  return j;
}

}  // namespace

void add_verified_fixes(const Module& module, const Target& target, const OpDef& op, std::span<const ValueId> operands,
                        const AttrMap& attrs, std::string_view variant, CheckOutcome& outcome) {
  Diagnostic& d = *outcome.error;
  std::vector<TypeRef> types;
  std::vector<ShapeDtype> shapes;
  for (ValueId v : operands) {
    types.push_back(module.type(v));
    shapes.push_back({types.back()->shape, types.back()->dtype, types.back()->immediate()});
  }
  struct Open {
    std::vector<Edit> path;
    std::vector<Edit> next;
  };
  std::vector<Open> queue{{{}, outcome.edits}};
  size_t tries = 0;
  for (size_t q = 0; q < queue.size() && d.fixes.size() < kMaxFixes; ++q) {
    // By index: the queue grows while it is walked.
    for (size_t i = 0; i < queue[q].next.size() && d.fixes.size() < kMaxFixes && tries < kMaxTries; ++i) {
      ++tries;
      Trial t{module.clone(), {operands.begin(), operands.end()}, attrs, {}};
      bool applied = true;
      for (const Edit& e : queue[q].path) applied = applied && apply_edit(t, e);
      if (!applied || !apply_edit(t, queue[q].next[i])) continue;
      std::vector<TypeRef> now;
      for (ValueId v : t.operands) now.push_back(t.module.type(v));
      AttrMap filled = t.attrs;
      CheckOutcome again = check_once(target, op, now, filled, variant);
      if (again.chosen) {
        Fix fix;
        nlohmann::json edits = nlohmann::json::array();
        for (const Edit& e : t.edits) {
          fix.summary += (fix.summary.empty() ? "" : ", then ") + e.summary;
          edits.push_back(edit_json(e, module, operands));
        }
        fix.edit_json = nlohmann::json{{"edits", edits}}.dump();
        fix.verified = true;
        d.fixes.push_back(std::move(fix));
      } else if (t.edits.size() < kMaxEdits && !again.edits.empty()) {
        queue.push_back({t.edits, again.edits});
      }
    }
  }
  if (d.fixes.empty())
    d.no_fix_reason = outcome.edits.empty() ? "the rule knows no edit that keeps outputs and values"
                                            : fmt::format("{} edit{} tried, none passes all checks", tries,
                                                          tries == 1 ? " was" : "s were");
}

}  // namespace kumihimo
