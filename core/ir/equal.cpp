#include <fmt/format.h>

#include <unordered_map>

#include "core/ir/module.h"

namespace kumihimo {
namespace {

// Numbers every node by its place in a walk, so that ids do not matter.
class Order {
 public:
  explicit Order(const Module& m) : m_(m) {
    for (const Function& f : m.functions()) walk(f.body);
  }
  uint64_t of(NodeId id) const {
    auto it = index_.find(id);
    return it == index_.end() ? ~0ull : it->second;
  }

 private:
  void walk(const std::vector<NodeId>& body) {
    for (NodeId id : body) {
      index_.emplace(id, index_.size());
      for (const Region& r : m_.node(id).regions) {
        walk(r.args);
        walk(r.body);
      }
    }
  }
  const Module& m_;
  std::unordered_map<NodeId, uint64_t> index_;
};

uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 12) + (h >> 4);
  return h * 0xff51afd7ed558ccdull;
}
// FNV-1a: the same on every platform and library.
uint64_t text_hash(std::string_view s) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

uint64_t hash_body(const Module& m, const Order& o, const std::vector<NodeId>& body, uint64_t h) {
  for (NodeId id : body) {
    const Node& n = m.node(id);
    h = mix(h, text_hash(n.op));
    for (ValueId v : n.operands) h = mix(mix(h, o.of(v.node)), v.result);
    for (const auto& [k, v] : n.attrs) h = mix(mix(h, text_hash(k)), text_hash(to_string(v)));
    if (n.explicit_variant) h = mix(h, text_hash(n.variant));
    for (TypeRef t : n.results) h = mix(h, text_hash(to_string(*t)));
    for (const Region& r : n.regions) h = hash_body(m, o, r.body, hash_body(m, o, r.args, mix(h, 7)));
  }
  return mix(h, body.size());
}

using Mismatch = std::optional<std::string>;

Mismatch compare_bodies(const Module& a, const Order& oa, const std::vector<NodeId>& ba, const Module& b,
                        const Order& ob, const std::vector<NodeId>& bb, const std::string& path) {
  for (size_t i = 0; i < ba.size() && i < bb.size(); ++i) {
    const Node& x = a.node(ba[i]);
    const Node& y = b.node(bb[i]);
    std::string here = fmt::format("{}[{}]", path, i);
    if (x.op != y.op) return fmt::format("{}: op {} against {}", here, x.op, y.op);
    here += " " + x.op;
    if (x.operands.size() != y.operands.size())
      return fmt::format("{}: {} operands against {}", here, x.operands.size(), y.operands.size());
    for (size_t k = 0; k < x.operands.size(); ++k)
      if (oa.of(x.operands[k].node) != ob.of(y.operands[k].node) || x.operands[k].result != y.operands[k].result)
        return fmt::format("{}: operand {} is %{} against %{}", here, k, x.operands[k].node, y.operands[k].node);
    for (const auto& [k, v] : x.attrs) {
      const Attr* w = find_attr(y.attrs, k);
      if (!w) return fmt::format("{}: attribute {} is missing on the right", here, k);
      if (to_string(v) != to_string(*w))
        return fmt::format("{}: attribute {} is {} against {}", here, k, to_string(v), to_string(*w));
    }
    for (const auto& [k, v] : y.attrs)
      if (!find_attr(x.attrs, k)) return fmt::format("{}: attribute {} is missing on the left", here, k);
    if (x.explicit_variant != y.explicit_variant || (x.explicit_variant && x.variant != y.variant))
      return fmt::format("{}: variant {} against {}", here, x.variant, y.variant);
    if (x.results.size() != y.results.size())
      return fmt::format("{}: {} results against {}", here, x.results.size(), y.results.size());
    for (size_t k = 0; k < x.results.size(); ++k)
      if (x.results[k] != y.results[k])
        return fmt::format("{}: result type {} against {}", here, to_string(*x.results[k]), to_string(*y.results[k]));
    if (x.regions.size() != y.regions.size())
      return fmt::format("{}: {} regions against {}", here, x.regions.size(), y.regions.size());
    for (size_t k = 0; k < x.regions.size(); ++k) {
      if (Mismatch r =
              compare_bodies(a, oa, x.regions[k].args, b, ob, y.regions[k].args, fmt::format("{}.args{}", here, k)))
        return r;
      if (Mismatch r =
              compare_bodies(a, oa, x.regions[k].body, b, ob, y.regions[k].body, fmt::format("{}.body{}", here, k)))
        return r;
    }
  }
  if (ba.size() != bb.size()) return fmt::format("{}: {} nodes against {}", path, ba.size(), bb.size());
  return std::nullopt;
}

}  // namespace

uint64_t structural_hash(const Module& module) {
  Order order(module);
  uint64_t h = mix(text_hash(module.target()), static_cast<uint64_t>(module.target_version()));
  for (const Function& f : module.functions()) h = hash_body(module, order, f.body, mix(h, text_hash(f.name)));
  return h;
}

std::optional<std::string> first_mismatch(const Module& a, const Module& b) {
  if (a.target() != b.target()) return fmt::format("target {} against {}", a.target(), b.target());
  if (a.target_version() != b.target_version())
    return fmt::format("target version {} against {}", a.target_version(), b.target_version());
  Order oa(a), ob(b);
  for (size_t i = 0; i < a.functions().size() && i < b.functions().size(); ++i) {
    const Function& f = a.functions()[i];
    const Function& g = b.functions()[i];
    if (f.name != g.name) return fmt::format("function @{} against @{}", f.name, g.name);
    if (Mismatch r = compare_bodies(a, oa, f.body, b, ob, g.body, "@" + f.name)) return r;
  }
  if (a.functions().size() != b.functions().size())
    return fmt::format("{} functions against {}", a.functions().size(), b.functions().size());
  return std::nullopt;
}

}  // namespace kumihimo
