// How fast the functions of instructions in which units meet are by themselves: one call serves one L1B or one L2B.
//
//   build/release/bench/tree_bench --benchmark_filter=l1bmrffadd
//
// items_per_second = calls per second. Names: INSTRUCTION/PATH, with /inf where some of the values are infinities.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/decode.h"
#include "targets/mncore2/fast/kernels.h"
#include "targets/mncore2/machine.h"

namespace {

using namespace kumihimo::mncore2;
using fast::Path;

// What an L2B holds, and what the MABs of its first L1B send.
struct Memories {
  std::unique_ptr<emu::L1bm[]> l1bms{new emu::L1bm[8]()};
  std::unique_ptr<emu::L2bm> l2bm{new emu::L2bm()};
  emu::Beat gathered[emu::kMabs];

  explicit Memories(bool infinities) {
    std::mt19937_64 random(1);
    // Singles from 1/4 to 2, which are ordinary as halves and doubles too.
    const auto value = [&] {
      const uint64_t v = (random() & 0x807fffff807fffff) | 0x3f0000003f000000;
      return infinities && random() % 8 == 0 ? v | 0x7ff000007ff00000 : v;
    };
    for (int b = 0; b < 8; ++b)
      for (uint64_t& lw : l1bms[static_cast<size_t>(b)].lw) lw = value();
    for (uint64_t& lw : l2bm->lw) lw = value();
    for (emu::Beat& beat : gathered)
      for (auto& cycle : beat.v)
        for (auto& row : cycle)
          for (uint64_t& lw : row) lw = value();
  }
};

void run(benchmark::State& state, const std::string& text, Path path, bool infinities) {
  const auto assembled = vsm::assemble(text + "\n");
  emu::MaskState masks;
  auto decoded = emu::decode(assembled.program, 0, assembled.program.lines.size(), *find_machine("mncore2"), "bench",
                             masks, nullptr);
  if (!assembled.ok() || !decoded.ok() || !fast::path_available(path)) {
    state.SkipWithError("the instruction does not assemble, or this processor lacks the path");
    return;
  }
  const emu::Op& op = decoded->ops.front();
  const isa::SemFn f = path == Path::kScalar ? op.sem : fast::kernels_of(path)->tree(op);
  Memories memories(infinities);
  emu::StepPlan step;
  emu::StepContext c;
  c.step = &step;
  c.op = &op;
  c.l1bm = memories.l1bms.get();
  c.l1bms = memories.l1bms.get();
  c.l1b_count = 8;
  c.l2bm = memories.l2bm.get();
  c.gathered = memories.gathered;
  for (auto _ : state) {
    f(c, *op.insn);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations());
}

const int kRegistered = [] {
  for (const char* text :
       {"l1bmd $lr0v $lb0", "l1bmm@3 $lr0v $lb0", "l1bmr4ffadd $llr0v $llb0", "l1bmrffadd $lr0v $lb0",
        "l1bmrhfadd $lr0v $lb0", "l1bmrdfadd $lr0v $lb0", "l1bmrffaddr $llr0v $lb0", "l1bmrfmax $lr0v $lb0",
        "l1bmriiadd $lr0v $lb0", "l2bmd $lc0 $lb0", "l2bmb $lc0 $lb0", "l2bmd $lb0 $lc0", "l2bmrffadd $lb0 $lc0",
        "l2bmrhfadd $lb0 $lc0", "l2bmrdfadd $lb0 $lc0", "l2bmr2ffadd $lb0 $lc0"})
    for (const Path path : {Path::kScalar, Path::kAvx2, Path::kAvx512})
      for (const bool infinities : {false, true}) {
        if (infinities && std::string_view(text).find("fadd") == std::string_view::npos) continue;
        if (!fast::path_available(path)) continue;
        const std::string name = fmt::format("{}/{}{}", text, fast::path_name(path), infinities ? "/inf" : "");
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& s) { run(s, text, path, infinities); });
      }
  return 0;
}();

}  // namespace
