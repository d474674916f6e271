// Laws of layouts, checked point by point: forwards after backwards, canonical equality, counts, reshaping.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

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

// The meaning of a layout written out: point -> (partial copy, padded index). Made with nothing but the definition:
// the coordinate of an axis is the sum of digit * stride.
std::map<Key, std::pair<Key, Key>> meaning(const Layout& l, const MachineTree& tree, int bits) {
  std::map<Key, std::pair<Key, Key>> out;
  std::vector<int64_t> padded, partial;
  std::vector<Iter> partial_iters, copies;
  for (const auto& dim : l.dims) padded.push_back(dim_product(dim));
  for (const Tail& t : l.tails) {
    Iter it = t.iter;
    if (it.extent == 0) it.extent = 64 / bits;
    if (t.kind == TailKind::kReplica) copies.push_back(it);
    if (t.kind == TailKind::kPartialSum || t.kind == TailKind::kPartialMax || t.kind == TailKind::kPartialMin)
      partial_iters.push_back(it), partial.push_back(it.extent);
  }
  std::vector<int64_t> copy_extents;
  for (const Iter& it : copies) copy_extents.push_back(it.extent);
  auto put = [](Point& p, const Iter& it, int64_t digit) {
    (it.axis < 0 ? p.address : p.at[static_cast<size_t>(it.axis)]) += digit * it.stride;
  };
  each_index(padded, [&](const std::vector<int64_t>& index) {
    each_index(partial, [&](const std::vector<int64_t>& part) {
      each_index(copy_extents, [&](const std::vector<int64_t>& copy) {
        Point p;
        for (const Tail& t : l.tails)
          if (t.kind == TailKind::kOffset) p.at[static_cast<size_t>(t.iter.axis)] += t.iter.extent;
        for (size_t d = 0; d < index.size(); ++d) {
          int64_t left = index[d];
          for (size_t i = l.dims[d].size(); i-- > 0;) {
            put(p, l.dims[d][i], left % l.dims[d][i].extent);
            left /= l.dims[d][i].extent;
          }
        }
        for (size_t i = 0; i < part.size(); ++i) put(p, partial_iters[i], part[i]);
        for (size_t i = 0; i < copy.size(); ++i) put(p, copies[i], copy[i]);
        const bool fresh = out.emplace(key(p), std::pair{part, index}).second;
        EXPECT_TRUE(fresh) << "two words at one point: " << print_layout(l, tree);
      });
    });
  });
  return out;
}

bool inside(const Key& index, const Layout& l) {
  for (size_t d = 0; d < index.size(); ++d)
    if (index[d] >= l.shape[d]) return false;
  return true;
}

TEST(LayoutAlgebra, ForwardsAndBackwardsAgreeWithTheDefinition) {
  std::mt19937 rng(11);
  for (int round = 0; round < 400; ++round) {
    const int bits = round % 2 == 0 ? 16 : 32;
    const Layout l = random_layout(rng, kSmall, bits, true, 4000);
    const auto points = meaning(l, kSmall, bits);
    // Counts.
    int64_t live = 0, padding = 0;
    for (const auto& [point, what] : points) (inside(what.second, l) ? live : padding) += 1;
    ASSERT_EQ(live, live_points(l, kSmall, bits)) << print_layout(l, kSmall);
    ASSERT_EQ(padding, padding_points(l, kSmall, bits)) << print_layout(l, kSmall);
    // Every point of the machine, also those that hold nothing.
    int64_t last_address = 0;
    for (const auto& [point, what] : points) last_address = std::max(last_address, point[0]);
    ASSERT_EQ(rows(l), last_address + 1);
    Point p;
    for (p.address = 0; p.address <= last_address; ++p.address)
      for (p.at[0] = 0; p.at[0] < 4; ++p.at[0])
        for (p.at[1] = 0; p.at[1] < 6; ++p.at[1])
          for (p.at[2] = 0; p.at[2] < 64 / bits; ++p.at[2]) {
            const Inverse inv = inverse(l, kSmall, bits, p);
            const auto found = points.find(key(p));
            if (found == points.end()) {
              ASSERT_EQ(inv.holds, Holds::kNothing) << print_layout(l, kSmall);
              continue;
            }
            ASSERT_EQ(inv.holds, inside(found->second.second, l) ? Holds::kElement : Holds::kPadding)
                << print_layout(l, kSmall);
            ASSERT_EQ(inv.partial, found->second.first);
            ASSERT_EQ(inv.index, found->second.second);
          }
    // Forwards: all points of an element, each once.
    each_index(l.shape, [&](const std::vector<int64_t>& index) {
      each_index(partial_extents(l, kSmall, bits), [&](const std::vector<int64_t>& part) {
        const auto held = apply(l, kSmall, bits, index, part);
        ASSERT_TRUE(held.ok());
        std::set<Key> seen;
        for (const Point& q : *held) {
          seen.insert(key(q));
          const auto found = points.find(key(q));
          ASSERT_NE(found, points.end());
          ASSERT_EQ(found->second, std::pair(part, index));
        }
        ASSERT_EQ(static_cast<int64_t>(seen.size()), copies(l, kSmall, bits));
      });
    });
  }
}

