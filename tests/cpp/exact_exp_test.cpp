// exp as a sequence of machine operations: its rows, its corners, and its error over more than ten million inputs.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <set>

#include "targets/mncore2/num/alu.h"
#include "targets/mncore2/num/fma.h"
#include "targets/mncore2/num/steps.h"

namespace kumihimo::mncore2::num {
namespace {

float exp_of(float x) {
  auto bits = std::bit_cast<uint32_t>(x);
  run_steps(exp_steps(), &bits, &bits, 1);
  return std::bit_cast<float>(bits);
}

TEST(ExpRows, NamesAreMadeOnceAndBeforeUse) {
  std::set<std::string_view> made{"x"};
  for (const Step& s : exp_steps().steps) {
    for (int k = 0; k < source_count(s.op); ++k) {
      const StepSource& source = s.source[k];
      EXPECT_TRUE(source.is_literal() || made.count(source.name) != 0) << s.result << " reads " << source.name;
    }
    EXPECT_TRUE(made.insert(s.result).second) << s.result;
  }
}

// The assembler reads the text, this file the bits.
TEST(ExpRows, LiteralTextsAreTheirBits) {
  int literals = 0;
  for (const Step& s : exp_steps().steps)
    for (int k = 0; k < source_count(s.op); ++k) {
      const StepSource& source = s.source[k];
      if (!source.is_literal()) continue;
      ++literals;
      ASSERT_GE(source.text.size(), 4u);
      const std::string number(source.text.substr(2, source.text.size() - 3));
      const uint32_t bits =
          source.text[0] == 'f' ? std::bit_cast<uint32_t>(std::stof(number)) : static_cast<uint32_t>(std::stol(number));
      EXPECT_EQ(bits, source.bits) << source.text;
    }
  EXPECT_EQ(literals, 14);
}

// Ten steps on the MAU, six on the ALU: what a schedule can count on.
TEST(ExpRows, Units) {
  int mau = 0;
  for (const Step& s : exp_steps().steps) mau += on_mau(s.op);
  EXPECT_EQ(mau, 10);
  EXPECT_EQ(exp_steps().steps.size(), 16u);
}

// The interpreter of rows against the same sixteen operations written out with the scalar functions.
TEST(ExpRows, RunAsWritten) {
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.3f, -7.25f, 88.5f, -87.0f, 1e-30f, -1e30f}) {
    auto f = [](double v) { return std::bit_cast<uint32_t>(static_cast<float>(v)); };
    auto a = [](AluOp op, Element e, uint64_t u, uint64_t v = 0) { return alu(op, e, false, u, v).value; };
    auto m = [](uint64_t u, uint64_t v, uint64_t w) { return fma(Float::kSingle, u, v, w, Float::kSingle); };
    uint64_t y = a(AluOp::kMin, Element::kSingle, a(AluOp::kMax, Element::kSingle, f(x), f(-88)), f(89));
    uint64_t n = a(AluOp::kFloor, Element::kSingle, m(y, f(1.44269502), f(0.5)));
    uint64_t r = m(n, f(0.000212194442), m(n, f(-0.693359375), y));
    uint64_t p = f(0.00138144672);
    for (double c : {0.00836878084, 0.0416683927, 0.166665196, 0.49999994, 1.0, 1.0}) p = m(r, p, f(c));
    uint64_t s =
        a(AluOp::kAdd, Element::kInt, p, a(AluOp::kLsl, Element::kInt, a(AluOp::kFtoi, Element::kSingle, n), 23));
    EXPECT_EQ(std::bit_cast<uint32_t>(exp_of(x)), passa(Float::kSingle, s, Float::kSingle)) << x;
  }
}

TEST(ExpCorners, ByTable) {
  constexpr float kInf = INFINITY;
  EXPECT_EQ(std::bit_cast<uint32_t>(exp_of(-kInf)), 0u);
  EXPECT_EQ(exp_of(kInf), kInf);
  EXPECT_EQ(exp_of(0.0f), 1.0f);
  EXPECT_EQ(exp_of(-0.0f), 1.0f);
  EXPECT_EQ(std::bit_cast<uint32_t>(exp_of(-88.0f)), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(exp_of(-1e38f)), 0u);
  EXPECT_EQ(exp_of(88.8f), kInf);
  EXPECT_EQ(exp_of(3e38f), kInf);
  EXPECT_LT(exp_of(88.7f), kInf);
  // Patterns that IEEE calls subnormal and NaN are a zero and an infinity here.
  for (auto [in, out] : {std::pair{0x00000001u, 0x3f800000u},
                         {0x807fffffu, 0x3f800000u},
                         {0x7fc00000u, 0x7f800000u},
                         {0xffc00000u, 0u}}) {
    uint32_t got = in;
    run_steps(exp_steps(), &got, &got, 1);
    EXPECT_EQ(got, out) << std::hex << in;
  }
}

// Spacing of singles in a format without subnormals: below the smallest normal number only 0 exists.
double spacing(double r) { return r < 0x1p-126 ? 0x1p-126 : std::ldexp(1.0, std::ilogb(r) - 23); }

// All exponents and signs; the range in which the result moves is sampled far more densely.
TEST(ExpError, StaysWithinOneSpacing) {
  std::vector<uint32_t> in;
  for (uint32_t sign = 0; sign < 2; ++sign)
    for (uint32_t e = 0; e < 256; ++e) {
      const bool dense = e >= 127 - 20 && e < 127 + 7;
      const uint32_t stride = dense ? 41 : 8191;
      for (uint32_t f = (e * 7919 + sign) % stride; f < (1u << 23); f += stride) in.push_back(sign << 31 | e << 23 | f);
    }
  ASSERT_GT(in.size(), 10'000'000u);
  std::vector<uint32_t> out(in.size());
  run_steps(exp_steps(), in.data(), out.data(), in.size());
  constexpr double kLargest = 3.4028234663852886e38, kBeyond = kLargest + 0x1p104;
  double worst = 0, worst_normal = 0;
  float at = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const uint32_t e = in[i] >> 23 & 255;
    double x = std::bit_cast<float>(in[i]);
    if (e == 255) x = in[i] >> 31 ? -INFINITY : INFINITY;
    if (e == 0) x = 0;
    const double r = std::min(std::exp(x), kBeyond), g = std::min<double>(std::bit_cast<float>(out[i]), kBeyond);
    const double error = std::abs(g - r) / (r > kLargest ? 0x1p104 : spacing(r));
    if (error > worst) worst = error, at = static_cast<float>(x);
    if (r >= 0x1.00001p-126) worst_normal = std::max(worst_normal, error);
  }
  EXPECT_LE(worst, 1.0001) << "at " << at;
  // The exhaustive figure of docs/numerics/exp.md.
  EXPECT_LE(worst_normal, 0.9095);
  EXPECT_GT(worst_normal, 0.85);
  RecordProperty("inputs", static_cast<int>(in.size()));
  RecordProperty("worst", std::to_string(worst_normal));
}

}  // namespace
}  // namespace kumihimo::mncore2::num
