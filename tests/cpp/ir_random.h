// Random programs of all three levels for tests of the IR: any op names, operands of earlier values in scope, nested
// regions, every kind of attribute, hostile strings. They are structurally right and mean nothing.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::testing {

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : rng_(seed), tree_(&mncore2::find_machine("mncore2")->tree) {}

  Module make() {
    Module m("mncore2", 1, tree_);
    const int functions = pick(1, 3);
    for (int f = 0; f < functions; ++f) {
      const std::string name = f == 0 ? "main" : "f." + std::to_string(f);
      m.add_function(name);
      values_.clear();
      std::vector<NodeId> list = body(m, 0, pick(0, 12));
      m.functions().back().body = std::move(list);
    }
    return m;
  }

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(rng_); }

  std::string text() {
    static const std::vector<std::string> kPieces = {"a", "\"",    "\\", "\n", "\t", "\x01",    "\x7f",     "ö",  "≤",
                                                     "𝛼", " loc(", ";",  ")",  "(",  "}",       "# ",       "%1", "@f",
                                                     "=", ",",     "é",  "{",  "…",  " block=", "variant=", "do", "]"};
    std::string out;
    for (int i = pick(0, 6); i > 0; --i)
      out += kPieces[static_cast<size_t>(pick(0, static_cast<int>(kPieces.size()) - 1))];
    return out;
  }

 private:
  std::vector<NodeId> body(Module& m, int depth, int count) {
    std::vector<NodeId> out;
    for (int i = 0; i < count; ++i) {
      Node n;
      n.op = pick_name();
      for (int k = values_.empty() ? 0 : pick(0, 3); k > 0; --k)
        n.operands.push_back(values_[static_cast<size_t>(pick(0, static_cast<int>(values_.size()) - 1))]);
      for (int k = pick(0, 3); k > 0; --k) n.attrs["k" + std::to_string(k) + (k == 2 ? ".x" : "")] = attr();
      if (pick(0, 3) == 0) {
        n.variant = "target.variant" + text();
        n.explicit_variant = pick(0, 1) == 0;
      }
      if (depth < 3 && pick(0, 4) == 0)
        for (int r = pick(1, 2); r > 0; --r) {
          Region region;
          const size_t mark = values_.size();
          for (int k = pick(0, 2); k > 0; --k) {
            Node a;
            a.op = "arg";
            a.results = {type()};
            a.where = {"args.py", 1, 2, 3, ""};
            NodeId id = m.add_node(std::move(a));
            values_.push_back({id, 0});
            region.args.push_back(id);
          }
          region.body = body(m, depth + 1, pick(0, 4));
          values_.resize(mark);
          n.regions.push_back(std::move(region));
        }
      for (int k = pick(0, 2); k > 0; --k) n.results.push_back(type());
      n.where = {text() + "f.py", static_cast<uint32_t>(pick(1, 100000)), static_cast<uint32_t>(pick(0, 300)),
                 static_cast<uint32_t>(pick(0, 300)), ""};
      const uint32_t results = static_cast<uint32_t>(n.results.size());
      NodeId id = m.add_node(std::move(n));
      for (uint32_t r = 0; r < results; ++r) values_.push_back({id, r});
      out.push_back(id);
    }
    return out;
  }

  std::string pick_name() {
    static const char* kNames[] = {"add",  "tensor", "loop", "mncore2.fvfma", "_x9", "inf", "true",
                                   "none", "region", "do",   "arg",           "func"};
    return kNames[pick(0, 11)];
  }

  Attr attr() {
    switch (pick(0, 7)) {
      case 0: return int64_t{pick(-5, 5)};
      case 1: return std::numeric_limits<int64_t>::min() + pick(0, 1);
      case 2: return pick(0, 1) == 0;
      case 3: return text();
      case 4: {
        std::vector<int64_t> list;
        for (int i = pick(0, 4); i > 0; --i) list.push_back(pick(-100, 100));
        return list;
      }
      case 5: {
        static const double kSpecial[] = {0.0,
                                          -0.0,
                                          1.0,
                                          -2.0,
                                          1e300,
                                          5e-324,
                                          0.1,
                                          1e22,
                                          123456789.0,
                                          std::numeric_limits<double>::infinity(),
                                          -std::numeric_limits<double>::infinity(),
                                          std::numeric_limits<double>::quiet_NaN()};
        return kSpecial[pick(0, 11)];
      }
      case 6: {
        uint64_t bits = (static_cast<uint64_t>(rng_()) << 32) ^ rng_();
        double v;
        static_assert(sizeof v == sizeof bits);
        std::memcpy(&v, &bits, sizeof v);
        return std::isnan(v) ? Attr(1.5) : Attr(v);
      }
      default: return std::numeric_limits<int64_t>::max();
    }
  }

  TypeRef type() {
    const Dtype dtype = all_dtypes()[static_cast<size_t>(pick(0, static_cast<int>(all_dtypes().size()) - 1))].dtype;
    switch (pick(0, 3)) {
      case 0: {
        std::vector<int64_t> shape;
        for (int i = pick(0, 3); i > 0; --i) shape.push_back(pick(1, 4096));
        return logical_type(dtype, std::move(shape));
      }
      case 1: return immediate_type(dtype);
      case 2: {
        Type t;
        t.level = TypeLevel::kMachine;
        t.memory = pick(0, 1) == 0 ? "GRF0" : "LM1";
        t.width = pick(0, 1) == 0 ? "ll" : "w";
        t.addr = {pick(0, 255), pick(0, 255), pick(0, 255), pick(0, 255)};
        return intern(std::move(t));
      }
      default: {
        static const char* kLayouts[] = {
            "(64)/((16_MAB:1, 4:1))",
            "(3,5)/((4_L2B:2), (2:4, 4_PE:1); B@[MAB]; pad=any)",
            "(16,2)/((16:1), (2_PE:1); P+@[MAB]; pad=0)",
            "(1)/((); S@[L1B])",
        };
        LayoutContext context;
        context.tree = tree_;
        const DtypeDef& def = dtype_def(dtype);
        context.bits = def.bits;
        auto parsed = parse_layout(kLayouts[pick(0, 3)], context);
        return placed_type(dtype, parsed->layout, tree_, pick(0, static_cast<int>(tree_->locations.size()) - 1),
                           def.is_block && pick(0, 1) ? "4_PE*4_W" : "");
      }
    }
  }

  std::mt19937 rng_;
  const MachineTree* tree_;
  std::vector<ValueId> values_;
};

}  // namespace kumihimo::testing