// All layouts of one dim with up to three digits on a tiny machine, compared pairwise by their points.
TEST(LayoutAlgebra, CanonicalFormsAreEqualExactlyWhenMeaningsAre) {
  static constexpr AxisDef axes[] = {{"A", AxisKind::kLevel, 4, 0, "", "", 'O'},
                                     {"W", AxisKind::kLane, 0, 0, "", "", 'O'}};
  static constexpr LocationDef locations[] = {{"M", 0, 1, 64, 1, -1, false, "", "", 'O'}};
  static constexpr MachineTree tree{"tiny", axes, locations, 64};
  std::vector<Iter> choices;
  for (int64_t e : {1, 2, 3, 4})
    for (int16_t axis : {int16_t{-1}, int16_t{0}})
      for (int64_t s : {1, 2, 3, 4}) choices.push_back({e, axis, s});
  std::map<std::string, std::vector<std::map<Key, std::pair<Key, Key>>>> by_canonical;
  std::map<std::map<Key, std::pair<Key, Key>>, std::set<std::string>> by_meaning;
  int count = 0;
  auto add = [&](std::vector<Iter> iters, std::vector<Tail> tails) {
    Layout raw;
    raw.dims = {std::move(iters)};
    raw.shape = {dim_product(raw.dims[0])};
    raw.tails = std::move(tails);
    Result<Layout> normal = normalise(raw, tree, 32);
    if (!normal) return;
    ++count;
    const std::string canon = print_layout(canonical(*normal, tree, 32), tree);
    by_meaning[meaning(*normal, tree, 32)].insert(canon);
    by_canonical[canon].push_back(meaning(*normal, tree, 32));
  };
  for (const Iter& a : choices) {
    add({a}, {});
    for (const Iter& b : choices) {
      add({a, b}, {});
      if (b.axis == 0) {
        add({a}, {{TailKind::kReplica, b}});
        add({a}, {{TailKind::kSingle, b}});
        add({a}, {{TailKind::kPartialSum, b}});
        add({a}, {{TailKind::kSingle, {0, 0, 1}}, {TailKind::kOffset, {b.stride, 0, 1}}});
      }
      for (const Iter& c : choices) add({a, b, c}, {});
    }
  }
  EXPECT_GT(count, 5000);
  EXPECT_GT(by_meaning.size(), 200u);
  for (const auto& [points, forms] : by_meaning)
    EXPECT_EQ(forms.size(), 1u) << *forms.begin() << " and " << *forms.rbegin();
  for (const auto& [form, meanings] : by_canonical)
    for (const auto& m : meanings) ASSERT_EQ(m, meanings.front()) << form;
}

TEST(LayoutAlgebra, NormalFormIsStableAndInterned) {
  std::mt19937 rng(3);
  for (int i = 0; i < 2000; ++i) {
    const Layout l = random_layout(rng, full(), 16, true, int64_t{1} << 40);
    Result<Layout> again = normalise(l, full(), 16);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(*again, l) << print_layout(l, full());
    ASSERT_EQ(intern(*again, full()), intern(l, full()));
    ASSERT_TRUE(same_meaning(l, *again, full(), 16));
  }
  const Layout& a = layout_of("(8)/((8:1))", full());
  EXPECT_NE(&a, intern(a, kSmall)) << "layouts of two machines are two layouts";
}

TEST(LayoutAlgebra, CapacityIsCheckedAgainstTheImage) {
  const int lm0 = full().find_location("LM0"), l1bm = full().find_location("L1BM");
  EXPECT_TRUE(check_capacity(layout_of("(2048)/((2048:1))", full()), full(), lm0, 16).ok());
  const auto r = check_capacity(layout_of("(2049)/((2049:1))", full()), full(), lm0, 16);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().def->name, "layout_capacity");
  // 128 rows of 64 slots are an L1BM; 129 are too many.
  EXPECT_TRUE(check_capacity(layout_of("(128,16)/((128:1),(16_MAB:1))", full()), full(), l1bm, 16).ok());
  EXPECT_FALSE(check_capacity(layout_of("(129,16)/((129:1),(16_MAB:1))", full()), full(), l1bm, 16).ok());
}

// --- reshaping --------------------------------------------------------------------------------------------------------

std::vector<Point> points_at(const Layout& l, const MachineTree& tree, int bits, std::span<const int64_t> index) {
  auto r = apply(l, tree, bits, index);
  EXPECT_TRUE(r.ok());
  std::vector<Point> p = r.ok() ? *r : std::vector<Point>{};
  std::sort(p.begin(), p.end(), [](const Point& a, const Point& b) { return key(a) < key(b); });
  return p;
}

