#include "targets/mncore2/judge/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "targets/mncore2/asm/assemble.h"
#include "targets/mncore2/emu/access.h"
#include "targets/mncore2/emu/dump.h"
#include "targets/mncore2/hazard/mend.h"
#include "targets/mncore2/judge/rows.h"
#include "targets/mncore2/machine.h"

namespace kumihimo::mncore2::judge {
namespace {

using isa::Line;
using isa::LineKind;

// Lines of an answer's own dumps that a verdict holds.
constexpr uint64_t kMostUserDump = 100'000;

// The published count of bytes: lines without comments, trimmed, empty ones left out, joined by line feeds.
int64_t published_bytes(std::string_view text) {
  int64_t bytes = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, std::min(end, text.find_first_of("#!")));
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view kSpace = " \t\r\f\v";
    const size_t first = line.find_first_not_of(kSpace);
    if (first == line.npos) continue;
    line = line.substr(first, line.find_last_not_of(kSpace) - first + 1);
    bytes += (bytes > 0) + std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
  }
  return bytes;
}

class Judge {
 public:
  Judge(const Testcase& testcase, std::string_view file, const JudgeOptions& options)
      : testcase_(testcase), file_(file), options_(options) {
    config_ = options.machine != nullptr ? options.machine : find_machine("mncore2");
  }

  Result<Verdict> run(std::string_view answer) {
    if (Status s = read_answer(answer); !s) return s.take_error();
    if (Status s = lint(); !s) return s.take_error();
    if (leaves_memory_) return std::move(verdict_);
    auto machine = emu::Machine::create(*config_, options_.emu);
    if (!machine) return machine.take_error();
    machine_ = std::move(*machine);
    if (Status s = execute(); !s) return s.take_error();
    if (Status s = compare(); !s) return s.take_error();
    for (Diagnostic& d : machine_->findings()) verdict_.refusals.push_back(std::move(d));
    return std::move(verdict_);
  }

 private:
  Status read_answer(std::string_view text) {
    verdict_.bytes = published_bytes(text);
    vsm::AsmResult result = vsm::assemble(text, file_);
    if (!result.ok()) return vsm::as_one(result);
    program_ = std::move(result.program);
    for (const Line& line : program_.lines) {
      if (line.kind != LineKind::kHostRow && line.kind != LineKind::kHostDma) continue;
      return error("judge_answer", "the answer sets DRAM", where(line));
    }
    const auto dropped = [&](const Line& line) {
      return (line.kind == LineKind::kDebugGet && !options_.keep_get) ||
             (line.kind == LineKind::kDebugSet && !options_.keep_set);
    };
    verdict_.dropped_debug_lines = std::erase_if(program_.lines, dropped);
    uint64_t printed = 0;
    for (const Line& line : program_.lines) {
      if (line.kind != LineKind::kDebugGet) continue;
      printed += emu::dump_line_count(line, *config_);
      if (printed <= kMostUserDump) continue;
      Diagnostic d = error("judge_answer", "the debug lines of the answer print too much", where(line));
      d.observed = fmt::format("{} lines up to here", printed);
      d.required = fmt::format("at most {}; kumi emu prints any number", kMostUserDump);
      return d;
    }
    for (const Line& line : program_.lines) {
      if (line.kind != LineKind::kDebugSet) continue;
      verdict_.refusals.push_back(error("judge_answer", "the answer sets memory by a debug line", where(line)));
      break;
    }
    return Ok{};
  }

  // The vendor's assembler refuses what breaks a rule between steps [V]; it says nothing about MVs without a wait.
  Status lint() {
    const bool strict = options_.emu.strict;
    const std::string name = !options_.profile.empty() ? options_.profile : strict ? "default" : "published";
    const hazard::Profile* profile = hazard::find_profile(name);
    if (profile == nullptr) return error("judge_answer", "no profile of rules is named " + name);
    std::vector<hazard::Finding> findings = hazard::lint(program_, *profile);
    std::erase_if(findings, [&](const hazard::Finding& f) {
      const bool between_steps = f.def->name == "hazard_port" || f.def->name == "hazard_data";
      const bool range = f.def->name == "lint_range";
      leaves_memory_ |= range;
      return !range && (f.severity != Severity::kError || (!strict && !between_steps));
    });
    hazard::verify_mends(program_, findings, *profile);
    for (const hazard::Finding& f : findings) verdict_.refusals.push_back(hazard::to_diagnostic(f, program_, file_));
    return Ok{};
  }

