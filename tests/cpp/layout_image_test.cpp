// Images: against the transfer formulas of the ISA notes, written out here once more, and against the rule itself.
#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "core/layout/image.h"
#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/layout_test_util.h"

namespace kumihimo {
namespace {

using test::kSmall;
using test::layout_of;
using test::random_layout;

const MachineTree& full() { return mncore2::find_machine("mncore2")->tree; }
const MachineTree& tiny() { return mncore2::find_machine("mncore2-tiny")->tree; }
int loc(std::string_view name, const MachineTree& tree = full()) { return tree.find_location(name); }

ImageMap map_of(const Layout& l, std::string_view location, int bits, const MachineTree& tree = full()) {
  Result<ImageMap> m = image_map(l, tree, loc(location, tree), bits);
  EXPECT_TRUE(m.ok()) << (m.ok() ? "" : render_text(m.error()));
  return std::move(*m);
}

// The worked attention example, T = 64.
constexpr const char* kQ =
    "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 16:1), (4:16, 4_PE:1, 4_W:1); B@[MAB])";
constexpr const char* kK = "(3,1,64,64)/((4_L2B:2), (), (16_MAB:1, 4:1), (4:4, 4_PE:1, 4_W:1); B@[2_L2B:1, L1B])";
constexpr const char* kMask = "(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1); B@[L2B, 2_L1B:4])";
constexpr const char* kS =
    "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))";
constexpr const char* kM = "(3,3,64,1)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (); P>@[MAB])";

TEST(LayoutImage, WorkedAttentionSizes) {
  struct Row {
    const char* text;
    int bits;
    int64_t rows_per_pe, dram_lw;  // 0: never in DRAM
  };
  for (const Row& r : {Row{kQ, 16, 64, 2 * 2048}, Row{kK, 16, 16, 1024}, Row{kMask, 16, 4, 2048}, Row{kS, 32, 8, 0},
                       Row{kM, 32, 2, 0}}) {
    const Layout& l = layout_of(r.text, full(), r.bits);
    EXPECT_EQ(rows(l), r.rows_per_pe) << r.text;
    EXPECT_EQ(*image_lw(l, full(), loc("LM"), r.bits), r.rows_per_pe) << r.text;
    if (r.dram_lw != 0) {
      EXPECT_EQ(*image_lw(l, full(), loc("DRAM"), r.bits), r.dram_lw) << r.text;
    }
  }
  // The group's image of q is two images of 2,048 long words, one for each L2B; of k and the mask there is one.
  const ImageMap q = map_of(layout_of(kQ, full(), 16), "DRAM", 16);
  EXPECT_EQ(q.units(), 4);
  EXPECT_EQ(q.copies(), 1);
  EXPECT_EQ(*image_lw(layout_of(kQ, full(), 16), full(), loc("L2BM"), 16), 2048);
  EXPECT_EQ(*image_lw(layout_of(kQ, full(), 16), full(), loc("L1BM"), 16), 256);
  const ImageMap mask = map_of(layout_of(kMask, full(), 16), "DRAM", 16);
  EXPECT_EQ(mask.copies(), 4 * 2);  // four groups, and the slots of 2_L1B:4
  EXPECT_EQ(mask.words(), 64 * 64 * 8);
  EXPECT_EQ(map_of(layout_of(kK, full(), 16), "DRAM", 16).copies(), 1);
  EXPECT_EQ(map_of(layout_of(kK, full(), 16), "LM1", 16).copies(), 2 * 8);
  EXPECT_EQ(map_of(layout_of(kM, full(), 32), "T", 32).partial(), std::vector<int64_t>{16});
}

// The other sizes that the example states: T = 128, and the decode step with partial maxima.
TEST(LayoutImage, WorkedAttentionOtherSizes) {
  EXPECT_EQ(rows(layout_of("(3,4,128,128)/((4_L2B:2), (2_L2B:1, 2:16), (8_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 8:2))",
                           full(), 32)),
            32);
  const Layout& q = layout_of("(2,1,16)/((2_PE:2), (1:1), (4_W:1, 2:1, 2:2))", full(), 16);
  EXPECT_EQ(print_layout(q, full()), "(2,1,16)/((2_PE:2), (), (4_W:1, 2:1, 2:2); B@[L2B, L1B, MAB, 2_PE:1])");
  EXPECT_EQ(*image_lw(q, full(), loc("L1BM"), 16), 64);  // 4 rows of 4 PE slots, two of them copies, rounded up
  EXPECT_EQ(map_of(q, "L1BM", 16).copies(), 64 * 2);
  const Layout& qk = layout_of("(2,1,2048)/((2_PE:2), (1:1), (16:8, 8:1, 2_PE:1, 8_MAB:1); S@[W])", full(), 32);
  EXPECT_EQ(rows(qk), 128);
  EXPECT_EQ(*image_lw(qk, full(), loc("L1BM"), 32), 128 * 64);
  const auto m = reduce_dim(qk, full(), 32, 2, TailKind::kPartialMax, true, FreedLanes::kReplica);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(print_layout(*m, full()), "(2,1,1)/((2_PE:2), (), (); B@[L2B, L1B, 2_MAB:8]; S@[W]; P>@[8_MAB:1, 2_PE:1])");
  // The same layout as it stands in the text, where S@[W] is left out.
  EXPECT_EQ(partial_extents(layout_of("(2,1,1)/((2_PE:2), (), (); P>@[2_PE:1, 8_MAB:1])", full(), 32), full(), 32),
            (std::vector<int64_t>{8, 2}));
}

// Forward the words of a group's DRAM through mvp, l2bmd and l1bmm as the ISA notes write them; each PE must then
// hold q[kv][r][t][c] where its layout says: row t%16 + 16*(c/16), PE c/4%4, lane c%4.
TEST(LayoutImage, QueriesFollowTheTransferFormulas) {
  const Layout& l = layout_of(kQ, full(), 16);
  const ImageMap map = map_of(l, "DRAM", 16);
  std::vector<uint8_t> elements(3 * 3 * 64 * 64 * 2);
  std::mt19937 rng(1);
  for (uint8_t& b : elements) b = static_cast<uint8_t>(rng());
  std::vector<uint64_t> image(static_cast<size_t>(map.total_lw()));
  pack(map, elements, image, {0xeeeeeeeeeeeeeeeeull, {}});
  auto element = [&](int kv, int r, int t, int c) {
    const size_t at = static_cast<size_t>(((kv * 3 + r) * 64 + t) * 64 + c) * 2;
    return static_cast<uint16_t>(elements[at] | elements[at + 1] << 8);
  };
  for (int g = 0; g < 3; ++g)
    for (int s = 0; s < 2; ++s) {
      std::vector<uint64_t> l2bm(2048), l1bm(256), pe(64);
      for (int k = 0; k < 2048; ++k)
        l2bm[static_cast<size_t>(k)] =
            image[static_cast<size_t>(g * map.unit_lw() + s * 2048 + k)];  // mvp $d(2048 s) $lc0@.s
      for (int b = 0; b < 8; ++b) {
        for (int step = 0; step < 8; ++step)  // l2bmd $lc(256 step) $lb(32 step)
          for (int c = 0; c < 4; ++c)
            for (int k = 0; k < 8; ++k)
              l1bm[static_cast<size_t>(32 * step + 8 * c + k)] =
                  l2bm[static_cast<size_t>(256 * step + 64 * c + 8 * b + k)];
        for (int p = 0; p < 4; ++p) {
          for (int step = 0; step < 16; ++step)  // l1bmm $lb(16 step) $lm(2*4*step)v
            for (int c = 0; c < 4; ++c)
              pe[static_cast<size_t>(4 * step + c)] = l1bm[static_cast<size_t>(16 * step + 4 * c + p)];
          const int r = 2 * s + b / 4;
          if (r == 3) continue;
          for (int t_low = 0; t_low < 16; ++t_low)
            for (int c_high = 0; c_high < 4; ++c_high)
              for (int w = 0; w < 4; ++w) {
                const uint64_t word = pe[static_cast<size_t>(t_low + 16 * c_high)];
                const auto half = static_cast<uint16_t>(word >> (48 - 16 * w));
                ASSERT_EQ(half, element(g, r, b % 4 * 16 + t_low, c_high * 16 + p * 4 + w));
              }
        }
      }
    }
  // Padding (kv = 3, r = 3) keeps the fill.
  EXPECT_EQ(image[static_cast<size_t>(3 * map.unit_lw())], 0xeeeeeeeeeeeeeeeeull);
}

// l1bmd: row r of PE p of MAB m at 64r + 4m + p; l1bmm at 4r + p; l1bmp at r; l2bmd: word a of L1B b at 64(a/8) + 8b + a%8.
TEST(LayoutImage, SlotRules) {
  auto address = [](const char* text, std::string_view location, int64_t element, int64_t copy = 0) {
    return map_of(layout_of(text, full(), 64), location, 64).place(element, 0, copy).address;
  };
  const char* all = "(5,16,4)/((5:1), (16_MAB:1), (4_PE:1))";
  for (int r = 0; r < 5; ++r)
    for (int m = 0; m < 16; ++m)
      for (int p = 0; p < 4; ++p) EXPECT_EQ(address(all, "L1BM", (r * 16 + m) * 4 + p), 64 * r + 4 * m + p);
  const char* pes = "(5,4)/((5:1), (4_PE:1))";
  for (int r = 0; r < 5; ++r)
    for (int p = 0; p < 4; ++p) EXPECT_EQ(address(pes, "L1BM", r * 4 + p), 4 * r + p);
  EXPECT_EQ(address("(5)/((5:1))", "L1BM", 4), 4);
  // MAB alone: l1bmd all the same, with the four PE slots holding copies.
  const char* mabs = "(5,16)/((5:1), (16_MAB:1))";
  for (int p = 0; p < 4; ++p) EXPECT_EQ(address(mabs, "L1BM", 3 * 16 + 7, p), 64 * 3 + 4 * 7 + p);
  EXPECT_EQ(map_of(layout_of(mabs, full(), 64), "L1BM", 64).copies(), 64 * 4);  // 64 L1Bs, 4 PE slots
  // Half of the MABs: the full image, the other half copies.
  const char* half = "(3,8)/((3:1), (8_MAB:1), ; B@[PE])";
  EXPECT_FALSE(parse_layout(half, {&full(), 64, {}, nullptr}).ok());
  const char* part = "(3,8,4)/((3:1), (8_MAB:1), (4_PE:1))";
  EXPECT_EQ(address(part, "L1BM", (2 * 8 + 5) * 4 + 1, 1), 64 * 2 + 4 * (5 + 8) + 1);
  EXPECT_EQ(*image_lw(layout_of(part, full(), 64), full(), loc("L1BM"), 64), 192);
  // L1B slots over each of the three images.
  const char* b1 = "(20,8)/((20:1), (8_L1B:1))";
  for (int a = 0; a < 20; ++a)
    for (int b = 0; b < 8; ++b) EXPECT_EQ(address(b1, "L2BM", a * 8 + b), 64 * (a / 8) + 8 * b + a % 8);
  const char* b3 = "(3,8,16,4)/((3:1), (8_L1B:1), (16_MAB:1), (4_PE:1))";
  for (int r = 0; r < 3; ++r)
    for (int b = 0; b < 8; ++b)
      for (int m = 0; m < 16; ++m)
        for (int p = 0; p < 4; ++p) {
          const int a = 64 * r + 4 * m + p;
          EXPECT_EQ(address(b3, "L2BM", ((r * 8 + b) * 16 + m) * 4 + p), 64 * (a / 8) + 8 * b + a % 8);
        }
  // Naming only the group leaves one image per group, naming the L2B in it makes two.
  EXPECT_EQ(*image_lw(layout_of("(4,10)/((4_L2B:2), (10:1))", full(), 64), full(), loc("DRAM"), 64), 64);
  EXPECT_EQ(*image_lw(layout_of("(8,10)/((8_L2B:1), (10:1))", full(), 64), full(), loc("DRAM"), 64), 128);
  EXPECT_EQ(address("(8,10)/((8_L2B:1), (10:1))", "DRAM", 3 * 10 + 7), 64 + 7);
  EXPECT_EQ(map_of(layout_of("(8,10)/((8_L2B:1), (10:1))", full(), 64), "DRAM", 64).place(37).unit, 1);
  // An extent-1 digit names its level.
  EXPECT_EQ(*image_lw(layout_of("(8)/((1_L1B:1, 8:1))", full(), 64), full(), loc("L2BM"), 64), 64);
  EXPECT_EQ(*image_lw(layout_of("(65)/((1_L1B:1, 65:1))", full(), 64), full(), loc("L2BM"), 64), 9 * 64);
  // The small machine keeps the row of 64 in its L2BM.
  const ImageMap t = map_of(layout_of("(20,2)/((20:1), (2_L1B:1))", tiny(), 64), "L2BM", 64, tiny());
  EXPECT_EQ(t.place(9 * 2 + 1).address, 64 + 8 + 1);
  EXPECT_EQ(t.units(), 1);
  EXPECT_EQ(map_of(layout_of("(4)/((4:1))", tiny(), 64), "DRAM", 64, tiny()).units(), 1);
}

TEST(LayoutImage, UnitsAreLinearPeNumbers) {
  const ImageMap m = map_of(layout_of("(4096)/((8_L2B:1, 8_L1B:1, 16_MAB:1, 4_PE:1))", full(), 64), "LM0", 64);
  for (int64_t i = 0; i < 4096; ++i) ASSERT_EQ(m.place(i), (Place{i, 0, 0}));
  EXPECT_EQ(m.used_units().size(), 4096u);
  EXPECT_EQ(map_of(layout_of("(2)/((2_PE:2); S@[L2B, L1B, MAB, 2_PE:1])", full(), 64), "LM0", 64).used_units(),
            (std::vector<int64_t>{0, 2}));
}

// Every location, random layouts: pack against the definition (inverse of each point), unpack and compare.
void check_round_trip(const Layout& l, const MachineTree& tree, int location, int bits, std::mt19937& rng) {
  Result<ImageMap> built = image_map(l, tree, location, bits);
  ASSERT_TRUE(built.ok()) << render_text(built.error());
  const ImageMap& map = *built;
  const int bytes = bits / 8;
  std::vector<uint8_t> elements(static_cast<size_t>(map.elements() * map.partial_count() * bytes));
  for (uint8_t& b : elements) b = static_cast<uint8_t>(rng());
  const uint64_t fill = 0x1234567812345678ull, pad = 0x55aa55aa55aa55aaull;
  std::vector<uint64_t> image(static_cast<size_t>(map.total_lw()), 1);
  const bool padded = l.pad == PadKind::kValue;
  pack(map, elements, image, {fill, padded ? std::optional<uint64_t>(pad) : std::nullopt});
  const std::string text =
      print_layout(l, tree) + "@" + std::string(tree.locations[static_cast<size_t>(location)].name);

  // Slot by slot from the elements: a map of what must stand where.
  std::map<std::tuple<int64_t, int64_t, int64_t>, uint64_t> expected;
  for (int64_t p = 0; p < map.partial_count(); ++p)
    for (int64_t c = 0; c < map.copies(); ++c)
      for (int64_t e = 0; e < map.elements(); ++e) {
        const Place at = map.place(e, p, c);
        uint64_t value = 0;
        std::memcpy(&value, elements.data() + (p * map.elements() + e) * bytes, static_cast<size_t>(bytes));
        ASSERT_GE(at.address, 0);
        ASSERT_LT(at.address, map.unit_lw()) << text;
        ASSERT_LT(at.unit, map.units()) << text;
        ASSERT_TRUE(expected.emplace(std::tuple(at.unit, at.address, at.lane), value).second)
            << "two words in one slot: " << text;
      }
  ASSERT_EQ(static_cast<int64_t>(expected.size()), map.words()) << text;
  const int64_t lanes = 64 / bits;
  const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  int64_t pads = 0;
  for (int64_t u = 0; u < map.units(); ++u)
    for (int64_t a = 0; a < map.unit_lw(); ++a)
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int shift = static_cast<int>(64 - bits * (lane + 1));
        const uint64_t found = image[static_cast<size_t>(u * map.unit_lw() + a)] >> shift & mask;
        const auto it = expected.find({u, a, lane});
        if (it != expected.end()) {
          ASSERT_EQ(found, it->second) << text << " unit " << u << " address " << a << " lane " << lane;
        } else if (found != (fill >> shift & mask)) {
          ASSERT_TRUE(padded && found == (pad & mask)) << text;
          ++pads;
        }
      }
  if (padded && map.copies() == copies(l, tree, bits)) {
    ASSERT_EQ(pads, padding_points(l, tree, bits)) << text;
  }