TEST(LayoutAlgebra, TransposeMovesNoWord) {
  std::mt19937 rng(5);
  for (int i = 0; i < 100; ++i) {
    const Layout l = random_layout(rng, kSmall, 32, false, 1000);
    std::vector<int> order(l.shape.size());
    for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
    std::shuffle(order.begin(), order.end(), rng);
    const auto t = transpose(l, kSmall, order);
    ASSERT_TRUE(t.ok());
    each_index(l.shape, [&](const std::vector<int64_t>& index) {
      std::vector<int64_t> moved;
      for (int d : order) moved.push_back(index[static_cast<size_t>(d)]);
      ASSERT_EQ(points_at(l, kSmall, 32, index), points_at(*t, kSmall, 32, moved));
    });
  }
  EXPECT_FALSE(transpose(layout_of("(2,2)/((2:1),(2:2))", kSmall), kSmall, std::vector<int>{0, 0}).ok());
}

TEST(LayoutAlgebra, ReshapeKeepsRowMajorOrder) {
  std::mt19937 rng(6);
  int done = 0, refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const Layout l = random_layout(rng, kSmall, 32, false, 800);
    // A random factorisation of the element count.
    std::vector<int64_t> shape{elements(l)};
    for (int k = 0; k < 3; ++k) {
      const size_t at = rng() % shape.size();
      const int64_t f = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(shape[at]));
      if (shape[at] % f == 0) {
        shape[at] /= f;
        shape.insert(shape.begin() + static_cast<ptrdiff_t>(at + rng() % 2), f);
      }
    }
    const auto r = reshape(l, kSmall, 32, shape);
    if (!r) {
      ++refused;
      ASSERT_EQ(r.error().def->name, "layout_reshape");
      continue;
    }
    ++done;
    std::vector<std::vector<int64_t>> news;
    each_index(shape, [&](const std::vector<int64_t>& index) { news.push_back(index); });
    size_t n = 0;
    each_index(l.shape, [&](const std::vector<int64_t>& index) {
      ASSERT_EQ(points_at(l, kSmall, 32, index), points_at(*r, kSmall, 32, news[n]))
          << print_layout(l, kSmall) << print_layout(*r, kSmall);
      ++n;
    });
  }
  EXPECT_GT(done, 300);
  EXPECT_GT(refused, 100);
  // Splitting heads off a projection, a padded dim untouched beside it.
  const auto heads = reshape(layout_of("(9,512)/((16:32),(4_PE:1, 32:1, 4_W:1))", full(), 16), full(), 16,
                             std::vector<int64_t>{9, 8, 64});
  ASSERT_TRUE(heads.ok());
  EXPECT_EQ(print_layout(*heads, full()),
            "(9,8,64)/((16:32), (4_PE:1, 2:16), (16:1, 4_W:1); B@[L2B, L1B, MAB]; pad=any)");
}

TEST(LayoutAlgebra, SliceHoldsTheSameWords) {
  std::mt19937 rng(8);
  int done = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const Layout l = random_layout(rng, kSmall, 32, false, 600);
    const size_t dim = rng() % l.shape.size();
    const int64_t begin = static_cast<int64_t>(rng() % static_cast<uint64_t>(l.shape[dim]));
    const int64_t extent = 1 + static_cast<int64_t>(rng() % static_cast<uint64_t>(l.shape[dim] - begin));
    const auto r = slice(l, kSmall, 32, static_cast<int>(dim), begin, extent);
    if (!r) {
      ++refused;
      ASSERT_EQ(r.error().def->name, "layout_slice");
      continue;
    }
    ++done;
    each_index(r->layout.shape, [&](std::vector<int64_t> index) {
      std::vector<Point> sliced = points_at(r->layout, kSmall, 32, index);
      for (Point& p : sliced) p.address += r->address;
      index[dim] += begin;
      ASSERT_EQ(sliced, points_at(l, kSmall, 32, index)) << print_layout(l, kSmall) << "\n"
                                                         << print_layout(r->layout, kSmall);
    });
  }
  EXPECT_GT(done, 1000);
  EXPECT_GT(refused, 300);
}

TEST(LayoutAlgebra, PackAddressesIsDense) {
  const Layout& l = layout_of("(3,4,2)/((3:100),(4:7),(2:1))", full());
  EXPECT_EQ(print_dims(pack_addresses(l, full()), full()), "((3:8), (4:2), (2:1); B@[L2B, L1B, MAB, PE, W])");
}

TEST(LayoutAlgebra, WhoHolds) {
  const Layout& k =
      layout_of("(3,1,64,64)/((4_L2B:2), (), (16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1); B@[2_L2B:1, L1B])", full(), 16);
  EXPECT_EQ(*who_holds(k, full(), 16, std::vector<int64_t>{1, 0, 9, 22}),
            "element (1,0,9,22): L2B 2,3, L1B 0..7, MAB 2, PE 1, address 5, lane 2 (16 copies)");
  const Layout& m = layout_of("(4)/((4_PE:1); P>@[MAB])", full(), 32);
  EXPECT_EQ(*who_holds(m, full(), 32, std::vector<int64_t>{3}),
            "element (3): L2B 0..7, L1B 0..7, MAB 0..15 (partial), PE 3, address 0, lane 0,1 (128 copies)");
  const auto bad = who_holds(k, full(), 16, std::vector<int64_t>{3, 0, 0, 0});
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().def->name, "layout_index");
}

}  // namespace
}  // namespace kumihimo
