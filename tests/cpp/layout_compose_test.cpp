// Laws of composition, complement, tiles and footprints, checked point by point.
#include <gtest/gtest.h>

#include <set>

#include "core/layout/algebra.h"
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

using Key = std::vector<int64_t>;
Key key(const Point& p) {
  Key k{p.address};
  k.insert(k.end(), p.at.begin(), p.at.end());
  return k;
}
std::set<Key> points_at(const Layout& l, const MachineTree& tree, int bits, std::span<const int64_t> index) {
  auto r = apply(l, tree, bits, index);
  EXPECT_TRUE(r.ok());
  std::set<Key> out;
  if (r)
    for (const Point& p : *r) out.insert(key(p));
  return out;
}
std::vector<int64_t> index_of_number(int64_t number, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; number /= shape[d]) index[d] = number % shape[d];
  return index;
}

// Address digits dealt to dims, in products that divide `numbers` often enough.
Layout random_view(std::mt19937& rng, int64_t numbers) {
  while (true) {
    Layout l;
    l.dims.resize(1 + rng() % 3);
    int64_t left = numbers, stride = 1;
    while (left > 1) {
      int64_t extent = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(left));
      if (rng() % 4 != 0)
        while (left % extent != 0) --extent;
      if (rng() % 5 == 0) {
        if (rng() % 3 == 0) l.tails.push_back({TailKind::kReplica, {extent, kAddressAxis, stride}});
      } else {
        auto& dim = l.dims[rng() % l.dims.size()];
        dim.insert(dim.begin() + static_cast<ptrdiff_t>(rng() % (dim.size() + 1)), {extent, kAddressAxis, stride});
      }
      stride *= extent;
      left /= extent;
    }
    for (const auto& dim : l.dims) {
      l.shape.push_back(dim_product(dim));
      if (rng() % 4 == 0) l.shape.back() = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(l.shape.back()));
    }
    auto normal = normalise(std::move(l), kSmall, 32);
    if (normal) return *normal;
  }
}

TEST(LayoutCompose, ElementsStandWhereTheirNumbersStand) {
  std::mt19937 rng(41);
  int done = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const Layout a = random_layout(rng, kSmall, 32, false, 600);
    const Layout b = random_view(rng, elements(a));
    const auto c = compose(a, b, kSmall, 32);
    if (!c) {
      ++refused;
      ASSERT_EQ(c.error().def->name, "layout_compose");
      continue;
    }
    ++done;
    ASSERT_EQ(c->shape, b.shape);
    each_index(b.shape, [&](const std::vector<int64_t>& index) {
      std::set<Key> wanted;
      std::set<int64_t> numbers;
      for (const Key& k : points_at(b, kSmall, 32, index)) numbers.insert(k[0]);
      for (int64_t n : numbers) wanted.merge(points_at(a, kSmall, 32, index_of_number(n, a.shape)));
      ASSERT_EQ(points_at(*c, kSmall, 32, index), wanted)
          << print_layout(a, kSmall) << print_layout(b, kSmall) << print_layout(*c, kSmall);
    });
  }
  EXPECT_GT(done, 500);
  EXPECT_GT(refused, 200);
}

TEST(LayoutCompose, Associative) {
  std::mt19937 rng(42);
  int both = 0;
  for (int i = 0; i < 6000; ++i) {
    const Layout a = random_layout(rng, kSmall, 32, false, 2000);
    const Layout b = random_view(rng, elements(a));
    const Layout c = random_view(rng, elements(b));
    const auto ab = compose(a, b, kSmall, 32);
    const auto bc = compose(b, c, kSmall, 32);
    if (!ab || !bc) continue;
    const auto left = compose(*ab, c, kSmall, 32);
    const auto right = compose(a, *bc, kSmall, 32);
    if (!left || !right) continue;
    ++both;
    ASSERT_TRUE(same_meaning(*left, *right, kSmall, 32))
        << print_layout(a, kSmall) << print_layout(b, kSmall) << print_layout(c, kSmall) << "\n"
        << print_layout(*left, kSmall) << print_layout(*right, kSmall);
  }
  EXPECT_GT(both, 300);
}