  Status execute() {
    emu::RunOptions run;
    run.file = testcase_.file;
    if (auto r = machine_->run(testcase_.input, run); !r) return r.take_error();
    run.file = file_;
    run.sink = [this](std::string_view line) { verdict_.user_dump.emplace_back(line); };
    auto report = machine_->run(program_, run);
    if (!report) return report.take_error();
    verdict_.pe_lines = static_cast<int64_t>(report->steps);
    verdict_.mv_lines = static_cast<int64_t>(report->mv_count);
    verdict_.cost = cost::cost(program_, *config_);
    run.file = testcase_.file;
    run.sink = [](std::string_view) {};
    if (auto r = machine_->run(testcase_.after, run); !r) return r.take_error();
    // Only strict mode needs the dumps themselves: they report what is undefined.
    if (!options_.emu.strict) return Ok{};
    if (auto r = machine_->run(testcase_.output, run); !r) return r.take_error();
    return Ok{};
  }

  Status compare() {
    uint64_t bits = 0;
    const Line* read = nullptr;
    for (size_t i = 0; i < testcase_.elements.size(); ++i) {
      const Element& e = testcase_.elements[i];
      const Line& line = testcase_.output.lines[e.line];
      if (read != &line) {
        const isa::DebugMem& m = line.mem;
        const emu::MemoryRow* row = emu::find_memory(m.mem);
        UnitCoord unit;
        unit.g = m.n;
        if (row->level >= emu::Level::kL2b) unit.s = m.c;
        if (row->level >= emu::Level::kL1b) unit.b = m.b;
        if (row->level >= emu::Level::kPe) unit.m = m.m, unit.p = m.p;
        auto lw = machine_->read_lw(m.mem, unit, m.addr / row->address_step);
        if (!lw) {
          Diagnostic d = lw.take_error();
          d.where = where(line, testcase_.file);
          return d;
        }
        bits = *lw;
        read = &line;
      }
      const Value seen = decode(*testcase_.dtype, bits, e.lane);
      ++verdict_.compared;
      if (agrees(seen, e.expected, testcase_.tolerance)) continue;
      ++verdict_.wrong;
      if (verdict_.mismatches.size() < options_.max_mismatches) verdict_.mismatches.push_back({i, bits, seen});
    }
    return Ok{};
  }

  SourceRange where(const Line& line, std::string_view file) const {
    SourceRange r;
    r.file = file;
    r.line = line.source_line;
    r.text = line.text;
    return r;
  }
  SourceRange where(const Line& line) const { return where(line, file_); }

  const Testcase& testcase_;
  std::string file_;
  const JudgeOptions& options_;
  const MachineConfig* config_ = nullptr;
  isa::Program program_;
  std::unique_ptr<emu::Machine> machine_;
  Verdict verdict_;
  bool leaves_memory_ = false;  // an MV wraps around its memory: nobody knows what follows, and it could take for ever
};

}  // namespace

Result<Verdict> judge(const Testcase& testcase, std::string_view answer, std::string_view answer_file,
                      const JudgeOptions& options) {
  return Judge(testcase, answer_file, options).run(answer);
}

std::string index_text(const Testcase& testcase, size_t element) {
  const auto rank = static_cast<size_t>(testcase.rank);
  const auto first = testcase.indices.begin() + static_cast<std::ptrdiff_t>(element * rank);
  return fmt::format("[{}]", fmt::join(first, first + static_cast<std::ptrdiff_t>(rank), ","));
}

Diagnostic describe(const Mismatch& mismatch, const Testcase& testcase) {
  const Element& e = testcase.elements[mismatch.element];
  const Line& line = testcase.output.lines[e.line];
  Diagnostic d = error("judge_mismatch", fmt::format("value {} is wrong", index_text(testcase, mismatch.element)));
  d.observed = fmt::format("{} (long word 0x{:016x}, element {})", print(mismatch.seen), mismatch.bits, e.lane);
  d.required = print(e.expected);
  if (testcase.dtype->kind != ValueKind::kChar)
    d.required += fmt::format(" atol={} rtol={}", testcase.tolerance.absolute, testcase.tolerance.relative);
  if (!testcase.title.empty()) d.bound.emplace_back("tensor", testcase.title);
  d.where.file = testcase.file;
  d.where.line = line.source_line;
  d.where.text = line.text;
  return d;
}

}  // namespace kumihimo::mncore2::judge
