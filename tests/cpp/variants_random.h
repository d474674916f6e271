// Random programs for tests: layouts of random digits on all axes, ops on operands drawn from what was accepted.
//
// Most applications are refused. Half of the programs begin with a contraction, so that there is something to go on
// with. Equal seeds give equal programs.
#pragma once

#include <map>
#include <random>

#include "core/interp/interp.h"
#include "core/layout/algebra.h"
#include "core/layout/query.h"
#include "core/layout/text.h"
#include "tests/cpp/attention_program.h"

namespace kumihimo::testing {

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  int64_t pick(std::initializer_list<int64_t> from) {
    return *(from.begin() + below(static_cast<int64_t>(from.size())));
  }
  int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  std::vector<int64_t> shape() {
    std::vector<int64_t> out(static_cast<size_t>(pick({1, 2, 2, 2, 3})));
    for (int64_t& e : out) e = pick({1, 2, 4, 5, 8, 16, 32, 64});
    return out;
  }

  // Digits of 2 and 4, inner to outer, each on an axis that still has room or on addresses.
  std::string layout(const std::vector<int64_t>& shape, int bits) {
    std::map<std::string, std::pair<int64_t, int64_t>> room{
        {"L2B", {8, 1}}, {"L1B", {8, 1}}, {"MAB", {16, 1}}, {"PE", {4, 1}}, {"W", {64 / bits, 1}}};
    int64_t address = 1;
    std::string out = ")";
    for (size_t d = shape.size(); d-- > 0;) {
      std::string dim;
      for (int64_t left = shape[d]; left > 1;) {
        int64_t n = left % 4 == 0 && below(3) != 0 ? 4 : 2;
        if (left == 5) n = below(2) != 0 ? 5 : 8;  // 8 pads
        static const char* const kAxes[] = {"L2B", "L1B", "MAB", "PE", "W", ""};
        // Half of the time the inner digits are those that contractions want.
        std::string axis = kAxes[below(6)];
        if (d + 1 == shape.size() && dim.empty() && below(2) != 0) axis = "W", n = std::min<int64_t>(n, 64 / bits);
        if (axis.empty() || room[axis].second * n > room[axis].first) {
          dim = std::to_string(n) + ":" + std::to_string(address) + (dim.empty() ? "" : ", ") + dim;
          address *= n;
        } else {
          dim = std::to_string(n) + "_" + axis + ":" + std::to_string(room[axis].second) + (dim.empty() ? "" : ", ") +
                dim;
          room[axis].second *= n;
        }
        left = n >= left ? 1 : left / n;
      }
      out = "(" + dim + ")" + (d + 1 == shape.size() ? "" : ", ") + out;
    }
    static const char* const kPad[] = {"", "; pad=0", "; pad=-inf", "; pad=any"};
    if (below(4) == 0) out.insert(out.size() - 1, kPad[below(4)]);
    return "(" + out;
  }

 private:
  std::mt19937_64 random_;
};

inline Tensor random_input(Generator& g, const Type& type) {
  Tensor t =
      Tensor::zeros(type.dtype, type.shape, partial_extents(*type.layout, *type.tree, dtype_def(type.dtype).bits));
  for (int64_t e = 0; e < t.count(); ++e)
    t.set(e, type.dtype == Dtype::kBool
                 ? static_cast<uint64_t>(g.below(2))
                 : mncore2::target().numerics->encode(type.dtype, static_cast<double>(g.below(2001) - 1000) / 64));
  return t;
}

struct Tally {
  std::map<std::string, int> accepted, refused;
  int fixes = 0;
};

