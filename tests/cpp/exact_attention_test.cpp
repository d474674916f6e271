// The attention kernel through the exact interpreter: against loops written here from the machine's rules, and against
// float64 within the error classes of the numerics contract.
#include <chrono>
#include <cmath>
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

const Numerics& numerics_of_target() { return *target().numerics; }

Tensor random_halves(std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, 1.5);
  RealTensor t{std::move(shape), {}};
  t.data.resize(static_cast<size_t>(element_count(t.shape)));
  for (double& v : t.data) v = normal(random);
  return from_real(numerics_of_target(), Dtype::kHalf, t);
}

// Causal and cut at `live` tokens; the first key of padded rows stays visible, so that no row is empty.
Tensor causal_mask(int64_t t, int64_t live) {
  Tensor m = Tensor::zeros(Dtype::kBool, {t, t});
  for (int64_t i = 0; i < t; ++i)
    for (int64_t j = 0; j < t; ++j) m.set(i * t + j, i < live ? j <= i : j == 0);
  return m;
}

struct Ran {
  Attention program;
  TensorMap inputs;
  ExactRun exact;
  explicit Ran(int64_t t) : program(t) {
    const AttentionLayouts& a = program.layouts;
    inputs.emplace("q", random_halves({a.kv, a.r, t, a.d}, 1));
    inputs.emplace("k", random_halves({a.kv, 1, t, a.d}, 2));
    inputs.emplace("mask", causal_mask(t, t - 7));
    auto run = run_exact(program.b.module(), program.b.main(), inputs, {.keep_values = true, .interrupt = {}});
    EXPECT_TRUE(run.ok()) << render_text(run.error());
    exact = std::move(*run);
  }
  const Tensor& value(ValueId v) const { return *exact.values.at(v); }
  RealTensor real(ValueId v) const { return to_real(numerics_of_target(), value(v)); }
};

class ExactAttention : public ::testing::TestWithParam<int64_t> {};

// Blocks and the chain from the generic integer paths, element by element.
TEST_P(ExactAttention, ScoresAreTheChainOfHalfBlocks) {
  const int64_t t = GetParam();
  Ran ran(t);
  const Tensor &q = ran.inputs.at("q"), &k = ran.inputs.at("k"), &s = ran.value(ran.program.scores);
  auto block = [](const Tensor& x, int64_t row, int64_t kb) {
    std::array<uint16_t, 16> in;
    for (int64_t j = 0; j < 16; ++j) in[static_cast<size_t>(j)] = static_cast<uint16_t>(x.get(row * 64 + kb * 16 + j));
    num::hbfn(in.data(), in.data());
    std::array<uint64_t, 16> out;
    std::copy(in.begin(), in.end(), out.begin());
    return out;
  };
  int64_t compared = 0;
  for (int64_t g = 0; g < 3; ++g)
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t i = 0; i < t; i += 5)
        for (int64_t j = 0; j < t; j += 3) {
          uint64_t sum = 0;
          for (int64_t kb = 0; kb < 4; ++kb)
            sum = num::matrix_dot(num::Block::kHalf, block(q, (g * 3 + r) * t + i, kb).data(),
                                  block(k, g * t + j, kb).data(), sum, num::Float::kSingle);
          ASSERT_EQ(s.get(((g * 3 + r) * t + i) * t + j), sum) << g << " " << r << " " << i << " " << j;
          ++compared;
        }
  EXPECT_GT(compared, 2000);
}

TEST_P(ExactAttention, ScaleMaskAndMaximumAreElementOperations) {
  const int64_t t = GetParam();
  Ran ran(t);
  const Tensor &s = ran.value(ran.program.scores), &scaled = ran.value(ran.program.scaled),
               &masked = ran.value(ran.program.masked);
  for (int64_t e = 0; e < s.count(); ++e) {
    ASSERT_EQ(scaled.get(e), num::mul(num::Float::kSingle, s.get(e), 0x3e000000, num::Float::kSingle));
    const bool visible = ran.inputs.at("mask").get(e % (t * t)) != 0;
    ASSERT_EQ(masked.get(e), visible ? scaled.get(e) : 0xff800000u);
  }
  // Each MAB holds the maximum of its own t / 16 keys.
  const Tensor& partial = ran.value(ran.program.partial_max);
  ASSERT_EQ(partial.partial, (std::vector<int64_t>{16}));
  ASSERT_EQ(partial.shape, (std::vector<int64_t>{3, 3, t, 1}));
  const RealTensor real_masked = ran.real(ran.program.masked), real_partial = ran.real(ran.program.partial_max),
                   top = ran.real(ran.program.maximum);
  for (int64_t row = 0; row < 9 * t; ++row) {
    double all = -INFINITY;
    for (int64_t m = 0; m < 16; ++m) {
      double own = -INFINITY;
      for (int64_t j = 0; j < t / 16; ++j)
        own = std::max(own, real_masked.data[static_cast<size_t>(row * t + m * (t / 16) + j)]);
      ASSERT_EQ(real_partial.data[static_cast<size_t>(m * 9 * t + row)], own);
      all = std::max(all, own);
    }
    ASSERT_EQ(top.data[static_cast<size_t>(row)], all);
  }
}

