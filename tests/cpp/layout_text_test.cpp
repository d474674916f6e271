// Text of layouts: public examples, what is filled in, errors and their positions, round trips.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/nearest.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/layout_test_util.h"

namespace kumihimo {
namespace {

using test::layout_of;
using test::parsed;
using test::refusal;

const MachineTree& full() { return mncore2::find_machine("mncore2")->tree; }

void expect_print(std::string_view text, std::string_view printed, int bits = 0) {
  const ParsedLayout p = parsed(text, full(), bits);
  EXPECT_EQ(print_layout(*p.layout, full()), printed);
  const ParsedLayout again = parsed(printed, full(), bits);
  EXPECT_EQ(again.layout, p.layout) << "reading the printed text gives another layout: " << printed;
}

// The strings of the vendor's public pages, with what they leave out filled in.
TEST(LayoutText, PublicExamples) {
  expect_print("(256,16)/((8_L2B:1,4:2,8_L1B:1),(2:1,4_PE:1,2_W:1); B@[MAB])",
               "(256,16)/((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1); B@[MAB])");
  expect_print("(64,128)/((8_L2B:1,8:2),(16_MAB:1,2:1,4_PE:1); B@[L1B,W])",
               "(64,128)/((8_L2B:1, 8:2), (16_MAB:1, 2:1, 4_PE:1); B@[L1B, W])");
  // A 3-D grid: strides of MAB, PE and W are left out; addresses 1, 8, 64 are dense.
  expect_print("((2_L2B:1,16_MAB,4:64),(2_L1B:4,4_PE,2_W,8:1),(4_L2B:2,4_L1B:1,8:8))",
               "(128,128,128)/((2_L2B:1, 16_MAB:1, 4:64), (2_L1B:4, 4_PE:1, 2_W:1, 8:1), (4_L2B:2, 4_L1B:1, 8:8))", 32);
  expect_print("((16_MAB:1, 4_PE:1, 2_W:1), (64:1))@LM0 / UInt",
               "(128,64)/((16_MAB:1, 4_PE:1, 2_W:1), (64:1); B@[L2B, L1B])", 32);
  expect_print("((8_L2B:1), (4_PE:1, 2:1, 2_W:1), (16:2))@LM0 / Float",
               "(8,16,16)/((8_L2B:1), (4_PE:1, 2:1, 2_W:1), (16:2); B@[L1B, MAB])", 32);
  expect_print("((8_L2B:1, 8_L1B:1, 16:1))@LM0 / ULong", "(1024)/((8_L2B:1, 8_L1B:1, 16:1); B@[MAB, PE])", 64);
  // The educational compiler's table of layouts.
  expect_print("(256,16)/((4_L2B:2,64:2),(2:1,4_PE:1,2_W:1))",
               "(256,16)/((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1); B@[2_L2B:1, L1B, MAB])", 32);
  expect_print("(256,16)/((8_L2B:1,32:2),(2,4_PE,2_W))",
               "(256,16)/((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1); B@[L1B, MAB])", 32);
  expect_print("(256,1024)/((8_L2B,32),(8_MAB:2,8_L1B,2_MAB:1,4_PE,2_W))",
               "(256,1024)/((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))", 32);
  expect_print("(16,1024)/((16),(8_MAB,8_L1B,2_MAB,4_PE,2_W))",
               "(16,1024)/((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1); B@[L2B])", 32);
  expect_print("(16)/((2,4_PE,2_W))", "(16)/((2:1, 4_PE:1, 2_W:1); B@[L2B, L1B, MAB])", 32);
  expect_print("(16,16)/((16),(2,4_PE,2_W))", "(16,16)/((16:2), (2:1, 4_PE:1, 2_W:1); B@[L2B, L1B, MAB])", 32);
  // DRAM: a quarter in each group, row-major.
  expect_print("(1024,32)/((4_L2B:2,256),(16,2_W))@DRAM",
               "(1024,32)/((4_L2B:2, 256:16), (16:1, 2_W:1); B@[2_L2B:1, L1B, MAB, PE])", 32);
  // A level used twice is split.
  expect_print("(16)/((8_MAB:2, 2_MAB:1); B@[L2B, L1B, PE, W])", "(16)/((8_MAB:2, 2_MAB:1); B@[L2B, L1B, PE, W])", 32);
  expect_print("((4_PE:1, 16_MAB:1, W))", "(128)/((4_PE:1, 16_MAB:1, 2_W:1); B@[L2B, L1B])", 32);
  expect_print("(256)/((4_L2B:2,32,2_W))", "(256)/((4_L2B:2, 32:1, 2_W:1); B@[2_L2B:1, L1B, MAB, PE])", 32);
}

TEST(LayoutText, SuffixesAndWholeAxes) {
  const ParsedLayout p = parsed("((16_MAB:1, 4_PE:1, 2_W:1), (64:1))@LM0 / UInt", full());
  EXPECT_EQ(full().locations[static_cast<size_t>(p.location)].name, "LM0");
  EXPECT_EQ(p.dtype, "UInt");
  // An axis alone is the whole axis; lanes come from the dtype.
  expect_print("((4_PE:1, 16_MAB:1, W))@LM0/half", "(256)/((4_PE:1, 16_MAB:1, 4_W:1); B@[L2B, L1B])", 16);
  expect_print("((MAB, PE, W))", "(128)/((16_MAB:1, 4_PE:1, 2_W:1); B@[L2B, L1B])", 32);
  EXPECT_EQ(refusal("((4_PE:1, W))", full()).def->name, "layout_lane_extent");
  expect_print("()", "()/(; B@[L2B, L1B, MAB, PE, W])");
  EXPECT_EQ(parsed("()/()@GRF0/half", full()).dtype, "half");
  EXPECT_EQ(parsed("()@GRF0/half", full()).layout, parsed("()/()", full(), 16).layout);
  expect_print("(1,5)/((1:1), (5))", "(1,5)/((), (5:1); B@[L2B, L1B, MAB, PE, W])");
  // A level digit of extent 1 names the level and stays.
  expect_print("(5)/((1_L1B:1, 5:1))", "(5)/((1_L1B:1, 5:1); B@[L2B, L1B, MAB, PE, W])");
  expect_print("( 16 , ) / ( ( 2 , 4_PE ,\n 2_W ) )", "(16)/((2:1, 4_PE:1, 2_W:1); B@[L2B, L1B, MAB])", 32);
}

TEST(LayoutText, Tails) {
  expect_print("(3,2)/((4_L2B:2),(2:1); P+@[MAB]; S@[W]; P>@[2_PE:1]; pad=-inf)",
               "(3,2)/((4_L2B:2), (2:1); B@[2_L2B:1, L1B, 2_PE:2]; S@[W]; P+@[MAB]; P>@[2_PE:1]; pad=-inf)");
  expect_print("(3)/((4:1))", "(3)/((4:1); B@[L2B, L1B, MAB, PE, W]; pad=any)");
  expect_print("(3)/((4:1); pad=0)", "(3)/((4:1); B@[L2B, L1B, MAB, PE, W]; pad=0)");
  expect_print("(3)/((4:1); pad=-0.0)", "(3)/((4:1); B@[L2B, L1B, MAB, PE, W]; pad=0)");
  expect_print("(4)/((4:1); pad=0)", "(4)/((4:1); B@[L2B, L1B, MAB, PE, W])");  // nothing is padded
  expect_print("(3)/((4:1); pad=0.1)", "(3)/((4:1); B@[L2B, L1B, MAB, PE, W]; pad=0.1)");
  // A level named in part has copies over the rest; so have lanes, once the width is known.
  expect_print("(8)/((8_MAB:1))", "(8)/((8_MAB:1); B@[L2B, L1B, 2_MAB:8, PE, W])");
  expect_print("(8)/((4:1, 2_W:1))", "(8)/((4:1, 2_W:1); B@[L2B, L1B, MAB, PE, 2_W:2])", 16);
  expect_print("(8)/((8_MAB:2); B@[MAB])", "(8)/((8_MAB:2); B@[L2B, L1B, 2_MAB:1, PE, W])");
  // Displaced values have no room for copies of the displaced axis.
  expect_print("(2)/((2_L1B:1); O@[3_L1B])", "(2)/((2_L1B:1); B@[L2B, MAB, PE, W]; S@[4_L1B:2]; O@[3_L1B])");
  expect_print("(2)/((2:1); S@[MAB]; O@[3_MAB])", "(2)/((2:1); B@[L2B, L1B, PE, W]; S@[MAB]; O@[3_MAB])");
  expect_print("(2)/((2:1); B@[4:2])", "(2)/((2:1); B@[L2B, L1B, MAB, PE, W, 4:2])");
  // 3 of 8 cannot be repeated: the rest is empty, and there is nothing to print.
  expect_print("(3)/((3_L1B:1))", "(3)/((3_L1B:1); B@[L2B, MAB, PE, W])");
}

// Every refusal names its rule and points at its cause.
TEST(LayoutText, Errors) {
  auto check = [](std::string_view text, std::string_view rule, uint32_t column, uint32_t end = 0, int bits = 32) {
    const Diagnostic d = refusal(text, full(), bits);
    ASSERT_NE(d.def, nullptr) << text;
    EXPECT_EQ(d.def->name, rule) << text << "\n" << render_text(d);
    EXPECT_EQ(d.where.column, column) << text << "\n" << render_text(d);
    if (end != 0) {
      EXPECT_EQ(d.where.end_column, end) << text << "\n" << render_text(d);
    }
  };
  check("", "layout_syntax", 1);
  check("(16)/((16:1)", "layout_syntax", 13);
  check("(16)/((16:1)) x", "layout_syntax", 15);
  check("(16)/((16:1,,))", "layout_syntax", 13);
  check("(16)/((16:1)(2))", "layout_syntax", 13);
  check("(16)/((PE:1))", "layout_syntax", 10);
  check("(16)/((4_P:1, 4:1))", "layout_unknown_axis", 10, 11);
  check("(16)/((16:1); B@[MAP])", "layout_unknown_axis", 18, 21);
  check("(16)/((16:1); X@[MAB])", "layout_syntax", 15);
  check("(16)/((16:1))@LM9", "layout_unknown_location", 15, 18);
  check("(16)/((16:1))/hulf", "layout_unknown_dtype", 15, 19);
  check("(0)/((1))", "layout_number", 2, 3);
  check("(4)/((4:0))", "layout_number", 9, 10);
  check("(4)/((99999999999999999999:1))", "layout_number", 7, 27);
  check("(4,4)/((4:1))", "layout_rank", 1);
  check("(17)/((16:1))", "layout_dim_extent", 7, 13);
  check("(16)/((16_PE:1))", "layout_axis_range", 8, 15);
  check("(4)/((4_W:1))", "layout_axis_range", 7, 12);
  check("(8,4)/((8:1),(4:4))", "layout_digits_collide", 15, 18);
  check("(4,2)/((4_PE:1),(2_PE:2))", "layout_digits_collide", 18, 24);
  check("(4)/((4_PE:1); B@[PE])", "layout_tail_empty", 19, 21);
  check("(4)/((4:1); B@[PE]; S@[PE])", "layout_tail_empty", 24, 26);
  check("(4)/((4:1); B@[Time])", "layout_tail_axis", 16, 20);
  check("(4)/((4:1); S@[4:4])", "layout_tail_axis", 16, 19);
  check("(4)/((4:1); O@[8_MAB]; S@[MAB]; O@[8_MAB])", "layout_axis_range", 36, 41);
  check("(3)/((4:1); pad=nan)", "layout_pad", 17, 20);
  check("(3)/((4:1); pad=0; pad=0)", "layout_pad", 20);
  check("(3)/((4:1); pad=)", "layout_pad", 17);
  // The second line of a text is counted from its own beginning.
  const Diagnostic d = refusal("(16,4)/((16:1),\n  (4_PF:1))", full());
  EXPECT_EQ(d.where.line, 2u);
  EXPECT_EQ(d.where.column, 6u);
  EXPECT_EQ(d.where.text, "  (4_PF:1))");
  const std::string text = render_text(d);
  EXPECT_NE(text.find("nearest: PE"), std::string::npos) << text;
  EXPECT_NE(text.find("    |      ^^\n"), std::string::npos) << text;
}

TEST(LayoutText, ShapeComesFromTheValue) {
  const std::vector<int64_t> shape{3, 2};
  auto read = [&](std::string_view text) {
    return parse_layout(text, {&full(), 32, std::span<const int64_t>(shape), nullptr});
  };
  EXPECT_EQ(print_layout(*read("((4_L2B:2), (2:1))")->layout, full()),
            "(3,2)/((4_L2B:2), (2:1); B@[2_L2B:1, L1B, MAB, PE, W]; pad=any)");
  EXPECT_TRUE(read("(3,2)/((4_L2B:2), (2:1))").ok());
  const auto other = read("(4,2)/((4_L2B:2), (2:1))");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().def->name, "layout_shape");
  EXPECT_FALSE(read("((4_L2B:2))").ok());
}

TEST(LayoutText, PrintedTextReadsBack) {
  std::mt19937 rng(7);
  for (const MachineTree* tree : {&full(), &mncore2::find_machine("mncore2-tiny")->tree, &test::kSmall})
    for (int bits : {16, 32, 64})
      for (int i = 0; i < 3000; ++i) {
        const Layout l = test::random_layout(rng, *tree, bits, true, int64_t{1} << 40);
        const std::string text = print_layout(l, *tree);
        Result<ParsedLayout> back = parse_layout(text, {tree, bits, {}, nullptr});
        ASSERT_TRUE(back.ok()) << text << "\n" << render_text(back.error());
        ASSERT_EQ(*back->layout, l) << text << "\n" << print_layout(*back->layout, *tree);
        ASSERT_EQ(back->layout, intern(l, *tree));
      }
}

// Text with one character changed is read or refused, and what is read prints and reads back.
TEST(LayoutText, DamagedTextIsReadOrRefused) {
  const std::string base = "(3,2,8)/((4_L2B:2), (2:1), (2_MAB:1, 4_PE:1); B@[L1B]; S@[W]; pad=-inf)@LM0/half";
  const std::string alphabet = "()[],;:_/@0123456789ABPELMWS+<>=- \n\0x";
  int refused = 0, read = 0;
  for (size_t i = 0; i < base.size(); ++i)
    for (char c : alphabet) {
      std::string text = base;
      text[i] = c;
      Result<ParsedLayout> r = parse_layout(text, {&full(), 0, {}, test::bits_of_name});
      if (!r) {
        ++refused;
        EXPECT_TRUE(r.error().where.known()) << text;
        continue;
      }
      ++read;
      const std::string printed = print_layout(*r->layout, full());
      Result<ParsedLayout> again = parse_layout(printed, {&full(), 16, {}, nullptr});
      ASSERT_TRUE(again.ok()) << printed;
      EXPECT_EQ(again->layout, r->layout) << printed;
    }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(read, 100);
}

TEST(LayoutText, NearestNames) {
  const std::vector<std::string_view> names{"L2B", "L1B", "MAB", "PE", "W", "Time"};
  EXPECT_EQ(nearest_names("mab", names).front(), "MAB");
  EXPECT_EQ(nearest_names("L3B", names), (std::vector<std::string>{"L2B", "L1B"}));
  EXPECT_TRUE(nearest_names("quaternion", names).empty());
}

}  // namespace
}  // namespace kumihimo
