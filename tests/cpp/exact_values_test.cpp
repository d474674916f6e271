// Values of single ops against a machine played by hand: elements are put at the points that their layout names, the
// units compute on what they hold, and the result is read at the points of its own layout.
#include <map>
#include <random>

#include "core/interp/compare.h"
#include "core/interp/interp.h"
#include "core/layout/algebra.h"
#include "targets/mncore2/num/alu.h"
#include "targets/mncore2/num/bf.h"
#include "targets/mncore2/num/dot.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/formats.h"
#include "targets/mncore2/num/rrn.h"
#include "tests/cpp/attention_program.h"

namespace kumihimo::testing {
namespace {

using namespace mncore2;

const MachineTree& tree() { return *target().tree; }

Tensor random_tensor(Dtype dtype, std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 3);
  RealTensor t{std::move(shape), {}};
  t.data.resize(static_cast<size_t>(element_count(t.shape)));
  for (double& v : t.data) v = dtype == Dtype::kBool ? normal(random) > 0 : normal(random);
  return from_real(*target().numerics, dtype, t);
}

// What the PEs hold: element bits by (levels, address, lane).
using Memory = std::map<std::vector<int64_t>, uint64_t>;

std::vector<int64_t> key(const Point& p) {
  std::vector<int64_t> k(p.at.begin(), p.at.end());
  k.push_back(p.address);
  return k;
}

template <class F>
void for_each_index(std::span<const int64_t> shape, F f) {
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t e = 0; e < element_count(shape); ++e) {
    f(e, index);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
}

Memory placed(const Tensor& t, const Type& type) {
  Memory m;
  for_each_index(t.shape, [&](int64_t e, const std::vector<int64_t>& index) {
    auto points = apply(*type.layout, tree(), t.bytes() * 8, index);
    EXPECT_TRUE(points.ok());
    for (const Point& p : *points) EXPECT_TRUE(m.emplace(key(p), t.get(e)).second);
  });
  return m;
}

// Every copy, partial copies included, must be what the memory holds.
int64_t expect_holds(const Memory& m, const Tensor& t, const Type& type) {
  int64_t points_seen = 0;
  const int64_t elements = element_count(t.shape);
  for_each_index(t.partial, [&](int64_t copy, const std::vector<int64_t>& partial) {
    for_each_index(t.shape, [&](int64_t e, const std::vector<int64_t>& index) {
      auto points = apply(*type.layout, tree(), t.bytes() * 8, index, partial);
      for (const Point& p : *points) {
        const auto it = m.find(key(p));
        ASSERT_NE(it, m.end()) << "no value at a point of the result";
        ASSERT_EQ(it->second, t.get(copy * elements + e)) << "partial " << copy << " element " << e;
        ++points_seen;
      }
    });
  });
  EXPECT_EQ(points_seen, live_points(*type.layout, tree(), t.bytes() * 8));
  return points_seen;
}

struct Program {
  Build b;
  TensorMap inputs;
  ValueId down(std::string_view name, std::string_view dtype, std::vector<int64_t> shape, std::string_view layout,
               uint32_t seed) {
    inputs.emplace(std::string(name), random_tensor(find_dtype(dtype)->dtype, shape, seed));
    return b.add("distribute_download", {b.tensor(name, dtype, shape, layout)});
  }
  std::map<ValueId, std::shared_ptr<const Tensor>> run() {
    auto r = run_exact(b.module(), b.main(), inputs, {.keep_values = true, .interrupt = {}});
    EXPECT_TRUE(r.ok()) << render_text(r.error());
    return r->values;
  }
};

uint64_t add32(uint64_t x, uint64_t y) { return num::add(num::Float::kSingle, x, y, num::Float::kSingle); }
uint64_t max32(uint64_t x, uint64_t y) { return num::alu(num::AluOp::kMax, num::Element::kSingle, false, x, y).value; }

uint64_t fold(std::vector<uint64_t> x, uint64_t (*op)(uint64_t, uint64_t)) {
  for (size_t n = x.size(); n > 1; n = (n + 1) / 2)
    for (size_t i = 0; i + (n + 1) / 2 < n; ++i) x[i] = op(x[i], x[i + (n + 1) / 2]);
  return x[0];
}

struct ReduceCase {
  std::vector<int64_t> shape;
  std::string layout;
  int64_t axis;
  bool keepdims;
};
class Reduce : public ::testing::TestWithParam<ReduceCase> {};

// Each unit folds the addresses at which it holds elements of one row; rows are told apart by the other dims' digits.
TEST_P(Reduce, FoldsWhatEachUnitHolds) {
  const ReduceCase& c = GetParam();
  for (const bool is_max : {true, false}) {
    Program p;
    const ValueId x = p.down("x", "single", c.shape, c.layout, 3);
    const ValueId y = p.b.add(is_max ? "reduce_max" : "reduce_sum", {x}, {{"axis", c.axis}, {"keepdims", c.keepdims}});
    auto values = p.run();
    const Tensor &in = *values.at(x), &out = *values.at(y);
    // Points of the input by unit, lane and index of the result; address points in the order of the reduced index.
    std::map<std::pair<std::vector<int64_t>, int64_t>, std::vector<uint64_t>> units;
    const auto dim = static_cast<size_t>(c.axis);
    for_each_index(in.shape, [&](int64_t e, const std::vector<int64_t>& index) {
      int64_t row = 0;
      for (size_t d = 0; d < index.size(); ++d)
        if (d != dim) row = row * in.shape[d] + index[d];
      auto points = apply(*p.b.type(x)->layout, tree(), 32, index);
      for (const Point& point : *points)
        units[{std::vector<int64_t>(point.at.begin(), point.at.end()), row}].push_back(in.get(e));
    });
    Memory m;
    const int64_t rows = element_count(out.shape);
    for_each_index(out.partial, [&](int64_t, const std::vector<int64_t>& partial) {
      for_each_index(out.shape, [&](int64_t e, const std::vector<int64_t>& index) {
        auto points = apply(*p.b.type(y)->layout, tree(), 32, index, partial);
        for (const Point& point : *points) {
          const auto it = units.find({std::vector<int64_t>(point.at.begin(), point.at.end()), e});
          ASSERT_NE(it, units.end());
          m[key(point)] = fold(it->second, is_max ? max32 : add32);
        }
      });
    });
    EXPECT_EQ(rows, element_count(in.shape) / in.shape[dim]);
    expect_holds(m, out, *p.b.type(y));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Reduce,
    ::testing::Values(ReduceCase{{8, 64}, "((4_PE:1, 2_W:1), (16_MAB:1, 4:1))", 1, true},
                      ReduceCase{{8, 40}, "((4_PE:1, 2_W:1), (8_MAB:2, 5:1); S@[2_MAB:1])", 1, false},
                      ReduceCase{{12, 16}, "((3:2, 4_PE:1), (2:1, 4_L1B:2, 2_W:1))", 0, false},
                      ReduceCase{{8, 12}, "((4_PE:1, 2_W:1), (12:1))", 1, true},
                      ReduceCase{{8, 2, 32},
                                 "((4_PE:1, 2_W:1), (2_L1B:4), (2_L2B:1, 2:8, 2_MAB:8, 4:2); S@[4_L2B:2, 8_MAB:1])",
                                 2,
                                 true},
                      ReduceCase{{8, 6}, "((4_PE:1, 2_W:1), (2:3, 3:1))", 1, false}));

TEST(Upload, AddsTheSixteenMabsOfEachL1b) {
  for (const bool is_max : {true, false}) {
    Program p;
    const ValueId x = p.down("x", "single", {8, 4, 32}, "((4_PE:1, 2_W:1), (4_L1B:2), (16_MAB:1, 2:1))", 5);
    const ValueId part = p.b.add(is_max ? "reduce_max" : "reduce_sum", {x}, {{"axis", int64_t{2}}});
    const ValueId up = p.b.add("reduce_upload", {part});
    const ValueId down = p.b.add("distribute_download", {up});
    auto values = p.run();
    const Tensor &in = *values.at(part), &out = *values.at(up);
    ASSERT_EQ(in.partial, (std::vector<int64_t>{16}));
    ASSERT_TRUE(out.partial.empty());
    for (int64_t e = 0; e < 32; ++e) {
      uint64_t second[4];
      for (int64_t g = 0; g < 4; ++g) {
        uint64_t four[4];
        for (int64_t i = 0; i < 4; ++i) four[i] = in.get((4 * g + i) * 32 + e);
        second[g] =
            is_max ? fold({four, four + 4}, max32) : num::fadd_node(num::Float::kSingle, four, num::Float::kSingle);
      }
      EXPECT_EQ(out.get(e), is_max ? fold({second, second + 4}, max32)
                                   : num::fadd_node(num::Float::kSingle, second, num::Float::kSingle));
    }
    EXPECT_EQ(values.at(down)->data, out.data);
  }
}

// Maxima may hold copies; a P digit on part of the MABs is read by its stride.
TEST(Upload, MaximaOfPartlyCopiedMabs) {
  Program p;
  const ValueId x = p.down("x", "single", {8, 8}, "((4_PE:1, 2_W:1), (4_MAB:4, 2:1))", 7);
  const ValueId part = p.b.add("reduce_max", {x}, {{"axis", int64_t{1}}});
  const ValueId up = p.b.add("reduce_upload", {part});
  auto values = p.run();
  ASSERT_EQ(values.at(part)->partial, (std::vector<int64_t>{4}));
  const RealTensor in = to_real(*target().numerics, p.inputs.at("x")),
                   out = to_real(*target().numerics, *values.at(up));
  for (size_t row = 0; row < 8; ++row)
    EXPECT_EQ(out.data[row], *std::max_element(in.data.begin() + 8 * row, in.data.begin() + 8 * row + 8));
}

// Operands meet at points: the result at a point is the operation on what both hold there.
TEST(Elementwise, WorksPointByPoint) {
  const std::string wide = "((2_L1B:4, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))";
  Program p;
  const ValueId x = p.down("x", "single", {32, 64}, wide, 11), y = p.down("y", "single", {32, 64}, wide, 12);
  const ValueId row = p.down("row", "single", {32, 1}, "((2_L1B:4, 4_PE:1, 2:1, 2_W:1), ())", 13);
  const ValueId condition = p.down("c", "bool_", {32, 64}, "((2_L1B:4, 4_PE:1, 4_W:1), (16_MAB:1, 4:1))", 14);
  const std::vector<std::tuple<std::string, ValueId, ValueId>> cases{{"add", x, y}, {"sub", x, y},   {"mul", x, y},
                                                                     {"max", x, y}, {"sub", x, row}, {"mul", row, x}};
  std::vector<ValueId> results;
  for (const auto& [op, a, b] : cases) results.push_back(p.b.add(op, {a, b}));
  const ValueId chosen = p.b.add("where", {condition, x, p.b.immediate(-2.5)});
  auto values = p.run();
  auto scalar = [](const std::string& op, uint64_t a, uint64_t b) {
    using num::Float;
    if (op == "add") return add32(a, b);
    if (op == "sub") return add32(a, b ^ 0x80000000u);
    if (op == "mul") return num::mul(Float::kSingle, a, b, Float::kSingle);
    return max32(a, b);
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const auto& [op, a, b] = cases[i];
    const Type& type = *p.b.type(results[i]);
    EXPECT_EQ(
        to_string(type),
        "single " + std::string("(32,64)/((2_L1B:4, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2); B@[L2B, 4_L1B:1])@GRF"));
    for (int64_t e = 0; e < 32 * 64; ++e) {
      auto bits = [&](ValueId v) { return values.at(v)->get(values.at(v)->shape[1] == 1 ? e / 64 : e); };
      ASSERT_EQ(values.at(results[i])->get(e), scalar(op, bits(a), bits(b))) << op << " " << e;
    }
  }
  for (int64_t e = 0; e < 32 * 64; ++e)
    ASSERT_EQ(values.at(chosen)->get(e), values.at(condition)->get(e) != 0 ? values.at(x)->get(e) : 0xc0200000u);
}

// A mask of halves and singles meet in the lanes: each half lies where its single does.
TEST(Elementwise, MaskLanesAreThoseOfSingles) {
  Program p;
  const ValueId x = p.down("x", "single", {32, 64}, "((2_L1B:4, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))", 1);
  const ValueId c = p.down("c", "bool_", {32, 64}, "((2_L1B:4, 4_PE:1, 4_W:1), (16_MAB:1, 4:1))", 2);
  p.b.add("where", {c, x, x});
  for (int64_t i : {0, 5, 31})
    for (int64_t j : {0, 17, 63}) {
      const int64_t index[] = {i, j};
      auto single = apply(*p.b.type(x)->layout, tree(), 32, index),
           half = apply(*p.b.type(c)->layout, tree(), 16, index);
      ASSERT_EQ(single->size(), half->size());
      const auto w = static_cast<size_t>(tree().find_axis("W"));
      for (size_t k = 0; k < single->size(); ++k) {
        const Point &s = (*single)[k], &h = (*half)[k];
        EXPECT_EQ(2 * s.address + s.at[w], 4 * h.address + h.at[w]);
        for (size_t a = 0; a < w; ++a) EXPECT_EQ(s.at[a], h.at[a]);
      }
    }
}

TEST(Format, CastsRoundOnceAndKeepLanes) {
  Program p;
  const ValueId x = p.down("x", "single", {64, 16}, "((16_MAB:1, 4:2), (4_PE:1, 2:1, 2_W:1))", 21);
  const ValueId half = p.b.add("cast", {x}, {{"dtype", std::string("half")}});
  const ValueId back = p.b.add("cast", {half}, {{"dtype", std::string("single")}});
  EXPECT_EQ(p.b.text(half), "half (64,16)/((16_MAB:1, 4:1), (4_PE:1, 4_W:1); B@[L2B, L1B])@GRF");
  EXPECT_EQ(p.b.text(back), "single (64,16)/((16_MAB:1, 4:2), (4_PE:1, 2:1, 2_W:1); B@[L2B, L1B])@GRF");
  Tensor& in = p.inputs.at("x");
  in.set(0, 0x80000000u);  // -0
  in.set(1, 0x7f000000u);  // beyond the halves
  in.set(2, 0xff800000u);  // -inf
  auto values = p.run();
  EXPECT_EQ(values.at(half)->get(0), 0u);
  EXPECT_EQ(values.at(half)->get(1), num::kHalf.inf(false));
  EXPECT_EQ(values.at(half)->get(2), num::kHalf.inf(true));
  for (int64_t e = 3; e < in.count(); ++e) {
    ASSERT_EQ(values.at(half)->get(e), num::from_double(num::kHalf, num::to_double(num::kSingle, in.get(e))));
    ASSERT_EQ(num::to_double(num::kSingle, values.at(back)->get(e)),
              num::to_double(num::kHalf, values.at(half)->get(e)));
  }
}

// A block is what four PEs of a MAB hold in four lanes at one address.
TEST(Format, BlocksAreTheLanesOfFourPes) {
  Program p;
  const ValueId x = p.down("x", "half", {64, 8}, "((2:1, 2:8, 4_PE:1, 4_W:1), (2_MAB:8, 4:2))", 31);
  const ValueId y = p.b.add("bf", {x});
  EXPECT_EQ(p.b.type(y)->block, "4_PE*4_W");
  auto values = p.run();
  const Memory in = placed(*values.at(x), *p.b.type(x));
  const auto pe = static_cast<size_t>(tree().find_axis("PE")), w = static_cast<size_t>(tree().find_axis("W"));
  Memory out;
  for (const auto& [point, bits] : in) {
    std::array<uint16_t, 16> block;
    std::vector<int64_t> member = point;
    for (int64_t j = 0; j < 16; ++j) {
      member[pe] = j / 4;
      member[w] = j % 4;
      block[static_cast<size_t>(j)] = static_cast<uint16_t>(in.at(member));
    }
    num::hbfn(block.data(), block.data());
    out[point] = block[static_cast<size_t>(point[pe] * 4 + point[w])];
  }
  EXPECT_EQ(expect_holds(out, *values.at(y), *p.b.type(y)), 64 * 8 * 8 * 8 * 8);  // copies: L2B, L1B, 8 of MAB
}

// The chain runs in the order of addresses, also where that is not the order of indices. Blocks of different magnitudes
// make the order visible: sums of halves alone are often exact in singles.
TEST(Linear, ChainFollowsTheAddresses) {
  for (const auto& [blocks, order] :
       {std::pair{std::string("4:1"), std::array<int64_t, 4>{0, 1, 2, 3}}, {"2:1, 2:2", {0, 2, 1, 3}}}) {
    Program p;
    ValueId side[2];
    for (int i = 0; i < 2; ++i) {
      const std::string name = i == 0 ? "x" : "w";
      side[i] = p.b.add("bf", {p.down(name, "half", {16, 64}, "((16:4), (" + blocks + ", 4_PE:1, 4_W:1))",
                                      41 + static_cast<uint32_t>(i))});
      RealTensor real = to_real(*target().numerics, p.inputs.at(name));
      constexpr int kScale[] = {6, 0, 1, -1};
      for (size_t e = 0; e < real.data.size(); ++e) real.data[e] = std::ldexp(real.data[e], kScale[e % 64 / 16]);
      p.inputs.at(name) = from_real(*target().numerics, Dtype::kHalf, real);
    }
    const ValueId y = p.b.add("linear", {side[0], side[1]});
    auto values = p.run();
    const Tensor &x = *values.at(side[0]), &w = *values.at(side[1]);
    int64_t order_shows = 0;
    for (int64_t i = 0; i < 16; ++i)
      for (int64_t j = 0; j < 16; ++j) {
        auto chain = [&](const std::array<int64_t, 4>& in_order) {
          uint64_t sum = 0;
          for (int64_t k : in_order) {
            uint64_t a[16], b[16];
            for (int64_t m = 0; m < 16; ++m) a[m] = x.get(i * 64 + k * 16 + m), b[m] = w.get(j * 64 + k * 16 + m);
            sum = num::matrix_dot(num::Block::kHalf, a, b, sum, num::Float::kSingle);
          }
          return sum;
        };
        ASSERT_EQ(values.at(y)->get(i * 16 + j), chain(order));
        order_shows += chain({0, 1, 2, 3}) != chain({0, 2, 1, 3});
      }
    EXPECT_GT(order_shows, 0) << "both orders give the same bits everywhere: the test sees nothing";
  }
}

// Stationary x or w: other placement, same bits.
TEST(Linear, StationaryOperandDoesNotChangeBits) {
  Program p;
  const std::string rows = "((4:64, 16:1), (4:16, 4_PE:1, 4_W:1))";
  const ValueId x = p.b.add("bf", {p.down("x", "half", {64, 64}, rows, 51)}),
                w = p.b.add("bf", {p.down("w", "half", {64, 64}, rows, 52)});
  const ValueId by_x = p.b.add("linear", {x, w}, {{"stationary", std::string("x")}}),
                by_w = p.b.add("linear", {x, w}, {{"stationary", std::string("w")}});
  auto values = p.run();
  EXPECT_EQ(values.at(by_x)->data, values.at(by_w)->data);
  EXPECT_NE(p.b.type(by_x), p.b.type(by_w));
  EXPECT_EQ(p.b.text(by_w), "single (64,64)/((4:32, 16:2), (4:128, 4_PE:1, 2:1, 2_W:1); B@[L2B, L1B, MAB])@LM");
}

TEST(Inputs, AreChecked) {
  Program p;
  const ValueId x = p.down("x", "single", {8, 2}, "((4_PE:1, 2_W:1), (2:1))", 1);
  p.b.output(x, "out");
  auto fails = [&](const TensorMap& inputs) {
    auto r = run_exact(p.b.module(), p.b.main(), inputs);
    EXPECT_FALSE(r.ok());
    return r ? std::string() : std::string(r.error().def->name);
  };
  EXPECT_EQ(fails({}), "run_missing_input");
  TensorMap wrong = p.inputs;
  wrong.at("x") = random_tensor(Dtype::kSingle, {2, 8}, 1);
  EXPECT_EQ(fails(wrong), "run_input_shape");
  wrong = p.inputs;
  wrong.emplace("z", p.inputs.at("x"));
  EXPECT_EQ(fails(wrong), "run_unknown_input");
  auto interrupted =
      run_exact(p.b.module(), p.b.main(), p.inputs, {.keep_values = false, .interrupt = [] { return true; }});
  ASSERT_FALSE(interrupted.ok());
  EXPECT_EQ(interrupted.error().def->name, "run_interrupted");
}

// The error classes say no to what is outside.
TEST(ErrorClasses, RefuseWhatIsOutside) {
  const Numerics& n = *target().numerics;
  const Spacing single = spacing_of(n, Dtype::kSingle);
  EXPECT_EQ(single.fraction_bits, 23);
  EXPECT_EQ(single.smallest, 0x1p-126);
  EXPECT_EQ(single.at(1.5), 0x1p-23);
  const RealTensor want{{3}, {1, -2, 0x1p-130}};
  EXPECT_EQ(worst_e1({{3}, {1 + 4 * 0x1p-23, -2, 0}}, want, single, 4).ratio, 1);
  EXPECT_GT(worst_e1({{3}, {1 + 5 * 0x1p-23, -2, 0}}, want, single, 4).ratio, 1);
  EXPECT_EQ(worst_e1({{3}, {1, 2, 0}}, want, single, 4).element, 1);
  EXPECT_GT(worst_e1({{1}, {INFINITY}}, {{1}, {1e38}}, single, 4).ratio, 1e6);
  EXPECT_EQ(worst_e1({{1}, {INFINITY}}, {{1}, {1e39}}, single, 4).ratio, 0);

  EXPECT_EQ(worst({{2}, {1, INFINITY}}, {{2}, {1, INFINITY}}, {{2}, {0, 0}}).ratio, 0);
  EXPECT_EQ(worst({{1}, {1}}, {{1}, {2}}, {{1}, {0}}).ratio, INFINITY);
  EXPECT_EQ(worst({{2}, {1, 2}}, {{2}, {1.5, 2}}, {{2}, {0.25, 1}}).ratio, 2);

  // Two blocks of two: 2^-9 (3 * 5 + 4 * 4 + 6 * 1 + 0.5 * 6).
  const RealTensor x{{1, 4}, {1, -3, 6, 0}}, w{{1, 4}, {4, 1, 0.5, -0.5}};
  EXPECT_EQ(linear_sum_abs(x, w).data[0], 4 + 3 + 3 + 0);
  EXPECT_EQ(linear_block_term(x, w, 2, 9).data[0], (3 * 5 + 4 * 4 + 6 * 1 + 0.5 * 6) / 512);
  EXPECT_EQ(bound_e2({{1}, {8}}, {{1}, {10}}, 4, 0.5, 0.25, 1).data[0], 4 * 0.5 * 10 + 0.25 * 8);

  Tensor a = random_tensor(Dtype::kSingle, {4}, 1), b = a;
  a.set(2, 0), b.set(2, 0x80000000u);
  EXPECT_EQ(compare_bits(n, a, b).mismatches, 0);
  b.set(3, b.get(3) ^ 1);
  const Difference d = compare_bits(n, a, b);
  EXPECT_EQ(d.compared, 4);
  EXPECT_EQ(d.mismatches, 1);
  EXPECT_EQ(d.first, 3);
}

}  // namespace
}  // namespace kumihimo::testing