  for (int64_t c : {int64_t{0}, map.copies() - 1}) {
    std::vector<uint8_t> back(elements.size(), 0);
    unpack(map, image, back, c);
    ASSERT_EQ(back, elements) << text;
  }
  Comparison same = compare_all_copies(map, image, elements);
  ASSERT_EQ(same.words_compared, map.words()) << text;
  ASSERT_EQ(same.mismatches, 0) << text;
  ASSERT_FALSE(same.first.has_value());
  // One wrong bit in one copy is found, and only there.
  const int64_t p = static_cast<int64_t>(rng() % static_cast<uint64_t>(map.partial_count()));
  const int64_t c = static_cast<int64_t>(rng() % static_cast<uint64_t>(map.copies()));
  const int64_t e = static_cast<int64_t>(rng() % static_cast<uint64_t>(map.elements()));
  const Place at = map.place(e, p, c);
  image[static_cast<size_t>(at.unit * map.unit_lw() + at.address)] ^= 1ull << (64 - bits * (at.lane + 1));
  Comparison wrong = compare_all_copies(map, image, elements);
  ASSERT_EQ(wrong.words_compared, map.words());
  ASSERT_EQ(wrong.mismatches, 1) << text;
  ASSERT_EQ(std::tuple(wrong.first->element, wrong.first->partial, wrong.first->copy), std::tuple(e, p, c));
  ASSERT_EQ(wrong.first->place, at);
  ASSERT_EQ(wrong.first->expected ^ wrong.first->found, 1u);
}

TEST(LayoutImage, PackUnpackCompareOnRandomLayouts) {
  std::mt19937 rng(21);
  for (int round = 0; round < 600; ++round) {
    const int bits = std::array{8, 16, 32, 64}[static_cast<size_t>(round % 4)];
    const Layout l = random_layout(rng, kSmall, bits, true, 3000);
    for (int location = 0; location < 3; ++location) {
      check_round_trip(l, kSmall, location, bits, rng);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LayoutImage, PackUnpackCompareOnTheMachine) {
  std::mt19937 rng(22);
  for (const MachineTree* tree : {&full(), &tiny()})
    for (int round = 0; round < 60; ++round) {
      const int bits = std::array{16, 32, 64}[static_cast<size_t>(round % 3)];
      const Layout l = random_layout(rng, *tree, bits, true, 30000);
      for (const char* name : {"DRAM", "L2BM", "L1BM", "LM0"}) {
        check_round_trip(l, *tree, loc(name, *tree), bits, rng);
        if (HasFatalFailure()) return;
      }
    }
}

// The fast sums and the rule agree: point by point, an image in the innermost memory is the layout itself.
TEST(LayoutImage, InnermostImageIsTheLayout) {
  std::mt19937 rng(23);
  for (int round = 0; round < 200; ++round) {
    const Layout l = random_layout(rng, kSmall, 32, false, 500);
    const ImageMap map = map_of(l, "LOW", 32, kSmall);
    for (int64_t e = 0; e < map.elements(); ++e) {
      std::vector<int64_t> index(l.shape.size());
      int64_t left = e;
      for (size_t d = index.size(); d-- > 0;) index[d] = left % l.shape[d], left /= l.shape[d];
      const auto points = apply(l, kSmall, 32, index);
      ASSERT_TRUE(points.ok());
      ASSERT_EQ(static_cast<int64_t>(points->size()), map.copies());
      for (int64_t c = 0; c < map.copies(); ++c) {
        const Point& p = (*points)[static_cast<size_t>(c)];
        ASSERT_EQ(map.place(e, 0, c), (Place{p.at[0] * 6 + p.at[1], p.address, p.at[2]}));
      }
    }
  }
}

// Rows that are no whole number of slots: 12 rows in one dim beside 3 in another cross the L1B quantum of 8.
TEST(LayoutImage, OddRowsCrossSlotRows) {
  std::mt19937 rng(24);
  const Layout& l = layout_of("(8,12,3)/((8_L1B:1), (12:1), (3:12))", full(), 16);
  const ImageMap map = map_of(l, "L2BM", 16);
  EXPECT_EQ(map.place((5 * 12 + 11) * 3 + 2).address, (11 + 24) / 8 * 64 + 8 * 5 + (11 + 24) % 8);
  check_round_trip(l, full(), loc("L2BM"), 16, rng);
}

// Shapes with rows long enough for the outer loops: whole long words, woven lanes, single elements, copies of units.
TEST(LayoutImage, LongRows) {
  std::mt19937 rng(25);
  struct Row {
    const char* text;
    int bits;
  };
  for (const Row& r :
       {Row{"(64,300)/((16:300, 4_W:1), (300:1))", 16},
        Row{"(8,2,300)/((2:600, 4_W:1), (2:300), (300:1); P+@[2_MAB:8])", 16},
        Row{"(3,2,600)/((4:600), (2_W:1), (2_PE:1, 300:2, 2:1); pad=0)", 32},
        Row{"(2,8,300)/((2:600), (2:300, 4_W:1), (300:1))", 16}, Row{"(7,300)/((2:300, 4_W:1), (300:1); pad=-inf)", 16},
        Row{"(3,5,512)/((2_L1B:1, 2:640), (5:128), (128:1, 4_W:1))", 16},
        Row{"(4,300)/((2:300, 2_W:2), (300:1); B@[2_W:1])", 16}, Row{"(4,300)/((2_W:2, 2_W:1), (300:1))", 16},
        Row{"(4,300)/((2_W:1, 2_W:2), (300:1))", 16}, Row{"(16,300)/((2:300, 8_W:1), (300:1))", 8},
        Row{"(5,300)/((5:300), (300:1); B@[PE, MAB])", 64},
        Row{"(5,2,300)/((5:300), (2_W:1), (300:1); P>@[4_MAB:4]; S@[4_MAB:1])", 32}})
    for (const char* name : {"DRAM", "L2BM", "L1BM", "LM0"}) {
      check_round_trip(layout_of(r.text, tiny(), r.bits), tiny(), loc(name, tiny()), r.bits, rng);
      if (HasFatalFailure()) return;
    }
  for (const char* name : {"DRAM", "L1BM"})
    check_round_trip(layout_of("(2,40,256)/((2_L2B:4), (40:64), (64:1, 4_W:1); B@[2_L2B:2])", full(), 16), full(),
                     loc(name), 16, rng);
}

TEST(LayoutImage, Refusals) {
  auto r = image_map(layout_of("(4,4)/((4_Time:1), (4:1))", full()), full(), loc("LM0"), 16);
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().def->name, "layout_image");
  EXPECT_FALSE(image_map(layout_of("(4)/((4:1))", full()), full(), -1, 16).ok());
  EXPECT_FALSE(image_map(layout_of("(1000000000)/((1000000000:1))", full()), full(), loc("DRAM"), 16).ok());
  EXPECT_FALSE(image_map(layout_of("(4)/((4:1))", full()), full(), loc("LM0"), 24).ok());
  EXPECT_FALSE(image_map(layout_of("(2,4)/((2:1099511627775), (4_PE:1))", full()), full(), loc("DRAM"), 16).ok());
}

}  // namespace
}  // namespace kumihimo
