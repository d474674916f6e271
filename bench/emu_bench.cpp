// How fast the emulator executes steps of the full chip: one row per kind of step, and a mix of them.
//
//   build/release/bench/emu_bench --benchmark_filter=hmfma
//
// items_per_second = steps of the whole chip per second, or MVs in the rows `mv` (copies of 1 MB in all) and `mv_reduce`
// (of 1 MB). Arguments: threads, strict. `attention` is a stream with the proportions of an attention kernel (200 steps:
// 16 matrix, 60 vector, 60 ALU, the rest transfers); in `mv_steps` a small MV stands before every 16 ALU steps.
#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <string>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/machine.h"

namespace {

using namespace kumihimo;
using namespace kumihimo::mncore2;

std::string hmfma_line(int i) {
  return fmt::format("hmfma ${} $lm{}v $llr{}v $lls{}v; hmwrite $lm{}v ${}{}\n", i % 2 ? "lx" : "ly", i % 8 * 8,
                     i % 8 * 16, i % 8 * 16, i % 8 * 8, i % 2 ? "ly" : "lx", i % 4 * 4);
}
std::string fvfma_line(int i) {
  return fmt::format("fvfma $lm{}v $ln{}v $lr{}v $ls{}v\n", i % 8 * 8, i % 8 * 8, i % 8 * 8, i % 8 * 8);
}
// An ALU instruction on LM0 and LM1.
std::string alu_line(const char* name, int i) {
  return fmt::format("{} $lm{}v $ln{}v $lr{}v\n", name, i % 8 * 8, i % 8 * 8, i % 8 * 8);
}
std::string hbfn_line(int i) { return fmt::format("hbfn/9 $llm{}v $llr{}v\n", i % 8 * 16, i % 8 * 16); }
std::string l1bmd_line(int i) { return fmt::format("l1bmd $lb{} $lr{}v\n", i % 8 * 256, i % 8 * 8); }
std::string l2bmd_line(int i) { return fmt::format("l2bmd $lc{} $lb{}\n", i % 8 * 256, i % 8 * 32); }

std::string l1bmr_line(int i) { return fmt::format("l1bmrffadd $lr{}v $lb{}\n", i % 8 * 8, i % 8 * 16); }
std::string l2bmr_line(int i) { return fmt::format("l2bmrffadd $lb{} $lc{}\n", i % 8 * 64, i % 8 * 64); }
std::string l1bmd_up_line(int i) { return fmt::format("l1bmd $lr{}v $lb{}\n", i % 8 * 8, i % 8 * 256); }
std::string mv_line(int i) {
  switch (i % 4) {
    case 0: return "mvp/n131072 $p0@0 $d0@1\n";
    case 1: return "mvd/n131072 $p0@0 $lc0\n";
    case 2: return "mvb/n16384 $p0@0 $lc0\n";
    default: return "mvp/n32768 $d0 $lc0@.0\n";
  }
}

struct Row {
  const char* name;
  std::string (*line)(int i);
  int steps = 64;
  const char* before = "";  // once, before the steps
};

// 24 hmfma, 8 fvfma, 16 iadd, 12 l1bmd, 4 l2bmd.
std::string mix_line(int i) {
  const int k = i % 64;
  return k < 24   ? hmfma_line(i)
         : k < 32 ? fvfma_line(i)
         : k < 48 ? alu_line("iadd", i)
         : k < 60 ? l1bmd_line(i)
                  : l2bmd_line(i);
}
std::string attention_line(int i) {
  const int k = i % 64;
  return k % 12 == 0  ? hmfma_line(i)
         : k % 3 == 1 ? fvfma_line(i)
         : k % 3 == 2 ? alu_line("iadd", i)
         : k % 2      ? l1bmd_line(i)
                      : l2bmd_line(i);
}

// `form_*`: one addition in every form of operand; each form against form_plain.
const Row kRows[] = {
    {"hmfma", hmfma_line},
    {"fvfma", fvfma_line},
    {"alu", [](int i) { return alu_line("ladd", i); }},  // 64-bit integers
    {"hbfn", hbfn_line},
    {"max", [](int i) { return alu_line("fmax", i); }},
    {"relu", [](int i) { return alu_line("frelu", i); }},
    {"l1bmd", l1bmd_line},
    {"l1bmd_up", l1bmd_up_line},
    {"l1bmr", l1bmr_line},
    {"l2bmd", l2bmd_line},
    {"l2bmr", l2bmr_line},
    {"mix", mix_line},
    {"attention", attention_line, 200},
    {"mv", mv_line, 4},
    {"mv_reduce", [](int) { return std::string("mvrffadd/n16384 $lc0 $d0\n"); }, 4},
    {"mv_steps", [](int i) { return (i % 16 == 0 ? "mvp/n64 $p0@0 $lc0@0.0\n" : "") + alu_line("ladd", i); }},
    {"form_plain", [](int) { return std::string("fvadd $lm0v $ln0v $lr0v\n"); }},
    {"form_forwarded", [](int) { return std::string("fvadd $mauf $ln0v $lr0v\n"); }},
    {"form_two_destinations", [](int) { return std::string("fvadd $lm0v $ln0v $lr0v $ls0v\n"); }},
    {"form_words", [](int) { return std::string("fvadd $m0v $n0v $r0v\n"); }},
    {"form_mask", [](int) { return std::string("fvadd $lm0v $ln0v $lr0v/$imr1\n"); }},
    {"form_fixed_mask", [](int) { return std::string("fvadd $lm0v $ln0v $lr0v/1010\n"); }},
    {"form_zero_flush", [](int) { return std::string("fvadd/$imr1 $lm0v $ln0v $lr0v\n"); }},
    {"form_flags", [](int) { return std::string("fvadd $lm0v $ln0v $omr1\n"); }},
    {"form_by_t", [](int) { return std::string("fvadd $lmt0v $ln0v $lr0v\n"); }},
    {"form_to_t", [](int) { return std::string("fvadd $lr0v $ln0v $lmt0v\n"); }},
    {"form_by_base", [](int) { return std::string("fvadd $lm0v $ln0v $lr0v\n"); }, 64, "ipassa $subpeid $lmb\n"},
    {"form_converted", [](int) { return std::string("hvadd $llm0vr $lln0v $llr0v\n"); }},
    {"form_constant", [](int) { return std::string("iadd $peid $ln0v $lr0v\n"); }},
};

std::string program(const Row& row) {
  std::string text;
  for (int i = 0; i < row.steps; ++i) text += row.line(i);
  return text;
}

// Block floats of exponent 31 to 33 in LM0, ordinary values elsewhere.
std::string setup() {
  std::string text;
  const auto fill = [&](const char* mem, int count, auto value) {
    text += fmt::format("d set ${} {} ", mem, count);
    for (int i = 0; i < count; ++i) text += fmt::format("{:016x}", value(static_cast<uint64_t>(i)));
    text += "\n";
  };
  const auto mixed = [](uint64_t i) { return (i * 0x9e3779b97f4a7c15u & 0x807fffff807fffffu) | 0x3f8000003f800000u; };
  fill("lm0", 32, [](uint64_t i) { return (i * 0x9e3779b97f4a7c15u & 0x81ff81ff81ff81ffu) | 0x3e003e003e003e00u; });
  fill("ln0", 32, mixed);
  fill("lr0", 64, mixed);
  fill("ls0", 64, mixed);
  fill("lb0", 2048, mixed);
  fill("lc0", 2048, mixed);
  for (int r = 0; r < 16; r += 4)
    text += fmt::format("hmwrite $lm{}v $lx{}\nhmwrite $lm{}v $ly{}\n", 2 * r, r, 2 * r, r);
  return text;
}

void run(benchmark::State& state, const Row& row) {
  emu::EmuOptions options;
  options.threads = static_cast<int>(state.range(0));
  options.strict = state.range(1) != 0;
  auto machine = emu::Machine::create(*find_machine("mncore2"), options);
  const auto prepare = vsm::assemble(setup() + row.before), code = vsm::assemble(program(row));
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
  state.SetItemsProcessed(state.iterations() * row.steps);
}

const int kRegistered = [] {
  for (const Row& row : kRows)
    benchmark::RegisterBenchmark(row.name, [&row](benchmark::State& s) { run(s, row); })
        ->ArgsProduct({{1, 2}, {0, 1}})
        ->ArgNames({"threads", "strict"})
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  return 0;
}();

}  // namespace