TEST(LayoutCompose, Examples) {
  const Layout& a = layout_of("(64,16)/((8_L1B:1, 8:2), (2:1, 4_PE:1, 2_W:1))", full(), 32);
  // The identity on element numbers regroups; another order of digits transposes.
  EXPECT_TRUE(same_meaning(*compose(a, layout_of("(64,16)/((64:16), (16:1))", full(), 32), full(), 32), a, full(), 32));
  EXPECT_EQ(*compose(a, layout_of("(16,64)/((16:1), (64:16))", full(), 32), full(), 32),
            *transpose(a, full(), std::vector<int>{1, 0}));
  // Every second row: the other rows of the L1Bs hold nothing of it.
  EXPECT_EQ(print_layout(*compose(a, layout_of("(4,16)/((4:256), (16:1))", full(), 32), full(), 32), full()),
            "(4,16)/((4_L1B:2), (2:1, 4_PE:1, 2_W:1); B@[L2B, MAB]; S@[2_L1B:1])");
  // Sliding windows are no layout: two digits meet.
  EXPECT_FALSE(compose(a, layout_of("(4,2)/((4:1), (2:5))", full(), 32), full(), 32).ok());
  EXPECT_EQ(compose(a, a, full(), 32).error().def->name, "layout_compose");
  EXPECT_NE(
      compose(a, layout_of("(2)/((2:1024))", full(), 32), full(), 32).error().headline.find("reaches element 1024"),
      std::string::npos);
}

TEST(LayoutCompose, SplitMergeTile) {
  std::mt19937 rng(43);
  int tiles = 0, merges = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layout l = random_layout(rng, kSmall, 32, false, 800);
    const size_t rank = l.shape.size();
    std::vector<int64_t> extents;
    for (int64_t e : l.shape) {
      int64_t t = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(e));
      while (e % t != 0) --t;
      extents.push_back(t);
    }
    if (const auto t = tile(l, kSmall, 32, extents)) {
      ++tiles;
      each_index(t->shape, [&](const std::vector<int64_t>& index) {
        std::vector<int64_t> whole(rank);
        for (size_t d = 0; d < rank; ++d) whole[d] = index[d] * extents[d] + index[rank + d];
        ASSERT_EQ(points_at(*t, kSmall, 32, index), points_at(l, kSmall, 32, whole)) << print_layout(l, kSmall);
      });
    } else {
      ASSERT_EQ(t.error().def->name, "layout_reshape");
    }
    const int first = static_cast<int>(rng() % rank),
              count = 1 + static_cast<int>(rng() % (rank - static_cast<size_t>(first)));
    if (const auto m = merge(l, kSmall, 32, first, count)) {
      ++merges;
      ASSERT_EQ(m->shape.size(), rank - static_cast<size_t>(count) + 1);
      const auto back = split(*m, kSmall, 32, first,
                              std::span(l.shape).subspan(static_cast<size_t>(first), static_cast<size_t>(count)));
      ASSERT_TRUE(back.ok()) << print_layout(l, kSmall) << print_layout(*m, kSmall);
      each_index(l.shape, [&](const std::vector<int64_t>& index) {
        ASSERT_EQ(points_at(*back, kSmall, 32, index), points_at(l, kSmall, 32, index));
      });
      ASSERT_EQ(live_points(*m, kSmall, 32), live_points(l, kSmall, 32));
      ASSERT_EQ(padding_points(*m, kSmall, 32), padding_points(l, kSmall, 32));
    }
  }
  EXPECT_GT(tiles, 800);
  EXPECT_GT(merges, 800);
  // Padding of the outermost dim stays outermost.
  EXPECT_EQ(
      print_layout(*split(layout_of("(40)/((16_MAB:1, 4:1))", full(), 16), full(), 16, 0, std::vector<int64_t>{10, 4}),
                   full()),
      "(10,4)/((16_MAB:1), (4:1); B@[L2B, L1B, PE, W]; pad=any)");
  EXPECT_EQ(print_layout(*merge(layout_of("(3,4)/((4_PE:1), (4_W:1))", full(), 16), full(), 16, 0, 2), full()),
            "(12)/((4_PE:1, 4_W:1); B@[L2B, L1B, MAB]; pad=any)");
  EXPECT_FALSE(merge(layout_of("(4,3)/((4_PE:1), (4_W:1))", full(), 16), full(), 16, 0, 2).ok());
  EXPECT_EQ(print_layout(*tile(layout_of("(64,64)/((4_L1B:1, 16:4), (4:1, 4_PE:1, 4_W:1))", full(), 16), full(), 16,
                               std::vector<int64_t>{16, 16}),
                         full()),
            "(4,4,16,16)/((4_L1B:1), (4:1), (16:4), (4_PE:1, 4_W:1); B@[L2B, 2_L1B:4, MAB])");
  EXPECT_FALSE(split(layout_of("(4)/((4:1))", full(), 16), full(), 16, 1, std::vector<int64_t>{4}).ok());
  EXPECT_FALSE(merge(layout_of("(4)/((4:1))", full(), 16), full(), 16, 0, 2).ok());
  EXPECT_FALSE(tile(layout_of("(4)/((4:1))", full(), 16), full(), 16, std::vector<int64_t>{3}).ok());
}

