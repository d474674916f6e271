// The difference of two layouts: routes against a search over all ways, lists carried out on images, counts.
#include <gtest/gtest.h>

#include <map>
#include <queue>
#include <set>

#include "core/layout/difference.h"
#include "core/layout/hop_tree.h"
#include "core/layout/image.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"
#include "tests/cpp/layout_test_util.h"

namespace kumihimo {
namespace {

using layout_detail::HopTree;
using layout_detail::Node;
using layout_detail::NodeSet;
using test::each_index;
using test::kSmall;
using test::layout_of;
using test::random_layout_of_shape;

const MachineTree& full() { return mncore2::find_machine("mncore2")->tree; }

// --- minimality: fewest words on hops, found by trying every order of single words ------------------------------------

constexpr HopDef hop(int upper, int lower) { return {upper, lower, 1, 1, "", "", "", "", "", "", "", 'O'}; }
constexpr AxisDef level(const char* name, int64_t extent) { return {name, AxisKind::kLevel, extent, 0, "", "", 'O'}; }
constexpr LocationDef memory(const char* name, int axis, int64_t granule = 1) {
  return {name, axis, granule, 1 << 20, 1, -1, false, "", "", 'O'};
}

constexpr AxisDef kTwoAxes[] = {level("A", 2), level("B", 3)};
constexpr LocationDef kTwoMemories[] = {memory("MID", 0), memory("LOW", 1)};
constexpr HopDef kTwoHops[] = {hop(-1, 0), hop(0, 1)};
constexpr MachineTree kTwo{"two", kTwoAxes, kTwoMemories, 64, kTwoHops};

constexpr AxisDef kThreeAxes[] = {level("A", 2), level("B", 2), level("C", 2)};
constexpr LocationDef kThreeMemories[] = {memory("A", 0), memory("B", 1), memory("C", 2)};
constexpr HopDef kThreeHops[] = {hop(-1, 0), hop(0, 1), hop(1, 2)};
constexpr MachineTree kThree{"three", kThreeAxes, kThreeMemories, 64, kThreeHops};

// A memory for two A's, an axis without a memory of its own.
constexpr AxisDef kBlockAxes[] = {level("A", 3), level("B", 2), level("C", 2)};
constexpr LocationDef kBlockMemories[] = {memory("UP", 0, 2), memory("MID", 0), memory("LOW", 2)};
constexpr HopDef kBlockHops[] = {hop(-1, 0), hop(0, 1)};
constexpr MachineTree kBlocks{"blocks", kBlockAxes, kBlockMemories, 64, kBlockHops};
constexpr HopDef kWideHops[] = {hop(-1, 1), hop(1, 2)};
constexpr MachineTree kWide{"wide", {kBlockAxes + 1, 2}, {kTwoMemories, 2}, 64, kTwoHops};

struct Counter {
  int64_t words = 0;
  void up(const Node&, int) { ++words; }
  void down(const Node&, int) { ++words; }
  void read(const Node&, int, int64_t) {}
  void holds(const Node&) {}
};

void check_against_search(const MachineTree& tree) {
  const HopTree hops(tree);
  const int leaf = hops.depths(), axes = hops.level(leaf) + 1;
  // Nodes by number, their parents.
  std::vector<std::map<int64_t, Node>> nodes(static_cast<size_t>(leaf) + 1);
  NodeSet everything;
  std::vector<int64_t> extents;
  for (int a = 0; a < axes; ++a) {
    extents.push_back(tree.axes[static_cast<size_t>(a)].extent);
    std::vector<int64_t> all;
    for (int64_t c = 0; c < extents.back(); ++c) all.push_back(c);
    everything.set(a, extents.back(), all);
  }
  nodes[0][0] = Node{};
  std::vector<int> first{0};
  for (int d = 0; d < leaf; ++d) {
    for (const auto& [n, node] : nodes[static_cast<size_t>(d)])
      for (const Node& c : hops.children(node, d, everything))
        nodes[static_cast<size_t>(d) + 1][hops.number(c, d + 1)] = c;
    first.push_back(first.back() + static_cast<int>(nodes[static_cast<size_t>(d)].size()));
  }
  const int count = first.back() + static_cast<int>(nodes.back().size());
  ASSERT_LE(count, 16);
  std::vector<int> parent(static_cast<size_t>(count), -1);
  for (int d = 1; d <= leaf; ++d)
    for (const auto& [n, node] : nodes[static_cast<size_t>(d)])
      parent[static_cast<size_t>(first[static_cast<size_t>(d)] + n)] =
          first[static_cast<size_t>(d) - 1] + static_cast<int>(hops.number(hops.parent(node, d), d - 1));
  // All product sets of coordinates.
  std::vector<NodeSet> sets;
  std::vector<int64_t> masks;
  for (int64_t e : extents) masks.push_back((int64_t{1} << e) - 1);
  each_index(masks, [&](const std::vector<int64_t>& mask) {
    NodeSet s;
    for (size_t a = 0; a < mask.size(); ++a) {
      std::vector<int64_t> values;
      for (int64_t c = 0; c < extents[a]; ++c)
        if ((mask[a] + 1) >> c & 1) values.push_back(c);
      s.set(static_cast<int>(a), extents[a], values);
    }
    sets.push_back(s);
  });
  auto bits_of = [&](const NodeSet& s, int depth) {
    uint32_t out = 0;
    for (const auto& [n, node] : nodes[static_cast<size_t>(depth)])
      if (hops.meets(node, depth, s)) out |= 1u << (first[static_cast<size_t>(depth)] + static_cast<int>(n));
    return out;
  };
  for (int from_depth = 1; from_depth <= leaf; ++from_depth)
    for (const NodeSet& f : sets) {
      const uint32_t start = bits_of(f, from_depth);
      std::vector<int> distance(size_t{1} << count, -1);
      std::queue<uint32_t> open;
      distance[start] = 0;
      open.push(start);
      while (!open.empty()) {
        const uint32_t state = open.front();
        open.pop();
        for (int n = 0; n < count; ++n) {
          const int p = parent[static_cast<size_t>(n)];
          if (p < 0) continue;
          if ((state >> n & 1) == (state >> p & 1)) continue;  // both or none
          const uint32_t next = state | 1u << n | 1u << p;
          if (distance[next] < 0) distance[next] = distance[state] + 1, open.push(next);
        }
      }
      for (int to_depth = 1; to_depth <= leaf; ++to_depth)
        for (const NodeSet& t : sets) {
          const uint32_t goal = bits_of(t, to_depth);
          int best = -1;
          for (uint32_t state = 0; state < (1u << count); ++state)
            if ((state & goal) == goal && distance[state] >= 0 && (best < 0 || distance[state] < best))
              best = distance[state];
          Counter counter;
          layout_detail::Router<Counter>(hops, from_depth, to_depth, f, t, counter).run();
          ASSERT_EQ(counter.words, best) << tree.name << " from " << std::hex << start << " to " << goal;
        }
    }
}

TEST(LayoutDifference, NoRouteIsShorter) {
  check_against_search(kTwo);
  check_against_search(kBlocks);
  check_against_search(kWide);
}
TEST(LayoutDifference, NoRouteIsShorterInThreeLevels) { check_against_search(kThree); }

// --- lists carried out ------------------------------------------------------------------------------------------------

// Takes the words of one layout's image, carries them hop by hop and writes the other's image.
void carry_out(const Layout& from, int from_loc, const Layout& to, int to_loc, const MachineTree& tree, int bits,
               std::mt19937& rng) {
  const std::string both = print_layout(from, tree) + " " + std::to_string(from_loc) + " -> " + print_layout(to, tree) +
                           " " + std::to_string(to_loc);
  const auto f = image_map(from, tree, from_loc, bits), t = image_map(to, tree, to_loc, bits);
  ASSERT_TRUE(f.ok() && t.ok()) << both;
  const Placed placed_from{&from, from_loc}, placed_to{&to, to_loc};
  const auto diff = difference(placed_from, placed_to, tree, bits);
  ASSERT_TRUE(diff.ok()) << both << render_text(diff.error());
  const HopTree hops(tree);
  const int from_depth = hops.depth_of(from_loc), to_depth = hops.depth_of(to_loc);

  std::vector<uint8_t> values(static_cast<size_t>(f->elements() * bits / 8));
  for (uint8_t& v : values) v = static_cast<uint8_t>(rng());
  std::vector<uint64_t> source(static_cast<size_t>(f->total_lw())), made(static_cast<size_t>(t->total_lw())),
      wanted = made;
  pack(*f, values, source);
  pack(*t, values, wanted);
  auto word = [&](std::vector<uint64_t>& image, const ImageMap& map, const Place& p) -> std::pair<uint64_t*, int> {
    return {&image[static_cast<size_t>(p.unit * map.unit_lw() + p.address)], 64 - bits * static_cast<int>(p.lane + 1)};
  };
  const uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  std::map<std::pair<int, bool>, int64_t> carried;
  int64_t element = 0, stay = 0, written = 0;
  each_index(from.shape, [&](const std::vector<int64_t>& index) {
    std::map<std::pair<int, int64_t>, uint64_t> held;
    std::set<std::tuple<int64_t, int64_t, int64_t>> from_slots;
    for (int64_t c = 0; c < f->copies(); ++c) {
      const Place p = f->place(element, 0, c);
      auto [at, shift] = word(source, *f, p);
      held[{from_depth, p.unit}] = *at >> shift & mask;
      from_slots.insert({p.unit, p.address, p.lane});
    }
    const auto way = route(placed_from, placed_to, tree, bits, index);
    ASSERT_TRUE(way.ok());
    for (const Carry& c : *way) {
      ++carried[{c.hop, c.up}];
      int depth = 1;
      while (hops.hop_above(depth) != c.hop) ++depth;
      const std::pair<int, int64_t> upper{depth - 1, c.upper}, lower{depth, c.lower};
      const auto& source_node = c.up ? lower : upper;
      ASSERT_TRUE(held.count(source_node)) << both;
      ASSERT_FALSE(held.count(c.up ? upper : lower)) << "carried twice: " << both;
      held[c.up ? upper : lower] = held[source_node];
    }
    for (int64_t c = 0; c < t->copies(); ++c) {
      const Place p = t->place(element, 0, c);
      ASSERT_TRUE(held.count({to_depth, p.unit})) << both;
      auto [at, shift] = word(made, *t, p);
      *at = (*at & ~(mask << shift)) | held[{to_depth, p.unit}] << shift;
      ++written;
      if (from_loc == to_loc && from_slots.count({p.unit, p.address, p.lane})) ++stay;
    }
    ++element;
  });
  ASSERT_EQ(made, wanted) << both;
  // The list is the sum of the routes.
  int64_t all = 0, in_place = 0, arrived_at_goal = 0;
  for (const Transfer& x : diff->transfers) {
    if (x.way == Transfer::Way::kInPlace) in_place += x.arrived;
    if (x.way != Transfer::Way::kUp && x.way != Transfer::Way::kDown) continue;
    ASSERT_EQ(x.arrived, (carried[{x.hop, x.way == Transfer::Way::kUp}])) << both;
    ASSERT_LE(x.read, x.arrived);
    all += x.arrived;
    if (x.way == Transfer::Way::kDown && x.hop == hops.hop_above(to_depth)) arrived_at_goal += x.arrived;
    if (x.way == Transfer::Way::kUp &&
        x.hop == hops.hop_above(to_depth + 1 > hops.depths() ? to_depth : to_depth + 1) && to_depth < from_depth)
      arrived_at_goal += x.arrived;
  }
  int64_t sum = 0;
  for (const auto& [h, n] : carried) sum += n;
  ASSERT_EQ(all, sum) << both;
  ASSERT_EQ(diff->carried, sum);
  // Every point of the goal is there already, arrives, or is written in place.
  const int last = static_cast<int>(kSmall.locations.size()) - 1;
  if (from_loc == last && to_loc == last && &tree == &kSmall) {
    ASSERT_EQ(diff->stay, stay) << both;
    ASSERT_EQ(diff->stay + in_place + arrived_at_goal, written) << both;
  }
}

TEST(LayoutDifference, ListsMakeTheOtherImage) {
  std::mt19937 rng(51);
  int moved = 0;
  for (int i = 0; i < 300; ++i) {
    std::vector<int64_t> shape;
    for (size_t d = 1 + rng() % 3; d > 0; --d) shape.push_back(1 + static_cast<int64_t>(rng() % 12));
    const int bits = std::array{16, 32, 64}[rng() % 3];
    const Layout from = random_layout_of_shape(rng, kSmall, bits, shape),
                 to = random_layout_of_shape(rng, kSmall, bits, shape);
    for (int from_loc = 0; from_loc < 3; ++from_loc)
      for (int to_loc = 0; to_loc < 3; ++to_loc) {
        carry_out(from, from_loc, to, to_loc, kSmall, bits, rng);
        if (HasFatalFailure()) return;
      }
    moved += !difference({&from, 2}, {&to, 2}, kSmall, bits)->transfers.empty() ? 1 : 0;
    const auto none = difference({&from, 2}, {&from, 2}, kSmall, bits);
    ASSERT_TRUE(none->transfers.empty()) << print_layout(from, kSmall);
    ASSERT_EQ(none->stay, live_points(from, kSmall, bits));
    ASSERT_EQ(none->cycles, 0);
  }
  EXPECT_GT(moved, 200);
}

TEST(LayoutDifference, ListsMakeTheOtherImageOnTheMachine) {
  std::mt19937 rng(52);
  const MachineTree& tiny = mncore2::find_machine("mncore2-tiny")->tree;
  for (int i = 0; i < 60; ++i) {
    const std::vector<int64_t> shape{1 + static_cast<int64_t>(rng() % 16), 1 + static_cast<int64_t>(rng() % 16)};
    const Layout from = random_layout_of_shape(rng, tiny, 16, shape), to = random_layout_of_shape(rng, tiny, 16, shape);
    for (const char* a : {"DRAM", "L1BM", "LM0"})
      for (const char* b : {"L2BM", "L1BM", "LM0"}) {
        carry_out(from, tiny.find_location(a), to, tiny.find_location(b), tiny, 16, rng);
        if (HasFatalFailure()) return;
      }
  }
}

// --- what the list says -------------------------------------------------------------------------------------------------

std::string list_text(const char* from, const char* to, const char* from_loc = "LM", const char* to_loc = "LM") {
  const Layout &a = layout_of(from, full(), 16), &b = layout_of(to, full(), 16);
  const auto d = difference({&a, full().find_location(from_loc)}, {&b, full().find_location(to_loc)}, full(), 16);
  if (!d) return render_text(d.error());
  std::string out;
  for (const Transfer& t : d->transfers) {
    out += std::string(way_name(t.way));
    if (t.hop >= 0) {
      const HopDef& h = full().hops[static_cast<size_t>(t.hop)];
      out += " " + (h.upper < 0 ? "machine" : std::string(full().locations[static_cast<size_t>(h.upper)].name)) + "-" +
             std::string(full().locations[static_cast<size_t>(h.lower)].name);
    }
    out += " " + std::to_string(t.read) + ">" + std::to_string(t.arrived) + (t.copies ? " copies" : "") +
           (t.own ? " own" : "") + ", " + std::to_string(t.long_words) + " lw, " + std::to_string(t.cycles) +
           " cycles; ";
  }
  return out;
}

// Counts by hand. 64 x 64 halves, rows over the L1Bs of every L2B, columns in one PE.
TEST(LayoutDifference, Examples) {
  const char* rows = "(64,64)/((8_L1B:1, 8:16), (16:1, 4_W:1); S@[MAB, PE])";
  EXPECT_EQ(list_text(rows, rows), "");
  // Other addresses: 8 L2B x 4096 halves move inside their PEs, but for the word at address 0 of each.
  EXPECT_EQ(list_text(rows, "(64,64)/((8_L1B:1, 8:1), (16:8, 4_W:1); S@[MAB, PE])"),
            "in place LM-LM 32256>32256, 8064 lw, 63 cycles; ");
  // To all PEs of the L1B: up once, down to the 63 others in one read. The last PE of a list has 128 long words.
  EXPECT_EQ(list_text(rows, "(64,64)/((8_L1B:1, 8:16), (16:1, 4_W:1))"),
            "up L1BM-LM 32768>32768, 8192 lw, 64 cycles; down L1BM-LM 32768>2064384, 516096 lw, 64 cycles; ");
  // From DRAM, the same for everybody: one read per group, then copies on every hop.
  EXPECT_EQ(list_text("(64)/((16:1, 4_W:1))", "(64)/((16:1, 4_W:1))", "DRAM", "LM"),
            "down DRAM-L2BM 256>512 copies, 128 lw, 1 cycles; down L2BM-L1BM 512>4096 copies, 1024 lw, 1 cycles; "
            "down L1BM-LM 4096>262144 copies, 65536 lw, 8 cycles; ");
  // One part for each L1B.
  EXPECT_EQ(list_text("(8,64)/((8_L1B:1), (16:1, 4_W:1); S@[L2B])", "(8,64)/((8_L1B:1), (16:1, 4_W:1); S@[L2B])",
                      "L2BM", "L1BM"),
            "down L2BM-L1BM 512>512 own, 128 lw, 2 cycles; ");
  // From one group to another, through PDM.
  EXPECT_EQ(
      list_text("(64)/((16:1, 4_W:1); S@[L2B, L1B, MAB, PE])",
                "(64)/((16:1, 4_W:1); S@[L2B]; O@[2_L2B]; S@[L1B, MAB, PE])", "L2BM", "L2BM"),
      "up DRAM-L2BM 64>64, 16 lw, 1 cycles; up machine-DRAM 64>64, 16 lw, 0 cycles; down machine-DRAM 64>64 own, 16 "
      "lw, 2 cycles; down DRAM-L2BM 64>64 own, 16 lw, 1 cycles; ");
  // Padding with a value is written, not carried.
  EXPECT_EQ(list_text("(3)/((3:1); S@[L2B, L1B, MAB, PE, W])", "(3)/((4:1); S@[L2B, L1B, MAB, PE, W]; pad=0)"),
            "fill 1>1, 1 lw, 0 cycles; ");
}

TEST(LayoutDifference, Refusals) {
  auto headline = [&](const char* from, const char* to, int bits = 16) {
    const Layout &a = layout_of(from, full(), 16), &b = layout_of(to, full(), 16);
    const int lm = full().find_location("LM");
    const auto d = difference({&a, lm}, {&b, lm}, full(), bits);
    EXPECT_FALSE(d.ok());
    return d.ok() ? std::string() : d.error().headline;
  };
  EXPECT_EQ(headline("(4)/((4:1))", "(2,2)/((2:1),(2:2))"), "the layouts have different shapes");
  EXPECT_EQ(headline("(4)/((4:1); P+@[MAB])", "(4)/((4:1))"), "partial copies would have to be reduced or made");
  EXPECT_EQ(headline("(4)/((4_Time:1))", "(4)/((4:1))"), "a value that changes with time");
  EXPECT_EQ(headline("(4)/((4:1))", "(4)/((4:1))", 0), "the width of an element is not known");
  const Layout& a = layout_of("(4)/((4:1))", full(), 16);
  EXPECT_FALSE(difference({&a, -1}, {&a, 0}, full(), 16).ok());
  // Partial copies that stay partial are elements of their own.
  EXPECT_EQ(list_text("(4)/((4:1); P+@[MAB]; S@[PE, W])", "(4)/((4:2); P+@[MAB]; S@[PE, W])"),
            "in place LM-LM 3072>3072, 768 lw, 1 cycles; ");
}

}  // namespace
}  // namespace kumihimo