// Adds applications to the program, accepted or not, and values for its inputs.
inline void random_program(Build& b, TensorMap& inputs, uint32_t seed, Tally& tally) {
  Generator g(seed);
  std::vector<ValueId> values{b.immediate(0.5)};
  auto attempt = [&](const std::string& op, std::vector<ValueId> operands, AttrMap attrs) {
    auto v = b.try_apply(op, std::move(operands), std::move(attrs));
    if (v) {
      ++tally.accepted[op];
      values.push_back(*v);
      return true;
    }
    ++tally.refused[op];
    const Diagnostic& d = v.error();
    EXPECT_NE(d.def, nullptr);
    EXPECT_NE(d.def->name, "unregistered_code") << render_text(d);
    EXPECT_FALSE(render_json(d).empty());
    EXPECT_FALSE(d.observed.empty() && d.headline.empty()) << render_text(d);
    for (const Fix& f : d.fixes) EXPECT_TRUE(f.verified);
    tally.fixes += static_cast<int>(d.fixes.size());
    return false;
  };
  const std::vector<int64_t> shape = g.shape();
  for (int i = 0; i < 3; ++i) {
    const char* dtype = g.below(3) == 0 ? "bool_" : g.below(2) == 0 ? "half" : "single";
    std::vector<int64_t> own = shape;
    if (g.below(3) == 0) own[static_cast<size_t>(g.below(static_cast<int64_t>(own.size())))] = 1;
    const std::string name = "t" + std::to_string(i);
    if (attempt("tensor", {}, Build::tensor_attrs(name, dtype, own, g.layout(own, find_dtype(dtype)->bits))))
      inputs.emplace(name, random_input(g, *b.type(values.back())));
  }
  // Half of the programs begin like an attention kernel with random numbers, some of which do not fit.
  if (g.below(2) == 0) {
    const int64_t blocks = g.pick({1, 2, 3, 4}), level = g.pick({1, 2}), tiles = g.pick({1, 1, 2}),
                  rows = g.pick({2, 4, 4, 8});
    const int64_t m = level * tiles * 16, n = 16 * rows, k = blocks * 16;
    auto digit = [](int64_t e, const std::string& rest) {
      return e == 1 ? std::string() : std::to_string(e) + rest + ", ";
    };
    const std::string block = digit(blocks, ":" + std::to_string(16 * tiles)) + "4_PE:1, 4_W:1";
    const std::string stay = "((" + digit(level, "_L1B:1") + digit(tiles, ":16") + "16:1), (" + block + "))";
    const std::string pass = "((16_MAB:1, " + std::to_string(rows) + ":1), (" +
                             digit(blocks, ":" + std::to_string(rows)) + "4_PE:1, 4_W:1))";
    auto down = [&](const std::string& name, const char* dtype, std::vector<int64_t> extents,
                    const std::string& layout) {
      if (!attempt("tensor", {}, Build::tensor_attrs(name, dtype, std::move(extents), layout))) return false;
      inputs.emplace(name, random_input(g, *b.type(values.back())));
      return attempt("distribute_download", {values.back()}, {});
    };
    if (down("q", "half", {m, k}, stay) && attempt("bf", {values.back()}, {})) {
      const ValueId q = values.back();
      if (down("k", "half", {n, k}, pass) && attempt("bf", {values.back()}, {}) &&
          attempt("linear", {q, values.back()}, {{"stationary", std::string(g.below(8) != 0 ? "x" : "w")}})) {
        const ValueId s = values.back();
        auto mask = recast(*b.type(s)->layout, *b.type(s)->tree, 32, 16);
        if (mask &&
            down("mask", "bool_", {m, n}, print_dims(pack_addresses(*mask, *b.type(s)->tree), *b.type(s)->tree)))
          attempt("where", {values.back(), s, values[0]}, {});
        if (attempt(g.below(2) != 0 ? "reduce_max" : "reduce_sum", {s}, {{"axis", int64_t{-1}}, {"keepdims", true}}) &&
            attempt("reduce_upload", {values.back()}, {}) && attempt("distribute_download", {values.back()}, {}))
          attempt("sub", {s, values.back()}, {});
      }
    }
  }
  auto any = [&] { return values[static_cast<size_t>(g.below(static_cast<int64_t>(values.size())))]; };
  for (int i = 0; i < 14; ++i) {
    static const char* const kOps[] = {"distribute_download",
                                       "distribute_download",
                                       "broadcast_download",
                                       "unicast_download",
                                       "reduce_upload",
                                       "relayout",
                                       "bf",
                                       "bf",
                                       "cast",
                                       "linear",
                                       "add",
                                       "sub",
                                       "mul",
                                       "max",
                                       "where",
                                       "exp",
                                       "reduce_max",
                                       "reduce_sum"};
    const OpDef& op = *find_op(kOps[g.below(static_cast<int64_t>(std::size(kOps)))]);
    std::vector<ValueId> operands;
    for (size_t k = 0; k < op.operands.size(); ++k) operands.push_back(any());
    AttrMap attrs;
    if (op.category == "reduce") attrs = {{"axis", -1 + g.below(2) * g.below(2)}, {"keepdims", g.below(2) != 0}};
    if (op.name == "cast") attrs = {{"dtype", std::string(g.below(2) != 0 ? "half" : "single")}};
    if (op.name == "linear") attrs = {{"stationary", std::string(g.below(2) != 0 ? "x" : "w")}};
    if (op.name == "relayout") {
      TypeRef t = b.type(operands[0]);
      attrs = {{"layout", t->placed() ? print_layout(pack_addresses(*t->layout, *t->tree), *t->tree) : "()"}};
    }
    if (op.move && op.name != "relayout" && g.below(3) == 0) {
      static const char* const kTo[] = {"L2BM", "L1BM", "LM", "LM0", "GRF", "T", "DRAM", "GRF9"};
      attrs = {{"to", std::string(kTo[g.below(8)])}};
    }
    // Whole paths are rarely named level by level; the first hops are.
    if (op.name == "unicast_download" && g.below(2) != 0)
      attrs = {{"to", std::string(g.below(2) != 0 ? "L2BM" : "L1BM")}};
    attempt(std::string(op.name), operands, attrs);
  }
}

}  // namespace kumihimo::testing
