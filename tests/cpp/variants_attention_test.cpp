// The whole attention kernel through the checks: every placement against the hand-derived layouts.
#include <limits>

#include "core/layout/text.h"
#include "tests/cpp/attention_program.h"

namespace kumihimo::testing {
namespace {

// A type text as the printer writes it, from the short text of a layout.
std::string placed(std::string_view dtype, std::string_view layout, std::string_view location,
                   std::string_view block = {}) {
  LayoutContext context;
  context.tree = mncore2::target().tree;
  context.bits = find_dtype(dtype)->bits;
  auto parsed = parse_layout(layout, context);
  if (!parsed) return render_text(parsed.error());
  std::string out =
      std::string(dtype) + " " + print_layout(*parsed->layout, *context.tree) + "@" + std::string(location);
  return block.empty() ? out : out + " block=" + std::string(block);
}

class AttentionTypes : public ::testing::TestWithParam<int64_t> {};

TEST_P(AttentionTypes, AreTheHandDerivedOnes) {
  Attention p(GetParam());
  const AttentionLayouts& a = p.layouts;
  std::string plus = a.partial;
  plus.replace(plus.find("P>"), 2, "P+");
  EXPECT_EQ(p.b.text(p.q), placed("block_half", a.q, "LM", "4_PE*4_W"));
  EXPECT_EQ(p.b.text(p.k), placed("block_half", a.k, "LM", "4_PE*4_W"));
  EXPECT_EQ(p.b.text(p.mask), placed("bool_", a.mask, "LM"));
  for (ValueId v : {p.scores, p.scaled, p.masked, p.difference, p.e})
    EXPECT_EQ(p.b.text(v), placed("single", a.s, "GRF"));
  EXPECT_EQ(p.b.text(p.partial_max), placed("single", a.partial, "GRF"));
  EXPECT_EQ(p.b.text(p.up), placed("single", a.m, "L1BM"));
  EXPECT_EQ(p.b.text(p.maximum), placed("single", a.m, "LM"));
  EXPECT_EQ(p.b.text(p.partial_sum), placed("single", plus, "GRF"));
  EXPECT_EQ(p.b.text(p.sum), placed("single", a.m, "LM"));
}

INSTANTIATE_TEST_SUITE_P(Lengths, AttentionTypes, ::testing::Values(64, 128));

TEST(AttentionProgram, SurvivesItsText) {
  Attention p(64);
  const std::string text = print(p.b.module());
  auto read = parse_program(text, "attention.leir");
  ASSERT_TRUE(read.ok()) << render_text(read.error());
  EXPECT_EQ(first_mismatch(p.b.module(), *read), std::nullopt);
  EXPECT_EQ(print(*read), text);
}

TEST(Target, TinyMachineSharesTheVariants) {
  Build b("mncore2-tiny");
  ValueId x = b.tensor("x", "single", {2, 64}, "((2_L1B:1), (4_PE:1, 8:1, 2_W:1); B@[MAB])");
  ValueId y = b.add("add", {b.add("distribute_download", {x}), b.immediate(1)});
  EXPECT_EQ(b.text(y), "single (2,64)/((2_L1B:1), (4_PE:1, 8:1, 2_W:1); B@[MAB])@GRF");
  auto read = parse_program(print(b.module()), "tiny.leir");
  EXPECT_TRUE(read.ok()) << render_text(read.error());
}

// Rows that the rest of the product relies on.
TEST(Target, RowsAreWhole) {
  register_in_tree_targets();
  const Target& t = mncore2::target();
  for (const OpDef& op : all_ops()) {
    bool found = false;
    for (const Variant& v : t.variants) found |= v.op == op.name;
    EXPECT_TRUE(found) << op.name << " has no variant";
  }
  for (const Variant& v : t.variants) {
    EXPECT_NE(v.emit, nullptr) << v.name;
    EXPECT_NE(find_op(v.op), nullptr) << v.name;
    bool has_function = v.value_id.empty();
    for (const ValueFn& f : t.numerics->functions) has_function |= f.value_id == v.value_id;
    EXPECT_TRUE(has_function) << v.name << " names " << v.value_id;
    EXPECT_EQ(v.value_id.empty(), find_op(v.op)->category == "declare") << v.name;
    for (const Constraint* c : v.constraints)
      EXPECT_EQ(find_diagnostic(c->def.code), find_diagnostic(c->def.name)) << c->def.code;
  }
}

}  // namespace
}  // namespace kumihimo::testing
