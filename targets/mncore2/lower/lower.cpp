#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/layout/algebra.h"
#include "targets/mncore2/cost/cost_json.h"
#include "targets/mncore2/isa/print.h"
#include "targets/mncore2/lower/kernel.h"
#include "targets/mncore2/lower/machine_ir.h"

namespace kumihimo::mncore2::lower {
namespace {

isa::Mem bank_mem(sched::Bank b) {
  switch (b) {
    case sched::Bank::kLm0: return isa::Mem::kLm0;
    case sched::Bank::kLm1: return isa::Mem::kLm1;
    case sched::Bank::kGrf0: return isa::Mem::kGrf0;
    case sched::Bank::kGrf1: return isa::Mem::kGrf1;
    case sched::Bank::kT: return isa::Mem::kT;
  }
  return isa::Mem::kNone;
}

std::string_view mem_name(isa::Mem m) {
  switch (m) {
    case isa::Mem::kLm0: return "LM0";
    case isa::Mem::kLm1: return "LM1";
    case isa::Mem::kGrf0: return "GRF0";
    case isa::Mem::kGrf1: return "GRF1";
    case isa::Mem::kT: return "T";
    case isa::Mem::kL1bm: return "L1BM";
    case isa::Mem::kL2bm: return "L2BM";
    case isa::Mem::kDram: return "DRAM";
    default: return "?";
  }
}

// An option that must be a number is an error when it is not; a missing one gives the fallback.
Result<int64_t> int_option(const LowerOptions& o, std::string_view name, int64_t fallback) {
  auto it = o.options.find(name);
  if (it == o.options.end()) return fallback;
  int64_t v = 0;
  auto [end, ec] = std::from_chars(it->second.data(), it->second.data() + it->second.size(), v);
  if (ec == std::errc{} && end == it->second.data() + it->second.size()) return v;
  Diagnostic d = make_error("call_argument", fmt::format("option {} is not a number", name));
  d.observed = it->second;
  d.required = "an integer";
  return d;
}

nlohmann::json report(const Kernel& k) {
  const sched::ScheduleStats& s = k.scheduled.stats;
  const cost::CostReport time = cost::cost(k.scheduled, *k.machine);
  nlohmann::json j = nlohmann::json::parse(cost::to_json(time, *k.machine));
  j["forwarded"] = s.forwarded;
  j["bound"] = {{"with_mv", k.bound.with_mv}, {"without_mv", k.bound.without_mv}, {"units", nlohmann::json::object()}};
  for (const UnitBound& u : k.bound.units) j["bound"]["units"][std::string(u.unit)] = u.cycles;
  j["fraction_of_bound"] = time.cycles > 0 ? k.bound.with_mv / static_cast<double>(time.cycles) : 0.0;
  j["inputs"] = nlohmann::json::array();
  for (const InputPlace& i : k.inputs)
    j["inputs"].push_back(
        {{"name", i.name}, {"type", to_string(*i.type)}, {"dram_addr_lw", i.dram_addr_lw}, {"size_lw", i.size_lw}});
  j["outputs"] = nlohmann::json::array();
  for (const OutputPlace& o : k.outputs)
    j["outputs"].push_back(
        {{"name", o.name}, {"type", to_string(*o.type)}, {"memory", mem_name(o.mem)}, {"addr_lw", o.addr_lw}});
  return j;
}

}  // namespace

// A misspelt option would otherwise change nothing and nobody would know.
Status check_options(const LowerOptions& o) {
  constexpr std::string_view kKnown[] = {"evaluations", "seed", "with_data"};
  for (const auto& [name, value] : o.options) {
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) continue;
    Diagnostic d = make_error("call_argument", fmt::format("lowering has no option {}", name));
    d.observed = fmt::format("{} = {}", name, value);
    d.required = fmt::format("one of {}", fmt::join(kKnown, ", "));
    return d;
  }
  return Ok{};
}