// Addresses first, then the two levels of the network: the order is part of the value.
TEST_P(ExactAttention, SumFollowsTheStatedTree) {
  const int64_t t = GetParam(), own = t / 16;
  Ran ran(t);
  const Tensor &e = ran.value(ran.program.e), &sum = ran.value(ran.program.sum);
  for (int64_t row = 0; row < 9 * t; ++row) {
    std::array<uint64_t, 16> mab;
    for (int64_t m = 0; m < 16; ++m) {
      auto at = [&](int64_t j) { return e.get(row * t + m * own + j); };
      auto add = [](uint64_t x, uint64_t y) { return num::add(num::Float::kSingle, x, y, num::Float::kSingle); };
      auto four = [&](uint64_t a, uint64_t b, uint64_t c, uint64_t d) { return add(add(a, c), add(b, d)); };
      mab[static_cast<size_t>(m)] =
          own == 4 ? four(at(0), at(1), at(2), at(3))
                   : four(add(at(0), at(4)), add(at(1), at(5)), add(at(2), at(6)), add(at(3), at(7)));
    }
    std::array<uint64_t, 4> second;
    for (size_t g = 0; g < 4; ++g) second[g] = num::fadd_node(num::Float::kSingle, &mab[4 * g], num::Float::kSingle);
    ASSERT_EQ(sum.get(row), num::fadd_node(num::Float::kSingle, second.data(), num::Float::kSingle)) << row;
  }
}

TEST_P(ExactAttention, StaysInsideTheErrorClasses) {
  const int64_t t = GetParam();
  Ran ran(t);
  const Numerics& n = numerics_of_target();
  auto reference =
      run_reference(ran.program.b.module(), ran.program.b.main(), ran.inputs, {.keep_values = true, .interrupt = {}});
  ASSERT_TRUE(reference.ok()) << render_text(reference.error());
  const Spacing single = spacing_of(n, Dtype::kSingle);
  EXPECT_EQ(single.unit(), std::ldexp(1, -24));
  EXPECT_EQ(spacing_of(n, Dtype::kHalf).unit(), std::ldexp(1, -10));

  // Scores: E3, u of singles, blocks of 16 with 9 bits.
  const RealTensor q = to_real(n, ran.inputs.at("q")), k = to_real(n, ran.inputs.at("k"));
  const RealTensor& want = reference->outputs.at("scores");
  const RealTensor e2 = bound_e2(want, linear_sum_abs(q, k), 64, single.unit(), single.unit(), 1);
  const RealTensor e3 = bound_e3(e2, linear_block_term(q, k, 16, 9));
  const WorstError scores = worst(ran.real(ran.program.scores), want, e3);
  EXPECT_EQ(scores.compared, 9 * t * t);
  EXPECT_LE(scores.ratio, 1);
  EXPECT_GT(scores.ratio, 0.02) << "the bound says nothing";
  // Block floats do cost bits: the plain bound of singles is missed.
  EXPECT_GT(worst(ran.real(ran.program.scores), want, e2).ratio, 1);

  // Exponentials: E1(4) of the exact difference.
  RealTensor e = ran.real(ran.program.difference);
  for (double& v : e.data) v = std::exp(v);
  const WorstError exponentials = worst_e1(ran.real(ran.program.e), e, single, 4);
  EXPECT_LE(exponentials.ratio, 1);

  // Sum: E2(1) of the exact exponentials, chains of at most t additions.
  const RealTensor operands = ran.real(ran.program.e);
  const AttrMap attrs{{"axis", int64_t{-1}}, {"keepdims", true}};
  const RealTensor total = reduce_sum_abs(operands, attrs);
  const WorstError sum = worst(ran.real(ran.program.sum), total,
                               bound_e2(total, total, static_cast<double>(t), single.unit(), single.unit(), 1));
  EXPECT_LE(sum.ratio, 1);
  RecordProperty("scores_e3", std::to_string(scores.ratio));
  RecordProperty("exp_e1_4", std::to_string(exponentials.ratio));
  RecordProperty("sum_e2", std::to_string(sum.ratio));
}

TEST_P(ExactAttention, OutputsAreNamedAndQuick) {
  Attention p(GetParam());
  Ran ran(GetParam());
  const auto begin = std::chrono::steady_clock::now();
  auto run = run_exact(p.b.module(), p.b.main(), ran.inputs);
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->outputs.size(), 4u);
  for (const auto& [name, tensor] : run->outputs) EXPECT_EQ(tensor.count() > 0, true) << name;
  EXPECT_EQ(run->outputs.at("sum").data, ran.exact.outputs.at("sum").data);
  RecordProperty("exact_ms", std::to_string(ms));
}

INSTANTIATE_TEST_SUITE_P(Lengths, ExactAttention, ::testing::Values(64, 128));

}  // namespace
}  // namespace kumihimo::testing
