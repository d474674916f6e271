// How many lines of text per second one thread assembles: one row per kind of line, every row's example, mixes, and a
// plain pass over the same text that only finds the lines. Freeing the program is not counted: it costs up to half as much
// again and depends only on the allocator.
//
//   build/release/bench/asm_bench --benchmark_filter=mix
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/isa/insn.h"

namespace {

using namespace kumihimo::mncore2;

std::string matrix_line(int i) {
  return fmt::format("hmfma ${} $lm{}v $llr{}v $lls{}v; hmwrite $lm{}v ${}{}\n", i % 2 ? "lx" : "ly", i % 256 * 8,
                     i % 8 * 16, i % 8 * 16, i % 256 * 8, i % 2 ? "ly" : "lx", i % 4 * 4);
}
std::string vector_line(int i) {
  return fmt::format("fvfma $lm{}v $ln{}v $lr{}v $ls{}v\n", i % 256 * 8, i % 256 * 8, i % 32 * 8, i % 32 * 8);
}
// Four instructions in one step.
std::string packed_line(int i) {
  return fmt::format(
      "l2bmd $lc{} $lb{}; hmfma $lx $aluf $lbf $lls{}v; hmwrite $lm{}v $ly{}; iadd $ln{}v $mauf $lr{}v\n", i % 8 * 256,
      i % 32 * 32, i % 8 * 16, i % 256 * 8, i % 4 * 4, i % 256 * 8, i % 32 * 8);
}
std::string alu_line(int i) { return fmt::format("iadd $lm{}v $ln{}v $lr{}v\n", i % 256 * 8, i % 256 * 8, i % 32 * 8); }
std::string flat_line(int i) {
  return fmt::format("fvadd $m[{},{},7,11] $n[0,4,{},12] $r[1,2,3,{}]/0110\n", i % 90, i % 80, i % 70, i % 60);
}
std::string immediate_line(int i) { return fmt::format("imm f\"{}.{}\" $lr{}v/$imr1\n", i % 9, i % 997, i % 32 * 8); }
std::string l1bm_line(int i) { return fmt::format("l1bmd $lb{} $lr{}v\n", i % 8 * 256, i % 8 * 8); }
std::string l2bm_line(int i) { return fmt::format("l2bmd $lc{} $lb{}\n", i % 8 * 256, i % 32 * 32); }
std::string mv_line(int i) {
  return fmt::format("mvp/n1024i{:02x} $d{}@0 $p{}@0\n", i % 63 + 1, i % 99 * 64, i % 9 * 64);
}
std::string get_line(int i) {
  return fmt::format("d getf $lm{}n0c0b{}m{}p{} 1  # sample\n", i % 64 * 2, i % 8, i % 16, i % 4);
}
std::string set_line(int i) {
  return fmt::format("d set $lm{}n0c0b{}m{}p{} 1 {:016x}\n", i % 64 * 2, i % 8, i % 16, i % 4,
                     static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u);
}
std::string host_line(int i) {
  return fmt::format("r 0 {:09x} 001 {:016x}\n", i * 64, static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u);
}
std::string comment_line(int i) { return fmt::format("# tile {} of the inner loop\n", i); }
std::string example_line(int i) {
  return fmt::format("{}\n", isa::rows()[static_cast<size_t>(i) % isa::rows().size()].example);
}
// 24 matrix steps, 8 vector, 16 ALU, 12 + 4 transfers, as emu_bench.
std::string mix_line(int i) {
  const int k = i % 64;
  return k < 24   ? matrix_line(i)
         : k < 32 ? vector_line(i)
         : k < 48 ? alu_line(i)
         : k < 60 ? l1bm_line(i)
                  : l2bm_line(i);
}
// A contest file: inputs, code, outputs.
std::string contest_line(int i) {
  const int k = i % 64;
  return k < 24 ? set_line(i) : k < 40 ? mix_line(i * 3) : k < 63 ? get_line(i) : comment_line(i);
}

struct Kind {
  const char* name;
  std::function<std::string(int)> line;
};
const Kind kKinds[] = {
    {"matrix", matrix_line},   {"packed", packed_line},     {"vector", vector_line},
    {"alu", alu_line},         {"flat", flat_line},         {"immediate", immediate_line},
    {"l1bm", l1bm_line},       {"l2bm", l2bm_line},         {"mv", mv_line},
    {"get", get_line},         {"set", set_line},           {"host", host_line},
    {"comment", comment_line}, {"every_row", example_line}, {"mix", mix_line},
    {"contest", contest_line},
};
constexpr int kLines = 20'000;

std::string text_of(const Kind& kind) {
  std::string text;
  for (int i = 0; i < kLines; ++i) text += kind.line(i);
  return text;
}

void set_rates(benchmark::State& state, const std::string& text) {
  state.SetItemsProcessed(state.iterations() * kLines);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
}

void run(benchmark::State& state, const Kind& kind) {
  const std::string text = text_of(kind);
  if (const auto once = vsm::assemble(text); !once.ok()) {
    state.SkipWithError(("does not assemble: " + once.errors[0].where.text + once.errors[0].headline).c_str());
    return;
  }
  for (auto _ : state) {
    auto result = vsm::assemble(text);
    benchmark::DoNotOptimize(result.program.lines.data());
    state.PauseTiming();
    result = {};
    state.ResumeTiming();
  }
  set_rates(state, text);
}

void lines_only(benchmark::State& state) {
  const std::string text = text_of({"mix", mix_line});
  for (auto _ : state) benchmark::DoNotOptimize(std::count(text.begin(), text.end(), '\n'));
  set_rates(state, text);
}
BENCHMARK(lines_only);

const int kRegistered = [] {
  for (const Kind& kind : kKinds)
    benchmark::RegisterBenchmark(kind.name, [&kind](benchmark::State& s) {
      run(s, kind);
    })->Unit(benchmark::kMillisecond);
  return 0;
}();

}  // namespace