Result<std::shared_ptr<Kernel>> lower_kernel(const Module& module, const LowerOptions& options) {
  if (auto s = check_options(options); !s) return s.take_error();
  const Target* target = find_target(module.target());
  auto function = entry_function(module);
  if (!function) return function.take_error();
  auto evaluations = int_option(options, "evaluations", -1);
  if (!evaluations) return evaluations.take_error();
  constexpr int64_t kMostEvaluations = 100'000'000;
  if (*evaluations < -1 || *evaluations > kMostEvaluations) {
    Diagnostic d = make_error("call_argument", "option evaluations is out of range");
    d.observed = fmt::format("{}", *evaluations);
    d.required = fmt::format("-1 (as many as the time allows) to {}", kMostEvaluations);
    return d;
  }
  auto seed = int_option(options, "seed", 1);
  if (!seed) return seed.take_error();

  EmitContext context(module, *target);
  if (auto s = emit_function(context, **function); !s) return s.take_error();
  auto kernel = std::make_shared<Kernel>();
  kernel->machine = find_machine(target->name);
  auto scheduled = sched::schedule(context.program(), {.machine = kernel->machine,
                                                       .seed = static_cast<uint64_t>(*seed),
                                                       .evaluations = static_cast<int32_t>(*evaluations)});
  if (!scheduled) return scheduled.take_error();
  kernel->scheduled = std::move(*scheduled);
  kernel->inputs = std::move(context.inputs);
  for (const OutputRef& o : context.outputs) {
    OutputPlace place{o.name, o.type, isa::Mem::kNone, 0};
    if (o.held.in == HeldIn::kRegister) {
      sched::RegPlace p = kernel->scheduled.output_place(o.held.id);
      place.mem = bank_mem(p.bank);
      place.addr_lw = p.addr_lw;
    } else {
      place.mem = context.program().bufs[o.held.id].mem;
      place.addr_lw = kernel->scheduled.buf_addr[o.held.id];
    }
    kernel->outputs.push_back(std::move(place));
  }
  auto bound = bound_of(module, **function, *target);
  if (!bound) return bound.take_error();
  kernel->bound = std::move(*bound);
  return kernel;
}

std::string kernel_text(const Kernel& kernel, bool with_outputs) {
  std::string out;
  const isa::Program& p = kernel.scheduled.program;
  for (size_t i = 0; i < p.lines.size(); ++i) {
    size_t begin = out.size();
    isa::append(out, p.lines[i]);
    if (i < kernel.scheduled.notes.size() && !kernel.scheduled.notes[i].empty()) {
      constexpr size_t kNoteColumn = 72;
      size_t width = out.size() - begin;
      out.append(width < kNoteColumn ? kNoteColumn - width : 1, ' ');
      out += "# " + kernel.scheduled.notes[i];
    }
    out += "\n";
  }
  if (with_outputs)
    for (const OutputPlace& o : kernel.outputs) {
      isa::DebugMem m;
      m.mem = o.mem;
      m.width = isa::Width::kLw;
      bool pe_words =
          o.mem == isa::Mem::kLm0 || o.mem == isa::Mem::kLm1 || o.mem == isa::Mem::kGrf0 || o.mem == isa::Mem::kGrf1;
      m.addr = pe_words ? 2 * o.addr_lw : o.addr_lw;  // PE memories count words
      const char* letter = dtype_def(o.type->dtype).bits == 64 ? "d" : dtype_def(o.type->dtype).bits == 32 ? "f" : "h";
      out += fmt::format("d get{} {} {}  # {}\n", letter, isa::print(m), kumihimo::rows(*o.type->layout), o.name);
    }
  return out;
}

Result<Lowered> lower(const Module& module, const LowerOptions& options) {
  auto kernel = lower_kernel(module, options);
  if (!kernel) return kernel.take_error();
  Lowered l;
  auto it = options.options.find("with_data");
  l.text = kernel_text(**kernel, it != options.options.end() && it->second != "0");
  l.report_json = report(**kernel).dump();
  l.instructions = machine_module((*kernel)->scheduled, module);
  l.target_data = *kernel;
  return l;
}

}  // namespace kumihimo::mncore2::lower
