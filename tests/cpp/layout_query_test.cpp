// What ops ask: the lane law, casts, blocks, reductions, named levels.
#include <gtest/gtest.h>

#include <set>

#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/layout_test_util.h"

namespace kumihimo {
namespace {

using test::each_index;
using test::kSmall;
using test::layout_of;
using test::random_layout;

const MachineTree& full() { return mncore2::find_machine("mncore2")->tree; }

// Where an element stands, in slots of one element: unit coordinates, then address * lanes + lane.
using Spot = std::pair<std::vector<int64_t>, int64_t>;
std::set<Spot> spots(const Layout& l, const MachineTree& tree, int bits, std::span<const int64_t> index,
                     int64_t modulo = 0) {
  std::set<Spot> out;
  const auto points = apply(l, tree, bits, index);
  EXPECT_TRUE(points.ok());
  if (!points) return out;
  for (const Point& p : *points) {
    std::vector<int64_t> unit;
    int64_t slot = p.address * (64 / bits);
    for (size_t a = 0; a < tree.axes.size(); ++a) {
      if (tree.axes[a].kind == AxisKind::kLane) {
        slot += p.at[a];
      } else {
        unit.push_back(p.at[a]);
      }
    }
    out.insert({unit, modulo == 0 ? slot : slot % modulo});
  }
  return out;
}

TEST(LayoutQuery, TheLaneLawInExamples) {
  auto relation = [](const char* a, int bits_a, const char* b, int bits_b) {
    return lane_equal(layout_of(a, full(), bits_a), bits_a, layout_of(b, full(), bits_b), bits_b, full());
  };
  LaneRelation r = relation("(4)/((2:1, 2_W:1))", 32, "(4)/((4_W:1))", 16);
  EXPECT_TRUE(r.lanes && r.rows) << r.reason;
  // Other address strides are halved; another stride is the same lane in another row.
  r = relation("(8,4)/((8:2), (2:1, 2_W:1))", 32, "(8,4)/((8:1), (4_W:1))", 16);
  EXPECT_TRUE(r.lanes && r.rows) << r.reason;
  r = relation("(8,4)/((8:2), (2:1, 2_W:1))", 32, "(8,4)/((8:3), (4_W:1))", 16);
  EXPECT_TRUE(r.lanes && !r.rows) << r.reason;
  // Two singles of one long word are not two halves of different long words.
  r = relation("(8)/((4:1, 2_W:1))", 32, "(8)/((8:1); B@[W])", 16);
  EXPECT_FALSE(r.lanes);
  r = relation("(8)/((2_PE:1, 4:1))", 32, "(8)/((2_PE:2, 4:1))", 32);
  EXPECT_FALSE(r.lanes);
  EXPECT_EQ(r.dim, 0);
  EXPECT_EQ(r.reason, "2_PE:1 against 2_PE:2");
  // One value in one MAB only, the other in all.
  r = relation("(8)/((8:1); S@[MAB])", 32, "(8)/((8:1))", 32);
  EXPECT_FALSE(r.lanes);
  EXPECT_NE(r.reason.find("16_MAB:1"), std::string::npos) << r.reason;
  r = relation("(8)/((8:1); P+@[MAB])", 32, "(8)/((8:1))", 32);
  EXPECT_FALSE(r.lanes);
  EXPECT_TRUE(relation("(8)/((8:1); P+@[MAB])", 32, "(8)/((8:1); P+@[MAB])", 32).rows);
  r = relation("(8)/((8:1))", 32, "(9)/((9:1))", 32);
  EXPECT_EQ(r.reason, "extent 8 against 9");
}

TEST(LayoutQuery, WorkedAttentionOperandsMeet) {
  const Layout& s = layout_of(
      "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))", full(), 32);
  const Layout& mask = layout_of("(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1); B@[L2B, 2_L1B:4])", full(), 16);
  const LaneRelation masked = lane_equal(mask, 16, s, 32, full());
  EXPECT_TRUE(masked.lanes && masked.rows) << masked.reason;
  EXPECT_TRUE(lane_equal(s, 32, mask, 16, full()).lanes);
  // The row maximum: folded over the keys, partial in the MABs, then copies in all of them.
  const auto m = reduce_dim(s, full(), 32, 3, TailKind::kPartialMax, true, FreedLanes::kReplica);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(print_layout(*m, full()),
            "(3,3,64,1)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (); P>@[MAB]; pad=any)");
  EXPECT_EQ(rows(*m), 2);
  EXPECT_FALSE(lane_equal(s, 32, *m, 32, full()).lanes) << "a partial maximum is no maximum";
  const auto whole = without_partial(*m, full(), 32, {});
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(print_dims(*whole, full()),
            "((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (); B@[MAB]; pad=any)");
  const LaneRelation sub = lane_equal(s, 32, *whole, 32, full());
  EXPECT_TRUE(sub.lanes && sub.rows) << sub.reason;
  // Without the broadcast down, one MAB alone holds it: refused, with the digit that lacks copies.
  const auto single = without_partial(*m, full(), 32, {}, TailKind::kSingle);
  ASSERT_TRUE(single.ok());
  const LaneRelation lost = lane_equal(s, 32, *single, 32, full());
  EXPECT_FALSE(lost.lanes);
  EXPECT_EQ(lost.dim, 3);
  EXPECT_EQ(lost.reason, "the broadcast value has no copies over 16_MAB:1");
}

TEST(LayoutQuery, EqualLanesMeanEqualSpots) {
  std::mt19937 rng(31);
  int equal = 0, lanes_only = 0, different = 0;
  for (int i = 0; i < 20000; ++i) {
    const int bits_a = i % 3 == 0 ? 32 : 16, bits_b = i % 5 == 0 ? 32 : 16;
    const int64_t group = std::max(64 / bits_a, 64 / bits_b);
    const Layout a = random_layout(rng, kSmall, bits_a, false, 200);
    Layout b = random_layout(rng, kSmall, bits_b, false, 200);
    // Random pairs hardly ever agree: most are made from one layout by another writing of it.
    if (i % 2 == 0) {
      auto cast = recast(a, kSmall, bits_a, bits_b);
      if (!cast) continue;
      b = *cast;
      if (i % 4 == 0)
        for (auto& dim : b.dims)
          for (Iter& it : dim)
            if (it.axis == kAddressAxis) it.stride *= 3;
      auto normal = normalise(b, kSmall, bits_b);
      if (!normal) continue;
      b = *normal;
    }
    if (a.shape != b.shape) continue;
    const LaneRelation r = lane_equal(a, bits_a, b, bits_b, kSmall);
    ASSERT_TRUE(r.lanes || !r.rows);
    bool same_spots = true, same_lanes = true;
    each_index(a.shape, [&](const std::vector<int64_t>& index) {
      same_spots &= spots(a, kSmall, bits_a, index) == spots(b, kSmall, bits_b, index);
      same_lanes &= spots(a, kSmall, bits_a, index, group) == spots(b, kSmall, bits_b, index, group);
    });
    const std::string both = print_layout(a, kSmall) + " and " + print_layout(b, kSmall) + ": " + r.reason;
    if (r.rows) {
      ASSERT_TRUE(same_spots) << both;
    }
    if (r.lanes) {
      ASSERT_TRUE(same_lanes) << both;
    }
    if (same_spots && !r.rows) {
      ASSERT_NE(r.reason.find("irregular"), std::string::npos) << both;
    }
    (r.rows ? equal : r.lanes ? lanes_only : different) += 1;
  }
  EXPECT_GT(equal, 500);
  EXPECT_GT(lanes_only, 200);
  EXPECT_GT(different, 200);
}

// A value reduced over a dim and copied to where the dim was meets the value it came from.
TEST(LayoutQuery, BroadcastOperandsCoverTheOther) {
  std::mt19937 rng(32);
  int met = 0;
  for (int i = 0; i < 2500; ++i) {
    const Layout b = random_layout(rng, kSmall, 32, false, 400);
    const size_t dim = rng() % b.shape.size();
    if (b.shape[dim] == 1) continue;
    const auto partial =
        reduce_dim(b, kSmall, 32, static_cast<int>(dim), TailKind::kPartialSum, true, FreedLanes::kReplica);
    ASSERT_TRUE(partial.ok()) << render_text(partial.error());
    const auto a = without_partial(*partial, kSmall, 32, {});
    ASSERT_TRUE(a.ok());
    const LaneRelation r = lane_equal(*a, 32, b, 32, kSmall);
    if (!r.lanes) {
      // Only an irregular lane pattern may keep them apart.
      ASSERT_NE(r.reason.find("irregular"), std::string::npos)
          << print_layout(*a, kSmall) << print_layout(b, kSmall) << r.reason;
      continue;
    }
    ++met;
    each_index(b.shape, [&](std::vector<int64_t> index) {
      const auto in_b = spots(b, kSmall, 32, index, 2);
      index[dim] = 0;
      const auto in_a = spots(*a, kSmall, 32, index, 2);
      ASSERT_TRUE(std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end()))
          << print_layout(*a, kSmall) << print_layout(b, kSmall);
    });
    if (b.shape[dim] > 1 && !dim_parts(b, kSmall, static_cast<int>(dim)).level.empty()) {
      const auto one = without_partial(*partial, kSmall, 32, {}, TailKind::kSingle);
      bool spreads = false;
      for (const Iter& it : dim_parts(b, kSmall, static_cast<int>(dim)).level) spreads |= it.extent > 1;
      // The dim may use only the first value of its outermost level digit.
      int64_t used = 1;
      for (size_t k = b.dims[dim].size(); k-- > 0; used *= b.dims[dim][k].extent)
        if (used >= b.shape[dim] && b.dims[dim][k].axis >= 0) spreads = false;
      if (spreads) {
        EXPECT_FALSE(lane_equal(*one, 32, b, 32, kSmall).lanes)
            << print_layout(*one, kSmall) << print_layout(b, kSmall);
      }
    }
  }
  EXPECT_GT(met, 1000);
}

TEST(LayoutQuery, CastsKeepSlots) {
  const auto s = recast(layout_of("(4,8,4)/((4_PE:1), (8:2), (2:1, 2_W:1))", full(), 32), full(), 32, 16);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(print_dims(*s, full()), "((4_PE:1), (8:1), (4_W:1); B@[L2B, L1B, MAB])");
  const auto back = recast(*s, full(), 16, 32);
  EXPECT_EQ(print_dims(*back, full()), "((4_PE:1), (8:2), (2:1, 2_W:1); B@[L2B, L1B, MAB])");
  // Singles in every second long word leave two lanes of the half empty; copies in lanes become copies in a double long word.
  EXPECT_EQ(print_dims(*recast(layout_of("(8,2)/((8:2), (2_W:1))", full(), 32), full(), 32, 16), full()),
            "((8:1), (2_W:1); B@[L2B, L1B, MAB, PE]; S@[2_W:2])");
  EXPECT_EQ(print_dims(*recast(layout_of("(8)/((8:1))", full(), 16), full(), 16, 32), full()),
            "((8:2); B@[L2B, L1B, MAB, PE, W, 2:1])");
  const auto odd = recast(layout_of("(3,2)/((3:1), (2_W:1))", full(), 32), full(), 32, 16);
  ASSERT_FALSE(odd.ok());
  EXPECT_EQ(odd.error().def->name, "layout_lane_pattern");
  std::mt19937 rng(33);
  int done = 0;
  for (int i = 0; i < 4000; ++i) {
    const int from = std::array{16, 32, 64}[rng() % 3], to = std::array{16, 32, 64}[rng() % 3];
    const Layout l = random_layout(rng, kSmall, from, true, 300);
    const auto cast = recast(l, kSmall, from, to);
    if (!cast) {
      ASSERT_EQ(cast.error().def->name, "layout_lane_pattern");
      continue;
    }
    ++done;
    each_index(l.shape, [&](const std::vector<int64_t>& index) {
      ASSERT_EQ(spots(l, kSmall, from, index), spots(*cast, kSmall, to, index))
          << print_layout(l, kSmall) << print_layout(*cast, kSmall);
    });
    ASSERT_EQ(elements(*cast), elements(l));
    ASSERT_EQ(live_points(*cast, kSmall, to), live_points(l, kSmall, from));
    ASSERT_EQ(padding_points(*cast, kSmall, to), padding_points(l, kSmall, from));
  }
  EXPECT_GT(done, 2000);
}

TEST(LayoutQuery, BlocksAndEndings) {
  const Layout& k = layout_of("(3,1,64,64)/((4_L2B:2), (), (16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1))", full(), 16);
  const int pe = full().find_axis("PE"), w = full().find_axis("W");
  const Block b = block_on(k, full(), 16, std::array{pe, w});
  EXPECT_EQ(b.text, "4_PE*4_W");
  EXPECT_EQ(b.size, 16);
  EXPECT_TRUE(b.single_dim && b.innermost);
  EXPECT_EQ(b.digits.size(), 2u);
  EXPECT_EQ(b.digits[0].weight, 4);
  const std::vector<Iter> ending{{4, static_cast<int16_t>(pe), 1}, {4, static_cast<int16_t>(w), 1}};
  EXPECT_TRUE(ends_with(k, 3, ending));
  EXPECT_FALSE(ends_with(k, 2, ending));
  EXPECT_FALSE(ends_with(k, 9, ending));
  EXPECT_EQ(without_ending(k, 3, ending), (std::vector<Iter>{{4, kAddressAxis, 4}}));
  // 16 rows innermost, cut out of 64.
  EXPECT_EQ(without_ending(layout_of("(64)/((64:1))", full()), 0, std::vector<Iter>{{16, kAddressAxis, 1}}),
            (std::vector<Iter>{{4, kAddressAxis, 16}}));
  EXPECT_TRUE(ends_with(layout_of("(64)/((4:16, 4:4, 4:1))", full()), 0, std::vector<Iter>{{16, kAddressAxis, 1}}));
  EXPECT_FALSE(ends_with(layout_of("(64)/((64:2))", full()), 0, std::vector<Iter>{{16, kAddressAxis, 1}}));
  EXPECT_FALSE(ends_with(layout_of("(24)/((24:1))", full()), 0, std::vector<Iter>{{16, kAddressAxis, 1}}));
  // A block of two dims is seen as such.
  const Block two = block_on(layout_of("(4,4)/((4_PE:1), (4_W:1))", full(), 16), full(), 16, std::array{pe, w});
  EXPECT_EQ(two.size, 16);
  EXPECT_FALSE(two.single_dim || two.innermost);
  const Block order = block_on(layout_of("(16)/((4_W:1, 4_PE:1))", full(), 16), full(), 16, std::array{pe, w});
  EXPECT_TRUE(order.single_dim);
  EXPECT_FALSE(order.innermost);
  const DimParts parts = dim_parts(k, full(), 3);
  EXPECT_EQ(parts.address.size() + parts.lane.size() + parts.level.size(), 3u);
}

TEST(LayoutQuery, ReductionsAndPartials) {
  const Layout& x = layout_of("(8,32)/((8_L1B:1), (4:1, 4_PE:1, 2_W:1); B@[L2B, MAB])", full(), 32);
  EXPECT_EQ(print_layout(*reduce_dim(x, full(), 32, 1, TailKind::kPartialSum, false, FreedLanes::kReplica), full()),
            "(8)/((8_L1B:1); B@[L2B, MAB, W]; P+@[PE])");
  EXPECT_EQ(print_layout(*reduce_dim(x, full(), 32, 1, TailKind::kPartialSum, true, FreedLanes::kSingle), full()),
            "(8,1)/((8_L1B:1), (); B@[L2B, MAB]; S@[W]; P+@[PE])");
  EXPECT_FALSE(reduce_dim(x, full(), 32, 2, TailKind::kPartialSum, true, FreedLanes::kSingle).ok());
  const auto p = with_partial(x, full(), 32, full().find_axis("MAB"), TailKind::kPartialSum);
  EXPECT_EQ(print_dims(*p, full()), "((8_L1B:1), (4:1, 4_PE:1, 2_W:1); B@[L2B]; P+@[MAB])");
  EXPECT_TRUE(has_partial(*p));
  EXPECT_EQ(*without_partial(*p, full(), 32, {}), x);
  const int pe = full().find_axis("PE");
  EXPECT_EQ(*without_partial(*p, full(), 32, std::array{pe}), *p) << "only the given axes";
  EXPECT_EQ(partial_extents(*p, full(), 32), std::vector<int64_t>{16});
}

TEST(LayoutQuery, NamedLevels) {
  auto named = [](const char* text, std::string_view location) {
    std::string out;
    for (int axis : named_levels_below(layout_of(text, full(), 64), full(), full().find_location(location)))
      out += std::string(full().axes[static_cast<size_t>(axis)].name) + " ";
    return out;
  };
  EXPECT_EQ(named("(4,8)/((4_L2B:2), (8:1))", "DRAM"), "");
  EXPECT_EQ(named("(8,8)/((8_L2B:1), (8:1))", "DRAM"), "L2B ");
  EXPECT_EQ(named("(8,8)/((8_L2B:1), (8:1))", "L2BM"), "");
  EXPECT_EQ(named("(2,8)/((2_L2B:1), (8:1))", "DRAM"), "L2B ");
  EXPECT_EQ(named("(8)/((8_L1B:1))", "DRAM"), "L1B ");
  EXPECT_EQ(named("(8)/((8_MAB:1))", "L2BM"), "MAB PE ");
  EXPECT_EQ(named("(4)/((4_PE:1))", "L1BM"), "PE ");
  EXPECT_EQ(named("(4)/((4_PE:1))", "LM0"), "");
  EXPECT_EQ(named("(4)/((4:1); P+@[MAB])", "L1BM"), "MAB PE ");
  EXPECT_EQ(named("(4)/((4:1); S@[MAB])", "L1BM"), "");
  EXPECT_EQ(named("(4)/((4:1); S@[MAB]; O@[3_MAB])", "L1BM"), "MAB PE ");
  EXPECT_EQ(named("(4)/((1_L1B:1, 4:1))", "L2BM"), "L1B ");
  EXPECT_TRUE(at_or_above(full(), full().find_axis("L1B"), full().find_location("L1BM")));
  EXPECT_FALSE(at_or_above(full(), full().find_axis("MAB"), full().find_location("L1BM")));
}

}  // namespace
}  // namespace kumihimo
