#include <fmt/format.h>

#include <algorithm>

#include "core/ir/module.h"
#include "core/ir/text.h"

namespace kumihimo {
namespace {

using ir_text::Cursor;

constexpr int kReadableVersion = 1;
constexpr int kMaxDepth = 64;

class Parser {
 public:
  Parser(std::string_view text, std::string_view file, const FindTargetFn& find, const InferFn& infer)
      : c_(text, file), find_(find), infer_(infer) {}

  Result<Module> module() {
    if (auto s = c_.expect("leir"); !s) return s.take_error();
    auto version = c_.integer();
    if (!version) return version.take_error();
    if (*version < 1 || *version > kReadableVersion)
      return c_.error(fmt::format("this text is version {}, this program reads up to {}", *version, kReadableVersion),
                      fmt::format("version {}", *version), fmt::format("version 1 to {}", kReadableVersion));
    if (auto s = c_.expect("target"); !s) return s.take_error();
    if (auto s = c_.expect("="); !s) return s.take_error();
    std::string_view target = c_.raw_until("/ \t");
    const bool is_name = std::ranges::all_of(target, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
             c == '.';
    });
    if (target.empty() || !is_name)
      return c_.error("expected a target name", target.empty() ? c_.next_text() : std::string(target),
                      "target=NAME/VERSION");
    if (auto s = c_.expect("/"); !s) return s.take_error();
    auto target_version = c_.integer();
    if (!target_version) return target_version.take_error();
    constexpr int64_t kMaxTargetVersion = 1'000'000;
    if (*target_version < 1 || *target_version > kMaxTargetVersion)
      return c_.error("target version out of range", fmt::format("version {}", *target_version),
                      fmt::format("1 to {}", kMaxTargetVersion));
    auto tree = find_(target, static_cast<int>(*target_version));
    if (!tree) {
      Diagnostic d = tree.take_error();
      if (!d.where.known()) d.where = c_.here();
      return d;
    }
    Module m(std::string(target), tree->version, tree->tree);
    while (!c_.at_end())
      if (auto s = function(m); !s) return s.take_error();
    return m;
  }

 private:
  Status function(Module& m) {
    if (auto s = c_.expect("func"); !s) return s;
    if (auto s = c_.expect("@"); !s) return s;
    std::string name(c_.identifier());
    if (name.empty()) return c_.error("expected a function name", c_.next_text(), "@NAME");
    if (m.find_function(name))
      return c_.error(fmt::format("function @{} is defined twice", name), fmt::format("a second @{}", name),
                      "distinct names");
    m.add_function(name);
    if (auto s = c_.expect("{"); !s) return s;
    std::vector<NodeId> body;
    leave_scope(0);
    while (!c_.take("}")) {
      auto id = node(m, 0);
      if (!id) return id.take_error();
      body.push_back(*id);
    }
    m.functions().back().body = std::move(body);
    return Ok{};
  }

  Result<NodeId> node_id() {
    if (auto s = c_.expect("%"); !s) return s.take_error();
    auto v = c_.integer();
    if (!v) return v.take_error();
    if (*v < 0 || *v > 0xffffff) return c_.error("node id out of range", fmt::format("%{}", *v), "0 to 16777215");
    return static_cast<NodeId>(*v);
  }

  Result<NodeId> node(Module& m, int depth) {
    if (depth > kMaxDepth) return c_.error("regions nested too deeply", "more than 64 levels", "at most 64 levels");
    c_.at_end();
    SourceRange start = c_.here();
    auto id = node_id();
    if (!id) return id;
    if (auto s = c_.expect("="); !s) return s.take_error();
    Node n;
    n.op = std::string(c_.identifier());
    if (n.op.empty()) return c_.error("expected an op name", c_.next_text(), "%ID = OP(…)");
    if (auto s = c_.expect("("); !s) return s.take_error();
    while (!c_.take(")")) {
      if (!n.operands.empty())
        if (auto s = c_.expect(","); !s) return s.take_error();
      auto operand = node_id();
      if (!operand) return operand;
      ValueId v{*operand, 0};
      if (c_.take(":")) {
        auto r = c_.integer();
        if (!r) return r.take_error();
        if (*r < 0 || *r > 0xffff) return c_.error("result index out of range", fmt::format("{}", *r), "0 to 65535");
        v.result = static_cast<uint32_t>(*r);
      }
      if (!in_scope(v.node) || v.result >= m.node(v.node).results.size())
        return c_.error(fmt::format("%{} is used before it is defined", v.node),
                        fmt::format("%{}:{}", v.node, v.result),
                        "a value that an earlier line of the same function, or of an enclosing body, defines");
      n.operands.push_back(v);
    }
    if (auto s = attributes(n); !s) return s.take_error();
    const bool asked = c_.take("variant");
    if (asked || c_.take("chosen")) {
      if (auto s = c_.expect("="); !s) return s.take_error();
      auto q = c_.quoted();
      if (!q) return q.take_error();
      n.variant = std::move(*q);
      n.explicit_variant = asked;
    }
    while (c_.take("region")) {
      Region r;
      const size_t mark = scope_.size();
      if (auto s = c_.expect("{"); !s) return s.take_error();
      while (!c_.take("do")) {
        auto a = node(m, depth + 1);
        if (!a) return a;
        r.args.push_back(*a);
      }
      while (!c_.take("}")) {
        auto b = node(m, depth + 1);
        if (!b) return b;
        r.body.push_back(*b);
      }
      leave_scope(mark);
      n.regions.push_back(std::move(r));
    }
    if (auto s = types(m, n, start); !s) return s.take_error();
    if (auto s = m.add_node_with_id(*id, std::move(n)); !s) {
      Diagnostic d = s.take_error();
      d.where = start;
      return d;
    }
    enter_scope(*id);
    return *id;
  }

