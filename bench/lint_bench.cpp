// How many lines per second one thread checks: assembling them, the linter, its advice, and the trial of mends. `clean` is
// a loop of transfers, matrix and vector steps that keeps all distances; `early` breaks one in every second line.
//
//   build/release/bench/lint_bench --benchmark_filter=clean
#include <benchmark/benchmark.h>

#include <string>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/hazard/advice.h"
#include "targets/mncore2/hazard/mend.h"

namespace {

using namespace kumihimo;
using namespace kumihimo::mncore2;

constexpr int kLines = 100'000;

std::string repeated(const std::string& block, int lines_of_block) {
  std::string text;
  for (int i = 0; i < kLines / lines_of_block; ++i) text += block;
  return text;
}

const std::string& text_of(const std::string& kind) {
  static const std::string clean = repeated(
      "l2bmd $lc0 $lb0\nnop\nl1bmd $lb0 $lm0v\nnop/2\nhmwrite $lm0v $lx0\nhmfma $lx $lm0v $llr0v $lls0v\n"
      "iadd $lr64v $lm0v $ls64v; fvfma $ln0v $ln0v $lr64v $lr96v\nnop/2\nl1bmrffadd $ls64v $lb512\nnop/2\n"
      "l2bmrffadd $lb512 $lc4096\nnop/2\n",
      12);
  static const std::string early = repeated("linc $lm0v $lr0v\nlinc $lr0v $ls0v\n", 2);
  return kind == "clean" ? clean : early;
}

isa::Program program_of(benchmark::State& state, const std::string& kind) {
  vsm::AsmResult r = vsm::assemble(text_of(kind));
  if (!r.ok()) state.SkipWithError("the program does not assemble");
  return std::move(r.program);
}

void count(benchmark::State& state) { state.SetItemsProcessed(state.iterations() * kLines); }

void assembling(benchmark::State& state, const std::string& kind) {
  for (auto _ : state) benchmark::DoNotOptimize(vsm::assemble(text_of(kind)).program.lines.data());
  count(state);
}

void linting(benchmark::State& state, const std::string& kind) {
  const isa::Program program = program_of(state, kind);
  for (auto _ : state) benchmark::DoNotOptimize(hazard::lint(program).data());
  count(state);
}

void advising(benchmark::State& state, const std::string& kind) {
  const isa::Program program = program_of(state, kind);
  for (auto _ : state) benchmark::DoNotOptimize(hazard::advise(program).data());
  count(state);
}

// 50,000 findings, each with a mend that is tried, as text.
void mending(benchmark::State& state) {
  const isa::Program program = program_of(state, "early");
  for (auto _ : state) {
    std::vector<hazard::Finding> findings = hazard::lint(program);
    hazard::verify_mends(program, findings);
    std::string text;
    for (const hazard::Finding& f : findings) text += render_text(hazard::to_diagnostic(f, program, "bench.vsm"));
    benchmark::DoNotOptimize(text.data());
  }
  count(state);
}

BENCHMARK_CAPTURE(assembling, clean, std::string("clean"));
BENCHMARK_CAPTURE(assembling, early, std::string("early"));
BENCHMARK_CAPTURE(linting, clean, std::string("clean"));
BENCHMARK_CAPTURE(linting, early, std::string("early"));
BENCHMARK_CAPTURE(advising, clean, std::string("clean"));
BENCHMARK_CAPTURE(advising, early, std::string("early"));
BENCHMARK(mending);

}  // namespace

BENCHMARK_MAIN();
