// Layouts: packing and comparing of images (bytes of elements per second, beside a plain copy of as many bytes), and
// the queries of one check.
#include <benchmark/benchmark.h>

#include <cstring>
#include <random>

#include "core/layout/image.h"
#include "core/layout/query.h"
#include "core/layout/text.h"
#include "targets/mncore2/machine.h"

namespace {

using namespace kumihimo;

const MachineTree& tree() { return mncore2::find_machine("mncore2")->tree; }
const Layout& layout(const char* text, int bits) { return *parse_layout(text, {&tree(), bits, {}, nullptr})->layout; }

// 1 Mi halves each. rows: whole long words; lanes: neighbours lie in other long words; weights: copies in four groups.
constexpr const char* kRows = "(16,1024,64)/((8_L2B:1, 2_L1B:4), (4_L1B:1, 16:16, 16:1), (4:256, 4_PE:1, 4_W:1))";
constexpr const char* kLanes = "(1024,1024)/((4_L1B:1, 64:4, 4_PE:1, 1_MAB:1, W), (16_MAB:1, 4:1, 2_L1B:4, 8_L2B:1))";
constexpr const char* kWeights = "(1024,1024)/((16_MAB:1, 4:16, 16:1), (64:64, 4_PE:1, 4_W:1))";

struct Case {
  explicit Case(const char* text)
      : map(*image_map(layout(text, 16), tree(), tree().find_location("DRAM"), 16)),
        elements(static_cast<size_t>(map.elements()) * 2),
        image(static_cast<size_t>(map.total_lw())) {
    std::mt19937 rng(1);
    for (uint8_t& b : elements) b = static_cast<uint8_t>(rng());
    pack(map, elements, image);
  }
  ImageMap map;
  std::vector<uint8_t> elements;
  std::vector<uint64_t> image;
};

void count(benchmark::State& state, const Case& c) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(c.elements.size()));
}

void pack_halves(benchmark::State& state, const char* text) {
  Case c(text);
  for (auto _ : state) pack(c.map, c.elements, c.image), benchmark::ClobberMemory();
  count(state, c);
}
void unpack_halves(benchmark::State& state, const char* text) {
  Case c(text);
  for (auto _ : state) unpack(c.map, c.image, c.elements), benchmark::ClobberMemory();
  count(state, c);
}
void compare_halves(benchmark::State& state, const char* text) {
  Case c(text);
  for (auto _ : state) {
    const Comparison r = compare_all_copies(c.map, c.image, c.elements);
    if (r.mismatches != 0 || r.words_compared != c.map.words()) state.SkipWithError("not equal");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * c.map.words() * 2);
}
void plain_copy(benchmark::State& state) {
  std::vector<uint8_t> a(2 << 20, 1), b(2 << 20);
  for (auto _ : state) std::memcpy(b.data(), a.data(), a.size()), benchmark::ClobberMemory();
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(a.size()));
}
BENCHMARK(plain_copy);
BENCHMARK_CAPTURE(pack_halves, rows, kRows);
BENCHMARK_CAPTURE(pack_halves, lanes, kLanes);
BENCHMARK_CAPTURE(pack_halves, weights, kWeights);
BENCHMARK_CAPTURE(unpack_halves, rows, kRows);
BENCHMARK_CAPTURE(unpack_halves, lanes, kLanes);
BENCHMARK_CAPTURE(compare_halves, rows, kRows);
BENCHMARK_CAPTURE(compare_halves, lanes, kLanes);

constexpr const char* kScores =
    "(3,3,64,64)/((4_L2B:2), (2_L2B:1, 2_L1B:4), (4_L1B:1, 4_PE:1, 2:1, 2_W:1), (16_MAB:1, 4:2))";
constexpr const char* kMask = "(64,64)/((4_L1B:1, 4_PE:1, 4_W:1), (16_MAB:1, 4:1); B@[L2B, 2_L1B:4])";

void parse_text(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_layout(kScores, {&tree(), 32, {}, nullptr}));
}
void lane_law(benchmark::State& state) {
  const Layout &s = layout(kScores, 32), &m = layout(kMask, 16);
  for (auto _ : state) benchmark::DoNotOptimize(lane_equal(m, 16, s, 32, tree()));
}
void row_maximum(benchmark::State& state) {
  const Layout& s = layout(kScores, 32);
  for (auto _ : state)
    benchmark::DoNotOptimize(reduce_dim(s, tree(), 32, 3, TailKind::kPartialMax, true, FreedLanes::kReplica));
}
void image_table(benchmark::State& state) {
  const Layout& m = layout(kMask, 16);
  for (auto _ : state) benchmark::DoNotOptimize(image_map(m, tree(), tree().find_location("DRAM"), 16));
}
BENCHMARK(parse_text);
BENCHMARK(lane_law);
BENCHMARK(row_maximum);
BENCHMARK(image_table);

}  // namespace