TEST(LayoutCompose, ComplementFillsTheMachineOnce) {
  std::mt19937 rng(44);
  int done = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const Layout l = random_layout(rng, kSmall, 32, false, 300);
    const int64_t whole = rows(l) * (1 + static_cast<int64_t>(rng() % 3));
    const auto c = complement(l, kSmall, 32, whole);
    if (!c) {
      ++refused;
      ASSERT_EQ(c.error().def->name, "layout_complement");
      continue;
    }
    ++done;
    std::set<Key> seen;
    int64_t count = 0;
    std::vector<int64_t> padded;
    Layout all = l;  // its padding is a part of it
    for (size_t d = 0; d < l.dims.size(); ++d) all.shape[d] = dim_product(l.dims[d]);
    each_index(c->shape, [&](const std::vector<int64_t>& place) {
      const auto base = apply(*c, kSmall, 32, place);
      ASSERT_TRUE(base.ok());
      ASSERT_EQ(base->size(), 1u) << print_layout(l, kSmall) << print_layout(*c, kSmall);
      each_index(all.shape, [&](const std::vector<int64_t>& index) {
        for (Key k : points_at(all, kSmall, 32, index)) {
          const Key b = key(base->front());
          for (size_t a = 0; a < k.size(); ++a) k[a] += b[a];
          seen.insert(k);
          ++count;
        }
      });
    });
    ASSERT_EQ(count, whole * 4 * 6 * 2) << print_layout(l, kSmall) << print_layout(*c, kSmall);
    ASSERT_EQ(static_cast<int64_t>(seen.size()), count);
    for (const Key& k : seen) ASSERT_TRUE(k[0] < whole && k[1] < 4 && k[2] < 6 && k[3] < 2);
  }
  EXPECT_GT(done, 400);
  EXPECT_GT(refused, 100);
  EXPECT_EQ(print_layout(*complement(layout_of("(16)/((2:1, 4_PE:1, 2_W:1); S@[MAB]; B@[L1B]; S@[L2B])", full(), 32),
                                     full(), 32, 8),
                         full()),
            "(512)/((8_L2B:1, 16_MAB:1, 4:2); S@[L1B, PE, W])");
}

TEST(LayoutCompose, FootprintCountsPoints) {
  std::mt19937 rng(45);
  for (int i = 0; i < 500; ++i) {
    const Layout l = random_layout(rng, kSmall, 16, true, 2000);
    const Footprint f = footprint(l, kSmall, 16);
    ASSERT_EQ(f.points(), live_points(l, kSmall, 16) + padding_points(l, kSmall, 16));
    std::set<std::pair<int64_t, int64_t>> units;
    std::set<int64_t> addresses, lanes;
    Layout all = l;
    for (size_t d = 0; d < l.dims.size(); ++d) all.shape[d] = dim_product(l.dims[d]);
    each_index(all.shape, [&](const std::vector<int64_t>& index) {
      each_index(partial_extents(l, kSmall, 16), [&](const std::vector<int64_t>& part) {
        const auto points = apply(all, kSmall, 16, index, part);
        for (const Point& p : *points)
          units.emplace(p.at[0], p.at[1]), addresses.insert(p.address), lanes.insert(p.at[2]);
      });
    });
    ASSERT_EQ(f.units, static_cast<int64_t>(units.size())) << print_layout(l, kSmall);
    ASSERT_EQ(f.long_words, static_cast<int64_t>(addresses.size())) << print_layout(l, kSmall);
    ASSERT_EQ(f.lanes, static_cast<int64_t>(lanes.size())) << print_layout(l, kSmall);
    ASSERT_EQ(f.rows, *addresses.rbegin() + 1);
  }
  // 16 words in a PE, the same in all MABs: what the educational compiler's page says of its default layout.
  const Footprint f =
      footprint(layout_of("(256,16)/((8_L2B:1,4:2,8_L1B:1),(2:1,4_PE:1,2_W:1); B@[MAB])", full(), 32), full(), 32);
  EXPECT_EQ(f.long_words * f.lanes, 16);
  EXPECT_EQ(f.units, 4096);
}

}  // namespace
}  // namespace kumihimo
