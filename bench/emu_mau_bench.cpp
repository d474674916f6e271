// How fast the emulator executes each family of MAU instructions on the full chip, on ordinary data and on rare data
// that an implementation might treat apart; and how many int16 products this host can form at all.
//
//   build/release/bench/emu_mau_bench --benchmark_filter=hvfma
//
// items_per_second = steps of the whole chip per second; in `host_int16_peak` multiply-adds of int16 per second.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <string>
#include <thread>
#include <vector>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/machine.h"
#include "targets/mncore2/fast/path.h"
#include "targets/mncore2/fast/simd.h"

namespace {

using namespace kumihimo;
using namespace kumihimo::mncore2;

// Long words of LM0 (X, and the matrix), LM1 (Y) and GRF0 (addends).
struct Data {
  uint64_t (*x)(uint64_t i);
  uint64_t (*y)(uint64_t i);
  uint64_t (*z)(uint64_t i);
};
constexpr uint64_t mixed(uint64_t i) { return i * 0x9e3779b97f4a7c15u; }
uint64_t half_blocks(uint64_t i) { return (mixed(i) & 0x81ff81ff81ff81ffu) | 0x3e003e003e003e00u; }
uint64_t halves(uint64_t i) { return (mixed(i) & 0x83ff83ff83ff83ffu) | 0x3c003c003c003c00u; }
uint64_t words(uint64_t i) { return (mixed(i) & 0x807fffff807fffffu) | 0x3f8000003f800000u; }
uint64_t doubles(uint64_t i) { return (mixed(i) & 0x800fffffffffffffu) | 0x3ff0000000000000u; }
uint64_t infinite_words(uint64_t i) {
  return i % 2 == 0 ? words(i) | 0x7f800000 : words(i) | uint64_t{0x7f800000} << 32;
}
uint64_t infinite_halves(uint64_t i) { return halves(i) | (i % 2 == 0 ? 0x7e00 : uint64_t{0x7e00} << 48); }
uint64_t infinite_doubles(uint64_t i) { return i % 2 == 0 ? doubles(i) : 0x7ff0000000000000u; }
uint64_t infinite_blocks(uint64_t i) { return half_blocks(i) | 0x7e007e007e007e00u; }
uint64_t extended_blocks(uint64_t i) { return half_blocks(i) & ~(uint64_t{0x7e00} << (i % 4 * 16)); }
uint64_t half_ones(uint64_t) { return 0x3e003e003e003e00u; }
uint64_t word_ones(uint64_t) { return 0x3f8000003f800000u; }
// Sixteen products of quarters are 1, half a last bit of the addend.
uint64_t quarter_blocks(uint64_t) { return 0x3e403e403e403e40u; }
uint64_t ties(uint64_t i) { return 0x4b8000004b800001u + i; }

struct Row {
  const char* name;  // a rare row is named after its ordinary one: NAME_CLASS
  std::string (*line)(int i);
  Data data;
  bool rare = false;
};

std::string hmfma(int i) {
  return fmt::format("hmfma ${} $lm{}v $llr{}v $lls{}v\n", i % 2 ? "lx" : "ly", i % 8 * 8, i % 8 * 16, i % 8 * 16);
}
std::string vector(const char* name, const char* wide, int i) {
  return fmt::format("{0} $lm{1}v $ln{1}v ${2}r{3}v ${2}s{3}v\n", name, i % 8 * 8, wide, i % 8 * (*wide ? 16 : 8));
}
std::string hvfma(int i) { return vector("hvfma", "ll", i); }
std::string fvfma(int i) { return vector("fvfma", "l", i); }
std::string dvfma(int i) { return vector(i % 2 ? "dvfmau" : "dvfmad", "l", i); }
std::string matrix(const char* name, const char* width, int i) {
  return fmt::format("{0} ${1} ${2}m{3}v $lr{3}v $ls{3}v\n", name, i % 2 ? "lx" : "ly", width, i % 8 * 8);
}
std::string fmfma(int i) { return matrix("fmfma", "", i); }
std::string gmfma(int i) { return matrix("gmfma", "l", i); }
std::string dmfma(int i) { return matrix(i % 2 ? "dmfmau" : "dmfmad", "l", i); }
std::string hmfmar(int i) {
  return fmt::format("hmfmar ${} $lm{}v $llr{}v $ls{}v\n", i % 2 ? "lx" : "ly", i % 8 * 8, i % 8 * 16, i % 8 * 8);
}
std::string hvfmar(int i) { return fmt::format("hvfmar $lm{0}v $ln{0}v $llr{1}v $ls{0}v\n", i % 8 * 8, i % 8 * 16); }
std::string hmread(int i) { return fmt::format("hmread $llx{} $lls{}v\n", i % 2 * 8, i % 8 * 16); }

constexpr Data kBlocks = {half_blocks, halves, words}, kHalves = {halves, halves, words},
               kWords = {words, words, words}, kDoubles = {doubles, doubles, doubles};
const Row kRows[] = {
    {"hmfma", hmfma, kBlocks},
    {"hmfma_extended", hmfma, {extended_blocks, halves, words}, true},
    {"hmfma_infinite", hmfma, {infinite_blocks, halves, words}, true},
    {"hmfma_addend", hmfma, {half_blocks, halves, infinite_words}, true},
    {"hmfma_ties", hmfma, {quarter_blocks, halves, ties}, true},
    {"hmfmar", hmfmar, kBlocks},
    {"hmread", hmread, kBlocks},
    {"fvfma", fvfma, kWords},
    {"fvfma_infinite", fvfma, {infinite_words, words, words}, true},
    {"fvfma_addend", fvfma, {words, words, infinite_words}, true},
    {"fvfma_ties", fvfma, {word_ones, word_ones, ties}, true},
    {"hvfma", hvfma, kHalves},
    {"hvfma_infinite", hvfma, {infinite_halves, halves, words}, true},
    {"hvfma_addend", hvfma, {halves, halves, infinite_words}, true},
    {"hvfma_ties", hvfma, {half_ones, half_ones, ties}, true},
    {"hvfmar", hvfmar, kHalves},
    {"fmfma", fmfma, kWords},
    {"fmfma_infinite", fmfma, {infinite_words, words, words}, true},
    {"gmfma", gmfma, kWords},
    {"gmfma_infinite", gmfma, {infinite_words, words, words}, true},
    {"dvfma", dvfma, kDoubles},
    {"dvfma_infinite", dvfma, {infinite_doubles, doubles, doubles}, true},
    {"dmfma", dmfma, kDoubles},
    {"dmfma_infinite", dmfma, {infinite_doubles, doubles, doubles}, true},
};

std::string setup(const Data& data) {
  std::string text;
  const auto fill = [&](const char* mem, uint64_t count, uint64_t (*value)(uint64_t)) {
    text += fmt::format("d set ${} {} ", mem, count);
    for (uint64_t i = 0; i < count; ++i) text += fmt::format("{:016x}", value(i));
    text += "\n";
  };
  fill("lm0", 64, data.x);
  fill("ln0", 64, data.y);
  fill("lr0", 64, data.z);
  for (int r = 0; r < 16; r += 4) text += fmt::format("hmwrite $lm{0}v $lx{1}\nhmwrite $lm{0}v $ly{1}\n", 2 * r, r);
  return text;
}

void steps(benchmark::State& state, const Row& row) {
  constexpr int kSteps = 64;
  emu::EmuOptions options;
  options.threads = static_cast<int>(state.range(0));
  auto machine = emu::Machine::create(*find_machine("mncore2"), options);
  std::string text;
  for (int i = 0; i < kSteps; ++i) text += row.line(i);
  const auto prepare = vsm::assemble(setup(row.data)), code = vsm::assemble(text);
  if (!machine.ok() || !prepare.ok() || !code.ok()) {
    state.SkipWithError("the program does not assemble");
    return;
  }
  if (auto r = (*machine)->run(prepare.program); !r.ok()) {
    state.SkipWithError("the set-up does not run");
    return;
  }
  for (auto _ : state) {
    auto report = (*machine)->run(code.program);
    benchmark::DoNotOptimize(report.ok());
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
}

#ifdef KMH_X86
// Twelve independent chains in registers, written as assembly: a compiler might keep an array of accumulators in memory.
constexpr int kChains = 12;
constexpr int64_t kRounds = 1'000'000;
#define KMH_TWELVE(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define KMH_CLOBBERS                                                                                                  \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"

KMH_AVX512 void chains_avx512() {
#define KMH_CHAIN(k) "vpdpwssd %%zmm14, %%zmm15, %%zmm" #k "\n\t"
  for (int64_t n = 0; n < kRounds; ++n) asm volatile(KMH_TWELVE(KMH_CHAIN)::: KMH_CLOBBERS);
#undef KMH_CHAIN
}
KMH_AVX2 void chains_avx2() {
#define KMH_CHAIN(k) "vpmaddwd %%ymm14, %%ymm15, %%ymm12\n\tvpaddd %%ymm12, %%ymm" #k ", %%ymm" #k "\n\t"
  for (int64_t n = 0; n < kRounds; ++n) asm volatile(KMH_TWELVE(KMH_CHAIN)::: KMH_CLOBBERS);
#undef KMH_CHAIN
}

void peak(benchmark::State& state) {
  const fast::Path path = fast::resolve(fast::Path::kAuto);
  if (path == fast::Path::kScalar) {
    state.SkipWithError("this processor has neither AVX-512 nor AVX2");
    return;
  }
  void (*const chains)() = path == fast::Path::kAvx512 ? chains_avx512 : chains_avx2;
  const int64_t products = path == fast::Path::kAvx512 ? 32 : 16;
  for (auto _ : state) {
    std::vector<std::thread> others;
    for (int64_t t = 1; t < state.range(0); ++t) others.emplace_back(chains);
    chains();
    for (std::thread& t : others) t.join();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * kRounds * kChains * products);
}
#endif

const int kRegistered = [] {
  for (const Row& row : kRows) {
    auto* entry = benchmark::RegisterBenchmark(row.name, [&row](benchmark::State& s) { steps(s, row); });
    entry->ArgName("threads")->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();
    if (!row.rare) entry->Arg(2);
  }
#ifdef KMH_X86
  auto* entry = benchmark::RegisterBenchmark("host_int16_peak", peak);
  entry->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime()->Arg(1)->Arg(2);
  if (const int cores = static_cast<int>(std::thread::hardware_concurrency()); cores > 2) entry->Arg(cores);
#endif
  return 0;
}();

}  // namespace