  // Values that may be used where the cursor stands: of this function, and of bodies that are still open.
  bool in_scope(NodeId id) const { return id < visible_.size() && visible_[id]; }
  void enter_scope(NodeId id) {
    if (id >= visible_.size()) visible_.resize(id + 1);
    visible_[id] = true;
    scope_.push_back(id);
  }
  void leave_scope(size_t mark) {
    for (; scope_.size() > mark; scope_.pop_back()) visible_[scope_.back()] = false;
  }

  Status attributes(Node& n) {
    if (!c_.take("{")) return Ok{};
    while (!c_.take("}")) {
      if (!n.attrs.empty())
        if (auto s = c_.expect(","); !s) return s;
      std::string key(c_.identifier());
      if (key.empty()) return c_.error("expected an attribute name", c_.next_text(), "NAME=VALUE");
      if (auto s = c_.expect("="); !s) return s;
      auto a = c_.attr();
      if (!a) return a.take_error();
      if (!n.attrs.emplace(key, std::move(*a)).second)
        return c_.error(fmt::format("attribute {} is given twice", key), key, "distinct attributes");
    }
    return Ok{};
  }

  // With types in the text they are taken and checked against what the ops infer; without, inferred.
  Status types(const Module& m, Node& n, const SourceRange& start) {
    std::vector<TypeRef> stated;
    bool has_types = c_.take(":");
    if (has_types && !c_.take("none")) {
      do {
        SourceRange at = c_.here();
        std::string text(c_.raw_until(";"));
        // A source range may follow on the same line.
        std::string loc;
        if (size_t p = text.find(" loc("); p != std::string::npos) {
          loc = text.substr(p + 1);
          text.resize(p);
        }
        auto t = parse_type(text, m.tree());
        if (!t) {
          Diagnostic d = t.take_error();
          d.where = at;
          return d;
        }
        stated.push_back(*t);
        if (!loc.empty()) {
          Cursor lc(loc, {});
          if (!source_range(lc, n) || !lc.at_end())
            return c_.error("bad source range", loc, "loc(\"FILE\":LINE:COL-END)");
        }
      } while (c_.take(";"));
    }
    if (c_.peek("loc"))
      if (auto s = source_range(c_, n); !s) return s;
    SourceRange own = n.where;
    if (!own.known()) n.where = start;  // errors of the check point at the text
    if (has_types) n.results = stated;  // an op of the table has its types inferred; an instruction keeps them
    if (infer_) {
      const std::string chosen = n.explicit_variant ? std::string() : n.variant;
      auto inferred = infer_(m, n);
      // The first variant that accepts may be another one than when the text was written: the text keeps its meaning.
      if (inferred.ok() && !chosen.empty() && n.variant != chosen) {
        n.variant = chosen;
        n.explicit_variant = true;
        inferred = infer_(m, n);
      }
      if (!inferred) {
        Diagnostic d = inferred.take_error();
        if (!d.where.known()) d.where = start;
        return d;
      }
      if (has_types && n.results != stated) {
        Diagnostic d = c_.error("stated type differs from the type of the op",
                                stated.empty() ? "none" : to_string(*stated.front()),
                                n.results.empty() ? "none" : to_string(*n.results.front()));
        d.where = start;
        d.op = n.op;
        return d;
      }
    } else if (has_types) {
      n.results = std::move(stated);
    } else {
      return c_.error("a text without types needs the checks of a target", c_.next_text(), ": TYPE after the operands");
    }
    n.where = own.known() ? own : start;
    return Ok{};
  }

  static Status source_range(Cursor& c, Node& n) {
    if (auto s = c.expect("loc"); !s) return s;
    if (auto s = c.expect("("); !s) return s;
    auto file = c.quoted();
    if (!file) return file.take_error();
    int64_t v[3];
    const char* separators[3] = {":", ":", "-"};
    for (int i = 0; i < 3; ++i) {
      if (auto s = c.expect(separators[i]); !s) return s;
      auto x = c.integer();
      if (!x) return x.take_error();
      if (*x < 0 || *x > 0x7fffffff)
        return c.error("number out of range in a source range", fmt::format("{}", *x), "0 to 2147483647");
      v[i] = *x;
    }
    if (auto s = c.expect(")"); !s) return s;
    n.where.file = std::move(*file);
    n.where.line = static_cast<uint32_t>(v[0]);
    n.where.column = static_cast<uint32_t>(v[1]);
    n.where.end_column = static_cast<uint32_t>(v[2]);
    return Ok{};
  }

  Cursor c_;
  const FindTargetFn& find_;
  const InferFn& infer_;
  std::vector<bool> visible_;
  std::vector<NodeId> scope_;
};

}  // namespace

Result<Module> parse_module(std::string_view text, std::string_view file, const FindTargetFn& find_target,
                            const InferFn& infer) {
  return Parser(text, file, find_target, infer).module();
}

}  // namespace kumihimo
